"""The current folder and the terminal: colour and pager, by git's rules."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from gitsearch.errors import NotARepository, SearchError
from gitsearch.git_conventions import boolean

if TYPE_CHECKING:
    from gitsearch.index.session import Session
    from gitsearch.render.links import Links

# The setting that makes paths hyperlinks.
LINKS = "color.search.link"


class Terminal(NamedTuple):
    """The choice of colour, the pager's shell command or None, and hyperlinks if there are any."""

    colour: bool
    pager: str | None
    links: Links | None = None

    def show(self, pieces: Iterable[str]) -> None:
        """Print, in the pager if there is one."""
        from gitsearch.render.output import write

        write(pieces, self.pager)

    def show_bytes(self, pieces: Iterable[bytes | memoryview]) -> None:
        """Print bytes as they are, in the pager if there is one."""
        from gitsearch.render.output import write_bytes

        write_bytes(pieces, self.pager)


def here() -> Path:
    """The current folder; it may have been deleted under us."""
    try:
        return Path.cwd()
    except OSError as error:
        raise NotARepository("the current folder does not exist any more") from error


def folder_of(session: Session) -> str:
    """The current folder below the top, with a "/" at its end; "" there and in no repository."""
    try:
        return session.repo.prefix
    except SearchError:
        return ""


def standard_input() -> IO[bytes]:
    """The bytes of standard input."""
    if sys.stdin is None:  # started with standard input closed, as by `<&-`
        raise SearchError("there is no standard input to read from")
    return sys.stdin.buffer


def read_by_person() -> bool:
    """Return True if a person reads the output: on a terminal or in git's own pager."""
    return _on_terminal() or _in_pager()


def asked_by_person() -> bool:
    """Return True if a person reads the output and types the input."""
    return _on_terminal() and sys.stdin is not None and sys.stdin.isatty()


def _on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _in_pager() -> bool:
    return boolean(os.environ.get("GIT_PAGER_IN_USE", "")) is True


def survey(
    session: Session, color: str | None, *, paging: bool, linking: bool = False
) -> Terminal:
    """Choose colour, pager and hyperlinks of standard output; git's settings are read if needed.

    linking: paths may be links, because they are those of the working tree.
    """
    wish = color or ("never" if os.environ.get("NO_COLOR") else "auto")
    paging = paging and _on_terminal() and not _in_pager()
    linking = linking and wish != "never"
    if not paging and not linking and wish != "auto":
        return Terminal(wish == "always", None)
    try:
        # off a terminal, too, color.search or color.ui may say always; a search has read them
        config = session.own_config
        top = session.repo.worktree if linking else None
    except SearchError:
        config, top, paging = {}, None, False
    colour = git_colour(config, tty=_on_terminal()) if wish == "auto" else wish == "always"
    links = None
    if colour and linking and top is not None and LINKS in config:
        from gitsearch.render.links import links_of

        links = links_of(config[LINKS][-1], top)
    return Terminal(colour, git_pager(config) if paging else None, links)


def git_colour(config: Mapping[str, Sequence[str]], *, tty: bool) -> bool:
    """Return True if git would use colour here, by color.search, color.ui and the terminal."""
    wish = (config.get("color.search") or config.get("color.ui") or ["auto"])[-1].lower()
    if wish in ("always", "never") or boolean(wish) is False:
        return wish == "always"
    paged = _in_pager() and boolean((config.get("color.pager") or ["true"])[-1]) is not False
    return (tty or paged) and os.environ.get("TERM", "dumb") != "dumb"


def git_pager(config: Mapping[str, Sequence[str]]) -> str | None:
    """The shell command of the pager that git would start, or None.

    git is compiled with the name of a pager: "less", and on Debian "pager".
    """
    chosen = (config.get("pager.search") or ["true"])[-1]
    if boolean(chosen) is False:
        return None
    command: str | None = chosen
    if boolean(chosen):
        command = os.environ.get("GIT_PAGER")
        if command is None and "core.pager" in config:
            command = config["core.pager"][-1]
        if command is None:
            command = os.environ.get("PAGER")
        if command is None:
            from shutil import which

            command = "pager" if which("pager") else "less"
    return None if command in ("", "cat") else command
