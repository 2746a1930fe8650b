"""Parse targets as they are written, `PATH:SYMBOL` or `PATH:LINES`, and ranges of revisions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitsearch.errors import BadPath, BadRevision, SearchError, UsageError, brief
from gitsearch.settings import whole_number

if TYPE_CHECKING:
    from gitsearch.index.session import Session
    from gitsearch.records import Revision

# Lines are counted in 32 bits, and no file that is searched has as many.
_LAST_LINE = (1 << 31) - 1
# The lines of `PATH:A`, and of a range as git and as a search print it.
_LINES = re.compile(r"([0-9]+)(?:[-,]([0-9]+))?")


def readings(target: str) -> list[tuple[str, str]]:
    """The paths that a target may begin with, each with what follows.

    The first one that is in the tree counts. All of it may be a path, for a path may hold colons;
    else a symbol or lines follow the last colon; else a line and a column, as editors take them.
    """
    path, _, part = target.rpartition(":")
    before, _, line = path.rpartition(":")
    found = [(target, "")]
    if path:
        found.append((path, part))
    if before and line_number(line) is not None and line_number(part) is not None:
        found.append((before, line))
    return found


def line_range(text: str) -> tuple[int, int] | None:
    """The first and the last line of `A`, `A-B` or `A,B`; None for the name of a symbol.

    Raises UsageError for numbers that no lines have, or in the wrong order.
    """
    match = _LINES.fullmatch(text)
    if match is None:
        return None
    first, last = (line_number(number) for number in (match[1], match[2] or match[1]))
    assert first is not None
    assert last is not None
    if first > last:
        raise UsageError(f"'{brief(text)}' is no range of lines", "the lower number comes first")
    return first, last


def line_number(text: str) -> int | None:
    """The line of `PATH:LINE`; None for what is no number, as the name of a symbol.

    Raises UsageError for a number that no line has.
    """
    if not (text.isascii() and text.isdecimal()):
        return None
    line = whole_number(text, 0, _LAST_LINE)
    if line is None:
        raise UsageError(f"no file has a line {brief(text)}", "lines are counted from 1")
    return line


def absent_lines(path: str, count: int, first: int, last: int) -> BadPath:
    """The error for lines of a file that has only so many."""
    wanted = f"line {first}" if first == last else f"lines {first} to {last}"
    return BadPath(f"'{path}' has {count} line{'s' * (count != 1)}, and no {wanted}")


def sides(session: Session, text: str, option: str) -> tuple[str, str]:
    """The two revisions of `A..B` or `A...B` (from where they part); raises BadRevision."""
    ends = _ends(text)
    if ends is None:
        raise UsageError(f"{option} wants A..B or A...B, not '{brief(text)}'")
    first, second, apart = ends
    base, head = session.resolve(first), session.resolve(second)
    return (_merge_base(session, base, head, option) if apart else first), second


def check_work_tree(session: Session, option: str) -> None:
    """Raise SearchError where there is no working tree that a revision can be compared with."""
    if session.repo.worktree is None:
        raise SearchError(f"without a working tree {option} wants a range", f"{option}=A..B")


def is_range(session: Session, word: str) -> bool:
    """Return True for `A..B` or `A...B` with at least one end, whose ends are revisions."""
    ends = _ends(word)
    if ends is None or not word.strip("."):
        return False
    try:
        return all(session.resolve(rev) for rev in ends[:2])
    except BadRevision:
        return False


def _ends(text: str) -> tuple[str, str, bool] | None:
    """The ends of a range (HEAD, where one is left out), and if it has three dots."""
    apart = "..." in text
    first, dots, second = text.partition("..." if apart else "..")
    if not dots or second.startswith("."):
        return None
    return first or "HEAD", second or "HEAD", apart


def _merge_base(session: Session, first: Revision, second: Revision, option: str) -> str:
    from shlex import quote

    from gitsearch.git import merge_bases

    parted = None
    if first.commit is not None and second.commit is not None:
        parted = merge_bases.parting(session.repo, first.commit, second.commit)
    if parted is not None:
        return parted
    message = f"'{first.rev}' and '{second.rev}' have no commit in common"
    if merge_bases.is_shallow(session.repo):
        hint = "`git fetch --unshallow` fetches the history"
        raise BadRevision(f"{message}, and this clone is shallow", hint)
    as_they_are = f"{option}={quote(f'{first.rev}..{second.rev}')}"
    raise BadRevision(message, f"with {as_they_are} they are compared as they are")
