"""The gateway to ast-grep: patterns of code with metavariables, and what they match in a text.

A pattern is a piece of code in which `$NAME` stands for any node of the syntax tree, `$$$NAME` for
any number of them, and `$_` and `$$$` for such that are not captured. Patterns and texts may take
native parsers down: callers call this in child processes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ast_grep_py import SgNode, SgRoot

from gitsearch.extract import parser_limits
from gitsearch.extract.languages import LANGUAGES
from gitsearch.reports.code_match import Capture, CodeMatch

if TYPE_CHECKING:
    from collections.abc import Iterator

# Languages with structural search: the name in LANGUAGES, the name in ast-grep, and the character
# that ast-grep puts in the place of `$` where the language does not allow it in a name
# (crates/language/src/lib.rs, `expando_char`). Markdown is left out: its grammar sees no more of a
# paragraph than punctuation, so that patterns of code match prose.
_TABLE = """
    arduino cpp 𐀀
    bash bash $
    c c 𐀀
    cpp cpp 𐀀
    csharp csharp µ
    css css _
    cuda cpp 𐀀
    dart dart $
    elixir elixir µ
    go go µ
    haskell haskell µ
    hcl hcl µ
    html html z
    java java $
    javascript javascript $
    json json $
    kotlin kotlin µ
    lua lua $
    nix nix _
    php php µ
    python python µ
    ruby ruby µ
    rust rust µ
    scala scala $
    scss css _
    solidity solidity $
    starlark python µ
    swift swift µ
    terraform hcl µ
    tsx tsx $
    typescript typescript $
    yaml yaml $
"""


class Grammar(NamedTuple):
    """A language as ast-grep knows it: its name, and what stands for `$` in a parsed pattern."""

    name: str
    sign: str


GRAMMARS = {
    language: Grammar(name, sign)
    for language, name, sign in (row.split() for row in _TABLE.strip().splitlines())
}

# The characters that begin a metavariable, in the form that `expando_char` replaces.
_SIGNS = re.compile(r"(?<!\$)\$+(?=[A-Z_])|(?<!\$)\$\$\$(?!\$)")
_METAVARIABLE = re.compile(r"(?<![\w$])(\${1,3})([A-Z][A-Z0-9_]*)(?!\w)")
_DOLLAR_WORD = re.compile(r"\$+\w*")
_ANY_METAVARIABLE = re.compile(r"\${3}[A-Z0-9_]*|\${1,2}[A-Z_][A-Z0-9_]*")

# A word of a text, and a word that stands in a pattern apart from metavariables and escapes.
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

# Longer nodes are no metavariables, or ones with names that are too long to prune files by.
_LONGEST_METAVARIABLE = 200

# Characters of all captures in a file. Those of `$X` are about 15 times as long as a program.
_MOST_CAPTURED = 64 << 20

_SEPARATORS = frozenset({",", ";"})

# The faults of a pattern in a language.
NO_CODE = "it has no code"
SEVERAL = "it is several pieces of code"
ONLY_SEVERAL_NODES = "it is one metavariable for several nodes"
NOT_PARSED = "it does not parse"
# What ast-grep says of them.
_FAULTS = {
    "No AST root": NO_CODE,
    "Multiple AST nodes": SEVERAL,
    "Standalone multi meta variable": ONLY_SEVERAL_NODES,
}


# Start and end of a leaf in the text of a pattern, and if it is named.
Leaf = tuple[int, int, bool]


class CodePattern(NamedTuple):
    """A pattern in one language.

    words: those that a file must have, as they are spelt, for the pattern to match in it; longest:
    its longest token, which a file must have, too. fault: why it is no pattern in this language,
    or ""; broken: a part of it does not parse, and hardly matches anything. What does not parse
    at all (NOT_PARSED) may still match: nodes of any kind with these parts, as an entry of a list
    that is no code without the list.
    """

    words: frozenset[str]
    longest: str = ""
    fault: str = ""
    broken: bool = False

    def may_match(self, data: bytes) -> bool:
        """Return False for a text without the words or the longest token."""
        return all(word.encode() in data for word in (*self.words, self.longest))


def parsed(pattern: str, language: str) -> CodePattern:
    """Return a pattern as a language of GRAMMARS sees it."""
    grammar = GRAMMARS[language]
    try:
        SgRoot("", grammar.name).root().find_all(pattern=pattern)
    except RuntimeError as error:
        faults = (fault for said, fault in _FAULTS.items() if said in str(error))
        return CodePattern(frozenset(), fault=next(faults, NO_CODE))
    text = _SIGNS.sub(lambda signs: grammar.sign * len(signs[0]), pattern)
    node = _only_node(SgRoot(text, grammar.name).root())
    leaves = list(_leaves(node, grammar.sign))
    tokens = (text[start:end] for start, end, _ in leaves)
    # the program ast-grep leaves out files without it; of several the first
    longest = max(tokens, key=lambda token: len(token.encode()), default="")
    words = frozenset(_fixed_words(text, leaves, longest))
    if node.kind() == "ERROR":
        return CodePattern(words, longest, NOT_PARSED)
    return CodePattern(words, longest, broken=node.find(kind="ERROR") is not None)


def not_metavariables(pattern: str) -> list[str]:
    """Return what begins with `$` in a pattern and is no metavariable, each once."""
    words = dict.fromkeys(match[0] for match in _DOLLAR_WORD.finditer(pattern))
    return [word for word in words if not _ANY_METAVARIABLE.fullmatch(word)]


def matches(data: bytes, language: str, pattern: str, most: int) -> list[CodeMatch] | None:
    """Return the first matches of a pattern in a text, by position, outer ones before inner ones.

    None for a text that no parser may be given, and for one nested so deeply that its captures
    are together far longer.
    """
    if not parser_limits.may_parse(data, LANGUAGES[language].grammar or ""):
        return None
    text = data.decode("utf-8", "replace")
    root = SgRoot(text, GRAMMARS[language].name).root()
    names = {match[2]: len(match[1]) == 3 for match in _METAVARIABLE.finditer(pattern)}
    lines = text.split("\n")
    found: list[CodeMatch] = []
    captured = 0
    for node in root.find_all(pattern=pattern)[:most]:
        match = _match(node, names, lines)
        captured += sum(map(_length, match.captures.values()))
        if captured > _MOST_CAPTURED:
            return None
        found.append(match)
    return found


# ---------------------------------------------------------------- patterns


def _only_node(node: SgNode) -> SgNode:
    """The node of a pattern below those that have nothing else, as ast-grep chooses it.

    A second child that the parser made up, as the end of a statement, does not count.
    """
    while True:
        children = node.children()
        if not children or len(children) > 2:
            return node
        if len(children) == 2 and _size(children[1]):
            return node
        node = children[0]


def _fixed_words(text: str, leaves: list[Leaf], longest: str) -> Iterator[str]:
    """The words of a pattern that stand in each match, or at least in its file.

    Those of named leaves, and the longest token. ast-grep compares the texts of named leaves, but
    tokens without a name, as keywords are, by their kinds, and leaves some of them out. What
    stands beside an escape or a metavariable is part of another word in the text that matches.
    """
    leaf_at = [0] * len(text)
    for number, (start, end, is_named) in enumerate(leaves, 1):
        if is_named or text[start:end] == longest:
            leaf_at[start:end] = [number] * (end - start)
    for word in _WORD.finditer(text):
        start, end = word.span()
        beside = {*text[max(start - 1, 0) : start], *text[end : end + 1]}
        leaves_there = set(leaf_at[start:end])
        in_one_leaf = len(leaves_there) == 1 and 0 not in leaves_there
        if in_one_leaf and _NAME.fullmatch(word[0]) and not beside & {"$", "\\"}:
            yield word[0]


def _variable(sign: str) -> re.Pattern[str]:
    """A metavariable as it stands in the text that ast-grep parses."""
    return re.compile(_ANY_METAVARIABLE.pattern.replace(r"\$", re.escape(sign)))


def _leaves(node: SgNode, sign: str) -> Iterator[Leaf]:
    """The leaves of a pattern that are no metavariables, in order."""
    variable = _variable(sign)
    waiting = [node]
    while waiting:
        node = waiting.pop()
        place = node.range()
        start, end = place.start.index, place.end.index
        # the text of each node of a deep tree together would be long
        if end - start <= _LONGEST_METAVARIABLE and variable.fullmatch(node.text()):
            continue
        children = node.children()
        waiting += reversed(children)
        if not children:
            yield start, end, node.is_named()


def _size(node: SgNode) -> int:
    place = node.range()
    return place.end.index - place.start.index


# ---------------------------------------------------------------- matches


def _length(capture: Capture | tuple[Capture, ...]) -> int:
    if isinstance(capture, Capture):
        return len(capture.text)
    return sum(len(one.text) for one in capture)


def _match(node: SgNode, names: dict[str, bool], lines: list[str]) -> CodeMatch:
    captures: dict[str, Capture | tuple[Capture, ...]] = {}
    for name, is_list in names.items():
        if is_list:
            found = node.get_multiple_matches(name)
            kept = (one for one in found if one.text() not in _SEPARATORS)
            captures[name] = tuple(Capture(one.text(), *_place(one, lines)) for one in kept)
        elif one := node.get_match(name):
            captures[name] = Capture(one.text(), *_place(one, lines))
    return CodeMatch(node.kind(), *_place(node, lines), captures)


def _place(node: SgNode, lines: list[str]) -> tuple[int, int, int, int]:
    """First line and column, last line and the column behind it; all count from 1.

    A node that ends with a line feed ends in the line before it.
    """
    place = node.range()
    start, end = place.start, place.end
    last, behind = end.line, end.column
    if behind == 0 and last > start.line:
        last -= 1
        behind = len(lines[last])
    return start.line + 1, start.column + 1, last + 1, behind + 1
