"""GitHub's expressions, as far as our own files use them; anything else is an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

_PLACE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|[\w.-]+(?:\(\))?|==|!=|&&|\|\||!|\(|\))")

Contexts = Mapping[str, Any]


def filled(text: object, contexts: Contexts) -> str:
    """A text with its expressions replaced."""
    return _PLACE.sub(lambda found: shown(value(found[1], contexts)), shown(text))


def holds(condition: str, contexts: Contexts) -> bool:
    """Whether a step's condition is met; without a status function it is `success() && ...`."""
    condition = condition.strip().removeprefix("${{").removesuffix("}}")
    found = bool(value(condition, contexts))
    if re.search(r"\b(always|failure|success|cancelled)\(\)", condition):
        return found
    return found and not contexts["failed"]


def shown(found: object) -> str:
    """A value as text."""
    if isinstance(found, bool):
        return "true" if found else "false"
    return "" if found is None else str(found)


def value(expression: str, contexts: Contexts) -> Any:
    """The value of an expression."""
    tokens = _tokens(expression)
    found = _any(tokens, contexts)
    if tokens:
        raise SyntaxError(f"{expression!r}: not understood from {tokens[0]!r}")
    return found


def _tokens(expression: str) -> list[str]:
    found, place = [], 0
    while expression[place:].strip():
        token = _TOKEN.match(expression, place)
        if token is None:
            raise SyntaxError(f"{expression!r}: not understood from {expression[place:]!r}")
        found.append(token[1])
        place = token.end()
    return found


def _any(tokens: list[str], contexts: Contexts) -> Any:
    return _chain(tokens, contexts, "||", _all, stop=bool)


def _all(tokens: list[str], contexts: Contexts) -> Any:
    return _chain(tokens, contexts, "&&", _equal, stop=lambda found: not found)


def _chain(
    tokens: list[str],
    contexts: Contexts,
    sign: str,
    part: Callable[[list[str], Contexts], Any],
    stop: Callable[[Any], bool],
) -> Any:
    found = part(tokens, contexts)
    while tokens and tokens[0] == sign:
        tokens.pop(0)
        other = part(tokens, contexts)
        found = found if stop(found) else other
    return found


def _equal(tokens: list[str], contexts: Contexts) -> Any:
    found = _one(tokens, contexts)
    if tokens and tokens[0] in ("==", "!="):
        sign = tokens.pop(0)
        # texts are compared without regard to case
        same = shown(found).lower() == shown(_one(tokens, contexts)).lower()
        return same == (sign == "==")
    return found


def _one(tokens: list[str], contexts: Contexts) -> Any:
    token = tokens.pop(0)
    if token == "!":
        return not _one(tokens, contexts)
    if token == "(":
        found = _any(tokens, contexts)
        if tokens.pop(0) != ")":
            raise SyntaxError("a bracket is open")
        return found
    if token.startswith("'"):
        return token[1:-1].replace("''", "'")
    if token.endswith("()"):
        return {"always()": True, "success()": not contexts["failed"]}[token]
    first, *rest = token.split(".")
    held = contexts[first]  # a context that nobody gives is an error
    for name in rest:
        held = held.get(name) if isinstance(held, Mapping) else None
    return held
