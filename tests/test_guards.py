"""The guards of conftest hold: a mistake in a test is a failure, not a visit to the host."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builder import RepoBuilder
from tests.conftest import NetworkForbiddenError, isolated_environment

FIRST_COMMIT = "2dc2d4b"


def test_git_knows_no_setting_of_the_host(isolation):
    out = subprocess.run(
        ["git", "config", "--list", "--show-origin"],
        cwd=isolation,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    origins = {line.split("\t")[0] for line in out.splitlines()}
    assert origins == {f"file:{isolation}/.gitconfig"}


def test_no_git_variable_leaks_from_outside(tmp_path, monkeypatch):
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_PARAMETERS"):
        monkeypatch.setenv(name, "from-a-hook")
    assert not {
        name for name, value in isolated_environment(tmp_path).items() if value == "from-a-hook"
    }


def test_the_environment_is_small(isolation):
    assert os.environ["HOME"] == str(isolation)
    assert not [name for name in os.environ if name.startswith(("CI", "GITHUB_", "VIRTUAL_ENV"))]


def test_python_hash_seed_is_left_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    assert isolated_environment(tmp_path)["PYTHONHASHSEED"] == "7"


def test_a_temporary_folder_lies_in_no_repository(tmp_path):
    done = subprocess.run(["git", "rev-parse"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 128


@pytest.mark.parametrize("name", ["connect", "connect_ex"])
def test_a_connection_is_refused(name):
    with socket.socket() as client, pytest.raises(NetworkForbiddenError):
        getattr(client, name)(("127.0.0.1", 9))


def test_a_name_is_not_looked_up():
    with pytest.raises(NetworkForbiddenError):
        socket.create_connection(("example.com", 443))


def test_a_local_socket_is_allowed():
    left, right = socket.socketpair()
    with left, right:
        left.sendall(b"x")
        assert right.recv(1) == b"x"


def test_git_does_not_reach_the_network(repo):
    done = repo.run("clone", "https://example.com/x.git", "x", check=False)
    assert b"transport 'https' not allowed" in done.stderr


def test_writing_into_the_home_folder_fails_a_test(pytester_like_run):
    done = pytester_like_run(
        """
        import os, pathlib
        def test_writes_home():
            pathlib.Path(os.environ["HOME"], "stray").touch()
        """
    )
    assert "the test wrote into the home folder" in done


def test_an_unknown_marker_is_an_error(pytester_like_run):
    assert "'slwo' not found" in pytester_like_run(
        """
        import pytest
        @pytest.mark.slwo
        def test_nothing():
            pass
        """
    )


def test_commit_ids_are_constants_of_the_steps(repo):
    repo.write("a.txt", "a\n")
    assert repo.commit("first").startswith(FIRST_COMMIT)


def test_the_clock_advances_with_each_commit(repo):
    repo.commit("first")
    repo.commit("second")
    assert repo.git("log", "--format=%at %ct").split("\n") == [
        "1700000060 1700000060",
        "1700000000 1700000000",
    ]


def test_the_sample_repository_is_always_the_same(sample, sample_template):
    files = sample.git("ls-files", "-z").rstrip("\0").split("\0")
    assert len(files) >= 60
    assert sample.git("rev-list", "--count", "HEAD") == "30"
    assert len(sample.git("rev-list", "--merges", "HEAD").split()) == 1
    assert sample.git("diff", "--name-status", "-M", "--diff-filter=R", "v0.2", "v1.0")
    assert sample.git("status", "--porcelain") == ""
    assert sample.rev() == sample_template.rev()


def test_pygit2_knows_no_setting_of_the_host(tmp_path):
    code = """
import pygit2
print(*[name for name in ("user.name", "core.pager", "credential.helper")
        if name in pygit2.Config.get_global_config()], sep=",")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("\n", "")


@pytest.fixture
def pytester_like_run(request, tmp_path):
    """Run a test file under this suite's own conftest, in a process of its own."""

    def run(text: str) -> str:
        lines = text.splitlines()
        folder = Path(tmp_path, "tests")
        folder.mkdir()
        root = request.config.rootpath
        modules = ("conftest", "builder", "installation", "prepared", "sample")
        for name in (*(f"tests/{module}.py" for module in modules), "pyproject.toml"):
            tmp_path.joinpath(name).write_bytes(root.joinpath(name).read_bytes())
        body = "\n".join(line.removeprefix(" " * 8) for line in lines)
        folder.joinpath("test_it.py").write_text(body, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        return done.stdout + done.stderr

    return run


def test_a_builder_refuses_a_failing_git(repo):
    with pytest.raises(AssertionError, match="git checkout -q nowhere"):
        repo.checkout("nowhere")


def test_a_replacement_must_find_its_text(tmp_path):
    repo = RepoBuilder(tmp_path / "r")
    repo.write("a", "x")
    with pytest.raises(AssertionError):
        repo.replace("a", "y", "z")
