"""Extraction of the facts of a blob from its bytes and its language, as one pure function.

A change of chunks or of extracted symbols requires a new index.versions.EXTRACT_VERSION.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass

from gitsearch.extract import chunks, languages, symbols, syntax
from gitsearch.extract.ambiguous_extensions import AMBIGUOUS
from gitsearch.extract.skip_reasons import skip_reason
from gitsearch.records import Chunk, Structure

# First bytes that decide the language of an ambiguous extension: shebang, licence, some includes.
_HEAD = 4096

EMPTY = Structure()


@dataclass(frozen=True, slots=True)
class BlobFacts:
    """The facts of one blob; with a `skip` reason (binary, generated, lfs) all else is empty."""

    chunks: tuple[Chunk, ...] = ()
    structure: Structure = EMPTY
    lines: int = 0
    skip: str | None = None


def hint(path: bytes) -> str:
    """Return the language of a path; where the content decides, "?" and an ambiguous extension."""
    language = languages.decided_by_path(path)
    if language:
        return language
    extension = languages.telling_extension(path)
    return "?" + (extension.decode("latin-1") if extension in AMBIGUOUS else "")


def settled(hinted: str, data: bytes) -> str:
    """Return the language of a content, given the `hint` of its path."""
    if not hinted.startswith("?"):
        return hinted
    return languages.detect(b"x." + hinted[1:].encode("latin-1"), data[:_HEAD])


def facts(data: bytes, language: str, *, searched: bool = False, parsed: bool = True) -> BlobFacts:
    """Return the chunks and the structure of a text; no content makes it raise.

    `searched` overrules the recognition of generated files (the attribute `search`). If `parsed`
    is false, chunks are split by lines, as without a grammar.
    """
    reason = skip_reason(data, language)
    if reason and not (searched and reason == "generated"):
        return BlobFacts(skip=reason)
    if not data.strip():
        return BlobFacts(chunks.as_chunks([0], data, ()) if data else (), lines=data.count(b"\n"))
    # There are no cycles, and to look for them takes 9 % of the time: the matches in a megabyte of
    # code are 75,000 containers, all of them alive at once.
    collects = gc.isenabled()
    gc.disable()
    try:
        pieces, structure = _chunked(data, language if parsed else "")
    finally:
        if collects:
            gc.enable()
    return BlobFacts(pieces, structure, data.count(b"\n") + (not data.endswith(b"\n")))


def _chunked(data: bytes, language: str) -> tuple[tuple[Chunk, ...], Structure]:
    row = languages.LANGUAGES.get(language)
    tree = syntax.parse(data, row.grammar) if row and row.grammar else None
    if tree is None:
        return chunks.as_chunks(chunks.cut_lines(data), data, ()), EMPTY
    root = tree.root_node  # one object for all uses, because it caches its children
    structure = symbols.structure(root, data, language)
    return chunks.as_chunks(chunks.cut_tree(root, data), data, structure.definitions), structure
