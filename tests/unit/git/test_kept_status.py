"""The state of a working tree that is kept: every change is seen by the next question."""

import errno
import os
import shutil
import sys
from functools import partial
from types import SimpleNamespace

import pytest

from gitsearch.git import repo as repository
from gitsearch.git import work_tree_watch
from gitsearch.git.worktree import read_status, start_status
from gitsearch.index.kept_open import KeptOpen
from tests.builder import RepoBuilder

inotify = pytest.importorskip("inotify_simple", reason="the system has no inotify")

LIMIT = 1 << 20
FILES = {
    "a.py": "a = 1\n",
    "package/b.py": "b = 1\n",
    "package/deep/c.py": "c = 1\n",
    "other/d.py": "d = 1\n",
}


@pytest.fixture
def built(tmp_path, monkeypatch):
    monkeypatch.setattr(work_tree_watch, "_LOCAL", _Every())
    made = RepoBuilder(tmp_path / "r").having(FILES)
    made.git("commit", "-q", "--allow-empty", "-m", "empty")
    made.git("branch", "-q", "later")
    made.git("reset", "-q", "--hard", "HEAD~1")
    return made


class _Every:
    """All kinds of file systems: the one of the tests may be any."""

    def __contains__(self, kind):
        return True


@pytest.fixture
def asked(built, monkeypatch):
    """A function that asks for the state as a question does, and tells what git was asked."""
    kept = KeptOpen()
    started: list[str] = []

    def spawn(command, *rest, **options):
        started.extend(word for word in command if word in ("ls-files", "status"))
        return original(command, *rest, **options)

    original = repository.spawn
    monkeypatch.setattr(repository, "spawn", spawn)

    def ask(*, beside=False):
        started.clear()
        kept.begin()
        own = kept.beside(built.path) if beside else kept
        opened, head = own.repository(built.path)
        own.config(opened)
        state = own.start_status(opened, head).read(LIMIT)
        processes = list(started)
        assert state == read_status(opened, start_status(opened, untracked=False), LIMIT)
        return processes

    yield ask
    kept.close()


def until_known(ask):
    for _ in range(3):
        processes = ask()
    assert processes == []


def test_git_is_asked_until_the_tree_is_watched(asked):
    assert asked()[-1] == "status"
    assert asked() == ["ls-files", "status"]
    assert asked() == []
    assert asked() == []


def replaced(built, name="package/b.py"):
    built.file("new").write_text("b = 2\n", encoding="utf-8")
    built.file("new").rename(built.file(name))


def appended(built):
    with built.file("a.py").open("a", encoding="utf-8") as file:
        file.write("more = 1\n")


def mapped(built):
    import mmap

    with built.file("a.py").open("r+b") as file, mmap.mmap(file.fileno(), 0) as content:
        content[0:1] = b"x"


def of_the_same_size_and_time(built):
    before = built.file("a.py").stat()
    built.write("a.py", "a = 7\n")
    os.utime(built.file("a.py"), ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES = {
    "written": lambda built: built.write("a.py", "a = 2\n"),
    "appended to": appended,
    "mapped and written to": mapped,
    "replaced": replaced,
    "of the same size and time": of_the_same_size_and_time,
    "deleted": lambda built: built.file("package/deep/c.py").unlink(),
    "executable": lambda built: built.file("a.py").chmod(0o755),
    "a link": lambda built: (built.file("a.py").unlink(), built.file("a.py").symlink_to("other")),
    "a folder renamed": lambda built: built.file("package").rename(built.file("moved")),
    "a folder deleted": lambda built: shutil.rmtree(built.file("other")),
    "a new file staged": lambda built: (built.write("n/e/w.py", "n = 1\n"), built.git("add", ".")),
    "removed from the index": lambda built: built.git("rm", "-q", "--cached", "a.py"),
    "a commit": lambda built: (built.write("a.py", "a = 3\n"), built.commit()),
    "HEAD moved alone": lambda built: built.git("update-ref", "HEAD", "later"),
    "another branch": lambda built: built.git("checkout", "-q", "--orphan", "new"),
    "attributes": lambda built: built.write(".gitattributes", "*.py text eol=crlf\n"),
    "a setting": lambda built: built.git("config", "core.fileMode", "false"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_seen_by_the_next_question(asked, built, name):
    until_known(asked)
    CHANGES[name](built)
    assert "status" in asked()
    # and one more, below what was just changed
    until_known(asked)
    replaced(built, "a.py")
    assert "status" in asked()


def test_what_is_edited_in_a_folder_that_came_later_is_seen(asked, built):
    until_known(asked)
    built.write("new/deep/e.py", "e = 1\n")
    until_known(asked)
    built.git("add", "new")
    until_known(asked)
    built.write("new/deep/e.py", "e = 2\n")
    assert "status" in asked()


def test_a_folder_that_came_back_is_watched_again(asked, built):
    until_known(asked)
    built.file("package").rename(built.file("away"))
    asked()
    built.file("away").rename(built.file("package"))
    until_known(asked)
    built.write("package/deep/c.py", "c = 2\n")
    assert "status" in asked()


def test_two_sessions_of_one_folder_both_see_a_change(asked, built):
    until_known(asked)
    until_known(partial(asked, beside=True))
    until_known(asked)
    built.write("a.py", "a = 9\n")
    assert "status" in asked()
    assert "status" in asked(beside=True)


def test_a_change_beside_the_tracked_files_costs_no_more_than_one_status(asked, built):
    until_known(asked)
    built.write("build/made.o", "1\n")
    asked()
    until_known(asked)


def test_a_queue_that_was_too_small_counts_as_a_change(asked, monkeypatch):
    until_known(asked)
    lost = SimpleNamespace(wd=-1, mask=inotify.flags.Q_OVERFLOW)
    monkeypatch.setattr(inotify.INotify, "read", lambda self, timeout: [lost])
    assert asked() == ["ls-files", "status"]


def never(asked):
    for _ in range(4):
        assert asked()[-1] == "status"


def test_files_with_several_names_are_not_watched(asked, built, tmp_path):
    os.link(built.file("a.py"), tmp_path / "second")
    never(asked)


def test_a_file_system_that_others_may_write_to_is_not_watched(asked, monkeypatch):
    monkeypatch.setattr(work_tree_watch, "_LOCAL", frozenset())
    never(asked)


def test_without_a_list_of_mounts_nothing_is_watched(monkeypatch, tmp_path):
    monkeypatch.setattr(work_tree_watch, "_MOUNTS", tmp_path / "missing")
    kept = work_tree_watch.Watches()
    kept.begin()
    assert kept.watch(tmp_path, [b"a"]) is None


def test_without_the_library_git_is_asked(asked, monkeypatch):
    monkeypatch.setitem(sys.modules, "inotify_simple", None)
    never(asked)


def test_a_part_of_what_may_be_watched_is_left_to_others(asked, monkeypatch, tmp_path):
    limit = tmp_path / "limit"
    limit.write_text("4\n", encoding="ascii")
    monkeypatch.setattr(work_tree_watch, "_LIMIT", limit)
    never(asked)


def test_a_folder_that_may_not_be_watched_concerns_its_repository_alone(monkeypatch, tmp_path):
    monkeypatch.setattr(work_tree_watch, "_LOCAL", _Every())
    add_watch = inotify.INotify.add_watch

    def refusing(self, path, mask):
        if path.endswith(b"/closed"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return add_watch(self, path, mask)

    monkeypatch.setattr(inotify.INotify, "add_watch", refusing)
    open_tree = RepoBuilder(tmp_path / "open").having(FILES)
    closed_tree = RepoBuilder(tmp_path / "with").having({**FILES, "closed/e.py": "e = 1\n"})
    kept = work_tree_watch.Watches()
    kept.begin()
    assert kept.watch(closed_tree.path, [b"a.py", b"closed/e.py"]) is None
    assert kept.may_watch
    assert kept.watch(open_tree.path, [b"a.py", b"other/d.py"]) is not None


def test_one_question_sets_up_a_few_watches_only(asked, monkeypatch):
    monkeypatch.setattr(work_tree_watch, "MOST_AT_ONCE", 0)
    never(asked)


def test_a_file_of_attributes_that_a_setting_names_is_not_known(asked, built):
    built.git("config", "core.attributesFile", "/nowhere")
    never(asked)


MOUNTS = (
    b"22 27 0:21 / / rw - ext4 /dev/vda rw\n"
    b"23 22 0:22 / /home rw shared:1 - nfs4 server:/ rw\n"
    b"24 22 0:23 / /work\\040here rw - xfs /dev/vdb rw\n"
    b"25 24 0:24 / /work\\040here/r/sub rw - xfs /dev/vdc rw\n"
    b"26 22 0:25 / /over rw - ext4 /dev/vdd rw\n"
    b"27 26 0:26 / /over rw - fuse.sshfs host: rw\n"
)


@pytest.mark.parametrize(
    ("folder", "is_local"),
    [
        ("/srv/r", True),
        ("/home/me/r", False),
        ("/home2/r", True),
        ("/work here/other", True),
        ("/work here/r", False),
        ("/work here/r/sub", True),
        ("/over/r", False),
    ],
)
def test_file_systems_are_known_by_the_list_of_mounts(folder, is_local):
    assert work_tree_watch._is_local(folder, MOUNTS) is is_local


def test_after_a_mount_all_is_looked_at_anew(asked, monkeypatch):
    until_known(asked)
    monkeypatch.setattr(work_tree_watch, "_mounts", lambda: MOUNTS)
    assert "status" in asked()
