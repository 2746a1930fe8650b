"""This program beside the user's command, so that nobody waits for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitsearch.git.repo import Repo

# Run with -I, which lets neither the current folder nor PYTHONPATH say where modules are; what is
# imported then is what this process would import.
_PROGRAM = """\
import json, sys
sys.path[:] = json.loads(sys.argv.pop(1))
from gitsearch.__main__ import main
main()
"""


def start(repo: Repo, *arguments: str) -> None:
    """Run `git search ARGUMENTS` in a session of its own, with nothing attached to it."""
    child = subprocess.Popen(
        isolated_python(*arguments),
        cwd=repo.top,
        # a relative GIT_DIR of the caller would be another folder from there
        env=repo.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    child.returncode = 0  # it is not ours to wait for, and Popen must not warn of it


def isolated_python(*arguments: str) -> list[str]:
    """The command of a Python that runs this program and imports nothing from where it runs.

    The only place that starts one: `python -m` and `python -c` look for each module in the current
    folder first, which is a repository that nobody has read yet.
    """
    folders = [folder for folder in sys.path if Path(folder).is_absolute()]
    return [sys.executable, "-I", "-c", _PROGRAM, json.dumps(folders), *arguments]


def detach(folder: Path) -> bool:
    """Go on in a process of its own, that holds nothing of the caller's.

    True in that process, whose current folder is `folder`; False in the caller.
    """
    if os.fork():
        return False
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.chdir(folder)
    return True
