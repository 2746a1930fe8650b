"""Parts of a view: what they hold, who uses them, and when they go."""

import concurrent.futures
import itertools
import os

import numpy as np
import pytest

from gitsearch.commands.define import define
from gitsearch.commands.exists import exists
from gitsearch.commands.gc import collect
from gitsearch.commands.outline import outline
from gitsearch.commands.verify import verify
from gitsearch.errors import Unwritable
from gitsearch.git import background_process
from gitsearch.index import extraction_pool, facts_writer, first_view, view_parts
from gitsearch.index.open_view import ViewOpener
from gitsearch.index.segment_input import Dictionary
from gitsearch.index.tree_files import Choice
from gitsearch.index.view_store import ViewStore
from gitsearch.settings import SOON
from gitsearch.store import sections
from tests.unit.commands.asked import QUERIES, Listener, indexed, searched, session
from tests.unit.index.views import oid_of

pytestmark = pytest.mark.slow

NAMES = (
    "compute_delay",
    "computeDelay",
    "RetryPolicy",
    "RetryPolicy.compute_delay",
    "main",
    "max",
)


class _AtOnce:
    """Does what it is given before anything else happens."""

    def __init__(self, _):
        pass

    def submit(self, function, *words):
        future: concurrent.futures.Future[None] = concurrent.futures.Future()
        future.set_result(function(*words))
        return future

    def shutdown(self):
        pass


@pytest.fixture
def small_parts(monkeypatch):
    """Parts of a few files, each published as soon as these are recorded."""
    monkeypatch.setattr(view_parts, "FIRST", 1)
    monkeypatch.setattr(view_parts, "GROWTH", 0.1)
    monkeypatch.setattr(extraction_pool, "BATCH_FILES", 8)
    monkeypatch.setattr(facts_writer, "_FLUSH_MOST", 1)
    monkeypatch.setattr(concurrent.futures, "ThreadPoolExecutor", _AtOnce)


@pytest.fixture
def hurried(small_parts, sample, monkeypatch):
    """A repository that would take long to index; nothing is started in the background."""
    monkeypatch.setattr(first_view, "_SOON_INDEXED", 0)
    monkeypatch.setattr(first_view, "FILES", 4)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(background_process, "start", lambda *_: None)
    return sample


def stopped(repo, **options):
    """Index until there are parts, and end as if the process had been killed then."""

    def died(*_):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ViewStore, "publish", died)
        with pytest.raises(KeyboardInterrupt):
            indexed(repo, **options)
    return parts(repo)


def parts(repo):
    """The files of parts, by number."""
    found = (repo.index_dir / "views").glob("*.part*")
    return sorted(found, key=lambda path: int(path.name.rpartition("part")[2]))


def held(repo, file):
    """The paths in a part, and its meta."""
    read = sections.read(repo.index_dir, f"views/{file.name}")
    text, ends = read["path_text"].tobytes(), read["path_ends"].tolist()
    return [os.fsdecode(text[a:b]) for a, b in itertools.pairwise(ends)], read.meta


def tracked(repo):
    return repo.git("ls-files", "-z").split("\0")[:-1]


def problems(repo):
    return [one.name for one in verify(session(repo.path)).problems]


def test_parts_hold_different_files_of_the_tree_and_are_few(hurried):
    files = stopped(hurried)
    assert len(files) > 2
    numbers = [int(file.name.rpartition("part")[2]) for file in files]
    assert numbers == list(range(1, len(files) + 1))
    seen = []
    for file in files:
        paths, meta = held(hurried, file)
        assert paths == sorted(paths, key=os.fsencode)
        assert (meta["tree"], meta["base"]) == (hurried.rev("HEAD^{tree}"), None)
        assert meta["files"] == len(paths)
        seen += paths
    assert len(seen) == len(set(seen))
    assert set(seen) < set(tracked(hurried))
    assert problems(hurried) == []


def test_a_small_repository_has_none(sample, monkeypatch):
    monkeypatch.setattr(extraction_pool, "BATCH_FILES", 8)
    monkeypatch.setattr(facts_writer, "_FLUSH_MOST", 1)
    assert stopped(sample) == []


def test_the_view_is_the_same_and_has_no_parts(small_parts, sample, monkeypatch):
    written = []
    publish_part = ViewStore.publish_part

    def counted(*words):
        written.append(words)
        publish_part(*words)

    monkeypatch.setattr(ViewStore, "publish_part", counted)
    indexed(sample)
    assert written
    assert parts(sample) == []
    (view,) = (sample.index_dir / "views").glob("*.view")
    with_parts = sections.read(sample.index_dir, f"views/{view.name}")
    monkeypatch.setattr(view_parts, "MOST", 0)
    before = len(written)
    indexed(sample, rebuild=True)
    assert len(written) == before
    without = sections.read(sample.index_dir, f"views/{view.name}")
    assert {**with_parts.meta, "vectors": ""} == {**without.meta, "vectors": ""}
    assert list(with_parts.arrays) == list(without.arrays)
    for name, array in without.arrays.items():
        assert array.dtype == with_parts[name].dtype
        assert np.array_equal(array, with_parts[name]), name


@pytest.mark.parametrize("query", QUERIES)
def test_a_search_uses_them_and_chooses_among_the_rest(hurried, query):
    first = searched(hurried, query)
    files = stopped(hurried)
    known = sum(len(held(hurried, file)[0]) for file in files)
    listener = Listener()
    later = searched(hurried, query, listener)
    assert listener.notes == []
    assert first.coverage.searchable <= 4
    assert known < later.coverage.tracked - later.coverage.pending <= known + 5
    assert later.coverage.tracked == first.coverage.tracked == len(tracked(hurried))
    (said,) = later.warnings
    assert said.startswith(f"answered from {later.coverage.tracked - later.coverage.pending} of")
    assert said.endswith("the index is being made: git search status")
    indexed(hurried)
    assert parts(hurried) == []
    last = searched(hurried, query)
    assert last == searched(hurried, query, refresh="wait")
    assert (last.coverage.pending, last.warnings) == (0, ())
    assert problems(hurried) == []


@pytest.mark.parametrize("text", ["where is the dellay computed", "compute_delya", "RetryPolcy"])
def test_a_slip_is_corrected(hurried, text):
    stopped(hurried)
    partly = searched(hurried, text)
    indexed(hurried)
    assert partly.respelt == searched(hurried, text).respelt != ()


def test_edited_files_count_once(hurried):
    files = stopped(hurried)
    paths = [path for file in files for path in held(hurried, file)[0]]
    edited = next(path for path in paths if path.endswith(".py"))
    other = next(path for path in tracked(hurried) if path.endswith(".py") and path not in paths)
    for path in (edited, other):
        hurried.write(path, "def brand_new_pause(): ...\n")
    report = searched(hurried, "brand_new_pause")
    assert {one.path for one in report.results[:2]} == {edited, other}
    assert report.coverage.tracked == len(tracked(hurried))


def test_attributes_in_a_part_hold_for_the_rest(hurried):
    hurried.write(".gitattributes", "zz/*.py linguist-generated\n")
    hurried.write("zz/last.py", "def of_the_generator(): ...\n")
    hurried.write("zz/last.go", "package zz\n\nfunc OfTheGenerator() {}\n")
    hurried.commit()
    files = stopped(hurried)
    assert ".gitattributes" in {path for file in files for path in held(hurried, file)[0]}
    assert "zz/last.go" not in {path for file in files for path in held(hurried, file)[0]}
    found = {one.path for one in searched(hurried, "OfTheGenerator").results}
    assert "zz/last.go" in found
    assert "zz/last.py" not in found


class TestNames:
    """Answers about a name or a path are complete."""

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.long
    def test_definitions(self, hurried, name):
        expected = define(session(hurried.path), name, None).symbols
        assert stopped(hurried)
        partly = define(session(hurried.path), name, None)
        assert (partly.symbols, partly.coverage.pending) == (expected, 0)
        assert partly.coverage.tracked == len(tracked(hurried))
        indexed(hurried)
        assert define(session(hurried.path), name, None).symbols == expected

    @pytest.mark.long
    def test_outlines(self, hurried):
        stopped(hurried)
        for path in ("service/retry_policy.py", *tracked(hurried)[:3], *tracked(hurried)[-3:]):
            first = outline(session(hurried.path), path, None).symbols
            indexed(hurried)
            assert outline(session(hurried.path), path, None).symbols == first
            stopped(hurried, rebuild=True)

    def test_words(self, hurried):
        words = ("compute_delay", "zzqqxx")
        stopped(hurried)
        first = exists(session(hurried.path), words, None).words
        indexed(hurried)
        second = exists(session(hurried.path), words, None).words
        assert [(one.exists, one.path, one.line) for one in first] == [
            (one.exists, one.path, one.line) for one in second
        ]


class TestGoing:
    """When they are dropped, and what happens if they are damaged or cannot be written."""

    def test_the_next_run_adds_to_those_of_one_that_was_killed(self, hurried):
        publish_part = ViewStore.publish_part

        def deadly(*words):
            publish_part(*words)
            raise KeyboardInterrupt

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(ViewStore, "publish_part", deadly)
            before = stopped(hurried)
        assert len(before) == 1
        inode = before[0].stat().st_ino
        after = stopped(hurried)
        assert len(after) > 1
        assert (after[0].name, after[0].stat().st_ino) == (before[0].name, inode)
        paths = [path for file in after for path in held(hurried, file)[0]]
        assert len(paths) == len(set(paths))
        assert problems(hurried) == []

    def test_what_a_killed_run_recorded_is_in_no_second_part(self, hurried):
        before = stopped(hurried)
        assert stopped(hurried) == before

    @pytest.mark.parametrize("damage", [b"", b"nothing of ours", None])
    @pytest.mark.long
    def test_a_damaged_part_is_done_without(self, hurried, damage):
        first, *others = stopped(hurried)
        known = searched(hurried, "retry").coverage.searchable
        if damage is None:
            data = bytearray(first.read_bytes())
            data[-200:] = bytes(200)
            damage = bytes(data)
        first.write_bytes(damage)
        listener = Listener()
        report = searched(hurried, "retry", listener)
        assert listener.notes == []
        assert others
        assert 4 < report.coverage.searchable < known
        assert report.coverage.tracked == len(tracked(hurried))
        assert problems(hurried) == [f"views/{first.name}"]
        indexed(hurried)
        assert problems(hurried) == []
        assert parts(hurried) == []

    def test_a_lost_part_is_said_once(self, hurried):
        first, *_ = stopped(hurried)
        first.unlink()
        listener = Listener()
        assert searched(hurried, "retry", listener).results
        assert listener.notes == [f"views/{first.name}: is missing; rebuilding"]
        listener = Listener()
        searched(hurried, "retry", listener)
        assert listener.notes == []

    @pytest.mark.parametrize("name", ["part", "part0x", "part" + "9" * 60, "part1.00000000.tmp"])
    @pytest.mark.long
    def test_other_files_are_no_parts(self, hurried, name):
        first, *_ = stopped(hurried)
        coverage = searched(hurried, "retry").coverage
        first.with_suffix(f".{name}").write_bytes(first.read_bytes())
        assert searched(hurried, "retry").coverage == coverage
        indexed(hurried)
        assert searched(hurried, "retry").coverage.pending == 0

    def test_a_part_of_another_tree_is_not_used(self, hurried):
        files = stopped(hurried, at="v0.2")
        report = searched(hurried, "retry")
        assert report.coverage.searchable <= 4
        for file in files:
            _, _, end = file.name.partition("-")
            file.rename(file.with_name(f"{hurried.rev('HEAD^{tree}')}-{end}"))
        assert searched(hurried, "retry").coverage == report.coverage

    def test_the_view_of_any_tree_ends_them(self, hurried):
        assert stopped(hurried)
        indexed(hurried, at="v0.2")
        assert parts(hurried) == []
        assert problems(hurried) == []

    def test_they_are_used_beside_the_view_of_another_tree_if_they_have_more(self, hurried):
        hurried.git("checkout", "-q", "--orphan", "alone")
        hurried.git("rm", "-qrf", ".")
        hurried.write("alone.py", "def alone(): ...\n")
        hurried.commit()
        indexed(hurried)
        hurried.git("checkout", "-qf", "main")
        files = stopped(hurried)
        known = sum(len(held(hurried, file)[0]) for file in files)
        covered = searched(hurried, "retry").coverage
        assert covered.tracked - covered.pending > known

    def test_gc_leaves_none(self, hurried):
        assert stopped(hurried)
        collect(session(hurried.path))
        assert parts(hurried) == []
        assert problems(hurried) == []
        assert searched(hurried, "retry").coverage.pending == 0

    def test_the_index_is_made_where_they_cannot_be_written(
        self, small_parts, sample, monkeypatch
    ):
        write = sections.write

        def full(folder, name, *words):
            if ".part" in name:
                raise Unwritable(f"cannot write '{name}': No space left on device")
            write(folder, name, *words)

        monkeypatch.setattr(sections, "write", full)
        indexed(sample)
        assert problems(sample) == []
        assert searched(sample, "retry").coverage.pending == 0

    def test_who_has_mapped_one_goes_on_when_it_is_gone(self, hurried):
        assert stopped(hurried)
        asked = session(hurried.path)

        class Nothing:
            def choose(self, _):
                return Choice([])

        opened = ViewOpener(asked, SOON, chooser=Nothing()).open(asked.head, [])
        indexed(hurried)
        assert parts(hurried) == []
        assert len(opened.view.segments) > 2
        assert opened.view.vectors(np.arange(opened.view.count)).any(axis=1).all()


def test_a_dictionary_of_some_terms():
    whole = Dictionary(lambda terms: [[len(text), int(oid_of(text)[:4], 16)] for text in terms])
    numbers = whole.numbers(["one", "three", "five", "eleven"])
    part, own = whole.only(numbers[[3, 1, 3]])
    assert part.texts() == ["three", "eleven"]
    assert own.tolist() == [1, 0, 1]
    for some, which in ((part, own), (whole, numbers[[3, 1, 3]])):
        ends, tokens = some.tokens(which)
        assert ends.tolist() == [0, 2, 4, 6]
        assert tokens.tolist()[::2] == [6, 5, 6]
    assert part.numbers(["nine", "eleven"]).tolist() == [2, 1]
    assert len(whole) == 4
