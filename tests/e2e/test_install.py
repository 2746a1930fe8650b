"""The wheel holds everything, and the program runs from a clean environment, offline."""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import gitsearch
from tests.confinement import forbid_sockets, without_network
from tests.sample import build_crowd

QUERY = ("where", "is", "the", "pause", "before", "a", "retry", "decided")
# The files that say it, in two languages.
RIGHT = ("web/src/retry-policy.ts:", "service/retry_policy.py:")


@pytest.fixture(scope="module")
def wheel_names(installed):
    if installed.wheel is None:
        pytest.skip("--prefix was given: no wheel was built")
    with zipfile.ZipFile(installed.wheel) as wheel:
        return set(wheel.namelist())


def checkout_files(request, folder, pattern):
    root = request.config.rootpath
    return {str(path.relative_to(root)) for path in (root / folder).rglob(pattern)}


@pytest.mark.parametrize(
    ("folder", "pattern", "at_least"),
    [
        ("gitsearch", "*.py", 40),
        ("gitsearch/extract/queries", "*.scm", 30),
        ("gitsearch/features/model", "*.*", 4),
        ("gitsearch", "py.typed", 1),
    ],
)
def test_wheel_holds_the_whole_package(request, wheel_names, folder, pattern, at_least):
    files = checkout_files(request, folder, pattern)
    assert len(files) >= at_least
    assert files <= wheel_names


def test_wheel_holds_nothing_else(wheel_names):
    tops = {name.split("/")[0] for name in wheel_names}
    stem = f"git_semantic_search-{gitsearch.__version__}"
    assert tops == {"gitsearch", f"{stem}.dist-info", f"{stem}.data"}
    assert not [name for name in wheel_names if name.endswith((".pyc", ".tmp", ".orig"))]


@pytest.mark.parametrize(
    "path",
    [
        "share/man/man1/git-search.1",
        "share/bash-completion/completions/git-search",
        "share/zsh/site-functions/_git-search",
    ],
)
def test_shared_files_are_installed(installed, path):
    assert (installed.prefix / path).stat().st_size > 0


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE"])
def test_wheel_carries_the_licence(wheel_names, name):
    dist = f"git_semantic_search-{gitsearch.__version__}.dist-info"
    assert f"{dist}/licenses/{name}" in wheel_names


@pytest.mark.long
def test_source_distribution_builds_the_same_wheel(request, installed, wheel_names, tmp_path):
    root = request.config.rootpath
    code = "import hatchling.build, sys; print(hatchling.build.build_sdist(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, tmp_path],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    with tarfile.open(tmp_path / done.stdout.strip()) as source:
        stem = f"git_semantic_search-{gitsearch.__version__}/"
        names = {name.removeprefix(stem) for name in source.getnames()}
    packaged = {name for name in wheel_names if name.startswith("gitsearch/")}
    assert {name.replace("gitsearch/hooks/", "hooks/") for name in packaged} <= names


def test_program_comes_from_its_own_environment(installed, tmp_path):
    code = "import gitsearch, sys; print(gitsearch.__file__, sys.prefix)"
    said = subprocess.run(
        [installed.python, "-P", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert all(Path(word).is_relative_to(installed.prefix) for word in said)


def test_version_is_the_package_version(installed, tmp_path):
    done = installed.run("--version", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f" version {gitsearch.__version__}\n")


@pytest.mark.parametrize("option", ["-h"])
def test_short_help_says_how_to_call_it(installed, tmp_path, option):
    done = installed.run(option, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "git search [<options>] <query words>" in done.stdout


@pytest.mark.skipif(not shutil.which("man"), reason="this machine has no man")
def test_long_help_is_the_man_page(installed, tmp_path):
    done = installed.run("--help", cwd=tmp_path, env={"MANPAGER": "cat", "MANWIDTH": "80"})
    assert done.returncode == 0, done.stderr
    assert re.search(r"(?m)^GIT-SEARCH\(1\)", done.stdout)


def test_module_runs_as_the_program_does(installed, sample):
    done = subprocess.run(
        [installed.python, "-P", "-m", "gitsearch", "--version"],
        cwd=sample.path,
        env=installed.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == installed.run("--version", cwd=sample.path).stdout


def test_first_search_in_a_fresh_clone_answers(installed, sample, tmp_path):
    clone = sample.clone(tmp_path / "clone")
    done = installed.run(*QUERY, cwd=clone.path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(RIGHT)


def test_search_opens_no_socket(installed, sample, tmp_path):
    env = forbid_sockets(tmp_path / "forbidden")
    done = installed.run(*QUERY, cwd=sample.path, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(RIGHT)
    said = (tmp_path / "forbidden" / "said").read_text().split()
    assert said, "the guard was not loaded"
    assert "socket" not in said


@pytest.mark.long
def test_a_large_first_index_opens_no_socket(installed, tmp_path):
    # large enough for several processes, which must not talk by sockets either
    crowd = build_crowd(tmp_path / "crowd", files=60)
    for number in range(12):
        text = crowd.file("part0/retry_policy_0.py").read_text(encoding="utf-8")
        many = (text.replace("Part0", f"Part{number}_{copy}") for copy in range(300))
        crowd.write(f"large/module_{number}.py", "".join(many))
    crowd.commit("Large modules")
    env = forbid_sockets(tmp_path / "forbidden")
    done = installed.run("index", cwd=crowd.path, env=env)
    assert done.returncode == 0, done.stderr
    said = (tmp_path / "forbidden" / "said").read_text().split()
    assert said, "the guard was not loaded"
    assert "socket" not in said


def test_the_socket_guard_guards(installed, tmp_path):
    env = forbid_sockets(tmp_path / "forbidden")
    done = subprocess.run(
        [installed.python, "-P", "-c", "import socket; socket.socket()"],
        env=installed.environment(env),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "sockets are forbidden" in done.stderr
    assert "socket" in (tmp_path / "forbidden" / "said").read_text().split()


def test_search_answers_without_a_network(installed, sample):
    done = installed.run(*QUERY, cwd=sample.path, wrapper=without_network())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(RIGHT)
