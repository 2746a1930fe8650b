"""Code as pieces with classes for its colours; the only use of Pygments."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES, Token
from pygments.util import ClassNotFound

if TYPE_CHECKING:
    from pygments.lexer import Lexer

# A class, which is "" for plain text, and the text of a piece.
Piece = tuple[str, str]

# Names of Pygments for languages that have others there.
_NAMES = {"c#": "csharp", "c++": "cpp", "shell": "bash", "vue": "html", "svelte": "html"}

# Longer texts stay plain: lexers of regular expressions can take long.
_LONGEST = 20_000


def pieces(text: str, language: str) -> list[Piece]:
    """Return the pieces of a text, which together are the text, whatever is in it."""
    lexer = _lexer(language) if len(text) <= _LONGEST else None
    if lexer is None:
        return [("", text)]
    found = ((_class(kind), part) for _, kind, part in lexer.get_tokens_unprocessed(text))
    runs = groupby(found, itemgetter(0))
    joined = [(name, "".join(part for _, part in parts)) for name, parts in runs]
    # a lexer that loses a character would show other code than there is
    return joined if "".join(part for _, part in joined) == text else [("", text)]


def _class(kind: object) -> str:
    while kind is not None and kind is not Token:
        name = str(STANDARD_TYPES.get(kind, ""))
        if name:
            return name[:1]  # keywords, strings, comments, numbers, names: one colour each
        kind = getattr(kind, "parent", None)
    return ""


@cache
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(_NAMES.get(language, language))
    except ClassNotFound:
        return None
