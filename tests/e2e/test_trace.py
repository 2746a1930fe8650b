"""`--trace`: what a search does, in counts that no change may raise unnoticed."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.builder import RepoBuilder
from tests.terminal import Terminal


def traced(installed, repo, *words, json_form=True):
    done = installed.run("--trace=json" if json_form else "--trace", *words, cwd=repo.path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stderr.splitlines()[-1]) if json_form else done.stderr


@pytest.fixture
def settled(installed, sample):
    """A repository whose index is up to date."""
    assert installed.run("index", "-q", cwd=sample.path).returncode == 0
    return sample


def test_a_first_search_parses_and_embeds(installed, sample):
    counts = traced(installed, sample, "retry", "policy")["counts"]
    assert counts["files parsed"] > 20
    assert counts["terms embedded"] > 100
    assert counts["bytes read"] > 10_000


def test_a_search_of_a_settled_index_only_maps_files(installed, settled):
    found = traced(installed, settled, "retry", "policy")
    counts = found["counts"]
    assert "files parsed" not in counts
    assert "record opened" not in counts, "DuckDB is not needed to search"
    assert counts["files mapped"] == 2, "a view and the vectors"
    assert counts["git processes"] <= 4
    sizes = [path.stat().st_size for path in settled.index_dir.rglob("*") if path.is_file()]
    assert 0 < counts["bytes mapped"] < sum(sizes)
    assert {one["stage"] for one in found["stages"]} >= {"repository", "view", "words", "meaning"}


def test_a_search_of_a_settled_index_loads_only_what_it_needs(installed, settled):
    env = {"PYTHONPROFILEIMPORTTIME": "1"}
    done = installed.run("retry", "policy", cwd=settled.path, env=env)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "numpy" in loaded
    # masked arrays come with np.isin, and take as long as a search
    spared = {"numpy.ma", "pygit2", "scipy", "duckdb", "igraph", "tokenizers", "tree_sitter"}
    assert loaded.isdisjoint(spared), loaded & spared


def test_a_question_to_many_repositories_reads_their_settings_at_once(installed, tmp_path):
    folders = [tmp_path / name for name in ("one", "two", "three", "four")]
    for folder in folders:
        RepoBuilder(folder).having({"a.py": "retry = 1\n"})
        assert installed.run("index", "-q", cwd=folder).returncode == 0
    done = installed.run("--trace=json", "--in", ".", "retry", cwd=tmp_path)
    counts = json.loads(done.stderr.splitlines()[-1])["counts"]
    # each opened, looked at for edits, and its text read; three times settings, two of them of all
    assert counts["git processes"] <= 3 * len(folders) + 3


def test_a_profiler_prints_what_it_has(installed, settled):
    python = sys.executable
    command = [python, "-P", "-m", "cProfile", "-m", "gitsearch", "-k1", "retry"]
    done = subprocess.run(command, cwd=settled.path, capture_output=True, text=True, check=True)
    assert "function calls" in done.stdout


def test_edited_files_are_parsed_once(installed, settled):
    settled.append("service/retry_policy.py", "\nPAUSE = 3\n")
    first = traced(installed, settled, "pause")["counts"]
    assert (first["edited files"], first["files parsed"]) == (1, 1)
    again = traced(installed, settled, "pause")["counts"]
    assert again["edited files"] == 1
    assert "files parsed" not in again
    assert again["files mapped"] == 3, "and what was laid over them"


def test_a_commit_parses_what_it_changed(installed, settled):
    settled.append("service/retry_policy.py", "\nPAUSE = 3\n")
    settled.commit()
    assert traced(installed, settled, "pause")["counts"]["files parsed"] == 1
    settled.revert()
    counts = traced(installed, settled, "pause")["counts"]
    assert "files parsed" not in counts
    assert "terms embedded" not in counts or counts["terms embedded"] == 0


def test_people_get_a_table(installed, settled):
    text = traced(installed, settled, "retry", json_form=False)
    assert text.startswith("trace: ")
    assert "meaning" in text
    assert "bytes mapped" in text


@pytest.mark.long
def test_every_verb_takes_it(installed, settled):
    for verb in ("index", "status", "verify", "gc"):
        done = installed.run(verb, "--trace", cwd=settled.path)
        assert (done.returncode, "trace: " in done.stderr) == (0, True), verb
    assert installed.run("--trace=xml", "retry", cwd=settled.path).returncode == 129


@pytest.fixture
def counted(installed, settled, tmp_path):
    """Runs the program in a settled repository: what git is started for, and what is printed."""
    folder, log = tmp_path / "counting", tmp_path / "started"
    folder.mkdir()
    shim = f'#!/bin/sh\necho "$*" >>{log}\nexec {shutil.which("git")} "$@"\n'
    folder.joinpath("git").write_text(shim)
    folder.joinpath("git").chmod(0o755)
    env = installed.environment()
    env = {**env, "PATH": os.pathsep.join([str(folder), env["PATH"]]), "GIT_PAGER": "cat"}

    def run(*words, terminal):
        log.unlink(missing_ok=True)
        command = [str(installed.bin / "git-search"), *words]
        if terminal:
            screen = Terminal(*command, cwd=settled.path, env=env)
            code, seen = screen.finish(), screen.seen
        else:
            done = subprocess.run(command, cwd=settled.path, env=env, stdout=-1, check=False)
            code, seen = done.returncode, done.stdout
        assert code == (words[0] == "report"), seen
        return log.read_text().splitlines(), seen

    return run


@pytest.mark.parametrize("terminal", [False, True])
def test_git_is_started_four_times_for_a_search(counted, terminal):
    started, seen = counted("retry", "policy", terminal=terminal)
    assert b"retry_policy.py" in seen
    assert (b"\x1b[" in seen) == terminal
    assert len(started) <= 4, started


@pytest.mark.parametrize("base", [(), ("--base", "HEAD~1")])
@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.long
def test_git_is_started_eight_times_for_a_check_of_two_commits(counted, settled, terminal, base):
    settled.git("branch", "-m", "work")
    settled.git("branch", "main")
    settled.rename("service/retry_policy.py", "service/retrying.py")
    settled.append("service/retrying.py", "\nPAUSE = 3\n")
    settled.commit()
    for _ in range(2):  # the first makes the view of the new tree
        started, seen = counted("report", "--check", *base, terminal=terminal)
        plain = re.sub(rb"\x1b\[[0-9;]*m", b"", seen)
        assert b"but service/retry_policy.py is gone" in plain
    assert len(started) <= 8, started
