"""Which two commits a run compares, in a clone that may hold one of them and no history.

A pull request is checked out as the merge of it into its base, depth 1: the first parent that this
commit names is the base, and what differs from it is the change, without a merge base. Any other
checkout needs the commit where the two histories part.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.errors import BadRevision, GitFailed
from gitsearch.git import repo as repository
from gitsearch.git.fetch import Remote, holds
from gitsearch.git.merge_bases import is_shallow, parents, parting
from gitsearch.git_conventions import is_object_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.ci.event import Pull, Run
    from gitsearch.git.repo import Repo

# Generations of each side that are fetched until the histories meet: few fetches, and then all.
_DEPTHS = (16, 64, 256, 1024, None)


class ComparedCommits(NamedTuple):
    """The ids of two commits."""

    base: str
    head: str


def find(repo: Repo, run: Run, base: str | None) -> ComparedCommits | None:
    """The commits to compare: those of the pull request, or `base` with HEAD.

    None where the run is about neither. What is missing is fetched. Raises BadRevision where the
    two have nothing in common, or one of them is not to be had.
    """
    head = repository.head(repo)
    if head is None or head.commit is None:
        return None
    pull = run.pull
    remote = _remote(repo, run)
    if base:
        return _parted(remote, _commit(remote, base), head.commit)
    if pull is None:
        return None
    into = _merged_into(repo, run, pull, head.commit)
    if into is None:
        return _parted(remote, _base_of(remote, pull), head.commit)
    if not holds(repo, into):
        _fetch(remote, [into], 1)
    return ComparedCommits(into, head.commit)


def _remote(repo: Repo, run: Run) -> Remote:
    if not run.token:
        return Remote(repo)
    key = b64encode(f"x-access-token:{run.token}".encode()).decode("ascii")
    return Remote(repo, run.server, f"AUTHORIZATION: basic {key}")


def _merged_into(repo: Repo, run: Run, pull: Pull, head: str) -> str | None:
    """The base, where HEAD is the commit that GitHub made to merge the pull request."""
    if head != run.sha:
        return None
    named = parents(repo, head)
    # the branch itself may end with a merge: only GitHub's has the branch as its second parent
    return named[0] if named[1:] == [pull.head.sha] else None


def _base_of(remote: Remote, pull: Pull) -> str:
    """The base's commit when the event came; a base that was replaced since is taken as it is."""
    if holds(remote.repo, pull.base.sha):
        return pull.base.sha
    try:
        remote.fetch([pull.base.sha], 1)
    except GitFailed:
        return _commit(remote, pull.base.ref)
    return pull.base.sha


def _commit(remote: Remote, rev: str) -> str:
    """The id of a commit that is given as an id, a name that this clone knows, or a branch."""
    try:
        found = repository.resolve(remote.repo, rev).commit
    except BadRevision as error:
        found = rev if is_object_id(rev) else _tip(remote, rev)
        if not found:
            raise error from None
    if found is None:
        raise BadRevision(f"'{rev}' is a tree, and no commit")
    return found


def _tip(remote: Remote, branch: str) -> str:
    try:
        return remote.tip(branch)
    except GitFailed:
        return ""


def _parted(remote: Remote, base: str, head: str) -> ComparedCommits:
    """The commit where the two part, and the head."""
    for _ in _deeper(remote, [base, head]):
        if holds(remote.repo, base) and (found := parting(remote.repo, base, head)):
            return ComparedCommits(found, head)
    raise BadRevision(f"{base[:12]} and {head[:12]} have no commit in common")


def _deeper(remote: Remote, tips: list[str]) -> Iterator[None]:
    """Once as the clone is, then after each fetch, until it has all of the history."""
    yield
    # no generation has less than one commit: more than there are cuts nothing off
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
            f"cannot fetch {names}: {error.message}", "check out with fetch-depth: 0"
        ) from error
