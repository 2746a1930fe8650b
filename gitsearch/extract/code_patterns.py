"""The gateway to ast-grep: patterns of code with metavariables, and what they match in a text.

A pattern is a piece of code in which `$NAME` stands for any node of the syntax tree, `$$$NAME` for
any number of them, and `$_` and `$$$` for such that are not captured. Patterns and texts may take
native parsers down: callers call this in child processes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ast_grep_py import Pattern, SgNode, SgRoot

from gitsearch.extract import parser_limits
from gitsearch.extract.languages import LANGUAGES
from gitsearch.reports.code_match import Capture, CodeMatch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ast_grep_py import Rule

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


# Code in which a pattern may stand, by the name of a language in ast-grep; "…" is its place.
# Alone, as ast-grep parses it, it stands at the top of a file, where some languages allow no
# statements or expressions, or read a call as something else: as a conversion in Go, as a type
# in C.
_CONTEXTS = {
    "c": ("void x() { … }", "void x() { …; }", "int x = …;", "struct x { … };"),
    "cpp": ("void x() { … }", "void x() { …; }", "int x = …;", "class x { … };"),
    "csharp": ("class x { void x() { … } }", "class x { int x = …; }", "class x { … }"),
    "css": ("x { … }",),
    "dart": ("void x() { … }", "void x() { …; }", "var x = …;", "class x { … }"),
    "go": ("func x() { … }", "var x = …", "type x struct { … }"),
    "java": ("class x { void x() { … } }", "class x { int x = …; }", "class x { … }"),
    "javascript": ("function x() { … }", "(…)", "class x { … }"),
    "kotlin": ("fun x() { … }", "class x { … }"),
    "php": ("function x() { … }", "x(…);", "class x { … }"),
    "rust": ("fn x() { … }", "fn x() { …; }", "trait x { … }", "type x = …;"),
    "scala": ("def x = { … }", "class x { … }"),
    "solidity": ("function x() { … }", "function x() { …; }", "contract x { … }"),
    "swift": ("func x() { … }", "class x { … }"),
    "tsx": ("function x() { … }", "(…)", "class x { … }", "type x = …;"),
    "typescript": ("function x() { … }", "(…)", "class x { … }", "type x = …;"),
}


def _kinds(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Kinds of nodes that define classes and functions.
_DEFINITIONS = _kinds(
    """
    abstract_class_declaration class class_declaration class_definition class_specifier
    constructor_declaration contract_declaration enum_declaration enum_definition enum_item
    function_declaration function_definition function_item generator_function_declaration
    impl_item interface_declaration local_function_statement method method_declaration
    method_definition object_declaration object_definition protocol_declaration record_declaration
    singleton_method
    struct_declaration struct_item struct_specifier trait_declaration trait_definition trait_item
    """
)
# What a definition may have though its pattern does not: the kinds of the nodes, and fields.
_OPTIONAL_PARTS = _kinds(
    """
    abstract_modifier access_specifier accessibility_modifier annotation annotations attribute
    attribute_declaration attribute_list attribute_specifier base_class_clause base_clause
    base_list class_heritage class_interface_clause class_parameters decorator
    delegation_specifier extends_clause extends_interfaces extends_type_clause final_modifier
    function_modifiers inheritance_specifier interfaces marker_annotation modifier modifiers
    override_modifier permits primary_constructor readonly_modifier static_modifier
    storage_class_specifier super_interfaces superclass throws type_annotation
    type_constraints type_parameter_constraints_clause type_parameter_list type_parameters
    type_qualifier visibility_modifier where_clause
    """
)
_OPTIONAL_FIELDS = ("return_type", "result", "superclasses")
# Tokens that belong to the optional part behind them.
_JOINING = frozenset({"->", ":", ","})


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


class Reading(NamedTuple):
    """A pattern as one node of the syntax tree.

    code: the pattern; kind: of the node; before, after: what stands around it where it is that
    node, both empty for the pattern alone. Of a definition, joints: its start, that of its first
    named child, and the ends of all of them, as places in the code; parts: the kinds of the
    children, and the optional fields.
    """

    code: str
    kind: str
    before: str = ""
    after: str = ""
    joints: tuple[int, ...] = ()
    parts: frozenset[str] = frozenset()

    def rule(self) -> Rule:
        """Return what ast-grep is asked for."""
        if not self.before + self.after:
            return {"pattern": self.code}
        context = f"{self.before}{self.code}{self.after}"
        return {"pattern": Pattern(context=context, selector=self.kind, strictness="smart")}


class CodePattern(NamedTuple):
    """A pattern in one language.

    readings: the nodes that it can be, at different places of a program. words: those that a file
    must have, as they are spelt, for the pattern to match in it; longest: its longest token, which
    a file must have, too. fault: why it is no pattern in this language, or ""; broken: a part of
    it does not parse, and hardly matches anything. What does not parse at all (NOT_PARSED) may
    still match: nodes of any kind with these parts, as an entry of a list that is no code without
    the list.
    """

    words: frozenset[str] = frozenset()
    longest: str = ""
    readings: tuple[Reading, ...] = ()
    fault: str = ""
    broken: bool = False

    def may_match(self, data: bytes) -> bool:
        """Return False for a text without the words or the longest token."""
        return all(word.encode() in data for word in (*self.words, self.longest))


def parsed(pattern: str, language: str) -> CodePattern:
    """Return a pattern as a language of GRAMMARS sees it."""
    grammar = GRAMMARS[language]
    code = pattern.strip()
    fault = _fault(code, grammar)
    if fault == SEVERAL and code.endswith(";"):
        # a class in C++, say: the semicolon behind it is no part of its node
        code = code[:-1].rstrip()
        fault = _fault(code, grammar)
    text = _SIGNS.sub(lambda signs: grammar.sign * len(signs[0]), code)
    nodes = list(_in_contexts(text, grammar))
    if not fault:
        alone = _only_node(SgRoot(text, grammar.name).root())
        if not nodes or alone.kind() != "ERROR" or _is_whole(alone, text):
            nodes.insert(0, ("", "", alone))
    if not nodes:
        return CodePattern(fault=fault)
    readings: dict[tuple[tuple[str, int], ...], Reading] = {}
    words, longest = [], set()
    for before, after, node in nodes:
        structure = _structure(node)
        if structure in readings:
            if node.kind() in _DEFINITIONS:
                # with annotations before it a parser may see it only inside of a class
                readings[structure] = _reading(code, before, after, node)
            continue
        readings[structure] = _reading(code, before, after, node)
        own = f"{before}{text}{after}"
        leaves = list(_leaves(node, grammar.sign))
        tokens = (own[start:end] for start, end, _ in leaves)
        # the program ast-grep leaves out files without it; of several the first
        token = max(tokens, key=lambda token: len(token.encode()), default="")
        longest.add(token)
        words.append(frozenset(_fixed_words(own, leaves, token)))
    parses = any(reading.kind != "ERROR" for reading in readings.values())
    return CodePattern(
        frozenset.intersection(*words),
        longest.pop() if len(longest) == 1 else "",
        tuple(readings.values()),
        fault="" if parses else NOT_PARSED,
        broken=parses and all(any(_faulty(node, grammar.sign)) for _, _, node in nodes),
    )


def not_metavariables(pattern: str) -> list[str]:
    """Return what begins with `$` in a pattern and is no metavariable, each once."""
    words = dict.fromkeys(match[0] for match in _DOLLAR_WORD.finditer(pattern))
    return [word for word in words if not _ANY_METAVARIABLE.fullmatch(word)]


def matches(
    data: bytes, language: str, readings: Sequence[Reading], most: int
) -> list[CodeMatch] | None:
    """Return the first matches of a pattern in a text, by position, outer ones before inner ones.

    Where several readings match at one place, the first one counts. A definition may have optional
    parts that its pattern lacks. None for a text that no parser may be given, and for one nested
    so deeply that its captures are together far longer.
    """
    if not parser_limits.may_parse(data, LANGUAGES[language].grammar or ""):
        return None
    text = data.decode("utf-8", "replace")
    root = SgRoot(text, GRAMMARS[language].name).root()
    names = {match[2]: len(match[1]) == 3 for match in _METAVARIABLE.finditer(readings[0].code)}
    lines = text.split("\n")
    found: list[CodeMatch] = []
    captured = 0
    for node in _found(root, readings)[:most]:
        match = _match(node, names, lines)
        captured += sum(map(_length, match.captures.values()))
        if captured > _MOST_CAPTURED:
            return None
        found.append(match)
    return found


# ---------------------------------------------------------------- patterns


def _fault(pattern: str, grammar: Grammar) -> str:
    """Why ast-grep refuses a pattern; "" if it does not."""
    try:
        SgRoot("", grammar.name).root().find_all(pattern=pattern)
    except RuntimeError as error:
        faults = (fault for said, fault in _FAULTS.items() if said in str(error))
        return next(faults, NO_CODE)
    return ""


def _in_contexts(text: str, grammar: Grammar) -> Iterator[tuple[str, str, SgNode]]:
    """The code before and behind a pattern, and its node there, where all of it parses."""
    if not text or _variable(grammar.sign).fullmatch(text):
        return  # every node matches it anyway
    for context in _CONTEXTS.get(grammar.name, ()):
        before, _, after = context.partition("…")
        root = SgRoot(f"{before}{text}{after}", grammar.name).root()
        if any(_faulty(root, grammar.sign)):
            continue
        place = (len(before), len(before) + len(text))
        node: SgNode | None = root
        while node is not None and _span(node) != place:
            inner = (one for one in node.children() if _contains(_span(one), place))
            node = next(inner, None)
        if node is None:
            continue
        node = _only_node(node)
        if not node.is_named() or any(_made_up(node, grammar.sign)):
            continue
        # ast-grep takes the first node of that kind
        first = root.find(kind=node.kind())
        if first is not None and _span(first) == _span(node):
            yield before, after, node


def _contains(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _is_whole(node: SgNode, text: str) -> bool:
    """Return True if a node has all of a text, though it may not parse."""
    waiting, size = [node], 0
    while waiting:
        one = waiting.pop()
        children = one.children()
        waiting += children
        if not children:
            size += len("".join(one.text().split()))
    return size == len("".join(text.split()))


def _faulty(node: SgNode, sign: str) -> Iterator[SgNode]:
    """The nodes below one that do not parse.

    A metavariable for several nodes does not count: it may stand where no name may.
    """
    return (one for one in node.find_all(kind="ERROR") if not _is_for_several(one, sign))


def _made_up(node: SgNode, sign: str) -> Iterator[SgNode]:
    """The tokens below a node that the text lacks.

    Such as the semicolon behind a metavariable for several statements do not count.
    """
    waiting = [node]
    while waiting:
        one = waiting.pop()
        children = one.children()
        empty = [child for child in children if not _size(child)]
        if empty and not _is_for_several(one, sign):
            yield from empty
        waiting += children


def _is_for_several(node: SgNode, sign: str) -> bool:
    """Return True for a metavariable for several nodes."""
    return _is_metavariable(node, sign) and node.text().startswith(3 * sign)


def _structure(node: SgNode) -> tuple[tuple[str, int], ...]:
    """The kinds of all nodes, each with the number of its children."""
    kinds, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        children = one.children()
        kinds.append((one.kind(), len(children)))
        waiting += reversed(children)
    return tuple(kinds)


def _reading(code: str, before: str, after: str, node: SgNode) -> Reading:
    kind = node.kind()
    children = [one for one in node.children() if one.is_named()]
    if kind not in _DEFINITIONS or not children:
        return Reading(code, kind, before, after)
    spans = [_span(one) for one in children]
    places = [_span(node)[0], spans[0][0], *(end for _, end in spans)]
    joints = tuple(place - len(before) for place in places)
    fields = (name for name in _OPTIONAL_FIELDS if node.field(name) is not None)
    parts = frozenset([*(one.kind() for one in children), *fields])
    return Reading(code, kind, before, after, joints, parts)


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


def _is_metavariable(node: SgNode, sign: str) -> bool:
    # the text of each node of a deep tree together would be long
    is_short = _size(node) <= _LONGEST_METAVARIABLE
    return is_short and _variable(sign).fullmatch(node.text()) is not None


def _leaves(node: SgNode, sign: str) -> Iterator[Leaf]:
    """The leaves of a pattern that are no metavariables, in order."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if _is_metavariable(node, sign):
            continue
        children = node.children()
        waiting += reversed(children)
        if not children:
            yield *_span(node), node.is_named()


def _span(node: SgNode) -> tuple[int, int]:
    place = node.range()
    return place.start.index, place.end.index


def _size(node: SgNode) -> int:
    start, end = _span(node)
    return end - start


# ---------------------------------------------------------------- matches


def _found(root: SgNode, readings: Sequence[Reading]) -> list[SgNode]:
    """The nodes that match in any reading, in order; at one place those of the first."""
    found: list[SgNode] = []
    places: set[tuple[int, int]] = set()
    for reading in readings:
        nodes = root.find_all(**reading.rule())
        if reading.joints:
            own = places.union(map(_span, nodes))
            for definition in root.find_all(kind=reading.kind):
                if _span(definition) not in own:
                    match = _with_optional_parts(definition, reading)
                    nodes += [] if match is None else [match]
        found += (node for node in nodes if _span(node) not in places)
        if len(readings) > 1 or reading.joints:
            places.update(map(_span, found))
    if places:

        def position(node: SgNode) -> tuple[int, int]:
            start, end = _span(node)
            return start, -end

        found.sort(key=position)
    return found


def _with_optional_parts(definition: SgNode, reading: Reading) -> SgNode | None:
    """A definition as a match of the pattern with the optional parts that it has in addition."""
    fields = (definition.field(name) for name in _OPTIONAL_FIELDS if name not in reading.parts)
    optional = {_span(part) for part in fields if part is not None}
    kinds = _OPTIONAL_PARTS - reading.parts
    added: dict[int, list[str]] = {}
    joint = 0
    joining = ""
    for child in definition.children():
        kind = child.kind()
        if not child.is_named():
            joining = child.text() if kind in _JOINING else ""
            joint = max(joint, 1)  # behind a keyword
            continue
        if kind in kinds or _span(child) in optional:
            added.setdefault(joint, []).append(f"{joining} {child.text()}")
        elif not kind.endswith("comment"):
            joint = max(joint, 1) + 1
        joining = ""
    if not added or (joint != len(reading.joints) - 1 and max(added) > 1):
        return None
    code = reading.code
    for number in sorted(added, reverse=True):
        at = reading.joints[number]
        code = f"{code[:at]} {' '.join(added[number])} {code[at:]}"
    rule = reading._replace(code=code).rule()
    try:
        return definition.find(**rule) if definition.matches(**rule) else None
    except RuntimeError:  # it is no code with these parts
        return None


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
