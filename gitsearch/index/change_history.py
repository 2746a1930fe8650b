"""The landings before a commit, kept on disk by the commit: which files changed together."""

from __future__ import annotations

import contextlib
import hashlib
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gitsearch import trace
from gitsearch.errors import GitFailed
from gitsearch.features.ragged import narrowed, offsets
from gitsearch.git.cochange import WINDOW, History, read_history
from gitsearch.git.regular_file import read
from gitsearch.store import cache_files, layout
from gitsearch.store.section_schema import Array, Arrays, check_arrays, check_meta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.session import Session
    from gitsearch.store.sections import Sections

# The version of what is read of history, and of its arrays:
# 1: first version; 2: the commit of each landing
LANDINGS_VERSION = 2

# The arrays of a file of landings, as in docs/format.md.
ARRAYS: Arrays = {
    "path_text": Array("uint8", "bytes"),
    "path_ends": Array("uint", "paths + 1", cuts="path_text"),
    "landing_commit": Array("uint8", "L x H"),
    "landing_ends": Array("uint", "L + 1", cuts="landing_path"),
    "landing_path": Array("uint", "changes", below="paths"),
}
_META = {"cut": "number"}

# The most bytes of the files with which git is told that commits have other parents.
_MOST_GRAFTS = 1 << 20


def change_history(session: Session, commit: str | None) -> History:
    """Return the landings before a commit, the newest first; none of a tree without a commit.

    Where git cannot read them there are none, and the history is cut.
    """
    if commit is None:
        return History([])
    folder = session.store.folder
    name = f"{layout.VIEWS}/{_digest(session, commit)}{_ending(session)}"
    with trace.stage("history"):
        kept = cache_files.load(folder, name, check)
        if kept is not None:
            return _history(kept)
        try:
            history = read_history(session.repo, commit)
        except GitFailed:
            return History([], cut=True)
        trace.count("landings read", len(history.landings))
        arrays, meta = _arrays(history), {"cut": int(history.cut)}
        cache_files.keep(folder, name, arrays, meta, f"*{layout.LANDINGS}*", most=2)
        return history


def _digest(session: Session, commit: str) -> str:
    # with grafts, and where a shallow clone ends, commits have other parents
    parts = [commit, str(WINDOW)]
    for name in ("shallow", "info/grafts"):
        with contextlib.suppress(OSError):
            parts.append(read(session.repo.common_dir / name, _MOST_GRAFTS).decode("latin-1"))
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=20).hexdigest()


def _ending(session: Session) -> str:
    return f"-{session.store.recipe}{layout.LANDINGS}{LANDINGS_VERSION}"


def _arrays(history: History) -> dict[str, np.ndarray]:
    paths: dict[bytes, int] = {}
    # the order in a set is another one in each process
    landings = [sorted(landing) for landing in history.landings]
    numbers = [paths.setdefault(path, len(paths)) for landing in landings for path in landing]
    return {
        "path_text": np.frombuffer(b"".join(paths), np.uint8),
        "path_ends": narrowed(offsets(list(map(len, paths)))),
        "landing_commit": _ids(history.commits),
        "landing_ends": narrowed(offsets(list(map(len, landings)))),
        "landing_path": narrowed(np.asarray(numbers, np.int64)),
    }


def _ids(commits: Sequence[str]) -> np.ndarray:
    """The ids of commits as rows of bytes: uint8 (commits, bytes of an id)."""
    size = len(commits[0]) // 2 if commits else 0
    return np.frombuffer(bytes.fromhex("".join(commits)), np.uint8).reshape(len(commits), size)


def _history(kept: Sections) -> History:
    text = kept["path_text"].tobytes()
    paths = [text[start:end] for start, end in pairwise(kept["path_ends"].tolist())]
    changed = [paths[number] for number in kept["landing_path"].tolist()]
    landings = [set(changed[start:end]) for start, end in pairwise(kept["landing_ends"].tolist())]
    commits = [row.tobytes().hex() for row in kept["landing_commit"]]
    return History(landings, bool(kept.meta["cut"]), commits)


def check(sections: Sections) -> None:
    """Raise Damaged unless the sections are valid landings."""
    check_meta(sections.meta, _META, sections.name)
    check_arrays(sections, ARRAYS, {})
