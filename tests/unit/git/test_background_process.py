"""Processes that are left behind by one that goes on."""

import os
import subprocess

import pytest

from gitsearch.git import background_process
from gitsearch.git.repo import open_repo


def ended(child):
    """Wait until a child has ended, and leave it to its parent."""
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)


def test_a_child_that_has_ended_is_let_go(repo):
    opened = open_repo(repo.path)
    background_process.start(opened, "--version")
    (first,) = background_process._running.values()
    ended(first)
    background_process.start(opened, "help")
    with pytest.raises(ChildProcessError):
        os.waitpid(first, os.WNOHANG)
    (second,) = background_process._running.values()
    ended(second)
    background_process._reap()
    assert not background_process._running


def test_what_a_child_is_doing_is_not_begun_again(repo):
    opened = open_repo(repo.path)
    child = subprocess.Popen(["sleep", "60"])
    try:
        background_process._running[str(opened.top), "index"] = child.pid
        background_process.start(opened, "index")
        assert [*background_process._running.values()] == [child.pid]
    finally:
        child.kill()
        ended(child.pid)
        background_process._reap()
        child.returncode = 0
    assert not background_process._running
