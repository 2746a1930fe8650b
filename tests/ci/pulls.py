"""Pull requests in real repositories, and checkouts of them as a runner has them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.builder import RepoBuilder


@dataclass(frozen=True)
class PullRequest:
    """A pull request: where it goes, its own commit, and the merge of the two that is checked."""

    origin: RepoBuilder
    base: str
    head: str
    merge: str
    branch: str = "feature"
    into: str = "main"
    number: int = 7
    repository: str = "octo-org/depot"
    fork: str = ""

    @property
    def payload(self) -> dict[str, Any]:
        """The event of GitHub, as far as anybody here looks at it."""
        owner, name = self.repository.split("/")
        return {
            "action": "synchronize",
            "number": self.number,
            "pull_request": {
                "number": self.number,
                "state": "open",
                "title": "::warning::a title",
                "head": end(self.head, self.branch, f"{self.fork or owner}/{name}"),
                "base": end(self.base, self.into, self.repository),
            },
            "repository": repository(self.repository),
        }

    @property
    def ended(self) -> dict[str, Any]:
        """The event of the second workflow, when the one for this pull request has ended."""
        owner, name = self.repository.split("/")
        return {
            "action": "completed",
            "workflow_run": {
                "id": 815,
                "event": "pull_request",
                "conclusion": "success",
                "head_sha": self.head,
                "head_branch": self.branch,
                "head_repository": repository(f"{self.fork or owner}/{name}"),
                "pull_requests": [],
            },
            "repository": repository(self.repository),
        }


def repository(name: str) -> dict[str, Any]:
    return {
        "full_name": name,
        "owner": {"login": name.split("/")[0]},
        "default_branch": "main",
    }


def end(sha: str, ref: str, name: str) -> dict[str, Any]:
    return {
        "sha": sha,
        "ref": ref,
        "label": f"{name.split('/')[0]}:{ref}",
        "repo": repository(name),
    }


def proposed(origin: RepoBuilder, branch: str = "feature", into: str = "main") -> PullRequest:
    """Merge a branch as GitHub does when a pull request is opened; nothing is checked out."""
    base, head = origin.rev(into), origin.rev(branch)
    origin.git("checkout", "-q", "--detach", into)
    merge = origin.merge(branch)
    origin.git("update-ref", "refs/pull/7/merge", merge)
    origin.git("update-ref", "refs/pull/7/head", head)
    origin.git("checkout", "-q", into)
    return PullRequest(origin, base, head, merge, branch, into)


def checked_out(
    origin: RepoBuilder,
    path: Path,
    sha: str,
    depth: int | None = 1,
    *,
    objects: str = "",
    sparse: str = "",
) -> RepoBuilder:
    """A checkout of one commit, by the commands of actions/checkout.

    objects: its input `filter`; sparse: a folder, its input `sparse-checkout`.
    """
    clone = RepoBuilder(path)
    clone.clock = origin.clock
    clone.git("remote", "add", "origin", f"file://{origin.path}")
    limit = [f"--depth={depth}"] if depth else []
    limit += [f"--filter={objects}"] if objects else []
    options = ["--no-tags", "--prune", "--no-recurse-submodules", *limit]
    clone.git("fetch", "-q", *options, "origin", f"+{sha}:refs/remotes/pull/7/merge")
    if sparse:
        clone.git("sparse-checkout", "set", sparse)
    clone.git("checkout", "-q", "--force", "refs/remotes/pull/7/merge")
    return clone


def environment(about: PullRequest, folder: Path, name: str = "pull_request") -> dict[str, str]:
    """What the environment of a job says of its event."""
    payload = about.payload if name == "pull_request" else about.ended
    event = folder / "event.json"
    event.write_text(json.dumps(payload))
    merge = about.merge if name == "pull_request" else about.base
    return {
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REPOSITORY": about.repository,
        "GITHUB_SHA": merge,
        "GITHUB_REF": f"refs/pull/{about.number}/merge",
    }
