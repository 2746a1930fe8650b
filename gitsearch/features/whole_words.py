"""Words as in `git grep -w`, and filter entries that prove the absence of a word from a text.

Word characters are the ASCII letters, digits and the underscore; every other byte is a boundary. A
word occurs where its exact bytes are between boundaries. So each run of word characters in the
word is a whole run in the text, and each of its other characters is in the text: these runs and
characters are the entries of a text. A word with an entry that a text lacks does not occur in it.
Identifiers, languages and case play no role.
"""

from __future__ import annotations

import re

from gitsearch.git_conventions import is_binary

# Longer runs are hashes and data: only their first bytes are the entry, for texts and words alike.
LONGEST_ENTRY = 128

_RUN = re.compile(rb"[0-9A-Za-z_]+")
_OTHER = re.compile(rb"[\x80-\xff]+")


def entries(text: bytes) -> set[bytes]:
    """Return the distinct runs of word characters and non-ASCII characters of a text."""
    result = set(_RUN.findall(text))
    if not text.isascii():
        # Invalid UTF-8 is skipped: bytes that begin a character never continue another one.
        others = b"".join(_OTHER.findall(text)).decode("utf-8", "ignore")
        result.update(character.encode() for character in set(others))
    return result


def key(entry: bytes) -> str:
    """Return the key of an entry in a bloom filter."""
    return entry[:LONGEST_ENTRY].decode("utf-8")


def place(text: bytes, word: bytes) -> int | None:
    """Return the byte offset of the first occurrence of a word in a text, or None."""
    match = _standing(word).search(text)
    return match.start() if match else None


def _standing(word: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?<![0-9A-Za-z_])" + re.escape(word) + rb"(?![0-9A-Za-z_])")


def line_of(text: bytes, at: int) -> int | None:
    """Return the 1-based line of a byte offset, None in a binary text, which has no lines."""
    return None if is_binary(text) else text.count(b"\n", 0, at) + 1
