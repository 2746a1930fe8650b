"""The names that a text may bind, beyond those that extraction lists.

All of them are collected in one pass, so that it costs the same to ask for one name or for all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_LIST_IN_GO = re.compile(r"(\.?)(?<!\w)(\w++(?:\s*+,\s*+\w++)*+)(\s*+:=)?+")


def bound_in(code: str, language: str) -> frozenset[str]:
    """The names that a text may bind; several languages look alike here."""
    found = {*_DEFINED.findall(code), *_ITERATED.findall(code)}
    for one in _ASSIGNED.finditer(code):
        found.update(target[1] for target in _TARGET.finditer(one[1]) if not target[2])
    if language == "python":
        found.update(_RENAMED.findall(code))
    return frozenset(found)


def bound_in_go(code: str) -> frozenset[str]:
    """The names that a file of Go may have for something of its own."""
    found = {name for names in _DECLARED_IN_GO.findall(code) for name in names}
    return frozenset(found.union(_assigned_in_go(code)) - {""})


def _assigned_in_go(code: str) -> Iterator[str]:
    for one in _LIST_IN_GO.finditer(code):
        if one[3]:
            names = [name.strip() for name in one[2].split(",")]
            # the first may be a member of something else
            yield from names[1:] if one[1] else names
