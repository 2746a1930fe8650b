"""The answer to one question: a document in JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

# Exit codes from here on are refusals and failures.
_REFUSED = 128


class Answer(NamedTuple):
    """What `git search --json` prints, one line with its line feed, and its exit code."""

    text: str
    code: int

    @property
    def refused(self) -> bool:
        """Return True if the document is an error."""
        return self.code >= _REFUSED


# Answers the words after `git search`; raises KeyboardInterrupt.
Answerer = Callable[[Sequence[str]], Answer]
