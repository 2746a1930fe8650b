"""The files that are read for a search before there is an index: chosen by words and paths."""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gitsearch import trace
from gitsearch.git.blobs import read_blobs
from gitsearch.index.tree_files import Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.index.tree_files import TreeFiles
    from gitsearch.index.view import RestTerm
    from gitsearch.retrieval.file_choice import Word, WordCounts
    from gitsearch.retrieval.query import Query

# Of trees with more files words are left out that a sample of so many files has often.
_VERY_MANY, _SAMPLE = 16384, 100

# Of trees with more files what the ranking lowers is looked at only if there is too little else:
# about half of all files. Each pathspec is matched with each path: there are few rough ones.
_MANY = 4096
_ASIDE = (
    *(":(top,exclude,icase)*/test*/*", ":(top,exclude,icase)test*/*"),
    *(":(top,exclude,icase)*test.*", ":(top,exclude,icase)*tests.*"),
    *(":(top,exclude)*_test.*", ":(top,exclude)*.spec.*"),
    *(":(top,exclude)*.md", ":(top,exclude)*.rst", ":(top,exclude)*.txt", ":(top,exclude)*.json"),
)


# Files to which a search is restricted and bytes of their text, if all of them are read: two
# seconds of two processors.
_FEW_FILES, _FEW_BYTES = 2000, 4 << 20


class FileCandidates:
    """Chooses files for a query, of those that may pass its filters.

    passes: of a tree, tells by their paths which files may. named: of a tree, the paths to which
    the search is restricted; None if it is not.
    """

    def __init__(
        self,
        selection: TreeSelection,
        query: Query,
        passes: Callable[[str], Callable[[bytes], bool]],
        named: Callable[[str], Collection[bytes] | None],
    ) -> None:
        self._selection = selection
        self._query = query
        self._passes = passes
        self._named = named

    def choose(self, files: TreeFiles) -> Choice:
        """Return the files with words of the query, those with the rarest and most words first.

        If the search is restricted to a few files, all of them are read: no other can matter.
        """
        # loaded only where there is no view
        from gitsearch.retrieval import file_choice

        query = self._query
        choice = Choice([])
        passes = self._passes(files.tree)
        grep = _Grep(files, in_worktree=self._selection.is_checked_out(files.tree))
        every = self._every(files, passes)
        wide = every is None and not (query.wants_tests or query.wants_docs or query.use)
        apart = wide and len(files) > _MANY
        for aside in (_ASIDE, ()) if apart else ((),):
            sought = file_choice.names(query)
            counts = grep.counts(sought, aside) if sought else None
            if counts is None or not counts.any_of(len(sought) - 1):
                sought = file_choice.words(query)
                counts = grep.counts(sought, aside)
                if slips := file_choice.missing(counts):
                    counts = counts.with_slips(grep.counts(slips, aside))
            order = file_choice.ranked(query, files, sought, counts)
            order = [file for file in order if passes(files.paths[file])]
            choice = Choice(order, counts.terms)
            if files.suffice(order):
                break
        if every is None:
            return choice
        return Choice(
            list(dict.fromkeys([*choice.order, *every])), choice.terms_without, enough=True
        )

    def _every(self, files: TreeFiles, passes: Callable[[bytes], bool]) -> list[int] | None:
        """The files to which the search is restricted; None if there are too many to read."""
        named = self._named(files.tree)
        if named is None:
            return None
        every = [number for number in files.numbers(sorted(named)) if passes(files.paths[number])]
        if len(every) > _FEW_FILES or np.maximum(files.sizes(every), 0).sum() > _FEW_BYTES:
            return None
        return every


class _Grep:
    """Counts words in files with `git grep`, in the working tree if the files lie there.

    git reads files sooner than it unpacks a tree. But filters may change them: Git LFS puts
    gigabytes in the place of a few lines.
    """

    def __init__(self, files: TreeFiles, *, in_worktree: bool) -> None:
        self._files = files
        rules = read_blobs(files.repo, [rule.oid for rule in files.rules] if in_worktree else [])
        filtered = any(b"filter" in (data or b"") for _, data in rules)
        self._in_worktree = in_worktree and not filtered

    def counts(self, words: Sequence[Word], aside: Sequence[str]) -> WordCounts:
        """Return where the words are, but for those that are too frequent; `aside`: pathspecs."""
        from gitsearch.retrieval import file_choice

        sought: Sequence[Word] = words
        left_out: dict[str, RestTerm] = {}
        if len(self._files) > _VERY_MANY:
            sought, left_out = file_choice.telling(words, self._sample, len(self._files))
        perl, extended = (file_choice.pattern(sought, perl=perl) for perl in (True, False))
        distinct: dict[bytes, int] = {}
        in_file, which = array("q"), array("q")
        if sought:
            with trace.stage("git grep"):
                found = self._files.matches(perl, extended, aside, in_worktree=self._in_worktree)
                for number, text in found:
                    in_file.append(number)
                    which.append(distinct.setdefault(text, len(distinct)))
        return file_choice.WordCounts(
            sought,
            np.asarray(in_file, np.int64),
            np.asarray(which, np.int64),
            list(map(file_choice.Classifier(sought), distinct)),
            left_out,
        )

    @cached_property
    def _sample(self) -> list[bytes]:
        """The texts of some files, evenly spread."""
        files = self._files
        numbers = range(0, len(files), 1 + len(files) // _SAMPLE)
        oids = [files.entry(number).oid for number in numbers]
        return [data or b"" for _, data in read_blobs(files.repo, oids)]
