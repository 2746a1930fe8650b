"""Wrapper commands that take something away from a program: the network, or room on the disk."""

from __future__ import annotations

import functools
import os
import subprocess
from pathlib import Path

import pytest

# Mounts are made in a namespace of their own and end with the program.
READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'
SMALL = 'mount -t tmpfs -o size="$2" tmpfs "$1" && shift 2 && exec "$@"'

NO_SOCKETS = '''\
"""Loaded by every Python of the test: says so, and makes every socket an error."""

import os
import socket
import _socket

with open(os.environ["SOCKETS_FORBIDDEN"], "a") as said:
    said.write(f"{os.getpid()}\\n")


def refuse(*args, **kwargs):
    with open(os.environ["SOCKETS_FORBIDDEN"], "a") as said:
        said.write("socket\\n")
    raise OSError("sockets are forbidden")


class Refused(socket.socket):
    __init__ = refuse


socket.socket = socket.SocketType = _socket.socket = Refused
socket.create_connection = socket.getaddrinfo = socket.gethostbyname = refuse
socket.socketpair = refuse
'''


def namespace(*kinds: str) -> tuple[str, ...]:
    """The command that gives a program namespaces of its own, with root's rights inside."""
    return ("unshare", *kinds) if os.geteuid() == 0 else ("unshare", "--map-root-user", *kinds)


@functools.cache
def allows(*command: str) -> bool:
    """Whether this machine lets a wrapper command start a program."""
    try:
        return subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def without_network() -> tuple[str, ...]:
    """A wrapper: no network device but an unconfigured loopback."""
    wrapper = namespace("--net")
    if not allows(*wrapper):
        pytest.skip("this machine allows no network namespace")
    return wrapper


def read_only(folder: Path) -> tuple[str, ...]:
    """A wrapper: nothing below the folder can be written, not even by root."""
    return mounted(READ_ONLY, str(folder))


def small(folder: Path, size: str) -> tuple[str, ...]:
    """A wrapper: the folder is empty and has room for so many bytes only."""
    folder.mkdir(parents=True, exist_ok=True)
    return mounted(SMALL, str(folder), size)


def mounted(script: str, *words: str) -> tuple[str, ...]:
    wrapper = (*namespace("--mount"), "sh", "-c", script, "sh", *words)
    if not allows(*wrapper):
        pytest.skip("this machine allows no mount namespace")
    return wrapper


def forbid_sockets(folder: Path) -> dict[str, str]:
    """An environment in which every Python refuses sockets and leaves a line in `folder`/said."""
    folder.mkdir()
    folder.joinpath("sitecustomize.py").write_text(NO_SOCKETS, encoding="utf-8")
    return {"PYTHONPATH": str(folder), "SOCKETS_FORBIDDEN": str(folder / "said")}
