"""Tables of damages, of which only the first rows are tried outside of long runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def rows(table: Sequence[Any], quick: int) -> list[Any]:
    """The rows as parameters; those after the first are for long runs."""
    long = [
        pytest.param(*row, marks=pytest.mark.long)
        if isinstance(row, tuple)
        else pytest.param(row, marks=pytest.mark.long)
        for row in table[quick:]
    ]
    return [*table[:quick], *long]
