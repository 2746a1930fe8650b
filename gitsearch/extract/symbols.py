"""From a syntax tree to definitions, references and imports, by two queries of the language.

What the captures of the queries mean stands in the module `captures`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.extract import comments, syntax
from gitsearch.extract.captures import LONGEST_NAME, CapturedRange, CaptureMatches, collect
from gitsearch.extract.symbol_kinds import SPACES, TYPES
from gitsearch.records import Definition, Import, Reference, Structure

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIGNATURE = 200  # characters of a signature
_READ = 400  # bytes looked at for them: signatures are indented and wrapped
_SPECIFIER = 4096  # bytes: no path is longer, but a computed one holds what is nested in it
_QUALIFIED = 400  # characters: beyond, nesting is hostile and would cost quadratic space

_FUNCTIONS = frozenset({"function", "method", "constructor", "macro"})
_LOCALS = frozenset({"variable", "constant", "property", "prototype"})
_CONSTRUCTORS = frozenset({"__init__", "__construct", "constructor"})
_DOTTED = re.compile(r"[^\W\d]\w*(?:(?:\.|::|\\)[^\W\d]\w*[?!]?)+")
_DOTS = re.compile(r"\.|::|\\|#|:")
_ARGUMENTS = re.compile(r"[<\[]")  # where those of a generic type begin
_POINTER = re.compile(r"[*&\s]")
_QUOTED = re.compile(r"""(["'`])(.+)\1|:(\w.*)""", re.DOTALL)
_UNNAMED = frozenset({"", "exports", "module", "prototype", "self", "this"})  # qualify nothing


def structure(root: syntax.Node, data: bytes, language: str) -> Structure:
    """Definitions, references and imports below a node, each in order of position."""
    query = syntax.grammar_query(language, "tags", "imports")
    if query is None:
        return Structure()
    found = collect(syntax.matches(query, root), data)
    newlines = np.flatnonzero(np.frombuffer(data, np.uint8) == 10)
    return Structure(
        _definitions(found, data, newlines),
        _references(found, data, newlines),
        _imports(found, data, newlines),
    )


def _definitions(
    found: CaptureMatches, data: bytes, newlines: NDArray[np.intp]
) -> tuple[Definition, ...]:
    definitions = list(found.definitions.values())
    _widen(definitions, found.outers, data)
    kept = _placed([*definitions, *found.locals], data)
    remarks = comments.Remarks(data, found.remarks)
    firsts = np.searchsorted(newlines, [scope.start for scope in kept]) + 1
    lasts = np.searchsorted(newlines, [max(scope.end - 1, scope.start) for scope in kept]) + 1
    return tuple(
        _definition(scope, data, remarks, first, last)
        for scope, first, last in zip(kept, firsts.tolist(), lasts.tolist(), strict=True)
    )


def _widen(definitions: list[CapturedRange], outers: list[tuple[int, int]], data: bytes) -> None:
    """Let definitions start where the nodes start that only wrap them, the innermost first."""
    if not outers:
        return
    by_end: dict[int, list[CapturedRange]] = {}
    for scope in sorted(definitions, key=lambda s: s.start):
        by_end.setdefault(scope.end, []).append(scope)
    for start, end in sorted(set(outers), reverse=True):
        inner = end
        if data[end - 1 : end] == b";" and end not in by_end:
            inner = _trimmed(data, start, end - 1)
        # Others may end there too, such as the last method of a decorated class.
        wrapped = [scope for scope in by_end.get(inner, ()) if scope.start >= start]
        first = wrapped[0].start if wrapped else start
        for scope in wrapped:
            if scope.start == first:
                scope.head = start if scope.head == scope.start else scope.head
                scope.start = start


def _placed(scopes: list[CapturedRange], data: bytes) -> list[CapturedRange]:
    """The definitions among these, in order, with all that depends on what they lie in."""
    scopes.sort(key=lambda s: (s.start, -s.end, s.pattern, s.name))
    kept: list[CapturedRange] = []
    stack = [CapturedRange(-1, len(data) + 1, "file")]
    for scope in scopes:
        while not _holds(stack[-1], scope):
            stack.pop()
        outer = stack[-1]
        if outer.local and scope.kind in _LOCALS:
            continue
        _place(scope, outer, data)
        if scope.label == "_":
            continue
        if scope.role == "definition":
            last = outer.last
            if scope.clause and last and last.clause and last.qualified == scope.qualified:
                last.body = last.end if last.body is None else last.body
                last.end = scope.end
                scope.index = last.index
            else:
                scope.index = len(kept)
                outer.last = scope
                kept.append(scope)
        stack.append(scope)
    return kept


def _holds(outer: CapturedRange, inner: CapturedRange) -> bool:
    """Whether one range lies inside another; names that share one node stand side by side."""
    return outer.end >= inner.end and (outer.start, outer.end) != (inner.start, inner.end)


def _place(scope: CapturedRange, outer: CapturedRange, data: bytes) -> None:
    """Settle the names and the kind of a scope by the one around it, and what it is to others."""
    scope.parent = outer.index if outer.role == "definition" else outer.parent
    parts = _parts(data, scope)
    scope.label = parts[-1] if parts else ""
    scope.kind = _kind(scope, member=outer.members or len(parts) > 1)
    scope.qualified = ".".join([outer.qualified, *parts] if outer.qualified else parts)
    if len(scope.qualified) > _QUALIFIED:
        scope.qualified = scope.label
    opens = scope.role == "container" or scope.kind in TYPES
    closes = scope.role == "local" or scope.kind in _FUNCTIONS
    scope.members = opens or (outer.members and not closes and scope.kind not in SPACES)
    scope.local = closes or (outer.local and not opens and scope.kind not in SPACES)


def _kind(scope: CapturedRange, *, member: bool) -> str:
    kind = "function" if scope.kind == "prototype" else scope.kind
    if kind == "variable" and scope.label.isupper() and len(scope.label) > 1:
        return "constant"
    if member and kind in ("function", "method"):
        return "constructor" if scope.label in _CONSTRUCTORS else "method"
    return "field" if member and kind == "variable" else kind


def _parts(data: bytes, scope: CapturedRange) -> list[str]:
    """The parts of a name, those that qualify it first; a local range has none of its own."""
    if scope.role == "local":
        return []
    text = _name(data[scope.name[0] : scope.name[1]])
    if text.isidentifier():
        parts = [text]
    else:
        text = _unquoted(text)
        parts = _DOTS.split(text) if _DOTTED.fullmatch(text) else [text]
    if scope.scope:
        above = _folded(data[scope.scope[0] : scope.scope[1]])
        parts[:0] = [p for p in _DOTS.split(_without_arguments(above)) if p not in _UNNAMED]
    return parts


def _without_arguments(text: str) -> str:
    """The name of a type without its arguments, and without what makes it a pointer."""
    start, end = _ARGUMENTS.search(text), max(text.rfind(">"), text.rfind("]"))
    if start is not None and start.start() < end:
        text = text[: start.start()] + text[end + 1 :]
    return _POINTER.sub("", text)


def _definition(
    scope: CapturedRange, data: bytes, remarks: comments.Remarks, first: int, last: int
) -> Definition:
    start = remarks.past_attributes(scope.head)
    end = scope.body if scope.body is not None else scope.end
    if scope.body is None and scope.kind not in _FUNCTIONS:
        line = data.find(b"\n", max(start, scope.name[1]), end)
        end = end if line < 0 else line
    end = _trimmed(data, start, end)
    signature = (
        _folded(data[start : min(end, start + _READ)]).rstrip("{=:; ")[:_SIGNATURE].rstrip()
    )
    if scope.label not in signature:
        signature = f"{signature} {scope.label}"
    doc = comments.cleaned(data[slice(*scope.doc)]) if scope.doc else ""
    return Definition(
        scope.label,
        scope.qualified,
        scope.kind,
        signature,
        doc or remarks.above(scope.start),
        scope.start,
        scope.end,
        end,
        first,
        last,
        scope.parent,
    )


def _trimmed(data: bytes, start: int, end: int) -> int:
    """The end of a range without the white space there, of which there is seldom much."""
    tail = data[max(start, end - _READ) : end]
    return end - len(tail) + len(tail.rstrip())


def _references(
    found: CaptureMatches, data: bytes, newlines: NDArray[np.intp]
) -> tuple[Reference, ...]:
    """Each name once a line and kind; the name of a definition is no use of it."""
    named = {scope.name[0] for scope in found.definitions.values()}
    uses = sorted(found.references)
    lines = (np.searchsorted(newlines, [use[0] for use in uses]) + 1).tolist()
    unique = {
        (data[start:end], kind, line): None
        for (start, end, kind), line in zip(uses, lines, strict=True)
        if 0 < end - start <= LONGEST_NAME and start not in named
    }
    return tuple(Reference(_name(raw), kind, line) for raw, kind, line in unique)


def _imports(found: CaptureMatches, data: bytes, newlines: NDArray[np.intp]) -> tuple[Import, ...]:
    imports = []
    keys = sorted(found.imports)
    lines = (np.searchsorted(newlines, [start for start, _ in keys]) + 1).tolist()
    for key, line in zip(keys, lines, strict=True):
        raw = found.imports[key]
        start, end = raw.specifier
        specifier = _unquoted(_folded(data[start : min(end, start + _SPECIFIER)]))
        names = [
            template % _folded(data[start:end])
            for start, (end, template) in sorted(raw.names.items())
        ]
        if specifier:
            imports.append(Import(specifier, raw.kind, ",".join(names), line))
    return tuple(imports)


@lru_cache(1 << 14)
def _name(raw: bytes) -> str:
    """A name, which is seldom new: four of five have been seen in the files before."""
    return _folded(raw)


def _folded(raw: bytes) -> str:
    return " ".join(raw.decode("utf-8", "replace").split())


def _unquoted(text: str) -> str:
    """A text without the quotes around it, or the colon of a symbol (`:name`)."""
    quoted = _QUOTED.fullmatch(text)
    return (quoted[2] or quoted[3]) if quoted else text
