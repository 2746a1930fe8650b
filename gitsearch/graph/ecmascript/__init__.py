"""JavaScript and TypeScript module resolution: files, packages, workspaces, compiler settings."""
