"""The tools of agents: what they cost, the commands that calls become, and what they may say."""

import json
import re
from pathlib import Path

import pytest

from gitsearch.cli.application import route
from gitsearch.errors import UsageError
from gitsearch.features.token_count import count
from gitsearch.serving.tools import TOOLS

ROOT = Path(__file__).parents[3]
TOKENS = 1500
BY_NAME = {tool.name: tool for tool in TOOLS}

CALLS = [
    ("search", {"query": "a b"}, ["--max-lines=20", "-e", "a b", "--"]),
    ("search", {"query": "-h", "mode": "regex"}, ["-e", "-h", "--extended-regexp", "--"]),
    ("search", {"query": "x", "paths": ["--at=y", "src"]}, ["-e", "x", "--", "--at=y", "src"]),
    ("search", {"query": "x", "rev": "--json"}, ["-e", "x", "--at=--json", "--"]),
    ("search", {"query": "x", "changed": ""}, ["-e", "x", "--changed", "--"]),
    ("search", {"query": "x", "changed": "A..B"}, ["-e", "x", "--changed=A..B", "--"]),
    ("search", {"query": "x", "max_results": 3, "lines": 0}, ["--max-count=3", "--max-lines=0"]),
    ("context", {"task": "x y", "budget": 900}, ["context", "--budget=900", "--", "x y"]),
    ("symbol", {"name": "-x"}, ["def", "--", "-x"]),
    ("symbol", {"name": "x", "find": "references"}, ["refs", "--", "x"]),
    ("outline", {"path": "a", "rev": "v1"}, ["outline", "--at=v1", "--", "a"]),
    (
        "symbol",
        {"name": "-x", "find": "references", "paths": ["src", ":!a"], "tests": "only"},
        ["refs", "--tests=only", "--", "-x", "--", "src", ":!a"],
    ),
    ("impact", {"targets": ["a", "b:c"], "hops": 2}, ["impact", "--hops=2", "--", "a", "b:c"]),
    ("impact", {"diff": "A...B"}, ["impact", "--diff=A...B", "--"]),
    ("similar", {"place": "a:3", "tests": "only"}, ["related", "--tests=only", "--", "a:3"]),
    ("similar", {"changed": "A..B"}, ["dup", "--changed=A..B", "--"]),
    ("exists", {"words": ["--quick"]}, ["exists", "--", "--quick"]),
    ("conventions", {"path": None}, ["conventions", "--max-bytes=16000", "--"]),
]


def test_there_are_few_and_they_cost_what_is_written():
    assert len(TOOLS) <= 8
    told = [
        {
            "name": tool.name,
            "description": tool.text,
            "inputSchema": tool.schema,
            "annotations": {"readOnlyHint": True},
        }
        for tool in TOOLS
    ]
    cost = count(json.dumps(told, separators=(",", ":")))
    assert cost <= TOKENS
    for name in ("README.md", "docs/agents.md"):
        assert f"about {round(cost, -2):,} tokens" in (ROOT / name).read_text(encoding="utf-8")


def test_every_parameter_is_explained():
    for tool in TOOLS:
        for parameter in tool.schema["properties"].values():
            assert parameter["description"]


@pytest.mark.parametrize(("name", "arguments", "words"), CALLS)
def test_a_call_becomes_a_command(name, arguments, words):
    command = BY_NAME[name].command(arguments)
    assert [word for word in command if word in words] == words
    # nothing that a caller gives is taken for an option
    assert route(command)[0].name == (words[0] if name != "search" else "")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_each_parameter_is_known_to_the_command_line(tool):
    # each alone, with the first: some exclude each other
    first = tool.parameters[0]
    some = {"integer": 1, "array": ["x"], "string": "x"}
    for parameter in tool.parameters:
        for value in parameter.words or [some[parameter.type]]:
            needed = {} if tool.alone and not tool.instead else {first.name: some[first.type]}
            command, words = route(tool.command({**needed, parameter.name: value}))
            known = {name for option in command.options for name in option.opts}
            options = words[: words.index("--")]
            assert {word.partition("=")[0] for word in options if word != "x"} <= known


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("search", {}, "'search' wants 'query'"),
        ("search", {"query": 1}, "has to be of type string"),
        ("search", {"query": "x", "path": "y"}, "has no parameter 'path'"),
        ("search", {"query": "x", "mode": "hybrid"}, "is one of auto, "),
        ("search", {"query": "x", "max_results": True}, "has to be of type integer"),
        ("search", {"query": "x", "max_results": "3"}, "has to be of type integer"),
        ("search", {"query": "x", "paths": "src"}, "has to be of type array of strings"),
        ("search", {"query": "x", "paths": [1]}, "has to be of type array of strings"),
        ("exists", {"words": None}, "'exists' wants 'words'"),
        ("exists", {"words": [""]}, "'exists' wants 'words'"),
        ("search", {"query": " "}, "'search' wants 'query'"),
        ("context", {"task": ""}, "'context' wants 'task'"),
        ("impact", {}, "'impact' wants 'targets' or 'diff'"),
        ("impact", {"targets": []}, "'impact' wants 'targets' or 'diff'"),
        ("impact", {"diff": ""}, "'impact' wants 'targets' or 'diff'"),
        ("search", {"query": "x", "max_results": 2.5}, "has to be of type integer"),
        ("search", {"query": "x", "max_results": float("inf")}, "has to be of type integer"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(name, arguments, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        BY_NAME[name].command(arguments)


def test_a_number_without_a_fraction_is_an_integer():
    assert "--max-count=5" in BY_NAME["search"].command({"query": "x", "max_results": 5.0})


@pytest.mark.parametrize(
    ("name", "message", "said"),
    [
        ("search", "-k/--max-count wants a number", "'max_results' wants a number"),
        ("search", "--budget 98 is enough for this one", "'budget' 98 is enough for this one"),
        ("search", "--continue: ask without it", "'continue': ask without it"),
        ("search", "--extended-regexp and --at, not '--at'", "'mode' and 'rev', not '--at'"),
        ("symbol", "--changed=A..B", "--changed=A..B"),
        ("impact", "--diff wants A..B or A...B", "'diff' wants A..B or A...B"),
    ],
)
def test_a_message_of_the_command_names_the_parameters(name, message, said):
    assert BY_NAME[name].in_parameters(message) == said
