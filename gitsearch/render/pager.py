"""Show text in the user's pager, as git does."""

from __future__ import annotations

import os
import signal

# What git sets for its pager when the user has not: quit if one screen, colours, no clearing.
_DEFAULTS = {"LESS": "FRX", "LV": "-c"}
# The shell's codes for a command that cannot be run or found.
_CANNOT_RUN = (126, 127)


def page(command: str, data: bytes) -> bool:
    """Feed `data` to the pager and wait until the user leaves it; false if it cannot be run."""
    if not hasattr(os, "posix_spawn"):
        return False
    environment = _DEFAULTS | dict(os.environ) | {"GIT_PAGER_IN_USE": "true"}
    reading, writing = os.pipe()
    # Python ignores SIGPIPE, and a child would inherit that.
    process = os.posix_spawn(
        "/bin/sh",
        ["sh", "-c", command],
        environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0)],
        setsigdef=[signal.SIGPIPE],
    )
    os.close(reading)
    # ^C belongs to the pager now; we stay until it ends, or the shell would take the terminal.
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _feed(writing, data)
        _, status = os.waitpid(process, 0)
    finally:
        signal.signal(signal.SIGINT, previous)
    return os.waitstatus_to_exitcode(status) not in _CANNOT_RUN


def _feed(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except BrokenPipeError:
        return  # the user has seen enough
    finally:
        os.close(descriptor)
