"""Workflow commands of a GitHub runner: outputs, the job summary, notices and annotations.

A runner looks for commands in each line of both streams. So all that a step prints goes to one
stream, standard error, between `::stop-commands::` and its end, which is interrupted for the one
line of a command.
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitsearch.errors import SearchError, Unwritable
from gitsearch.render.escape import folded, lossy, plain
from gitsearch.render.output import say, tell, write
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitsearch.ci.event import Run

# GitHub drops the whole summary of a step above 1 MiB.
SUMMARY_BYTES = 900_000
# The most annotations of one kind that GitHub shows for a step.
MAX_ANNOTATIONS = 10


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
