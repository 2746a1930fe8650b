"""What the history reaches: blobs of all refs, reflogs and worktrees, and the worktrees' trees."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from gitsearch.errors import GitFailed

if TYPE_CHECKING:
    from gitsearch.git.repo import Repo

_NAMED = ("refs/heads", "refs/remotes", "refs/tags")
_REBASES = ("rebase-merge", "rebase-apply")
_TREE_OF_HEAD = ("rev-parse", "--verify", "--quiet", "HEAD^{tree}")
_HEAD = re.compile(rb"HEAD ([0-9a-f]{40}(?:[0-9a-f]{24})?)")


def reachable_blobs(repo: Repo) -> set[str]:
    """Ids of all objects that a ref, a reflog, an index or a worktree's HEAD reaches."""
    out = repo.run(
        "rev-list", "--objects", "--no-object-names", "--missing=allow-any",
        "--all", "--reflog", "--indexed-objects", "--end-of-options", *_heads(repo),
    )  # fmt: skip
    return set(out.decode("ascii").split())


def present_blobs(repo: Repo) -> set[str]:
    """Ids of all objects of the trees that branches, worktrees and their indexes hold now."""
    out = repo.run(
        "rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--no-walk=unsorted",
        "--branches", "--remotes", "--indexed-objects", "--end-of-options", *_heads(repo),
    )  # fmt: skip
    return set(out.decode("ascii").split())


def worktree_trees(repo: Repo) -> list[str]:
    """The tree of the HEAD of each worktree, without repetition."""
    found = []
    for head in _heads(repo):
        try:
            how = ("--verify", "--quiet", "--end-of-options")
            found.append(repo.run("rev-parse", *how, f"{head}^{{tree}}"))
        except GitFailed:
            continue  # a HEAD whose commit is not here
    return list(dict.fromkeys(tree.decode("ascii").strip() for tree in found))


def resting_trees(repo: Repo) -> tuple[list[str], bool]:
    """The trees of the worktrees that are not in the middle of a rebase; whether one is."""
    folders = [repo.common_dir, *sorted((repo.common_dir / "worktrees").glob("*/"))]
    found, rebasing = [], False
    for folder in folders:
        if any((folder / name).is_dir() for name in _REBASES):
            rebasing = True
            continue
        with suppress(GitFailed):  # a HEAD that is not born, or whose commit is not here
            found.append(
                repo.run(*_TREE_OF_HEAD, env={"GIT_DIR": str(folder)}).decode("ascii").strip()
            )
    return list(dict.fromkeys(found)), rebasing


def names_of_trees(repo: Repo) -> dict[str, list[str]]:
    """The branches and tags whose tree it is, by tree."""
    found: dict[str, list[str]] = {}
    listed = repo.run("for-each-ref", "--format=%(*tree)%(tree) %(refname:short)", *_NAMED)
    for line in os.fsdecode(listed).splitlines():
        tree, _, name = line.partition(" ")
        found.setdefault(tree, []).append(name)
    return found


def _heads(repo: Repo) -> list[str]:
    # a worktree's path may hold a line feed, and so look like another line
    lines = repo.run("worktree", "list", "--porcelain").split(b"\n")
    ids = {match[1].decode("ascii") for line in lines if (match := _HEAD.fullmatch(line))}
    return sorted(oid for oid in ids if oid.strip("0"))
