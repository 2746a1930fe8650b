"""What the captures of a language's queries mean: matches sorted by their role.

tags.scm has one match for each definition:
    @definition.<kind>  the whole node
    @name               its name, or the first and the last word of it (`operator bool`); several
                        matches may share a node (`var a, b int`)
    @body               where its signature ends (without: the field `body`; else a function is all
                        signature and anything else shows its first line)
    @signature          a node inside that the signature starts with (without: the whole node)
    @scope              what qualifies the name, such as a receiver's type or `Foo` in `Foo::bar`
    @doc                a string that documents it
    @clause             with a function written in several parts: neighbours of one name are one
Where several patterns match the same name, the first one in the file counts. Besides, there are
    @container, @name   no definition, but a scope for those inside (an `impl`, an extension)
    @outer              a node around a definition that ends with it and belongs to it: `export`,
                        `template`, decorators
    @local              a range whose variables and constants are local (the body of a closure);
                        functions and methods are such ranges by themselves, so that patterns
                        for variables need not care where they match
    @comment            every comment; those directly above a definition document it
    @doc (alone)        a string that does the same
    @attribute          a decorator or annotation: it may stand between a comment and its
                        definition, and where a definition starts with it, the signature does not
    @reference.<kind>   a used name; kind is call, type or name
    @capital.<kind>     the same, where it starts with a capital letter (a predicate that says so
                        takes longer than all else that is done for a name)
A `function` directly in a type or container is a `method`, a `variable` there a `field`; a
variable in capitals is a `constant`. A `prototype` is a function, but none where it is local. A
dotted name (`a.b`, `A::B`) is split: the last part is the name, the others qualify it.

imports.scm: @import or @import.<kind> on the statement, @specifier on what is imported from (or
on the first and the last word of it), @names on an imported name as written (`a as b`), @default
on one that stands for the default export; matches with the same specifier are one import.

Other captures (by custom starting with an underscore) serve predicates only. A line
`; include: <language>/<file>` stands for that file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitsearch.extract.comments import Remark
    from gitsearch.extract.syntax import Match, Node

LONGEST_NAME = 256  # bytes; a longer name is not written by people

# Captures that are no part of a match with others.
_RANGES = frozenset({"capital", "local", "outer", "comment", "attribute"})

Span = tuple[int, int]


@dataclass(slots=True)
class CapturedRange:
    """A range of bytes: a definition, a container, a local range or the file."""

    start: int
    end: int
    role: str
    kind: str = ""
    name: Span = (0, 0)
    scope: Span | None = None
    head: int = 0  # where the signature starts
    body: int | None = None
    doc: Span | None = None
    clause: bool = False
    pattern: int = 0
    # Filled in when the scope is placed among the others.
    label: str = ""
    qualified: str = ""
    index: int = -1
    parent: int = -1
    local: bool = False  # variables in it are local
    members: bool = False  # functions in it are methods
    last: CapturedRange | None = None  # the latest definition directly in it


@dataclass(slots=True)
class RawImport:
    """One import statement and specifier; names by position, each with its end and a template."""

    specifier: Span
    kind: str
    names: dict[int, tuple[int, str]] = field(default_factory=dict)


@dataclass(slots=True)
class CaptureMatches:
    """What the matches say, by role.

    Definitions are kept by where their name starts, containers among them, by a negative number,
    by where they start themselves.
    """

    definitions: dict[int, CapturedRange] = field(default_factory=dict)
    locals: list[CapturedRange] = field(default_factory=list)
    outers: list[Span] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    references: list[tuple[int, int, str]] = field(default_factory=list)
    imports: dict[Span, RawImport] = field(default_factory=dict)


def collect(matches: list[Match], data: bytes) -> CaptureMatches:
    """All matches in a text, sorted by role."""
    found = CaptureMatches()
    references = found.references
    for pattern, captures in matches:
        for capture, nodes in captures.items():
            role, kind = _meaning(capture)
            if role == "reference":  # most are
                for node in nodes:
                    references.append((node.start_byte, node.end_byte, kind))
            elif role in ("definition", "container"):
                _add_definition(found, pattern, (role, kind), nodes[0], captures)
            elif role == "import":
                _add_import(found, kind, captures, nodes[0])
            elif role in _RANGES or (role == "doc" and len(captures) == 1):
                _add_ranges(found, role, kind, [node.byte_range for node in nodes], data)
    return found


@cache
def _meaning(capture: str) -> tuple[str, str]:
    """The role and the kind that the name of a capture says."""
    role, _, kind = capture.partition(".")
    return role, kind


def _add_ranges(
    found: CaptureMatches, role: str, kind: str, spans: list[Span], data: bytes
) -> None:
    if role == "capital":
        found.references += [(*s, kind) for s in spans if data[s[0] : s[0] + 1].isupper()]
    elif role == "local":
        found.locals += [CapturedRange(*span, role) for span in spans]
    elif role == "outer":
        found.outers += spans
    else:
        found.remarks += [(*span, role) for span in spans]


def _add_definition(
    found: CaptureMatches,
    pattern: int,
    meaning: tuple[str, str],
    node: Node,
    captures: dict[str, list[Node]],
) -> None:
    names = captures.get("name")
    if not names:
        return
    name = (names[0].start_byte, names[-1].end_byte)
    role, kind = meaning
    start, end = node.byte_range
    key = -1 - start if role == "container" else name[0]
    doc = captures.get("doc")
    known = found.definitions.get(key)
    if known and (known.pattern, known.doc is None) <= (pattern, not doc):
        return
    if not 0 < name[1] - name[0] <= LONGEST_NAME:
        return
    head = captures.get("signature")
    scope = captures.get("scope")
    found.definitions[key] = CapturedRange(
        start,
        end,
        role,
        kind,
        name,
        (scope[0].start_byte, scope[-1].end_byte) if scope else None,
        head[0].start_byte if head else start,
        _body(node, kind, captures),
        doc[0].byte_range if doc else None,
        "clause" in captures,
        pattern,
    )


def _body(node: Node, kind: str, captures: dict[str, list[Node]]) -> int | None:
    """Where the signature ends; what an enumerator holds is part of it."""
    body = captures.get("body")
    if body:
        return body[0].start_byte
    inner = None if kind == "enumerator" else node.child_by_field_name("body")
    return inner.start_byte if inner else None


def _add_import(
    found: CaptureMatches, kind: str, captures: dict[str, list[Node]], node: Node
) -> None:
    specifiers = captures.get("specifier")
    if not specifiers:
        return
    key = (node.start_byte, specifiers[0].start_byte)
    known = found.imports.get(key)
    if known is None:
        specifier = (specifiers[0].start_byte, specifiers[-1].end_byte)
        known = RawImport(specifier, kind or "import")
        found.imports[key] = known
    for capture, template in (("names", "%s"), ("default", "default as %s")):
        for name in captures.get(capture, ()):
            known.names[name.start_byte] = (name.end_byte, template)
