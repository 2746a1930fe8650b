"""The files of a tree from which some are chosen to be read, and what chooses them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from gitsearch.git import blobs, word_grep
from gitsearch.git_conventions import ATTRIBUTES_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gitsearch.git.repo import Repo
    from gitsearch.index.view import RestTerm
    from gitsearch.records import TreeEntry

# Bytes and files that are read for a first answer: half a second of two processors. Of questions
# about trees of 20 MB and more, .82 have a right file among them (bench/first_answer.py).
BYTES, FILES = 1 << 20, 200


class TreeFiles:
    """Files of a tree, by their numbers: those that can be read, without links and submodules.

    paths: of all files. What is larger than the limit of the settings has no size here either.
    rules: the .gitattributes files that are in force, also those that are not among the files;
    rule_texts: contents by id of those that git does not store. room: bytes that are read of them
    for a first answer.
    """

    room = BYTES

    def __init__(
        self,
        repo: Repo,
        tree: str,
        entries: Sequence[TreeEntry],
        largest: int,
        rules: Sequence[TreeEntry] = (),
        rule_texts: Mapping[str, bytes] | None = None,
    ) -> None:
        self.repo = repo
        self.tree = tree
        self._entries = entries
        self._largest = largest
        self.rules = rules
        self.rule_texts = rule_texts or {}
        self._sizes: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._entries)

    @cached_property
    def paths(self) -> list[bytes]:
        """The paths of all files."""
        return [entry.path for entry in self._entries]

    def entry(self, number: int) -> TreeEntry:
        """Return a file as an entry of the tree."""
        return self._entries[number]

    def numbers(self, paths: Iterable[bytes]) -> list[int]:
        """Return the numbers of those paths that are files here, each once."""
        known = self._numbers
        return [known[path] for path in dict.fromkeys(paths) if path in known]

    def with_word(self, word: str) -> list[int]:
        """Return the files with a word as it is spelt."""
        wanted = word.encode("utf-8", "surrogateescape")
        if not self.repo.partial:
            return self.numbers(word_grep.in_tree(self.repo, self.tree, wanted))
        copies = self._copies
        found = word_grep.in_blobs(self.repo, sorted(copies), wanted)
        return sorted(number for oid in found for number in copies[oid])

    def matches(
        self, perl: str, extended: str, aside: Sequence[str] = (), *, in_worktree: bool = False
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the texts in files that a pattern matches, as `word_grep.matches` does.

        aside: pathspecs of files that need not be looked at. in_worktree: read the files of the
        working tree, which have these contents.
        """
        if in_worktree or not self.repo.partial:
            tree = None if in_worktree else self.tree
            for path, text in word_grep.matches(self.repo, tree, perl, extended, aside):
                number = self._numbers.get(path)
                if number is not None:
                    yield number, text
            return
        copies = self._copies
        for oid, text in word_grep.matches_in_blobs(self.repo, sorted(copies), perl, extended):
            for number in copies[oid]:
                yield number, text

    @cached_property
    def _numbers(self) -> dict[bytes, int]:
        return {path: number for number, path in enumerate(self.paths)}

    @cached_property
    def _copies(self) -> dict[str, list[int]]:
        """The files that are in a partial clone, by blob: git ends at the first absent one."""
        copies: dict[str, list[int]] = {}
        for number in np.flatnonzero(self.sizes(range(len(self))) >= 0).tolist():
            copies.setdefault(self._entries[number].oid, []).append(number)
        return copies

    def suffice(self, order: Sequence[int]) -> bool:
        """Return True if there are as many files in an order as are read for a first answer."""
        first = self.sizes(order[:FILES])
        return len(first) == FILES or int(np.maximum(first, 0).sum()) >= self.room

    def sizes(self, numbers: Sequence[int]) -> np.ndarray:
        """Return the sizes of files, int64, in bytes; -1 of a large one and of one not here."""
        oids = [self._entries[number].oid for number in numbers]
        unknown = [oid for oid in oids if oid not in self._sizes]
        found = blobs.sizes(self.repo, unknown)
        for oid in unknown:
            size = found.get(oid, -1)
            self._sizes[oid] = -1 if size > self._largest else size
        return np.asarray([self._sizes[oid] for oid in oids], np.int64)


def rules_among(entries: Iterable[TreeEntry]) -> list[TreeEntry]:
    """Return the .gitattributes files."""
    return [entry for entry in entries if entry.path.endswith(ATTRIBUTES_FILE)]


class Choice(NamedTuple):
    """Files that are read for a question, by their numbers, the best first.

    terms_without: counts the terms of the question in the other files of the tree. enough: no
    other file can matter, so all of these are read, and nothing is left for later.
    """

    order: Sequence[int]
    terms_without: TermsWithout | None = None
    enough: bool = False


class TermsWithout(Protocol):
    """Counts terms in the files that were not read."""

    def __call__(self, read: np.ndarray) -> Mapping[str, RestTerm]:
        """Return the counts by term; read: bool (files,)."""


class FileChooser(Protocol):
    """Chooses the files that are read for a question."""

    def choose(self, files: TreeFiles) -> Choice:
        """Return the order in which files of a tree are to be read."""
