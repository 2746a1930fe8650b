"""The facts of many blobs in columns: what workers return and the record stores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from gitsearch.extract.facts import BlobFacts, definitions, facts
from gitsearch.extract.languages import settled
from gitsearch.features import identifiers
from gitsearch.features.term_counts import TermCounter, TermCounts
from gitsearch.records import Definition, ParsedText

Columns = dict[str, np.ndarray]


class BlobKey(NamedTuple):
    """The blob and all else that facts depend on, besides the version of extraction.

    hint: the language by the path, or "?" and the extension if the content decides; forced: an
    attribute overrules the recognition of generated content.
    """

    oid: str
    hint: str
    forced: bool = False


class KnownParses(Protocol):
    """Results of parsing some blobs."""

    def __contains__(self, key: BlobKey, /) -> bool: ...

    def parsed(self, key: BlobKey, data: bytes) -> ParsedText | None:
        """Return the result of parsing a text; None if it is not known, or cannot be right."""


@dataclass(frozen=True, slots=True)
class FactColumns:
    """Facts of blobs. In every table `blob` is the position in `keys`, ascending.

    languages: per blob; skips: reason or "" per blob; sizes, lines: int64 per blob; known: bool
    per blob, the result of parsing was known;
    chunks: blob, start, end, first_line, last_line uint32; scope, symbol int32 (position among the
    blob's definitions or -1); terms: postings of these chunks, in the same order;
    symbols: blob, name, qualified, kind, start, end, signature_end, first_line, last_line, parent.
    """

    keys: list[BlobKey]
    languages: list[str]
    skips: list[str]
    sizes: np.ndarray
    lines: np.ndarray
    known: np.ndarray
    chunks: Columns
    terms: TermCounts
    symbols: Columns


CHUNK = ("start", "end", "first_line", "last_line", "scope", "symbol")
_SYMBOL_TEXT = ("name", "qualified", "kind")
_SYMBOL_NUMBER = ("start", "end", "signature_end", "first_line", "last_line", "parent")
_SIGNED = frozenset({"scope", "symbol", "parent"})


def extract_columns(
    blobs: Iterable[tuple[BlobKey, bytes]],
    unparsed: frozenset[str] = frozenset(),
    known: KnownParses | None = None,
) -> FactColumns:
    """Extract and count a batch of blobs, in the given order.

    `unparsed` ids are cut by lines; nothing is parsed of which the result is `known`.
    """
    keys: list[BlobKey] = []
    languages: list[str] = []
    sizes: list[int] = []
    parses: list[ParsedText | None] = []
    every: list[BlobFacts] = []
    counter = TermCounter()
    for key, data in blobs:
        language = settled(key.hint, data)
        parse = known.parsed(key, data) if known else None
        parsed = key.oid not in unparsed
        fact = facts(data, language, searched=key.forced, parsed=parsed, known=parse)
        keys.append(key)
        languages.append(language)
        sizes.append(len(data))
        parses.append(parse)
        every.append(fact)
        names = [definition.name for definition in fact.definitions]
        parents = [definition.parent for definition in fact.definitions]
        for chunk in fact.chunks:
            text = data[chunk.start : chunk.end].decode("utf-8", "replace")
            cut = identifiers.is_inside_word(data, chunk.end)
            counter.add(text, enclosing(chunk.scope, names, parents), cut=cut)
    return FactColumns(
        keys,
        languages,
        [fact.skip or "" for fact in every],
        np.asarray(sizes, np.int64),
        np.asarray([fact.lines for fact in every], np.int64),
        np.asarray([parse is not None for parse in parses], bool),
        _columns([fact.chunks for fact in every], CHUNK),
        counter.counts(),
        _columns([fact.definitions for fact in every], _SYMBOL_NUMBER, _SYMBOL_TEXT),
    )


def defined(key: BlobKey, data: bytes) -> tuple[Definition, ...]:
    """Return the definitions of a blob, with the texts that are not recorded."""
    return definitions(data, settled(key.hint, data), searched=key.forced)


class Cut(NamedTuple):
    """Known chunks of a blob: their ranges and scopes, names and parents of its definitions."""

    start: list[int]
    end: list[int]
    scope: list[int]
    name: list[str]
    parent: list[int]


def counted(blobs: Sequence[tuple[Cut, bytes | None]]) -> tuple[TermCounts, np.ndarray]:
    """Count the terms of known chunks as `extract_columns` does, without parsing.

    The text of a blob is None, and the mask in the result, bool (blobs), is true, where git does
    not have it any more.
    """
    counter = TermCounter()
    for cut, data in blobs:
        for start, end, scope in zip(cut.start, cut.end, cut.scope, strict=True):
            text = (data or b"")[start:end].decode("utf-8", "replace")
            around = enclosing(scope, cut.name, cut.parent) if text else []
            inside = identifiers.is_inside_word(data or b"", end)
            counter.add(text, around, cut=inside)
    return counter.counts(), np.asarray([data is None for _, data in blobs], bool)


def enclosing(scope: int, names: Sequence[str], parents: Sequence[int]) -> list[str]:
    """Return the names of a chunk's scope (-1: it has none) and all definitions around it."""
    around = []
    while scope >= 0:
        around.append(names[scope])
        scope = parents[scope]
    return around


def text_column(values: Sequence[str]) -> np.ndarray:
    """Return texts as a column for the record: an array of objects."""
    column = np.empty(len(values), object)
    column[:] = values
    return column


def _columns(
    groups: Sequence[Sequence[object]], numbers: Sequence[str], texts: Sequence[str] = ()
) -> Columns:
    """Return one column a field, and in `blob` the group that each row came from."""
    sizes = [len(group) for group in groups]
    columns: Columns = {"blob": np.repeat(np.arange(len(groups), dtype=np.uint32), sizes)}
    rows = [row for group in groups for row in group]
    for name in texts:
        columns[name] = text_column([getattr(row, name) for row in rows])
    for name in numbers:
        dtype = np.int32 if name in _SIGNED else np.uint32
        columns[name] = np.asarray([getattr(row, name) for row in rows], dtype)
    return columns
