"""Evaluation of the path expressions of PHP's `require` and `include`."""

from __future__ import annotations

import re
from posixpath import dirname

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<word>__DIR__|__FILE__|dirname\b|realpath\b)
      | '(?P<single>[^'\\]*)' | "(?P<double>[^"$\\]*)"
      | (?P<number>\d{1,3})
      | (?P<sign>[(),.])
    )""",
    re.VERBOSE | re.IGNORECASE,
)
# A single literal, which extraction returns without quotes, has a dot or slash and none of these.
_CODE = re.compile(r"[$'\"(){}<>:]")
_MAX_LENGTH = 1000  # characters of an expression
_MAX_TOKENS = 50
# Represents the root of the tree at the start of a path; no source file contains it.
ROOT = "\0"


def evaluate_path(text: str, path: str) -> str | None:
    """Return the path that an expression in a file evaluates to, None if it is not constant.

    The path starts with ROOT if it is built from that of the file itself.
    """
    if len(text) > _MAX_LENGTH:
        return None
    if not _CODE.search(text) and ("." in text or "/" in text):
        return text
    tokens = _tokens(text)
    if not tokens:  # extraction strips the first and the last quote, whatever is between them
        quote = "'" if "'" in text else '"'
        tokens = _tokens(f"{quote}{text}{quote}") if quote in text else []
    value, rest = _concatenation(tokens, f"{ROOT}/{path}")
    return value if not rest else None


def _tokens(text: str) -> list[tuple[str, str]]:
    """Return the kinds and texts of the tokens; an empty list if any other token occurs."""
    tokens: list[tuple[str, str]] = []
    position = 0
    text = text.strip()
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None or len(tokens) >= _MAX_TOKENS:
            return []
        kind = token.lastgroup or ""
        tokens.append((kind, token[kind]))
        position = token.end()
    return tokens


def _concatenation(
    tokens: list[tuple[str, str]], path: str
) -> tuple[str | None, list[tuple[str, str]]]:
    """Evaluate terms joined by dots; return the value and the remaining tokens."""
    value, rest = _term(tokens, path)
    while value is not None and rest[:1] == [("sign", ".")]:
        term, rest = _term(rest[1:], path)
        value = None if term is None else value + term
    return value, rest


def _term(tokens: list[tuple[str, str]], path: str) -> tuple[str | None, list[tuple[str, str]]]:
    """Evaluate a literal, a magic constant, a call or a group; None if it is not constant."""
    if not tokens:
        return None, []
    (kind, text), rest = tokens[0], tokens[1:]
    if kind in ("single", "double"):
        return text, rest
    if kind == "sign" and text == "(":
        value, rest = _concatenation(rest, path)
        return (value, rest[1:]) if rest[:1] == [("sign", ")")] else (None, rest)
    if kind != "word":
        return None, rest
    word = text.lower()
    if word.startswith("__"):
        return (dirname(path) if word == "__dir__" else path), rest
    return _call(word, rest, path)


def _call(
    function: str, tokens: list[tuple[str, str]], path: str
) -> tuple[str | None, list[tuple[str, str]]]:
    """Evaluate dirname(path, levels) or realpath(path)."""
    if tokens[:1] != [("sign", "(")]:
        return None, tokens
    value, rest = _concatenation(tokens[1:], path)
    levels = 1
    if rest[:1] == [("sign", ",")] and len(rest) > 1 and rest[1][0] == "number":
        levels, rest = int(rest[1][1]), rest[2:]
    if value is None or rest[:1] != [("sign", ")")]:
        return None, rest
    for _ in range(levels if function == "dirname" else 0):
        value = dirname(value)
    return value, rest[1:]
