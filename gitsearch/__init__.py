"""git search: find code by meaning, by name and by structure, in any revision, offline."""

__version__ = "0.1.0"
