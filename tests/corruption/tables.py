"""Tables of damages, of which a quick run takes the first rows only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def rows(table: Sequence[Any], quick: int) -> list[Any]:
    """The rows as parameters; those after the first are for slow runs."""
    slow = [
        pytest.param(*row, marks=pytest.mark.slow)
        if isinstance(row, tuple)
        else pytest.param(row, marks=pytest.mark.slow)
        for row in table[quick:]
    ]
    return [*table[:quick], *slow]
