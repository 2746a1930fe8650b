"""The settings of many repositories are those that git says of each."""

from pathlib import Path

import pytest

from gitsearch.git.common_settings import CommonSettings
from gitsearch.git.repo import Repo, config, config_at, open_repo
from tests.builder import RepoBuilder

USER = "[search]\n\tmaxCount = 3\n[core]\n\tpager = less\n"


@pytest.fixture
def repos(tmp_path, monkeypatch):
    """Three repositories, one with an odd name, and settings of the user and of the command."""
    (tmp_path / "user").write_text(USER, encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "user"))
    for name, value in (("COUNT", "1"), ("KEY_0", "search.maxCount"), ("VALUE_0", "7")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    builders = [RepoBuilder(tmp_path / name) for name in ("one", 'od"d\\ na\nme [x]', "plain")]
    builders[0].git("config", "search.maxCount", "5")
    builders[0].git("config", "--add", "search.model", "two\nlines")
    builders[1].git("config", "remote.origin.url", "https://forge.example/odd")
    builders[1].append(".git/config", "[search]\n\thooks\n")
    return builders


def opened(builders: list[RepoBuilder]) -> list[Repo]:
    return [open_repo(one.path) for one in builders]


def test_they_are_what_git_says_of_each(repos):
    found = CommonSettings().of(opened(repos))
    assert found == list(map(config, opened(repos)))
    assert found[0] is not None
    assert found[0]["search.maxcount"] == ["3", "5", "7"]
    assert found[1] is not None
    assert found[1]["search.hooks"] == ["true"]


@pytest.mark.usefixtures("repos")
def test_those_where_there_is_no_repository(tmp_path):
    assert CommonSettings().alone == config_at(tmp_path)
    (tmp_path / "user").write_text('[includeIf "gitdir:~/"]\n\tpath = more\n', encoding="utf-8")
    assert CommonSettings().alone is None
    (tmp_path / "user").write_text("[", encoding="utf-8")
    assert CommonSettings().alone is None


def test_a_repository_that_includes_others_is_asked_itself(repos, tmp_path):
    (tmp_path / "more").write_text("[search]\n\tmode = dense\n", encoding="utf-8")
    repos[0].git("config", "include.path", str(tmp_path / "more"))
    repos[2].git("config", "includeIf.onbranch:main.path", str(tmp_path / "more"))
    first, second, third = CommonSettings().of(opened(repos))
    assert (first, third) == (None, None)
    assert second == config(open_repo(repos[1].path))


def test_a_repository_with_settings_of_its_worktrees_is_asked_itself(repos):
    repos[2].git("config", "extensions.worktreeConfig", "true")
    repos[2].git("config", "--worktree", "search.mode", "dense")
    found = CommonSettings().of(opened(repos))
    assert found[2] is None
    assert found[:2] == list(map(config, opened(repos[:2])))


def test_worktrees_of_one_repository_have_each_setting_once(repos, tmp_path):
    repos[0].commit()
    repos[0].git("worktree", "add", "-q", str(tmp_path / "linked"))
    every = [open_repo(repos[0].path), open_repo(tmp_path / "linked")]
    assert CommonSettings().of(every) == list(map(config, every))


def test_settings_of_the_user_may_depend_on_the_repository(repos, tmp_path):
    condition = f'[includeIf "gitdir:{repos[2].path}/"]\n\tpath = more\n'
    (tmp_path / "user").write_text(USER + condition, encoding="utf-8")
    common = CommonSettings()
    assert not common.are_the_same
    assert common.of(opened(repos)) == [None, None, None]


@pytest.mark.parametrize("broken", ["own", "user"])
def test_a_file_that_git_cannot_read_leaves_it_to_git(repos, tmp_path, broken):
    every = opened(repos)
    path: Path = repos[1].path / ".git" / "config" if broken == "own" else tmp_path / "user"
    path.write_text("[search\n", encoding="utf-8")
    common = CommonSettings()
    assert common.are_the_same == (broken == "own")
    assert common.of(every) == [None, None, None]


def test_the_repository_of_the_current_folder_is_nothing_special(repos, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(repos[0].path / ".git"))
    monkeypatch.chdir(repos[0].path)
    (found,) = CommonSettings().of([open_repo(repos[0].path)])
    assert found is not None
    assert found["search.maxcount"] == ["3", "5", "7"]
    monkeypatch.delenv("GIT_DIR")
    (plain,) = CommonSettings().of(opened(repos[2:]))
    assert plain is not None
    assert plain["search.maxcount"] == ["3", "7"]
