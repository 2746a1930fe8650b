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
from gitsearch.git_conventions import ATTRIBUTES_FILE
from gitsearch.index import nearest_view
from gitsearch.index.file_selection import select_some
from gitsearch.index.tree_files import BYTES, FILES, TreeFiles, rules_among
from gitsearch.index.view import Rest
from gitsearch.index.view_store import BaseLayers, attribute_files
from gitsearch.records import TreeEntry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitsearch.index.segment_assembly import BaseView, SegmentAssembler
    from gitsearch.index.tree_files import FileChooser
    from gitsearch.index.view import Layer
    from gitsearch.records import DirtyFile

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
    edited: Mapping[bytes, DirtyFile],
    waits: bool,
    sharing: int = 1,
) -> BaseLayers | None:
    """Return the parts of a view, and a segment of the other files that are chosen first.

    edited: files to leave out, by path. sharing: the number of trees, with this one, for which
    the user waits. None if the user `waits` for a view that is made soon.
    """
    entries = trees.list_tree(assembler.repo, tree)
    rules = rules_among(entries)
    if edited:
        entries = [entry for entry in entries if entry.path not in edited]
    if parts:
        done = {path for part, _ in parts for path in part.paths()}
        entries = [entry for entry in entries if entry.path not in done]
    readable = [entry for entry in entries if entry.regular]
    limit = assembler.store.settings.max_file_size
    files = TreeFiles(assembler.repo, tree, readable, limit, *_in_force(rules, edited))
    files.room = BYTES // sharing
    # what has parts takes long, as the whole of it would have
    if waits and not parts and _made_soon(files):
        return None
    with trace.stage("choice of files"):
        choice = chooser.choose(files)
    order = choice.order if choice.enough else _first(files, choice.order)
    if edited:
        # edited files have the attributes that the files below them tell
        order = list(dict.fromkeys([*order, *files.numbers(rule.path for rule in rules)]))
    # links and submodules are skipped, whatever is asked; in a partial clone files are absent
    others = [entry for entry in entries if not entry.regular]
    if assembler.repo.partial:
        sizes = files.sizes(range(len(files)))
        others += [files.entry(number) for number in np.flatnonzero(sizes < 0).tolist()]
        order = [number for number in order if sizes[number] >= 0]
    chosen = [*map(files.entry, order), *others]
    segment = assembler.of_files(select_some(assembler.repo, chosen, rules))
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
    edited: Mapping[bytes, DirtyFile],
    waits: bool,
    sharing: int = 1,
) -> BaseLayers | None:
    """Return the nearest view, and of the files that differ from it those that are chosen first.

    edited: files to leave out, by path. sharing, waits: as for `of_tree`.
    """
    limit = assembler.store.settings.max_file_size
    for segment, _ in nearest.layers:
        segment.ready()
    changes = [change for change in nearest.changes if change.path not in edited]
    new = [change.new for change in changes if change.new is not None]
    entries = [entry for entry in new if entry.regular]
    # no .gitattributes file is among what changed, or the view would not be the nearest
    rules = _in_force(attribute_files(nearest.layers), edited)
    files = TreeFiles(assembler.repo, tree, entries, limit, *rules)
    files.room = BYTES // sharing
    if waits and _made_soon(files):
        return None
    with trace.stage("choice of files"):
        choice = chooser.choose(files)
    rank = {files.paths[number]: place for place, number in enumerate(choice.order)}
    if choice.enough:
        # what cannot matter is taken from the view below, and not read; what is not here is said
        sizes = files.sizes(range(len(files))).tolist()
        apart = {
            path
            for path, size in zip(files.paths, sizes, strict=True)
            if size >= 0 and path not in rank
        }
        changes = [
            change._replace(new=None) if change.path in apart else change for change in changes
        ]
        changed = nearest_view.changed_files(assembler.repo, changes, limit)
        return BaseLayers(nearest.layers, changed, Rest(len(apart), pending=False))
    changes = sorted(changes, key=lambda change: rank.get(change.path, len(rank)))
    changed = nearest_view.changed_files(assembler.repo, changes, limit, files.room)
    return BaseLayers(nearest.layers, changed)


def _in_force(
    rules: Iterable[TreeEntry], edited: Mapping[bytes, DirtyFile]
) -> tuple[list[TreeEntry], dict[str, bytes]]:
    """The .gitattributes files, edited ones as they are now, and the contents of those by id."""
    own = [file for file in edited.values() if file.path.endswith(ATTRIBUTES_FILE)]
    texts = {file.oid: file.data for file in own if file.data is not None}
    kept = [entry for entry in rules if entry.path not in edited]
    fresh = [TreeEntry(file.path, file.oid, file.mode) for file in own if file.oid in texts]
    return [*kept, *fresh], texts


def _first(files: TreeFiles, order: Sequence[int]) -> list[int]:
    """The first files of an order: as many as are read for an answer, and at least one."""
    first = list(order[:FILES])
    ends = np.cumsum(np.maximum(files.sizes(first), 0))
    return first[: max(1, int(np.searchsorted(ends, files.room, "right")))]


def _made_soon(files: TreeFiles) -> bool:
    """Return True if these files are indexed in about two seconds, or their share of these."""
    if len(files) > _SOON_FILES:
        return False
    processors = min(os.cpu_count() or 1, _MOST_PROCESSORS)
    text = np.maximum(files.sizes(range(len(files))), 0).sum()
    return int(text) * BYTES <= _SOON_INDEXED * processors * files.room
