"""Extraction from the bytes of a blob and its language, as pure functions.

What a search needs is extracted apart from what the graph needs, which takes as long again. A
change of chunks or of extracted definitions requires a new index.versions.EXTRACT_VERSION.
"""

from __future__ import annotations

from dataclasses import dataclass

from gitsearch.extract import chunks, languages, symbols, syntax
from gitsearch.extract.skip_reasons import skip_reason
from gitsearch.extract.uncollected import uncollected
from gitsearch.records import Chunk, Definition, ParsedText, Structure


@dataclass(frozen=True, slots=True)
class BlobFacts:
    """The facts of one blob; with a `skip` reason (binary, generated, lfs) all else is empty.

    Definitions have no signature and no documentation, which nothing records.
    """

    chunks: tuple[Chunk, ...] = ()
    definitions: tuple[Definition, ...] = ()
    lines: int = 0
    skip: str | None = None


def facts(
    data: bytes,
    language: str,
    *,
    searched: bool = False,
    parsed: bool = True,
    known: ParsedText | None = None,
) -> BlobFacts:
    """Return the chunks and the definitions of a text; no content makes it raise.

    `searched` overrules the recognition of generated files (the attribute `search`). If `parsed`
    is false, chunks are split by lines, as without a grammar. If the result of parsing is `known`,
    nothing is parsed.
    """
    if reason := skip_reason(data, language, forced=searched):
        return BlobFacts(skip=reason)
    if not data.strip():
        return BlobFacts(chunks.as_chunks([0], data, ()) if data else (), lines=data.count(b"\n"))
    with uncollected():
        if known is not None:
            defined = known.definitions
            pieces = chunks.as_chunks(known.starts, data, defined)
        else:
            pieces, defined = _chunked(data, language if parsed else "")
    return BlobFacts(pieces, defined, data.count(b"\n") + (not data.endswith(b"\n")))


def definitions(data: bytes, language: str, *, searched: bool) -> tuple[Definition, ...]:
    """Return the definitions of a text, as `facts` does."""
    if skip_reason(data, language, forced=searched):
        return ()
    with uncollected():
        root = _root(data, language)
        return symbols.definitions(root, data, language, described=True) if root else ()


def structure(data: bytes, language: str, *, searched: bool = False) -> Structure:
    """Return the definitions, references and imports of a text; none if `facts` skips it."""
    if skip_reason(data, language, forced=searched):
        return Structure()
    with uncollected():
        root = _root(data, language)
        return symbols.structure(root, data, language) if root else Structure()


def _root(data: bytes, language: str) -> syntax.Node | None:
    row = languages.LANGUAGES.get(language)
    tree = syntax.parse(data, row.grammar) if row and row.grammar else None
    return tree.root_node if tree else None


def _chunked(data: bytes, language: str) -> tuple[tuple[Chunk, ...], tuple[Definition, ...]]:
    root = _root(data, language)  # one object for all uses, because it caches its children
    if root is None:
        return chunks.as_chunks(chunks.cut_lines(data), data, ()), ()
    defined = symbols.definitions(root, data, language, described=False)
    return chunks.as_chunks(chunks.cut_tree(root, data), data, defined), defined
