"""Files with a word, by `git grep -w -F` over a tree, blobs, or edited files.

Results are streamed as git finds them, and git is stopped when the caller ends the iteration.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gitsearch.errors import GitFailed
from gitsearch.git.repo import Repo, end
from gitsearch.git.trees import batches, checked_ids

# Binary files are searched too; none of the user's settings for grep apply.
GREP = (
    *("-c", "submodule.recurse=false"),
    *("grep", "-l", "-z", "-w", "-F", "--no-color", "--full-name"),
)
FOUND, NOTHING = 0, 1
READ_AT_ONCE = 1 << 16


def in_tree(repo: Repo, tree: str, word: bytes) -> Iterator[bytes]:
    """Yield the paths of a tree whose files contain a word."""
    skip = len(tree) + len(":")
    for name in _grep(repo, word, *checked_ids(tree), "--"):
        yield name[skip:]


def in_blobs(repo: Repo, oids: Sequence[str], word: bytes) -> Iterator[str]:
    """Yield the ids of those blobs that contain a word; none of them may be missing."""
    for batch in batches(checked_ids(*oids)):
        for name in _grep(repo, word, *batch, "--"):
            yield name.decode("ascii")


def in_worktree(repo: Repo, paths: Sequence[bytes], word: bytes) -> Iterator[bytes]:
    """Yield the paths of those tracked files that contain a word in the working tree."""
    for batch in batches(f":(top,literal){os.fsdecode(path)}" for path in paths):
        yield from _grep(repo, word, "--", *batch)


def _grep(repo: Repo, word: bytes, *targets: str) -> Iterator[bytes]:
    process = repo.pipe(*GREP, "-e", os.fsdecode(word), *targets, stdin=False)
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
