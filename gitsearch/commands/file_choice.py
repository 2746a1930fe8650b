"""Which files an answer about a name is about, and how many of its entries are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsearch.commands.tree_selection import TreeSelection

Entry = TypeVar("Entry")


class FileChoice(NamedTuple):
    """The files that pathspecs match, all without any, and what of tests; `most` entries of them.

    tests: "include", "only" or "exclude"; most: None for all entries.
    """

    pathspecs: tuple[str, ...] = ()
    tests: str = "include"
    most: int | None = None

    def in_tree(self, selection: TreeSelection, tree: str | None) -> Callable[[bytes], bool]:
        """Return a test of the paths of a tree. Raises BadPath if the pathspecs match none."""
        if not self.pathspecs and self.tests == EVERY_FILE.tests:
            return lambda _path: True
        from gitsearch.commands.search_filters import Filters
        from gitsearch.settings import SearchRequest

        request = SearchRequest("", pathspecs=self.pathspecs, tests=self.tests)
        return Filters(selection, request).of_paths(tree)

    def first(self, entries: Sequence[Entry]) -> tuple[tuple[Entry, ...], int]:
        """Return the first entries, and the number of others."""
        shown = tuple(entries[: self.most])
        return shown, len(entries) - len(shown)


EVERY_FILE = FileChoice()
