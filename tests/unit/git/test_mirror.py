"""Clones of a cluster: one that stalls is given up, and nothing of it is left."""

import socket

import pytest

from gitsearch.errors import GitFailed
from gitsearch.git import mirror
from tests.builder import RepoBuilder


@pytest.fixture
def stalled(monkeypatch):
    """An address of `git://` that takes connections and says nothing."""
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "git:file")
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"git://127.0.0.1:{server.getsockname()[1]}/r.git"


def test_an_address_that_says_nothing_is_given_up(stalled, tmp_path, monkeypatch):
    monkeypatch.setattr(mirror, "LONGEST", 1.0)
    clones = tmp_path / "repositories"
    with pytest.raises(GitFailed, match="not done after 1 seconds"):
        mirror.update(stalled, clones / "r")
    assert list(clones.iterdir()) == []


def test_a_fetch_that_says_nothing_is_given_up(stalled, tmp_path, monkeypatch):
    source = RepoBuilder(tmp_path / "source").having({"a.py": "a = 1\n"})
    clone = tmp_path / "repositories" / "r"
    mirror.update(str(source.path), clone)
    RepoBuilder.adopt(clone).git("config", "remote.origin.url", stalled)
    monkeypatch.setattr(mirror, "LONGEST", 1.0)
    with pytest.raises(GitFailed, match="not done after 1 seconds"):
        mirror.update(stalled, clone)


def test_what_killed_clones_have_left_is_removed(tmp_path):
    (tmp_path / ".clone-abc" / "objects").mkdir(parents=True)
    (tmp_path / "kept").mkdir()
    mirror.sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    mirror.sweep(tmp_path / "none")
