"""Merge bases, shallow clones, and the likely base of a branch."""

from __future__ import annotations

import os

from gitsearch.errors import BadRevision, typed
from gitsearch.git.repo import Repo

# Usual names of the main branch.
_TRUNKS = ("HEAD", "main", "master", "trunk", "develop")


def is_shallow(repo: Repo) -> bool:
    """Return True if this clone is shallow."""
    return (repo.common_dir / "shallow").exists()


def parting(repo: Repo, base: str, head: str) -> str | None:
    """Return the merge base of two commits; None if this clone has none.

    The parents that `head` names count even if a shallow clone lacks their history.
    """
    if base == head or base in parents(repo, head):
        return base
    out = repo.run("merge-base", "--end-of-options", base, head, ok=(0, 1))
    return out.decode("ascii").strip() or None


def parents(repo: Repo, commit: str) -> list[str]:
    """Return the parent ids in a commit object."""
    out = repo.run("cat-file", "commit", "--end-of-options", commit)
    lines = out.split(b"\n\n")[0].split(b"\n")
    return [line[7:].decode("ascii") for line in lines if line.startswith(b"parent ")]


def usual_base(repo: Repo) -> str | None:
    """Return the main branch of HEAD's remote, or else a local one; None if there is none."""
    listed = repo.run("for-each-ref", "--format=%(refname)", "refs/remotes", "refs/heads")
    refs = set(os.fsdecode(listed).split("\n"))
    prefixes = [f"refs/remotes/{_remote(repo)}", "refs/remotes/origin", "refs/heads"]
    candidates = [f"{prefix}/{name}" for prefix in prefixes for name in _TRUNKS]
    return next((ref for ref in candidates if ref in refs), None)


def _remote(repo: Repo) -> str:
    """The remote that the current branch tracks; "origin" by default."""
    branch = os.fsdecode(repo.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1)))
    name = branch.removesuffix("\n").removeprefix("refs/heads/")
    if not name:
        return "origin"
    out = repo.run("config", "--get", f"branch.{name}.remote", ok=(0, 1))
    return os.fsdecode(out).removesuffix("\n") or "origin"


def absent(repo: Repo, rev: str, error: BadRevision) -> BadRevision:
    """Return the error for a missing revision; in a shallow clone the hint is how to fetch it."""
    if not is_shallow(repo):
        return BadRevision(error.message, error.hint)
    remote = _remote(repo)
    name = rev.removeprefix("refs/remotes/").removeprefix(f"{remote}/")
    return BadRevision(
        f"{error.message}, and this clone is shallow",
        f"`git fetch --depth=1 {typed(remote, name)}` fetches it",
    )
