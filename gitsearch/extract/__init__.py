"""Extraction of facts from blobs: chunks, symbols, references, imports."""
