"""Histories replayed: an index of history that grew, or was killed, answers like a fresh one."""

import pytest

from gitsearch.commands.commit_search import HistoryRequest
from gitsearch.commands.history import history, index_history
from gitsearch.commands.removed_code import removed_code, removed_definitions
from gitsearch.commands.verify import verify
from gitsearch.index import garbage_collection, history_index
from tests.histories import RandomHistory
from tests.killing import killed
from tests.unit.commands.asked import Aside, session

QUERIES = (
    "why does a failed request pause",
    "billing_cache",
    "remove what a worker waits for",
    "Merge branch topic",
    "moved schema",
    "totals",
)


def answers(repo, at=None):
    """All that is said of a commit's history, with scores and ranks."""
    asked = [HistoryRequest(text, at=at, most=30, refresh="wait") for text in QUERIES]
    gone = HistoryRequest("totals of an order", at=at, most=30, lines=40, refresh="wait")
    return [
        *(history(session(repo.path), request) for request in asked),
        removed_code(session(repo.path), gone),
        removed_definitions(session(repo.path), "retry_billing_7", at),
    ]


def assert_like_a_fresh_one(repo, *at):
    """Compare the answers about HEAD and some commits with those of an index made for them."""
    for rev in (None, *at):
        grown = answers(repo, rev)
        with Aside(repo):
            assert grown == answers(repo, rev), rev
    assert any(report.results for report in grown)
    assert verify(session(repo.path)).problems == ()


@pytest.mark.long
@pytest.mark.parametrize(
    ("count", "every", "seed"),
    [(40, 5, 3), (500, 11, 3)],
)
def test_a_history_with_merges_renames_and_rebases(repo, monkeypatch, count, every, seed):
    # small ones are merged, full ones are left alone
    monkeypatch.setattr(history_index, "SEGMENT", count // 3)
    tips = []
    for step, _ in enumerate(RandomHistory(repo, seed).steps(count)):
        if step % every == 0:
            tips.append(repo.rev())
            index_history(session(repo.path), None)
            known = history(session(repo.path), HistoryRequest("x", refresh="off"))
            assert known.complete
    repo.checkout("main")
    index_history(session(repo.path), None)
    assert int(repo.git("rev-list", "--count", "--merges", "HEAD")) >= 2
    reached = repo.git("rev-list", "HEAD").split()
    assert any(tip not in reached for tip in tips), "no commit was left behind by a rebase"
    monkeypatch.undo()
    assert_like_a_fresh_one(repo, reached[len(reached) // 2], tips[-1])


# Indexes the history of the current folder in small segments.
PREPARE = """
from gitsearch.commands.history import index_history
from gitsearch.index import garbage_collection, history_index
history_index.SEGMENT, history_index._BATCH, history_index._MOST_SMALL = 6, 3, 2
"""
RUN = "index_history(Session(pathlib.Path.cwd()), None)"

MOMENTS = [
    ("gitsearch.store.layout", "prepare", 1, "after"),
    ("gitsearch.index.history_segment", "facts_of", 5, "before"),
    ("gitsearch.store.sections", "write", 1, "before"),
    ("os", "fsync", 1, "before"),
    ("os", "fsync", 4, "after"),
    ("pathlib", "Path.replace", 2, "before"),
    ("gitsearch.store.sections", "write", 3, "after"),
    ("gitsearch.store.checksums", "Checksums.add", 2, "before"),
    ("gitsearch.store.checksums", "Checksums.add", 2, "after"),
    ("gitsearch.index.view_store", "ViewStore.drop", 3, "before"),
    ("gitsearch.index.view_store", "ViewStore.drop", 3, "after"),
]


@pytest.mark.long
def test_a_writer_that_is_killed_is_followed_by_one_that_completes(repo):
    for _ in RandomHistory(repo, seed=9).steps(30):
        pass
    right = answers(repo)
    for moment in MOMENTS:
        with Aside(repo):
            assert killed(repo.path, PREPARE, RUN, moment), moment
            # what was written is used at once, and the rest is made
            assert answers(repo) == right, moment
            garbage_collection.collect(session(repo.path))
            assert verify(session(repo.path)).problems == (), moment
