"""A bloom filter over the words of a tree: what it does not have is nowhere in the text files.

One a tree, made when it is first asked for and kept beside the view. Where a tree differs little
from one that has a filter, that one serves, and the files that differ are looked at apart.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.errors import Damaged, GitFailed
from gitsearch.features import whole_words
from gitsearch.git import blobs, trees
from gitsearch.git.tree_objects import diff_trees
from gitsearch.git_conventions import is_binary
from gitsearch.index import changed_files
from gitsearch.index.versions import WORDS_VERSION
from gitsearch.index.view_store import ABSENT, PENDING
from gitsearch.store import cache_files, layout, sections
from gitsearch.store.bloom import Bloom, encoded
from gitsearch.store.section_schema import Array, Arrays, check_arrays, check_meta

if TYPE_CHECKING:
    from gitsearch.git.repo import Repo
    from gitsearch.index.session import Session
    from gitsearch.index.view_store import ViewStore
    from gitsearch.records import DirtyFile, TreeEntry
    from gitsearch.settings import Progress

SUFFIX = ".bloom"

# Why a blob has no entries in a filter: its words would fill it, it is too much to read, or it
# is not in this clone. Such blobs must be looked at before a word is said to be nowhere.
BINARY, TOO_LARGE = "binary", "too-large"
REASONS = (BINARY, TOO_LARGE, ABSENT)

_LARGEST = 16 << 20

# Entries of one filter: it has about a byte for each, its making a hundred.
_MOST_ENTRIES = 4 << 20

# By how much a tree may differ from that of another's filter.
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
        """Whether the files with entries may hold a word; if not, none does."""
        return all(whole_words.key(entry) in self.bloom for entry in whole_words.entries(word))


def name_of(store: ViewStore, tree: str) -> str:
    """The file of a tree's filter, relative to the folder."""
    return f"{layout.VIEWS}/{tree}-{store.recipe}{SUFFIX}"


def word_filter_of(session: Session, tree: str) -> WordFilter | None:
    """The filter of a tree, made if there is none; None where it could not be kept.

    To make one takes longer than a literal search, and is only worth it for the next time.
    """
    repo, store = session.repo, session.store
    found = _load(store, name_of(store, tree)) or _near(repo, store, tree)
    if found is None and os.access(store.folder / layout.VIEWS, os.W_OK):
        found = _made(repo, store, tree, session.progress)
    return found


def check(found: sections.Sections) -> None:
    """Raise Damaged where a file is no filter of this version."""
    _check_arrays(found)
    _read(found)


def _check_arrays(found: sections.Sections) -> None:
    check_meta(found.meta, {"version": "number"}, found.name)
    if found.meta["version"] != WORDS_VERSION:
        raise Damaged(found.name, "made by another version")
    check_arrays(found, ARRAYS, {})


def _load(store: ViewStore, name: str) -> WordFilter | None:
    found = cache_files.load(store.folder, name, _check_arrays)
    try:
        return None if found is None else _read(found)
    except Damaged:
        return None


def _read(found: sections.Sections) -> WordFilter:
    unread = {reason: [row.tobytes().hex() for row in found[reason]] for reason in REASONS}
    return WordFilter(Bloom(found[_BLOOM].tobytes(), found.name), unread)


# ---------------------------------------------------------------- another tree's


def _near(repo: Repo, store: ViewStore, tree: str) -> WordFilter | None:
    """The newest filter of a tree that differs little from this one, and what differs."""
    for name in cache_files.newest(store.folder, f"*-{store.recipe}{SUFFIX}"):
        other = name.rpartition("/")[2].partition("-")[0]
        beside = _beside(repo, other, tree)
        found = None if beside is None else _load(store, name)
        if found is not None and beside is not None:
            unread = {reason: list(oids) for reason, oids in found.unread.items()}
            for file in beside:
                if file.data is None:
                    unread[TOO_LARGE if file.skip == TOO_LARGE else ABSENT].append(file.oid)
            return WordFilter(found.bloom, unread, tuple(beside))
    return None


def _beside(repo: Repo, old: str, new: str) -> list[DirtyFile] | None:
    """The files that a tree has and another has not, with their contents; None if too many."""
    try:
        changes = diff_trees(repo, old, new)
    except GitFailed:
        return None  # git has dropped the other tree
    fresh = [change for change in changes if change.new is not None and change.new.regular]
    if len(fresh) > _MOST_CHANGES:
        return None
    files = changed_files.files(repo, fresh, _LARGEST, _ROOM)
    return None if any(file.skip == PENDING for file in files) else files


# ---------------------------------------------------------------- making


def _made(repo: Repo, store: ViewStore, tree: str, progress: Progress) -> WordFilter:
    entries, unread = _words(repo, trees.list_tree(repo, tree), progress)
    data = encoded({whole_words.key(entry) for entry in entries})
    _keep(store, name_of(store, tree), data, unread)
    return WordFilter(Bloom(data, name_of(store, tree)), unread)


def _words(
    repo: Repo, listed: list[TreeEntry], progress: Progress
) -> tuple[set[bytes], dict[str, list[str]]]:
    """The entries of the text files of a tree, and the blobs that were left out."""
    oids = list(dict.fromkeys(entry.oid for entry in listed if entry.regular))
    sizes = blobs.sizes(repo, oids)
    unread: dict[str, list[str]] = {reason: [] for reason in REASONS}
    wanted = []
    for oid in oids:
        if sizes.get(oid, 0) > _LARGEST:
            unread[TOO_LARGE].append(oid)
        else:
            wanted.append(oid)
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


def _keep(store: ViewStore, name: str, data: bytes, unread: dict[str, list[str]]) -> None:
    """Keep a filter if that is possible at once."""
    arrays = {_BLOOM: np.frombuffer(data, np.uint8)}
    digits = len(name.rpartition("/")[2].partition("-")[0])
    for reason, oids in unread.items():
        ids = np.frombuffer(bytes.fromhex("".join(oids)), np.uint8)
        arrays[reason] = ids.reshape(len(oids), digits // 2)
    meta = {"version": WORDS_VERSION}
    cache_files.keep(store.folder, name, arrays, meta, f"*{SUFFIX}")
