"""One comment on a pull request, found again by its first line and its author, and edited.

Whoever may comment can write our first line too, and a token may edit what others wrote: so both
must fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.errors import Foreign

if TYPE_CHECKING:
    from gitsearch.ci.github import Comment, GitHub

# Who writes with the token that each job is given, here and on GitHub Enterprise.
JOBS = "github-actions[bot]"


class Posted(NamedTuple):
    """Where the comment is, None if there is none; and what was done: created, edited, kept."""

    url: str | None
    done: str


def marker_line(marker: str) -> str:
    """The first line of a comment, which is not shown."""
    return f"<!-- git-search:impact:{marker} -->"


def post(hub: GitHub, number: int, marker: str, text: str, author: str, *, new: bool) -> Posted:
    """Make the comment say this; without `new` only where there is one.

    Raises Refused and Unanswered as GitHub does, and Foreign where a second comment would come of
    not knowing who we are.
    """
    first = marker_line(marker)
    body = f"{first}\n{text}"

    def ours() -> Comment | None:
        return _mine(hub, hub.comments(number), first, author)

    mine = ours()
    if mine is not None:
        return _edited(hub, mine, body)
    if not new:
        return Posted(None, "none")
    return Posted(hub.create(number, body, ours).html_url, "created")


def _edited(hub: GitHub, mine: Comment, body: str) -> Posted:
    if _same(mine.body, body):
        return Posted(mine.html_url, "kept")
    return Posted(hub.edit(mine.id, body).html_url, "edited")


def _same(one: str, other: str) -> bool:
    return one.replace("\r\n", "\n").rstrip() == other.rstrip()


def _mine(hub: GitHub, comments: list[Comment], first: str, author: str) -> Comment | None:
    """The newest comment with our first line that we wrote."""
    newest = {one.user.login: one for one in comments if one.user and one.body.startswith(first)}
    if not newest:
        return None
    us: str | None = author or JOBS
    if us not in newest and not author:
        us = hub.login()
    if us is not None:
        return newest.get(us)
    bots = [one.user.login for one in newest.values() if one.user and one.user.type == "Bot"]
    if bots:
        raise Foreign(
            f"a comment by '{bots[0]}' has this marker, and GitHub does not say who we are",
            "set comment-author to that name, or another comment-marker",
        )
    return None
