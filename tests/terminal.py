"""A terminal for programs under test: what a person would see, and the keys a person has."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

CTRL_C = b"\x03"
# The shell opens the terminal by name, which makes it the controlling one of the new session.
ATTACH = 'terminal=$1; shift; exec "$@" <"$terminal" >"$terminal" 2>&1'


class Terminal:
    """One command on a terminal of 80 columns."""

    def __init__(self, *command: str, cwd: Path, env: Mapping[str, str]) -> None:
        self._controller, terminal = pty.openpty()
        self.seen = b""
        self._process = subprocess.Popen(
            ["sh", "-c", ATTACH, "sh", os.ttyname(terminal), *command],
            cwd=cwd,
            env={**env, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "50"},
            start_new_session=True,
        )
        self._terminal = terminal

    def read(self, until: bytes, patience: float = 60) -> re.Match[bytes]:
        """Wait until the output matches a pattern."""
        deadline = time.monotonic() + patience
        while not (found := re.search(until, self.seen)):
            assert time.monotonic() < deadline, self.seen
            assert self._process.poll() is None, self.seen
            self._receive(0.05)
        return found

    def press(self, keys: bytes) -> None:
        """Send keys."""
        os.write(self._controller, keys)

    def finish(self, patience: float = 60) -> int:
        """Read until the command ends, and return its exit code."""
        deadline = time.monotonic() + patience
        while self._process.poll() is None:
            if time.monotonic() > deadline:
                self._process.kill()
                raise AssertionError(self.seen)
            self._receive(0.05)
        while self._receive(0):
            pass
        os.close(self._terminal)
        os.close(self._controller)
        return self._process.returncode

    def _receive(self, patience: float) -> bool:
        if not select.select([self._controller], [], [], patience)[0]:
            return False
        piece = os.read(self._controller, 1 << 16)
        self.seen += piece
        return bool(piece)
