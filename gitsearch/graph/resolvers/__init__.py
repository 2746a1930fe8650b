"""Resolvers of imports, one module for each family of languages."""
