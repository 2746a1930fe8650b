"""The choice of files that an answer about a name is about, and the number of its entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsearch.commands.tree_selection import TreeSelection

Entry = TypeVar("Entry")


class FileFilter(NamedTuple):
    """The files that pathspecs match, all without any, and what of tests; how many entries.

    tests: "include", "only" or "exclude"; max_count: None for all entries.
    """

    pathspecs: tuple[str, ...] = ()
    tests: str = "include"
    max_count: int | None = None

    @property
    def lets_all_pass(self) -> bool:
        """True if all files pass."""
        return not self.pathspecs and self.tests == EVERY_FILE.tests

    def in_tree(self, selection: TreeSelection, tree: str | None) -> Callable[[bytes], bool]:
        """Return a test of the paths of a tree. Raises BadPath if the pathspecs match none."""
        if self.lets_all_pass:
            return lambda _path: True
        from gitsearch.commands.search_filters import Filters
        from gitsearch.settings import SearchRequest

        request = SearchRequest("", pathspecs=self.pathspecs, tests=self.tests)
        return Filters(selection, request).of_paths(tree)

    def first(self, entries: Sequence[Entry]) -> tuple[tuple[Entry, ...], int]:
        """Return the first entries, and the number of others."""
        shown = tuple(entries[: self.max_count])
        return shown, len(entries) - len(shown)


EVERY_FILE = FileFilter()


def left_out(count: int, one: str, several: str) -> tuple[str, ...]:
    """Return a line for an answer that is empty because of the filter; one, several: of what."""
    if not count:
        return ()
    return (f"1 {one} was left out" if count == 1 else f"{count} {several} were left out",)
