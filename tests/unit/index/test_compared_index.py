"""A copy of git's index spares git what it has compared, and never changes what it says."""

import os
import re
import subprocess
import time

import pytest

from gitsearch.cli.application import run
from gitsearch.git.repo import Repo, open_repo
from gitsearch.git.worktree import StartedStatus, WorktreeState
from gitsearch.index import compared_index
from gitsearch.store import layout
from tests.builder import FIRST_SECOND, RepoBuilder

# An index of so many files has more than 64 KB.
FILES = 900
LIMIT = 1 << 20


@pytest.fixture(scope="module")
def template(isolation, tmp_path_factory):
    """A repository in which all files are as new as git's index."""
    made = RepoBuilder(tmp_path_factory.mktemp("compared") / "repo")
    made.having({f"folder/number-{i}.py": f"value = {i:03}\n" for i in range(FILES)})
    for path in made.path.glob("folder/*"):
        os.utime(path, (FIRST_SECOND, FIRST_SECOND))
    del isolation
    return made


@pytest.fixture
def racy(template, tmp_path):
    subprocess.run(["cp", "-a", template.path, tmp_path / "copy"], check=True)
    made = RepoBuilder.adopt(tmp_path / "copy")
    made.git("status")
    layout.prepare(made.index_dir)
    as_old_as_the_files(made)
    return made


def as_old_as_the_files(made: RepoBuilder) -> None:
    os.utime(made.git_dir / "index", (FIRST_SECOND, FIRST_SECOND))


def state(repo: Repo) -> WorktreeState:
    compared = compared_index.of(repo)
    assert compared is not None
    found = StartedStatus(repo, untracked=False, compared=compared).read(LIMIT)
    assert found == StartedStatus(repo, untracked=False).read(LIMIT)
    return found


def copies(made: RepoBuilder) -> list[str]:
    return sorted(path.name for path in made.index_dir.glob("*compared*"))


def test_nothing_that_git_would_see_is_missed(racy):
    repo = open_repo(racy.path)
    compared_index.make(repo)
    assert len(copies(racy)) == 1
    assert state(repo).dirty == []
    # the copy of this test was made a moment ago, and git compares whole seconds
    time.sleep(1.1)
    # of the same size, at the same time
    before = (racy.path / "folder/number-7.py").stat()
    racy.write("folder/number-7.py", "value = 700\n")
    os.utime(racy.path / "folder/number-7.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    (racy.path / "folder/number-8.py").unlink()
    found = {file.path for file in state(repo).dirty}
    assert found == {b"folder/number-7.py", b"folder/number-8.py"}


def test_what_was_edited_before_stays_edited(racy):
    racy.write("folder/number-9.py", "value = 900\n")
    as_old_as_the_files(racy)
    repo = open_repo(racy.path)
    compared_index.make(repo)
    assert [file.path for file in state(repo).dirty] == [b"folder/number-9.py"]


def test_another_index_has_another_copy(racy):
    repo = open_repo(racy.path)
    compared_index.make(repo)
    first = copies(racy)
    assert re.fullmatch("compared-[0-9a-f]{16}-[0-9a-f]{16}", first[0])
    racy.write("folder/number-1.py", "value = 1\n")
    racy.git("add", "folder/number-1.py")
    assert compared_index.of(repo) is None
    as_old_as_the_files(racy)
    compared_index.make(repo)
    assert len(copies(racy)) == 1
    assert copies(racy) != first
    assert [file.path for file in state(repo).dirty] == [b"folder/number-1.py"]


def test_a_copy_that_is_gone_or_damaged_is_not_believed(racy):
    repo = open_repo(racy.path)
    compared_index.make(repo)
    copy = compared_index.of(repo)
    assert copy is not None
    copy.write_bytes(b"no index")
    assert StartedStatus(repo, untracked=False, compared=copy).read(LIMIT).dirty == []
    started = StartedStatus(repo, untracked=False, compared=copy.with_name("gone"))
    assert started.read(LIMIT).dirty == []


def test_neither_the_lock_nor_the_hooks_of_the_user_are_touched(racy):
    hook = racy.git_dir / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch '{racy.path}/ran'\n")
    hook.chmod(0o755)
    (racy.git_dir / "index.lock").touch()
    before = (racy.git_dir / "index").read_bytes()
    compared_index.make(open_repo(racy.path))
    assert len(copies(racy)) == 1
    assert not (racy.path / "ran").exists()
    assert (racy.git_dir / "index").read_bytes() == before


def test_where_it_would_spare_nothing_there_is_none(racy, monkeypatch):
    repo = open_repo(racy.path)
    with monkeypatch.context() as patched:
        patched.setenv("GIT_INDEX_FILE", str(racy.git_dir / "other"))
        compared_index.make(repo)
        assert compared_index.of(repo) is None
    newer = (racy.git_dir / "index").stat().st_mtime + 10
    os.utime(racy.git_dir / "index", (newer, newer))
    compared_index.make(repo)
    racy.git("update-index", "--split-index")
    as_old_as_the_files(racy)
    compared_index.make(repo)
    assert copies(racy) == []


def test_it_is_not_made_in_the_second_of_the_index(racy):
    os.utime(racy.git_dir / "index")
    compared_index.make(open_repo(racy.path))
    assert copies(racy) == []


def test_what_is_no_file_is_no_copy(racy):
    repo = open_repo(racy.path)
    compared_index.make(repo)
    copy = compared_index.of(repo)
    assert copy is not None
    copy.unlink()
    os.mkfifo(copy)
    assert compared_index.of(repo) is None


@pytest.mark.parametrize("words", [("index", "-q"), ("--refresh=wait", "number")])
def test_whoever_indexes_makes_it_and_gc_drops_it(racy, monkeypatch, capsys, words):
    monkeypatch.chdir(racy.path)
    assert run(words) == 0
    assert len(copies(racy)) == 1
    assert run(("gc",)) == 0
    assert copies(racy) == []
    capsys.readouterr()
    assert run(("verify",)) == 0, capsys.readouterr()
