"""Cache of mapped files and of what was read from them, valid while the files are unchanged."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from gitsearch.git.kept_repo import NoLooks

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from gitsearch.git.kept_repo import Looks
    from gitsearch.index.view import Segment, View
    from gitsearch.store.sections import Sections

Made = TypeVar("Made")

# A view has at most 17 files; the others are of revisions that were asked about before.
_MOST = 24

# Whole views that are kept: of HEAD, and of a revision or two that it is compared with.
_MOST_VIEWS = 4


class KeptFiles:
    """Mapped files and what was read from them, by name and by the state in which they were.

    segments: those of the mapped view files, with what they have looked up. looks: tell what need
    not be looked at again; without them all is.
    """

    def __init__(self, looks: Looks | None = None) -> None:
        self.looks = looks or NoLooks()
        self._made: OrderedDict[Hashable, tuple[object, Any]] = OrderedDict()
        self.segments: WeakKeyDictionary[Sections, Segment] = WeakKeyDictionary()
        self.views: OrderedDict[str, tuple[Mapping[str, object], View]] = OrderedDict()

    def take(self, name: Hashable, state: object, make: Callable[[], Made]) -> Made:
        """Return what was made of a file in this state, or make it.

        state: of the file before it is read, so that a file that is replaced meanwhile is read
        once more; None, for one that is missing or odd, is never kept.
        """
        kept = self._made.get(name)
        if kept is not None and kept[0] == state:
            self._made.move_to_end(name)
            made: Made = kept[1]
            return made
        self._made.pop(name, None)
        made = make()
        if state is not None:
            self._made[name] = state, made
            if len(self._made) > _MOST:
                self._made.popitem(last=False)
        return made

    def keep_view(self, name: str, states: Mapping[str, object], view: View) -> None:
        """Keep a view with the states of the files that its answers depend on."""
        self.views[name] = states, view
        self.views.move_to_end(name)
        if len(self.views) > _MOST_VIEWS:
            self.views.popitem(last=False)

    def forget(self, gone: Callable[[Hashable], bool]) -> None:
        """Drop what was made of the files of which `gone` is true."""
        for name in filter(gone, [*self._made]):
            del self._made[name]
        for name in filter(gone, [*self.views]):
            del self.views[name]
