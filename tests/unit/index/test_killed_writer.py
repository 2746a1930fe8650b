"""A writer that is killed at any moment leaves an index that answers right."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitsearch.commands.verify import verify
from gitsearch.errors import Busy
from gitsearch.store import layout, lock
from tests.killing import killed
from tests.sample import METRIC
from tests.unit.commands.asked import Listener, answers, fresh_answers, indexed, searched, session

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]

# Indexes the current folder, a few files a transaction.
PREPARE = """
from gitsearch.commands.index import index
from gitsearch.index import extraction_pool, facts_writer, view_parts
extraction_pool.BATCH_FILES, facts_writer._FLUSH_MOST, view_parts.FIRST = 16, 1, 1
"""
RUN = "index(Session(pathlib.Path.cwd()), None, rebuild=False, dry_run=False)"

MOMENTS = [
    ("gitsearch.store.layout", "prepare", 1, "after"),
    ("gitsearch.store.facts_db", "FactsDb.set_meta", 1, "after"),
    ("gitsearch.store.facts_db", "FactsDb.__exit__", 1, "before"),
    ("gitsearch.store.facts_db", "FactsDb.__exit__", 1, "after"),
    ("gitsearch.index.extraction_pool", "extracted", 1, "after"),
    ("gitsearch.store.vector_file", "append", 1, "before"),
    ("os", "fsync", 1, "before"),
    ("os", "fsync", 2, "after"),
    ("gitsearch.store.vector_file", "append", 1, "after"),
    ("gitsearch.store.vector_file", "append", 2, "after"),
    ("gitsearch.store.facts_db", "FactsDb.insert", 3, "after"),
    ("gitsearch.store.facts_db", "FactsDb.insert", 7, "before"),
    ("gitsearch.store.facts_db", "FactsDb.__exit__", 2, "before"),
    ("gitsearch.store.facts_db", "FactsDb.__exit__", 3, "before"),
    ("gitsearch.store.facts_db", "FactsDb.__exit__", 3, "after"),
    ("gitsearch.index.segment", "build", 1, "after"),
    ("pathlib", "Path.replace", 1, "before"),
    ("pathlib", "Path.replace", 2, "before"),
    ("pathlib", "Path.replace", 3, "after"),
    ("gitsearch.store.sections", "write", 1, "before"),
    ("gitsearch.store.sections", "write", 1, "after"),
    ("gitsearch.store.checksums", "Checksums.add", 3, "before"),
    ("gitsearch.index.view_store", "ViewStore.publish_part", 1, "before"),
    ("gitsearch.index.view_store", "ViewStore.publish_part", 1, "after"),
    ("gitsearch.index.view_store", "ViewStore.publish", 1, "before"),
    ("gitsearch.index.view_store", "ViewStore.publish", 1, "after"),
    ("gitsearch.index.view_store", "ViewStore.prune", 1, "after"),
]
FEW = [MOMENTS[8], MOMENTS[14]]


def kill(repo, *moment):
    """Index, killed at a moment; says whether the moment came."""
    return killed(repo.path, PREPARE, RUN, moment)


def assert_sound(repo):
    listener = Listener()
    first = answers(repo, listener=listener)
    # a first writer may not have come to sealing what it wrote
    assert all(note.startswith("seal: missing") for note in listener.notes)
    assert first == fresh_answers(repo)
    # a search after a small commit writes no view; the next update tidies
    indexed(repo)
    assert answers(repo) == first
    assert verify(session(repo.path)).problems == ()


@pytest.mark.long
@pytest.mark.parametrize("moment", FEW, ids=lambda moment: "-".join(map(str, moment[1:])))
def test_a_first_index_that_is_killed(sample, moment):
    assert kill(sample, *moment), "a moment that never comes would make this test pass"
    assert_sound(sample)


@pytest.mark.long
@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: "-".join(map(str, moment[1:])))
def test_a_first_index_that_is_killed_anywhere(sample, moment):
    kill(sample, *moment)
    assert_sound(sample)


def grow(repo):
    repo.write("service/more_histogram.py", METRIC.render("python"))
    repo.append("service/retry_policy.py", "\nMORE_RETRIES = 1\n")
    repo.commit()


@pytest.mark.parametrize("moment", FEW[:1], ids=lambda moment: "-".join(map(str, moment[1:])))
def test_an_update_that_is_killed(current, moment):
    grow(current)
    kill(current, *moment)
    assert_sound(current)


@pytest.mark.long
@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: "-".join(map(str, moment[1:])))
def test_an_update_that_is_killed_anywhere(current, moment):
    grow(current)
    kill(current, *moment)
    assert_sound(current)


def test_readers_of_the_old_tree_are_right_after_a_killed_update(current):
    before = answers(current)
    grow(current)
    kill(current, "gitsearch.store.vector_file", "append", 1, "after")
    assert answers(current, at="HEAD~1") == before
    assert searched(current, "retry", at="HEAD~1", refresh="off").coverage.pending == 0


# ---------------------------------------------------------------- random moments


INDEX = """
import pathlib
from gitsearch.commands.index import index
from gitsearch.index.session import Session
index(Session(pathlib.Path.cwd()), None, rebuild=False, dry_run=False)
"""


def start(repo):
    return subprocess.Popen(
        [sys.executable, "-c", INDEX],
        cwd=repo.path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
    )


@pytest.mark.long
def test_a_writer_that_is_killed_again_and_again_gets_there_in_the_end(sample):
    with start(sample) as whole:
        began = time.monotonic()
        _, err = whole.communicate()
        duration = time.monotonic() - began
        assert whole.returncode == 0, err
    for share in (0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
        sample.append("service/retry_policy.py", f"\nSHARE_{int(share * 100)} = 1\n")
        sample.commit()
        with start(sample) as process:
            time.sleep(duration * share)
            process.kill()
        listener = Listener()
        assert answers(sample, listener=listener) == fresh_answers(sample)
        assert all(note.startswith("seal: missing") for note in listener.notes)


def test_the_lock_of_a_killed_writer_is_free_though_its_children_live(sample):
    # the child that parses inherits open files; it must not inherit the lock
    busy = (
        f"import pathlib, time\nfrom gitsearch.index.session import Session\n{PREPARE}"
        "busy = lambda *_: (print('parsing', flush=True), time.sleep(60))\n"
        f"extraction_pool.extract_columns = busy\n{RUN}\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", busy],
        cwd=sample.path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"parsing\n"
            process.kill()
            process.wait()
            with lock.writer(sample.index_dir, 2):
                pass
        except Busy:
            pytest.fail("the lock outlives its holder")
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_writer_that_fails_or_is_interrupted_leaves_no_temporary_file(repo, monkeypatch, error):
    repo.having({"a.py": "def a(): pass\n"})
    adopt = layout.adopt

    def fail(source, target):
        if target.name == layout.RECORD:
            raise error
        adopt(source, target)

    monkeypatch.setattr(layout, "adopt", fail)
    with pytest.raises((KeyboardInterrupt, OSError)):
        indexed(repo)
    assert not layout.leftovers(repo.index_dir)
