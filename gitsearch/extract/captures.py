"""The meaning of the captures in the queries of a language, and their collection by role.

tags.scm has one match for each definition:
    @definition.<kind>  the whole node
    @name               its name, or the first and the last word of it (`operator bool`); several
                        matches may share a node (`var a, b int`)
    @body               the node before which the signature ends (default: the field `body`; a
                        function without one is all signature, anything else its first line)
    @signature          a node inside that the signature starts with (default: the whole node)
    @scope              the qualifier of the name, such as a receiver's type or `Foo` in `Foo::bar`
    @doc                a string that documents it
    @clause             with a function written in several parts: neighbours of one name are one
Where several patterns match the same name, the first one in the file counts. Other captures:
    @container, @name   a scope that is not a definition itself (an `impl`, an extension)
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
                        takes longer than all other work for a name)
A `function` directly in a type or container is a `method`, a `variable` there a `field`; a
variable in capitals is a `constant`. A `prototype` is a function, but none where it is local. A
dotted name (`a.b`, `A::B`) is split: the last part is the name, the others qualify it.

imports.scm: @import or @import.<kind> on the statement, @specifier on the module specifier (or on
the first and the last word of it), @names on an imported name as written (`a as b`), @default on a
name for the default export, @alias on another name for the specifier itself. Matches with the same
specifier are one import.

Any other capture (by convention with a leading underscore) is for predicates only. A line
`; include: <language>/<file>` is replaced with that file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from gitsearch.extract.comments import Remark
from gitsearch.extract.syntax import Match, Node

LONGEST_NAME = 256  # bytes; no longer name is written by hand

# Roles of captures that are references, and of those that document definitions.
REFERENCES = frozenset({"reference", "capital"})
REMARKS = frozenset({"comment", "doc"})

# Captures of imported names, each with the form in which an import lists them.
_NAME_TEMPLATES = (("names", "%s"), ("default", "default as %s"), ("alias", "as %s"))

# Captures whose ranges count by themselves, not as parts of a definition or an import.
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
    # Set when the enclosing scope is known.
    label: str = ""
    qualified: str = ""
    index: int = -1
    parent: int = -1
    local: bool = False  # whether variables in it are local
    members: bool = False  # whether functions in it are methods
    last: CapturedRange | None = None  # the last definition directly in it so far


@dataclass(slots=True)
class RawImport:
    """One specifier of one import statement.

    `names` maps the start of each imported name to its end and a format string.
    """

    specifier: Span
    kind: str
    names: dict[int, tuple[int, str]] = field(default_factory=dict)


@dataclass(slots=True)
class CaptureMatches:
    """All matches of a text, by role.

    The key of a definition is the offset of its name, the key of a container -1 - its own offset.
    The key of an import is the offset of the statement and of the specifier.
    """

    definitions: dict[int, CapturedRange] = field(default_factory=dict)
    locals: list[CapturedRange] = field(default_factory=list)
    outers: list[Span] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    references: list[tuple[int, int, str]] = field(default_factory=list)
    imports: dict[Span, RawImport] = field(default_factory=dict)


def collect(matches: list[Match], data: bytes) -> CaptureMatches:
    """Return the matches of the queries of a language in a text, by role."""
    collected = CaptureMatches()
    for pattern, captures in matches:
        for capture, nodes in captures.items():
            role, kind = _meaning(capture)
            if role == "reference":  # the most frequent role
                collected.references += [(node.start_byte, node.end_byte, kind) for node in nodes]
            elif role in ("definition", "container"):
                _add_definition(collected, pattern, (role, kind), nodes[0], captures)
            elif role == "import":
                _add_import(collected, kind, captures, nodes[0])
            elif role in _RANGES or (role == "doc" and len(captures) == 1):
                _add_ranges(collected, role, kind, [node.byte_range for node in nodes], data)
    return collected


@cache
def _meaning(capture: str) -> tuple[str, str]:
    role, _, kind = capture.partition(".")
    return role, kind


def _add_ranges(
    collected: CaptureMatches, role: str, kind: str, spans: list[Span], data: bytes
) -> None:
    if role == "capital":
        collected.references += [(*s, kind) for s in spans if data[s[0] : s[0] + 1].isupper()]
    elif role == "local":
        collected.locals += [CapturedRange(*span, role) for span in spans]
    elif role == "outer":
        collected.outers += spans
    else:
        collected.remarks += [(*span, role) for span in spans]


def _add_definition(
    collected: CaptureMatches,
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
    known = collected.definitions.get(key)
    if known and (known.pattern, known.doc is None) <= (pattern, not doc):
        return
    if not 0 < name[1] - name[0] <= LONGEST_NAME:
        return
    head = captures.get("signature")
    scope = captures.get("scope")
    body = captures["body"][0] if "body" in captures else None
    if body is None and kind != "enumerator":  # its value is part of its signature
        body = node.child_by_field_name("body")
    collected.definitions[key] = CapturedRange(
        *(start, end, role, kind, name),
        scope=(scope[0].start_byte, scope[-1].end_byte) if scope else None,
        head=head[0].start_byte if head else start,
        body=body.start_byte if body else None,
        doc=doc[0].byte_range if doc else None,
        clause="clause" in captures,
        pattern=pattern,
    )


def _add_import(
    collected: CaptureMatches, kind: str, captures: dict[str, list[Node]], node: Node
) -> None:
    specifiers = captures.get("specifier")
    if not specifiers:
        return
    specifier = (specifiers[0].start_byte, specifiers[-1].end_byte)
    key = (node.start_byte, specifier[0])
    known = collected.imports.setdefault(key, RawImport(specifier, kind or "import"))
    for capture, template in _NAME_TEMPLATES:
        for name in captures.get(capture, ()):
            known.names[name.start_byte] = (name.end_byte, template)
