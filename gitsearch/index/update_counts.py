"""Counts of the work of an update."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    """Blobs extracted, distinct terms embedded, bytes of text read."""

    files_parsed: int = 0
    terms_embedded: int = 0
    bytes_read: int = 0

    def add(self, other: Counters) -> None:
        """Add the counts of another update."""
        self.files_parsed += other.files_parsed
        self.terms_embedded += other.terms_embedded
        self.bytes_read += other.bytes_read
