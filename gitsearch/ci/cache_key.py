"""The name under which a cache keeps an index: what its files are made of, then the tree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gitsearch.index.session import Session


class CacheKey(NamedTuple):
    """The key of HEAD's index, what older ones that serve as well begin with, and the folder.

    The folder is relative to the current one, for a cache is found under the same words only.
    """

    key: str
    prefix: str
    folder: str


def key_of(session: Session) -> CacheKey:
    """The key for a repository.

    Facts are kept by blob, so that the index of any other tree is right too, and saves all but the
    difference. An index of another version or model would save nothing: these stand in front.
    """
    from gitsearch.store.facts_schema import RECORD_VERSION

    store, head = session.store, session.head
    prefix = f"git-search-v{RECORD_VERSION}-{store.fingerprint}-{store.recipe}-"
    folder = os.path.relpath(store.folder, session.cwd)
    return CacheKey(prefix + (head.tree if head else "empty"), prefix, folder)
