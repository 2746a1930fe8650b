"""Lines that differ between two trees, or between a tree and the index or the working tree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from threading import Thread

from gitsearch.errors import GitFailed, typed
from gitsearch.git.hunks import ENVIRONMENT, unquoted
from gitsearch.git.repo import Repo, end, failure
from gitsearch.git.trees import SIMILAR
from gitsearch.records import LineRanges

# The patches of plain `git diff`, whatever diff.* and the attributes of paths say.
PATCH = (
    *("-p", "-U0", "--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic"),
    *(*SIMILAR, "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative"),
    *("--ignore-submodules=all", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/"),
)
# git would warn of each file whose line endings do not survive a round trip.
QUIET = ("-c", "core.safecrlf=false")

# A line that no file has: the end of a range that is the whole file.
END = (1 << 31) - 1

_PATCH_OF, _BINARY = b"diff --git ", b"Binary files "
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
# How lines of files begin in a patch without context, and the note on a missing line feed.
_BODY = b"+-\\"


def between_trees(repo: Repo, old: str, new: str, *, removed: bool = False) -> LineRanges:
    """Return the lines that a tree has and an old one lacks; `removed`: those of the old one.

    Lines are compared as by `git diff`: one that moves counts, a file with another name is
    followed. Of a file that git compares as binary all lines count: it may be text that has an
    attribute. Raises GitFailed.
    """
    command = ("diff-tree", "-r", *PATCH, "--end-of-options", old, new)
    return _read(repo, command, f"git diff --stat {typed(old, new)}", removed=removed)


def since_tree(repo: Repo, old: str, *, cached: bool = False, removed: bool = False) -> LineRanges:
    """Return what `between_trees` does for the working tree, or for the index (`cached`).

    Raises GitFailed.
    """
    where = ("--ita-invisible-in-index", *(("--cached",) if cached else ()))
    command = (*QUIET, "diff-index", *where, *PATCH, "--end-of-options", old, "--")
    return _read(repo, command, f"git diff --stat {typed(old)}", removed=removed)


def _read(repo: Repo, command: tuple[str, ...], fetching: str, *, removed: bool) -> LineRanges:
    process = repo.pipe(*command, env=ENVIRONMENT, stdin=False, stderr=True)
    assert process.stdout is not None
    assert process.stderr is not None
    messages: list[bytes] = []
    # git must not wait until somebody reads its messages
    reader = Thread(target=lambda pipe: messages.append(pipe.read()), args=(process.stderr,))
    reader.start()
    try:
        ranges = parsed(process.stdout, removed=removed)
        code = process.wait()
    finally:
        process.kill()
        reader.join()
        end(process)
    if code and repo.partial:
        # git's own message is about a fetch, which is forbidden here
        raise GitFailed("this partial clone lacks files of the change", f"`{fetching}` fetches it")
    if code:
        raise failure(("diff",), code, b"".join(messages))
    return ranges


def parsed(lines: Iterable[bytes], *, removed: bool) -> LineRanges:
    """Parse patches without context, given as lines: ranges of the new or of the old side.

    Nothing in a file is taken for a header: its lines begin with a sign.
    """
    ranges: dict[bytes, list[tuple[int, int]]] = {}
    renamed = b"rename from " if removed else b"rename to "
    groups = (1, 2) if removed else (3, 4)
    path = b""
    for line in lines:
        if line[:1] in _BODY:
            continue
        if match := _HUNK.match(line):
            first, count = match.group(*groups)
            size = 1 if count is None else int(count)
            if size:
                ranges.setdefault(path, []).append((int(first), int(first) + size - 1))
        elif line.startswith(_PATCH_OF):
            path = _path(line[len(_PATCH_OF) : -1])
        elif line.startswith(renamed):
            path = unquoted(line[len(renamed) : -1])
        elif line.startswith(_BINARY):
            ranges[path] = [(1, END)]
    return ranges


def _path(pair: bytes) -> bytes:
    """The path in "a/<path> b/<path>"; both are the same, but for a rename, which is told next."""
    return unquoted(pair[len(pair) // 2 + 1 :])[2:]
