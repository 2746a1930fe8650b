"""A repository that stays open: HEAD is what it is now, however it was moved."""

import pytest

from gitsearch.git import repo
from gitsearch.git.kept_repo import KeptRepo
from tests.builder import RepoBuilder


def changed(built, number):
    built.write("a.py", f"a = {number}\n")
    built.commit()


@pytest.fixture
def kept(tmp_path):
    """A repository with two commits, and it kept open."""
    built = RepoBuilder(tmp_path / "r").having({"a.py": "a = 1\n"})
    built.git("branch", "old")
    changed(built, 2)
    repository = KeptRepo()
    yield built, repository
    repository.close()


def head_of(kept):
    built, repository = kept
    _, head = repository.open_at_head(built.path)
    assert head == repo.open_at_head(built.path)[1]
    return head


def moves(built):
    """Yield after each way in which HEAD may come to another commit, or to the same one."""
    changed(built, 3)
    yield "commit"
    built.git("pack-refs", "--all")
    yield "packed"
    changed(built, 4)
    yield "commit over a packed reference"
    built.git("pack-refs", "--all", "--prune")
    yield "packed again"
    built.checkout("old")
    yield "branch"
    built.git("update-ref", "refs/heads/old", "HEAD~0")
    yield "the same commit"
    built.git("checkout", "-q", "--detach", "main")
    yield "detached"
    built.git("reset", "-q", "--hard", "HEAD~1")
    yield "reset"
    built.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    built.git("symbolic-ref", "HEAD", "refs/heads/alias")
    yield "a reference to a reference"
    built.git("reset", "-q", "--hard", "old")
    yield "reset behind a reference"


def test_head_is_seen_to_move(kept):
    seen = {head_of(kept).commit}
    for _ in moves(kept[0]):
        seen.add(head_of(kept).commit)
    assert len(seen) == 4


def test_a_repository_that_is_as_it_was_takes_no_process(kept, monkeypatch):
    head = head_of(kept)
    head_of(kept)
    built, repository = kept
    monkeypatch.setattr("subprocess.Popen", None)
    monkeypatch.setattr("gitsearch.git.blobs.read_objects", None)
    assert repository.open_at_head(built.path)[1] == head
