"""The path that an expression behind `require` or `include` stands for."""

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
# A text without its quotes, as extraction leaves it, has a dot or slash and none of these.
_CODE = re.compile(r"[$'\"(){}<>:]")
_LONGEST = 1000  # characters of an expression
_MOST = 50  # tokens
# Stands for the root of the tree at the start of a path; no text of a program contains it.
ROOT = "\0"


def written_path(text: str, path: str) -> str | None:
    """The path an expression of a file stands for; None where it is not written down.

    It starts with ROOT where it is put together from that of the file itself.
    """
    if len(text) > _LONGEST:
        return None
    if not _CODE.search(text) and ("." in text or "/" in text):
        return text
    tokens = _tokens(text)
    if not tokens:  # extraction takes the first and the last quote, whatever is between them
        quote = "'" if "'" in text else '"'
        tokens = _tokens(f"{quote}{text}{quote}") if quote in text else []
    found, rest = _joined(tokens, f"{ROOT}/{path}")
    return found if not rest else None


def _tokens(text: str) -> list[tuple[str, str]]:
    """Kinds and texts; none where anything else is among them."""
    found: list[tuple[str, str]] = []
    at = 0
    text = text.strip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None or len(found) >= _MOST:
            return []
        kind = token.lastgroup or ""
        found.append((kind, token[kind]))
        at = token.end()
    return found


def _joined(tokens: list[tuple[str, str]], path: str) -> tuple[str | None, list[tuple[str, str]]]:
    """What terms with dots between them make, and the tokens behind them."""
    found, rest = _term(tokens, path)
    while found is not None and rest[:1] == [("sign", ".")]:
        more, rest = _term(rest[1:], path)
        found = None if more is None else found + more
    return found, rest


def _term(tokens: list[tuple[str, str]], path: str) -> tuple[str | None, list[tuple[str, str]]]:
    if not tokens:
        return None, []
    (kind, text), rest = tokens[0], tokens[1:]
    if kind in ("single", "double"):
        return text, rest
    if kind == "sign" and text == "(":
        found, rest = _joined(rest, path)
        return (found, rest[1:]) if rest[:1] == [("sign", ")")] else (None, rest)
    if kind != "word":
        return None, rest
    word = text.lower()
    if word.startswith("__"):
        return (dirname(path) if word == "__dir__" else path), rest
    return _called(word, rest, path)


def _called(
    word: str, tokens: list[tuple[str, str]], path: str
) -> tuple[str | None, list[tuple[str, str]]]:
    """dirname(path, levels) and realpath(path)."""
    if tokens[:1] != [("sign", "(")]:
        return None, tokens
    found, rest = _joined(tokens[1:], path)
    levels = 1
    if rest[:1] == [("sign", ",")] and len(rest) > 1 and rest[1][0] == "number":
        levels, rest = int(rest[1][1]), rest[2:]
    if found is None or rest[:1] != [("sign", ")")]:
        return None, rest
    for _ in range(levels if word == "dirname" else 0):
        found = dirname(found)
    return found, rest[1:]
