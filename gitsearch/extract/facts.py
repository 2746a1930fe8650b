"""Extraction of the facts of a blob from its bytes and its language, as one pure function.

A change of chunks or of extracted symbols requires a new index.versions.EXTRACT_VERSION.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gitsearch.extract import chunks, languages, symbols, syntax
from gitsearch.extract.skip_reasons import skip_reason
from gitsearch.records import Chunk, Definition, Structure

EMPTY = Structure()


@dataclass(frozen=True, slots=True)
class BlobFacts:
    """The facts of one blob; with a `skip` reason (binary, generated, lfs) all else is empty."""

    chunks: tuple[Chunk, ...] = ()
    structure: Structure = EMPTY
    lines: int = 0
    skip: str | None = None


def facts(data: bytes, language: str, *, searched: bool = False, parsed: bool = True) -> BlobFacts:
    """Return the chunks and the structure of a text; no content makes it raise.

    `searched` overrules the recognition of generated files (the attribute `search`). If `parsed`
    is false, chunks are split by lines, as without a grammar.
    """
    if reason := _reason(data, language, searched=searched):
        return BlobFacts(skip=reason)
    if not data.strip():
        return BlobFacts(chunks.as_chunks([0], data, ()) if data else (), lines=data.count(b"\n"))
    with _uncollected():
        pieces, structure = _chunked(data, language if parsed else "")
    return BlobFacts(pieces, structure, data.count(b"\n") + (not data.endswith(b"\n")))


def definitions(data: bytes, language: str, *, searched: bool) -> tuple[Definition, ...]:
    """Return the definitions of a text, as `facts` does."""
    if _reason(data, language, searched=searched):
        return ()
    with _uncollected():
        root = _root(data, language)
        return symbols.structure(root, data, language).definitions if root else ()


def _reason(data: bytes, language: str, *, searched: bool) -> str | None:
    reason = skip_reason(data, language)
    return None if searched and reason == "generated" else reason


@contextmanager
def _uncollected() -> Iterator[None]:
    """Collect no garbage until the end of the block.

    There are no cycles, and to look for them takes 9 % of the time: the matches in a megabyte of
    code are 75,000 containers, all of them alive at once.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _root(data: bytes, language: str) -> syntax.Node | None:
    row = languages.LANGUAGES.get(language)
    tree = syntax.parse(data, row.grammar) if row and row.grammar else None
    return tree.root_node if tree else None


def _chunked(data: bytes, language: str) -> tuple[tuple[Chunk, ...], Structure]:
    root = _root(data, language)  # one object for all uses, because it caches its children
    if root is None:
        return chunks.as_chunks(chunks.cut_lines(data), data, ()), EMPTY
    structure = symbols.structure(root, data, language)
    return chunks.as_chunks(chunks.cut_tree(root, data), data, structure.definitions), structure
