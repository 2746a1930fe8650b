"""The event that started a run, from the environment of a GitHub runner and the event file.

Outside of Actions nearly all fields are empty, and every step can be run by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec

from gitsearch.errors import SearchError, UsageError
from gitsearch.git import regular_file
from gitsearch.git_conventions import OBJECT_ID

if TYPE_CHECKING:
    from collections.abc import Mapping

# GitHub's own, where the environment names no GitHub Enterprise.
_API = "https://api.github.com"
_SERVER = "https://github.com"
# GitHub caps the payload of an event at 25 MB.
_LARGEST = 25 << 20
_SCHEDULED = ("schedule", "workflow_dispatch")

Shape = TypeVar("Shape")

# The id of a commit, and the number of a pull request or a run: they become arguments of git and
# parts of addresses.
CommitId = Annotated[str, msgspec.Meta(pattern=rf"\A{OBJECT_ID}\Z")]
Number = Annotated[int, msgspec.Meta(ge=1, lt=1 << 53)]


class Owner(msgspec.Struct, frozen=True):
    """An account."""

    login: str


class Repository(msgspec.Struct, frozen=True):
    """A repository on GitHub, a fork or not."""

    full_name: str
    owner: Owner
    default_branch: str = ""


class Branch(msgspec.Struct, frozen=True):
    """The head or the base of a pull request; the repository of a fork may be deleted."""

    sha: CommitId
    ref: str
    repo: Repository | None = None


class Pull(msgspec.Struct, frozen=True):
    """A pull request, as events and the API describe it."""

    number: Number
    head: Branch
    base: Branch
    state: str = "open"


class WorkflowRun(msgspec.Struct, frozen=True):
    """A finished run of another workflow."""

    id: Number
    event: str
    conclusion: str | None
    head_sha: CommitId
    head_branch: str | None
    head_repository: Repository | None


class Payload(msgspec.Struct, frozen=True):
    """The part of an event that the Action uses."""

    pull_request: Pull | None = None
    workflow_run: WorkflowRun | None = None
    repository: Repository | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run: its event, the URLs of GitHub, and the files for the output of a step."""

    name: str
    payload: Payload
    repository: str
    sha: str
    ref: str
    id: str
    api: str
    server: str
    token: str
    output: Path | None
    summary: Path | None
    temporary: Path | None

    @property
    def on_runner(self) -> bool:
        """True if a runner reads the output."""
        return self.output is not None

    @property
    def pull(self) -> Pull | None:
        """The pull request that this run checks.

        Other events have one too, but run with the permissions and the code of its base.
        """
        return self.payload.pull_request if self.name == "pull_request" else None

    @property
    def may_save(self) -> bool:
        """True if other runs can use the cache that this run would save.

        The cache of a pull request is visible to it alone, and counts towards the limit of all.
        """
        default = self.payload.repository.default_branch if self.payload.repository else ""
        pushed = self.name == "push" and self.ref == f"refs/heads/{default}"
        return pushed or self.name in _SCHEDULED

    def log_of(self, run: int | str) -> str:
        """Return the URL of a run's page."""
        return f"{self.server}/{self.repository}/actions/runs/{run}"


def read(environ: Mapping[str, str]) -> Run:
    """Return the run of an environment; raises UsageError if the event cannot be read."""

    def path(name: str) -> Path | None:
        return Path(environ[name]) if environ.get(name) else None

    payload = Payload()
    if event := path("GITHUB_EVENT_PATH"):
        try:
            payload = decoded(read_at_most(event, _LARGEST), Payload, str(event))
        except SearchError as error:
            raise UsageError(f"GITHUB_EVENT_PATH: {error.message}") from error
    return Run(
        name=environ.get("GITHUB_EVENT_NAME", ""),
        payload=payload,
        repository=environ.get("GITHUB_REPOSITORY", ""),
        sha=environ.get("GITHUB_SHA", ""),
        ref=environ.get("GITHUB_REF", ""),
        id=environ.get("GITHUB_RUN_ID", ""),
        api=environ.get("GITHUB_API_URL", _API).rstrip("/"),
        server=environ.get("GITHUB_SERVER_URL", _SERVER).rstrip("/"),
        token=environ.get("GITHUB_TOKEN", ""),
        output=path("GITHUB_OUTPUT"),
        summary=path("GITHUB_STEP_SUMMARY"),
        temporary=path("RUNNER_TEMP"),
    )


def read_at_most(path: Path, most: int) -> bytes:
    """Return the bytes of a file; raises SearchError if it is larger or cannot be read."""
    try:
        return regular_file.read(path, most)
    except OSError as error:
        raise SearchError(f"cannot read '{path}': {error.strerror}") from error


def decoded(data: bytes, kind: type[Shape], name: str) -> Shape:
    """Return JSON as a type; raises SearchError with the first place that does not fit it."""
    try:
        return msgspec.json.decode(data, type=kind, strict=True)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise SearchError(f"{name}: {error}") from error
