"""Code that a command of the user's describes: the runs that hooks and searches leave behind."""

import os
import signal
import time

import pytest

from tests.background import log, settles

pytestmark = pytest.mark.slow

COMMAND = "search.describeCommand"


def found(installed, repo, words):
    done = installed.run("-l", "--mode", "lexical", words, cwd=repo.path, env={"CI": None})
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.split()


def script(tmp_path, text):
    path = tmp_path / "describe"
    path.write_text(f"#!/bin/sh\necho call >> {tmp_path}/calls\n{text}")
    path.chmod(0o755)
    return str(path)


def rested(repo):
    settles(lambda: "describe: " in log(repo) and log(repo).count(" start\n") == ended(repo))


def ended(repo):
    return log(repo).count(" done: ") + log(repo).count(" failed: ")


@pytest.mark.long
def test_a_search_leaves_a_run_behind(installed, indexed, tmp_path):
    command = script(tmp_path, 'grep -q "class RetryPolicy:" && echo "zeppelin pilot"; exit 0\n')
    indexed.git("config", COMMAND, command)
    assert found(installed, indexed, "zeppelin") == []
    rested(indexed)
    assert found(installed, indexed, "zeppelin") == ["service/retry_policy.py"]
    calls = (tmp_path / "calls").read_text()
    assert found(installed, indexed, "zeppelin") == ["service/retry_policy.py"]
    assert (tmp_path / "calls").read_text() == calls


@pytest.mark.long
def test_hooks_describe_what_is_new(installed, indexed, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", installed.environment()["PATH"])
    monkeypatch.delenv("CI", raising=False)
    assert installed.run("hooks", "install", cwd=indexed.path).returncode == 0
    command = script(tmp_path, 'grep -q "def moor" && echo "zeppelin pilot"; exit 0\n')
    indexed.git("config", COMMAND, command)
    indexed.write("service/mast.py", "def moor(ship):\n    return ship.rope\n")
    indexed.commit()
    rested(indexed)
    assert found(installed, indexed, "zeppelin") == ["service/mast.py"]


@pytest.mark.long
def test_a_run_that_is_killed_keeps_what_it_has(installed, indexed, tmp_path):
    command = script(tmp_path, 'cat >/dev/null; sleep 0.2; echo "zeppelin pilot"\n')
    indexed.git("config", COMMAND, command)
    found(installed, indexed, "zeppelin")
    kept = indexed.index_dir / "descriptions"
    settles(lambda: kept.exists() and kept.read_bytes().count(b"\n") >= 3)
    os.kill(int((indexed.index_dir / "describe.lock").read_text()), signal.SIGKILL)
    lines = kept.read_bytes().splitlines()
    time.sleep(0.5)
    assert kept.read_bytes().splitlines() == lines  # nobody goes on
    fast = script(tmp_path, 'cat >/dev/null; echo "zeppelin pilot"\n')
    assert fast == command
    (tmp_path / "calls").unlink()
    found(installed, indexed, "zeppelin")
    settles(lambda: "describe: " in log(indexed))
    described = kept.read_bytes().splitlines()
    assert described[: len(lines)] == lines
    assert len((tmp_path / "calls").read_text().splitlines()) == len(described) - len(lines)
    assert found(installed, indexed, "zeppelin")
    assert installed.run("verify", cwd=indexed.path).returncode == 0
