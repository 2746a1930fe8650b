"""A view of the files of a tree that are most likely to answer a question, made in memory.

Where there is no view, and to make one would take long, a question is answered from some files:
whoever asks says in which order they are to be read. The rest of the tree is pending.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from gitsearch import trace
from gitsearch.git import trees
from gitsearch.index import nearest_view
from gitsearch.index.file_selection import select_some
from gitsearch.index.tree_files import BYTES, FILES, TreeFiles, rules_among
from gitsearch.index.view import Rest
from gitsearch.index.view_store import BaseLayers

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gitsearch.index.segment_assembly import BaseView, SegmentAssembler
    from gitsearch.index.tree_files import FileChooser
    from gitsearch.index.view import Layer

# A tree is indexed while the user waits if it has so many bytes of text for each processor, of
# which so many count, and not more files: it takes about two seconds.
_SOON_INDEXED = 2 << 20
_SOON_FILES = 4096
_MOST_PROCESSORS = 4


def of_tree(
    assembler: SegmentAssembler,
    tree: str,
    chooser: FileChooser,
    *,
    parts: Sequence[Layer] = (),
    edited: Collection[bytes] = (),
    waits: bool = False,
) -> BaseLayers | None:
    """Return the parts of a view, and a segment of the other files that are chosen first.

    edited: paths to leave out. None if the user `waits` for a view that is made soon.
    """
    entries = trees.list_tree(assembler.repo, tree)
    if edited:
        entries = [entry for entry in entries if entry.path not in edited]
    rules = rules_among(entries)
    if parts:
        done = {path for part, _ in parts for path in part.paths()}
        entries = [entry for entry in entries if entry.path not in done]
    readable = [entry for entry in entries if entry.regular]
    limit = assembler.store.settings.max_file_size
    files = TreeFiles(assembler.repo, tree, readable, limit, rules)
    # what has parts takes long, as the whole of it would have
    if waits and not parts and _made_soon(files):
        return None
    with trace.stage("choice of files"):
        choice = chooser.choose(files)
    order = choice.order if choice.enough else _first(files, choice.order)
    if edited:
        # edited files have the attributes that the files below them tell
        order = list(dict.fromkeys([*order, *files.numbers(rule.path for rule in files.rules)]))
    # links and submodules are skipped, whatever is asked; in a partial clone files are absent
    others = [entry for entry in entries if not entry.regular]
    if assembler.repo.partial:
        sizes = files.sizes(range(len(files)))
        others += [files.entry(number) for number in np.flatnonzero(sizes < 0).tolist()]
        order = [number for number in order if sizes[number] >= 0]
    chosen = [*map(files.entry, order), *others]
    segment = assembler.of_files(select_some(assembler.repo, chosen, files.rules))
    read = np.zeros(len(files), bool)
    read[list(order)] = True
    rest = Rest(
        len(entries) - segment.files,
        segment.chunks * (len(files) - len(order)) // max(len(order), 1),
        choice.terms_without(read) if choice.terms_without else {},
        pending=not choice.enough,
    )
    return BaseLayers([*parts, (segment, [])], rest=rest)


def of_changes(
    assembler: SegmentAssembler,
    nearest: BaseView,
    tree: str,
    chooser: FileChooser,
    *,
    edited: Collection[bytes] = (),
    waits: bool = False,
) -> BaseLayers | None:
    """Return the nearest view, and of the files that differ from it those that are chosen first.

    The paths that are `edited` are not among those to choose from.

    None if the user `waits` for a view that is made soon.
    """
    limit = assembler.store.settings.max_file_size
    for segment, _ in nearest.layers:
        segment.ready()
    new = [change.new for change in nearest.changes if change.new is not None]
    entries = [entry for entry in new if entry.regular and entry.path not in edited]
    files = TreeFiles(assembler.repo, tree, entries, limit, rules_among(entries))
    if waits and _made_soon(files):
        return None
    with trace.stage("choice of files"):
        choice = chooser.choose(files)
    rank = {files.paths[number]: place for place, number in enumerate(choice.order)}
    if choice.enough:
        # what cannot matter is taken from the view below, and not read
        apart = {path for path in files.paths if path not in rank} - {e.path for e in files.rules}
        changes = [
            change._replace(new=None) if change.path in apart else change
            for change in nearest.changes
        ]
        changed = nearest_view.changed_files(assembler.repo, changes, limit)
        return BaseLayers(nearest.layers, changed, Rest(len(apart), pending=False))
    changes = sorted(nearest.changes, key=lambda change: rank.get(change.path, len(rank)))
    changed = nearest_view.changed_files(assembler.repo, changes, limit, BYTES)
    return BaseLayers(nearest.layers, changed)


def _first(files: TreeFiles, order: Sequence[int]) -> list[int]:
    """The first files of an order: as many as are read for an answer, and at least one."""
    first = list(order[:FILES])
    ends = np.cumsum(np.maximum(files.sizes(first), 0))
    return first[: max(1, int(np.searchsorted(ends, BYTES, "right")))]


def _made_soon(files: TreeFiles) -> bool:
    """Return True if these files are indexed in about two seconds."""
    if len(files) > _SOON_FILES:
        return False
    processors = min(os.cpu_count() or 1, _MOST_PROCESSORS)
    text = np.maximum(files.sizes(range(len(files))), 0).sum()
    return int(text) <= _SOON_INDEXED * processors
