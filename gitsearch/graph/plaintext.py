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

# In Java and its like: a type or a keyword and a name, or a constant of an enumeration.
_MEMBER = re.compile(
    r"(?<![\w.])(?!(?:return|new|throw|else|case|instanceof|import|package)\b)[\w.$]+(?:<[^;{}()=]*>)?"
    r"(?:\[\])*\s+([A-Za-z_$][\w$]*)\s*[(=;,:{)]|(?:^|\{)\s*([A-Z_][A-Z0-9_]*)\s*(?:[,;({}]|$)",
    re.MULTILINE,
)


def code_of(text: bytes, language: str) -> str:
    """The text with blanks for comments and strings; lines stay where they are."""
    pattern = _HASHED if language in _HASH else _RUST if language == "rust" else _SLASHED
    return pattern.sub(_blank, text.decode("utf-8", "surrogateescape"))


def _blank(found: re.Match[str]) -> str:
    return " " + "\n" * found[0].count("\n")


def words_of(code: str) -> frozenset[str]:
    """The names in a text."""
    return frozenset(_WORD.findall(code))


def members_of(code: str) -> frozenset[str]:
    """The names that a text of Java and its like seems to declare."""
    return frozenset(one or other for one, other in _MEMBER.findall(code))


def line_of(code: str, offset: int) -> int:
    """The line of an offset, from one."""
    return code.count("\n", 0, offset) + 1
