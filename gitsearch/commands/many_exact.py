"""Exact text in many repositories: the lines of each, the best first or by repository and path."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.commands.exact_results import LineResults
from gitsearch.commands.exact_search import MOST_IN_BUDGET, exact_search
from gitsearch.commands.many_matches import Matching, search_in
from gitsearch.settings import MOST_SHOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.commands.match_columns import Matches
    from gitsearch.index.session import Session
    from gitsearch.reports.search import SearchReport
    from gitsearch.settings import SearchRequest, Settings


def exact_search_in(session: Session, request: SearchRequest) -> SearchReport:
    """The lines that match: by score, or by path, and then by the name of their repository."""
    return search_in(session, request, EXACT)


def _each(request: SearchRequest) -> SearchRequest:
    return replace(request, max_count=MOST_SHOWN, max_lines=request.max_lines or None)


def _columns(report: SearchReport) -> Matches:
    assert isinstance(report.results, LineResults)
    return report.results.matches()


def _order(parts: Sequence[Matches]) -> np.ndarray:
    """By score, which is the same for all lines in the order of paths."""
    scores = np.concatenate([np.zeros(0), *(one.score for one in parts)])
    return np.argsort(-scores, kind="stable")


def _most(request: SearchRequest, settings: Settings) -> int | None:
    known = settings.max_count if settings.max_count_is_set else None
    return request.max_count or known or (MOST_IN_BUDGET if request.budget else None)


EXACT = Matching(exact_search, _each, _columns, _order, _most)
