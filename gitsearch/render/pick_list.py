"""The numbered results of `git search -I`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.render import color
from gitsearch.render.escape import plain
from gitsearch.render.search_text import code

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.reports.search import Result

# Lines of code of a result in the list.
LINES = 3


def entries(
    results: Sequence[Result], first: int, lines: int, brush: color.Paint
) -> Iterator[str]:
    """Each result with its number, its place, and its first lines."""
    width = len(str(first + len(results) - 1))
    for number, result in enumerate(results, first):
        symbol = ""
        if result.symbol:
            symbol = f" {plain(result.kind)} {brush(color.BOLD, plain(result.symbol))}"
        shown = f"{result.start}-{result.end}" if result.end > result.start else f"{result.start}"
        place = brush.place(result.path, shown)
        yield f"{brush(color.BOLD, f'{number:>{width}}')}  {place}{symbol}\n"
        if lines:
            text = "\n".join(result.text.split("\n")[:lines])
            yield from code(result._replace(text=text), brush)


def whole(result: Result, brush: color.Paint) -> Iterator[str]:
    """All lines of a result."""
    yield f"{brush.place(result.path, f'{result.start}-{result.end}')}\n"
    yield from code(result, brush)
