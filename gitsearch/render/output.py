"""Write to standard output, a pager, or standard error."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from gitsearch.errors import SearchError
from gitsearch.render.escape import folded

if TYPE_CHECKING:
    from collections.abc import Iterable


class ClosedPipeError(Exception):
    """The reader of our output went away; there is nothing more to say, to anybody."""


class AnswerStream(io.TextIOWrapper):
    """A standard output for answers alone: what libraries print there goes to standard error.

    Answers are written to its buffer.
    """

    def write(self, text: str) -> int:
        """Write the text of a library, of any thread."""
        tell(text)
        return len(text)


def write(pieces: Iterable[str], pager: str | None = None) -> None:
    """Print all pieces, or show them in a pager; raises ClosedPipeError.

    The text is put together first, so that a failure while rendering leaves no half answer.
    """
    write_bytes(["".join(pieces).encode("utf-8", "surrogateescape")], pager)


def write_bytes(pieces: Iterable[bytes | memoryview], pager: str | None = None) -> int:
    """Print all pieces, or show them in a pager, as `write`; returns how many bytes they have."""
    data = b"".join(pieces)
    if data and not (pager and _paged(pager, data)):
        _print(data)
    return len(data)


def _paged(pager: str, data: bytes) -> bool:
    from gitsearch.render.pager import page

    return page(pager, data)


def _print(data: bytes) -> None:
    if sys.stdout is None:  # started with standard output closed, as by `>&-`
        raise SearchError("cannot write the answer: standard output is closed")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _silence()
        raise ClosedPipeError from None
    except OSError as error:
        _silence()
        raise SearchError(f"cannot write the answer: {error.strerror}") from error


def _silence() -> None:
    """Point standard output at nothing: at exit Python flushes it once more, and complains."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


def say(line: str) -> None:
    """One line for the user on standard error, harmless whatever it quotes."""
    tell(f"git search: {folded(line)}\n")


def tell(text: str) -> None:
    """Write to standard error; if that is closed nobody wants to know."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stderr.flush()
    except OSError:
        return


def refuse(error: SearchError) -> None:
    """Print an error with its hint."""
    say(error.line)
