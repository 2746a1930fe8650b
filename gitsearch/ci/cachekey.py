"""The name under which a cache keeps an index: what its files are made of, then the tree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.asking import settings_of
from gitsearch.git import repo as repository

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.corpus.shelf import Shelf


def shelf_of(cwd: Path) -> Shelf:
    """The index folder of the repository of a folder."""
    from gitsearch.corpus.shelf import open_shelf

    repo = repository.open_repo(cwd)
    return open_shelf(repo, settings_of(repository.config(repo), repo.top))


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
    from gitsearch.store.tables import RECORD_VERSION

    shelf, head = shelf_of(cwd), repository.open_at_head(cwd)[1]
    prefix = f"git-search-v{RECORD_VERSION}-{shelf.fingerprint}-{shelf.recipe}-"
    folder = os.path.relpath(shelf.folder, cwd)
    return CacheKey(prefix + (head.tree if head else "empty"), prefix, folder)
