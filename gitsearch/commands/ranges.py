"""The two ends of a range that is asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def sides(cwd: Path, text: str, option: str) -> tuple[str, str]:
    """The two revisions of `A..B` or `A...B` (from where they part); raises BadRevision."""
    from gitsearch.git import repo as repository

    repo = repository.open_repo(cwd)
    apart = "..." in text
    first, dots, second = text.partition("..." if apart else "..")
    if not dots or second.startswith("."):
        raise UsageError(f"{option} wants A..B or A...B, not '{text}'")
    first, second = first or "HEAD", second or "HEAD"
    return (repository.merge_base(repo, first, second) if apart else first), second
