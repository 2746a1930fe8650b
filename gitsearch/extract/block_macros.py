"""Macros of C and C++ that stand alone in a line and open or close a block, such as a namespace.

A parser knows no macros, and takes `LIB_BEGIN_NAMESPACE` for the type of what follows: a class or
a function behind it is lost. What such a macro stands for may be written in any file, so it is
told by its name, and the parser gets blanks in its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# The grammars of languages with macros.
GRAMMARS = frozenset({"c", "cpp"})

# A line that may be such a macro; only texts with one are looked at closer.
_MAY_BE = re.compile(
    rb"^[ \t]*+(?=[A-Z0-9_]*(?:BEGIN|OPEN|ENTER|START|PUSH|END|CLOSE|LEAVE|STOP|POP))"
    rb"[A-Z0-9_]++[ \t]*+(?:[\r\n/(]|\Z)",
    re.MULTILINE,
)

# Comments, strings (raw ones too) and characters, which the end of a line or text may close.
_COMMENT = rb"//(?:[^\\\n]|(?s:\\.))*+|/\*(?s:.)*?(?:\*/|\Z)"
_TEXT = (
    rb"\bu?8?[LU]?R\"(?P<raw>[^()\\\s\"]{0,16}+)\((?s:.)*?(?:\)(?P=raw)\"|\Z)"
    rb"|\"(?:[^\"\\\n]|(?s:\\.))*+\"?+|'(?:[^'\\\n]|\\.){1,10}+'"
)
_NO_CODE = re.compile(
    rb"(?P<text>%s)|%s|^[ \t]*+#(?:%s|[^\\\n]|\\\r?\n|\\.)*+"
    % (_TEXT, _COMMENT, _COMMENT + rb"|\"(?:[^\"\\\n]|\\.)*+\"?+"),
    re.MULTILINE,
)

# A name in capitals alone in its lines, which may have arguments. An enumerator or a part of an
# expression has one of these symbols behind it.
_LINE = re.compile(
    rb"(?:\A|(?<=\S)[^\S\n]*+\n)\s*+(?P<name>[A-Z_][A-Z0-9_]*+)"
    rb"(?P<arguments>\([\w:, \t]{0,200}+\))?(?=[^\S\n]*+(?:\n|\Z))(?!\s*+[,;=|+.?)\]])"
)

# A name in capitals before the type of what is declared, which has `::` in it and a name behind.
# Python before 3.11.5 drops matches of possessive groups in which there are choices (gh-106052).
_ARGUMENTS = rb"(?:<(?:[^<>;{}()]|<[^<>;{}()]{0,100}+>){0,200}>)?"
_BEFORE_TYPE = re.compile(
    rb"(?:\A|(?<=[;{}>:]))\s*+(?P<name>[A-Z][A-Z0-9_]{2,100}+)[ \t]++"
    rb"(?=(?:(?:const|constexpr|extern|friend|inline|static|virtual)\s++)*+"
    rb"(?:[A-Za-z_]\w{0,100}+%s::){1,10}(?!operator\b)\w{1,100}+%s"
    rb"(?:\s{0,10}+[&*]++\s{0,10}+|\s{1,10}+)[A-Za-z_])" % (_ARGUMENTS, _ARGUMENTS)
)

# Only texts with such a line are looked at closer.
_MAY_BE_MISREAD = re.compile(rb"^[ \t]*+(?:[A-Z][A-Z0-9_]{2,100}+|import)[ \t]++\w", re.MULTILINE)

# A parser takes the import of a module for a variable.
_MODULE = re.compile(rb"^[ \t]*+(?P<name>import)[ \t]++[\w.:]++[ \t]*+;", re.MULTILINE)

# Words in the names of macros that open or close something.
_OPENING = frozenset({b"BEGIN", b"OPEN", b"ENTER", b"START", b"PUSH"})
_CLOSING = frozenset({b"END", b"CLOSE", b"LEAVE", b"STOP", b"POP"})
_NAMESPACE = b"NAMESPACE"

# Code that ends so goes on, and so does the list of an `enum`.
_CONTINUED = b',(=|&+-*?:<[!~^%\\"'
_ENUM = re.compile(rb"\benum\b")
_ENDS = (b";", b"{", b"}", b"(", b")")

# So many bytes before a macro are looked at for the latter.
_BEFORE = 200

# A directive that defines a macro, with the lines that continue it.
_DIRECTIVE = re.compile(
    rb"^[ \t]*+#[ \t]*+define[ \t]++(?P<name>\w++)(?P<text>(?:[^\\\n]|\\\r?\n|\\.){0,1000}+)",
    re.MULTILINE,
)
_OPENED = re.compile(
    rb"(\busing[\s\\]{1,20}+)?\bnamespace[\s\\]{1,20}+(\w{1,100}+)(?:::(\w{1,100}+))?"
    rb"(?![\s\\]{0,20}+=)"
)
_FIRST_NAME = re.compile(rb"[\s\\]{1,20}+([A-Za-z_]\w{0,100}+)")

# No text opens more namespaces.
_MOST = 100


class BlockMacro(NamedTuple):
    """A macro that stands alone: the bytes of its name, the end of its arguments, and these."""

    start: int
    end: int
    stop: int
    arguments: bytes


def block_macros(data: bytes, grammar: str) -> tuple[BlockMacro, ...]:
    """Return the macros that open or close blocks, in order."""
    if grammar not in GRAMMARS or not _MAY_BE.search(data):
        return ()
    return tuple(_found(_NO_CODE.sub(_blanked, data)))


def misread(data: bytes, grammar: str) -> tuple[BlockMacro, ...]:
    """Return what makes a parser take the types of C++ for other things.

    These are macros before the types of what is declared (`API std::string name();`), which it
    takes for the types, and imports of modules.
    """
    if grammar != "cpp" or not _MAY_BE_MISREAD.search(data):
        return ()
    code = _NO_CODE.sub(_blanked, data)
    macros = (BlockMacro(*m.span("name"), m.end("name"), b"") for m in _BEFORE_TYPE.finditer(code))
    imports = (BlockMacro(*m.span("name"), m.end(), b"") for m in _MODULE.finditer(code))
    return (*macros, *imports)


def _found(code: bytes) -> Iterator[BlockMacro]:
    """Yield the macros of a text without comments, directives and strings."""
    for line in _LINE.finditer(code):
        words = frozenset(line["name"].split(b"_"))
        if not words & (_OPENING | _CLOSING) or (line["arguments"] and _NAMESPACE not in words):
            continue
        before = code[max(line.start() - _BEFORE, 0) : line.start()] or b";"
        if before[-1] not in _CONTINUED and not _lists(before):
            arguments = (line["arguments"] or b"()")[1:-1]
            yield BlockMacro(*line.span("name"), line.end(), arguments)


def _lists(before: bytes) -> bool:
    """Return True if a text ends where the list of an `enum` begins."""
    if before[-1:] != b"{":
        return False
    ends = max(before.rfind(end, 0, -1) for end in _ENDS)
    return _ENUM.search(before, ends + 1) is not None


def _blanked(match: re.Match[bytes]) -> bytes:
    """Return blanks in the place of a comment or a directive, quotes in that of other texts."""
    return (b" " if match["text"] is None else b'"') * len(match[0])


def without_block_macros(data: bytes, macros: Sequence[BlockMacro]) -> bytes:
    """Return a text with blanks in the place of its macros that open or close blocks."""
    if not macros:
        return data
    blanked = bytearray(data)
    for macro in macros:
        blanked[macro.start : macro.stop] = b" " * (macro.stop - macro.start)
    return bytes(blanked)


def opened_namespaces(
    data: bytes, grammar: str, macros: Sequence[BlockMacro]
) -> list[tuple[str, int]]:
    """Return the namespaces that macros of a text open, each with the offset of the macro.

    These are named in what the macro stands for, in its arguments, or by a macro that is called
    like one.
    """
    found: dict[bytes, int] = {}
    for directive in _DIRECTIVE.finditer(data) if grammar in GRAMMARS else ():
        opened = (one.groups() for one in _OPENED.finditer(directive["text"]))
        names = [name for using, *pair in opened if not using for name in pair if name]
        if directive["name"].endswith(_NAMESPACE) and not names:
            names = [one[1] for one in (_FIRST_NAME.match(directive["text"]),) if one]
        for name in names:
            found.setdefault(name, directive.start("name"))
    for macro in macros:
        words = data[macro.start : macro.end].split(b"_")
        if macro.arguments and not _OPENING.isdisjoint(words):
            found.setdefault(macro.arguments.strip(), macro.start)
    named = ((name.decode("utf-8", "replace"), offset) for name, offset in found.items())
    return [(name, offset) for name, offset in named if name.isidentifier()][:_MOST]
