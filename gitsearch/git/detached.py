"""Start this program beside the user's command, so that nobody waits for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gitsearch.git.repo import environment


def start(cwd: Path, *arguments: str) -> None:
    """Run `git search ARGUMENTS` in a session of its own, with nothing attached to it."""
    child = subprocess.Popen(
        [sys.executable, "-m", "gitsearch", *arguments],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    child.returncode = 0  # it is not ours to wait for, and Popen must not warn of it
