"""From the bytes of a blob and its language to facts: one pure call.

A change of what is cut or found raises corpus.versions.EXTRACT_VERSION.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitsearch.extract import chunks, embedded_scripts, languages, symbols, syntax
from gitsearch.extract.ambiguous_extensions import AMBIGUOUS
from gitsearch.git_conventions import is_binary
from gitsearch.records import Chunk, Structure

if TYPE_CHECKING:
    from collections.abc import Iterator

# First bytes that decide the language of an ambiguous extension: shebang, licence, first includes.
_HEAD = 4096

# Git LFS specification: a pointer file is smaller than 1,024 bytes and starts with this line.
_LFS = b"version https://git-lfs.github.com/spec/"
_LFS_MOST = 1024

# A mean line of this length is written by a program (linguist takes 110 for JavaScript and CSS
# alone); prose with one paragraph a line stays below the second figure.
_MINIFIED_MEAN = 400
_MINIFIED_SIZE = 4096


EMPTY = Structure()


@dataclass(frozen=True, slots=True)
class BlobFacts:
    """What one blob holds; with a `skip` reason (binary, generated, lfs) all else is empty."""

    chunks: tuple[Chunk, ...] = ()
    structure: Structure = EMPTY
    lines: int = 0
    skip: str | None = None


def hint(path: bytes) -> str:
    """The language that a path tells; where the content decides, "?" and what helps it decide."""
    found = languages.decided_by_path(path)
    if found:
        return found
    extension = languages.telling_extension(path)
    return "?" + (extension.decode("latin-1") if extension in AMBIGUOUS else "")


def settled(hinted: str, data: bytes) -> str:
    """The language of a content whose path gave this hint."""
    if not hinted.startswith("?"):
        return hinted
    return languages.detect(b"x." + hinted[1:].encode("latin-1"), data[:_HEAD])


def skip_reason(data: bytes, language: str) -> str | None:
    """Why this content is not searched, or None."""
    if is_binary(data):
        return "binary"
    if len(data) < _LFS_MOST and data.startswith(_LFS):
        return "lfs"
    row = languages.LANGUAGES.get(language)
    if len(data) >= _MINIFIED_SIZE and not (row and row.content == "docs"):
        mean = len(data) / (data.count(b"\n") + 1)
        if mean > _MINIFIED_MEAN:
            return "generated"
    return None


def facts(data: bytes, language: str, *, searched: bool = False, parsed: bool = True) -> BlobFacts:
    """Chunks and structure of a text; never raises for any content.

    `searched` overrules the recognition of generated files (the attribute `search`); what is not
    `parsed` is cut by lines, as it is where there is no grammar.
    """
    reason = skip_reason(data, language)
    if reason and not (searched and reason == "generated"):
        return BlobFacts(skip=reason)
    if not data.strip():
        return BlobFacts(chunks.as_chunks([0], data, ()) if data else (), lines=data.count(b"\n"))
    row = languages.LANGUAGES.get(language)
    grammar = row.grammar if parsed and row else None
    with _no_collection():
        found, structure = _chunked(data, language, grammar)
    return BlobFacts(found, structure, data.count(b"\n") + (not data.endswith(b"\n")))


def _chunked(
    data: bytes, language: str, grammar: str | None
) -> tuple[tuple[Chunk, ...], Structure]:
    tree = syntax.parse(data, grammar) if grammar else None
    if tree is None:
        return chunks.as_chunks(chunks.cut_lines(data), data, ()), EMPTY
    root = tree.root_node  # one object, because it keeps the children that it was asked for
    structure = symbols.structure(root, data, language)
    if language in embedded_scripts.COMPONENTS:
        found = (*structure.imports, *embedded_scripts.imports(root, data, language))
        structure = structure._replace(imports=tuple(sorted(found, key=lambda one: one.line)))
    return chunks.as_chunks(chunks.cut_tree(root, data), data, structure.definitions), structure


@contextmanager
def _no_collection() -> Iterator[None]:
    """Let nobody look for cycles: there are none, and looking takes 9 % of the time.

    A megabyte of code has 75,000 containers in what matches, all of them alive at once.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
