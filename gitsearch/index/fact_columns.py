"""The facts of many blobs in columns: what workers return and the record stores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.extract.facts import BlobFacts, facts, settled
from gitsearch.features.term_counts import TermCounter, TermCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Columns = dict[str, np.ndarray]


class BlobKey(NamedTuple):
    """What facts depend on besides the extractor version.

    `hint` is the language that the path tells, or "?" and the extension where the content decides;
    `forced` is true where an attribute overrules the recognition of generated content.
    """

    oid: str
    hint: str
    forced: bool = False


@dataclass(frozen=True, slots=True)
class FactColumns:
    """Facts of blobs. In every table `blob` is the position in `keys`, ascending.

    languages: per blob; skips: reason or "" per blob; sizes, lines: int64 per blob;
    chunks: blob, start, end, first_line, last_line uint32; scope, symbol int32 (position among the
    blob's definitions or -1); terms: postings of these chunks, in the same order;
    symbols: blob, name, qualified, kind, signature, doc, start, end, signature_end, first_line,
    last_line, parent; references: blob, name, kind, line; imports: blob, specifier, kind, names,
    line.
    """

    keys: list[BlobKey]
    languages: list[str]
    skips: list[str]
    sizes: np.ndarray
    lines: np.ndarray
    chunks: Columns
    terms: TermCounts
    symbols: Columns
    references: Columns
    imports: Columns


_CHUNK = ("start", "end", "first_line", "last_line", "scope", "symbol")
_SYMBOL_TEXT = ("name", "qualified", "kind", "signature", "doc")
_SYMBOL_NUMBER = ("start", "end", "signature_end", "first_line", "last_line", "parent")
_SIGNED = frozenset({"scope", "symbol", "parent"})


def extract_columns(
    blobs: Iterable[tuple[BlobKey, bytes]], unparsed: frozenset[str] = frozenset()
) -> FactColumns:
    """Extract and count a batch of blobs, in the given order; `unparsed` ids are cut by lines."""
    keys: list[BlobKey] = []
    found: list[BlobFacts] = []
    sizes: list[int] = []
    named: list[str] = []
    counter = TermCounter()
    for key, data in blobs:
        language = settled(key.hint, data)
        fact = facts(data, language, searched=key.forced, parsed=key.oid not in unparsed)
        named.append(language)
        keys.append(key)
        found.append(fact)
        sizes.append(len(data))
        names = [one.name for one in fact.structure.definitions]
        parents = [one.parent for one in fact.structure.definitions]
        for chunk in fact.chunks:
            text = data[chunk.start : chunk.end].decode("utf-8", "replace")
            counter.add(text, enclosing(chunk.scope, names, parents))
    return FactColumns(
        keys,
        named,
        [fact.skip or "" for fact in found],
        np.asarray(sizes, np.int64),
        np.asarray([fact.lines for fact in found], np.int64),
        _columns([fact.chunks for fact in found], _CHUNK),
        counter.counts(),
        _columns([f.structure.definitions for f in found], _SYMBOL_NUMBER, _SYMBOL_TEXT),
        _columns([f.structure.references for f in found], ("line",), ("name", "kind")),
        _columns([f.structure.imports for f in found], ("line",), ("specifier", "kind", "names")),
    )


class Cut(NamedTuple):
    """A blob whose chunks are known: their ranges and scopes, names and parents of definitions.

    `data` is None where git does not have the blob any more.
    """

    data: bytes | None
    start: list[int]
    end: list[int]
    scope: list[int]
    name: list[str]
    parent: list[int]


class Counted(NamedTuple):
    """The terms of the chunks of some blobs, and of which the text was there: bool (blobs)."""

    present: np.ndarray
    terms: TermCounts


def counted(blobs: Sequence[Cut]) -> Counted:
    """Count the terms of chunks that are known, as `harvest` does; nothing is parsed."""
    counter = TermCounter()
    for blob in blobs:
        for start, end, scope in zip(blob.start, blob.end, blob.scope, strict=True):
            text = (blob.data or b"")[start:end].decode("utf-8", "replace")
            around = enclosing(scope, blob.name, blob.parent) if text else []
            counter.add(text, around)
    present = np.asarray([blob.data is not None for blob in blobs], bool)
    return Counted(present, counter.counts())


def enclosing(scope: int, names: Sequence[str], parents: Sequence[int]) -> list[str]:
    """Names of the definitions around a chunk that do not start in it, innermost first."""
    found = []
    while scope >= 0:
        found.append(names[scope])
        scope = parents[scope]
    return found


def _columns(
    groups: Sequence[Sequence[object]], numbers: Sequence[str], texts: Sequence[str] = ()
) -> Columns:
    """One column a field, with `blob` saying which group a row came from."""
    out: Columns = {
        "blob": np.repeat(np.arange(len(groups), dtype=np.uint32), [len(g) for g in groups])
    }
    rows = [row for group in groups for row in group]
    for name in texts:
        column = np.empty(len(rows), object)
        column[:] = [getattr(row, name) for row in rows]
        out[name] = column
    for name in numbers:
        dtype = np.int32 if name in _SIGNED else np.uint32
        out[name] = np.asarray([getattr(row, name) for row in rows], dtype)
    return out
