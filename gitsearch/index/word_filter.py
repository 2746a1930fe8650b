"""A bloom filter over the words of a tree: a word that it does not have is in no text file.

Each tree has its own, made when it is first needed and kept beside the view. Where a tree differs
little from one that has a filter, this one is used, and the files that differ are searched.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.errors import Damaged, GitFailed
from gitsearch.features import whole_words
from gitsearch.git import blobs, trees
from gitsearch.git.tree_objects import diff_trees
from gitsearch.git_conventions import is_binary
from gitsearch.index.nearest_view import changed_files
from gitsearch.index.versions import WORDS_VERSION
from gitsearch.index.view_store import ABSENT, PENDING, ViewStore
from gitsearch.store import cache_files, layout, sections
from gitsearch.store.bloom import Bloom, encoded
from gitsearch.store.section_schema import Array, Arrays, check_arrays, check_meta

if TYPE_CHECKING:
    from gitsearch.git.repo import Repo
    from gitsearch.index.session import Session
    from gitsearch.records import DirtyFile, TreeEntry
    from gitsearch.settings import Progress

SUFFIX = ".bloom"

# The reasons for which a blob has no entries in a filter: its words would fill it, it is too much
# to read, or it is not in this clone. Such blobs must be searched before a word counts as absent.
BINARY, TOO_LARGE = "binary", "too-large"
REASONS = (BINARY, TOO_LARGE, ABSENT)

_LARGEST = 16 << 20

# Entries of one filter: it has about a byte for each, its making a hundred.
_MOST_ENTRIES = 4 << 20

# The most files and bytes in which a tree may differ from that of another's filter.
_MOST_CHANGES = 256
_ROOM = 4 << 20

_BLOOM = "bloom"

ARRAYS: Arrays = {_BLOOM: Array("uint8", "bytes")} | {
    reason: Array("uint8", f"{reason} x H") for reason in REASONS
}


@dataclass(frozen=True, slots=True)
class WordFilter:
    """The words of a tree: a filter, the blobs that are not in it, by reason, and files beside.

    `beside` are the files of the tree that its filter knows nothing of, with their contents.
    """

    bloom: Bloom
    unread: dict[str, list[str]]
    beside: tuple[DirtyFile, ...] = ()

    def may_hold(self, word: bytes) -> bool:
        """Return False if no file with entries has a word."""
        return all(whole_words.key(entry) in self.bloom for entry in whole_words.entries(word))


def name_of(store: ViewStore, tree: str) -> str:
    """Return the name of a tree's filter, relative to the folder."""
    return f"{layout.VIEWS}/{tree}-{store.recipe}{SUFFIX}"


def word_filter_of(session: Session, tree: str) -> WordFilter | None:
    """Return the filter of a tree, made if there is none; None if it could not be kept.

    To make one takes longer than a literal search, and is only worth it for the next time.
    """
    repo, store = session.repo, session.store
    words = _load(store, name_of(store, tree)) or _near(repo, store, tree)
    if words is None and os.access(store.folder / layout.VIEWS, os.W_OK):
        words = _made(repo, store, tree, session.progress)
    return words


def check(file: sections.Sections) -> None:
    """Raise Damaged if a file is no filter of this version."""
    _read(file)


def _load(store: ViewStore, name: str) -> WordFilter | None:
    filters: list[WordFilter] = []
    cache_files.load(store.folder, name, lambda file: filters.append(_read(file)))
    return filters[0] if filters else None


def _read(file: sections.Sections) -> WordFilter:
    check_meta(file.meta, {"version": "number"}, file.name)
    if file.meta["version"] != WORDS_VERSION:
        raise Damaged(file.name, "made by another version")
    check_arrays(file, ARRAYS, {})
    unread = {reason: [row.tobytes().hex() for row in file[reason]] for reason in REASONS}
    return WordFilter(Bloom(file[_BLOOM].tobytes(), file.name), unread)


# ---------------------------------------------------------------- another tree's


def _near(repo: Repo, store: ViewStore, tree: str) -> WordFilter | None:
    """Return the newest filter of a tree that differs little from this one, and these files."""
    for name in cache_files.newest(store.folder, f"*-{store.recipe}{SUFFIX}"):
        other = name.rpartition("/")[2].partition("-")[0]
        beside = _beside(repo, other, tree)
        if beside is not None and (words := _load(store, name)) is not None:
            for file in beside:
                if file.data is None:
                    words.unread[TOO_LARGE if file.skip == TOO_LARGE else ABSENT].append(file.oid)
            return replace(words, beside=tuple(beside))
    return None


def _beside(repo: Repo, old: str, new: str) -> list[DirtyFile] | None:
    """Return the files that only the newer tree has, with their contents; None if too many."""
    try:
        changes = diff_trees(repo, old, new)
    except GitFailed:
        return None  # git has dropped the other tree
    fresh = [change for change in changes if change.new is not None and change.new.regular]
    if len(fresh) > _MOST_CHANGES:
        return None
    files = changed_files(repo, fresh, _LARGEST, _ROOM)
    return None if any(file.skip == PENDING for file in files) else files


# ---------------------------------------------------------------- making


def _made(repo: Repo, store: ViewStore, tree: str, progress: Progress) -> WordFilter:
    """Make the filter of a tree, and keep it if that is possible at once."""
    entries, unread = _words(repo, trees.list_tree(repo, tree), progress)
    data = encoded({whole_words.key(entry) for entry in entries})
    name = name_of(store, tree)
    arrays = {_BLOOM: np.frombuffer(data, np.uint8)}
    for reason, oids in unread.items():
        ids = np.frombuffer(bytes.fromhex("".join(oids)), np.uint8)
        arrays[reason] = ids.reshape(len(oids), len(tree) // 2)
    meta = {"version": WORDS_VERSION}
    cache_files.keep(store.folder, name, arrays, meta, f"*{SUFFIX}")
    return WordFilter(Bloom(data, name), unread)


def _words(
    repo: Repo, listed: list[TreeEntry], progress: Progress
) -> tuple[set[bytes], dict[str, list[str]]]:
    """Return the entries of the text files of a tree, and the blobs that were left out."""
    oids = list(dict.fromkeys(entry.oid for entry in listed if entry.regular))
    sizes = blobs.sizes(repo, oids)
    large = [oid for oid in oids if sizes.get(oid, 0) > _LARGEST]
    unread: dict[str, list[str]] = {BINARY: [], TOO_LARGE: large, ABSENT: []}
    wanted = [oid for oid in oids if sizes.get(oid, 0) <= _LARGEST]
    entries: set[bytes] = set()
    done = 0
    for number, (oid, data) in enumerate(blobs.read_blobs(repo, wanted), 1):
        if data is None:
            unread[ABSENT].append(oid)
        elif is_binary(data):
            unread[BINARY].append(oid)
        elif len(entries) > _MOST_ENTRIES:
            unread[TOO_LARGE].append(oid)
        else:
            entries |= whole_words.entries(data)
        done += len(data or b"")
        progress.update("reading words", number, len(wanted), done)
    progress.close()
    return entries, unread
