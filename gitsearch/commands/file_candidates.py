"""The files that are read for a search before there is an index: chosen by words and paths."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from gitsearch import trace
from gitsearch.git.blobs import read_blobs
from gitsearch.git_conventions import ATTRIBUTES_FILE
from gitsearch.index.tree_files import Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


class FileCandidates:
    """Chooses files for a query, of those that may pass its filters.

    passes: of a tree, tells by their paths which files may.
    """

    def __init__(
        self,
        selection: TreeSelection,
        query: Query,
        passes: Callable[[str], Callable[[bytes], bool]],
    ) -> None:
        self._selection = selection
        self._query = query
        self._passes = passes

    def choose(self, files: TreeFiles) -> Choice:
        """Return the files with words of the query, those with the rarest and most words first."""
        # loaded only where there is no view
        from gitsearch.retrieval import file_choice

        query = self._query
        choice = Choice([])
        apart = len(files) > _MANY and not (query.wants_tests or query.wants_docs or query.use)
        for aside in (_ASIDE, ()) if apart else ((),):
            sought = file_choice.names(query)
            counts = self._counts(files, sought, aside) if sought else None
            if counts is None or not counts.any_of(len(sought) - 1):
                sought = file_choice.words(query)
                counts = self._counts(files, sought, aside)
                if slips := file_choice.missing(counts):
                    counts = counts.with_slips(self._counts(files, slips, aside))
            passes = self._passes(files.tree)
            order = file_choice.ranked(query, files, sought, counts)
            order = [file for file in order if passes(files.paths[file])]
            choice = Choice(order, counts.terms)
            if files.suffice(order):
                break
        return choice

    def _counts(self, files: TreeFiles, words: Sequence[Word], aside: Sequence[str]) -> WordCounts:
        from gitsearch.git import word_grep
        from gitsearch.retrieval import file_choice

        sought: Sequence[Word] = words
        left_out: dict[str, RestTerm] = {}
        if len(files) > _VERY_MANY:
            numbers = range(0, len(files), 1 + len(files) // _SAMPLE)
            oids = [files.entry(number).oid for number in numbers]
            texts = [data or b"" for _, data in read_blobs(files.repo, oids)]
            sought, left_out = file_choice.telling(words, texts, len(files))
        perl, extended = (file_choice.pattern(sought, perl=perl) for perl in (True, False))
        where = None if self._lie_in_worktree(files) else files.tree
        number_of = {path: number for number, path in enumerate(files.paths)}
        distinct: dict[bytes, int] = {}
        in_file, which = array("q"), array("q")
        with trace.stage("git grep"):
            found = word_grep.matches(files.repo, where, perl, extended, aside) if sought else ()
            for path, text in found:
                number = number_of.get(path)
                if number is not None:
                    in_file.append(number)
                    which.append(distinct.setdefault(text, len(distinct)))
        return file_choice.WordCounts(
            sought,
            np.asarray(in_file, np.int64),
            np.asarray(which, np.int64),
            list(map(file_choice.Classifier(sought), distinct)),
            left_out,
        )

    def _lie_in_worktree(self, files: TreeFiles) -> bool:
        """Whether git can read the files where they lie, which is sooner than to unpack a tree.

        Not where filters change them: Git LFS may put gigabytes in the place of a few lines.
        """
        if not self._selection.is_checked_out(files.tree):
            return False
        rules = [
            files.entry(number).oid
            for number, path in enumerate(files.paths)
            if path.endswith(ATTRIBUTES_FILE)
        ]
        return not any(b"filter" in (data or b"") for _, data in read_blobs(files.repo, rules))
