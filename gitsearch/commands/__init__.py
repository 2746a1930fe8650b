"""One verb a module; each returns a frozen report."""
