"""From the bytes of a blob to facts: chunks, symbols, references, imports."""
