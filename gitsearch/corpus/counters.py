"""What an update did, in numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    """Blobs extracted, distinct terms embedded, bytes of text read."""

    files_parsed: int = 0
    terms_embedded: int = 0
    bytes_read: int = 0
