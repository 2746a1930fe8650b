; include: typescript/tags
; include: javascript/jsx
