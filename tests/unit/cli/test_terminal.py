"""Colours and the pager are chosen as git chooses them, without asking git."""

import itertools

import pytest

from gitsearch.cli.terminal import git_colour, git_pager
from gitsearch.git.repo import config, open_repo

COLOURS = ("always", "never", "auto", "true", "false", "yes", "off")
PAGERS = ("", "cat", "less -R", "most")


def set_all(repo, monkeypatch, settings, environment):
    for key, value in settings.items():
        if value is not None:
            repo.git("config", key, value)
    for name, value in environment.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)


@pytest.mark.parametrize("own", [None, "always", "never", "auto", "false"])
@pytest.mark.parametrize("general", [None, *COLOURS])
def test_colour_is_as_git_says(repo, monkeypatch, own, general):
    repo.having({"a.py": "a = 1\n"})
    set_all(repo, monkeypatch, {"color.search": own, "color.ui": general}, {})
    opened = open_repo(repo.path)
    for tty, term, paged in itertools.product((True, False), ("xterm", "dumb"), (None, "1")):
        set_all(repo, monkeypatch, {}, {"TERM": term, "GIT_PAGER_IN_USE": paged})
        said = opened.run("config", "--get-colorbool", "color.search", str(tty).lower())
        assert git_colour(config(opened), tty=tty) == (said.strip() == b"true"), (tty, term, paged)


@pytest.mark.parametrize("core", [None, *PAGERS])
def test_the_pager_is_as_git_says(repo, monkeypatch, core):
    repo.having({"a.py": "a = 1\n"})
    set_all(repo, monkeypatch, {"core.pager": core}, {})
    opened = open_repo(repo.path)
    for own, usual in itertools.product((None, *PAGERS), (None, *PAGERS)):
        set_all(repo, monkeypatch, {}, {"GIT_PAGER": own, "PAGER": usual})
        said = opened.run("var", "GIT_PAGER").decode().removesuffix("\n")
        assert git_pager(config(opened)) == (None if said in ("", "cat") else said), (own, usual)


@pytest.mark.parametrize(
    ("chosen", "pager"), [("false", None), ("true", "less -R"), ("most", "most"), ("cat", None)]
)
def test_the_pager_of_this_command_wins(chosen, pager):
    assert git_pager({"pager.search": [chosen], "core.pager": ["less -R"]}) == pager
