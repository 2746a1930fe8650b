"""Files that git takes to be as they are in its index, whatever lies in the working tree.

Those with the flag skip-worktree, as in a sparse checkout, and those that are assumed unchanged.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.git import regular_file
from gitsearch.git.kept_repo import file_state
from gitsearch.records import TreeEntry

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.git.repo import Repo

# The format of the index (git help format-index): a header of 12 bytes, then for each file its
# state and modes, an id, and flags with the length of the path.
_HEADER, _STATE, _FLAGS = 12, 40, 2
_ASSUMED, _EXTENDED, _LONGEST = 0x8000, 0x4000, 0x0FFF
_SKIPPED = 0x4000
# The version in which a path is told by its difference from the one before.
_COMPRESSED = 4
# The extension of an index that has parts in other files.
_SPLIT = b"link"
_MOST = 1 << 30

# The tags of git ls-files: of a file with skip-worktree, and in lower case if assumed unchanged.
_SKIP = b"S"


class FlaggedFile(NamedTuple):
    """The entry of a file in the index; skipped: it has the flag skip-worktree."""

    entry: TreeEntry
    skipped: bool


def flagged_files(repo: Repo) -> dict[bytes, FlaggedFile]:
    """Return the files with such a flag by path; git is asked only if the index has any.

    Raises GitFailed.
    """
    state = file_state(repo.index_file)
    if state is None or not _has_flags(repo.index_file, state, repo.hexsz // 2):
        return {}
    flagged = {}
    # "<tag> <mode> <id> <stage>TAB<path>"
    for record in repo.run("ls-files", "-v", "-s", "-z").split(b"\0")[:-1]:
        told, _, path = record.partition(b"\t")
        tag, mode, oid, _stage = told.split(b" ")
        if tag == _SKIP or tag.islower():
            entry = TreeEntry(path, oid.decode("ascii"), int(mode, 8))
            flagged[path] = FlaggedFile(entry, tag.upper() == _SKIP)
    return flagged


@lru_cache(maxsize=64)
def _has_flags(index: Path, _state: tuple[int, ...], id_size: int) -> bool:
    """Return True if a file has a flag; also for an index in parts, and one that is damaged.

    state: of the file of the index, for which the answer is kept.
    """
    try:
        data = regular_file.read(index, _MOST)
        return _any_flag(data, id_size)
    except (OSError, IndexError, ValueError):
        return True


def _any_flag(data: bytes, id_size: int) -> bool:
    """Raises IndexError or ValueError for what is no index."""
    version, count = (int.from_bytes(data[at : at + 4], "big") for at in (4, 8))
    before = _STATE + id_size
    padded = before + _FLAGS + 8  # one to eight NULs end an entry
    at = _HEADER + before
    for _ in range(count):
        if not data[at] and version != _COMPRESSED:  # no flag, and a path of less than 256 bytes
            at += padded + data[at + 1] & -8
            continue
        flags = data[at] << 8 | data[at + 1]
        name = at + _FLAGS
        if flags & (_ASSUMED | _EXTENDED):
            if flags & _ASSUMED or data[name] << 8 & _SKIPPED:
                return True
            name += _FLAGS
        size = flags & _LONGEST
        if version == _COMPRESSED:
            while data[name] & 0x80:  # a number: how much of the path before is left out
                name += 1
            at = data.index(b"\0", name + 1) + 1 + before
        else:
            end = name + size if size < _LONGEST else data.index(b"\0", name)
            at += padded + end - at - _FLAGS & -8
    at -= before
    while at + 8 + id_size <= len(data):
        if data[at : at + 4] == _SPLIT:
            return True
        at += 8 + int.from_bytes(data[at + 4 : at + 8], "big")
    return False
