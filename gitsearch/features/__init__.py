"""Terms of a text and their vectors."""
