"""Where we are and what we print to: who reads it, in colour, through which pager; git's rules."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from gitsearch.errors import NotARepository, SearchError
from gitsearch.git_conventions import boolean


class Terminal(NamedTuple):
    """Whether to use colour, and the pager's shell command or None."""

    colour: bool
    pager: str | None

    def show(self, pieces: Iterable[str]) -> None:
        """Print, in the pager if there is one."""
        from gitsearch.render.output import write

        write(pieces, self.pager)


def here() -> Path:
    """The current folder; it may have been deleted under us."""
    try:
        return Path.cwd()
    except OSError as error:
        raise NotARepository("the current folder does not exist any more") from error


def read_by_person() -> bool:
    """Whether somebody reads what we print as it comes: on a terminal or in git's own pager."""
    return _on_terminal() or _in_pager()


def _on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _in_pager() -> bool:
    return boolean(os.environ.get("GIT_PAGER_IN_USE", "")) is True


def survey(color: str | None, *, paging: bool) -> Terminal:
    """What to use on standard output; git is asked only where its settings matter."""
    wish = color or ("never" if os.environ.get("NO_COLOR") else "auto")
    paging = paging and _on_terminal() and not _in_pager()
    guessing = wish == "auto" and read_by_person()
    if not paging and not guessing:
        return Terminal(wish == "always", None)
    colour, pager = _git_says(tty=_on_terminal())
    return Terminal(colour if wish == "auto" else wish == "always", pager if paging else None)


def _git_says(*, tty: bool) -> tuple[bool, str | None]:
    """What git's settings say of colour and pager, or git's defaults outside a repository."""
    from gitsearch.git.repo import colorbool, config, open_repo, pager

    try:
        repo = open_repo(here())
        colour = colorbool(repo, "search", tty=tty)
        chosen = config(repo).get("pager.search", ["true"])[-1]
        if boolean(chosen) is False:
            return colour, None
        command = pager(repo) if boolean(chosen) else chosen
    except SearchError:
        return tty and os.environ.get("TERM", "dumb") != "dumb", None
    return colour, None if command in ("", "cat") else command
