"""The uses of one name in the syntax tree of a text, for `refs`.

A use is a token of its own in any context; words in comments and strings are no uses. The index
holds calls and types only; other uses are searched for on demand, in the files with the word.

Besides tags.scm and imports.scm (see `captures`) a language may have a locals.scm:
    @scope              the scope of the names bound in it; @scope.type: of members of a type
    @bound              a name bound here: a parameter, the variable of a loop
    @label              a name that is no use, such as that of a keyword argument
    @annotation         a range in which strings are parsed as code
    @listed             a string in a list of exported names
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from gitsearch.extract import symbols, syntax
from gitsearch.extract.block_macros import block_macros
from gitsearch.extract.captures import Span
from gitsearch.extract.chunks import line_numbers
from gitsearch.extract.languages import LANGUAGES
from gitsearch.records import SUPER, Use

# Types of leaf nodes that hold prose, not names.
_PROSE = re.compile(r"comment|string|text|content|fragment|regex|heredoc|char|^word$")

_WORD = re.compile(rb"\w")

# What joins a name and its owner; in other languages a dot does.
_JOINTS = {
    "c": (b".", b"->"),
    "cpp": (b".", b"->", b"::"),
    "java": (b".", b"::"),
    "kotlin": (b".", b"::"),
    "lua": (b".", b":"),
    "objc": (b".", b"->"),
    "php": (b"->", b"::"),
    "ruby": (b".", b"::"),
    "rust": (b".", b"::"),
}
_DOT = (b".",)

# A range or what takes many arguments: no owner stands before it.
_DOTS = b".."

# The bytes of an owner, such as `a.b` in `a.b.name`, and its greatest length.
_OWNER = bytes(byte for byte in range(256) if re.match(rb"[\w.]", bytes([byte])))
_OWNER_BYTES = 256

# Up to this many places are queried one by one; for more, the whole range is queried once.
_FEW = 8

# An alias of a module, in a form that several languages share.
_ALIAS = re.compile(rb"^[^\S\n]*+import\s++([\w.]++)\s++as\s++(\w++)", re.MULTILINE)

# The languages in which it may be one of a definition, and how many of one name are looked at.
_RENAMING = frozenset({"kotlin"})
_MOST_ALIASES = 20

# What stands in Python for the enclosing class or an instance of it, or for its bases.
_RECEIVERS = frozenset({"self", "cls", SUPER})
_CALLED_SUPER = re.compile(rb"(?<![\w.])super\(\)\Z")

# The name and the type of the receiver of a method of Go.
_GO_RECEIVER = re.compile(rb"func\s*+\(\s*+([\w\x80-\xff]++)\s++\*?\s*+([\w\x80-\xff]++)")

# A base class as written, such as `module.Base` in `module.Base[int]`.
_BASE = re.compile(rb"(?:[\w\x80-\xff]++\s*\.\s*)*([\w\x80-\xff]++)(?!\s*=)")

# Captures around an imported name, and captures that must match a token exactly.
_IMPORTED = frozenset({"names", "default", "alias", "specifier"})
_MEANT = frozenset({"name", "bound", "label", "listed"})


@dataclass
class _Token:
    """One token with the name, and the captures around it."""

    node: syntax.Node
    kind: str = ""
    roles: set[str] = field(default_factory=set)
    # Maps each enclosing scope to whether it is a type.
    scopes: dict[Span, bool] = field(default_factory=dict)


def uses(data: bytes, language: str, name: str) -> tuple[Use, ...]:
    """Return the uses of a name in order, without duplicates of line, kind and owner.

    In Kotlin those by another name that an import gives it are among them.
    """
    spans = _words(data, name)
    renamed = _renamed(data, language, name) if spans else set()
    spans = sorted({*spans, *renamed})
    grammar = LANGUAGES[language].grammar or ""
    macros = block_macros(data, grammar) if spans else ()
    tree = syntax.parse(data, grammar, macros) if spans else None
    if tree is not None and language in symbols.COMPONENTS:
        program = symbols.script_program(tree.root_node, data, language)
        return uses(*program, name) if program else ()
    query = syntax.grammar_query(language, "tags", "imports", "locals")
    if tree is None or query is None:
        return ()
    tokens = [
        (span[0], token)
        for span, token in _tokens(query, tree.root_node, spans)
        if token.kind or token.roles & {"listed", "annotation"} or _is_name(token.node, span)
    ]
    bound = {scope for _, token in tokens if (scope := _binds(token)) is not None}
    aliases = {alias: module for module, alias in _ALIAS.findall(data)}
    lines = line_numbers(data)([start for start, _ in tokens])
    owners = (
        _owner(data[max(start - _OWNER_BYTES, 0) : start], aliases, language)
        for start, _ in tokens
    )
    around = (_Receivers if language == "go" else _Classes)(data, tree.root_node)
    in_order = [
        _use(token, owner, line, bound)._replace(classes=around.of(token, owner))
        for (_, token), owner, line in zip(tokens, owners, lines, strict=True)
        if not _only_binds(token)
        and not ("import" in token.roles and token.node.byte_range in renamed)
    ]
    own = set(spans)
    # the parser does not see these
    unseen = [one.start for one in macros if (one.start, one.end) in own]
    in_order += [Use(line, "name", None, local=False) for line in line_numbers(data)(unseen)]
    return tuple(sorted(dict.fromkeys(in_order), key=lambda use: use.line))


def _renamed(data: bytes, language: str, name: str) -> set[Span]:
    """Return the byte ranges of other names that imports give to what a name means."""
    if language not in _RENAMING:
        return set()
    word = name.encode("utf-8", "surrogateescape")
    found = {alias for path, alias in _ALIAS.findall(data) if path.rpartition(b".")[2] == word}
    names = [alias.decode("utf-8", "surrogateescape") for alias in sorted(found - {word})]
    return {span for alias in names[:_MOST_ALIASES] for span in _words(data, alias)}


def _words(data: bytes, name: str) -> list[Span]:
    """Return the byte ranges at which a name is a whole word."""
    word = name.encode("utf-8", "surrogateescape")
    spans = []
    start = data.find(word) if word else -1
    while start >= 0:
        end = start + len(word)
        if not _WORD.match(data, end) and not _WORD.match(data, max(start - 1, 0), start):
            spans.append((start, end))
        start = data.find(word, end)
    return spans


def _is_name(node: syntax.Node, span: Span) -> bool:
    return node.byte_range == span and node.is_named and not _PROSE.search(node.type)


def _tokens(
    query: syntax.Query, root: syntax.Node, spans: list[Span]
) -> list[tuple[Span, _Token]]:
    """Return the tokens at some ranges, in order, with the captures around them."""
    nodes = ((span, root.descendant_for_byte_range(*span)) for span in spans)
    tokens = [(span, _Token(node)) for span, node in nodes if node is not None]
    for group in [[token] for token in tokens] if len(tokens) <= _FEW else [tokens]:
        _record(group, syntax.matches(query, root, (group[0][0][0], group[-1][0][1])))
    return tokens


def _record(tokens: list[tuple[Span, _Token]], matches: list[syntax.Match]) -> None:
    """Record the captures that contain or equal each token."""
    starts = [start for (start, _), _ in tokens]
    noted: set[tuple[str, Span]] = set()
    for _, captures in matches:
        for capture, nodes in captures.items():
            for node in nodes:
                around = node.byte_range
                first = bisect_left(starts, around[0])
                last = bisect_right(starts, around[1])
                if last - first > 1:
                    # A range around several tokens is recorded once, however often it matches.
                    if (capture, around) in noted:
                        continue
                    noted.add((capture, around))
                for span, token in tokens[first:last]:
                    if span[1] <= around[1]:
                        _note(token, capture, around, exact=around == span)


def _note(token: _Token, capture: str, around: Span, *, exact: bool) -> None:
    role, _, kind = capture.partition(".")
    if role == "scope":
        token.scopes[around] = kind == "type"
    elif role in _IMPORTED:
        token.roles.update({"import", role})
    elif role == "annotation" or (role in _MEANT and exact):
        token.roles.add(role)
    elif role in ("reference", "capital") and exact:
        token.kind = kind


def _binds(token: _Token) -> Span | None:
    """Return the local scope in which a token binds its name, or None."""
    if not token.roles & {"name", "bound"}:
        return None
    own = token.node.parent
    around = [
        (end - start, (start, end), is_type)
        for (start, end), is_type in token.scopes.items()
        if "bound" in token.roles or own is None or own.byte_range != (start, end)
    ]
    _, scope, is_type = min(around, default=(0, None, False))
    return None if is_type else scope


def _only_binds(token: _Token) -> bool:
    """Return True if a token is no use; `const { name } = require("x")` imports and binds it."""
    binding = {"bound", "label"} if "names" in token.roles else {"name", "bound", "label"}
    return bool(token.roles & binding)


def _use(token: _Token, owner: str | None, line: int, bound: set[Span]) -> Use:
    kind = token.kind
    for role, called in (("listed", "export"), ("import", "import"), ("annotation", "type")):
        if not kind and role in token.roles:
            kind = called
    local = owner is None and not bound.isdisjoint(token.scopes)
    return Use(line, kind or "name", owner, local)


class _Classes:
    """The classes of Python whose members may stand behind `self`, `cls` or `super()`."""

    def __init__(self, data: bytes, root: syntax.Node) -> None:
        self._data = data
        self._root = root
        self._known: dict[Span, tuple[str, ...]] = {}

    def of(self, token: _Token, owner: str | None) -> tuple[str, ...]:
        """Return the names of the enclosing class and of its bases; none for another owner."""
        types = [span for span, is_type in token.scopes.items() if is_type]
        if not types or owner not in _RECEIVERS:
            return ()
        span = min(types, key=lambda span: span[1] - span[0])
        if span not in self._known:
            self._known[span] = self._written(self._root.descendant_for_byte_range(*span))
        return self._known[span]

    def _written(self, node: syntax.Node | None) -> tuple[str, ...]:
        own = node.child_by_field_name("name") if node is not None else None
        if node is None or own is None:
            return ()
        bases = node.child_by_field_name("superclasses")
        nodes = [own, *(bases.named_children if bases is not None else ())]
        matches = (_BASE.match(self._data, each.start_byte, each.end_byte) for each in nodes)
        return tuple(match[1].decode("utf-8", "replace") for match in matches if match)


class _Receivers:
    """The receivers of the methods of Go."""

    def __init__(self, data: bytes, root: syntax.Node) -> None:
        self._data = data
        self._methods = [node for node in root.children if node.type == "method_declaration"]

    def of(self, token: _Token, owner: str | None) -> tuple[str, ...]:
        """Return the type of the enclosing method if the owner is its receiver, else none."""
        place = bisect_right(self._methods, token.node.start_byte, key=lambda one: one.start_byte)
        method = self._methods[place - 1] if place else None
        if method is None or owner is None or method.end_byte < token.node.end_byte:
            return ()
        match = _GO_RECEIVER.match(self._data, method.start_byte, method.end_byte)
        if match is None or match[1].decode("utf-8", "replace") != owner:
            return ()
        return (match[2].decode("utf-8", "replace"),)


def _owner(before: bytes, aliases: dict[bytes, bytes], language: str) -> str | None:
    """Return the qualifier before a name, without aliases of modules; None for a name alone."""
    before = before.rstrip()
    joints = _JOINTS.get(language, _DOT)
    joint = next((each for each in joints if before.endswith(each)), None)
    if joint is None or (before.endswith(_DOTS) and language != "python"):
        return None
    before = before.removesuffix(joint).rstrip()
    if _CALLED_SUPER.search(before):
        return SUPER
    named = before[len(before.rstrip(_OWNER)) :]
    if not named and joint == b"::":
        return None  # a name of the outermost scope
    first, dot, rest = named.partition(b".")
    return (aliases.get(first, first) + dot + rest).decode("utf-8", "replace")
