"""This program beside the user's command, so that nobody waits for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitsearch.git.repo import Repo


def start(repo: Repo, *arguments: str) -> None:
    """Run `git search ARGUMENTS` in a session of its own, with nothing attached to it."""
    child = subprocess.Popen(
        [sys.executable, "-m", "gitsearch", *arguments],
        cwd=repo.top,
        # a relative GIT_DIR of the caller would be another folder from there
        env=repo.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    child.returncode = 0  # it is not ours to wait for, and Popen must not warn of it


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
