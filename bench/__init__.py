"""Measurements of `git search`: quality, cold start, first index. Results are filed by commit."""
