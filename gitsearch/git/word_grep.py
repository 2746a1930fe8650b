"""Which files hold a word: `git grep -w -F` over a tree, some blobs, or some edited files.

Files come as git finds them, and git is stopped when nobody wants more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gitsearch.errors import GitFailed
from gitsearch.git.repo import Repo, end
from gitsearch.git.trees import batches, checked_ids

# Binary files count; none of the user's settings for grep apply.
GREP = (
    *("-c", "submodule.recurse=false"),
    *("grep", "-l", "-z", "-w", "-F", "--no-color", "--full-name"),
)
FOUND, NOTHING = 0, 1
READ_AT_ONCE = 1 << 16


def in_tree(repo: Repo, tree: str, word: bytes) -> Iterator[bytes]:
    """The paths of a tree whose files hold a word."""
    skip = len(tree) + len(":")
    for name in _grep(repo, word, *checked_ids(tree), "--"):
        yield name[skip:]


def in_blobs(repo: Repo, oids: Sequence[str], word: bytes) -> Iterator[str]:
    """Those of some blobs, all of which are here, that hold a word."""
    for some in batches(checked_ids(*oids)):
        for name in _grep(repo, word, *some, "--"):
            yield name.decode("ascii")


def in_worktree(repo: Repo, paths: Sequence[bytes], word: bytes) -> Iterator[bytes]:
    """Those of some tracked files that hold a word as they lie in the working tree."""
    for some in batches(f":(top,literal){os.fsdecode(path)}" for path in paths):
        yield from _grep(repo, word, "--", *some)


def _grep(repo: Repo, word: bytes, *what: str) -> Iterator[bytes]:
    process = repo.pipe(*GREP, "-e", os.fsdecode(word), *what, stdin=False)
    assert process.stdout is not None
    try:
        rest = b""
        while part := os.read(process.stdout.fileno(), READ_AT_ONCE):
            *names, rest = (rest + part).split(b"\0")
            yield from names
        if process.wait() not in (FOUND, NOTHING):
            raise GitFailed(f"git grep ended with code {process.returncode}", "run git fsck")
    finally:
        end(process)
