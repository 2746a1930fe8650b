"""Reachable objects: of all refs, reflogs and worktrees; and the trees of worktrees."""

from __future__ import annotations

import os
import re
from contextlib import suppress

from gitsearch.errors import GitFailed
from gitsearch.git.repo import Repo
from gitsearch.git_conventions import OBJECT_ID

_NAMED = ("refs/heads", "refs/remotes", "refs/tags")
_REBASES = ("rebase-merge", "rebase-apply")
_REV_PARSE = ("rev-parse", "--verify", "--quiet", "--end-of-options")
_HEAD = re.compile(f"HEAD ({OBJECT_ID})".encode())


def reachable_blobs(repo: Repo) -> set[str]:
    """Return the ids of all objects reachable from refs, reflogs, indexes and worktrees' HEADs."""
    return _objects(repo, "--all", "--reflog")


def present_blobs(repo: Repo) -> set[str]:
    """Return the ids of all objects in the current trees of branches, worktrees and indexes."""
    return _objects(repo, "--no-walk=unsorted", "--branches", "--remotes")


def _objects(repo: Repo, *options: str) -> set[str]:
    out = repo.run(
        *("rev-list", "--objects", "--no-object-names", "--missing=allow-any", *options),
        *("--indexed-objects", "--end-of-options", *_heads(repo)),
    )
    return set(out.decode("ascii").split())


def worktree_trees(repo: Repo) -> list[str]:
    """Return the distinct trees of the HEADs of all worktrees."""
    trees = []
    for head in _heads(repo):
        with suppress(GitFailed):  # the commit of this HEAD is missing
            trees.append(repo.run(*_REV_PARSE, f"{head}^{{tree}}"))
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
            trees.append(repo.run(*_REV_PARSE, "HEAD^{tree}", env={"GIT_DIR": str(folder)}))
    return list(dict.fromkeys(tree.decode("ascii").strip() for tree in trees)), rebasing


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
