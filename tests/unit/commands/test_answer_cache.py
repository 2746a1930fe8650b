"""Rankings that are kept: the same answer as without, and never that of another question."""

import pytest

from gitsearch import trace
from gitsearch.commands import answer_cache
from gitsearch.commands.gc import collect
from gitsearch.retrieval import confidence
from gitsearch.store import sections
from tests.unit.commands.asked import QUERIES, Listener, answers, indexed, searched, session

KEPT = f"*{answer_cache.SUFFIX}"


@pytest.fixture
def kept(current, monkeypatch):
    """The sample repository with an index, and a list of its kept rankings."""
    monkeypatch.setattr(answer_cache, "_MANY", 1)
    return current, lambda: sorted((current.index_dir / "views").glob(KEPT))


def hits():
    return trace._counts.get("answers from the cache", 0)


def test_the_second_answer_is_the_first_from_the_cache(kept):
    repo, files = kept
    first = answers(repo, explain=False)
    assert len(files()) == len(QUERIES)
    before = hits()
    assert answers(repo, explain=False) == first
    assert hits() == before + len(QUERIES)
    for file in files():
        file.unlink()
    assert answers(repo, explain=False) == first


@pytest.fixture
def labelled(monkeypatch):
    """The results whose confidence was asked for."""
    found = []

    def noted(_query, ranked, rank):
        found.append(ranked[rank - 1])
        return "low"

    monkeypatch.setattr(confidence, "confidence", noted)
    return found


def test_all_that_a_confidence_depends_on_is_kept(kept, labelled):
    repo, _ = kept
    searched(repo, QUERIES[0], explain=False, reader="on")
    first = labelled.copy()
    assert any(one.read for one in first)
    labelled.clear()
    before = hits()
    searched(repo, QUERIES[0], explain=False, reader="on")
    assert hits() == before + 1
    assert labelled == first


def test_the_confidence_does_not_depend_on_how_many_results_are_shown(kept, labelled):
    repo, _ = kept
    for count in (1, 10):
        searched(repo, QUERIES[0], explain=False, max_count=count)
    assert labelled[0] == labelled[1]
    assert labelled[0].support > 1


def test_another_question_tree_edit_or_folder_is_another_answer(kept):
    repo, files = kept

    def ask(**options):
        return searched(repo, QUERIES[0], explain=False, **options)

    before = hits()
    ask()
    ask(max_count=60)
    ask(mode="lexical")
    ask(tests="exclude")
    ask(alpha=0.1)
    ask(at="HEAD~5", refresh="wait")
    ask(pathspecs=("*.py",))
    ask(pathspecs=("*.py",), folder="service")
    repo.write("service/retry_policy.py", "def pause_again():\n    return 1\n")
    edited = ask()
    assert hits() == before
    assert len(files()) == 9
    assert ask().results == edited.results
    assert hits() == before + 1


def test_pages_come_from_the_cache(kept):
    repo, _ = kept
    before = hits()
    token = searched(repo, QUERIES[0], explain=False, max_count=3).next
    second = searched(repo, QUERIES[0], explain=False, max_count=3, page=token)
    assert hits() == before + 1
    assert searched(repo, QUERIES[0], explain=False, max_count=3, page=token) == second
    assert hits() == before + 2


def test_a_damaged_or_forged_file_is_made_anew(kept):
    repo, files = kept
    first = searched(repo, QUERIES[0], explain=False)
    (file,) = files()
    good = file.read_bytes()
    at = good.rindex(good[-64:])
    for bad in (
        b"",
        good[:100],
        good[:at] + b"\xff" * 8 + good[at + 8 :],
        good.replace(b"\0", b"\1"),
    ):
        file.unlink()
        file.write_bytes(bad)
        assert searched(repo, QUERIES[0], explain=False) == first
    assert file.read_bytes() == good


def test_rows_that_the_view_does_not_have_are_refused(kept, monkeypatch):
    repo, files = kept
    first = searched(repo, QUERIES[0], explain=False)
    for change in ({"row": 1 << 40}, {"row": -1}, {"symbol": 1 << 40}, {"symbol": -7}):
        (file,) = files()
        name = f"views/{file.name}"
        stored = sections.read(repo.index_dir, name)
        arrays = {key: column.copy() for key, column in stored.arrays.items()}
        for key, value in change.items():
            arrays[key][0] = value
        sections.write(repo.index_dir, name, arrays, {})
        before = hits()
        assert searched(repo, QUERIES[0], explain=False) == first
        assert hits() == before


def test_only_a_few_are_kept_and_gc_drops_them(kept, monkeypatch):
    repo, files = kept
    monkeypatch.setattr(answer_cache, "_MOST", 3)
    for number in range(6):
        searched(repo, f"question {number}", explain=False)
    assert len(files()) == 3
    repo.write("service/other.py", "def other():\n    return 2\n")
    repo.commit("another tree")
    indexed(repo)
    collect(session(repo.path, Listener()))
    assert files() == []


def test_a_search_that_changes_nothing_keeps_nothing(kept):
    repo, files = kept
    searched(repo, QUERIES[0], explain=False, refresh="off")
    searched(repo, QUERIES[0])
    assert files() == []
