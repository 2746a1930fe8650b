"""Macros of C and C++ that stand alone in a line and open or close a block, such as a namespace.

A parser knows no macros, and takes `LIB_BEGIN_NAMESPACE` for the type of what follows: a class or
a function behind it is lost. What such a macro stands for may be written in any file, so it is
told by its name, and the parser gets blanks in its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# The grammars of languages with macros.
GRAMMARS = frozenset({"c", "cpp"})

# A line of a name in capitals, which may have arguments, and perhaps a comment.
_LINE = re.compile(
    rb"^[ \t]*+(?P<name>[A-Z_][A-Z0-9_]*+)(?P<arguments>\([\w:, \t]{0,200}+\))?[ \t]*+"
    rb"(?=\r?$|/[/*])",
    re.MULTILINE,
)

# Words in the names of macros that open or close something.
_OPENING = frozenset({b"BEGIN", b"OPEN", b"ENTER", b"START", b"PUSH"})
_CLOSING = frozenset({b"END", b"CLOSE", b"LEAVE", b"STOP", b"POP"})
_NAMESPACE = b"NAMESPACE"

# A line that ends so is continued by the next one.
_CONTINUED = b",(=|&+-*?:<[!~^%\\"

# So many bytes before a macro are looked at for the line before.
_BEFORE = 200

# A directive that defines a macro, with the lines that continue it.
_DIRECTIVE = re.compile(
    rb"^[ \t]*+#[ \t]*+define[ \t]++(?P<name>\w++)(?P<text>(?:[^\\\n]|\\\r?\n|\\.){0,1000}+)",
    re.MULTILINE,
)
_OPENED = re.compile(rb"\bnamespace[\s\\]{1,20}+(\w{1,100}+)(?:::(\w{1,100}+))?")
_FIRST_NAME = re.compile(rb"[\s\\]{1,20}+([A-Za-z_]\w{0,100}+)")

# No text opens more namespaces.
_MOST = 100


class BlockMacro(NamedTuple):
    """A macro that stands alone: the bytes of its name, the end of its arguments, and these."""

    start: int
    end: int
    stop: int
    arguments: bytes


def block_macros(data: bytes, grammar: str) -> Iterator[BlockMacro]:
    """Yield the macros that open or close blocks, in order."""
    for line in _LINE.finditer(data) if grammar in GRAMMARS else ():
        words = frozenset(line["name"].split(b"_"))
        if not words & (_OPENING | _CLOSING) or (line["arguments"] and _NAMESPACE not in words):
            continue
        before = data[max(line.start() - _BEFORE, 0) : line.start()].rstrip()
        before = before.rpartition(b"\n")[2].partition(b"//")[0].rstrip()
        if not before or before[-1] not in _CONTINUED:
            arguments = (line["arguments"] or b"()")[1:-1]
            yield BlockMacro(*line.span("name"), line.end(), arguments)


def without_block_macros(data: bytes, grammar: str) -> bytes:
    """Return a text with blanks in the place of macros that open or close blocks."""
    blanked: bytearray | None = None
    for macro in block_macros(data, grammar):
        blanked = bytearray(data) if blanked is None else blanked
        blanked[macro.start : macro.stop] = b" " * (macro.stop - macro.start)
    return data if blanked is None else bytes(blanked)


def opened_namespaces(data: bytes, grammar: str) -> list[tuple[str, int]]:
    """Return the namespaces that macros of a text open, each with the offset of the macro.

    These are named in what the macro stands for, in its arguments, or by a macro that is called
    like one.
    """
    found: dict[bytes, int] = {}
    for directive in _DIRECTIVE.finditer(data) if grammar in GRAMMARS else ():
        names = [name for pair in _OPENED.findall(directive["text"]) for name in pair if name]
        if directive["name"].endswith(_NAMESPACE) and not names:
            names = [one[1] for one in (_FIRST_NAME.match(directive["text"]),) if one]
        for name in names:
            found.setdefault(name, directive.start("name"))
    for macro in block_macros(data, grammar) if grammar in GRAMMARS else ():
        words = data[macro.start : macro.end].split(b"_")
        if macro.arguments and not _OPENING.isdisjoint(words):
            found.setdefault(macro.arguments.strip(), macro.start)
    named = ((name.decode("utf-8", "replace"), offset) for name, offset in found.items())
    return [(name, offset) for name, offset in named if name.isidentifier()][:_MOST]
