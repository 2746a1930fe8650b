"""Where histories part, and what a branch is likely compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.errors import BadRevision

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
    found = repo.run("merge-base", base, head, ok=(0, 1)).decode("ascii").strip()
    return found or None


def parents(repo: Repo, commit: str) -> list[str]:
    """The parents that a commit names."""
    lines = repo.run("cat-file", "commit", commit).split(b"\n\n")[0].split(b"\n")
    return [line[7:].decode("ascii") for line in lines if line.startswith(b"parent ")]


def usual_base(repo: Repo) -> str | None:
    """The branch that HEAD was likely made from: that of its remote, or else a local one."""
    listed = repo.run("for-each-ref", "--format=%(refname)", "refs/remotes", "refs/heads")
    known = set(listed.decode("utf-8", "replace").splitlines())
    places = [f"refs/remotes/{_remote(repo)}", "refs/remotes/origin", "refs/heads"]
    wanted = [f"{place}/{name}" for place in places for name in _TRUNKS]
    return next((name for name in wanted if name in known), None)


def _remote(repo: Repo) -> str:
    """The remote that the current branch is tracked at."""
    branch = repo.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1)).decode("utf-8", "replace")
    name = branch.strip().removeprefix("refs/heads/")
    if not name:
        return "origin"
    found = repo.run("config", "--get", f"branch.{name}.remote", ok=(0, 1))
    return found.decode("utf-8", "replace").strip() or "origin"


def absent(repo: Repo, rev: str, error: BadRevision) -> BadRevision:
    """The refusal of a revision that is not here, with what fetches it into a shallow clone."""
    if not is_shallow(repo):
        return BadRevision(error.message, error.hint)
    name = rev.removeprefix("refs/remotes/").removeprefix(f"{_remote(repo)}/")
    return BadRevision(
        f"{error.message}, and this clone is shallow",
        f"`git fetch --depth=1 {_remote(repo)} {name}` fetches it",
    )
