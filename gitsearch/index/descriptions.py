"""Descriptions of chunks by a command of the user's: one line each, kept by the chunk's text.

docs/format.md, "Descriptions", is normative. A line is appended when a command has answered, so a
process that is killed loses the one it waits for; a line that is cut or damaged is as if it were
not there. A failure is kept too, as no words: no command is run twice on one text.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from hashlib import blake2b
from typing import TYPE_CHECKING

from gitsearch.errors import Damaged
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# Characters of a description, what is longer is cut; and bytes that a command may say.
LONGEST = 300
MOST_SAID = 64 << 10
# Bytes of all descriptions of a repository.
MOST_BYTES = 16 << 20

_NO_TEXT = ("Cc", "Cn", "Co", "Cs")

_LINE = re.compile(rb"([0-9a-f]{32}) ([0-9a-f]{8}) (.*)")


def key_of(command: str, text: bytes) -> str:
    """Return what a description is kept by: 32 hexadecimal digits."""
    return blake2b(text, digest_size=16, key=_digest(command)).hexdigest()


def name_of(command: str) -> str:
    """Return a short name of a command: 32 hexadecimal digits."""
    return _digest(command).hex()


def _digest(command: str) -> bytes:
    return blake2b(command.encode("utf-8", "surrogateescape"), digest_size=16).digest()


def line_of(output: bytes) -> str | None:
    """Return the first line of what a command says, cut to `LONGEST`; None if it is no text."""
    try:
        line = output.decode().lstrip().partition("\n")[0]
    except UnicodeDecodeError:
        return None
    text = " ".join(line.split())
    # escape sequences and other control characters, and what is no character yet
    if any(unicodedata.category(letter) in _NO_TEXT for letter in text):
        return None
    return text[:LONGEST].rstrip()


class Descriptions:
    """The descriptions of one repository, by key; "" where a command has failed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / layout.DESCRIPTIONS
        try:
            data = layout.content(self._path, layout.DESCRIPTIONS, 2 * MOST_BYTES)
        except FileNotFoundError:
            data = b""
        except Damaged:  # no file of ours, or too large to be one
            layout.clear(self._path)
            data = b""
        self._lines = dict(_parsed(data))
        self._size = len(data)
        self._begun = bool(data) and not data.endswith(b"\n")

    def get(self, key: str) -> str | None:
        """Return a description, "" after a failure, None if the command has not been asked."""
        return self._lines.get(key)

    @property
    def full(self) -> bool:
        """True if no more are kept."""
        return self._size >= MOST_BYTES

    def add(self, key: str, line: str) -> None:
        """Keep a description. Raises Unwritable."""
        entry = _entry(key, line)
        layout.add(self._path, b"\n" * self._begun + entry)
        self._begun = False
        self._lines[key] = line
        self._size += len(entry)

    def keep_only(self, keys: Iterable[str]) -> None:
        """Write the file anew with the descriptions of these keys. Raises Unwritable."""
        self._lines = {key: self._lines[key] for key in keys if key in self._lines}
        entries = [_entry(key, line) for key, line in self._lines.items()]
        layout.replace(self._path, entries)
        self._size, self._begun = sum(map(len, entries)), False


def _entry(key: str, line: str) -> bytes:
    text = line.encode()
    return b"%s %08x %s\n" % (key.encode(), zlib.crc32(text, int(key[:8], 16)), text)


def _parsed(data: bytes) -> Iterator[tuple[str, str]]:
    for line in data.split(b"\n"):
        match = _LINE.fullmatch(line)
        if match is None or zlib.crc32(match[3], int(match[1][:8], 16)) != int(match[2], 16):
            continue
        try:
            yield match[1].decode(), match[3].decode()
        except UnicodeDecodeError:
            continue
