"""Files with a word, by `git grep` over a tree, blobs, or edited files; many words at once.

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


# What a pattern matches, below a line with the path of its file: "<line> NUL <text>". A path holds
# no NUL, so that no path is taken for a match, nor the other way round.
EACH_MATCH = (
    *("-c", "submodule.recurse=false", "-c", "core.attributesFile=/dev/null"),
    *("grep", "-I", "-i", "-n", "-o", "-z", "--heading", "--no-break"),
    *("--no-color", "--no-column", "--full-name"),
)
# Of more output than this only the beginning is read.
MOST_OUTPUT = 16 << 20


def matches(
    repo: Repo, tree: str | None, perl: str, extended: str, pathspecs: Sequence[str] = ()
) -> Iterator[tuple[bytes, bytes]]:
    """Yield the texts in a tree that a pattern matches, case ignored, each with its path.

    tree: None for the tracked files of the working tree, where git unpacks nothing. extended: the
    pattern as an extended regular expression, for a git without Perl's.
    """
    skip = len(tree) + len(":") if tree else 0
    target = checked_ids(tree) if tree else ()
    for path, text in _matches(repo, perl, extended, *target, "--", *pathspecs):
        yield path[skip:], text


def matches_in_blobs(
    repo: Repo, oids: Sequence[str], perl: str, extended: str
) -> Iterator[tuple[str, bytes]]:
    """Yield what `matches` does for blobs, with their ids; none of them may be missing."""
    for batch in batches(checked_ids(*oids)):
        for name, text in _matches(repo, perl, extended, *batch, "--"):
            yield name.decode("ascii"), text


def _matches(repo: Repo, perl: str, extended: str, *targets: str) -> Iterator[tuple[bytes, bytes]]:
    output = _output(repo, "-P", "-e", perl, *targets)
    if output is None:
        output = _output(repo, "-E", "-e", extended, *targets) or b""
    name, start = b"", 0
    while (stop := output.find(b"\n", start)) >= 0:
        nul = output.find(b"\0", start, stop)
        if nul >= 0:
            yield name, output[nul + 1 : stop]
        else:
            name = output[start:stop]
        start = stop + 1


def _output(repo: Repo, *arguments: str) -> bytes | None:
    """The first part of what git finds; None if it failed before it found anything."""
    process = repo.pipe(*EACH_MATCH, *arguments, stdin=False)
    assert process.stdout is not None
    try:
        output = process.stdout.read(MOST_OUTPUT)
        if len(output) < MOST_OUTPUT and process.wait() not in (FOUND, NOTHING) and not output:
            return None
        return output
    finally:
        end(process)


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
