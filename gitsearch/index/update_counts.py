"""Counts of the work of an update."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    """Blobs extracted, distinct terms embedded, bytes of text read.

    parses_known: blobs of which the result of parsing was known; parses_refused: those of which
    it could not be right, and which were extracted.
    """

    files_parsed: int = 0
    parses_known: int = 0
    parses_refused: int = 0
    terms_embedded: int = 0
    bytes_read: int = 0

    def add(self, other: Counters) -> None:
        """Add the counts of another update."""
        self.files_parsed += other.files_parsed
        self.parses_known += other.parses_known
        self.parses_refused += other.parses_refused
        self.terms_embedded += other.terms_embedded
        self.bytes_read += other.bytes_read
