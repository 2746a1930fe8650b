"""What every hostile case must end in: a code of the table, few lines, no bug, no hang."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

import pytest

from tests.installation import Installation

# Exit codes that docs/cli.md lists for a search and the verbs.
CODES = frozenset({0, 1, 128, 129})

# Seconds after which a case counts as a hang: several times what any takes on a busy machine.
HANG = 60.0

# Lines on standard error: a note on what was damaged and one on what was done, no traceback.
MOST_LINES = 4


def survived(
    installed: Installation,
    *words: str | bytes | Path,
    cwd: Path,
    codes: Collection[int] = CODES,
    env: Mapping[str, str | None] | None = None,
    config: Mapping[str, str] | None = None,
    timeout: float = HANG,
) -> subprocess.CompletedProcess[str]:
    """Run `git search <words>` and require an orderly end; returns what it said."""
    done = installed.run(*words, cwd=cwd, env=env, config=config, timeout=timeout)
    orderly(done, codes)
    return done


def orderly(done: subprocess.CompletedProcess[str], codes: Collection[int] = CODES) -> None:
    """Require an exit code of the table, no internal error and no traceback."""
    assert done.returncode in codes, (done.returncode, done.stderr)
    for said in (done.stdout, done.stderr):
        assert "internal error" not in said, said
        assert "Traceback" not in said, said
    assert len(done.stderr.splitlines()) <= MOST_LINES, done.stderr


def processes(mark: str) -> list[int]:
    """The processes that have an entry in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return sorted(found)


@contextlib.contextmanager
def noted(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An environment by which processes are known; waits until the last of them has ended."""
    if not Path("/proc/self/environ").exists():
        pytest.skip("this system does not list the environments of processes")
    mark = f"NOTED_BY_A_TEST={tmp_path}"
    yield dict([mark.split("=")])
    comes(lambda: not processes(mark), "a process is left")


def comes(condition: Callable[[], bool], otherwise: str) -> None:
    """Wait for what happens in other processes."""
    deadline = time.monotonic() + HANG
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.05)
