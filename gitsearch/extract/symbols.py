"""Extraction of definitions, references and imports by two queries of the language.

The module `captures` defines the captures of the queries. The grammars of component files (Vue,
Svelte) return a script as one text node: all scripts of a file are parsed as one program in which
the markup is replaced with blanks, so that line numbers stay the same.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gitsearch.extract import comments, syntax
from gitsearch.extract.captures import (
    LONGEST_NAME,
    REFERENCES,
    REMARKS,
    CapturedRange,
    CaptureMatches,
    RawImport,
    Span,
    collect,
)
from gitsearch.extract.chunks import LinesOf, line_numbers
from gitsearch.extract.symbol_kinds import FUNCTIONS, SPACES, TYPES
from gitsearch.records import Definition, Import, Reference, Structure

# Languages of component files.
COMPONENTS = frozenset({"vue", "svelte"})
_BLANKS = bytes(byte if byte == ord("\n") else ord(" ") for byte in range(256))

_SIGNATURE = 200  # characters of a signature
_READ = 400  # bytes that are read for it: signatures are indented and wrapped
_SPECIFIER = 4096  # bytes: no path is longer, but a computed one contains nested code
LONGEST_QUALIFIED = 400  # characters: beyond, nesting is hostile and would cost quadratic space

_LOCALS = frozenset({"variable", "constant", "property", "prototype"})
_CONSTRUCTORS = frozenset({"__init__", "__construct", "constructor"})
_DOTTED = re.compile(r"[^\W\d]\w*(?:(?:\.|::|\\)[^\W\d]\w*[?!]?)+")
_DOTS = re.compile(r"\.|::|\\|#|:")
_ARGUMENTS = re.compile(r"[<\[]")  # start of the arguments of a generic type
_POINTER = re.compile(r"[*&\s]")
_PATH = "path"  # the kind of imports that a path in an expression stands for
_QUOTED = re.compile(r"""(["'`])(.+)\1|:(\w.*)""", re.DOTALL)
_NOT_QUALIFIERS = frozenset({"", "exports", "module", "prototype", "self", "this"})


def definitions(
    root: syntax.Node, data: bytes, language: str, *, described: bool
) -> tuple[Definition, ...]:
    """Return the definitions below a node, in order of position.

    described: with their signatures and documentation, which are "" otherwise. References are most
    of what a query finds in a text, and half of the time it takes; of the rest a tenth to two
    thirds are comments.
    """
    without = REFERENCES if described else REFERENCES | REMARKS
    query = syntax.grammar_query(language, "tags", without=without)
    if query is None:
        return ()
    matches = collect(syntax.matches(query, root), data)
    return _definitions(matches, data, line_numbers(data), described=described)


def structure(root: syntax.Node, data: bytes, language: str) -> Structure:
    """Return the definitions, references and imports below a node, each in order of position."""
    query = syntax.grammar_query(language, "tags", "imports")
    if query is None:
        return Structure()
    matches = collect(syntax.matches(query, root), data)
    lines_of = line_numbers(data)
    found = Structure(
        _definitions(matches, data, lines_of, described=True),
        _references(matches, data, lines_of),
        _imports(matches, data, lines_of),
    )
    return _with_scripts(found, root, data, language) if language in COMPONENTS else found


def _with_scripts(found: Structure, root: syntax.Node, data: bytes, language: str) -> Structure:
    """Return what is found in a component file with what its scripts import and refer to."""
    program = script_program(root, data, language)
    tree = syntax.parse(*program) if program else None
    if program is None or tree is None:
        return found
    scripts = structure(tree.root_node, *program)
    return Structure(
        found.definitions,
        tuple(sorted(found.references + scripts.references, key=lambda used: used.line)),
        tuple(sorted(found.imports + scripts.imports, key=lambda imported: imported.line)),
    )


def script_program(root: syntax.Node, data: bytes, language: str) -> tuple[bytes, str] | None:
    """Return the scripts of a component file as one text, and its grammar; None without a script.

    The text has the length of `data`, and each script is at its own offset.
    """
    query = syntax.grammar_query(language, "scripts")
    matches = [captures for _, captures in syntax.matches(query, root)] if query else []
    spans = sorted({node.byte_range for match in matches for node in match.get("script", ())})
    if not spans:
        return None
    text = bytearray(data.translate(_BLANKS))
    for start, end in spans:
        text[start:end] = data[start:end]
        text[end : end + 1] = b";"[: len(text) - end]
    # The grammar of TypeScript accepts JavaScript too, but parses a JSX element as a cast.
    return bytes(text), "tsx" if any("jsx" in match for match in matches) else "typescript"


def _definitions(
    matches: CaptureMatches, data: bytes, lines_of: LinesOf, *, described: bool
) -> tuple[Definition, ...]:
    definitions = list(matches.definitions.values())
    _widen(definitions, matches.outers, data)
    kept = _placed([*definitions, *matches.locals], data)
    remarks = comments.Remarks(data, matches.remarks)
    firsts = lines_of([scope.start for scope in kept])
    lasts = lines_of([max(scope.end - 1, scope.start) for scope in kept])
    return tuple(
        _definition(scope, data, remarks, lines, described=described)
        for scope, *lines in zip(kept, firsts, lasts, strict=True)
    )


def _widen(definitions: list[CapturedRange], outers: list[Span], data: bytes) -> None:
    """Extend definitions to the start of the nodes that only wrap them, the innermost first."""
    if not outers:
        return
    by_end: dict[int, list[CapturedRange]] = {}
    for scope in sorted(definitions, key=lambda scope: scope.start):
        by_end.setdefault(scope.end, []).append(scope)
    for start, end in sorted(set(outers), reverse=True):
        inner = end
        if data[end - 1 : end] == b";" and end not in by_end:
            inner = _trimmed(data, start, end - 1)
        # Other definitions may end there too, such as the last method of a decorated class.
        wrapped = [scope for scope in by_end.get(inner, ()) if scope.start >= start]
        first = wrapped[0].start if wrapped else start
        for scope in wrapped:
            if scope.start == first:
                scope.head = start if scope.head == scope.start else scope.head
                scope.start = start


def _placed(scopes: list[CapturedRange], data: bytes) -> list[CapturedRange]:
    """Return the definitions among some ranges in order, with parent, kind and qualified name."""
    scopes.sort(key=lambda scope: (scope.start, -scope.end, scope.pattern, scope.name))
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
    """Return True if one range is inside another; names that share a node are siblings."""
    return outer.end >= inner.end and (outer.start, outer.end) != (inner.start, inner.end)


def _place(scope: CapturedRange, outer: CapturedRange, data: bytes) -> None:
    """Set the names, the kind and the flags of a scope, which depend on the enclosing one."""
    scope.parent = outer.index if outer.role == "definition" else outer.parent
    parts = _parts(data, scope)
    scope.label = parts[-1] if parts else ""
    scope.kind = _kind(scope, member=outer.members or len(parts) > 1)
    scope.qualified = ".".join([outer.qualified, *parts] if outer.qualified else parts)
    if len(scope.qualified) > LONGEST_QUALIFIED:
        scope.qualified = scope.label
    opens = scope.role == "container" or scope.kind in TYPES
    closes = scope.role == "local" or scope.kind in FUNCTIONS
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
    """Return the qualifiers and the last part of a name; a local range has no name."""
    if scope.role == "local":
        return []
    text = _name(data[scope.name[0] : scope.name[1]])
    if text.isidentifier():
        parts = [text]
    else:
        text = _unquoted(text)
        parts = _DOTS.split(text) if _DOTTED.fullmatch(text) else [text]
    if scope.scope:
        above = _one_line(data[scope.scope[0] : scope.scope[1]])
        parts[:0] = [
            part for part in _DOTS.split(_without_arguments(above)) if part not in _NOT_QUALIFIERS
        ]
    return parts


def _without_arguments(text: str) -> str:
    """Return the name of a type without its arguments and marks of a pointer."""
    start, end = _ARGUMENTS.search(text), max(text.rfind(">"), text.rfind("]"))
    if start is not None and start.start() < end:
        text = text[: start.start()] + text[end + 1 :]
    return _POINTER.sub("", text)


def _definition(
    scope: CapturedRange,
    data: bytes,
    remarks: comments.Remarks,
    lines: list[int],
    *,
    described: bool,
) -> Definition:
    start = remarks.past_attributes(scope.head)
    end = scope.body if scope.body is not None else scope.end
    if scope.body is None and scope.kind not in FUNCTIONS:
        line = data.find(b"\n", max(start, scope.name[1]), end)
        end = end if line < 0 else line
    end = _trimmed(data, start, end)
    signature = doc = ""
    if described:
        signature = _signature(data[start : min(end, start + _READ)], scope.label)
        doc = comments.cleaned(data[slice(*scope.doc)]) if scope.doc else ""
        doc = doc or remarks.above(scope.start)
    return Definition(
        *(scope.label, scope.qualified, scope.kind, signature, doc),
        *(scope.start, scope.end, end, *lines, scope.parent),
    )


def _signature(raw: bytes, name: str) -> str:
    signature = _one_line(raw).rstrip("{=:; ")[:_SIGNATURE].rstrip()
    return signature if name in signature else f"{signature} {name}"


def _trimmed(data: bytes, start: int, end: int) -> int:
    """Return the end of a range without trailing white space, up to _READ bytes of it."""
    tail = data[max(start, end - _READ) : end]
    return end - len(tail) + len(tail.rstrip())


def _references(matches: CaptureMatches, data: bytes, lines_of: LinesOf) -> tuple[Reference, ...]:
    """Return each name once a line and kind, without the names of definitions themselves."""
    named = {scope.name[0] for scope in matches.definitions.values()}
    uses = sorted(matches.references)
    unique = {
        (data[start:end], kind, line): None
        for (start, end, kind), line in zip(uses, lines_of([use[0] for use in uses]), strict=True)
        if 0 < end - start <= LONGEST_NAME and start not in named
    }
    return tuple(Reference(_name(raw), kind, line) for raw, kind, line in unique)


def _imports(matches: CaptureMatches, data: bytes, lines_of: LinesOf) -> tuple[Import, ...]:
    imports = []
    in_order = _without_same_paths(sorted(matches.imports.items()), data)
    lines = lines_of([start for (start, _), _ in in_order])
    for (_, raw), line in zip(in_order, lines, strict=True):
        start, end = raw.specifier
        specifier = _unquoted(_one_line(data[start : min(end, start + _SPECIFIER)]))
        names = [
            template % _one_line(data[start:end])
            for start, (end, template) in sorted(raw.names.items())
        ]
        if specifier:
            imports.append(Import(specifier, raw.kind, ",".join(names), line))
    return tuple(imports)


def _without_same_paths(
    imports: list[tuple[Span, RawImport]], data: bytes
) -> list[tuple[Span, RawImport]]:
    """Leave out paths in other imports, those that begin as another, and middles of paths."""
    known: set[bytes] = set()
    kept = []
    covered = 0
    for span, raw in imports:
        start, end = raw.specifier
        if raw.kind != _PATH:
            covered = max(covered, end, *(last for last, _ in raw.names.values()))
        elif (
            start < covered or data[start:end] in known or data[max(0, start - 2) : start] == b"::"
        ):
            continue
        else:
            known.add(data[start:end])
        kept.append((span, raw))
    return kept


@lru_cache(1 << 14)
def _name(raw: bytes) -> str:
    """Decode a name; four of five names have occurred in the files before."""
    return _one_line(raw)


def _one_line(raw: bytes) -> str:
    return " ".join(raw.decode("utf-8", "replace").split())


def _unquoted(text: str) -> str:
    """Strip the quotes around a text, or the colon of a symbol (`:name`)."""
    quoted = _QUOTED.fullmatch(text)
    return (quoted[2] or quoted[3]) if quoted else text
