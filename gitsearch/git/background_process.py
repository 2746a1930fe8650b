"""Background processes of this program, for work that the user's command does not wait for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from gitsearch.git.repo import DROPPED, LOCATION, Repo, environment

# Run with -I, which takes neither the current folder nor PYTHONPATH into the module search path;
# then the path of this process is set.
_PROGRAM = """\
import json, sys
sys.path[:] = json.loads(sys.argv.pop(1))
from gitsearch.__main__ import main
main()
"""


# The ids of children that were started here and may not have ended yet, by what they do.
_running: dict[tuple[str, ...], int] = {}


def start(repo: Repo, *arguments: str) -> None:
    """Start `git search ARGUMENTS` in a new session, detached from the terminal and all pipes.

    Does nothing while a child of this process is doing the same.
    """
    _reap()
    task = (str(repo.top), *arguments)
    if task in _running:
        return
    child = subprocess.Popen(
        isolated_python(*arguments),
        cwd=repo.top,
        # a relative GIT_DIR of the caller would mean another folder there
        env=repo.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    child.returncode = 0  # nobody waits for it, and Popen must not warn of that
    _running[task] = child.pid


def answer(folder: Path, *arguments: str) -> bytes:
    """Return what `git search ARGUMENTS` prints, of the repository in a folder, when it is done.

    Its errors are printed as ours; the variables of git that speak of another repository are not
    handed on.
    """
    child = subprocess.Popen(
        isolated_python(*arguments),
        cwd=folder,
        env=environment(LOCATION | DROPPED),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    return child.communicate()[0]


def _reap() -> None:
    """Let go of children that have ended: a process that lives long would collect them."""
    for task, child in [*_running.items()]:
        try:
            ended = os.waitpid(child, os.WNOHANG)[0] != 0
        except ChildProcessError:  # after a fork they are the children of another
            ended = True
        if ended:
            del _running[task]


def isolated_python(*arguments: str) -> list[str]:
    """Return the command of a Python that runs this program without modules of its folder.

    The only place that starts one: `python -m` and `python -c` look for modules in the current
    folder first, which is an untrusted repository.
    """
    folders = [folder for folder in sys.path if Path(folder).is_absolute()]
    return [sys.executable, "-I", "-c", _PROGRAM, json.dumps(folders), *arguments]


def detach(folder: Path) -> bool:
    """Fork into a new session without the caller's input and output.

    Returns True in the child, whose current folder is `folder`, and False in the caller.
    """
    if os.fork():
        return False
    os.setsid()
    devnull = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(devnull, descriptor)
    os.chdir(folder)
    return True
