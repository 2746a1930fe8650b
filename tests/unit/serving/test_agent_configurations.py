"""The configuration of each agent: what starts the server, in the form of that agent."""

import json
import tomllib

import pytest

from gitsearch.serving.agent_configurations import PLACES, snippet

TOP = '/home/a b/"c"'


def server(agent):
    text = snippet(agent, TOP)
    document = tomllib.loads(text) if agent == "codex" else json.loads(text)
    return document[PLACES[agent].key]["git-search"]


@pytest.mark.parametrize("agent", PLACES)
def test_it_starts_the_server(agent):
    configured = server(agent)
    assert configured["command"] == "git"
    assert configured["args"][-2:] == ["search", "mcp"]
    folder = configured["args"][:-2]
    assert folder in ([], ["-C", TOP], ["-C", "${workspaceFolder}"])


def test_an_agent_that_starts_it_anywhere_is_told_the_repository():
    for agent in ("claude-desktop", "windsurf", "zed"):
        assert server(agent)["args"][:2] == ["-C", TOP]


def test_the_command_prints_it_and_says_where_it_belongs(ask, repo, monkeypatch):
    repo.having({"a.py": "x = 1\n"})
    monkeypatch.chdir(repo.path)
    done = ask("mcp", "--print-config", "claude-code")
    assert done.code == 0
    assert json.loads(done.out)["mcpServers"]["git-search"]
    assert done.err == "git search: this belongs into .mcp.json at the top of the repository\n"


def test_a_wrong_agent_is_told_the_names(ask):
    done = ask("mcp", "--print-config", "emacs")
    assert done.code == 129
    for agent in PLACES:
        assert agent in done.err
