"""The index of history: the same answers however it came about, and whatever happened to it."""

import numpy as np
import pytest

from gitsearch.commands.commit_search import HistoryRequest
from gitsearch.commands.history import history, index_history
from gitsearch.commands.verify import verify
from gitsearch.index import garbage_collection, history_index, history_segment
from gitsearch.index.history_index import HistoryIndex
from tests.unit.commands.asked import Aside, session

QUERIES = ("cap the pause of a retry", "wait", "remove the old parser", "billing", "merge topic")


@pytest.fixture
def repo(repo):
    repo.having({"net/retry.py": "def wait(attempt):\n    return 2**attempt\n"})
    repo.replace("net/retry.py", "2**attempt", "min(2**attempt, 60)")
    repo.commit("Cap the pause of a retry")
    repo.having({"parser.py": "def parse(text):\n    return text.split()\n"})
    repo.remove("parser.py")
    repo.commit("Remove the old parser\n\nNobody used it.")
    repo.branch("topic")
    repo.having({"shop/bill.py": "def total(orders):\n    return sum(orders)\n"})
    repo.checkout("main")
    repo.merge("topic")
    return repo


def asked(repo, text, listener=None, **options):
    options = {"refresh": "wait", **options}
    return history(session(repo.path, listener), HistoryRequest(text, **options))


def answers(repo, **options):
    return [asked(repo, text, **options).results for text in QUERIES]


def fresh(repo, **options):
    with Aside(repo):
        return answers(repo, **options)


def _lacking(count):
    return (
        f"this partial clone lacks files of the changes of {count} commits: "
        "`git log -p -m` fetches them"
    )


def segments(repo):
    store = session(repo.path).store
    return history_index.segment_names(store, history_index.recipe_of(store))


def test_an_index_that_grew_answers_like_a_fresh_one(repo):
    first = answers(repo)
    assert all(first)
    repo.having({"net/retry.py": "def wait(attempt):\n    return 1\n"})
    repo.branch("other", "HEAD~1")
    repo.having({"README": "How billing works\n"})
    repo.checkout("main")
    repo.merge("other")
    assert len(segments(repo)) == 1
    assert answers(repo) == fresh(repo) != first
    assert len(segments(repo)) == 2


def test_what_a_rebase_leaves_behind_changes_no_answer(repo):
    repo.branch("work", "HEAD~2")
    for number in range(3):
        repo.having({f"{number}.py": f"def billing_{number}():\n    wait({number})\n"})
    answers(repo)
    repo.git("rebase", "-q", "main")
    assert answers(repo) == fresh(repo)
    repo.git("reset", "-q", "--hard", "main")
    assert answers(repo) == fresh(repo)


def test_answers_about_an_older_commit_know_nothing_later(repo):
    answers(repo)
    assert answers(repo, at="HEAD~2") == fresh(repo, at="HEAD~2")


@pytest.mark.long
def test_small_segments_are_merged_and_answer_the_same(repo):
    for number in range(10):
        answers(repo)
        repo.having({"a.py": f"retry = {number}\n"})
    # eight small ones became one, and others came after it
    assert len(segments(repo)) < 6
    assert answers(repo) == fresh(repo)


def test_a_full_segment_is_left_alone(repo, monkeypatch):
    monkeypatch.setattr(history_index, "SEGMENT", 3)
    whole = answers(repo)
    assert len(segments(repo)) == 2
    monkeypatch.undo()
    assert answers(repo) == whole


def test_the_same_commits_make_the_same_bytes(repo):
    def content():
        return {name: (repo.index_dir / name).read_bytes() for name in segments(repo)}

    answers(repo)
    whole = content()
    with Aside(repo):
        asked(repo, "x", at="HEAD~2")
        asked(repo, "x")
        index = HistoryIndex(session(repo.path))
        parts = [history_segment.facts_in(file) for file in index._segments()]
        assert len(parts) == 2
        joined = history_segment.arrays_of(history_segment.joined_facts(parts))
    (one,) = whole
    with Aside(repo):
        asked(repo, "x")
        (file,) = HistoryIndex(session(repo.path))._segments()
        assert file.name == one
        for name, array in joined.items():
            assert np.array_equal(file[name], array), name
        assert content() == whole


def test_a_question_that_does_not_wait_answers_from_the_newest(repo, monkeypatch):
    monkeypatch.setattr(history_index, "PATIENCE", 0.0)
    monkeypatch.setattr(history_index, "_BATCH", 2)
    monkeypatch.setenv("CI", "true")
    report = asked(repo, "total of orders", refresh="soon")
    assert (report.commits_behind, report.complete, report.window.commits) == (4, False, 6)
    assert report.warnings == ("4 commits are not indexed yet: git search index --history",)
    assert report.results[0].path == "shop/bill.py"
    assert asked(repo, "total of orders", refresh="off").commits_behind == 4
    # what was done is not done again
    assert asked(repo, "total of orders", refresh="soon").commits_behind == 2
    assert answers(repo) == fresh(repo)


def test_the_depth_bounds_the_window_and_is_told(repo):
    repo.git("config", "search.historyDepth", "3")
    report = asked(repo, "cap the pause of a retry")
    assert report.window == (3, 3, True)
    assert report.warnings == (
        "only the newest 3 commits are searched: `git config search.historyDepth` says how many",
    )
    assert "Cap the pause of a retry" not in [one.subject for one in report.results]
    assert asked(repo, "cap the pause of a retry") == report
    repo.git("config", "search.historyDepth", "6")
    assert asked(repo, "cap the pause of a retry").window == (6, 6, False)


def test_a_damaged_segment_is_made_anew(repo):
    right = answers(repo)
    (name,) = segments(repo)
    path = repo.index_dir / name
    data = bytearray(path.read_bytes())
    data[data.index(b"parse")] ^= 0xFF
    path.write_bytes(data)
    assert [one.name for one in verify(session(repo.path)).problems] == [name]
    assert answers(repo) == right
    path.write_bytes(b"")
    assert answers(repo) == right
    assert verify(session(repo.path)).problems == ()


def test_where_nothing_can_be_written_the_answer_comes_from_memory(repo, monkeypatch):
    right = answers(repo)
    with Aside(repo):
        repo.index_dir.symlink_to("nowhere")
        report = asked(repo, QUERIES[0])
        assert report.results == right[0]
        assert len(report.warnings) == 1
        assert report.warnings[0].endswith("; commits are indexed in memory")
        repo.index_dir.unlink()


def test_gc_keeps_what_is_known_of_commits(repo):
    right = answers(repo)
    kept = segments(repo)
    session_ = session(repo.path)
    garbage_collection.collect(session_)
    assert segments(repo) == kept
    assert answers(repo) == right


def test_the_end_of_a_shallow_clone_moves_the_index(repo, tmp_path):
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--depth=2", f"file://{repo.path}", str(clone))
    shallow = type(repo).adopt(clone)
    report = asked(shallow, "total of orders")
    assert (report.window.commits, report.commits_behind) == (3, 0)
    # what the oldest commits change is not known: not all of their trees
    oldest = shallow.git("rev-list", "--max-parents=0", "HEAD").split()
    assert {one.path for one in report.results if one.commit in oldest} <= {None}
    shallow.git("fetch", "-q", "--unshallow")
    assert answers(shallow) == answers(repo)


def test_an_index_is_made_when_asked_for(repo):
    report = index_history(session(repo.path), None)
    assert (report.added, report.window.commits) == (6, 6)
    assert index_history(session(repo.path), None).added == 0
    assert asked(repo, "wait", refresh="off").complete


@pytest.mark.parametrize(("objects", "count"), [("blob:none", 4), ("tree:0", 6)])
def test_a_partial_clone_says_what_it_lacks_and_reads_it_once_it_is_here(
    repo, tmp_path, objects, count
):
    clone = repo.clone(tmp_path / "clone", f"--filter={objects}")
    report = asked(clone, "Nobody used the old parser", refresh="soon")
    said = _lacking(count)
    assert (report.commits_behind, report.complete) == (0, False)
    assert report.warnings == (said,)
    assert report.results[0].subject == "Remove the old parser"
    assert index_history(session(clone.path), None).warnings == (said,)
    assert answers(clone) != fresh(repo)
    clone.git("log", "-p", "-m")
    assert answers(clone) == fresh(repo)
    assert asked(clone, "wait").complete


def test_part_of_what_a_partial_clone_lacks_is_read_when_asked_for(repo, tmp_path):
    for number in range(5):
        repo.having({"a.py": f"retry = {number}\n"})
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none")
    asked(clone, "x")
    clone.git("show", ":/Remove the old parser")
    # that commit and the one before it are neither the newest, the middle nor the oldest of them
    assert asked(clone, "x").warnings == (_lacking(9),)
    assert index_history(session(clone.path), None).warnings == (_lacking(7),)
    assert asked(clone, "x").warnings == (_lacking(7),)


def test_of_two_facts_about_a_commit_those_with_its_change_are_kept(repo, tmp_path):
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none")
    asked(clone, "x")
    (lacking,) = HistoryIndex(session(clone.path))._segments()
    asked(repo, "x")
    (whole,) = HistoryIndex(session(repo.path))._segments()
    assert lacking["absent"].sum() > whole["absent"].sum() == 0
    parts = [history_segment.facts_in(lacking), history_segment.facts_in(whole)]
    joined = history_segment.arrays_of(history_segment.joined_facts(parts))
    assert all(np.array_equal(whole[name], array) for name, array in joined.items())
