"""One writer at a time, also among processes; a lock dies with its process."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitsearch.errors import Busy, Unwritable
from gitsearch.store import layout, lock

ROOT = Path(__file__).parents[3]
HOLD = """
import pathlib, sys, time
from gitsearch.store import lock
with lock.writer(pathlib.Path(sys.argv[1]), 5):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    with process:
        yield process
        process.kill()


def take(folder, wait=0.0):
    with lock.writer(folder, wait):
        pass


def test_another_process_is_kept_out_at_once(tmp_path, holder):
    with pytest.raises(Busy, match="another process"):
        take(tmp_path)


def test_another_process_is_waited_for_so_long_and_no_longer(tmp_path, holder):
    start = time.monotonic()
    with pytest.raises(Busy):
        take(tmp_path, 0.2)
    assert 0.2 <= time.monotonic() - start < 5


def test_the_lock_is_free_when_its_holder_lets_go(tmp_path, holder):
    holder.communicate()
    take(tmp_path)


def test_the_lock_is_free_when_its_holder_is_killed(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    take(tmp_path)


def test_one_who_waits_gets_the_lock(tmp_path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    take(tmp_path, 10)


def test_the_lock_is_free_after_a_failure_inside(tmp_path):
    with pytest.raises(KeyError), lock.writer(tmp_path, 0):
        raise KeyError
    take(tmp_path)


def test_the_same_process_is_kept_out_too(tmp_path):
    with lock.writer(tmp_path, 0), pytest.raises(Busy):
        take(tmp_path)


def test_a_process_that_the_holder_starts_does_not_inherit_the_lock(tmp_path):
    with lock.writer(tmp_path, 0):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        take(tmp_path)
    finally:
        child.communicate(b"\n")


def test_a_folder_without_room_for_a_lock_is_said(tmp_path):
    with pytest.raises(Unwritable, match="none"):
        take(tmp_path / "none")


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_what_stands_in_place_of_a_lock_is_removed(tmp_path, kind):
    outside = tmp_path / "outside"
    place = tmp_path / "search" / layout.LOCK
    place.parent.mkdir()
    if kind == "folder":
        (place / "inside").mkdir(parents=True)
    elif kind == "link":
        place.symlink_to(outside)
    else:
        os.mkfifo(place)
    take(place.parent)
    assert place.is_file()
    assert not place.is_symlink()
    assert not outside.exists()


def test_nothing_is_locked_behind_a_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "search").symlink_to("elsewhere")
    with pytest.raises(Unwritable, match="is not a folder"):
        take(tmp_path / "search")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_lock_whose_folder_was_deleted_holds_nobody(tmp_path):
    folder = tmp_path / "search"
    folder.mkdir()
    with lock.writer(folder, 0):
        folder.rename(tmp_path / "taken away")
        folder.mkdir()
        with lock.writer(folder, 0):
            assert lock.held(folder)
    assert not lock.held(folder)


def test_whether_it_is_held_is_seen_without_a_trace(tmp_path):
    assert not lock.held(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with lock.writer(tmp_path, 0):
        assert lock.held(tmp_path)
    with lock.writer(tmp_path, 0):
        pass


def test_a_lock_in_a_folder_of_any_kind_touches_nothing_else(tmp_path):
    (tmp_path / layout.VIEWS).write_text("of somebody else")
    file = tmp_path / "catalog.lock"
    with lock.of_file(file, 0.0), pytest.raises(Busy), lock.of_file(file, 0.0):
        pass
    assert (tmp_path / layout.VIEWS).read_text() == "of somebody else"
