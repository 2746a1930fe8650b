"""Where a text says names, each looked up in one pass over the text whatever is asked for."""

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
# A longer qualifier is not written by people, and all beginnings of a chain are kept.
_LONGEST = 250
# A name by itself, as it is used in Go, and in Java and its like.
_NAME = r"(?<![\w.$])([^\W\d][\w$]*+)"
_IN_GO = re.compile(rf"{_NAME}(?=[(\[{{.,)\s])(?!\s*+:)")
_IN_JVM = re.compile(r"(?<![\w.])([^\W\d][\w$]*+)")
_ALIAS = re.compile(r"\bimport\s++(?=(\S++)\s++as\s++(\w++))")


class Occurrence(NamedTuple):
    """A name, where what says it starts, and what says it: the name may be qualified."""

    name: str
    offset: int
    text: str


class NameOccurrences:
    """What one text says; of Go other things may stand behind a name than elsewhere."""

    def __init__(self, code: str, *, go: bool) -> None:
        self._code = code
        self._name = _IN_GO if go else _IN_JVM

    def line(self, offset: int) -> int:
        """The line of an offset, from one."""
        return bisect_right(self._newlines, offset - 1) + 1

    @cached_property
    def _newlines(self) -> list[int]:
        return [one.start() for one in _NEWLINE.finditer(self._code)]

    def qualified(self, qualifiers: Iterable[str], names: Iterable[str]) -> list[Occurrence]:
        """The first mention of each name behind one of some qualifiers, in order."""
        wanted = [(said, one) for one in sorted(qualifiers) if (said := self._behind.get(one))]
        found = []
        for name in names:
            places = [(said[name], one) for said, one in wanted if name in said]
            if places:
                offset, qualifier = min(places)
                end = offset + len(qualifier)
                link = "." if self._code[end] == "." else "::"
                found.append(Occurrence(name, offset, f"{qualifier}{link}{name}"))
        return sorted(found, key=lambda one: one.offset)

    @cached_property
    def _behind(self) -> dict[str, dict[str, int]]:
        """The names behind each qualifier, and where it stands before each of them first."""
        found: dict[str, dict[str, int]] = {}
        for chain in _CHAIN.finditer(self._code):
            start, text = chain.start(), chain[0]
            links = [link.span() for link in _LINK.finditer(text)]
            for (low, high), (end, _) in pairwise([*links, (len(text), 0)]):
                if low > _LONGEST:
                    break
                found.setdefault(text[:low], {}).setdefault(text[high:end], start)
        return found

    def alone(self, names: Iterable[str]) -> list[Occurrence]:
        """The first mention of each name with nothing before it, in order."""
        first = self._alone
        found = [Occurrence(name, first[name], name) for name in names if name in first]
        return sorted(found, key=lambda one: one.offset)

    @cached_property
    def _alone(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for one in self._name.finditer(self._code):
            found.setdefault(one[1], one.start())
        return found

    def aliases(self, module: str) -> Iterator[str]:
        """What a module is called that is imported by another name."""
        yield from self._aliases.get(module, ())

    @cached_property
    def _aliases(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for module, name in _ALIAS.findall(self._code):
            found.setdefault(module, []).append(name)
        return found
