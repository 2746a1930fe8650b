"""Readers beside writers: nobody waits, nobody fails, and no answer mixes two trees."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest

from gitsearch.store import lock
from tests.builder import RepoBuilder
from tests.forge import QUERIES, ROOT, forging

pytestmark = pytest.mark.long

READERS = 3
# Far above what an answer takes, far below what waiting for a writer would.
AT_ONCE = 5.0


@pytest.fixture(scope="module")
def forges(isolation):
    """One for the writer, the others for readers."""
    with ExitStack() as stack:
        yield [stack.enter_context(forging()) for _ in range(READERS + 1)]


def digests(said):
    assert "error" not in said, said
    assert said["pending"] == 0, said
    return [digest for _, _, digest in said["each"]]


@pytest.fixture(scope="module")
def known(sample_template, forges, tmp_path_factory):
    """The newest commits, the oldest first, and the right answers by tree."""
    path = tmp_path_factory.mktemp("known") / "sample"
    shutil.copytree(sample_template.path, path, symlinks=True)
    repo = RepoBuilder.adopt(path, sample_template.clock)
    commits = repo.git("rev-list", "--first-parent", "-n", "12", "HEAD").split()[::-1]
    right = {}
    for commit in commits:
        said = forges[0].run("search", path, at=commit)
        right[said["tree"]] = digests(said)
    assert len({tuple(one) for one in right.values()}) > 3
    return commits, right


@pytest.fixture
def bare(sample, tmp_path):
    """A repository without working tree, whose HEAD moves by update-ref alone."""
    return sample.clone(tmp_path / "bare.git", "--bare")


class Crowd:
    """Readers that ask until the block ends, and what they were told."""

    def __init__(self, forges, path):
        self.forges, self.path = forges, path
        self.told = []
        self._over = threading.Event()

    def _read(self, forge):
        while not self._over.is_set():
            began = time.monotonic()
            said = forge.run("search", self.path)
            self.told.append((began, time.monotonic(), said))

    @contextmanager
    def session(self):
        with ThreadPoolExecutor(len(self.forges)) as pool:
            running = [pool.submit(self._read, forge) for forge in self.forges]
            try:
                yield self
            finally:
                self._over.set()
            for one in running:
                one.result()
        assert len(self.told) > 2 * len(self.forges), "hardly anybody asked"

    def assert_right(self, right):
        """Each answer is whole and right for the tree that it names, and came at once."""
        for began, ended, said in self.told:
            assert "error" not in said, said
            assert said["notes"] == [], said
            assert said["warnings"] == [], said
            assert said["pending"] == 0, said
            assert ended - began < AT_ONCE * len(QUERIES)
            for number, (tree, dirty, digest) in enumerate(said["each"]):
                assert dirty == 0
                assert digest == right[tree][number], (number, tree)

    def assert_current(self, moved):
        """No answer is for a tree that HEAD did not have during the question.

        moved: when each move of HEAD began and ended, and the tree it led to.
        """
        for began, ended, said in self.told:
            first = max(i for i, (_, end, _) in enumerate(moved) if end <= began)
            during = {tree for start, _, tree in moved[first:] if start <= ended}
            assert {tree for tree, _, _ in said["each"]} <= during


def move(repo, commit):
    """Let HEAD be another commit; when that began and ended, and its tree."""
    tree = repo.rev(f"{commit}^{{tree}}")
    began = time.monotonic()
    repo.git("update-ref", "HEAD", commit)
    return began, time.monotonic(), tree


def test_a_writer_that_commits_and_indexes(forges, known, bare):
    commits, right = known
    moved = [move(bare, commits[0])]
    with Crowd(forges[1:], bare.path).session() as crowd:
        for commit in commits[1:]:
            moved.append(move(bare, commit))
            assert "error" not in forges[0].run("index", bare.path)
    crowd.assert_right(right)
    crowd.assert_current(moved)
    assert len({tree for _, _, said in crowd.told for tree, _, _ in said["each"]}) > 3


def test_an_index_that_is_taken_away_under_its_readers(forges, known, bare, tmp_path):
    commits, right = known
    moved = [move(bare, commits[0])]
    with Crowd(forges[1:], bare.path).session() as crowd:
        for number, commit in enumerate(commits[1:6]):
            moved.append(move(bare, commit))
            assert "error" not in forges[0].run("search", bare.path)
            (bare.path / "search").rename(tmp_path / f"taken {number}")
    crowd.assert_current(moved)
    for _, _, said in crowd.told:
        assert "error" not in said, said
        for number, (tree, _, digest) in enumerate(said["each"]):
            assert digest == right[tree][number]


def test_gc(forges, known, bare):
    commits, right = known
    writer = forges[0]
    with Crowd(forges[1:], bare.path).session() as crowd:
        for number in range(4):
            bare.git("update-ref", "HEAD", commits[number])
            assert "error" not in writer.run("index", bare.path)
            said = writer.run("gc", bare.path)
            assert "error" not in said, said
            bare.git("update-ref", "HEAD", commits[-1 - number])
            assert "error" not in writer.run("index", bare.path)
    crowd.assert_right(right)
    assert writer.run("verify", bare.path)["problems"] == []


def test_gc_that_numbers_all_chunks_anew(forges, known, bare):
    commits, right = known
    writer = forges[0]
    for ref in bare.git("for-each-ref", "--format=%(refname)").split():
        if ref != "refs/heads/main":
            bare.git("update-ref", "-d", ref)
    newest = commits[-1]
    bare.git("update-ref", "HEAD", commits[0])
    assert "error" not in writer.run("index", bare.path)
    names = set()
    with Crowd(forges[1:], bare.path).session() as crowd:
        for _ in range(3):
            assert "error" not in writer.run("index", bare.path, at=newest)
            assert "error" not in writer.run("gc", bare.path)
            names |= {file.name for file in (bare.path / "search").glob("vectors-*.i4")}
    assert len(names) > 1, "no gc wrote the index anew"
    crowd.assert_right(right)
    assert writer.run("verify", bare.path)["problems"] == []


def test_rebuild(forges, known, bare):
    commits, right = known
    writer = forges[0]
    move(bare, commits[-1])
    assert "error" not in writer.run("index", bare.path)
    before = {file.name for file in (bare.path / "search").glob("vectors-*.i4")}
    with Crowd(forges[1:], bare.path).session() as crowd:
        for _ in range(3):
            said = writer.run("rebuild", bare.path)
            assert "error" not in said, said
    assert not before & {file.name for file in (bare.path / "search").glob("vectors-*.i4")}
    crowd.assert_right(right)
    assert writer.run("verify", bare.path)["problems"] == []


def test_two_writers_and_a_tidier(forges, known, bare):
    commits, right = known
    orders = [
        [("index", {"at": commit}) for commit in commits],
        [("index", {"at": commit}) for commit in reversed(commits)],
        [("gc", {}), ("rebuild", {}), ("verify", {})] * 2,
    ]

    def work(forge, orders):
        for verb, order in orders:
            said = forge.run(verb, bare.path, **order)
            assert "error" not in said, (verb, said)
            assert said.get("problems", []) == [], said

    with ThreadPoolExecutor(len(orders)) as pool:
        for one in [pool.submit(work, *both) for both in zip(forges, orders, strict=False)]:
            one.result()
    assert forges[0].run("verify", bare.path)["problems"] == []
    for commit in commits:
        said = forges[0].run("search", bare.path, at=commit)
        assert digests(said) == right[said["tree"]]


def test_many_readers_of_an_index_that_nobody_has_made(forges, known, bare):
    commits, right = known
    move(bare, commits[-1])
    for _ in range(3):
        with ThreadPoolExecutor(len(forges)) as pool:
            told = list(pool.map(lambda forge: forge.run("search", bare.path), forges))
        for said in told:
            assert digests(said) == right[said["tree"]]
            assert said["notes"] == []
        assert forges[0].run("verify", bare.path)["problems"] == []
        shutil.rmtree(bare.path / "search")


def test_readers_that_all_find_the_same_damage(forges, known, bare):
    commits, right = known
    move(bare, commits[-1])
    for kind in ("vectors-*", "index.duckdb", "views/*.view"):
        forges[0].run("index", bare.path)
        for file in (bare.path / "search").glob(kind):
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        with ThreadPoolExecutor(len(forges)) as pool:
            told = list(pool.map(lambda forge: forge.run("search", bare.path), forges))
        for said in told:
            assert digests(said) == right[said["tree"]], kind
        # who came too late found nothing to heal
        assert sum(len(said["notes"]) for said in told) >= 1
        said = forges[0].run("search", bare.path)
        assert (said["notes"], digests(said)) == ([], right[said["tree"]])
        assert forges[0].run("verify", bare.path)["problems"] == []


# ---------------------------------------------------------------- nobody waits


@pytest.mark.parametrize("indexed", [True, False])
def test_a_question_does_not_wait_for_the_writer(forges, known, bare, indexed):
    commits, right = known
    if indexed:
        forges[0].run("index", bare.path, at=commits[0])
    (bare.path / "search").mkdir(exist_ok=True)
    with lock.writer(bare.path / "search", 0):
        before = sorted((bare.path / "search").rglob("*"))
        for commit in (commits[-1], commits[4]):
            began = time.monotonic()
            said = forges[0].run("search", bare.path, at=commit)
            assert time.monotonic() - began < AT_ONCE * len(QUERIES)
            assert digests(said) == right[said["tree"]]
            assert said["notes"] == said["warnings"] == []
        made = {path.name for path in (bare.path / "search").rglob("*")}
        assert made - {path.name for path in before} <= {"views", "README", "CACHEDIR.TAG", "seal"}


HOLD = """
import pathlib, sys
from gitsearch.store.facts_db import FactsDb
with FactsDb(pathlib.Path(sys.argv[1]), write=True) as record:
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def held(bare, forges, known):
    """Another process is in the middle of a transaction, and holds the record for itself."""
    forges[0].run("index", bare.path, at=known[0][0])
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, bare.path / "search" / "index.duckdb"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.send_signal(signal.SIGKILL)


def test_a_question_does_not_wait_for_a_transaction(forges, known, bare, held):
    commits, right = known
    with lock.writer(bare.path / "search", 0):
        for commit in (commits[0], commits[-1]):
            began = time.monotonic()
            said = forges[0].run("search", bare.path, at=commit)
            assert time.monotonic() - began < AT_ONCE * len(QUERIES)
            assert digests(said) == right[said["tree"]]


@pytest.mark.parametrize("words", [["status"], ["sql", "select 1"], ["verify"]])
def test_who_needs_the_record_says_that_it_is_in_use(installed, bare, held, words):
    began = time.monotonic()
    done = installed.run(*words, cwd=bare.path)
    assert time.monotonic() - began < AT_ONCE
    assert "in use" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_answers_that_say_off_are_not_kept_waiting(installed, bare, held, known):
    began = time.monotonic()
    said = installed.answer("--refresh", "off", "--at", known[0][-1], "retry", cwd=bare.path)
    assert time.monotonic() - began < AT_ONCE
    assert said["coverage"]["pending"] > 0
    assert said["warnings"]


def test_the_lock_is_free_when_its_holder_is_dead(forges, known, bare):
    commits, right = known
    for number in range(5):
        said = forges[0].run("index", bare.path, at=commits[number], kill_after=0.05 * number)
        assert said["end"] in (0, -signal.SIGKILL)
        said = forges[1].run("index", bare.path, at=commits[number])
        assert "error" not in said
        assert not [note for note in said["notes"] if "waiting" in note], said
    assert (bare.path / "search" / "lock").read_text().strip().isdigit()
    said = forges[1].run("search", bare.path, at=commits[4])
    assert digests(said) == right[said["tree"]]
