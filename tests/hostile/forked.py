"""The program in a forked child of the test: as quick as a call, and a hang or crash is seen."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

from tests.hostile.outcome import HANG
from tests.installation import checked_answer

# Address space of a run, beyond what any of the small repositories here takes.
MEMORY = 8 << 30


def forked(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """What `git search <words>` answers in a folder; a run that hangs ends by SIGALRM."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside idle threads
        out, err = os.memfd_create("out"), os.memfd_create("err")
        child = os.fork()
    if child == 0:
        code = 70
        try:
            code = _answer(words, cwd, out, err)
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    texts = [os.pread(one, os.fstat(one).st_size, 0).decode() for one in (out, err)]
    os.close(out)
    os.close(err)
    return subprocess.CompletedProcess(words, os.waitstatus_to_exitcode(status), *texts)


class ForkedProgram:
    """The program in forked children, asked as an installed one is."""

    def run(
        self, *args: str | bytes | Path, cwd: Path, env: None = None
    ) -> subprocess.CompletedProcess[str]:
        """What `git search <args>` answers in a folder."""
        return forked(*map(os.fsdecode, args), cwd=cwd)

    def answer(self, *args: str, cwd: Path) -> Any:
        """What `git search --json <args>` says, as data; the exit code must fit it."""
        return checked_answer(self.run("--json", *args, cwd=cwd))


def _answer(words: tuple[str, ...], cwd: Path, out: int, err: int) -> int:
    from gitsearch.cli.application import run

    os.dup2(out, 1)
    os.dup2(err, 2)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(HANG))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.chdir(cwd)
    with os.fdopen(1, "w", closefd=False) as said, os.fdopen(2, "w", closefd=False) as told:
        sys.stdout, sys.stderr = said, told
        return run(words)
