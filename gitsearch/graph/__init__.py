"""Dependency graph of the files of one tree, by resolved imports."""
