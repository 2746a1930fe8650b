"""Colours, those of git grep's defaults, and where in a line the words of a query stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitsearch.git_conventions import relative_path
from gitsearch.render.escape import quoted

if TYPE_CHECKING:
    from gitsearch.render.links import Links
    from gitsearch.render.presentation import Presentation

RESET = "\x1b[m"
PATH = "\x1b[35m"
LINE = "\x1b[32m"
SEPARATOR = "\x1b[36m"
MATCH = "\x1b[1;31m"
BOLD = "\x1b[1m"
DIM = "\x1b[2m"

# "at" inside "data" is no match worth a colour; a word this short must stand alone.
_SHORT = 3


class Paint:
    """Puts colours around text, or leaves it as it is; writes paths as seen from a folder.

    folder: below the top, with a "/" at its end, or "".
    """

    def __init__(
        self,
        *,
        colour: bool = False,
        words: tuple[str, ...] = (),
        links: Links | None = None,
        folder: str = "",
    ) -> None:
        self.colour = colour
        self.folder = folder
        self._links = links if colour else None
        self._words = _pattern(words) if colour else None

    @classmethod
    def of(cls, look: Presentation, words: tuple[str, ...] = ()) -> Paint:
        """Return the one for an answer; words: of the query, which are highlighted."""
        return cls(colour=look.colour, words=words, links=look.links, folder=look.folder)

    def __call__(self, code: str, text: str) -> str:
        """`text` in one colour."""
        return f"{code}{text}{RESET}" if self.colour and text else text

    def linked(self, text: str, path: str, line: int | str = 1) -> str:
        """`text` as a link to a line of a file, if there are links."""
        return self._links.around(text, path, line) if self._links else text

    def highlighting(self, words: tuple[str, ...]) -> Paint:
        """Return the same without links, with the words of a query highlighted."""
        return Paint(colour=self.colour, words=words, folder=self.folder)

    def name(self, path: str, repository: str | None = None) -> str:
        """A path as git quotes it.

        repository: its name, which stands before the path, from the top then.
        """
        if repository is not None:
            return quoted(f"{repository}:{path}")
        return quoted(relative_path(path, self.folder))

    def path(self, path: str, shown: str | None = None, line: int = 1) -> str:
        """A path in its colour, with a link to a line of it if there are links.

        shown: instead of its `name`.
        """
        text = self.name(path) if shown is None else shown
        return self.linked(self(PATH, text), path, line)

    def place(self, path: str, line: int | str = 0, repository: str | None = None) -> str:
        """A path as `name` gives it, with a line or a range of lines if that is not 0."""
        shown = self(PATH, self.name(path, repository))
        if line:
            shown += f"{self(SEPARATOR, ':')}{self(LINE, str(line))}"
        return self.linked(shown, path, line or 1)

    def matches(self, text: str) -> str:
        """`text` with the words of the query highlighted."""
        if self._words is None:
            return text
        return self._words.sub(lambda m: f"{MATCH}{m.group()}{RESET}", text)


def _pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    """Finds words at the start of an identifier's part: `max_retries`, `maxRetries`, `retries`."""
    long = {word.lower() for word in words if len(word) > _SHORT}
    short = {word.lower() for word in words if 1 < len(word) <= _SHORT}
    parts = []
    if long:
        parts.append(f"(?i:{_either(long)})")
    if short:
        parts.append(f"(?i:{_either(short)})(?![a-z0-9])")
    if not parts:
        return None
    return re.compile(f"(?:(?<![^\\W_])|(?<=[a-z0-9])(?=[A-Z]))(?:{'|'.join(parts)})")


def _either(words: set[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda w: (-len(w), w)))
