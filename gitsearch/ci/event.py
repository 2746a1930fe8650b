"""What started the run: the environment of a GitHub runner, and the file with the event.

Outside of Actions nearly all is empty, and every step can be run by hand.
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


class End(msgspec.Struct, frozen=True):
    """One end of a pull request; the repository of a fork may be deleted."""

    sha: CommitId
    ref: str
    repo: Repository | None = None


class Pull(msgspec.Struct, frozen=True):
    """A pull request, as events and the API tell of it."""

    number: Number
    head: End
    base: End
    state: str = "open"


class WorkflowRun(msgspec.Struct, frozen=True):
    """The run of another workflow that has ended."""

    id: Number
    event: str
    conclusion: str | None
    head_sha: CommitId
    head_branch: str | None
    head_repository: Repository | None


class Payload(msgspec.Struct, frozen=True):
    """The event."""

    pull_request: Pull | None = None
    workflow_run: WorkflowRun | None = None
    repository: Repository | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run: its event, where GitHub is, and the files that take what a step has to say."""

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
        """Whether a runner reads what we print."""
        return self.output is not None

    @property
    def pull(self) -> Pull | None:
        """The pull request that this run is a check of.

        Other events have one too, but run with the rights and the code of its base.
        """
        return self.payload.pull_request if self.name == "pull_request" else None

    @property
    def may_save(self) -> bool:
        """Whether others can use the cache that this run would save.

        What a pull request saves is seen by that pull request alone, and counts for all.
        """
        default = self.payload.repository.default_branch if self.payload.repository else ""
        pushed = self.name == "push" and self.ref == f"refs/heads/{default}"
        return pushed or self.name in _SCHEDULED

    def log_of(self, run: int | str) -> str:
        """The address of a run's page."""
        return f"{self.server}/{self.repository}/actions/runs/{run}"


def read(environ: Mapping[str, str]) -> Run:
    """The run that this environment tells of; raises UsageError where the event is unreadable."""

    def path(name: str) -> Path | None:
        return Path(environ[name]) if environ.get(name) else None

    event = path("GITHUB_EVENT_PATH")
    return Run(
        name=environ.get("GITHUB_EVENT_NAME", ""),
        payload=_payload(event) if event else Payload(),
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


def _payload(path: Path) -> Payload:
    try:
        return decoded(read_at_most(path, _LARGEST), Payload, str(path))
    except SearchError as error:
        raise UsageError(f"GITHUB_EVENT_PATH: {error.message}") from error


def read_at_most(path: Path, most: int) -> bytes:
    """The bytes of a file; raises SearchError for one that is larger, or cannot be read."""
    try:
        return regular_file.read(path, most)
    except OSError as error:
        raise SearchError(f"cannot read '{path}': {error.strerror}") from error


def decoded(data: bytes, kind: type[Shape], what: str) -> Shape:
    """JSON of this shape; raises SearchError that names the first place that is not."""
    try:
        return msgspec.json.decode(data, type=kind, strict=True)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise SearchError(f"{what}: {error}") from error
