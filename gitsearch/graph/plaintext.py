"""What a text says to the compiler: without comments, and without what stands in quotes."""

from __future__ import annotations

import re

# Comments begin with `#` there; elsewhere with `//`.
_HASH = frozenset({"python", "ruby", "bash", "elixir"})

_QUOTED = r'"(?:\\.|[^"\\\n])*"'
_HASHED = re.compile(
    rf'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'|{_QUOTED}|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*'
)
_SLASHED = re.compile(rf"{_QUOTED}|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*(?s:.*?)\*/")
# of a lifetime there is only one quote
_RUST = re.compile(rf"{_QUOTED}|'(?:\\.|[^'\\\n])'|//[^\n]*|/\*(?s:.*?)\*/")

_WORD = re.compile(r"[^\W\d][\w$]*")


def code_of(text: bytes, language: str) -> str:
    """The text with blanks for comments and strings; lines stay where they are."""
    pattern = _HASHED if language in _HASH else _RUST if language == "rust" else _SLASHED
    return pattern.sub(_blank, text.decode("utf-8", "surrogateescape"))


def _blank(found: re.Match[str]) -> str:
    return " " + "\n" * found[0].count("\n")


def words_of(code: str) -> frozenset[str]:
    """The names in a text."""
    return frozenset(_WORD.findall(code))


def line_of(code: str, offset: int) -> int:
    """The line of an offset, from one."""
    return code.count("\n", 0, offset) + 1
