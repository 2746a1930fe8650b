"""Import edges against other programs: python -m bench.oracles.<language> CHECKOUT..."""
