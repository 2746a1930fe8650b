"""The lines that a change adds, and those that it only moves."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gitsearch.errors import GitFailed
from gitsearch.git.trees import EMPTY_TREE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitsearch.git.repo import Repo

# The same patches whatever the user has set; a line that is only indented anew is not new.
PATCH = (
    *("-p", "-U0", "-w", "--histogram", "--no-renames", "--no-color", "--no-ext-diff"),
    *("--no-textconv", "--ignore-submodules=all", "--src-prefix=a/", "--dst-prefix=b/"),
)
# It would have precedence over -U0.
ENVIRONMENT = {"GIT_DIFF_OPTS": ""}

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_NAMED = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
}
_ABSENT = b"/dev/null"

# A line with fewer word characters than this (a bracket, `else`) is everywhere.
_WORDY = 5


@dataclass(frozen=True, slots=True)
class Patch:
    """What becomes of one path: new lines by number, and the texts of lines that are gone."""

    added: dict[int, bytes] = field(default_factory=dict)
    removed: list[bytes] = field(default_factory=list)


def fresh_lines(
    repo: Repo, base: str | None, tree: str | None = None, *, cached: bool = False
) -> dict[bytes, frozenset[int]]:
    """The lines, counted from one, that are new in each path since a base tree (None: empty).

    In another tree, else in the index or the working tree. A line that the change takes away
    elsewhere is moved, not new.
    """
    old = base or EMPTY_TREE[repo.hexsz]
    if tree is not None:
        return _unmoved(
            parsed(_patch(repo, "diff-tree", "-r", *PATCH, "--end-of-options", old, tree))
        )
    if cached:
        where: tuple[str, ...] = ("--cached", "--ita-invisible-in-index")
    elif repo.worktree is not None:
        where = ("--ita-invisible-in-index",)
    else:
        return {}  # nothing is edited where there is no working tree
    return _unmoved(
        parsed(_patch(repo, "diff-index", *where, *PATCH, "--end-of-options", old, "--"))
    )


def _patch(repo: Repo, *command: str) -> bytes:
    try:
        return repo.run(*command, env=ENVIRONMENT)
    except GitFailed as error:
        if not repo.partial:
            raise
        # git's own words are of a fetch that we have forbidden
        raise GitFailed(
            "this partial clone lacks files of the change", "`git diff` of it fetches them"
        ) from error


def _unmoved(patches: Mapping[bytes, Patch]) -> dict[bytes, frozenset[int]]:
    """The added lines by path, less those that stood in a removed place before."""
    pool = Counter(
        line for patch in patches.values() for line in map(_bare, patch.removed) if wordy(line)
    )
    found = {}
    for path, patch in patches.items():
        fresh = set()
        for number, text in patch.added.items():
            bare = _bare(text)
            if pool[bare] > 0:
                pool[bare] -= 1
            else:
                fresh.add(number)
        if fresh:
            found[path] = frozenset(fresh)
    return found


def _bare(line: bytes) -> bytes:
    return b"".join(line.split())


def wordy(line: bytes) -> bool:
    """Whether a line says enough to be told from others."""
    return sum(byte > 127 or chr(byte).isalnum() for byte in line) >= _WORDY


def parsed(out: bytes) -> dict[bytes, Patch]:
    """The patches of git's output by new path; deleted files under their old one."""
    found: dict[bytes, Patch] = {}
    lines = iter(out.split(b"\n"))
    old = path = b""
    for line in lines:
        if line.startswith(b"--- "):
            old = _path(line[4:])
        elif line.startswith(b"+++ "):
            path = _path(line[4:])
            path = old if path == _ABSENT else path
        elif match := _HUNK.match(line):
            patch = found.setdefault(path, Patch())
            gone, at, come = (int(one) if one else 1 for one in match.groups())
            _read(lines, patch, gone, at, come)
    return found


def _read(lines: Iterator[bytes], patch: Patch, gone: int, at: int, come: int) -> None:
    """The lines of one hunk: as many of either side as its head says."""
    while gone or come:
        line = next(lines)
        if line.startswith(b"-"):
            patch.removed.append(line[1:])
            gone -= 1
        elif line.startswith(b"+"):
            patch.added[at] = line[1:]
            at += 1
            come -= 1


def _path(text: bytes) -> bytes:
    """A path as a patch writes it: in C quotes where it holds what is odd, before a tab."""
    if not text.startswith(b'"'):
        bare = text.removesuffix(b"\t")
        return bare if bare == _ABSENT else bare[2:]
    inner = text.removesuffix(b"\t")[1:-1]
    return _ESCAPE.sub(_unescaped, inner)[2:]


def _unescaped(match: re.Match[bytes]) -> bytes:
    one = match[1]
    if len(one) > 1:
        return bytes([int(one, 8)])
    return _NAMED.get(one, one)
