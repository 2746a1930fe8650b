; include: vue/scripts
