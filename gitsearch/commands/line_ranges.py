"""Parse the line of `PATH:LINE`, and the revision range of `A..B` or `A...B`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.errors import UsageError, brief
from gitsearch.settings import whole_number

if TYPE_CHECKING:
    from gitsearch.index.session import Session

# Lines are counted in 32 bits, and no file that is searched has as many.
_LAST_LINE = (1 << 31) - 1


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


def sides(session: Session, text: str, option: str) -> tuple[str, str]:
    """The two revisions of `A..B` or `A...B` (from where they part); raises BadRevision."""
    from gitsearch.git import repo as repository

    apart = "..." in text
    first, dots, second = text.partition("..." if apart else "..")
    if not dots or second.startswith("."):
        raise UsageError(f"{option} wants A..B or A...B, not '{brief(text)}'")
    first, second = first or "HEAD", second or "HEAD"
    return (repository.merge_base(session.repo, first, second) if apart else first), second
