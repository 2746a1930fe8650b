"""What the history reaches: blobs of all refs, reflogs and worktrees, and the worktrees' trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.errors import GitFailed

if TYPE_CHECKING:
    from gitsearch.git.repo import Repo


def reachable_blobs(repo: Repo) -> set[str]:
    """Ids of all objects that a ref, a reflog, an index or a worktree's HEAD reaches."""
    out = repo.run(
        "rev-list", "--objects", "--no-object-names", "--missing=allow-any",
        "--all", "--reflog", "--indexed-objects", *_heads(repo),
    )  # fmt: skip
    return set(out.decode("ascii").split())


def worktree_trees(repo: Repo) -> list[str]:
    """The tree of the HEAD of each worktree, without repetition."""
    found = []
    for head in _heads(repo):
        try:
            found.append(repo.run("rev-parse", "--verify", "--quiet", f"{head}^{{tree}}"))
        except GitFailed:
            continue  # a HEAD whose commit is not here
    return list(dict.fromkeys(tree.decode("ascii").strip() for tree in found))


def _heads(repo: Repo) -> list[str]:
    listed = repo.run("worktree", "list", "--porcelain").decode("utf-8", "replace")
    ids = [line.split()[1] for line in listed.splitlines() if line.startswith("HEAD ")]
    return sorted({oid for oid in ids if oid.strip("0")})
