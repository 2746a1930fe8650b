"""The files of a tree that may have a match of a pattern: by their languages and their words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.extract.languages import content_of, hint
from gitsearch.features import identifiers
from gitsearch.index.fact_columns import BlobKey
from gitsearch.index.file_selection import select_some
from gitsearch.index.tree_files import Choice

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitsearch.commands.search_filters import Filters
    from gitsearch.extract.code_patterns import CodePattern
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.tree_files import TreeFiles
    from gitsearch.index.view import Segment


class PatternFile(NamedTuple):
    """A file that may have a match.

    place: segment and row of a file that the view has; None for one that is not indexed. size is
    in bytes, without what stands behind the last line of code.
    """

    path: bytes
    key: BlobKey
    size: int
    place: tuple[Segment, int] | None = None

    @property
    def rank(self) -> tuple[int, bytes]:
        """Code before examples and tests before documents, each by path."""
        return file_rank(self.path)


def file_rank(path: bytes) -> tuple[int, bytes]:
    """Sort key of files with matches: code before examples and tests before documents."""
    kinds = path_kinds.noise(path)
    is_docs = kinds & path_kinds.DOCS or content_of(hint(path)) == "docs"
    is_test = kinds & (path_kinds.TEST | path_kinds.EXAMPLE)
    return 2 if is_docs else 1 if is_test else 0, path


class UnindexedFiles:
    """Chooses no file to index for an answer, and remembers those that the view will lack."""

    def __init__(self) -> None:
        self._files: TreeFiles | None = None

    def choose(self, files: TreeFiles) -> Choice:
        """Return no file: each that has the words of the pattern is read as it is."""
        self._files = files
        return Choice([], enough=True)

    def lacking(self, opened: OpenView) -> TreeFiles | None:
        """Return the files of the tree that an open view lacks; None if it has all."""
        return self._files if opened.view.rest.files else None


class PatternFiles:
    """The files of a tree that pass the filters.

    mask: the rows of the view that do, bool (rows,); unindexed: the files that the view lacks.
    """

    def __init__(
        self, opened: OpenView, mask: np.ndarray, unindexed: TreeFiles | None, filters: Filters
    ) -> None:
        self._view = opened.view
        self._numbers = np.unique(opened.view.files(np.flatnonzero(mask)))
        self._unindexed = unindexed
        self._hints: dict[int, str] = {}
        if unindexed is not None:
            passes = filters.of_paths(unindexed.tree)
            paths = enumerate(unindexed.paths)
            self._hints = {number: hint(path) for number, path in paths if passes(path)}

    def languages(self) -> Counter[str]:
        """Return the number of files of each language; "?" where only the content tells it."""
        hints = self._hints.values()
        counts = Counter("?" if language.startswith("?") else language for language in hints)
        for segment, rows in self._segments():
            for name, own in _by_language(segment, rows):
                counts[name] += len(own)
        return counts

    def with_words(self, patterns: Mapping[str, CodePattern]) -> list[PatternFile]:
        """Return the files that may have a match of a pattern, given by language, by rank."""
        files = [*self._indexed(patterns), *self._others(patterns)]
        return sorted(files, key=lambda file: file.rank)

    def _segments(self) -> Iterator[tuple[Segment, np.ndarray]]:
        """Each segment with its file rows that pass."""
        for segment, start in zip(self._view.segments, self._view.file_starts, strict=False):
            rows = self._numbers - start
            yield segment, rows[(rows >= 0) & (rows < segment.files)]

    def _indexed(self, patterns: Mapping[str, CodePattern]) -> Iterator[PatternFile]:
        for segment, rows in self._segments():
            for language, own in _by_language(segment, rows):
                if language in patterns:
                    words = patterns[language].words
                    for row in own[_with_words(segment, words)[own]].tolist():
                        key = BlobKey(segment.oid(row), language, forced=True)
                        size = _size(segment, row)
                        yield PatternFile(segment.path(row), key, size, (segment, row))

    def _others(self, patterns: Mapping[str, CodePattern]) -> Iterator[PatternFile]:
        """The files that no index has, as far as they are searched at all."""
        files = self._unindexed
        if files is None:
            return
        numbers: set[int] = set()
        for words in {pattern.words for pattern in patterns.values()}:
            own = {
                number
                for number, language in self._hints.items()
                if language.startswith("?")
                or (language in patterns and patterns[language].words == words)
            }
            longest = max(words, key=lambda word: (len(word), word), default="")
            numbers |= own & set(files.with_word(longest)) if longest else own
        ordered = sorted(numbers)
        sizes = dict(zip(ordered, files.sizes(ordered).tolist(), strict=True))
        entries = {files.entry(n).path: size for n, size in sizes.items() if size >= 0}
        kept = [files.entry(number) for number in ordered if sizes[number] >= 0]
        for file in select_some(files.repo, kept, files.rules, files.rule_texts):
            if not file.reason:
                yield PatternFile(file.path, file.key, entries[file.path])


def _by_language(segment: Segment, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """The languages of some file rows, each with its rows."""
    own = segment["language"][rows]
    for number in np.unique(own).tolist():
        yield segment.meta["languages"][number], rows[own == number]


def _with_words(segment: Segment, words: frozenset[str]) -> np.ndarray:
    """The files that have all of these words, and perhaps others: bool (files,)."""
    mask = np.ones(segment.files, bool)
    for word in words:
        if not identifiers.parts(word):
            continue  # too long for the index, or all underscores
        number = segment.term(identifiers.compound(word))
        having = np.zeros(segment.files, bool)
        if number >= 0:
            ((rows, _),) = segment.postings(np.asarray([number]))
            having[segment["chunk_file"][rows]] = True
        mask &= having
    mask |= _with_cut_lines(segment)
    return mask


def _with_cut_lines(segment: Segment) -> np.ndarray:
    """The files with a line so long that a chunk ends in it, perhaps within a word: bool (files,).

    The two parts of that word are words of the index, and the word is none.
    """
    first = segment["chunk_first_line"].astype(np.int64)
    last = first + segment["chunk_more_lines"]
    file = segment["chunk_file"]
    cut = (file[1:] == file[:-1]) & (first[1:] <= last[:-1])
    mask = np.zeros(segment.files, bool)
    mask[file[1:][cut]] = True
    return mask


def _size(segment: Segment, row: int) -> int:
    """The end of the last chunk of a file, in bytes."""
    chunk = int(segment["file_chunk"][row + 1]) - 1
    return int(segment["chunk_start"][chunk]) + int(segment["chunk_size"][chunk])
