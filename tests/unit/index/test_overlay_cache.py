"""Overlays of edited files are kept until the next edit, and change no answer."""

import pytest

from gitsearch.commands.gc import collect
from gitsearch.index import overlay
from gitsearch.store import cache_files, layout
from tests.unit.commands.asked import answers, fresh_answers, searched, session

EDITED = "service/retry_policy.py"


@pytest.fixture
def edited(current):
    """An indexed repository with an edited, a deleted and a staged new file."""
    current.append(EDITED, "\n\ndef pause_of_the_edit():\n    return 7\n")
    current.file("service/page_cache.py").unlink()
    current.write("service/staged.py", "def staged_only():\n    return 1\n")
    current.git("add", "service/staged.py")
    return current


def kept(repo):
    return sorted((repo.index_dir / layout.VIEWS).glob("*.edits"))


def forbidden(*_):
    raise AssertionError("an overlay was made although one is kept")


@pytest.mark.slow
def test_who_asks_again_waits_for_nothing(edited, monkeypatch):
    first = answers(edited)
    assert len(kept(edited)) == 1
    monkeypatch.setattr(overlay, "overlay", forbidden)
    assert answers(edited) == first


@pytest.mark.slow
def test_a_kept_overlay_answers_as_a_fresh_one(edited):
    answers(edited)
    assert answers(edited) == fresh_answers(edited)
    assert searched(edited, "pause_of_the_edit").results[0].path == EDITED
    paths = {one.path for one in searched(edited, "PageCache").results}
    assert paths
    assert "service/page_cache.py" not in paths


@pytest.mark.slow
def test_the_next_edit_is_seen(edited):
    answers(edited)
    edited.append(EDITED, "\n\ndef another_pause():\n    return 8\n")
    assert "def another_pause" in searched(edited, "another_pause").results[0].text
    edited.git("checkout", "-q", "HEAD", "--", "service/page_cache.py")
    assert answers(edited) == fresh_answers(edited)


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["truncate", "flip", "folder", "empty"])
def test_one_that_is_bad_is_made_again(edited, harm):
    right = answers(edited)
    (path,) = kept(edited)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.unlink()
    if harm == "folder":
        path.mkdir()
    else:
        path.write_bytes({"truncate": data[:999], "flip": data, "empty": b""}[harm])
    assert answers(edited) == right


@pytest.mark.slow
def test_only_a_few_are_kept(edited):
    for number in range(cache_files.MOST + 2):
        edited.append(EDITED, f"\nPAUSE_{number} = {number}\n")
        searched(edited, "pause")
    assert len(kept(edited)) == cache_files.MOST


def test_none_is_kept_where_nothing_may_be_written(edited):
    searched(edited, "pause", refresh="off")
    assert kept(edited) == []


def test_what_is_staged_has_an_overlay_of_its_own(edited):
    dirty, staged = searched(edited, "pause"), searched(edited, "pause", cached=True)
    assert len(kept(edited)) == 2
    assert dirty.results != staged.results
    again = searched(edited, "pause", cached=True)
    assert again.results == staged.results


@pytest.mark.slow
def test_gc_drops_them(edited):
    right = answers(edited)
    assert kept(edited)
    collect(session(edited.path))
    assert kept(edited) == []
    assert answers(edited) == right
