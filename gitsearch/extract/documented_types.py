"""Types that comments give.

In JavaScript they are written `@param {Type} name`, `@returns {Type}` and `@type {Type}`, and an
expression of such a type is `@Name`: an instance of what the tree defines by this name. In PHP
they are written `@param Type $name`, `@return Type`, `@var Type` and `@property Type $name`, and
names mean what they mean in the code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAG = re.compile(r"@(param|arg|returns?|type) +\{([^{}@]*)\} *\[?([\w$.]*)")
# `import("express").Request` is none of the tree, but that of `import("./request")` may be
_NAME = re.compile(r"import\([\"'][^.][^()]*\)[\w$.]*|\"[^\"]*\"|'[^']*'|[\w$.]+")

_PARAMETERS = frozenset({"param", "arg"})

# Tags of PHP, where a tool may have its own ones beside them.
_PLAIN_TAG = re.compile(r"@(?:phpstan-|psalm-)?(param|return|var|property(?:-read|-write)?)[ \t]+")
_VARIABLE = re.compile(r"[ \t]*[&.]{0,4}\$(\w+)")
_CLASS_NAME = re.compile(r"class-string<\\?([\w\\]+)>|\$this|[\w\\]+(?![\w\\-])")
_OPENING, _CLOSING = frozenset("<({["), frozenset(">)}]")

# What a comment with types begins with.
BEGINNING = b"/**"

# The most types of a tag; the longest comment, and the longest type in one, that are read.
_MOST_TYPES = 8
_LONGEST, _LONGEST_TYPE = 20_000, 300


class DocumentedType(NamedTuple):
    """The type of a parameter, or of what a function returns if `parameter` is ""."""

    parameter: str
    value: str


def of_function(comment: str) -> Iterator[DocumentedType]:
    """Yield the types of the parameters of a function and of what it returns."""
    for tag, types, name in _tags(comment):
        is_parameter = tag in _PARAMETERS
        # `options.name` is a member of a parameter
        if tag == "type" or (is_parameter and (not name or "." in name)):
            continue
        parameter = name if is_parameter else ""
        yield from (DocumentedType(parameter, value) for value in _values(types))


def of_variable(comment: str) -> list[str]:
    """Return the types of a variable."""
    return [value for tag, types, _ in _tags(comment) if tag == "type" for value in _values(types)]


def of_php(comment: str) -> Iterator[tuple[str, DocumentedType]]:
    """Yield tag, variable without `$`, and type, of a comment of PHP.

    The tag is `param`, `return`, `var` or `property`.
    """
    if not comment.startswith(BEGINNING.decode()) or len(comment) > _LONGEST:
        return
    for found in _PLAIN_TAG.finditer(comment):
        end = _end_of_type(comment, found.end())
        name = _VARIABLE.match(comment, end)
        for value in _php_values(comment[found.end() : end]):
            tag = found[1].partition("-")[0]
            yield tag, DocumentedType(name[1] if name else "", value)


def _end_of_type(comment: str, start: int) -> int:
    """Return where a type ends: at a blank outside of brackets, or with the line."""
    depth = 0
    last = min(start + _LONGEST_TYPE, len(comment))
    for place in range(start, last):
        character = comment[place]
        if character == "\n" or (depth <= 0 and character.isspace()):
            return place
        depth += (character in _OPENING) - (character in _CLOSING)
    return last


def _php_values(types: str) -> list[str]:
    """Return the expressions of the types that may be classes, which begin with a capital."""
    if "(" in types:
        # of a function
        return []
    known = []
    for found in _CLASS_NAME.finditer(types):
        name = (found[1] or found[0]).rpartition("\\")[2]
        if found[0] == "$this":
            known.append("this")
        elif found[0] in ("static", "self"):
            known.append("self()")
        elif name[:1].isupper():
            known.append(name if found[1] else f"{name}()")
    return list(dict.fromkeys(known))[:_MOST_TYPES]


def _tags(comment: str) -> list[tuple[str, str, str]]:
    is_documentation = comment.startswith(BEGINNING.decode()) and len(comment) <= _LONGEST
    return _TAG.findall(comment) if is_documentation else []


def _values(types: str) -> list[str]:
    """Return the types that may be of the tree: the others begin with a small letter or a dot."""
    names = (found.lstrip(".") for found in _NAME.findall(types))
    known = [f"@{name}" for name in names if name[:1].isupper() and "." not in name]
    return list(dict.fromkeys(known))[:_MOST_TYPES]
