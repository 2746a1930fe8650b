"""Merge bases, shallow clones, and the likely base of a branch."""

from __future__ import annotations

import os

from gitsearch.errors import BadRevision, GitFailed, typed
from gitsearch.git.blobs import read_objects
from gitsearch.git.repo import LIST_NAMES, NO_COMMIT, Repo

# Usual names of the main branch.
_TRUNKS = ("HEAD", "main", "master", "trunk", "develop")

# Characters of revisions that are reached from others (`HEAD^`, `main~3`).
_ANCESTRY = frozenset("^~")
# Characters of revisions of which no remote knows (`main@{1}`, `main:folder`).
_LOCAL = frozenset("@:")


def is_shallow(repo: Repo) -> bool:
    """Return True if this clone is shallow."""
    return (repo.common_dir / "shallow").exists()


def where_it_ends(commits: int) -> str:
    """One line that says after how many commits the history of a shallow clone ends."""
    return f"this clone is shallow: its history ends after {commits} commit{'s' * (commits != 1)}"


def parting(repo: Repo, base: str, head: str) -> str | None:
    """Return the merge base of two commits; None if this clone has none.

    The parents that `head` names count even if a shallow clone lacks their history.
    """
    if base == head or base in parents(repo, head):
        return base
    out = repo.run("merge-base", "--end-of-options", base, head, ok=(0, 1))
    return out.decode("ascii").strip() or None


def parents(repo: Repo, commit: str) -> list[str]:
    """Return the parent ids in a commit object. Raises GitFailed if it cannot be read."""
    ((_, data),) = read_objects(repo, [commit], "commit")
    if data is None:
        raise GitFailed(f"the commit {commit} cannot be read", "run git fsck")
    lines = data.split(b"\n\n")[0].split(b"\n")
    return [line[7:].decode("ascii") for line in lines if line.startswith(b"parent ")]


def usual_base(repo: Repo) -> str | None:
    """Return the main branch of HEAD's remote, or else a local one; None if there is none."""
    refs, remote = _refs_and_remote(repo)
    prefixes = [f"refs/remotes/{remote}", "refs/remotes/origin", "refs/heads"]
    candidates = [f"{prefix}/{name}" for prefix in prefixes for name in _TRUNKS]
    return next((ref for ref in candidates if ref in refs), None)


def _refs_and_remote(repo: Repo) -> tuple[set[str], str]:
    """Names of all branches, and the remote of the current one; "origin" by default."""
    fields = "--format=%(refname)%00%(HEAD)%00%(upstream:remotename)"
    lines = repo.run("for-each-ref", fields, "refs/remotes", "refs/heads").split(b"\n")[:-1]
    branches = [os.fsdecode(line).split("\0") for line in lines]
    remotes = [remote for _, mark, remote in branches if mark == "*" and remote]
    return {name for name, _, _ in branches}, remotes[0] if remotes else "origin"


def absent(repo: Repo, rev: str, error: BadRevision) -> BadRevision:
    """Return the error for a missing revision; in a shallow clone the hint is how to fetch it."""
    unborn = error.message == NO_COMMIT
    if unborn or ".." in rev or not _LOCAL.isdisjoint(rev) or not is_shallow(repo):
        return BadRevision(error.message, error.hint)
    message = f"{error.message}, and this clone is shallow"
    if not _ANCESTRY.isdisjoint(rev):
        return BadRevision(message, "`git fetch --unshallow` fetches the history")
    _, remote = _refs_and_remote(repo)
    name = rev.removeprefix("refs/remotes/").removeprefix(f"{remote}/")
    fetching = f"`git fetch --depth=1 {typed(remote, name)}` fetches it"
    # names of this clone say nothing about one of the remote
    near = "" if name != rev or error.hint in ("", LIST_NAMES) else f"{error.hint} "
    return BadRevision(message, f"{near}{fetching}")
