"""Source code without its comments and strings, and the names in it, by regular expressions.

The time is linear in the length of any text: where a comment, string or statement is never closed,
the text behind it is not scanned again for each further place where one opens. The names of a kind
are collected in one pass, however many are looked up.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.records import LexicalSyntax

_DOUBLE = re.compile(r'"(?:\\.|[^"\\\n])*+"').match
_SINGLE = re.compile(r"'(?:\\.|[^'\\\n])*+'").match
# A lifetime has only one quote.
_CHARACTER = re.compile(r"'(?:\\.|[^'\\\n])'").match


def nested_end(delimiter: re.Pattern[str], text: str, start: int) -> int:
    """Return the end of the block that opens first, or 0 if it is not closed.

    delimiter: matches both ends of a block; its group 1 matches where one opens.
    """
    depth = 0
    for match in delimiter.finditer(text, start):
        depth += 1 if match[1] else -1
        if not depth:
            return match.end()
    return 0


def code_of(text: bytes, language: str) -> str:
    """Return the decoded text with blanks for comments and strings; line numbers stay the same."""
    return _Blanker(text.decode("utf-8", "surrogateescape"), language).code()


class _Delimiters:
    """The compiled comment and string delimiters of one language.

    In `opening`, the name of the group that matched is "line", "quote", or "b" and a position in
    `ends`.
    """

    def __init__(self, syntax: LexicalSyntax) -> None:
        blocks = [(re.escape(quote), quote) for quote in syntax.triple_quotes]
        blocks += syntax.block_comments
        self.ends = {f"b{number}": end for number, (_, end) in enumerate(blocks)}
        # Blocks come first: in Lua the start of a block comment is a line comment, too.
        patterns = [f"(?P<b{number}>{start})" for number, (start, _) in enumerate(blocks)]
        line = "|".join(syntax.line_comments)
        if line:
            patterns.append(f"(?P<line>{line})")
        patterns.append("(?P<quote>[\"'])")
        self.opening = re.compile("|".join(patterns), re.MULTILINE)
        self.line = re.compile(line, re.MULTILINE) if line else None
        self.quotes = {'"': _DOUBLE, "'": _CHARACTER if syntax.character else _SINGLE}
        # Only block comments nest; for each, both of its delimiters.
        self.nested = {
            f"b{number}": re.compile(f"({start})|{re.escape(end)}", re.MULTILINE)
            for number, (start, end) in enumerate(blocks)
            if syntax.nested and end not in syntax.triple_quotes
        }


@cache
def _delimiters(language: str) -> _Delimiters:
    return _Delimiters(LANGUAGES[language].syntax)


class _Blanker:
    """Removes comments and strings from one text.

    A comment or string that is never closed is code. For each delimiter, `_open_until` is the
    offset before which no comment or string with this delimiter is closed, so that no part of the
    text is searched twice for its end.
    """

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._delimiters = _delimiters(language)
        self._open_until = dict.fromkeys([*self._delimiters.ends, *self._delimiters.quotes], 0)
        self._nested = dict(self._delimiters.nested)

    def code(self) -> str:
        """Return the code between comments and strings."""
        text, kept, at = self._text, 0, 0
        pieces: list[str] = []
        while (opening := self._delimiters.opening.search(text, at)) is not None:
            start, at = opening.span()
            end = self._end(opening)
            if end > start:
                pieces += (text[kept:start], " ", "\n" * text.count("\n", start, end))
                kept = at = end
        return "".join((*pieces, text[kept:]))

    def _end(self, opening: re.Match[str]) -> int:
        """Return the end of the comment or string that starts here, or 0 if it is not closed."""
        kind, start = opening.lastgroup or "", opening.start()
        if kind == "line":
            return self._line_end(start)
        end = self._block_end(kind, opening) if kind in self._delimiters.ends else 0
        if end:
            return end
        if opening[0][0] in self._delimiters.quotes:
            return self._string_end(opening[0][0], start)
        line = self._delimiters.line
        return self._line_end(start) if line and line.match(self._text, start) else 0

    def _block_end(self, kind: str, opening: re.Match[str]) -> int:
        start, behind = opening.span()
        if start < self._open_until[kind]:
            return 0
        if kind in self._nested:
            end = nested_end(self._nested[kind], self._text, start)
            if end:
                return end
            # After one that is never closed, block comments of this text do not nest.
            del self._nested[kind]
        ending = self._delimiters.ends[kind]
        end = self._text.find(ending, behind)
        if end < 0:
            self._open_until[kind] = len(self._text)
            return 0
        return end + len(ending)

    def _string_end(self, quote: str, start: int) -> int:
        # Where a string is not closed on its line, no quote behind it on that line closes, either.
        if start < self._open_until[quote]:
            return 0
        pattern = self._delimiters.quotes[quote]
        match = pattern(self._text, start)
        if match is None:
            if pattern is not _CHARACTER:
                self._open_until[quote] = self._line_end(start)
            return 0
        return match.end()

    def _line_end(self, start: int) -> int:
        end = self._text.find("\n", start)
        return end if end >= 0 else len(self._text)


# ---------------------------------------------------------------- names

_WORD = re.compile(r"[^\W\d][\w$]*")


def identifiers(code: str) -> frozenset[str]:
    """Return the identifiers and keywords of a text."""
    return frozenset(_WORD.findall(code))


def _delimited(
    code: str, start: re.Pattern[str], end: re.Pattern[str]
) -> Iterator[tuple[str, str]]:
    """Yield the text from each match of `start` to the next one of `end`, and that match."""
    position = 0
    while (opening := start.search(code, position)) is not None:
        closing = end.search(code, opening.end())
        if closing is None:
            return
        position = closing.start()
        yield code[opening.end() : position], closing[0]


# ---------------------------------------------------------------- bindings

_NAME = r"[^\W\d][\w$]*+"
# What stands before a name where it is defined, in one language or another.
_DEFINED = re.compile(
    r"\b(?:def|class|func|function|fn|struct|enum|union|trait|type|interface|const|let|var|val"
    r"|static|mod|module|namespace|macro_rules!|object|record|import|define)"
    rf"\s++(?:r#|`)?+(?=({_NAME})(?!::))"
)
_ITERATED = re.compile(rf"\bfor\s++({_NAME})\s++in\b")
# The part of a line before an equals sign with blanks around it.
_ASSIGNED = re.compile(r"^([^\n=(){}]*+)(?:(?<=\s)|\n)=\s", re.MULTILINE)
# A name in it that is no part of a path, unless the second group matches.
_TARGET = re.compile(rf"(?<![\w.])({_NAME})(::|\.)?+")
_RENAMED = re.compile(rf"\bas\s++(?=({_NAME}))")

# In Go: declarations, methods, parameters and fields, and lists of names before `:=`.
_DECLARED_IN_GO = re.compile(
    rf"\b(?:func|type|var|const)\s++(?=({_NAME}))|^func\s*+(?=\([^()]*+\)\s*+({_NAME}))"
    rf"|(?<![\w.$])({_NAME})(?=[ \t]++[*\[\w]|\s*+,\s*+\w++[ \t]++[*\[\w])",
    re.MULTILINE,
)
_LIST_IN_GO = re.compile(r"(\.?)(?<!\w)(\w++(?:\s*+,\s*+\w++)*)(\s*+:=)?")


def bound_in(code: str, language: str) -> frozenset[str]:
    """Return the names that a text may bind, beyond those that extraction lists."""
    names = {*_DEFINED.findall(code), *_ITERATED.findall(code)}
    for targets in _ASSIGNED.findall(code):
        names.update(name for name, link in _TARGET.findall(targets) if not link)
    if language == "python":
        names.update(_RENAMED.findall(code))
    return frozenset(names)


def bound_in_go(code: str) -> frozenset[str]:
    """Return the names that a Go file may bind."""
    names = {name for groups in _DECLARED_IN_GO.findall(code) for name in groups}
    for dot, variables, assignment in _LIST_IN_GO.findall(code):
        if assignment:
            listed = [name.strip() for name in variables.split(",")]
            # after a dot the first one is a member of something else
            names.update(listed[1:] if dot else listed)
    return frozenset(names - {""})


# ---------------------------------------------------------------- Java, Kotlin, Scala

# A type or a keyword and a name, or a constant of an enumeration.
_NAMED = r"(?:\[\])*+\s++([A-Za-z_$][\w$]*+)\s*+[(=;,:{)]"
_MEMBER = re.compile(
    r"(?<![\w.$])(?!(?:return|new|throw|else|case|instanceof|import|package)(?![\w$]))[\w.$]++"
    rf"(?:(<)|{_NAMED})|(?:^|\{{)[^\S\n]*+([A-Z_][A-Z0-9_]*+)\s*(?:[,;({{}}]|$)",
    re.MULTILINE,
)
_BEHIND_ARGUMENTS = re.compile(_NAMED)
# What begins a type; up to its body follow its name and those of what it inherits from.
_TYPE = re.compile(r"\b(?:class|interface|enum|record|object|trait)\b")
_HEADER_END = re.compile(r"[{;]|\Z")
# What the arguments of a type do not contain.
_NO_ARGUMENT = re.compile(r"[;{}()=]|\Z")


def jvm_declared_names(code: str) -> frozenset[str]:
    """Return the names that a text in Java or the like seems to declare."""
    names: set[str] = set()
    position = arguments_end = 0
    behind = None
    while (match := _MEMBER.search(code, position)) is not None:
        position = match.end()
        if match[1] and position >= arguments_end:
            arguments_end = _NO_ARGUMENT.search(code, position).end()  # type: ignore[union-attr]
            behind = _behind_arguments(code, position, arguments_end)
        if match[1] and behind is not None and behind.start() > position:
            position = behind.end()
            names.add(behind[1])
        names.update(filter(None, match.group(2, 3)))
    return frozenset(names)


def _behind_arguments(code: str, start: int, end: int) -> re.Match[str] | None:
    while (bracket := code.rfind(">", start, end)) >= 0:
        match = _BEHIND_ARGUMENTS.match(code, bracket + 1)
        if match is not None:
            return match
        end = bracket
    return None


def jvm_type_headers(code: str) -> list[str]:
    """Return the declarations of types, without their bodies, of a text in Java or the like."""
    headers = _delimited(code, _TYPE, _HEADER_END)
    return [header for header, delimiter in headers if delimiter == "{"]


def jvm_inherited_names(code: str) -> frozenset[str]:
    """Return the identifiers in the headers of types, which include the base types."""
    return identifiers(" ".join(jvm_type_headers(code)))


# ---------------------------------------------------------------- JavaScript, TypeScript

_DECLARED = re.compile(
    r"\bexport\s++(?:(?:declare|default|abstract|async)\s++)*+"
    r"(?:function(?:\s*+\*)?+|class|const\s++enum|const|let|var|type|interface|enum|namespace"
    r"|module)\s++([\w$]++)"
)
_NAMESPACE = re.compile(r"\bexport\s*+\*\s*+as\s++([\w$]++)")
_ASSIGNED_EXPORT = re.compile(r"\bexports\.([\w$]++)\s*+=")
_DEFAULT = re.compile(r"\bexport\s++default\b")
_LIST = re.compile(r"\bexport\s++(?:type\s++)?\{")
_LIST_END = re.compile(r"\}")
_PATTERN = re.compile(r"\bexport\s++(?:const|let|var)\s*+[{\[]")
_PATTERN_END = re.compile("=")
_VARIABLES = re.compile(r"\bexport\s++(?:const|let|var)\s++")
_STATEMENT_END = re.compile(r"[;\n]|\Z")
# A name, and whether a value follows; what is read without one is not read again.
_VALUE = re.compile(r"(?<![\w$])([\w$]++)\s*+(?::[^=,]*+)?(=(?![=>]))?")
# all that is exported is one value, of which the names are not known
_OPAQUE = re.compile(
    r"\bmodule\.exports\s*+=|\bexports\[|\bexport\s*+=|defineProperty\(\s*+(?:module\.)?exports"
)
_OBJECT = re.compile(r"\bmodule\.exports\s*+=\s*+(?=\{)")
_BRACE = re.compile(r"(\{)|\}")
_BRACKET = re.compile(r"[{}()\[\]]")
_CLOSED_BY = {"{": "}", "(": ")", "[": "]"}
_KEY = re.compile(r"(?:^|,)\s*+(?:(?:async|get|set)\s++)?(?:\*\s*+)?([\w$]++)\s*+(?=[,:]|$)")
_SCRIPT_NAME = re.compile(r"[\w$]+")


class Exports(NamedTuple):
    """The names that a file exports; opaque: there may be more, which cannot be listed."""

    names: frozenset[str]
    opaque: bool


def exports_of(code: str) -> Exports:
    """Return what the statements of a file in JavaScript or TypeScript export."""
    rest, names = _without_object(code)
    for pattern in (_DECLARED, _NAMESPACE, _ASSIGNED_EXPORT):
        names.update(pattern.findall(rest))
    if _DEFAULT.search(rest):
        names.add("default")
    for exported, _ in _delimited(rest, _LIST, _LIST_END):
        parts = map(_SCRIPT_NAME.findall, exported.split(","))
        names.update(part[-1] for part in parts if part)
    for pattern_text, _ in _delimited(rest, _PATTERN, _PATTERN_END):
        if pattern_text.rstrip().endswith(("}", "]")):
            names.update(_SCRIPT_NAME.findall(pattern_text))
    for variables, _ in _delimited(rest, _VARIABLES, _STATEMENT_END):
        if "," in variables:
            names.update(name for name, value in _VALUE.findall(variables) if value)
    return Exports(frozenset(names), _OPAQUE.search(rest) is not None)


def _without_object(code: str) -> tuple[str, set[str]]:
    """Return the code without the exported object of a module, and its keys if all are written."""
    start = _OBJECT.search(code)
    end = nested_end(_BRACE, code, start.end()) if start else 0
    if start is None or not end:
        return code, set()
    body = code[start.end() + 1 : end - 1]
    if "..." in body:
        return code, set()
    return code[: start.start()] + code[end:], set(_KEY.findall(_outside_brackets(body)))


def _outside_brackets(body: str) -> str:
    """Return a text with a blank for each outermost pair of brackets and its content."""
    opened: dict[str, list[int]] = {closing: [] for closing in _CLOSED_BY.values()}
    pairs = []
    for bracket in _BRACKET.finditer(body):
        if bracket[0] in _CLOSED_BY:
            opened[_CLOSED_BY[bracket[0]]].append(bracket.start())
        elif opened[bracket[0]]:
            pairs.append((opened[bracket[0]].pop(), bracket.end()))
    pieces, position = [], 0
    for start, end in sorted(pairs):
        if start >= position:
            pieces.append(body[position:start])
        position = max(position, end)
    return " ".join([*pieces, body[position:]])


# ---------------------------------------------------------------- mentions

_NEWLINE = re.compile(r"\n")
# `a.b::c`
_CHAIN = re.compile(r"(?<![\w.$])[\w$]++(?:(?:\.|::)[\w$]++)++")
_LINK = re.compile(r"\.|::")
# Longer qualifiers are not written by people, and all prefixes of a chain are stored.
_LONGEST = 250
# A name without a qualifier, as it is used in Go, and in Java, Kotlin and Scala.
_BARE_IN_GO = re.compile(r"(?<![\w.$])([^\W\d][\w$]*+)(?=[(\[{.,)\s])(?!\s*+:)")
_BARE_IN_JVM = re.compile(r"(?<![\w.])([^\W\d][\w$]*+)")
_ALIAS = re.compile(r"\bimport\s++(?=(\S++)\s++as\s++(\w++))")


class Occurrence(NamedTuple):
    """A name, the line in which its mention starts, and the mention, with its qualifier."""

    name: str
    line: int
    text: str


class NameOccurrences:
    """The names that one text mentions; what may follow a bare name differs in Go."""

    def __init__(self, code: str, *, go: bool) -> None:
        self._code = code
        self._bare_name = _BARE_IN_GO if go else _BARE_IN_JVM

    def qualified(self, qualifiers: Iterable[str], names: Iterable[str]) -> list[Occurrence]:
        """Return the first mention of each name after one of `qualifiers`, in order."""
        known = self._qualified
        members = [(known[prefix], prefix) for prefix in sorted(qualifiers) if prefix in known]
        mentions = []
        for name in names:
            places = [(offsets[name], prefix) for offsets, prefix in members if name in offsets]
            if places:
                offset, qualifier = min(places)
                link = "." if self._code[offset + len(qualifier)] == "." else "::"
                mentions.append((offset, name, f"{qualifier}{link}{name}"))
        return self._occurrences(mentions)

    @cached_property
    def _qualified(self) -> dict[str, dict[str, int]]:
        """The names after each qualifier, each with the first offset of the qualifier."""
        members: dict[str, dict[str, int]] = {}
        for chain in _CHAIN.finditer(self._code):
            start, text = chain.start(), chain[0]
            links = [link.span() for link in _LINK.finditer(text)]
            for (low, high), (end, _) in pairwise([*links, (len(text), 0)]):
                if low > _LONGEST:
                    break
                members.setdefault(text[:low], {}).setdefault(text[high:end], start)
        return members

    def unqualified(self, names: Iterable[str]) -> list[Occurrence]:
        """Return the first mention of each name without a qualifier, in order."""
        first = self._bare
        return self._occurrences([(first[name], name, name) for name in names if name in first])

    def _occurrences(self, mentions: list[tuple[int, str, str]]) -> list[Occurrence]:
        ends = self._line_ends
        ordered = sorted(mentions, key=lambda mention: mention[0])
        return [Occurrence(name, bisect_left(ends, at) + 1, text) for at, name, text in ordered]

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in _NEWLINE.finditer(self._code)]

    @cached_property
    def _bare(self) -> dict[str, int]:
        first: dict[str, int] = {}
        for match in self._bare_name.finditer(self._code):
            first.setdefault(match[1], match.start())
        return first

    @cached_property
    def aliases(self) -> dict[str, list[str]]:
        """The aliases under which each module is imported."""
        aliases: dict[str, list[str]] = {}
        for module, alias in _ALIAS.findall(self._code):
            aliases.setdefault(module, []).append(alias)
        return aliases
