"""How the imports of each family of languages are resolved, a module each."""
