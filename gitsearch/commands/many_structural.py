"""Patterns of code in many repositories: the matches of each, in the order of those of one."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.commands.many_matches import Matching, search_in
from gitsearch.commands.match_columns import Matches
from gitsearch.commands.pages import count_of
from gitsearch.commands.pattern_files import file_rank
from gitsearch.commands.structural_search import MOST_MATCHES, structural_search
from gitsearch.settings import MAX_COUNT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.session import Session
    from gitsearch.reports.search import SearchReport
    from gitsearch.settings import SearchRequest, Settings


def structural_search_in(session: Session, request: SearchRequest) -> SearchReport:
    """The matches in all repositories, in the order of those of one, then by repository.

    A repository in whose languages the text is no pattern is left out, and said. Raises BadPattern
    if that is so in all of them.
    """
    return search_in(session, request, STRUCTURAL)


def _each(request: SearchRequest) -> SearchRequest:
    # the first of all are among the first of each; a page begins behind some of them
    return replace(request, max_count=MOST_MATCHES)


def _columns(report: SearchReport) -> Matches:
    results = report.results
    numbers: dict[str, int] = {}
    file = [numbers.setdefault(result.path, len(numbers)) for result in results]
    return Matches(
        tuple(numbers),
        np.arange(len(results), dtype=np.int32),
        np.asarray(file, np.int32),
        np.asarray([result.start for result in results], np.int32),
        np.ones(len(results), np.int32),
        np.ones(len(results)),
    )


def _order(parts: Sequence[Matches]) -> np.ndarray:
    """By the kind and path of the file, the line, and the repository."""
    keys: list[tuple[tuple[int, bytes], int]] = []
    for one in parts:
        ranks = [file_rank(os.fsencode(path)) for path in one.paths]
        places = zip(one.file.tolist(), one.start.tolist(), strict=True)
        keys += [(ranks[file], start) for file, start in places]
    return np.asarray(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def _most(request: SearchRequest, _: Settings) -> int:
    return count_of(request, MAX_COUNT if request.budget else MOST_MATCHES)


STRUCTURAL = Matching(structural_search, _each, _columns, _order, _most)
