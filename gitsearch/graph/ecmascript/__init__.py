"""How JavaScript and TypeScript find modules: files, packages, workspaces, compiler settings."""
