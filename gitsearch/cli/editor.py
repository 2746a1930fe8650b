"""The user's editor, at a line of a file, as git would start it."""

from __future__ import annotations

import os
import shlex
import signal
from pathlib import PurePath
from typing import TYPE_CHECKING

from gitsearch.errors import GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType

    from gitsearch.git.repo import Repo

# How editors are told the line: `+N FILE`, `FILE:N`, or `--goto FILE:N`; others get no line.
_PLUS = frozenset(
    {
        *("emacs", "emacsclient", "gvim", "jed", "joe", "kak", "mcedit", "mg", "micro", "mvim"),
        *("nano", "ne", "nvim", "pico", "vi", "view", "vim"),
    }
)
_COLON = frozenset({"helix", "hx", "lapce", "subl", "zed"})
_GOTO = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})


def edit(repo: Repo, file: Path, line: int) -> None:
    """Open the editor that git would start at a line, and wait for its end; raises GitFailed."""
    if not hasattr(os, "posix_spawnp"):
        raise GitFailed("editors cannot be started on this system")
    command = os.fsdecode(repo.run("var", "GIT_EDITOR")).rstrip("\n")
    # as git does: the shell reads the command, which may have options and quotes
    words = ("sh", "-c", f'{command} "$@"', command, *_arguments(command, file, line))
    # ^C belongs to the editor: we stay until it ends
    before = signal.signal(signal.SIGINT, _unheard)
    try:
        # Python ignores SIGPIPE, and a child would inherit that
        process = os.posix_spawnp("sh", words, os.environ, setsigdef=[signal.SIGPIPE])
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    except OSError as error:
        raise GitFailed(f"the editor cannot be started: {error.strerror}") from error
    finally:
        signal.signal(signal.SIGINT, before)
    if code:
        raise GitFailed(f"the editor '{command}' ended with exit code {code}")


def _unheard(number: int, frame: FrameType | None) -> None:
    """Nothing; a function, unlike SIG_IGN, is not passed on to child processes."""


def _arguments(command: str, file: Path, line: int) -> Iterator[str]:
    try:
        program = PurePath(shlex.split(command)[0]).stem
    except (ValueError, IndexError):
        program = ""
    if program in _GOTO:
        yield "--goto"
    if program in _PLUS:
        yield f"+{line}"
    yield f"{file}:{line}" if program in _GOTO | _COLON else str(file)
