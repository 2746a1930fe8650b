"""The first search of a large clone: an answer at once, the index meanwhile, nothing unseen."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from tests.background import log, settles
from tests.builder import RepoBuilder

pytestmark = pytest.mark.slow

# More text than is indexed while the user waits, on any machine.
FILES, LINES = 420, 600
QUESTION = ("where", "is", "the", "boiler", "pressure", "limited")
ANSWER = "plant/boiler_limits.py"
MADE = "the index is being made: git search status"


@pytest.fixture(scope="module")
def large(tmp_path_factory, isolation):
    """A repository of 10 MB, with one file that answers the question."""
    repo = RepoBuilder(tmp_path_factory.mktemp("large") / "large")
    for number in range(FILES):
        words = (f"value_{number}_{line} = {line} * factor_{line % 97}\n" for line in range(LINES))
        repo.write(f"data/table_{number}.py", "".join(words))
    repo.write(ANSWER, "def limit_pressure(boiler):\n    return min(boiler.pressure, 40)\n")
    repo.commit("all of it")
    return repo


@pytest.fixture
def clone(large, tmp_path):
    return large.clone(tmp_path / "clone")


@pytest.fixture(scope="module")
def larger(tmp_path_factory, isolation):
    """A repository of 40 MB: its view is published in parts first."""
    repo = RepoBuilder(tmp_path_factory.mktemp("larger") / "larger")
    for number in range(800):
        words = (
            f"reading {number} {line} of gauge {line % 97} is {line}\n" for line in range(1400)
        )
        repo.write(f"data/table_{number:03}.log", "".join(words))
    repo.write(ANSWER, "def limit_pressure(boiler):\n    return min(boiler.pressure, 40)\n")
    repo.write("aaa/boiler.py", "def limit_pressure(kettle):\n    return kettle\n")
    repo.commit("all of it")
    return repo


def asked(installed, repo, *words, **env):
    """The JSON answer to the question; what it warns of is said in it and nowhere else."""
    done = installed.run("--json", *words, *QUESTION, cwd=repo.path, env={"CI": None, **env})
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def status(installed, repo):
    done = installed.run("status", "--json", cwd=repo.path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def settled(installed, repo):
    """Wait until no process is at work, and return the status then."""
    settles(lambda: not status(installed, repo)["updating"] and " done: " in log(repo), 100)
    return status(installed, repo)


def parts(repo):
    """The names of the parts of views."""
    names = (path.name for path in (repo.index_dir / "views").glob("*.part*"))
    return {name for name in names if not name.endswith(".tmp")}


def held_with_parts(repo):
    """Hold the process that makes the index, once it has published a part; returns its id."""
    settles(lambda: parts(repo) or " done: " in log(repo))
    process = int((repo.index_dir / "background.lock").read_text())
    os.kill(process, signal.SIGSTOP)
    assert parts(repo), "indexed too soon"
    return process


def alive(process):
    """Whether a process runs: one that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.long
def test_an_answer_at_once_and_the_index_meanwhile(installed, clone):
    first = asked(installed, clone)
    assert first["results"][0]["path"] == ANSWER
    assert first["complete"] is False
    assert first["coverage"]["pending"] > FILES / 2
    assert first["warnings"][0].endswith(MADE)
    settles(lambda: status(installed, clone)["updating"] or " done: " in log(clone))
    assert settled(installed, clone)["current"]
    later = asked(installed, clone)
    assert (later["complete"], later["warnings"]) == (True, [])
    assert later == asked(installed, clone, "--refresh", "wait")
    assert later["results"][0]["path"] == ANSWER


@pytest.mark.parametrize("then", [signal.SIGCONT, signal.SIGKILL], ids=["goes on", "is killed"])
@pytest.mark.long
def test_what_is_indexed_answers_before_all_of_it_is(installed, larger, tmp_path, then):
    repo = larger.clone(tmp_path / "clone")
    first = asked(installed, repo)
    process = held_with_parts(repo)
    if then == signal.SIGKILL:
        os.kill(process, then)
        settles(lambda: not alive(process))
    second = asked(installed, repo)
    assert second["coverage"]["searchable"] > first["coverage"]["searchable"] + 100
    assert second["coverage"]["tracked"] == first["coverage"]["tracked"]
    assert second["coverage"]["pending"] > 0
    assert second["warnings"][0].endswith(MADE)
    assert second["results"][0]["path"] == ANSWER
    done = installed.run("def", "--json", "limit_pressure", cwd=repo.path)
    assert {one["path"] for one in json.loads(done.stdout)["symbols"]} == {ANSWER, "aaa/boiler.py"}
    if then == signal.SIGCONT:
        os.kill(process, then)
    assert settled(installed, repo)["current"]
    assert parts(repo) == set()
    last = asked(installed, repo)
    assert (last["complete"], last["warnings"]) == (True, [])
    assert last == asked(installed, repo, "--refresh", "wait")
    assert "failed" not in log(repo)
    done = installed.run("verify", cwd=repo.path)
    assert done.returncode == 0, done.stdout


@pytest.mark.long
def test_two_first_searches_leave_one_process_behind(installed, clone):
    running = [
        installed.start("--json", *QUESTION, cwd=clone.path, env={"CI": None}) for _ in range(2)
    ]
    answers = [json.loads(process.communicate(timeout=60)[0]) for process in running]
    assert [one["results"][0]["path"] for one in answers] == [ANSWER] * 2
    assert len(status(installed, clone)["updating"]) <= 1
    assert settled(installed, clone)["current"]


def test_nothing_is_left_behind_in_ci(installed, clone):
    done = installed.run(*QUESTION, cwd=clone.path, env={"CI": "true"})
    assert done.returncode == 0
    assert done.stderr.startswith("git search: answered from ")
    assert done.stderr.endswith(" files; git search index makes the rest searchable\n")
    assert not clone.index_dir.exists()


@pytest.mark.long
def test_an_interrupted_search_leaves_nothing_half_written(installed, clone):
    process = installed.start(*QUESTION, cwd=clone.path, env={"CI": None})
    time.sleep(0.25)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode in (0, 130, -signal.SIGINT)
    # a process that it left behind may still be at work, and is waited for
    done = installed.run("--json", "--refresh", "wait", *QUESTION, cwd=clone.path)
    assert json.loads(done.stdout)["complete"] is True
    done = installed.run("verify", cwd=clone.path)
    assert done.returncode == 0, done.stdout


@pytest.mark.long
def test_a_clone_that_is_deleted_while_it_is_indexed_takes_the_process_with_it(installed, clone):
    asked(installed, clone)
    deadline = time.monotonic() + 30
    while not (processes := status(installed, clone)["updating"]):
        assert not log(clone).count(" done: "), "indexed too soon to be deleted"
        assert time.monotonic() < deadline
    shutil.rmtree(clone.path)
    settles(lambda: not any(map(alive, processes)))


@pytest.mark.parametrize(
    "options",
    [
        ("--bare",),
        ("--depth=1", "--no-local"),
        ("--no-checkout",),
        ("--filter=blob:none", "--no-local"),
        ("--filter=blob:none", "--no-local", "--no-checkout"),
    ],
    ids=" ".join,
)
@pytest.mark.long
def test_any_kind_of_clone_is_answered(installed, large, tmp_path, options):
    large.git("config", "uploadpack.allowFilter", "true")
    repo = RepoBuilder.adopt(tmp_path / "clone", large.clock)
    large.git("clone", "-q", *options, f"file://{large.path}", str(repo.path))
    done = installed.run("--json", *QUESTION, cwd=repo.path, env={"CI": "true"})
    assert "Traceback" not in done.stderr
    answer = json.loads(done.stdout)
    if options[-1] == "--no-checkout" and "--filter=blob:none" in options:
        assert done.returncode == 1
        assert answer["coverage"]["skipped"]["absent"] > FILES
    else:
        assert done.returncode == 0, done.stderr
        assert answer["results"][0]["path"] == ANSWER


def test_an_index_that_cannot_be_written_is_said(installed, clone):
    (clone.index_dir).write_text("not a folder")
    first = asked(installed, clone)
    assert first["results"][0]["path"] == ANSWER
    assert first["complete"] is False
    assert "it is not a folder" in first["warnings"][0]


def test_a_reviewer_has_a_complete_answer_in_a_fresh_clone(installed, clone):
    clone.branch("topic")
    clone.append(ANSWER, "\n\ndef limit_logins(user):\n    return user.authentication.tries < 3\n")
    clone.commit()
    clone.append("data/table_7.py", "authentication = None\n")
    in_ci = {"CI": "true"}
    found = installed.answer("--changed", "main...", "authentication", cwd=clone.path, env=in_ci)
    assert found["complete"]
    assert [one["path"] for one in found["results"]] == [ANSWER]
    assert found["tree"]["rev"] == "HEAD"
    assert found["changed"] == {
        "from": clone.rev("main"),
        "to": clone.rev(),
        "removed": False,
        "files": 1,
        "lines": 4,
    }
    done = installed.run("--changed", "authentication", cwd=clone.path, env=in_ci)
    assert (done.stdout.count("\n"), done.stderr) == (1, "")
    assert done.stdout.startswith("data/table_7.py:")
    done = installed.run("--removed=main...", "authentication", cwd=clone.path, env=in_ci)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "git search: no line was removed in main...\n"
    assert not clone.index_dir.exists()
    done = installed.run("--changed=main...", "--cached", "authentication", cwd=clone.path)
    assert (done.returncode, done.stderr.count("\n")) == (129, 1)
