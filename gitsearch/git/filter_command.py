"""A command of the user's that gets text on stdin and answers on stdout, bounded in all it does.

It is the only command of the configuration that this program runs by itself, so it is taken from
files that nobody else can have written: never from one that a tree can bring.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from gitsearch.git.repo import APART, DROPPED, FIXED, Repo, own_config_files

# A path with this part cannot be in a tree: git refuses to record one.
_GIT = ".git"

# Fields of each value in the output of `git config`: scope, origin, value.
_FIELDS = 3
_ORIGIN = "file:"

_BLOCK = 1 << 16


class Configured(NamedTuple):
    """A command, or the reason why the one that is configured is not run; "" where there is none.

    refusal: "" if it may be run.
    """

    command: str
    refusal: str = ""


def configured(repo: Repo, key: str) -> Configured:
    """Return the command that a key of git's configuration has last."""
    options = ("--show-scope", "--show-origin", "--get-all")
    out = os.fsdecode(repo.run("config", "-z", *options, key, ok=(0, 1)))
    fields = out.split("\0")[-_FIELDS - 1 : -1]
    if len(fields) < _FIELDS or not fields[2].strip():
        return Configured("")
    scope, origin, command = fields
    path = Path(os.path.realpath(repo.top / origin.removeprefix(_ORIGIN)))
    if origin.startswith(_ORIGIN) and _is_own(repo, scope, path):
        return Configured(command.strip())
    where = f"'{path}'" if origin.startswith(_ORIGIN) else "the command line"
    return Configured("", f"the one of {where} is not run: set it in ~/.gitconfig or .git/config")


def _is_own(repo: Repo, scope: str, path: Path) -> bool:
    """Return True if a file of settings cannot have come with a tree."""
    if scope in ("system", "global"):
        own = {os.path.realpath(one) for one in own_config_files()}
        inside = repo.worktree is not None and path.is_relative_to(repo.worktree.resolve())
        return str(path) in own or not inside
    if scope not in ("local", "worktree"):
        return False
    # a bare repository may lie in a tree, as a folder of it
    folders = [folder.resolve() for folder in (repo.common_dir, repo.git_dir)]
    return any(path.is_relative_to(folder) and _GIT in folder.parts for folder in folders)


def answer(command: str, text: bytes, *, seconds: float, most: int) -> bytes | None:
    """Run a command of a shell on a text and return its output.

    None if it fails, takes longer, or says more than `most` bytes; what it has started is killed.
    It runs in the root folder, where no module or program of the repository is found.
    """
    with tempfile.TemporaryFile() as given:
        given.write(text)
        given.seek(0)
        try:
            process = subprocess.Popen(
                ("sh", "-c", command),
                cwd="/",
                env=_environment(),
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, ValueError):
            return None
    try:
        return _output(process, time.monotonic() + seconds, most)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _output(process: subprocess.Popen[bytes], deadline: float, most: int) -> bytes | None:
    assert process.stdout is not None
    out = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(max(deadline - time.monotonic(), 0.0)):
                return None
            block = os.read(process.stdout.fileno(), _BLOCK)
            if not block:
                break
            out += block
            if len(out) > most:
                return None
    try:
        code = process.wait(max(deadline - time.monotonic(), 0.0))
    except subprocess.TimeoutExpired:
        return None
    return bytes(out) if code == 0 else None


def _environment() -> dict[str, str]:
    """Return the user's environment, without what is said to git about this repository."""
    without = APART | DROPPED | FIXED.keys()
    return {name: value for name, value in os.environ.items() if name not in without}
