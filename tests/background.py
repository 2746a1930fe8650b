"""Background runs of the program: waiting for their effect, and their log."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.builder import RepoBuilder


def settles(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened in the background"
        time.sleep(0.05)
    return True


def log(repo: RepoBuilder) -> str:
    """Return the log of background runs; empty if there is none."""
    file = repo.index_dir / "worker.log"
    return file.read_text() if file.exists() else ""
