"""Readers of what test runners record: which test ran which lines of which file."""
