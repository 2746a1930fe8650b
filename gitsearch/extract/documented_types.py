"""Types that comments give in JavaScript: `@param {Type} name`, `@returns {Type}`, `@type {Type}`.

A type is written `@Name`, as an expression: an instance of what the tree defines by this name.
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

# What a comment with types begins with.
BEGINNING = b"/**"

# The most types of a tag, and the longest comment that is read.
_MOST_TYPES = 8
_LONGEST = 20_000


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


def _tags(comment: str) -> list[tuple[str, str, str]]:
    is_documentation = comment.startswith(BEGINNING.decode()) and len(comment) <= _LONGEST
    return _TAG.findall(comment) if is_documentation else []


def _values(types: str) -> list[str]:
    """Return the types that may be of the tree: the others begin with a small letter or a dot."""
    names = (found.lstrip(".") for found in _NAME.findall(types))
    known = [f"@{name}" for name in names if name[:1].isupper() and "." not in name]
    return list(dict.fromkeys(known))[:_MOST_TYPES]
