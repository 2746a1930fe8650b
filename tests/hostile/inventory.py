"""Every regular expression of the program, and how the program runs it.

A pattern is found where a module holds it: by itself, as a bound method, in a table or in a class.
What a function compiles is in no module; such functions are named here with what to give them, and
a function that is not named is a fault.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, NamedTuple

import gitsearch
from gitsearch.features import identifiers
from gitsearch.graph import code_text
from gitsearch.retrieval import file_choice
from gitsearch.retrieval.file_choice import Word
from gitsearch.retrieval.query import parse

# Words of each kind that files are chosen by.
_SOUGHT = (
    *file_choice.words(parse("where is the id of getUserById retried")),
    *file_choice.names(parse("getUserById")),
    Word("tokeniser", ("tokeniser",), frozenset(), near=True),
)

# What builds a pattern, by module and name, and patterns that it builds. Those of a lexer are not
# run to the end of a text: it turns to another one where a string is not closed.
BUILT: Mapping[str, Callable[[Any], list[Any]]] = {
    "gitsearch.graph.name_users:_whole_words": lambda build: [
        build(["word"]),
        build(["a.b", "a-b"]),
    ],
    "gitsearch.commands.defining_lines:_defining_pattern": lambda build: [build(b"word").match],
    "gitsearch.commands.exact_traits:_named": lambda _: [re.compile(re.escape("word"))],
    "gitsearch.commands.map:_trailing_comment": lambda build: [build("php"), build("haskell")],
    "gitsearch.extract.code_patterns:_variable": lambda build: [
        build(sign).fullmatch for sign in ("$", "µ")
    ],
    "gitsearch.features.tokenizer_bounds:_symbol": lambda build: [build().match],
    "gitsearch.features.lexemes:__init__": lambda _: [],
    "gitsearch.graph.code_text:__init__": lambda _: [
        pattern
        for language in ("python", "rust", "haskell", "lua", "ruby", "php", "vue", "bash")
        for delimiters in [code_text._delimiters(language)]
        for pattern in (delimiters.opening, *delimiters.nested.values())
    ],
    "gitsearch.features.whole_words:_standing": lambda build: [build(b"word"), build(b"a.b-")],
    "gitsearch.git.codeowners:_with_wildcards": lambda build: [build("ab\2a"), build("a")],
    "gitsearch.graph.resolvers.settings_files:_compile_part": lambda build: [build("a*a*b").match],
    "gitsearch.retrieval.file_choice:_in_text": lambda build: [build(word) for word in _SOUGHT],
    "gitsearch.retrieval.file_choice:_in_path": lambda build: [build(word) for word in _SOUGHT],
    "gitsearch.render.escape:_unsafe": lambda build: [build(), build('\t"\\\\')],
    "gitsearch.render.color:_pattern": lambda build: [build(("word", "words", "a", "io"))],
}
# What `features.identifiers` compiles when a text needs it.
_TOKENS = ("_MARKED", "_DENSE")

SEARCH, MATCH, FULLMATCH = "search", "match", "fullmatch"
# What only looks at a pattern.
_PLAIN = frozenset({"pattern", "flags", "groups"})
# Not regular expressions: text made safe to be one.
_HARMLESS = frozenset({"escape", "Pattern", "Match", *vars(re.RegexFlag)})


class Use(NamedTuple):
    """A pattern, where it stands, and how it is run: at each place of a text, or at one."""

    pattern: re.Pattern[Any]
    place: str
    how: str


def modules() -> list[ModuleType]:
    """The modules of the program."""
    names = [one.name for one in pkgutil.walk_packages(gitsearch.__path__, "gitsearch.")]
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


def uses() -> list[Use]:
    """Every pattern once, in order of its place."""
    every = modules()
    how = _methods(every)
    found: dict[tuple[Any, int, str], Use] = {}
    for place, value in _values(every):
        for pattern, methods in _held(value, place.partition(":")[0]):
            use = Use(pattern, place, _way(methods or how.get(id(pattern), set())))
            found.setdefault((pattern.pattern, pattern.flags, use.how), use)
    return list(found.values())


def _values(every: list[ModuleType]) -> Iterator[tuple[str, Any]]:
    """What may hold patterns, by place."""
    for module in every:
        yield from ((f"{module.__name__}:{name}", one) for name, one in vars(module).items())
    for place, build in BUILT.items():
        module_name, _, name = place.partition(":")
        yield place, build(getattr(importlib.import_module(module_name), name, None))
    yield (
        "gitsearch.features.identifiers",
        [re.compile(getattr(identifiers, name)) for name in _TOKENS],
    )


def _way(methods: set[str]) -> str:
    """How a pattern with these methods in use is run; unless all are known, as the dearest way."""
    if not methods or methods - {MATCH, FULLMATCH} - _PLAIN:
        return SEARCH
    return MATCH if MATCH in methods else FULLMATCH


def _held(value: Any, module: str) -> Iterator[tuple[re.Pattern[Any], set[str]]]:
    """The patterns in the value of a global, each with the method that is bound, if one is."""
    if isinstance(value, re.Pattern):
        yield value, set()
    elif isinstance(getattr(value, "__self__", None), re.Pattern):
        yield value.__self__, {value.__name__}
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _held(one, module)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _held(one, module)
    elif inspect.isclass(value) and value.__module__ == module:
        for one in list(vars(value).values()):
            if not inspect.isclass(one):
                yield from _held(one, module)


def _methods(every: list[ModuleType]) -> dict[int, set[str]]:
    """The methods that are called of each pattern, by its identity; "": it is handed on."""
    found: dict[int, set[str]] = {}
    for module in every:
        tree = ast.parse(inspect.getsource(module))
        attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
        owners = {node.value: node.attr for node in attributes}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                value = vars(module).get(node.id)
                if isinstance(value, re.Pattern):
                    found.setdefault(id(value), set()).add(owners.get(node, ""))
    return found


def unlisted() -> list[str]:
    """Functions that run or compile a pattern of their own, and are not in BUILT."""
    found = []
    for module in modules():
        tree = ast.parse(inspect.getsource(module))
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            place = f"{module.__name__}:{function.name}"
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    own = vars(module).get(node.value.id) is re and node.attr not in _HARMLESS
                    if own and place not in BUILT and place not in found:
                        found.append(place)
    return found
