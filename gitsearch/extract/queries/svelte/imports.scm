; include: vue/imports
