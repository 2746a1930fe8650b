"""The tools that an agent has: names, descriptions, parameters, and the command each call becomes.

All of this is in every conversation of an agent, and a test bounds its tokens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from gitsearch.errors import UsageError, brief
from gitsearch.settings import MODES, TESTS

# Lines of code of a result, and bytes of the rules, that a call gives unless it asks for others.
_LINES = 20
_RULES = 16_000

# What a message quotes, and the names of an option in it: `-k/--max-count`, `--budget`.
_OPTION = re.compile(r"'[^']*'|(?<![\w-])(?:-\w/)?(?P<option>--?[a-z][a-z-]*)", re.ASCII)

# Python's names of the types of JSON.
_TYPES: dict[str, type] = {"string": str, "integer": int, "array": list}


class Parameter(NamedTuple):
    """One parameter of a tool.

    option: the option that a value becomes; without one, values are words of the command. An
    `optional` value may be empty, which gives the option alone. words: the words that the allowed
    values become, if only some are allowed; `is_verb` if such a word is the verb.
    """

    name: str
    text: str
    option: str = ""
    type: str = "string"
    optional: bool = False
    words: Mapping[str, str] = MappingProxyType({})
    is_verb: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of a value."""
        schema: dict[str, Any] = {"type": self.type}
        if self.type == "array":
            schema["items"] = {"type": "string"}
        if self.words:
            schema["enum"] = list(self.words)
        return schema | {"description": self.text}

    def checked(self, value: object) -> object:
        """Return a value, a number without a fraction as int; raises UsageError by the schema."""
        if self.type == "integer" and isinstance(value, float) and value.is_integer():
            value = int(value)
        fits = isinstance(value, _TYPES[self.type]) and not isinstance(value, bool)
        if fits and isinstance(value, list):
            fits = all(isinstance(item, str) for item in value)
        if not fits:
            items = " of strings" if self.type == "array" else ""
            raise UsageError(f"'{self.name}' has to be of type {self.type}{items}")
        if self.words and value not in self.words:
            allowed = ", ".join(self.words)
            raise UsageError(f"'{self.name}' is one of {allowed}, not '{brief(str(value))}'")
        return value

    def given_by(self, value: Any) -> list[str]:
        """The words that a value becomes.

        None is taken for an option: a value is part of its word, or follows it, or stands behind
        "--".
        """
        if self.words:
            return [self.words[value]]
        if not self.option:
            return value if isinstance(value, list) else [value]
        if not self.option.startswith("--"):
            return [self.option, value]
        return [self.option if self.optional and not value else f"{self.option}={value}"]


class Tool(NamedTuple):
    """A tool and the verb that answers it; the first parameter is required unless `alone`.

    verb: "" for a search; alone: the verb of a call without the first parameter, if there may be
    such a call; instead: the parameter that such a call has to have, if there is one; fixed:
    options of each call, before those that are asked for.
    """

    name: str
    text: str
    verb: str
    parameters: tuple[Parameter, ...]
    alone: str | None = None
    instead: str = ""
    fixed: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": {parameter.name: parameter.schema for parameter in self.parameters},
            **({"required": [self.parameters[0].name]} if self.alone is None else {}),
            "additionalProperties": False,
        }

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        """The words after `git search` for a call; raises UsageError for other arguments."""
        given = self._given(arguments)
        first = self.parameters[0].name
        if first not in given and (self.alone is None or self.instead not in {"", *given}):
            wanted = f"'{first}' or '{self.instead}'" if self.instead else f"'{first}'"
            raise UsageError(f"'{self.name}' wants {wanted}")
        verb = self.verb if first in given else str(self.alone)
        options: list[str] = []
        words: list[str] = []
        for parameter in self.parameters:
            if parameter.name not in given:
                continue
            become = parameter.given_by(given[parameter.name])
            if parameter.is_verb:
                verb = become[0]
            elif parameter.option or parameter.words:
                options += become
            elif words:
                # pathspecs stand behind the argument
                words += ["--", *become]
            else:
                words += become
        return [*([verb] if verb else []), *self.fixed, *options, "--", *words]

    def _given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The checked arguments; the first one and its alternative count as missing if empty."""
        given: dict[str, Any] = {}
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in arguments.items():
            if value is None:
                continue
            if name not in known:
                raise UsageError(f"'{self.name}' has no parameter '{brief(name)}'")
            given[name] = known[name].checked(value)
        for name in (self.parameters[0].name, self.instead):
            if name in given and _is_empty(given[name]):
                del given[name]
        return given

    def in_parameters(self, message: str) -> str:
        """A message of the command with the parameters in place of the options they become."""
        names = {}
        for parameter in self.parameters:
            for option in (parameter.option, *parameter.words.values()):
                names[option.partition("=")[0]] = parameter.name

        def named(found: re.Match[str]) -> str:
            name = names.get(found["option"])
            return f"'{name}'" if name else found[0]

        return _OPTION.sub(named, message)


def _is_empty(value: str | list[str]) -> bool:
    return not (value.strip() if isinstance(value, str) else "".join(value))


# ---------------------------------------------------------------- parameters

_MODES = {mode: f"--mode={mode}" for mode in MODES if mode != "hybrid"} | {
    "regex": "--extended-regexp"
}


def _rev() -> Parameter:
    return Parameter("rev", "branch, tag or commit; default: HEAD with edited files", "--at")


def _tests() -> Parameter:
    return Parameter("tests", "tests too, only, or not", words={w: f"--tests={w}" for w in TESTS})


def _most(text: str) -> Parameter:
    return Parameter("max_results", text, "--max-count", "integer")


TOOLS = (
    Tool(
        "search",
        "Find code in this repository by meaning, names, exact text or shape. Start here; "
        "answers show path:lines, symbol and code.",
        "",
        (
            Parameter("query", "a question, words, a name, or what `mode` says", "-e"),
            Parameter(
                "mode",
                "auto (default): by the form of the query; semantic: meaning; lexical: words; "
                "symbol: names of definitions; literal, regex: all matching lines; structural: a "
                "pattern of code with $X for any expression",
                words=_MODES,
            ),
            Parameter("paths", "git pathspecs: src, *.go, :!vendor", type="array"),
            Parameter("language", "such as go,rust", "--type"),
            _tests(),
            _rev(),
            Parameter(
                "changed", "only what A..B added; empty: uncommitted", "--changed", optional=True
            ),
            _most("default 10"),
            Parameter(
                "lines", f"of code each, default {_LINES}; 0: none", "--max-lines", "integer"
            ),
            Parameter("budget", "at most so many tokens", "--budget", "integer"),
            Parameter("continue", "token of the next page; same query", "--continue"),
        ),
        fixed=(f"--max-lines={_LINES}",),
    ),
    Tool(
        "context",
        "All to begin with: the code that a task is about, its users, tests and rules, each with "
        "the reason.",
        "context",
        (
            Parameter("task", "in words; or path, path:symbol, path:lines"),
            Parameter("budget", "tokens, default 4000", "--budget", "integer"),
            _tests(),
            _rev(),
        ),
    ),
    Tool(
        "symbol",
        "Where a name is defined, or used and which definition is meant.",
        "def",
        (
            Parameter("name", "plain or qualified: run, Session.run"),
            Parameter(
                "find",
                "default definitions",
                words={"definitions": "def", "references": "refs"},
                is_verb=True,
            ),
            Parameter("paths", "git pathspecs", type="array"),
            _tests(),
            _rev(),
        ),
    ),
    Tool(
        "outline",
        "Definitions of a file with their lines; read this before the file.",
        "outline",
        (Parameter("path", "a file"), _rev()),
    ),
    Tool(
        "impact",
        "What depends on files or symbols, likeliest first; tests to run. Ask before a change.",
        "impact",
        (
            Parameter("targets", "each path, folder, path:symbol or path:lines", type="array"),
            Parameter("diff", "instead of targets: the files that differ in A...B", "--diff"),
            Parameter("hops", "at most so many imports away", "--hops", "integer"),
            _tests(),
            _most("dependents, default all"),
            _rev(),
        ),
        alone="impact",
        instead="diff",
    ),
    Tool(
        "similar",
        "Code most like a file or lines. Without place: new code that exists already.",
        "related",
        (
            Parameter("place", "path or path:lines"),
            Parameter(
                "changed",
                "without place: A..B or A; default: uncommitted",
                "--changed",
                optional=True,
            ),
            _tests(),
        ),
        alone="dup",
    ),
    Tool(
        "exists",
        "Prove whether words stand anywhere in the tree.",
        "exists",
        (Parameter("words", "exact, case matters", type="array"), _rev()),
    ),
    Tool(
        "conventions",
        "The repository's own rules for contributors and agents, and owners.",
        "conventions",
        (Parameter("path", "only what holds there"), _rev()),
        alone="conventions",
        fixed=(f"--max-bytes={_RULES}",),
    ),
)
