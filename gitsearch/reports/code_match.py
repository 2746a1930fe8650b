"""What a pattern of code matched: the records of the mode structural."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Capture(NamedTuple):
    """Code that a metavariable stands for.

    Lines and columns count from 1, columns in characters; `end_column` is behind the last one.
    """

    text: str
    start: int
    start_column: int
    end: int
    end_column: int


class CodeMatch(NamedTuple):
    """One match of a pattern, with places as in `Capture`.

    `kind` is the name of its node in the grammar. `captures` holds by the name of a metavariable,
    without `$`, what it stands for: of `$$$NAME` a tuple, which may be empty.
    """

    kind: str
    start: int
    start_column: int
    end: int
    end_column: int
    captures: Mapping[str, Capture | tuple[Capture, ...]]
