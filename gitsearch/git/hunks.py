"""Lines that a change adds, without those that it only moves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gitsearch.errors import GitFailed
from gitsearch.git.repo import Repo
from gitsearch.git.trees import EMPTY_TREE

# Patches independent of the user's settings; a line with changed indentation is not new.
PATCH = (
    *("-p", "-U0", "-w", "--histogram", "--no-renames", "--no-color", "--no-ext-diff"),
    *("--no-textconv", "--ignore-submodules=all", "--src-prefix=a/", "--dst-prefix=b/"),
)
# GIT_DIFF_OPTS would have precedence over -U0.
ENVIRONMENT = {"GIT_DIFF_OPTS": ""}

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ABSENT = b"/dev/null"

# A line with fewer word characters (a bracket, `else`) occurs everywhere.
_MIN_WORD_CHARACTERS = 5


@dataclass(frozen=True, slots=True)
class Patch:
    """The changes of one path: added lines by 1-based number, and the removed lines."""

    added: dict[int, bytes] = field(default_factory=dict)
    removed: list[bytes] = field(default_factory=list)


def fresh_lines(
    repo: Repo, base: str | None, tree: str | None = None, *, cached: bool = False
) -> dict[bytes, frozenset[int]]:
    """Return the 1-based numbers of new lines by path, since a base tree (None: the empty tree).

    They are those of `tree`, or else of the index (`cached`) or the working tree. A line that the
    change removes elsewhere is moved, not new.
    """
    old = base or EMPTY_TREE[repo.hexsz]
    if tree is not None:
        command = ("diff-tree", "-r", *PATCH, "--end-of-options", old, tree)
    elif cached or repo.worktree is not None:
        where = ("--ita-invisible-in-index", *(("--cached",) if cached else ()))
        command = ("diff-index", *where, *PATCH, "--end-of-options", old, "--")
    else:
        return {}  # without a working tree there are no edits
    try:
        return _unmoved(parsed(repo.run(*command, env=ENVIRONMENT)))
    except GitFailed as error:
        if not repo.partial:
            raise
        # git's own message is about a fetch, which is forbidden here
        raise GitFailed(
            "this partial clone lacks files of the change", "`git diff` of it fetches them"
        ) from error


def _unmoved(patches: Mapping[bytes, Patch]) -> dict[bytes, frozenset[int]]:
    """The added lines by path, without those that the change removes elsewhere."""
    pool = Counter(
        line for patch in patches.values() for line in map(_bare, patch.removed) if wordy(line)
    )
    new_lines = {}
    for path, patch in patches.items():
        unmoved = set()
        for number, text in patch.added.items():
            bare = _bare(text)
            if pool[bare] > 0:
                pool[bare] -= 1
            else:
                unmoved.add(number)
        if unmoved:
            new_lines[path] = frozenset(unmoved)
    return new_lines


def _bare(line: bytes) -> bytes:
    return b"".join(line.split())


def wordy(line: bytes) -> bool:
    """Return True if a line has enough word characters to be told from others."""
    return sum(byte > 127 or chr(byte).isalnum() for byte in line) >= _MIN_WORD_CHARACTERS


def parsed(out: bytes) -> dict[bytes, Patch]:
    """Parse the patches of git's output, by new path; of deleted files by the old one."""
    patches: dict[bytes, Patch] = {}
    lines = iter(out.split(b"\n"))
    old = path = b""
    for line in lines:
        if line.startswith(b"--- "):
            old = _named(line[4:])
        elif line.startswith(b"+++ "):
            path = _named(line[4:])
            path = old if path == _ABSENT else path
        elif match := _HUNK.match(line):
            patch = patches.setdefault(path, Patch())
            removed, number, added = (int(group) if group else 1 for group in match.groups())
            _read_hunk(lines, patch, removed, number, added)
    return patches


def _read_hunk(
    lines: Iterator[bytes], patch: Patch, removed: int, number: int, added: int
) -> None:
    """Read one hunk with so many removed and added lines, the first of which has a number."""
    while removed or added:
        line = next(lines)
        if line.startswith(b"-"):
            patch.removed.append(line[1:])
            removed -= 1
        elif line.startswith(b"+"):
            patch.added[number] = line[1:]
            number += 1
            added -= 1


def _named(text: bytes) -> bytes:
    """Parse the path behind `---` or `+++` in the header of a patch; a tab may follow."""
    path = unquoted(text.removesuffix(b"\t"))
    return path if path == _ABSENT else path[2:]


def unquoted(path: bytes) -> bytes:
    """Return a path that git has C-quoted if it has odd bytes."""
    if path.startswith(b'"'):
        # the codec knows all escapes of git, and takes other bytes for Latin-1
        return path[1:-1].decode("unicode_escape").encode("latin-1")
    return path
