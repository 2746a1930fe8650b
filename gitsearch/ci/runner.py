"""The event that a GitHub runner hands to a step, and the workflow commands that it reads.

Outside of Actions nearly all fields are empty, and every step can be run by hand. A runner looks
for commands in each line of both streams. So all that a step prints goes to one stream, standard
error, between `::stop-commands::` and its end, which is interrupted for the one line of a command.
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec

from gitsearch.errors import SearchError, Unwritable
from gitsearch.git import regular_file
from gitsearch.git_conventions import OBJECT_ID
from gitsearch.render.escape import folded, lossy, plain
from gitsearch.render.output import say, tell, write
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# GitHub's own, where the environment names no GitHub Enterprise.
_API = "https://api.github.com"
_SERVER = "https://github.com"
# GitHub caps the payload of an event at 25 MB.
_LARGEST = 25 << 20
_SCHEDULED = ("schedule", "workflow_dispatch")
# GitHub drops the whole summary of a step above 1 MiB.
SUMMARY_BYTES = 900_000
# The most annotations of one kind that GitHub shows for a step.
MAX_ANNOTATIONS = 10

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
    """Return the run of an environment; raises SearchError if the event cannot be read."""
    run = without_event(environ)
    path = environ.get("GITHUB_EVENT_PATH")
    if not path:
        return run
    try:
        return replace(run, payload=decoded(read_at_most(Path(path), _LARGEST), Payload, path))
    except SearchError as error:
        raise SearchError(f"GITHUB_EVENT_PATH: {error.message}") from error


def without_event(environ: Mapping[str, str]) -> Run:
    """Return the run of an environment with an empty payload: enough to say what goes wrong."""

    def path(name: str) -> Path | None:
        return Path(environ[name]) if environ.get(name) else None

    return Run(
        name=environ.get("GITHUB_EVENT_NAME", ""),
        payload=Payload(),
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


class Steps:
    """The output of one step; `quiet` is entered before any text of a repository is printed."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._token = ""

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Stop the runner from taking printed lines for commands while this is entered."""
        if not self._run.on_runner:
            yield
            return
        self._token = secrets.token_hex(16)
        tell(f"::stop-commands::{self._token}\n")
        try:
            yield
        finally:
            tell(f"::{self._token}::\n")
            self._token = ""

    def notice(self, text: str) -> None:
        """Print a line, which the page of the run also shows."""
        self._annotate("notice", text)

    def warning(self, text: str) -> None:
        """Print a line about a problem, which the page of the run also shows."""
        self._annotate("warning", text)

    def mark(self, text: str, path: str, line: int) -> None:
        """Annotate a line of a file; does nothing outside of a runner."""
        if self._run.on_runner:
            self._command(f"warning file={_property(path)},line={line}", text)

    def _annotate(self, kind: str, text: str) -> None:
        if self._run.on_runner:
            self._command(kind, text)
        else:
            say(text)

    def _command(self, head: str, text: str) -> None:
        line = f"::{head}::{_data(folded(text))}\n"
        if self._token:
            line = f"::{self._token}::\n{line}::stop-commands::{self._token}\n"
        tell(line)

    def output(self, name: str, value: str) -> None:
        """Set an output of the step; it is printed outside of a runner."""
        value = lossy(value)
        if self._run.output is None:
            write([f"{name}={plain(value)}\n"])
            return
        end = secrets.token_hex(16)
        _append(self._run.output, f"{name}<<{end}\n{value}\n{end}\n")

    def summarise(self, markdown: str) -> None:
        """Add to the summary of the job; it is printed outside of a runner."""
        markdown = lossy(markdown).rstrip("\n") + "\n"
        if self._run.summary is None:
            write([f"{plain(line)}\n" for line in markdown.splitlines()])
        elif len(markdown.encode()) <= SUMMARY_BYTES:
            _append(self._run.summary, markdown)
        else:
            self.warning("the report is too long for the job summary and was left out of it")


def _append(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise Unwritable(f"cannot write '{path}': {error.strerror}") from error


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(folded(text)).replace(":", "%3A").replace(",", "%2C")


def write_file(path: Path, data: bytes) -> None:
    """Write a file and its folder for the steps after this one.

    A regular file is replaced. A link, which a pull request may have put there, is not followed.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise SearchError(f"cannot write '{path}': it is not a regular file", "move it away")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SearchError(f"cannot write '{path}': {error.strerror}") from error
    layout.replace(path, [data])
