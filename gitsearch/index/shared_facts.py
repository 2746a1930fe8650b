"""The facts of a blob as one line of an exported index, and their check against its text.

docs/format.md, "Exported index", is normative. A line holds what a parser found in the text, and
nothing that follows from the text without a parser: who imports the line has the text.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated

import msgspec

from gitsearch.extract.chunks import line_numbers
from gitsearch.extract.facts import facts
from gitsearch.extract.languages import settled
from gitsearch.extract.skip_reasons import skip_reason
from gitsearch.extract.symbol_kinds import MEMBERS, PLACES
from gitsearch.extract.symbols import LONGEST_QUALIFIED
from gitsearch.index.fact_columns import BlobKey
from gitsearch.records import Definition, ParsedText

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_KINDS = PLACES | MEMBERS | {"function", "macro"}

# What a name may lack of its text: white space is shortened, pointers to types have no marks.
_BARE = re.compile(r"[\s*&]")

# A number of bytes, or of definitions.
_Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]


class SharedSymbol(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A definition, relative to the one before it in the text and to the one around it.

    qualified: "" if it is that of the definition around, a dot, and the name; step: bytes from the
    start of the definition before; size, signature: bytes from its start to its end and to the end
    of its signature; up: its number minus that of the definition around, 0 without one.
    """

    kind: str
    name: str
    qualified: str
    step: _Count
    size: _Count
    signature: _Count
    up: _Count


class SharedBlob(msgspec.Struct, forbid_unknown_fields=True):
    """The line of a blob. chunks: the size of each in bytes; none of a text that is skipped."""

    oid: str
    hint: str
    forced: bool
    chunks: list[_Count]
    symbols: list[SharedSymbol]

    @property
    def key(self) -> BlobKey:
        """The blob and all else that its facts depend on."""
        return BlobKey(self.oid, self.hint, self.forced)


_DECODER = msgspec.json.Decoder(SharedBlob)


def decoded(line: bytes) -> SharedBlob:
    """Return the blob of a line. Raises ValueError with the reason."""
    return _DECODER.decode(line)


def encoded(key: BlobKey, chunks: list[int], definitions: Sequence[Definition]) -> bytes:
    """Return the line of a blob; `chunks` are sizes in bytes."""
    symbols = []
    before = 0
    for number, each in enumerate(definitions):
        around = definitions[each.parent].qualified if each.parent >= 0 else ""
        usual = each.qualified == _joined(around, each.name)
        symbols.append(
            SharedSymbol(
                each.kind,
                each.name,
                "" if usual else each.qualified,
                each.start - before,
                each.end - each.start,
                each.signature_end - each.start,
                number - each.parent if each.parent >= 0 else 0,
            )
        )
        before = each.start
    return msgspec.json.encode(SharedBlob(*key, chunks, symbols))


def extracted(key: BlobKey, data: bytes) -> bytes:
    """Return the line of a blob, whose text is parsed here."""
    found = facts(data, settled(key.hint, data), searched=key.forced)
    return encoded(key, [chunk.end - chunk.start for chunk in found.chunks], found.definitions)


def _joined(around: str, name: str) -> str:
    return f"{around}.{name}" if around else name


class SharedFacts:
    """The lines of blobs, for the extraction of these blobs without a parser."""

    def __init__(self, lines: Mapping[BlobKey, bytes]) -> None:
        self.lines = lines

    def __contains__(self, key: BlobKey) -> bool:
        return key in self.lines

    def proved(self, key: BlobKey, data: bytes) -> bool:
        """Return True if parsing the text here finds what the line of a blob says."""
        return decoded(extracted(key, data)) == decoded(self.lines[key])

    def parsed(self, key: BlobKey, data: bytes) -> ParsedText | None:
        """Return the result of parsing a text; None without a line, or if it contradicts the text.

        Nobody vouches for a line. It is accepted if it cuts the whole text, if each definition is
        a range inside the one around it, and if its names occur in the text.
        """
        line = self.lines.get(key)
        return None if line is None else _checked(decoded(line), key, data)


def _checked(blob: SharedBlob, key: BlobKey, data: bytes) -> ParsedText | None:
    if not blob.chunks:
        skipped = skip_reason(data, settled(key.hint, data), forced=key.forced)
        return ParsedText((), ()) if skipped or not data else None
    if sum(blob.chunks) != len(data) or min(blob.chunks) == 0:
        return None
    definitions = _definitions(blob.symbols, data)
    if definitions is None:
        return None
    starts = [0]
    for size in blob.chunks[:-1]:
        starts.append(starts[-1] + size)
    return ParsedText(tuple(starts), definitions)


def _definitions(symbols: list[SharedSymbol], data: bytes) -> tuple[Definition, ...] | None:
    """Return the definitions of a text; None if one of them cannot be in it."""
    starts = list(accumulate(symbol.step for symbol in symbols))
    ends = [start + symbol.size for start, symbol in zip(starts, symbols, strict=True)]
    if max(ends, default=0) > len(data):
        return None
    lines_of = line_numbers(data)
    firsts = lines_of(starts)
    lasts = lines_of([max(end - 1, start) for start, end in zip(starts, ends, strict=True)])
    names = _Names(data)
    definitions: list[Definition] = []
    for number, symbol in enumerate(symbols):
        if symbol.up > number:
            return None
        parent = number - symbol.up if symbol.up else -1
        around = definitions[parent] if symbol.up else None
        definition = Definition(
            symbol.name,
            symbol.qualified or _joined(around.qualified if around else "", symbol.name),
            symbol.kind,
            "",
            "",
            starts[number],
            ends[number],
            starts[number] + symbol.signature,
            firsts[number],
            lasts[number],
            parent,
        )
        inside = around is None or definition.end <= around.end
        if not inside or not _plausible(definition, names, derived=not symbol.qualified):
            return None
        definitions.append(definition)
    return tuple(definitions)


def _plausible(definition: Definition, names: _Names, *, derived: bool) -> bool:
    """Return True if the kind, the signature and the names of a definition may be those of a text.

    derived: the qualified name is that of the definition around and the name.
    """
    return (
        definition.kind in _KINDS
        and definition.signature_end <= len(names.data)
        and len(definition.qualified) <= LONGEST_QUALIFIED
        and names.holds(definition.name, definition.start, definition.end)
        and (derived or all(names.holds(part) for part in definition.qualified.split(".")))
    )


class _Names:
    """Tells which names are in a text."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def holds(self, name: str, start: int = 0, end: int | None = None) -> bool:
        """Return True if a name is in a range of the text, but for what `_BARE` removes."""
        if not name:
            return False
        try:
            if self.data.find(name.encode(), start, end) >= 0:
                return True
        except UnicodeEncodeError:
            return False
        text = self.data[start:end].decode("utf-8", "replace")
        return _BARE.sub("", name) in _BARE.sub("", text)
