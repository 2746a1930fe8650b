"""Functions of C and C++ that are stored in fields: by tables, initializers and assignments.

uses.scm captures an initializer @filled with the type @holding of what it fills, which is an
array if its declarator @declared is one, and an assignment of @stored to a @field of a @holder.

A field by its place is the one of this number in its type. That holds up to a field which is
@unplaced (a static member, one under `#if`, in a union without a name), and up to one behind
@several values, an array or `struct`, since an initializer may list these without braces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.expressions import UNKNOWN, ExpressionNodes, expression, text_of, typed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.extract import syntax

# So many names in one initializer are looked at, in lists so deep.
_MOST = 10_000
_DEEPEST = 3

# A value that is the same, and one that is a list of others.
_SAME = frozenset({"cast_expression", "parenthesized_expression", "pointer_expression"})
_LIST = "initializer_list"

# A field that is an array of characters: a string fills it.
_CHARACTERS = "char"
_PLAIN_ARRAY = ("array_declarator", "field_identifier")


class StoredName(NamedTuple):
    """A name that is stored in a field: the node of the name, and the field as an expression.

    The last part of the field is its name, or its place among the fields of a type.
    """

    node: syntax.Node
    field: str


def stored_names(
    captures: dict[str, list[syntax.Node]], nodes: ExpressionNodes
) -> Iterator[StoredName]:
    """Yield the names that a match of the query stores in fields."""
    for node in captures.get("stored", ()):
        holder = expression(captures["holder"][0], nodes)
        if UNKNOWN not in holder:
            yield StoredName(node, f"{holder}.{text_of(captures['field'][0])}")
    for node in captures.get("filled", ()):
        holder = typed(captures["holding"][0], nodes)
        declared = captures.get("declared")
        if UNKNOWN not in holder and "|" not in holder:
            array = declared is not None and declared[0].type == "array_declarator"
            found = _of_list(node, holder, 0) if not array else _of_array(node, holder)
            yield from _first(found)


def _first(names: Iterator[StoredName]) -> Iterator[StoredName]:
    for _, one in zip(range(_MOST), names, strict=False):
        yield one


def _of_array(node: syntax.Node, holder: str) -> Iterator[StoredName]:
    """Yield the names in the elements of an array: a list each, perhaps behind its place."""
    for element in node.named_children:
        value = element.child_by_field_name("value") if _is_pair(element) else element
        if value is not None and value.type == _LIST:
            yield from _of_list(value, holder, 0)


def places_until(node: syntax.Node, *, several: bool) -> int | None:
    """Return up to which byte the fields of a type have places; None if all may have one.

    node: what is @several or @unplaced.
    """
    if not several:
        return node.start_byte
    declarators = node.children_by_field_name("declarator")
    if len(declarators) > 1:
        return node.start_byte
    of = node.child_by_field_name("type")
    declared = declarators[0].type, *(one.type for one in declarators[0].named_children[:1])
    if declared == _PLAIN_ARRAY and of is not None and _CHARACTERS in text_of(of).lower():
        return None
    return node.end_byte


def _of_list(node: syntax.Node, holder: str, depth: int) -> Iterator[StoredName]:
    """Yield the names that an initializer of one value stores, by fields or by places."""
    place: int | None = 0
    for child in node.named_children:
        if child.type == "comment":
            continue
        if child.type == "ERROR":
            # a directive, of whose branches one counts
            place = None
            continue
        if _is_pair(child):
            # what follows stands behind the field that is named
            place = None
            designator = child.child_by_field_name("designator")
            inner = child.child_by_field_name("value")
            if designator is None or inner is None or designator.type != "field_designator":
                continue
            field, value = text_of(designator).lstrip("."), inner
        elif place is None:
            continue
        else:
            field, value, place = str(place), child, place + 1
        if value.type == _LIST and depth < _DEEPEST:
            yield from _of_list(value, f"{holder}.{field}", depth + 1)
        elif (name := _named(value)) is not None:
            yield StoredName(name, f"{holder}.{field}")


def _is_pair(node: syntax.Node) -> bool:
    return node.type == "initializer_pair"


def _named(node: syntax.Node) -> syntax.Node | None:
    """Return the name that a value is, perhaps behind `&` or a cast."""
    for _ in range(_DEEPEST):
        if node.type not in _SAME or not node.named_child_count:
            break
        node = node.named_children[-1]
    return node if node.type == "identifier" else None
