"""A process that is killed at a chosen moment: at a call of a function, before or after it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]

# Runs two pieces of a program, and ends itself without warning at the n-th call of a function
# from the second one.
_SCRIPT = """
import os, pathlib, signal, sys
from importlib import import_module
from gitsearch.index.session import Session
{prepare}

module, name, count, after = sys.argv[1:]
holder = import_module(module)
*owners, name = name.split(".")
for owner in owners:
    holder = getattr(holder, owner)
original, left = getattr(holder, name), [int(count)]

def deadly(*args, **options):
    left[0] -= 1
    if not left[0] and after == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    result = original(*args, **options)
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

setattr(holder, name, deadly)
{run}
print("survived")
"""

# Module and name of a function, which call of it, and "before" or "after".
Moment = tuple[str, str, int, str]


def killed(folder: Path, prepare: str, run: str, moment: Moment) -> bool:
    """Run a program in a folder until it is killed; returns False if the moment never comes."""
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT.format(prepare=prepare, run=run), *map(str, moment)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.stdout.strip() == "survived":
        return False
    assert done.returncode == -signal.SIGKILL, (moment, done.stdout, done.stderr)
    return True
