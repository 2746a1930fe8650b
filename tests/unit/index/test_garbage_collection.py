"""gc drops what nothing reaches, keeps every answer, and readers notice nothing."""

import pytest

from gitsearch.commands.gc import collect
from gitsearch.commands.sql import sql
from gitsearch.commands.verify import verify
from gitsearch.errors import Busy
from gitsearch.store import lock
from tests.unit.commands.asked import (
    answers,
    fresh_answers,
    indexed,
    opened,
    quiet_answers,
    session,
)
from tests.unit.features.models import write_model


def blobs(repo):
    return {oid for (oid,) in sql(session(repo.path), "select oid from blob").rows}


def tidy(repo):
    report = collect(session(repo.path))
    assert report.blobs_kept == len(sql(session(repo.path), "select * from blob").rows)
    assert verify(session(repo.path)).problems == ()
    return report


def leave_behind(repo):
    """A commit that was indexed and that nothing reaches any more; returns its new blob."""
    repo.append("service/retry_policy.py", "\n\ndef left_behind():\n    return 'nobody'\n")
    repo.write("gone.py", "def gone_for_good(): ...\n")
    repo.commit()
    indexed(repo)
    oid = repo.rev("HEAD:gone.py")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("reflog", "expire", "--expire=now", "--all")
    return oid


@pytest.mark.slow
def test_what_is_reachable_stays(grown):
    before, known = answers(grown), blobs(grown)
    assert tidy(grown).blobs_dropped == 0
    assert blobs(grown) == known
    assert quiet_answers(grown) == before
    assert opened(grown, at="v0.1").counters.files_parsed == 0


@pytest.mark.slow
def test_what_is_unreachable_goes_and_answers_stay(current):
    before = answers(current)
    gone = leave_behind(current)
    assert gone in blobs(current)
    assert tidy(current).blobs_dropped == 2
    assert gone not in blobs(current)
    assert quiet_answers(current) == before == fresh_answers(current)
    assert opened(current).counters.files_parsed == 0


@pytest.mark.slow
def test_a_second_time_there_is_nothing_to_do(current):
    leave_behind(current)
    tidy(current)
    report = tidy(current)
    assert (report.blobs_dropped, report.views_dropped) == (0, 0)
    assert report.bytes_before == report.bytes_after


@pytest.mark.long
def test_an_index_goes_on_growing_after_it(current):
    leave_behind(current)
    tidy(current)
    current.write("service/more.py", "def more_retries(): ...\n")
    current.commit()
    assert indexed(current).files_parsed == 1
    assert answers(current) == fresh_answers(current)


@pytest.mark.parametrize(
    "keeper",
    [
        "reflog",
        *(
            pytest.param(keeper, marks=pytest.mark.slow)
            for keeper in ("branch", "tag", "index", "worktree", "stash")
        ),
    ],
)
@pytest.mark.long
def test_what_something_still_reaches_is_kept(current, tmp_path, keeper):
    current.write("kept.py", "def kept_all_the_same(): ...\n")
    current.commit()
    indexed(current)
    oid = current.rev("HEAD:kept.py")
    if keeper in ("branch", "tag"):
        current.git(keeper, "keeper")
    elif keeper == "worktree":
        current.worktree(tmp_path / "other")
    current.git("reset", "-q", "--soft" if keeper in ("index", "stash") else "--hard", "HEAD~1")
    if keeper == "stash":
        current.git("stash", "-q")
    if keeper != "reflog":
        current.git("reflog", "expire", "--expire=now", "HEAD", "main")
    tidy(current)
    assert oid in blobs(current)


@pytest.mark.slow
def test_the_views_of_all_worktrees_are_kept_and_others_go(sample, tmp_path):
    other = sample.worktree(tmp_path / "other", "v0.2")
    for rev in ("v0.1", "v0.2", "v1.0"):
        indexed(sample, at=rev)
    trees = {sample.rev(f"{rev}^{{tree}}") for rev in ("v0.2", "v1.0")}
    tidy(sample)
    kept = {path.name.split("-")[0] for path in (sample.index_dir / "views").iterdir()}
    assert kept == trees
    assert opened(other).counters.files_parsed == 0


@pytest.mark.slow
def test_the_base_of_a_kept_delta_is_kept(sample):
    indexed(sample, at="HEAD~1")
    indexed(sample)
    before = answers(sample)
    tidy(sample)
    assert len(list((sample.index_dir / "views").iterdir())) == 2
    assert quiet_answers(sample) == before


@pytest.mark.slow
def test_leftovers_of_dead_writers_go(current):
    stray = [
        current.index_dir / "seal.12345678.tmp",
        current.index_dir / "views" / "x.12345678.tmp",
    ]
    for file in stray:
        file.write_bytes(b"half")
    tidy(current)
    assert not any(file.exists() for file in stray)


@pytest.mark.slow
def test_vectors_of_a_model_that_is_not_used_any_more_go(current, tmp_path):
    current.git("config", "search.model", str(write_model(tmp_path / "m", ["retry"])))
    indexed(current)
    before = answers(current)
    assert len(list(current.index_dir.glob("vectors-*"))) == 2
    tidy(current)
    assert len(list(current.index_dir.glob("vectors-*"))) == 1
    assert quiet_answers(current) == before


@pytest.mark.parametrize("unreachable", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.long
def test_a_model_that_was_chosen_but_not_used_yet_is_no_problem(current, tmp_path, unreachable):
    before = answers(current)
    if unreachable:
        leave_behind(current)
    current.git("config", "search.model", str(write_model(tmp_path / "m", ["retry"])))
    tidy(current)
    assert answers(current) == fresh_answers(current)
    current.git("config", "--unset", "search.model")
    assert answers(current) == before


def test_without_an_index_there_is_nothing_to_tidy(sample):
    report = collect(session(sample.path))
    assert (report.blobs_dropped, report.blobs_kept, report.bytes_after) == (0, 0, 0)
    assert not sample.index_dir.exists()


@pytest.mark.slow
def test_a_reader_keeps_what_it_opened(current):
    from gitsearch.retrieval import engine, filters, query

    view = opened(current).view
    asked = query.parse("pause before a failed request is sent again")
    before = engine.search(view, asked, filters.by_file(view), engine.Options())
    leave_behind(current)
    tidy(current)
    assert engine.search(view, asked, filters.by_file(view), engine.Options()) == before


def test_a_writer_at_work_is_not_disturbed(current, monkeypatch):
    from gitsearch.index import garbage_collection as module

    monkeypatch.setattr(module, "_WAIT", 0.1)
    with lock.writer(current.index_dir, 0), pytest.raises(Busy):
        collect(session(current.path))
    assert quiet_answers(current)


@pytest.mark.slow
def test_a_repository_whose_history_is_not_all_there_is_tidied(sample, tmp_path):
    clone = sample.clone(tmp_path / "shallow", "--depth=1")
    indexed(clone)
    before = answers(clone)
    assert tidy(clone).blobs_dropped == 0
    assert quiet_answers(clone) == before


@pytest.mark.slow
def test_a_bare_repository_is_tidied(sample, tmp_path):
    bare = sample.clone(tmp_path / "bare.git", "--bare")
    indexed(bare)
    before = answers(bare)
    assert tidy(bare).blobs_dropped == 0
    assert quiet_answers(bare) == before
