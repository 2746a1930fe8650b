"""A command of the user's: whose settings it is taken from, and what it may do at most."""

import os
import time
from pathlib import Path

import pytest

from gitsearch.git.filter_command import answer, configured
from gitsearch.git.repo import open_repo
from tests.builder import RepoBuilder

KEY = "search.describeCommand"


def found(path):
    return configured(open_repo(path), KEY)


def asked(command, text=b"text", *, seconds=20.0, most=1000):
    return answer(command, text, seconds=seconds, most=most)


@pytest.fixture
def user_config(tmp_path, monkeypatch):
    path = tmp_path / "user" / "config"
    path.parent.mkdir()
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(path))
    return path


def test_it_is_taken_from_the_files_of_the_repository_and_the_user(repo, user_config):
    assert found(repo.path) == ("", "")
    user_config.write_text('[search]\n\tdescribeCommand = "of the user"\n')
    assert found(repo.path) == ("of the user", "")
    repo.git("config", KEY, "of the clone")
    assert found(repo.path) == ("of the clone", "")
    repo.write("a", "a")
    repo.commit()
    other = repo.worktree(repo.path.parent / "other")
    assert found(other.path) == ("of the clone", "")
    repo.git("config", KEY, "")
    assert found(repo.path) == ("", "")


def test_it_is_not_taken_from_a_file_of_the_tree(repo):
    repo.write("settings", "[search]\n\tdescribeCommand = bad\n")
    repo.git("config", "include.path", "../settings")
    command, refusal = found(repo.path)
    assert command == ""
    assert "settings" in refusal


def test_it_is_not_taken_from_a_file_of_the_tree_that_the_user_includes(repo, user_config):
    file = repo.write("settings", "[search]\n\tdescribeCommand = bad\n")
    user_config.write_text(f"[include]\n\tpath = {file}\n")
    assert found(repo.path).command == ""


def test_it_is_not_taken_from_a_link_that_leads_into_the_tree(repo):
    repo.git("config", KEY, "bad")
    config = repo.path / ".git" / "config"
    config.rename(repo.path / "config")
    config.symlink_to("../config")
    assert found(repo.path).command == ""


def test_it_is_not_taken_from_a_bare_repository_which_may_lie_in_a_tree(repo):
    bare = RepoBuilder(repo.path / "fixtures" / "bare", bare=True)
    bare.git("config", KEY, "bad")
    assert found(bare.path).command == ""


def test_it_is_not_taken_from_the_environment(repo, monkeypatch):
    repo.git("config", KEY, "of the clone")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", KEY)
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "bad")
    assert found(repo.path).command == ""


def test_it_gets_the_text_and_answers():
    assert asked("tr a-z A-Z", b"some text\0 and more") == b"SOME TEXT\0 AND MORE"
    assert asked("echo all the same", b"x" * 1_000_000) == b"all the same\n"


def test_a_failure_is_no_answer():
    assert asked("echo text; exit 3") is None
    assert asked("/no/such/program") is None
    assert asked("kill -9 $$") is None
    assert asked("a\0b") is None


def test_who_says_too_much_is_stopped():
    assert asked("yes") is None
    assert asked("head -c 10000000 /dev/zero") is None
    assert asked("printf 12345", most=5) == b"12345"
    assert asked("printf 123456", most=5) is None


def test_who_takes_too_long_is_killed_with_what_it_has_started(tmp_path):
    file = tmp_path / "process"
    assert asked(f"sleep 1000 & echo $! > {file}; wait", seconds=0.5) is None
    assert asked(f"exec 1>&-; echo $$ > {file}.2; sleep 1000", seconds=0.5) is None
    for name in (file, file.with_name("process.2")):
        assert ends(int(name.read_text()))


def test_what_it_leaves_behind_is_killed(tmp_path):
    file = tmp_path / "process"
    assert asked(f"sleep 1000 >/dev/null & echo $! > {file}; echo done") == b"done\n"
    assert ends(int(file.read_text()))


def ends(process):
    """Wait for the end of a process that is nobody's child."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_it_runs_outside_of_the_repository_and_knows_nothing_of_it(repo, monkeypatch):
    monkeypatch.chdir(repo.path)
    monkeypatch.setenv("GIT_DIR", str(repo.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(repo.path))
    assert asked("pwd") == b"/\n"
    assert b"GIT_" not in (asked("env | grep GIT_DIR; env | grep GIT_WORK; true") or b"")
    assert asked("echo $HOME") == f"{os.environ['HOME']}\n".encode()
