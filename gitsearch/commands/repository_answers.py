"""The parts of an answer about many repositories: joint tree and coverage, and warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from gitsearch.errors import NotARepository, SearchError
from gitsearch.reports.search import (
    Coverage,
    SearchedRepository,
    TreeName,
    UnsearchedRepository,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session

# Repositories that a line names.
_NAMED = 3


class Report(Protocol):
    """A report on one tree."""

    @property
    def tree(self) -> TreeName:
        """The tree."""

    @property
    def coverage(self) -> Coverage:
        """Its files."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the answer."""


class OpenedTree(NamedTuple):
    """The opened tree of one of many repositories, and what is said of it."""

    opened: OpenView
    tree: TreeName
    coverage: Coverage
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, opened: OpenView) -> OpenedTree:
        """Return it with what is said of it."""
        return cls(opened, opened.tree, opened.view.coverage(), opened.warnings)


def unsearched(session: Session, reason: str) -> UnsearchedRepository:
    """Return what is said of a repository that was not searched."""
    return UnsearchedRepository(str(session.cwd), reason)


def searched(
    name: str, session: Session, tree: TreeName, coverage: Coverage
) -> SearchedRepository:
    """Return what is said of a repository that was searched."""
    return SearchedRepository(name, str(session.cwd), tree, coverage)


def in_order(left_out: Iterable[UnsearchedRepository]) -> tuple[UnsearchedRepository, ...]:
    """Return what was not searched by its folders, however it was found."""
    return tuple(sorted(left_out))


def nothing_left(left_out: Sequence[UnsearchedRepository]) -> SearchError | None:
    """The error for repositories of which none can be searched."""
    if not left_out:
        return None
    first = left_out[0]
    others = len(left_out) - 1
    more = f", nor {others} other{'s' * (others != 1)}" if others else ""
    return NotARepository(f"'{first.folder}' cannot be searched: {first.reason}{more}")


def warnings(
    left_out: Sequence[UnsearchedRepository],
    said: Iterable[str],
    own: Iterable[tuple[str, Iterable[str]]],
) -> tuple[str, ...]:
    """The lines about an answer: what was not searched, what is odd, what each repository says."""
    lines = [f"{name}: {line}" for name, of_repository in own for line in of_repository]
    if left_out:
        shown = [f"'{one.folder}': {one.reason}" for one in left_out[:_NAMED]]
        if len(left_out) > _NAMED:
            shown.append(f"and {len(left_out) - _NAMED} more")
        lines = [f"not searched: {len(left_out)} ({'; '.join(shown)})", *said, *lines]
    else:
        lines = [*said, *lines]
    return tuple(lines)


def coverage_of(each: Sequence[Coverage]) -> Coverage:
    """The sum of several."""
    if len(each) == 1:
        return each[0]
    skipped: dict[str, int] = {}
    for one in each:
        for reason, count in one.skipped.items():
            skipped[reason] = skipped.get(reason, 0) + count
    return Coverage(
        sum(one.tracked for one in each),
        sum(one.searchable for one in each),
        dict(sorted(skipped.items())),
        sum(one.pending for one in each),
    )


def tree_of(each: Sequence[TreeName]) -> TreeName:
    """Return the name that several trees share, with the sum of their edited files."""
    if len(each) == 1:
        return each[0]
    revs = {one.rev for one in each}
    return TreeName(
        each[0].rev if len(revs) == 1 else "HEAD", None, None, sum(one.dirty for one in each)
    )


def merged(
    each: Sequence[tuple[SearchedRepository, Iterable[str]]],
    left_out: tuple[UnsearchedRepository, ...],
    said: Iterable[str],
) -> dict[str, Any]:
    """Return the fields of one report that say what the reports of many repositories say.

    each: a repository that was searched, with the warnings of its report.
    """
    return {
        "tree": tree_of([one.tree for one, _ in each]),
        "coverage": coverage_of([one.coverage for one, _ in each]),
        "warnings": warnings(left_out, said, [(one.repository, own) for one, own in each]),
        "repositories": tuple(one for one, _ in each),
        "unsearched": left_out,
    }
