"""Hosts of a network of their own, on this machine: each has an address and a name.

They are namespaces of Linux (`ip netns`), which only root may make.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NETWORK = "10.77.0"


class CannotBeMade(Exception):
    """This machine makes no namespaces."""


class Host:
    """A host: its address, and the words that a command begins with that it is to run."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.address = f"{_NETWORK}.{number}"
        self.words = ["ip", "netns", "exec", name]

    def processes(self) -> dict[int, str]:
        """The titles of the processes that run there, by their ids."""
        found = {}
        for pid in _ip("netns", "pids", self.name).split():
            try:
                title = Path("/proc", pid, "cmdline").read_bytes()
            except (FileNotFoundError, ProcessLookupError):  # it has just ended
                continue
            found[int(pid)] = title.decode(errors="replace")
        return found

    def kill(self) -> None:
        """End all that runs there, as a loss of power does."""
        while running := self.processes():
            for pid in running:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue


@contextmanager
def hosts(count: int) -> Iterator[list[Host]]:
    """So many hosts that reach each other and nothing else; all ends with them.

    Raises CannotBeMade.
    """
    prefix = f"gitsearch-{os.getpid()}"
    switch = f"{prefix}-switch"
    made = [Host(f"{prefix}-{number}", number) for number in range(1, count + 1)]
    with ExitStack() as ends:
        try:
            _add(switch, ends)
            _ip("-n", switch, "link", "add", "bridge", "up", "type", "bridge")
            for host in made:
                _add(host.name, ends)
                ends.callback(host.kill)
                _connect(host, switch)
        except (OSError, subprocess.CalledProcessError) as error:
            raise CannotBeMade(str(error)) from error
        yield made


def _add(name: str, ends: ExitStack) -> None:
    _ip("netns", "add", name)
    ends.callback(_ip, "netns", "delete", name)


def _connect(host: Host, switch: str) -> None:
    port = host.address
    pair = ["type", "veth", "peer", "name", "eth0", "netns", host.name]
    _ip("-n", switch, "link", "add", port, *pair)
    _ip("-n", switch, "link", "set", port, "master", "bridge", "up")
    _ip("-n", host.name, "link", "set", "lo", "up")
    _ip("-n", host.name, "address", "add", f"{host.address}/24", "dev", "eth0")
    _ip("-n", host.name, "link", "set", "eth0", "up")


def _ip(*words: str) -> str:
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=True).stdout
