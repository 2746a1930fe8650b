"""Work that makes very many objects without cycles, during which no garbage is looked for."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage until the end of the block.

    There are no cycles, and to look for them takes 9 % of the time where code is parsed: the
    matches in a megabyte are 75,000 containers, all of them alive at once. Where definitions are
    resolved it takes a quarter.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
