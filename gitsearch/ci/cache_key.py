"""The name under which a cache keeps an index: what its files are made of, then the tree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.session import settings_of
from gitsearch.git import repo as repository

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.index.view_store import ViewStore


def view_store_of(cwd: Path) -> ViewStore:
    """The index folder of the repository of a folder."""
    from gitsearch.index.view_store import open_view_store

    repo = repository.open_repo(cwd)
    return open_view_store(repo, settings_of(repository.config(repo), repo.top))


class CacheKey(NamedTuple):
    """The key of HEAD's index, what older ones that serve as well begin with, and the folder.

    The folder is relative to the current one, for a cache is found under the same words only.
    """

    key: str
    prefix: str
    folder: str


def key_of(cwd: Path) -> CacheKey:
    """The key for the repository of a folder.

    Facts are kept by blob, so that the index of any other tree is right too, and saves all but the
    difference. An index of another version or model would save nothing: these stand in front.
    """
    from gitsearch.store.facts_schema import RECORD_VERSION

    store, head = view_store_of(cwd), repository.open_at_head(cwd)[1]
    prefix = f"git-search-v{RECORD_VERSION}-{store.fingerprint}-{store.recipe}-"
    folder = os.path.relpath(store.folder, cwd)
    return CacheKey(prefix + (head.tree if head else "empty"), prefix, folder)
