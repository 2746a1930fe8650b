"""Reachable objects: of all refs, reflogs and worktrees; and the trees of worktrees."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from gitsearch.errors import GitFailed
from gitsearch.git_conventions import OBJECT_ID

if TYPE_CHECKING:
    from gitsearch.git.repo import Repo

_NAMED = ("refs/heads", "refs/remotes", "refs/tags")
_REBASES = ("rebase-merge", "rebase-apply")
_TREE_OF_HEAD = ("rev-parse", "--verify", "--quiet", "HEAD^{tree}")
_HEAD = re.compile(f"HEAD ({OBJECT_ID})".encode())


def reachable_blobs(repo: Repo) -> set[str]:
    """Return the ids of all objects reachable from refs, reflogs, indexes and worktrees' HEADs."""
    out = repo.run(
        "rev-list", "--objects", "--no-object-names", "--missing=allow-any",
        "--all", "--reflog", "--indexed-objects", "--end-of-options", *_heads(repo),
    )  # fmt: skip
    return set(out.decode("ascii").split())


def present_blobs(repo: Repo) -> set[str]:
    """Return the ids of all objects in the current trees of branches, worktrees and indexes."""
    out = repo.run(
        "rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--no-walk=unsorted",
        "--branches", "--remotes", "--indexed-objects", "--end-of-options", *_heads(repo),
    )  # fmt: skip
    return set(out.decode("ascii").split())


def worktree_trees(repo: Repo) -> list[str]:
    """Return the distinct trees of the HEADs of all worktrees."""
    trees = []
    for head in _heads(repo):
        try:
            options = ("--verify", "--quiet", "--end-of-options")
            trees.append(repo.run("rev-parse", *options, f"{head}^{{tree}}"))
        except GitFailed:
            continue  # the commit of this HEAD is missing
    return list(dict.fromkeys(tree.decode("ascii").strip() for tree in trees))


def resting_trees(repo: Repo) -> tuple[list[str], bool]:
    """Return the HEAD trees of worktrees that are not being rebased, and True if any is."""
    folders = [repo.common_dir, *sorted((repo.common_dir / "worktrees").glob("*/"))]
    trees, rebasing = [], False
    for folder in folders:
        if any((folder / name).is_dir() for name in _REBASES):
            rebasing = True
            continue
        with suppress(GitFailed):  # an unborn HEAD, or one whose commit is missing
            trees.append(
                repo.run(*_TREE_OF_HEAD, env={"GIT_DIR": str(folder)}).decode("ascii").strip()
            )
    return list(dict.fromkeys(trees)), rebasing


def names_of_trees(repo: Repo) -> dict[str, list[str]]:
    """Return the names of branches and tags by the id of their tree."""
    names: dict[str, list[str]] = {}
    listed = repo.run("for-each-ref", "--format=%(*tree)%(tree) %(refname:short)", *_NAMED)
    for line in os.fsdecode(listed).splitlines():
        tree, _, name = line.partition(" ")
        names.setdefault(tree, []).append(name)
    return names


def _heads(repo: Repo) -> list[str]:
    # a line is matched as a whole, because a worktree's path may contain a line feed
    lines = repo.run("worktree", "list", "--porcelain").split(b"\n")
    ids = {match[1].decode("ascii") for line in lines if (match := _HEAD.fullmatch(line))}
    return sorted(oid for oid in ids if oid.strip("0"))
