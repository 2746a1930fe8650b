"""What history says usually changes together."""

import os

import pytest

from gitsearch.errors import GitFailed
from gitsearch.git.cochange import habits, read_history
from gitsearch.git.repo import open_repo
from gitsearch.reports.change import MissingCochange
from tests.builder import RepoBuilder


def change(repo, *paths):
    for path in paths:
        repo.write(path, f"{path} at {repo.clock}\n")
    return repo.commit()


@pytest.fixture
def repo(repo):
    """`model` and `schema` changed seven times together, `model` and `view` not always."""
    change(repo, "model", "schema", "view", "other")
    for number in range(6):
        change(repo, "model", "schema", *(["view"] if number % 2 else []))
        change(repo, "other")
    return repo


def found(repo, *changed, base="HEAD", **options):
    opened, commit = open_repo(repo.path), repo.rev(base)
    history = read_history(opened, commit, **options)
    return habits(opened, commit, set(map(os.fsencode, changed)), history)


def test_what_always_changes_too_is_told_with_its_evidence(repo):
    assert found(repo, "model") == [MissingCochange("schema", "model", 6, 6)]
    assert found(repo, "schema") == [MissingCochange("model", "schema", 6, 6)]


def test_what_changes_too_is_no_news(repo):
    assert found(repo, "model", "schema") == []
    assert found(repo, "view", "other", "nothing") == []


def test_one_exception_among_few_is_too_many_and_among_many_is_not(repo):
    change(repo, "model")
    assert found(repo, "model") == []
    for _ in range(7):
        change(repo, "model", "schema")
    assert found(repo, "model") == [MissingCochange("schema", "model", 13, 14)]


def test_a_habit_that_was_given_up_is_none(repo):
    for _ in range(20):
        change(repo, "model", "schema")
    change(repo, "model")
    assert found(repo, "model") == []


def test_only_what_lies_before_counts_and_only_so_far_back(repo):
    assert found(repo, "model", base="HEAD~4") == []
    assert found(repo, "model", window=8) == []


def test_large_commits_say_nothing(repo, tmp_path):
    wide = RepoBuilder(tmp_path / "wide")
    for _ in range(8):
        change(wide, *(f"file{i}" for i in range(31)))
    assert found(wide, "file1") == []


def test_a_merge_counts_once_with_all_that_it_brought(repo, tmp_path):
    merged = RepoBuilder(tmp_path / "merged")
    change(merged, "readme")
    for number in range(7):
        merged.branch(f"topic{number}")
        change(merged, "model")
        change(merged, "schema")
        merged.checkout("main")
        merged.merge(f"topic{number}")
    assert found(merged, "model") == [MissingCochange("schema", "model", 7, 7)]


def test_a_file_that_was_moved_keeps_its_history(repo):
    repo.rename("schema", "db/schema")
    repo.commit()
    assert found(repo, "model") == [MissingCochange("db/schema", "model", 6, 6)]
    repo.rename("model", "db/model")
    repo.commit()
    assert found(repo, "db/model") == [MissingCochange("db/schema", "db/model", 6, 6)]


def test_a_file_that_is_gone_is_not_asked_for(repo):
    repo.remove("schema")
    repo.commit()
    assert found(repo, "model") == []


def test_a_shallow_clone_says_where_its_history_ends(repo, tmp_path):
    shallow = repo.clone(tmp_path / "shallow", "--depth=3")
    assert found(shallow, "model") == []
    history = read_history(open_repo(shallow.path), shallow.rev())
    assert (history.cut, len(history.landings)) == (True, 2)


def test_a_clone_without_trees_says_that_it_cannot_tell(repo, tmp_path):
    partial = repo.clone(tmp_path / "partial", "--filter=tree:0")
    with pytest.raises(GitFailed):
        found(partial, "model")


def test_a_new_repository_has_no_habits(tmp_path):
    one = RepoBuilder(tmp_path / "one")
    change(one, "model")
    assert found(one, "model") == []


def test_odd_paths(tmp_path):
    odd = RepoBuilder(tmp_path / "odd")
    for _ in range(7):
        change(odd, "a b\tc", "*", "ü\n")
    expected = [MissingCochange("*", "a b\tc", 6, 6), MissingCochange("ü\n", "a b\tc", 6, 6)]
    assert found(odd, "a b\tc") == expected


def test_how_often_others_changed_with_a_file_and_the_ids_of_the_commits(repo):
    history = read_history(open_repo(repo.path), repo.rev())
    times, together = history.together(b"view")
    assert (times, together) == (3, {b"model": 3, b"schema": 3})
    assert history.together(b"nothing") == (0, {})
    assert history.commits[0] == repo.rev()
    assert len(history.commits) == len(history.landings)
