"""Which file depends on which: imports resolved within one tree."""
