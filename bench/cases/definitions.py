"""The definitions of a checkout at HEAD: what a candidate's lines lie in, what a name means."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from bench.filing import git
from gitsearch.extract.facts import facts
from gitsearch.extract.languages import LANGUAGES, hint, settled
from gitsearch.extract.path_kinds import DOCS, EXAMPLE, GENERATED, TEST, VENDORED, noise
from gitsearch.extract.symbol_kinds import PLACES

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.records import Definition

# What no candidate points at: a reader asks for the program.
_ASIDE = TEST | EXAMPLE | DOCS | VENDORED | GENERATED


@dataclass(frozen=True)
class Place:
    """Lines of a file, 1-based and inclusive, and the name of what is defined there."""

    path: str
    start: int
    end: int
    name: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.start}-{self.end} {self.name}".rstrip()


@dataclass
class Checkout:
    """A work tree at HEAD, without changes."""

    folder: Path
    _read: dict[str, list[Definition]] = field(default_factory=dict)

    @cached_property
    def tracked(self) -> list[str]:
        """Every tracked path that is a file."""
        found = git("ls-files", "-z", cwd=self.folder).split("\0")
        return [one for one in found if one and (self.folder / one).is_file()]

    @cached_property
    def sources(self) -> list[str]:
        """Files of the program: code, but no tests, examples or what others wrote."""
        return [
            path for path in self.tracked if not noise(path.encode()) & _ASIDE and self._code(path)
        ]

    def _code(self, path: str) -> bool:
        row = LANGUAGES.get(self.language(path))
        return row is not None and row.content == "code"

    def language(self, path: str) -> str:
        """The language of a file, as the program tells it."""
        return settled(hint(path.encode()), (self.folder / path).read_bytes()[:4096])

    def definitions(self, path: str) -> list[Definition]:
        """What a file defines, in the order of the text."""
        if path not in self._read:
            data = (self.folder / path).read_bytes()
            found = facts(data, self.language(path)).definitions
            self._read[path] = list(found)
        return self._read[path]

    @cached_property
    def by_name(self) -> dict[str, list[Place]]:
        """Where each name is defined in the program."""
        out = defaultdict(list)
        for path in self.sources:
            for one in self.definitions(path):
                out[one.name].append(Place(path, one.first_line, one.last_line, one.qualified))
        return out

    def around(self, path: str, lines: list[int]) -> list[Place]:
        """The innermost definitions that hold these lines, else the lines themselves."""
        found: dict[Place, None] = {}
        for line in lines:
            holding = [
                one
                for one in self.definitions(path)
                if one.first_line <= line <= one.last_line and one.kind not in PLACES
            ]
            inner = min(holding, key=lambda one: one.last_line - one.first_line, default=None)
            if inner is None:
                found[Place(path, line, line)] = None
            else:
                place = Place(path, inner.first_line, inner.last_line, inner.qualified)
                found[place] = None
        return joined(list(found))

    def text(self, place: Place) -> str:
        """The lines of a place."""
        lines = (self.folder / place.path).read_text("utf-8", "replace").splitlines()
        return "\n".join(lines[place.start - 1 : place.end])


def joined(places: list[Place]) -> list[Place]:
    """The same with bare lines that lie side by side made one."""
    out: list[Place] = []
    for one in sorted(places, key=lambda one: (one.path, one.start)):
        last = out[-1] if out else None
        bare = last and not last.name and not one.name and last.path == one.path
        if bare and last and one.start <= last.end + 3:
            out[-1] = Place(last.path, last.start, one.end)
        else:
            out.append(one)
    return out


def words(text: str) -> list[str]:
    """The words of a text as they are compared: letters and digits, in lower case."""
    return re.findall(r"[a-z0-9]+", text.lower())
