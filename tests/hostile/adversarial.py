"""Texts that make a pattern backtrack, made from its parse tree.

Work grows faster than a text where an attempt to match reads far and fails, and the next attempt
reads the same again. So a text repeats what matches begin with, or what repeats inside one, and
never has what they end with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from re._constants import (  # type: ignore[import-not-found]
    ASSERT,
    ASSERT_NOT,
    AT,
    BRANCH,
    GROUPREF,
    IN,
    LITERAL,
    NOT_LITERAL,
    SUBPATTERN,
)
from typing import Any, NamedTuple

from tests.hostile.backtracking import REPEATS, SINGLE, compiled, nested, parsed

# Characters that stand for a class: of each line the first that it has.
_CHARACTERS = ("aAZ0_9x", " \t\n\xa0", "-.:/,;!?#$@*+=~^&|%<>()[]{}\\\"'`\x00\xe9")
# Beside them, so many of the other characters that the pattern names.
_NAMED = 3
# So many alternatives stand for all that are nothing but words.
_ALTERNATIVES = 4


class Text(NamedTuple):
    """A text of any length: `pump` stands in it as often as it takes."""

    head: str
    pump: str
    tail: str = ""

    def repeated(self, times: int) -> str:
        """The text with so many pumps."""
        return self.head + self.pump * times + self.tail


class _Texts:
    """The texts of one pattern."""

    def __init__(self, pattern: re.Pattern[Any], *, least: bool) -> None:
        self._tree = parsed(pattern)
        self._binary = isinstance(pattern.pattern, bytes)
        self._flags = pattern.flags
        # Whether what may be left out is.
        self._least = least
        self._groups: dict[int, str] = {}
        self.beginnings: dict[str, None] = {}
        self.loops: dict[tuple[str, str], None] = {}
        self._named = [chr(point) for point in _literals(self._tree)]
        self._note(self._cut(self._tree, ""))

    def _note(self, beginning: str) -> None:
        self.beginnings[beginning] = None

    def _cut(self, nodes: Iterable[Any], head: str) -> str:
        """Note what stands before each element behind a head; returns the head with them all."""
        for node in nodes:
            op, value = node
            if op is not LITERAL:
                self._note(head)
            if op in REPEATS:
                bodies = self._every(value[2])
                for body in (*bodies, "".join(bodies)):
                    self.loops[head, body] = None
            if op is not ASSERT_NOT:
                for inner in self._chosen(nested(op, value)):
                    self._cut(inner, head)
            head += self._plainest(node)
            if op is SUBPATTERN and value[0] is not None:
                self._groups[value[0]] = self._plainest(node)
        # what a match, or a part of one, is before its last character
        self._note(head[:-1])
        return head

    def _chosen(self, inner: list[Any]) -> list[Any]:
        """Alternatives: of many that are words alone a few do."""
        plain = [one for one in inner if all(op is LITERAL for op, _ in one)]
        other = [one for one in inner if one not in plain]
        return [*other, *plain[:_ALTERNATIVES]]

    def _plainest(self, node: Any) -> str:
        """One text that an element matches."""
        op, value = node
        if op in REPEATS:
            least, _, inner = value
            times = least if self._least or least > 1 else 1
            return "".join(map(self._plainest, inner)) * times
        if op in (AT, ASSERT, ASSERT_NOT):
            return ""
        if op is GROUPREF:
            return self._groups.get(value, "")
        if op is BRANCH:
            return "".join(map(self._plainest, value[1][0]))
        if op in SINGLE:
            return self._class(node)[0]
        return "".join(map(self._plainest, nested(op, value)[0]))

    def _every(self, nodes: Any) -> list[str]:
        """Texts that a sequence matches: one for each choice in it, the others plain."""
        plain = [self._plainest(node) for node in nodes]
        found = {"".join(plain): None}
        for place, (op, value) in enumerate(nodes):
            choices: list[str] = []
            if op in SINGLE:
                choices = self._class((op, value))
            elif op is BRANCH:
                choices = [text for one in self._chosen(value[1]) for text in self._every(one)]
            elif op in REPEATS:
                choices = [text * max(value[0], 1) for text in self._every(value[2])]
            elif op not in (AT, ASSERT, ASSERT_NOT, GROUPREF):
                choices = self._every(nested(op, value)[0])
            for choice in choices:
                found["".join([*plain[:place], choice, *plain[place + 1 :]])] = None
        return [text for text in found if text][:_ALTERNATIVES]

    def _class(self, node: Any) -> list[str]:
        """Characters that an element matches."""
        op, value = node
        if op is LITERAL:
            return [chr(value)]
        one = compiled([node], self._tree.state, self._flags)

        def accepts(character: str) -> bool:
            text = encoded(character) if self._binary else character
            return one.fullmatch(text) is not None

        lines = (next(filter(accepts, line), "") for line in _CHARACTERS)
        named = [one for one in self._named if not one.isalnum() and accepts(one)][:_NAMED]
        found = list(dict.fromkeys(filter(None, (*lines, *named))))
        return found or [next(filter(accepts, map(chr, range(256 if self._binary else 0x3000))))]


def _literals(nodes: Iterable[Any]) -> Iterator[int]:
    for op, value in nodes:
        if op in (LITERAL, NOT_LITERAL):
            yield value
        elif op is IN:
            yield from (point for kind, point in value if kind is LITERAL)
        for inner in nested(op, value):
            yield from _literals(inner)


def encoded(text: str) -> bytes:
    """A text for a pattern of bytes."""
    return text.encode("latin-1", "replace")


def texts(pattern: re.Pattern[Any]) -> Iterator[Text]:
    """The texts for a pattern, each once."""
    found: dict[Text, None] = {}
    apart = "\n" if pattern.flags & re.MULTILINE else " "
    for least in (False, True):
        some = _Texts(pattern, least=least)
        for beginning in some.beginnings:
            found[Text("", beginning)] = None
            found[Text("", beginning + apart)] = None
        for head, loop in some.loops:
            found[Text(head, loop)] = None
            found[Text(head, loop, "\x00")] = None
    return (text for text in found if text.pump)
