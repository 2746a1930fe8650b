"""Ctrl-C, kill -9 and two processes at once: what was done is kept, and nothing is corrupted."""

import json
import os
import shutil
import signal
import time

import pytest

from tests.builder import RepoBuilder
from tests.sample import build_crowd
from tests.terminal import CTRL_C, Terminal

pytestmark = pytest.mark.long

QUERY = ("-k", "20", "pause", "before", "a", "failed", "request", "is", "sent", "again")
FILES = 1200
INTERRUPTED = (130, -signal.SIGINT)


@pytest.fixture(scope="module")
def crowd_template(tmp_path_factory, isolation):
    return build_crowd(tmp_path_factory.mktemp("crowd") / "crowd", FILES)


@pytest.fixture
def crowd(crowd_template, tmp_path):
    path = tmp_path / "crowd"
    shutil.copytree(crowd_template.path, path)
    return RepoBuilder.adopt(path, crowd_template.clock)


@pytest.fixture(scope="module")
def full_run(installed, crowd_template, tmp_path_factory):
    """How long a whole index takes here, and the answer that follows."""
    path = tmp_path_factory.mktemp("whole") / "crowd"
    shutil.copytree(crowd_template.path, path)
    start = time.monotonic()
    assert parsed(installed, path) == FILES
    return time.monotonic() - start, results(installed.run("--jsonl", *QUERY, cwd=path))


def results(done):
    """Data and not text: a failing comparison of long lines takes pytest minutes to explain."""
    return [json.loads(line) for line in done.stdout.splitlines()]


def parsed(installed, path):
    """Bring the index up to date, and return how many files had to be parsed for it."""
    done = installed.run("index", "--json", cwd=path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["files_parsed"]


def hit(installed, path, signals, delay):
    """Start `git search index` and send its process group a signal after a while."""
    process = installed.start("index", cwd=path)
    time.sleep(delay)
    for number in signals:
        os.killpg(process.pid, number)
        time.sleep(0.05)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


def assert_whole(installed, repo, right):
    done = installed.run("--jsonl", *QUERY, cwd=repo.path)
    assert done.returncode == 0, done.stderr
    assert results(done) == right
    assert installed.run("verify", cwd=repo.path).returncode == 0


def test_ctrl_c_keeps_what_was_done(installed, crowd, full_run):
    _, right = full_run
    terminal = Terminal("git", "search", "index", cwd=crowd.path, env=installed.environment())
    done = int(terminal.read(rb" (\d+)/1200 files").group(1))
    assert 0 < done < FILES, "the progress was not seen in time"
    terminal.press(CTRL_C)
    assert terminal.finish() in INTERRUPTED
    assert b"Traceback" not in terminal.seen
    assert b"ignored" not in terminal.seen
    assert parsed(installed, crowd.path) <= FILES - done
    assert_whole(installed, crowd, right)


def test_ctrl_c_at_the_very_start_is_no_traceback(installed, crowd, full_run):
    _, right = full_run
    for delay in (0.02, 0.05, 0.1, 0.2, 0.3):
        code, err = hit(installed, crowd.path, [signal.SIGINT], delay)
        assert code in INTERRUPTED, err
        # Before our first line runs, Python itself may print where it was stopped.
        assert "gitsearch/" not in err
        assert "ignored" not in err
    assert_whole(installed, crowd, right)


def test_ctrl_c_ends_a_long_query_of_the_record(installed, crowd):
    installed.run("index", cwd=crowd.path)
    endless = (
        "with recursive t(n) as (select 1 union all select n + 1 from t) select max(n) from t"
    )
    process = installed.start("sql", endless, cwd=crowd.path)
    time.sleep(1.0)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode in INTERRUPTED
    assert not err


def test_ctrl_c_twice_is_no_worse(installed, crowd, full_run):
    duration, right = full_run
    _, err = hit(installed, crowd.path, [signal.SIGINT, signal.SIGINT], duration * 0.5)
    assert "Traceback" not in err
    assert_whole(installed, crowd, right)


def test_ctrl_c_leaves_no_process_behind(installed, crowd, full_run):
    duration, _ = full_run
    process = installed.start("index", cwd=crowd.path)
    time.sleep(duration * 0.5)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    for _ in range(100):
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("a process of the group is still alive")


@pytest.mark.parametrize("share", [0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
def test_a_killed_writer_leaves_an_index_that_answers(installed, crowd, full_run, share):
    duration, right = full_run
    hit(installed, crowd.path, [signal.SIGKILL], duration * share)
    assert_whole(installed, crowd, right)


@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGHUP]])
def test_a_terminated_writer_leaves_an_index_that_answers(installed, crowd, full_run, signals):
    duration, right = full_run
    hit(installed, crowd.path, signals, duration * 0.6)
    assert_whole(installed, crowd, right)


def test_two_processes_may_index_at_once(installed, crowd, full_run):
    _, right = full_run
    both = [installed.start("index", cwd=crowd.path) for _ in range(2)]
    for process in both:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    assert parsed(installed, crowd.path) == 0
    assert_whole(installed, crowd, right)


def test_searches_during_an_index_are_right(installed, crowd, full_run):
    _, right = full_run
    writer = installed.start("index", cwd=crowd.path)
    searchers = [installed.start("--jsonl", *QUERY, cwd=crowd.path) for _ in range(3)]
    for process in searchers:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert [json.loads(line) for line in out.splitlines()] == right
    writer.communicate(timeout=120)
    assert writer.returncode == 0
    assert_whole(installed, crowd, right)


def test_two_worktrees_may_be_indexed_at_once(installed, crowd, tmp_path, full_run):
    _, right = full_run
    other = crowd.worktree(tmp_path / "other")
    other.write("part0/more.py", "def more(): ...\n")
    other.commit("more")
    both = [installed.start("index", cwd=place.path) for place in (crowd, other)]
    for process in both:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    assert_whole(installed, crowd, right)
    assert parsed(installed, other.path) == 0
