"""Facts that the records of other clones have, for blobs that are in several of them.

They are checked against the text as those of an exported index are: a record may have come with a
clone from anywhere.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.errors import SearchError
from gitsearch.index.facts_export import lines_of
from gitsearch.index.shared_facts import SharedFacts
from gitsearch.index.versions import FACTS_VERSION
from gitsearch.store import layout
from gitsearch.store.facts_db import FactsDb

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from gitsearch.index.fact_columns import BlobKey


def known_to(folders: Iterable[Path], keys: Sequence[BlobKey]) -> SharedFacts | None:
    """Return what the records in some index folders say of blobs; None if they say nothing.

    A record that is damaged, in use or of another version says nothing, and stays as it is.
    """
    lines: dict[BlobKey, bytes] = {}
    left = list(keys)
    with trace.stage("facts of other clones"):
        for folder in folders:
            if not left:
                break
            unreadable = contextlib.suppress(FileNotFoundError, SearchError)
            with unreadable, FactsDb(folder / layout.RECORD) as record:
                if record.meta().get("facts_version") == FACTS_VERSION:
                    lines |= lines_of(record, left)
                    left = [key for key in left if key not in lines]
    return SharedFacts(lines) if lines else None
