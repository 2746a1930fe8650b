"""Occurrences of qualified and bare names in a source text.

All names are collected in one pass over the text, however many are looked up.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NEWLINE = re.compile(r"\n")
# `a.b::c`
_CHAIN = re.compile(r"(?<![\w.$])[\w$]++(?:(?:\.|::)[\w$]++)++")
_LINK = re.compile(r"\.|::")
# Longer qualifiers are not written by people, and all prefixes of a chain are stored.
_LONGEST = 250
# A name without a qualifier, as it is used in Go, and in Java, Kotlin and Scala.
_NAME = r"(?<![\w.$])([^\W\d][\w$]*+)"
_IN_GO = re.compile(rf"{_NAME}(?=[(\[{{.,)\s])(?!\s*+:)")
_IN_JVM = re.compile(r"(?<![\w.])([^\W\d][\w$]*+)")
_ALIAS = re.compile(r"\bimport\s++(?=(\S++)\s++as\s++(\w++))")


class Occurrence(NamedTuple):
    """A name, the offset at which its mention starts, and the mention, with its qualifier."""

    name: str
    offset: int
    text: str


class NameOccurrences:
    """The names that one text mentions; what may follow a bare name differs in Go."""

    def __init__(self, code: str, *, go: bool) -> None:
        self._code = code
        self._name = _IN_GO if go else _IN_JVM

    def line(self, offset: int) -> int:
        """Return the line number of an offset, from 1."""
        return bisect_right(self._newlines, offset - 1) + 1

    @cached_property
    def _newlines(self) -> list[int]:
        return [match.start() for match in _NEWLINE.finditer(self._code)]

    def qualified(self, qualifiers: Iterable[str], names: Iterable[str]) -> list[Occurrence]:
        """Return the first mention of each name after one of `qualifiers`, by offset."""
        known = self._qualified
        members = [(known[prefix], prefix) for prefix in sorted(qualifiers) if prefix in known]
        occurrences = []
        for name in names:
            places = [(offsets[name], prefix) for offsets, prefix in members if name in offsets]
            if places:
                offset, qualifier = min(places)
                end = offset + len(qualifier)
                link = "." if self._code[end] == "." else "::"
                occurrences.append(Occurrence(name, offset, f"{qualifier}{link}{name}"))
        return sorted(occurrences, key=lambda occurrence: occurrence.offset)

    @cached_property
    def _qualified(self) -> dict[str, dict[str, int]]:
        """The names after each qualifier, each with the first offset of the qualifier."""
        members: dict[str, dict[str, int]] = {}
        for chain in _CHAIN.finditer(self._code):
            start, text = chain.start(), chain[0]
            links = [link.span() for link in _LINK.finditer(text)]
            for (low, high), (end, _) in pairwise([*links, (len(text), 0)]):
                if low > _LONGEST:
                    break
                members.setdefault(text[:low], {}).setdefault(text[high:end], start)
        return members

    def alone(self, names: Iterable[str]) -> list[Occurrence]:
        """Return the first mention of each name without a qualifier, by offset."""
        first = self._bare
        occurrences = [Occurrence(name, first[name], name) for name in names if name in first]
        return sorted(occurrences, key=lambda occurrence: occurrence.offset)

    @cached_property
    def _bare(self) -> dict[str, int]:
        """The first offset of each name without a qualifier."""
        first: dict[str, int] = {}
        for match in self._name.finditer(self._code):
            first.setdefault(match[1], match.start())
        return first

    def aliases(self, module: str) -> Iterator[str]:
        """Iterate over the aliases under which a module is imported."""
        yield from self._aliases.get(module, ())

    @cached_property
    def _aliases(self) -> dict[str, list[str]]:
        aliases: dict[str, list[str]] = {}
        for module, name in _ALIAS.findall(self._code):
            aliases.setdefault(module, []).append(name)
        return aliases
