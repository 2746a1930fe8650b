"""The names that statements of JavaScript and TypeScript export, read from text without comments.

Each pattern finds where a statement begins, and its end is looked for once: what never ends must
not be read again for every beginning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_DECLARED = re.compile(
    r"\bexport\s++(?:(?:declare|default|abstract|async)\s++)*+"
    r"(?:function(?:\s*+\*)?+|class|const\s++enum|const|let|var|type|interface|enum|namespace"
    r"|module)\s++([\w$]++)"
)
_NAMESPACE = re.compile(r"\bexport\s*+\*\s*+as\s++([\w$]++)")
_ASSIGNED = re.compile(r"\bexports\.([\w$]++)\s*+=")
_DEFAULT = re.compile(r"\bexport\s++default\b")
_LIST = re.compile(r"\bexport\s++(?:type\s++)?\{")
_PATTERN = re.compile(r"\bexport\s++(?:const|let|var)\s*+[{\[]")
_VARIABLES = re.compile(r"\bexport\s++(?:const|let|var)\s++")
_STATEMENT_END = re.compile(r"[;\n]|\Z")
# A name, and whether a value follows; what is read without one is not read again.
_VALUE = re.compile(r"(?<![\w$])([\w$]++)\s*+(?::[^=,]*+)?+(=(?![=>]))?+")
# all that is exported is one value, of which the names are not known
_OPAQUE = re.compile(
    r"\bmodule\.exports\s*+=|\bexports\[|\bexport\s*+=|defineProperty\(\s*+(?:module\.)?exports"
)
_OBJECT = re.compile(r"\bmodule\.exports\s*+=\s*+(?=\{)")
_BRACE = re.compile(r"[{}]")
_BRACKET = re.compile(r"[{}()\[\]]")
_CLOSED_BY = {"{": "}", "(": ")", "[": "]"}
_KEY = re.compile(r"(?:^|,)\s*+(?:(?:async|get|set)\s++)?(?:\*\s*+)?([\w$]++)\s*+(?=[,:]|$)")
_NAME = re.compile(r"[\w$]+")


class Exports(NamedTuple):
    """The names that a file exports; opaque: there may be more, which cannot be listed."""

    names: frozenset[str]
    opaque: bool


def exports_of(code: str) -> Exports:
    """What the statements of a file export."""
    rest, keys = _without_object(code)
    found = {*keys, *_declared(rest)}
    for names in _listed(rest):
        found.update(own[-1] for part in names.split(",") if (own := _NAME.findall(part)))
    for names in _taken_apart(rest):
        found.update(_NAME.findall(names))
    for names in _several(rest):
        found.update(one[1] for one in _VALUE.finditer(names) if one[2])
    return Exports(frozenset(found), _OPAQUE.search(rest) is not None)


def _declared(code: str) -> Iterator[str]:
    for pattern in (_DECLARED, _NAMESPACE, _ASSIGNED):
        yield from pattern.findall(code)
    if _DEFAULT.search(code):
        yield "default"


def _listed(code: str) -> Iterator[str]:
    """What stands between the braces of `export {a, b as c}`."""
    at = 0
    while (start := _LIST.search(code, at)) is not None:
        end = code.find("}", start.end())
        if end < 0:
            return
        yield code[start.end() : end]
        at = end


def _taken_apart(code: str) -> Iterator[str]:
    """What stands between the brackets of `export const {a, b} = value`."""
    at = 0
    while (start := _PATTERN.search(code, at)) is not None:
        end = code.find("=", start.end())
        if end < 0:
            return
        names = code[start.end() : end].rstrip()
        if names.endswith(("}", "]")):
            yield names[:-1]
        at = end


def _several(code: str) -> Iterator[str]:
    """What follows `export const` in a line with a comma."""
    at = end = 0
    while (start := _VARIABLES.search(code, at)) is not None:
        at = start.end()
        if at < end:
            # the rest of a line without a comma has none, either
            continue
        end = _STATEMENT_END.search(code, at).start()  # type: ignore[union-attr]
        names = code[at:end]
        if "," in names:
            yield names
            at = end


def _without_object(code: str) -> tuple[str, set[str]]:
    """The keys of the object that a module exports, and the code without it.

    Where the keys are not all written there, nothing is taken away.
    """
    start = _OBJECT.search(code)
    if start is None:
        return code, set()
    depth = 0
    for end in _BRACE.finditer(code, start.end()):
        depth += 1 if end[0] == "{" else -1
        if depth == 0:
            body = code[start.end() + 1 : end.start()]
            rest = code[: start.start()] + code[end.end() :]
            return (code, set()) if "..." in body else (rest, set(_KEY.findall(_outside(body))))
    return code, set()


def _outside(body: str) -> str:
    """A text with a blank for each pair of brackets and what is between."""
    opened: dict[str, list[int]] = {closing: [] for closing in _CLOSED_BY.values()}
    pairs = []
    for one in _BRACKET.finditer(body):
        if one[0] in _CLOSED_BY:
            opened[_CLOSED_BY[one[0]]].append(one.start())
        elif opened[one[0]]:
            pairs.append((opened[one[0]].pop(), one.end()))
    pieces, at = [], 0
    for start, end in sorted(pairs):
        if start >= at:
            pieces.append(body[at:start])
        at = max(at, end)
    return " ".join([*pieces, body[at:]])
