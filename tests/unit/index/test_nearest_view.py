"""Answers without writing: the nearest view and what changed; what takes long is pending."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from gitsearch.index import first_view, nearest_view
from gitsearch.store import lock
from tests.unit.commands.asked import Aside, Listener, answers, fresh_answers, indexed, searched


def covered(repo, **options):
    return searched(repo, "retry", **options).coverage


@pytest.fixture
def old(sample):
    """An index of an older tree, and the right answers and coverage of HEAD."""
    right = fresh_answers(sample), covered_afresh(sample)
    indexed(sample, at="HEAD~2")
    return sample, *right


def covered_afresh(repo):
    with Aside(repo):
        return covered(repo)


@pytest.mark.slow
def test_the_nearest_view_and_what_changed(old):
    repo, right, coverage = old
    with lock.writer(repo.index_dir, 0):
        listener = Listener()
        assert answers(repo, listener=listener) == right
        assert covered(repo) == coverage
        assert listener.notes == []
        repo.append("service/retry_policy.py", "\ndef edited_meanwhile(): ...\n")
        report = searched(repo, "edited_meanwhile")
        assert report.results[0].path == "service/retry_policy.py"
    # nothing of it was kept for trees: who gets the lock makes what is missing
    assert answers(repo) == fresh_answers(repo)


@pytest.mark.long
def test_without_any_view(sample):
    right = fresh_answers(sample)
    sample.index_dir.mkdir()
    with lock.writer(sample.index_dir, 0):
        assert answers(sample) == right


@pytest.mark.long
def test_attributes_that_changed(old):
    repo, _, _ = old
    repo.write(".gitattributes", "service/retry_policy.py -search\n*.md linguist-documentation\n")
    repo.commit()
    right, coverage = fresh_answers(repo), covered_afresh(repo)
    with lock.writer(repo.index_dir, 0):
        assert answers(repo) == right
        assert covered(repo) == coverage


@pytest.mark.slow
@pytest.mark.parametrize("indexed_before", [True, False])
def test_what_takes_long_is_pending(sample, monkeypatch, indexed_before):
    if indexed_before:
        indexed(sample, at="v0.2")
    whole = covered_afresh(sample)
    monkeypatch.setattr(nearest_view, "AT_ONCE", 3000)
    monkeypatch.setattr(first_view, "BYTES", 3000)
    sample.index_dir.mkdir(exist_ok=True)
    with lock.writer(sample.index_dir, 0):
        report = searched(sample, "retry")
    assert report.results
    assert report.coverage.pending > 0
    assert report.coverage.tracked == whole.tracked
    assert report.coverage.searchable + report.coverage.pending >= whole.searchable
    assert report.warnings[0].endswith("another process is updating the index: git search status")
    assert covered(sample) == whole


@pytest.mark.slow
def test_who_wants_all_of_it_waits_for_the_other_process(sample, monkeypatch):
    monkeypatch.setattr(nearest_view, "AT_ONCE", 3000)
    sample.index_dir.mkdir(exist_ok=True)
    listener = Listener()
    with ExitStack() as held, ThreadPoolExecutor(1) as pool:
        held.enter_context(lock.writer(sample.index_dir, 0))
        answer = pool.submit(searched, sample, "retry", listener, refresh="wait")
        while not listener.notes:
            time.sleep(0.01)
        assert not answer.done()
        held.close()
        report = answer.result()
    assert listener.notes == ["another process is updating the index; waiting for it"]
    assert report.coverage == covered_afresh(sample)


@pytest.mark.long
def test_links_large_files_and_what_is_gone(old):
    repo, _, _ = old
    repo.remove("service/retry_policy.py")
    repo.symlink("a link", "service")
    repo.write("large.py", "x = 1\n" * 300_000)
    repo.commit()
    right, coverage = fresh_answers(repo), covered_afresh(repo)
    with lock.writer(repo.index_dir, 0):
        assert answers(repo) == right
        assert covered(repo) == coverage
    assert coverage.skipped["too-large"] == 1


@pytest.mark.long
def test_damage_that_nobody_can_heal_now(old):
    repo, right, coverage = old
    for file in (repo.index_dir / "views").iterdir():
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 0x10
        file.write_bytes(data)
    for file in repo.index_dir.glob("vectors-*"):
        file.write_bytes(file.read_bytes()[:-500])
    with lock.writer(repo.index_dir, 0):
        assert answers(repo) == right
        assert covered(repo) == coverage
    assert answers(repo) == right


# ---------------------------------------------------------------- a little behind


def views(repo):
    return sorted(path.name for path in (repo.index_dir / "views").glob("*.view"))


@pytest.mark.slow
def test_a_small_commit_is_laid_over_the_view_and_not_recorded(old):
    repo, _, _ = old
    indexed(repo)
    repo.append("service/retry_policy.py", "\ndef heard_of_late(): ...\n")
    repo.remove("docs/page-cache.md")
    repo.commit()
    right, coverage = fresh_answers(repo), covered_afresh(repo)
    before = views(repo)
    assert answers(repo) == right
    assert covered(repo) == coverage
    assert views(repo) == before
    # and an edit on top of it
    repo.append("service/retry_policy.py", "\ndef even_later(): ...\n")
    dirty = answers(repo)
    with Aside(repo):
        assert answers(repo) == dirty
    assert searched(repo, "even_later").tree.dirty == 1


@pytest.mark.slow
def test_a_commit_of_more_is_recorded(old):
    repo, _, _ = old
    indexed(repo)
    for number in range(9):
        repo.write(f"more_{number}.py", f"def more_{number}(): ...\n")
    repo.commit()
    before = views(repo)
    assert answers(repo) == fresh_answers(repo)
    assert len(views(repo)) == len(before) + 1


@pytest.mark.slow
def test_what_some_view_knows_is_recorded_and_not_extracted_again(old):
    repo, _, _ = old
    indexed(repo)
    repo.rename("service/retry_policy.py", "service/again.py")
    repo.commit()
    before = views(repo)
    assert answers(repo) == fresh_answers(repo)
    assert len(views(repo)) == len(before) + 1
