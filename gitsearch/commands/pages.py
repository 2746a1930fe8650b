"""The page of an answer that a request asks for, and how much it may hold."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING

from gitsearch import __version__
from gitsearch.errors import BadContinuation
from gitsearch.reports.pages import MOST_LEFT, Page
from gitsearch.settings import MOST_SHOWN, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitsearch.records import DirtyFile, LineRanges
    from gitsearch.reports.search import FileCount, Result, TreeName
    from gitsearch.settings import SearchRequest

# Bytes of the digest of a question, and the form and the length of a token.
_DIGEST = 5
_TOKEN = re.compile(r"([0-9a-f]{10})-(\d+)((?:-\d+)*)", re.ASCII)
_LONGEST = 8 * MOST_LEFT


# About the least tokens that a result takes, and the most results for a budget of tokens.
_TOKENS, _MOST_IN_BUDGET = 30, 200


def count_of(request: SearchRequest, default: int) -> int:
    """The number of results: as asked, else as many as a budget of tokens may hold."""
    if request.max_count or not request.budget:
        return request.max_count or default
    return max(default, min(request.budget // _TOKENS, _MOST_IN_BUDGET))


# A tree and the edited files over it, as a digest takes them.
TreeState = tuple[str | None, list[tuple[bytes, str, int]]]


def tree_state(tree: TreeName, dirty: Iterable[DirtyFile]) -> TreeState:
    """Return what tells a tree with edited files over it from others."""
    return tree.tree, sorted((file.path, file.oid, file.mode) for file in dirty)


def page_of(
    request: SearchRequest,
    tree: TreeName,
    dirty: Iterable[DirtyFile],
    pending: int,
    lines: LineRanges | None = None,
    others: Sequence[object] = (),
) -> Page:
    """Return the page; raises BadContinuation for the token of another answer.

    tree, dirty: what is searched; pending: files of it that are searched later; lines: those to
    which it is restricted; others: what is searched in place of one tree.
    """
    changed = sorted(lines.items()) if lines is not None else None
    # what is pending has its place in the order later
    state: tuple[object, ...] = (__version__, request.question, *tree_state(tree, dirty))
    data = repr((*state, pending, changed, *others)).encode("utf-8", "surrogateescape")
    question = blake2b(data, digest_size=_DIGEST).hexdigest()
    if request.page is None:
        return Page(question)
    return _continued(question, request.page)


def new_files(
    counts: Iterable[FileCount], earlier: Iterable[FileCount | Result]
) -> tuple[FileCount, ...]:
    """Return the files of a page that no page before had."""
    known = {(one.repository, one.path) for one in earlier}
    return tuple(file for file in counts if (file.repository, file.path) not in known)


def passed_by(token: str | None) -> int:
    """Return the highest rank of which a token says that it was on a page, or is left for one.

    token: None for the first page. Raises BadContinuation.
    """
    page = _page(token) if token is not None else Page("")
    return max((page.before, *page.left))


def _page(token: str) -> Page:
    """The page of a token; raises BadContinuation if it is none."""
    match = _TOKEN.fullmatch(token[:_LONGEST])
    texts = (match[2], *match[3].split("-")[1:]) if match else ()
    numbers = [whole_number(text, 1, MOST_SHOWN) for text in texts]
    if match is None or None in numbers:
        raise BadContinuation("--continue: this is no token of an answer", "ask without it")
    before, *left = (number or 0 for number in numbers)
    return Page(match[1], before, tuple(left))


def _continued(question: str, token: str) -> Page:
    page = _page(token)
    if page.question != question:
        raise BadContinuation(
            "--continue: the token belongs to an answer to another question, about another tree, "
            "from an index that has grown since, or of another version",
            "ask without it",
        )
    return page
