"""With --refresh off nothing is made: what is known is searched, the rest is pending."""

import time
from types import SimpleNamespace

import pytest

from gitsearch.commands.status import status
from gitsearch.git import background_process
from gitsearch.store import layout, lock
from tests.unit.commands.asked import (
    Listener,
    answers,
    fresh_answers,
    indexed,
    opened,
    searched,
    session,
)


def coverage(repo, **options):
    return searched(repo, "retry", **options).coverage


def adds_up(covered):
    return covered.tracked == covered.searchable + sum(covered.skipped.values()) + covered.pending


def state(repo):
    folder = repo.index_dir
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")} if folder.exists() else {}


def test_without_an_index_everything_is_pending(sample):
    report = searched(sample, "retry", refresh="off")
    assert report.results == ()
    assert report.warnings
    assert report.coverage.searchable == 0
    assert report.coverage.pending > 50
    assert adds_up(report.coverage)
    assert not sample.index_dir.exists()


def test_with_an_index_that_is_current_nothing_is_pending(current):
    report = searched(current, "retry", refresh="off")
    assert report.coverage.pending == 0
    assert report.warnings == ()
    assert report.results == searched(current, "retry").results


@pytest.mark.slow
def test_what_is_known_is_searched_and_the_rest_is_pending(sample):
    indexed(sample, at="v0.2")
    whole = coverage(sample, at="v1.0", refresh="off")
    assert 0 < whole.pending < whole.searchable
    assert adds_up(whole)
    found = searched(sample, "compute_delay", at="v1.0", refresh="off").results
    assert "service/retry_policy.py" in {one.path for one in found}
    indexed(sample, at="v1.0")
    after = coverage(sample, at="v1.0", refresh="off")
    assert after.pending == 0
    assert after.tracked == whole.tracked
    assert after.searchable + sum(after.skipped.values()) >= whole.searchable + whole.pending


@pytest.mark.slow
@pytest.mark.parametrize("refresh", ["off", pytest.param("background", marks=pytest.mark.slow)])
def test_nothing_is_written(sample, refresh, monkeypatch):
    started = []
    # the process in the background does write, sooner or later
    monkeypatch.setattr(background_process, "start", lambda *arguments: started.append(arguments))
    indexed(sample, at="v0.2")
    before = state(sample)
    searched(sample, "retry", at="v1.0", refresh=refresh)
    searched(sample, "retry", refresh=refresh)
    assert state(sample) == before
    assert bool(started) == (refresh == "background")


def test_dirty_files_are_searched_all_the_same(sample):
    sample.write("service/retry_policy.py", "def brand_new_pause(): ...\n")
    report = searched(sample, "brand_new_pause", refresh="off")
    assert [one.path for one in report.results] == ["service/retry_policy.py"]
    assert report.coverage.searchable == 1
    assert adds_up(report.coverage)


def test_another_model_makes_everything_pending(current, tmp_path):
    from tests.unit.features.models import write_model

    current.git("config", "search.model", str(write_model(tmp_path / "m", ["retry"])))
    covered = coverage(current, refresh="off")
    assert covered.searchable == 0
    assert adds_up(covered)


def test_off_is_what_the_setting_says(sample):
    sample.git("config", "search.refresh", "off")
    assert coverage(sample).pending > 50
    assert coverage(sample, refresh="wait").pending == 0


@pytest.mark.slow
def test_status_looks_and_makes_nothing(sample):
    report = status(session(sample.path))
    assert not report.current
    assert not sample.index_dir.exists()
    indexed(sample, at="v0.2")
    before = state(sample)
    report = status(session(sample.path))
    assert not report.current
    assert report.coverage.pending > 0
    assert state(sample) == before
    indexed(sample)
    assert status(session(sample.path)).current


def test_status_awaits_an_update_that_a_hook_has_asked_for(repo, monkeypatch):
    def pause(_seconds):
        pauses.append(repo.rev())
        indexed(repo)

    clock = SimpleNamespace(monotonic=time.monotonic, sleep=pause)
    monkeypatch.setattr("gitsearch.commands.status.time", clock)
    pauses: list[str] = []
    repo.having({"a.py": "x = 1\n"})
    indexed(repo)
    mark = repo.index_dir / layout.PENDING
    mark.touch()
    assert status(session(repo.path), awaits_update=True).current
    assert pauses == []

    repo.having({"a.py": "x = 2\n"})
    assert not status(session(repo.path)).current
    mark.unlink()
    assert not status(session(repo.path), awaits_update=True).current
    assert pauses == []
    mark.touch()
    assert status(session(repo.path), awaits_update=True).current
    assert pauses == [repo.rev()]

    repo.having({"a.py": "x = 3\n"})
    with lock.alone(repo.index_dir, layout.WORKER, 0.0):
        assert status(session(repo.path), awaits_update=True).current


@pytest.mark.parametrize("bound", ["_STARTS", "_PATIENCE"])
def test_status_awaits_no_run_that_has_died(repo, monkeypatch, bound):
    repo.having({"a.py": "x = 1\n"})
    indexed(repo)
    repo.having({"a.py": "x = 2\n"})
    (repo.index_dir / layout.PENDING).touch()
    monkeypatch.setattr(f"gitsearch.commands.status.{bound}", 0.0)
    assert not status(session(repo.path), awaits_update=True).current


def test_a_dry_run_says_what_would_be_parsed_and_makes_nothing(sample):
    report = indexed(sample, dry_run=True)
    assert report.dry_run
    assert not sample.index_dir.exists()
    done = indexed(sample)
    assert (report.files_parsed, done.dry_run) == (done.files_parsed, False)
    assert (report.bytes_read, report.terms_embedded) == (done.bytes_read, None)
    again = indexed(sample, dry_run=True)
    assert (again.files_parsed, again.bytes_read) == (0, 0)


@pytest.mark.slow
def test_a_rebuild_parses_everything_again(sample):
    first = indexed(sample)
    before = answers(sample)
    again = indexed(sample, rebuild=True)
    assert again.files_parsed == first.files_parsed
    assert again.terms_embedded == first.terms_embedded
    assert answers(sample) == before == fresh_answers(sample)


def test_progress_is_reported_while_an_index_is_made(sample):
    listener = Listener()
    report = indexed(sample, progress=listener)
    assert listener.updates
    assert listener.closed
    _, done, total, data = listener.updates[-1]
    assert (done, total) == (report.files_parsed, report.files_parsed)
    assert data == report.bytes_read
    again = Listener()
    indexed(sample, progress=again)
    assert again.updates == []


@pytest.mark.long
def test_what_is_recorded_survives_an_interruption(sample, monkeypatch):
    from gitsearch.index import extraction_pool

    class Interrupting(Listener):
        def update(self, stage, done, total, data):
            super().update(stage, done, total, data)
            if len(self.updates) == 3:
                raise KeyboardInterrupt

    monkeypatch.setattr(extraction_pool, "BATCH_FILES", 7)
    listener = Interrupting()
    with pytest.raises(KeyboardInterrupt):
        indexed(sample, progress=listener)
    done, total = listener.updates[-1][1:3]
    assert done == 21
    report = indexed(sample)
    assert report.files_parsed == total - done
    assert answers(sample) == fresh_answers(sample)
    assert opened(sample).counters.files_parsed == 0
