"""Words as `git grep -w` sees them, and what proves that a text cannot hold one.

Word characters are the ASCII letters, digits and the underscore; every other byte is a boundary.
A word stands where it is spelt so, between boundaries. So each of its own runs of word characters
is a whole run of the text, and each of its other characters is in the text: those are the entries
of a text. A word that has an entry which the text has not is not in the text, whatever the word
is; nothing here knows identifiers, languages or case.
"""

from __future__ import annotations

import re

from gitsearch.git_conventions import is_binary

# Longer runs are hashes and data: of them the beginning is an entry, for texts and words alike.
LONGEST_ENTRY = 128

_RUN = re.compile(rb"[0-9A-Za-z_]+")
_OTHER = re.compile(rb"[\x80-\xff]+")


def entries(text: bytes) -> set[bytes]:
    """The runs of word characters of a text, and its characters beyond ASCII, once each."""
    found = set(_RUN.findall(text))
    if not text.isascii():
        # what is no UTF-8 is passed over: bytes that begin a character are never taken for others
        others = b"".join(_OTHER.findall(text)).decode("utf-8", "ignore")
        found.update(character.encode() for character in set(others))
    return found


def key(entry: bytes) -> str:
    """An entry as a filter holds it."""
    return entry[:LONGEST_ENTRY].decode("utf-8")


def place(text: bytes, word: bytes) -> int | None:
    """The byte at which a word first stands in a text, or None."""
    found = _standing(word).search(text)
    return found.start() if found else None


def _standing(word: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?<![0-9A-Za-z_])" + re.escape(word) + rb"(?![0-9A-Za-z_])")


def line_of(text: bytes, at: int) -> int | None:
    """The 1-based line of a byte; None in a binary text, which has no lines."""
    return None if is_binary(text) else text.count(b"\n", 0, at) + 1
