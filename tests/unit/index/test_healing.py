"""What is damaged, lost or in the way is noticed and made anew, and never spreads."""

import contextlib
import shutil

import pytest

from gitsearch.commands.gc import collect
from gitsearch.commands.status import status
from gitsearch.commands.verify import verify
from gitsearch.errors import Damaged
from gitsearch.store import vector_file
from tests.unit.commands.asked import (
    Listener,
    answers,
    fresh_answers,
    indexed,
    opened,
    quiet_answers,
    searched,
    session,
)

pytestmark = pytest.mark.slow


def vectors(repo):
    (file,) = repo.index_dir.glob("vectors-*")
    return file


def flip_a_row(repo):
    """Change one byte of a vector in the middle of the file."""
    file = vectors(repo)
    data = bytearray(file.read_bytes())
    size = vector_file.row_type(64).itemsize
    rows = (len(data) - vector_file.HEADER_SIZE) // size
    data[vector_file.HEADER_SIZE + rows // 2 * size + 3] ^= 0x7F
    file.write_bytes(data)


def cut_off_rows(repo):
    """Take the last ten rows away."""
    file = vectors(repo)
    data = file.read_bytes()
    file.write_bytes(data[: -10 * vector_file.row_type(64).itemsize])


def commit_more(repo):
    repo.write("service/more.py", "def more_retries_are_paused(): ...\n")
    repo.commit()


DAMAGES = {"a flipped byte": flip_a_row, "lost rows": cut_off_rows}


def assert_sound(repo, listener):
    assert listener.notes, "the damage was not said"
    assert answers(repo) == fresh_answers(repo)
    assert verify(session(repo.path)).problems == ()
    assert quiet_answers(repo)


@pytest.mark.parametrize(
    "damage", ["a flipped byte", pytest.param("lost rows", marks=pytest.mark.slow)]
)
def test_damaged_vectors_are_noticed_by_a_search(current, damage):
    DAMAGES[damage](current)
    listener = Listener()
    searched(current, "retry", listener)
    assert_sound(current, listener)


@pytest.mark.parametrize(
    "damage", ["lost rows", pytest.param("a flipped byte", marks=pytest.mark.slow)]
)
@pytest.mark.long
def test_damaged_vectors_are_noticed_before_more_are_added(current, damage):
    DAMAGES[damage](current)
    commit_more(current)
    listener = Listener()
    searched(current, "retry", listener)
    assert_sound(current, listener)


@pytest.mark.parametrize(
    "damage", ["a flipped byte", pytest.param("lost rows", marks=pytest.mark.slow)]
)
@pytest.mark.long
def test_damaged_vectors_are_noticed_before_they_are_copied(current, damage):
    commit_more(current)
    indexed(current)
    current.git("reset", "-q", "--hard", "HEAD~1")
    current.git("reflog", "expire", "--expire=now", "--all")
    DAMAGES[damage](current)
    with contextlib.suppress(Damaged):
        collect(session(current.path))
    listener = Listener()
    found = answers(current, listener=listener)
    assert found == fresh_answers(current)
    assert verify(session(current.path)).problems == ()


@pytest.mark.parametrize(
    "name",
    [
        "vectors-*",
        pytest.param("index.duckdb", marks=pytest.mark.slow),
        pytest.param("views/*", marks=pytest.mark.slow),
    ],
)
@pytest.mark.long
def test_a_lost_file_is_made_anew_when_more_is_added(current, name):
    for file in current.index_dir.glob(name):
        file.unlink()
    commit_more(current)
    listener = Listener()
    searched(current, "retry", listener)
    assert_sound(current, listener)


@pytest.mark.slow
def test_a_base_that_is_lost_is_made_anew(current):
    base = next((current.index_dir / "views").iterdir())
    commit_more(current)
    indexed(current)
    base.unlink()
    listener = Listener()
    searched(current, "retry", listener)
    assert_sound(current, listener)


def test_a_folder_that_was_copied_is_checked_and_used(current, tmp_path):
    right = answers(current)
    copy = tmp_path / "copy"
    shutil.copytree(current.path, copy, symlinks=True)
    other = type(current).adopt(copy)
    assert quiet_answers(other) == right
    assert opened(other).counters.files_parsed == 0


def test_status_of_a_damaged_index_changes_nothing(current):
    flip_a_row(current)
    before = {path: path.read_bytes() for path in current.index_dir.rglob("*") if path.is_file()}
    status(session(current.path))
    after = {path: path.read_bytes() for path in current.index_dir.rglob("*") if path.is_file()}
    assert after.keys() == before.keys()


def test_verify_finds_everything_and_changes_nothing(current):
    assert verify(session(current.path)).problems == ()
    flip_a_row(current)
    (view,) = (current.index_dir / "views").iterdir()
    view.write_bytes(view.read_bytes()[:-1])
    (current.index_dir / "seal").write_bytes(b"")
    (current.index_dir / "seal.0.tmp").touch()
    before = {path: path.read_bytes() for path in current.index_dir.rglob("*") if path.is_file()}
    report = verify(session(current.path))
    problems = dict(report.problems)
    name = vectors(current).name
    assert set(problems) == {name, f"views/{view.name}", "seal"}
    assert report.leftovers == ("seal.0.tmp",)
    assert "does not match its checksum" in problems[name]
    after = {path: path.read_bytes() for path in current.index_dir.rglob("*") if path.is_file()}
    assert after == before


def test_verify_names_what_is_lost(current):
    name = vectors(current).name
    vectors(current).unlink()
    assert (name, "is missing") in verify(session(current.path)).problems


def test_verify_without_an_index_has_nothing_to_say(sample):
    report = verify(session(sample.path))
    assert (report.checked, report.problems) == ((), ())


# ---------------------------------------------------------------- nowhere to write


def test_where_nothing_can_be_written_answers_come_from_memory(sample):
    sample.index_dir.write_text("a file where the folder would be", encoding="utf-8")
    listener = Listener()
    report = searched(sample, "RetryPolicy", listener)
    assert listener.notes == []  # said once, as a warning of the answer
    assert len(report.warnings) == 1
    assert "memory" in report.warnings[0]
    assert report.results
    assert report.coverage.pending == 0


@pytest.mark.long
def test_answers_from_memory_are_those_of_an_index(sample):
    right = fresh_answers(sample)
    sample.index_dir.write_text("a file", encoding="utf-8")
    assert answers(sample) == right
    sample.append("service/retry_policy.py", "\nEDITED = 1\n")
    dirty = answers(sample)
    sample.index_dir.unlink()
    assert answers(sample) == dirty


@pytest.mark.long
def test_an_index_that_cannot_be_written_any_more_is_still_read(current, monkeypatch):
    from gitsearch.errors import Unwritable
    from gitsearch.store import layout

    right = answers(current)

    def full(path, *_):
        raise Unwritable(f"cannot write '{path}': No space left on device")

    monkeypatch.setattr(layout, "replace", full)
    assert quiet_answers(current) == right
    for number in range(10):
        current.write(f"more_{number}.py", f"def more_{number}(): ...\n")
    current.commit()
    found = answers(current)
    assert "No space left on device" in searched(current, "retry").warnings[0]
    monkeypatch.undo()
    assert found == fresh_answers(current)
