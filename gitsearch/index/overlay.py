"""The files that differ from a tree, as a segment laid over its view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.git import blobs
from gitsearch.git_conventions import ATTRIBUTES_FILE, MODE_FILE, MODE_SUBMODULE, MODE_SYMLINK
from gitsearch.index import view_builder
from gitsearch.index.file_selection import select_files
from gitsearch.index.view import live_masks
from gitsearch.records import TreeEntry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.git.repo import Repo
    from gitsearch.index.file_selection import SelectedFile
    from gitsearch.index.view import Layer
    from gitsearch.index.view_store import Layers, ViewStore
    from gitsearch.records import DirtyFile

# What the reason for a skip tells of the mode of an entry.
_MODES = {"submodule": MODE_SUBMODULE, "symlink": MODE_SYMLINK}


def overlay(
    repo: Repo,
    store: ViewStore,
    layers: Layers,
    dirty: Sequence[DirtyFile],
) -> Layer:
    """A segment of the dirty files, and the rows of each layer below that it replaces.

    Where a .gitattributes file is among them, also of the files of which it says something else.
    """
    gone = {file.path for file in dirty}
    present = [file for file in dirty if file.data is not None or file.skip]
    data = {file.oid: file.data for file in present if file.data is not None}
    entries = [TreeEntry(file.path, file.oid, file.mode) for file in present]
    ruled = any(is_rule(entry.path) for entry in entries)
    below = _live(layers) if ruled or _may_hold_rules(layers) else {}
    rules = [entry for entry in below.values() if is_rule(entry.path)]
    kept = [entry for entry in rules if entry.path not in gone]
    if ruled or len(kept) < len(rules):
        others = [entry for path, entry in below.items() if path not in gone]
        before = {one.path: one for one in select_files(repo, [*rules, *others])}
        after = select_files(repo, [*entries, *others], data)
        told = [one for one in after if one.path not in gone]
        moved = [one for one in told if one != before[one.path]]
        selected = [one for one in after if one.path in gone] + moved
        data |= _read(repo, moved, store.settings.max_file_size)
    else:
        selected = [one for one in select_files(repo, [*entries, *kept]) if one.path in gone]
    skips = {file.path: file.skip for file in present if file.skip}
    named = [one if one.path not in skips else one.skipped(skips[one.path]) for one in selected]
    named.sort(key=lambda one: one.path)
    contents = {one.key: data[one.key.oid] for one in named if one.key.oid in data}
    wanted = {one.key for one in named if not one.reason}
    made = view_builder.segment_of(
        named,
        ((key, text) for key, text in contents.items() if key in wanted),
        {oid: len(text) for oid, text in data.items()},
        store,
        lambda terms: view_builder.spelt_below([one for one, _ in layers], store.model, terms),
    )
    replaced = gone | {one.path for one in named}
    return made, [view_builder.rows_of(segment, sorted(replaced)) for segment, _ in layers]


def is_rule(path: bytes) -> bool:
    """Whether a path is that of a .gitattributes file."""
    return path.rpartition(b"/")[2] == ATTRIBUTES_FILE


def _may_hold_rules(layers: Layers) -> bool:
    return any(ATTRIBUTES_FILE in segment["path_text"].tobytes() for segment, _ in layers)


def _live(layers: Layers) -> dict[bytes, TreeEntry]:
    """The files of the layers as entries."""
    found: dict[bytes, TreeEntry] = {}
    for (segment, _), live in zip(layers, live_masks(layers), strict=True):
        for row in np.flatnonzero(live).tolist():
            mode = _MODES.get(segment.reason(row), MODE_FILE)
            found[segment.path(row)] = TreeEntry(segment.path(row), segment.oid(row), mode)
    return found


def _read(repo: Repo, files: Sequence[SelectedFile], limit: int) -> dict[str, bytes]:
    oids = [one.key.oid for one in files if not one.reason]
    small = [oid for oid, size in blobs.sizes(repo, oids).items() if size <= limit]
    return {oid: text for oid, text in blobs.read_blobs(repo, small) if text is not None}
