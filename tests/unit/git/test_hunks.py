"""Which lines a change adds, whatever the user has configured and however paths are spelt."""

import pytest

from gitsearch.errors import GitFailed
from gitsearch.git.hunks import fresh_lines
from gitsearch.git.repo import open_repo
from gitsearch.git.trees import EMPTY_TREE

BEFORE = "first line\nsecond line\nthird line\n"


@pytest.fixture
def repo(repo):
    repo.write("a.txt", BEFORE)
    repo.commit()
    return repo


def fresh(repo, *, cached=False):
    found = fresh_lines(open_repo(repo.path), repo.rev("HEAD^{tree}"), cached=cached)
    return {path: sorted(lines) for path, lines in found.items()}


def between(repo, old, new):
    found = fresh_lines(
        open_repo(repo.path), repo.rev(f"{old}^{{tree}}"), repo.rev(f"{new}^{{tree}}")
    )
    return {path: sorted(lines) for path, lines in found.items()}


def test_added_and_changed_lines_are_new(repo):
    repo.write("a.txt", "first line\na line between\nsecond line, changed\nthird line\n")
    assert fresh(repo) == {b"a.txt": [2, 3]}
    assert fresh(repo, cached=True) == {}
    repo.git("add", "-A")
    repo.write("a.txt", BEFORE)
    assert fresh(repo, cached=True) == {b"a.txt": [2, 3]}
    assert fresh(repo) == {}


def test_between_two_trees(repo):
    repo.append("a.txt", "a fourth line\n")
    repo.write("b/c.txt", "a new file\n")
    repo.commit()
    assert between(repo, "HEAD^", "HEAD") == {b"a.txt": [4], b"b/c.txt": [1]}
    assert between(repo, "HEAD", "HEAD^") == {}


def test_everything_is_new_in_a_repository_without_a_commit(repo):
    found = fresh_lines(open_repo(repo.path), None, repo.rev("HEAD^{tree}"))
    assert found == {b"a.txt": {1, 2, 3}}
    assert repo.rev("HEAD^{tree}") != EMPTY_TREE[40]


def test_a_line_that_is_taken_away_elsewhere_is_moved_and_not_new(repo):
    repo.remove("a.txt")
    repo.write("moved.txt", BEFORE + "one more line\n")
    repo.git("add", "-A")
    assert fresh(repo) == {b"moved.txt": [4]}
    repo.write("twice.txt", BEFORE)
    repo.git("add", "-A")
    # it stood there once: one of the two is new
    assert sum(map(len, fresh(repo).values())) == 4


def test_a_line_that_is_only_indented_anew_is_not_new(repo):
    repo.write("a.txt", BEFORE.replace("second", "\tsecond"))
    assert fresh(repo) == {}


@pytest.mark.parametrize(
    "name",
    ["a b.txt", 'quo"te.txt', "tab\tbed.txt", "new\nline.txt", b"\xff\xfe.txt", "übung.txt"],
)
def test_any_path(repo, name):
    repo.write(name, "@@ -1 +1 @@ is no hunk\n--- nor a path\n+++ nor this\n")
    repo.git("add", "-A")
    path = name if isinstance(name, bytes) else name.encode()
    assert fresh(repo) == {path: [1, 2, 3]}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "9"),
        ("diff.interHunkContext", "9"),
        ("diff.external", "false"),
        ("color.ui", "always"),
        ("core.quotePath", "false"),
        ("diff.renames", "copies"),
        ("diff.suppressBlankEmpty", "true"),
    ],
)
def test_settings_change_nothing(repo, monkeypatch, key, value):
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=5")
    repo.git("config", key, value)
    repo.write("a.txt", "first line\n\nsecond line, changed\nthird line\n")
    repo.write("übung.txt", "new here\n")
    repo.git("add", "-A")
    assert fresh(repo) == {b"a.txt": [2, 3], "übung.txt".encode(): [1]}


def test_binary_files_links_and_submodules_have_no_lines(repo):
    repo.write("image.bin", b"\0\1\2\n" * 9)
    repo.symlink("link", "a.txt")
    repo.git("add", "-A")
    assert set(fresh(repo)) <= {b"link"}


def test_nothing_is_edited_in_a_bare_repository(repo, tmp_path):
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    assert fresh(bare) == {}


def test_a_partial_clone_says_what_it_lacks(repo, tmp_path):
    repo.append("a.txt", "a fourth line\n")
    repo.commit()
    partial = repo.clone(tmp_path / "partial", "--filter=blob:none")
    with pytest.raises(GitFailed) as refusal:
        between(partial, "HEAD^", "HEAD")
    assert refusal.value.message == "this partial clone lacks files of the change"
