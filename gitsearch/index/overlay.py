"""The files that differ from a tree, as a segment laid over its view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.git import blobs
from gitsearch.git_conventions import ATTRIBUTES_FILE, MODE_FILE, MODE_SUBMODULE, MODE_SYMLINK
from gitsearch.index.file_selection import SelectedFile, select_files, select_some
from gitsearch.index.segment_assembly import segment_of, spelt_below
from gitsearch.index.view import Layer, live_masks, rows_of
from gitsearch.records import DirtyFile, TreeEntry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.git.repo import Repo
    from gitsearch.index.view_store import Layers, ViewStore

# Modes of entries that are skipped for these reasons.
_MODES = {"submodule": MODE_SUBMODULE, "symlink": MODE_SYMLINK}


def overlay(repo: Repo, store: ViewStore, layers: Layers, dirty: Sequence[DirtyFile]) -> Layer:
    """Return a segment of the dirty files, and the rows of each layer below that it replaces.

    If a .gitattributes file is among them, also of the files that it selects otherwise.
    """
    edited = {file.path for file in dirty}
    present = [file for file in dirty if file.data is not None or file.skip]
    data = {file.oid: file.data for file in present if file.data is not None}
    entries = [TreeEntry(file.path, file.oid, file.mode) for file in present]
    new_rules = any(map(_is_rule, entries))
    below = _live(layers) if new_rules or _may_hold_rules(layers) else {}
    rules = list(filter(_is_rule, below.values()))
    kept = [entry for entry in rules if entry.path not in edited]
    if new_rules or len(kept) < len(rules):
        others = [entry for path, entry in below.items() if path not in edited]
        before = {file.path: file for file in select_files(repo, [*rules, *others])}
        after = select_files(repo, [*entries, *others], data)
        moved = [file for file in after if file.path not in edited and file != before[file.path]]
        selected = [file for file in after if file.path in edited] + moved
        data |= _read(repo, moved, store.settings.max_file_size)
    else:
        selected = select_some(repo, entries, kept)
    skips = {file.path: file.skip for file in present if file.skip}
    named = [file.skipped(skips[file.path]) if file.path in skips else file for file in selected]
    named.sort(key=lambda file: file.path)
    contents = {file.key: data[file.key.oid] for file in named if file.key.oid in data}
    wanted = {file.key for file in named if not file.reason}
    segments = [segment for segment, _ in layers]
    made = segment_of(
        named,
        [(key, text) for key, text in contents.items() if key in wanted],
        {oid: len(text) for oid, text in data.items()},
        store,
        lambda terms: spelt_below(segments, store.model, terms),
    )
    replaced = sorted(edited | {file.path for file in named})
    return made, [rows_of(segment, replaced) for segment in segments]


def _is_rule(entry: TreeEntry) -> bool:
    return entry.path.rpartition(b"/")[2] == ATTRIBUTES_FILE


def _may_hold_rules(layers: Layers) -> bool:
    return any(ATTRIBUTES_FILE in segment["path_text"].tobytes() for segment, _ in layers)


def _live(layers: Layers) -> dict[bytes, TreeEntry]:
    entries: dict[bytes, TreeEntry] = {}
    for (segment, _), live in zip(layers, live_masks(layers), strict=True):
        for row in np.flatnonzero(live).tolist():
            path, mode = segment.path(row), _MODES.get(segment.reason(row), MODE_FILE)
            entries[path] = TreeEntry(path, segment.oid(row), mode)
    return entries


def _read(repo: Repo, files: Sequence[SelectedFile], limit: int) -> dict[str, bytes]:
    oids = [file.key.oid for file in files if not file.reason]
    small = [oid for oid, size in blobs.sizes(repo, oids).items() if size <= limit]
    return {oid: text for oid, text in blobs.read_blobs(repo, small) if text is not None}
