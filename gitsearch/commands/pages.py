"""The page of an answer that a request asks for."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from gitsearch import __version__
from gitsearch.reports.pages import Page, continued, question_digest

if TYPE_CHECKING:
    from gitsearch.index.open_view import OpenView
    from gitsearch.settings import SearchRequest

# How an answer is shown, and how much of it, may differ from page to page.
_FORM = ("max_count", "max_lines", "context", "whole", "refresh", "explain", "page", "budget")


def page_of(request: SearchRequest, opened: OpenView, first: int = 1) -> Page:
    """Return the page; raises BadContinuation for the token of another answer.

    first: how many results a first page is ranked for.
    """
    asked = {key: value for key, value in asdict(request).items() if key not in _FORM}
    edited = sorted((file.path, file.oid, file.mode) for file in opened.dirty)
    # what is pending is searched later, and then has its place in the order
    pending = opened.view.coverage().pending
    question = question_digest((__version__, asked, opened.tree.tree, edited, pending))
    if request.page is None:
        return Page(question, first)
    return continued(question, request.page)
