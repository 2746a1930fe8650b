"""A look at the folder of git holds until anything there is touched."""

import os
import shutil
import sys
from types import SimpleNamespace

import pytest

from gitsearch.git import work_tree_watch
from gitsearch.git.kept_repo import OwnFiles
from gitsearch.git.repo import open_repo
from gitsearch.git.repository_watch import RepositoryWatch
from gitsearch.git.work_tree_watch import Watches
from tests.builder import RepoBuilder

inotify = pytest.importorskip("inotify_simple", reason="the system has no inotify")

INDEX = ("search", "search/views")


class _Every:
    """All kinds of file systems: the one of the tests may be any."""

    def __contains__(self, kind):
        return True


@pytest.fixture
def built(tmp_path, monkeypatch):
    monkeypatch.setattr(work_tree_watch, "_LOCAL", _Every())
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    made = RepoBuilder(tmp_path / "around" / "r").having({"a.py": "a = 1\n"})
    made.git("checkout", "-q", "-b", "some/deep/branch")
    made.git("config", "some.setting", "1")
    views = made.file(".git/search/views")
    views.mkdir(parents=True)
    (views / "tree.view").write_bytes(b"view")
    made.file(".git/search/seal").write_bytes(b"{}")
    made.file(".git/info").mkdir(exist_ok=True)
    return made


class Asked:
    """Questions about a repository: whether what the one before has looked at holds still."""

    def __init__(self, path):
        self._path = path
        self._repo = open_repo(path)
        self._watches, self._own_files = Watches(), OwnFiles()
        self.watch = RepositoryWatch(self._watches, self._own_files, *INDEX)

    def holds(self):
        self._watches.begin()
        self._own_files.begin()
        self.watch.begin(self._repo, self._path)
        held = self.watch.holds("it")
        self.watch.looked_at("it")
        return held


@pytest.fixture
def asked(built):
    made = Asked(built.path)
    yield made
    made.watch.close()


def never(asked):
    assert not any(asked.holds() for _ in range(4))


def test_what_was_looked_at_holds_as_long_as_nothing_is_touched(asked):
    assert [asked.holds() for _ in range(4)] == [False, True, True, True]
    assert not asked.watch.holds("another thing")


def test_a_question_that_is_cancelled_as_it_begins_takes_no_news_from_the_next(
    asked, built, monkeypatch
):
    asked.holds()
    assert asked.holds()
    built.file(".git/config").open("a").close()
    os.utime(built.file(".git/config"))
    read = inotify.INotify.read

    def cancelled(self, *args, **options):
        read(self, *args, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(inotify.INotify, "read", cancelled)
        with pytest.raises(KeyboardInterrupt):
            asked.holds()
    assert not asked.holds()
    assert asked.holds()


def test_reading_a_repository_and_writing_its_files_touch_nothing(asked, built):
    asked.holds()
    built.git("--no-optional-locks", "status")
    built.git("log", "-p")
    built.write("a.py", "a = 2\n")
    assert asked.holds()


def appended(path, text):
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def replaced(path):
    new = path.with_name("new")
    new.write_bytes(path.read_bytes())
    new.rename(path)


def branch_below_another_folder(built):
    built.git("pack-refs", "--all")
    shutil.rmtree(built.file(".git/refs/heads/some"), ignore_errors=True)


def around_swapped(built):
    folder = built.path.parent
    folder.rename(folder.with_name("old"))
    shutil.copytree(folder.with_name("old"), folder)


CHANGES = {
    "a commit": lambda built: built.git("commit", "-q", "--allow-empty", "-m", "empty"),
    "a branch moved": lambda built: built.git("update-ref", "HEAD", "HEAD~0", "HEAD"),
    "another branch": lambda built: built.git("checkout", "-q", "main"),
    "a commit checked out": lambda built: built.git("checkout", "-q", "--detach"),
    "references packed": lambda built: built.git("pack-refs", "--all"),
    "the folder of a branch gone": branch_below_another_folder,
    "packed references written": lambda built: appended(built.file(".git/packed-refs"), "\n"),
    "a setting": lambda built: built.git("config", "some.setting", "2"),
    "a setting in place": lambda built: appended(built.file(".git/config"), "[a]\n\tb = 1\n"),
    "a setting of the user": lambda built: built.git("config", "--global", "some.setting", "2"),
    "attributes": lambda built: built.write(".git/info/attributes", "*.py -search\n"),
    "the folder of attributes": lambda built: shutil.rmtree(built.file(".git/info")),
    "staged": lambda built: (built.write("b.py", "b = 1\n"), built.git("add", ".")),
    "a rebase": lambda built: built.file(".git/rebase-merge").mkdir(),
    "a view replaced": lambda built: replaced(built.file(".git/search/views/tree.view")),
    "a view more": lambda built: built.write(".git/search/views/other.view", "view"),
    "a view less": lambda built: built.file(".git/search/views/tree.view").unlink(),
    "a view in place": lambda built: appended(built.file(".git/search/views/tree.view"), "+"),
    "the seal": lambda built: replaced(built.file(".git/search/seal")),
    "no index": lambda built: built.file(".git/search").rename(built.path / "away"),
    "the folder of git": lambda built: (
        built.file(".git").rename(built.path / "old"),
        shutil.copytree(built.path / "old", built.file(".git")),
    ),
    "a folder around": around_swapped,
}


@pytest.mark.parametrize("name", CHANGES)
def test_nothing_holds_after_a_change(asked, built, name):
    asked.holds()
    assert asked.holds()
    CHANGES[name](built)
    assert not asked.holds()
    # and one more, in what is there now
    assert asked.holds()
    built.git("config", "some.setting", "3")
    assert not asked.holds()


def test_what_lies_in_a_folder_that_came_later_is_watched(asked, built):
    shutil.rmtree(built.file(".git/search"))
    asked.holds()
    assert asked.holds()
    built.write(".git/search/views/tree.view", "view")
    assert not asked.holds()
    assert asked.holds()
    appended(built.file(".git/search/views/tree.view"), "+")
    assert not asked.holds()


def test_files_with_several_names_are_looked_at_each_time(asked, built, tmp_path):
    os.link(built.file(".git/config"), tmp_path / "second")
    never(asked)


def test_a_queue_that_was_too_small_counts_as_a_change(asked, monkeypatch):
    asked.holds()
    assert asked.holds()
    lost = SimpleNamespace(wd=-1, mask=inotify.flags.Q_OVERFLOW)
    monkeypatch.setattr(inotify.INotify, "read", lambda self, timeout: [lost])
    assert not asked.holds()


def linked_tree(built):
    built.git("worktree", "add", "-q", str(built.path.parent / "linked"), "main")
    return built.path.parent / "linked"


def folder_elsewhere(built):
    built.file(".git").rename(built.path.parent / "elsewhere")
    built.file(".git").symlink_to(built.path.parent / "elsewhere")
    return built.path


def index_elsewhere(built):
    built.file(".git/search").rename(built.path.parent / "index")
    built.file(".git/search").symlink_to(built.path.parent / "index")
    return built.path


def settings_elsewhere(built):
    built.file(".git/config").rename(built.path.parent / "config")
    built.file(".git/config").symlink_to(built.path.parent / "config")
    return built.path


def below_the_top(built):
    built.write("folder/c.py", "c = 1\n")
    return built.file("folder")


UNWATCHED = (linked_tree, folder_elsewhere, index_elsewhere, settings_elsewhere, below_the_top)


@pytest.mark.parametrize("made", UNWATCHED)
def test_what_lies_elsewhere_is_looked_at_each_time(built, made):
    never(Asked(made(built)))


def test_another_index_of_git_is_looked_at_each_time(built, monkeypatch):
    monkeypatch.setenv("GIT_INDEX_FILE", "other")
    never(Asked(built.path))


def test_a_file_system_that_others_may_write_to_is_looked_at_each_time(asked, monkeypatch):
    monkeypatch.setattr(work_tree_watch, "_LOCAL", frozenset())
    never(asked)


def test_without_the_library_all_is_looked_at_each_time(asked, monkeypatch):
    monkeypatch.setitem(sys.modules, "inotify_simple", None)
    never(asked)


def test_a_part_of_what_may_be_watched_is_left_to_others(asked, monkeypatch, tmp_path):
    limit = tmp_path / "limit"
    limit.write_text("4\n", encoding="ascii")
    monkeypatch.setattr(work_tree_watch, "_LIMIT", limit)
    never(asked)
