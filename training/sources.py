"""Files cut as the index cuts them, together with their comments and where these stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.extract import chunks, languages, path_kinds, symbols, syntax
from gitsearch.extract.captures import collect
from gitsearch.extract.languages import hint, settled
from gitsearch.extract.skip_reasons import skip_reason
from gitsearch.git.blobs import read_blobs
from gitsearch.git.trees import list_tree
from gitsearch.index.fact_columns import enclosing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import numpy as np

    from gitsearch.git.repo import Repo
    from gitsearch.records import Chunk, Definition, TreeEntry

Span = tuple[int, int]

# Neither tests nor examples are asked for, and what others wrote is under licences of theirs.
_LEFT_OUT = (
    path_kinds.TEST
    | path_kinds.EXAMPLE
    | path_kinds.DOCS
    | path_kinds.VENDORED
    | path_kinds.GENERATED
)
# Bytes of a file: shorter ones hold next to nothing, longer ones are mostly data.
_SHORTEST, _LONGEST = 200, 200_000


@dataclass(frozen=True)
class Source:
    """A parsed file; `remarks` are its comments and documenting strings, in order."""

    path: str
    language: str
    data: bytes
    chunks: tuple[Chunk, ...]
    definitions: tuple[Definition, ...]
    remarks: tuple[tuple[int, int, str], ...]

    @cached_property
    def _starts(self) -> list[int]:
        return [chunk.start for chunk in self.chunks]

    @cached_property
    def _remark_starts(self) -> list[int]:
        return [start for start, _, _ in self.remarks]

    @cached_property
    def _around(self) -> tuple[list[str], list[int]]:
        return [d.name for d in self.definitions], [d.parent for d in self.definitions]

    def at(self, offset: int) -> int:
        """The chunk that holds a byte."""
        return bisect_right(self._starts, offset) - 1

    def at_line(self, line: int) -> int:
        """The chunk that holds the start of a line, counted from 1."""
        before = self.data.split(b"\n")[: line - 1]
        return self.at(sum(len(one) + 1 for one in before))

    def within(self, start: int, end: int) -> range:
        """The chunks that share bytes with a range, which is not empty."""
        return range(self.at(start), self.at(end - 1) + 1)

    def scope(self, chunk: int) -> tuple[str, ...]:
        """The names of the definitions around a chunk, as they count in its vector."""
        return tuple(enclosing(self.chunks[chunk].scope, *self._around))

    def named(self, chunk: int) -> tuple[str, ...]:
        """The names of the definition that a chunk is named after, and of those around that."""
        return tuple(enclosing(self.chunks[chunk].symbol, *self._around))

    def text(self, chunk: int, without: Sequence[Span] = ()) -> str:
        """The text of a chunk, ranges of bytes left out."""
        start, end = self.chunks[chunk].start, self.chunks[chunk].end
        pieces = []
        for first, last in sorted(without):
            if last <= start or first >= end:
                continue
            pieces.append(self.data[start : max(first, start)])
            start = max(start, last)
        pieces.append(self.data[start:end])
        return b"\n".join(pieces).decode("utf-8", "replace")

    def documentation(self, which: int) -> list[Span]:
        """The ranges of what documents a definition: above it, and the string in it."""
        own = self.definitions[which]
        first = bisect_left(self._remark_starts, own.start)
        found: list[Span] = []
        at = own.start
        for start, end, role in reversed(self.remarks[:first]):
            if end > at or self.data[end:at].strip():
                break
            if role != "attribute":
                found.append((start, end))
            at = start
        inner = self._first_inside(which)
        for start, end, role in self.remarks[first:]:
            if start >= inner:
                break
            if role == "doc":
                found.append((start, end))
        return found

    def _first_inside(self, which: int) -> int:
        """Where the first definition inside another one starts, else where that one ends."""
        following = self.definitions[which + 1 : which + 2]
        inside = [one.start for one in following if one.parent == which]
        return inside[0] if inside else self.definitions[which].end


def code_of(
    repo: Repo,
    tree: str,
    most: int,
    order: np.random.Generator,
    always: Collection[str] = frozenset(),
) -> Iterator[Source]:
    """At most so many files of code of a tree, drawn evenly, in the order of their paths.

    always: paths of files that are there, drawn or not.
    """
    found = [one for one in list_tree(repo, tree) if one.regular and _may_be_code(one.path)]
    if len(found) > most:
        drawn = set(order.choice(len(found), most, replace=False).tolist())
        found = [
            one
            for i, one in enumerate(found)
            if i in drawn or one.path.decode("utf-8", "replace") in always
        ]
    for entry, data in _read(repo, found):
        language = settled(hint(entry.path), data)
        row = languages.LANGUAGES.get(language)
        if row is not None and row.content == "code" and row.grammar:
            source = cut(entry.path.decode("utf-8", "replace"), language, data)
            if source is not None:
                yield source


def prose_of(repo: Repo, tree: str) -> Iterator[tuple[str, str]]:
    """The documents of a tree: path and text."""
    found = []
    for one in list_tree(repo, tree):
        row = languages.LANGUAGES.get(languages.decided_by_path(one.path) or "")
        noise = path_kinds.noise(one.path) & (path_kinds.VENDORED | path_kinds.GENERATED)
        if one.regular and row is not None and row.content == "docs" and not noise:
            found.append(one)
    for entry, data in _read(repo, found):
        yield entry.path.decode("utf-8", "replace"), data.decode("utf-8", "replace")


def cut(path: str, language: str, data: bytes) -> Source | None:
    """One file, cut as `extract.facts` cuts it; None where it is not searched or not parsed."""
    row = languages.LANGUAGES.get(language)
    grammar = row.grammar if row else None
    if not grammar or not data.strip() or skip_reason(data, language):
        return None
    tree = syntax.parse(data, grammar)
    if tree is None:
        return None
    root = tree.root_node
    definitions = symbols.structure(root, data, language).definitions
    query = syntax.grammar_query(language, "tags", "imports")
    remarks: set[tuple[int, int, str]] = set()
    if query is not None:
        found = collect(syntax.matches(query, root), data)
        remarks.update(found.remarks)
        remarks.update((*one.doc, "doc") for one in found.definitions.values() if one.doc)
    starts = chunks.cut_tree(root, data)
    return Source(
        path,
        language,
        data,
        chunks.as_chunks(starts, data, definitions),
        definitions,
        tuple(sorted(remarks)),
    )


def _may_be_code(path: bytes) -> bool:
    if path_kinds.noise(path) & _LEFT_OUT:
        return False
    hinted = hint(path)
    if hinted.startswith("?"):
        return len(hinted) > 1 or b"." not in path.rpartition(b"/")[2]
    row = languages.LANGUAGES.get(hinted)
    return row is not None and row.content == "code"


def _read(repo: Repo, entries: Sequence[TreeEntry]) -> Iterator[tuple[TreeEntry, bytes]]:
    for entry, (_, data) in zip(
        entries, read_blobs(repo, [one.oid for one in entries]), strict=True
    ):
        if data is not None and _SHORTEST <= len(data) <= _LONGEST:
            yield entry, data
