"""Where histories part, and what a branch is likely compared with."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.errors import BadRevision, typed

if TYPE_CHECKING:
    from gitsearch.git.repo import Repo

# The branch that others start from, by the names that people give it.
_TRUNKS = ("HEAD", "main", "master", "trunk", "develop")


def is_shallow(repo: Repo) -> bool:
    """Whether the history of this clone was cut off."""
    return (repo.common_dir / "shallow").exists()


def parting(repo: Repo, base: str, head: str) -> str | None:
    """The commit from which on two commits differ; None where this clone knows of none.

    The parents that a commit names count also where a shallow clone does not have their history.
    """
    if base == head or base in parents(repo, head):
        return base
    found = repo.run("merge-base", "--end-of-options", base, head, ok=(0, 1))
    return found.decode("ascii").strip() or None


def parents(repo: Repo, commit: str) -> list[str]:
    """The parents that a commit names."""
    found = repo.run("cat-file", "commit", "--end-of-options", commit)
    lines = found.split(b"\n\n")[0].split(b"\n")
    return [line[7:].decode("ascii") for line in lines if line.startswith(b"parent ")]


def usual_base(repo: Repo) -> str | None:
    """The branch that HEAD was likely made from: that of its remote, or else a local one."""
    listed = repo.run("for-each-ref", "--format=%(refname)", "refs/remotes", "refs/heads")
    known = set(os.fsdecode(listed).split("\n"))
    places = [f"refs/remotes/{_remote(repo)}", "refs/remotes/origin", "refs/heads"]
    wanted = [f"{place}/{name}" for place in places for name in _TRUNKS]
    return next((name for name in wanted if name in known), None)


def _remote(repo: Repo) -> str:
    """The remote that the current branch is tracked at."""
    branch = os.fsdecode(repo.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1)))
    name = branch.removesuffix("\n").removeprefix("refs/heads/")
    if not name:
        return "origin"
    found = repo.run("config", "--get", f"branch.{name}.remote", ok=(0, 1))
    return os.fsdecode(found).removesuffix("\n") or "origin"


def absent(repo: Repo, rev: str, error: BadRevision) -> BadRevision:
    """The refusal of a revision that is not here, with what fetches it into a shallow clone."""
    if not is_shallow(repo):
        return BadRevision(error.message, error.hint)
    remote = _remote(repo)
    name = rev.removeprefix("refs/remotes/").removeprefix(f"{remote}/")
    return BadRevision(
        f"{error.message}, and this clone is shallow",
        f"`git fetch --depth=1 {typed(remote, name)}` fetches it",
    )
