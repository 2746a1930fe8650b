"""The view on disk that is nearest to a tree, as it is: nothing is made or healed for it.

For questions that git answers, too, only more slowly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.index.view import Segment, live_masks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitsearch.index.session import Session
    from gitsearch.index.view_store import Layers
    from gitsearch.records import TreeChange


# Of more files all paths of the view are read once, instead of a search for each.
_MANY = 200


@dataclass(frozen=True)
class StoredView:
    """Segments of the nearest view, and what differs from it in the tree that is asked about.

    changes: the files that the tree has in place of those of the view, by path; None for one that
    is gone. live: for each segment the files that are the tree's, bool (files).
    """

    segments: Sequence[Segment]
    live: Sequence[np.ndarray]
    changes: Mapping[bytes, TreeChange] = field(default_factory=dict)

    @cached_property
    def files(self) -> int:
        """The number of files that are as in the view."""
        return sum(int(live.sum()) for live in self.live)

    def find(self, path: bytes) -> tuple[int, int] | None:
        """Return the numbers of the segment and of the file of a path; None if it changed."""
        from gitsearch.index.view import row_of

        for number, segment in enumerate(self.segments):
            row = row_of(segment, path)
            if row >= 0 and self.live[number][row]:
                return number, row
        return None

    def places(self, paths: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
        """Return what `find` returns of each path: two int64 (paths), -1 for none."""
        segment_of = np.full(len(paths), -1, np.int64)
        row_of = np.full(len(paths), -1, np.int64)
        if len(paths) <= _MANY:
            for place, path in enumerate(paths):
                segment_of[place], row_of[place] = self.find(path) or (-1, -1)
            return segment_of, row_of
        for number, (segment, live) in enumerate(zip(self.segments, self.live, strict=True)):
            rows = {path: row for row, path in enumerate(segment.paths())}
            found = np.fromiter((rows.get(path, -1) for path in paths), np.int64, len(paths))
            own = (found >= 0) & np.append(live, False)[found]
            segment_of[own], row_of[own] = number, found[own]
        return segment_of, row_of

    def without(self, paths: Iterable[bytes]) -> StoredView:
        """Return the view without some files, as those that were edited."""
        from gitsearch.index.view import rows_of

        gone = list(paths)
        live = [mask.copy() for mask in self.live]
        for segment, mask in zip(self.segments, live, strict=True):
            mask[rows_of(segment, gone)] = False
        return StoredView(self.segments, live, self.changes)


class FilePlaces:
    """Places of some files in a view, if there is one; they are looked up once."""

    def __init__(self, stored: StoredView | None, paths: Sequence[bytes]) -> None:
        self.stored = stored
        self.paths = paths

    @cached_property
    def found(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the segment and of the file of each path: int64, -1 for none."""
        if self.stored is None:
            none = np.full(len(self.paths), -1, np.int64)
            return none, none
        return self.stored.places(self.paths)


def stored_view(session: Session, tree: str) -> StoredView | None:
    """Return the view of a tree, or of the one that differs least from it; None without any."""
    store = session.store
    try:
        layers = store.load(tree)
        if layers is not None:
            return _view(layers, [])
        from gitsearch.index.segment_assembly import SegmentAssembler
        from gitsearch.index.update_counts import Counters

        assembler = SegmentAssembler(session.repo, store, session.progress, Counters())
        nearest = assembler.foundation(tree, share=float("inf"))
    except Damaged:
        return None  # who ranks heals it
    return None if nearest is None else _view(nearest.layers, nearest.changes)


def _view(layers: Layers, changes: Sequence[TreeChange]) -> StoredView:
    view = StoredView(
        [segment for segment, _ in layers],
        live_masks(layers),
        {change.path: change for change in changes},
    )
    return view.without([change.path for change in changes]) if changes else view
