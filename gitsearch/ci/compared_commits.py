"""The two commits that a run compares, in a clone that may lack one of them, and their files.

A pull request is checked out as the merge of it into its base, depth 1: the first parent of this
commit is the base, and the difference from it is the change, without a merge base. Any other
checkout needs the merge base.
"""

from __future__ import annotations

from base64 import b64encode
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.errors import BadRevision, GitFailed
from gitsearch.git import repo as repository
from gitsearch.git.fetch import Remote, holds
from gitsearch.git.merge_bases import is_shallow, parents, parting
from gitsearch.git_conventions import is_object_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.ci.runner import Pull, Run
    from gitsearch.git.repo import Repo

# Generations of each side that are fetched until the histories meet: few fetches, and then all.
_DEPTHS = (16, 64, 256, 1024, None)


class ComparedCommits(NamedTuple):
    """The ids of two commits."""

    base: str
    head: str


def find(repo: Repo, run: Run, base: str | None) -> ComparedCommits | None:
    """Return the commits to compare: those of the pull request, or `base` with HEAD.

    Returns None if there is neither a pull request nor a base. Missing commits are fetched, and
    the files that a partial clone lacks of the two. Raises BadRevision if the two have no commit
    in common, or one of them is not available.
    """
    head = repository.head(repo)
    if head is None or head.commit is None:
        return None
    remote = _remote(repo, run)
    found = _found(remote, run, base, head.commit)
    if found is not None and repo.partial:
        _complete(remote, found)
    return found


def _found(remote: Remote, run: Run, base: str | None, head: str) -> ComparedCommits | None:
    if base:
        return _since_merge_base(remote, _commit(remote, base), head)
    if (pull := run.pull) is None:
        return None
    target = _merge_target(remote.repo, run, pull, head)
    if target is None:
        return _since_merge_base(remote, _base_of(remote, pull), head)
    if not holds(remote.repo, target):
        _fetch(remote, [target], 1)
    return ComparedCommits(target, head)


def _remote(repo: Repo, run: Run) -> Remote:
    if not run.token:
        return Remote(repo)
    key = b64encode(f"x-access-token:{run.token}".encode()).decode("ascii")
    return Remote(repo, run.server, f"AUTHORIZATION: basic {key}")


def _merge_target(repo: Repo, run: Run, pull: Pull, head: str) -> str | None:
    """Return the base if HEAD is the commit that GitHub made to merge the pull request."""
    parent_ids = parents(repo, head) if head == run.sha else []
    # the branch itself may end with a merge: only GitHub's has the branch as its second parent
    return parent_ids[0] if parent_ids[1:] == [pull.head.sha] else None


def _base_of(remote: Remote, pull: Pull) -> str:
    """Return the base at the time of the event; if it is gone, the tip of the base branch."""
    if holds(remote.repo, pull.base.sha):
        return pull.base.sha
    try:
        remote.fetch([pull.base.sha], 1)
    except GitFailed:
        return _commit(remote, pull.base.ref)
    return pull.base.sha


def _commit(remote: Remote, rev: str) -> str:
    """Return the id of a commit, given as an id, a revision of this clone, or a remote branch."""
    try:
        commit = repository.resolve(remote.repo, rev).commit
    except BadRevision as error:
        if is_object_id(rev):
            return rev
        with suppress(GitFailed):
            if tip := remote.tip(rev):
                return tip
        raise error from None
    if commit is None:
        raise BadRevision(f"'{rev}' is a tree, not a commit")
    return commit


def _since_merge_base(remote: Remote, base: str, head: str) -> ComparedCommits:
    for _ in _deeper(remote, [base, head]):
        if holds(remote.repo, base) and (merge_base := parting(remote.repo, base, head)):
            return ComparedCommits(merge_base, head)
    raise BadRevision(f"{base[:12]} and {head[:12]} have no commit in common")


def _deeper(remote: Remote, tips: list[str]) -> Iterator[None]:
    """Yield once before anything is fetched, then after each fetch until the history is whole."""
    yield
    # no generation has less than one commit, so a depth up to the number of commits adds nothing
    held = int(remote.repo.run("rev-list", "--count", "HEAD"))
    for depth in _DEPTHS:
        if depth is not None and depth <= held:
            continue
        if not is_shallow(remote.repo) and all(holds(remote.repo, tip) for tip in tips):
            return
        _fetch(remote, tips, depth)
        yield


def _fetch(remote: Remote, wants: list[str], depth: int | None) -> None:
    try:
        remote.fetch(wants, depth)
    except GitFailed as error:
        names = " and ".join(want[:12] for want in wants)
        raise BadRevision(
            f"cannot fetch {names}: {error.message}", "set fetch-depth: 0 for actions/checkout"
        ) from error


def _complete(remote: Remote, commits: ComparedCommits) -> None:
    try:
        remote.complete(commits)
    except GitFailed as error:
        raise BadRevision(
            f"cannot fetch the files that this partial clone lacks: {error.message}",
            "take 'filter' and 'sparse-checkout' from actions/checkout",
        ) from error
