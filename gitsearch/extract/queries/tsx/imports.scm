; include: typescript/imports
