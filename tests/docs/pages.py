"""The documentation as data: sections by heading, tables by row, console blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

_CELL = re.compile(r"(?<!\\)\|")
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    """The text of a page, by its path from the top."""
    return (ROOT / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """What stands below a heading (of any level) up to the next one."""
    found = re.findall(rf"^#+ {re.escape(heading)}$(.*?)(?=^#+ |\Z)", text, re.M | re.S)
    assert len(found) == 1, f"{len(found)} headings '{heading}'"
    return str(found[0])


def tables(text: str) -> list[list[list[str]]]:
    """Every table as its rows of cells, without the head; code marks are taken off."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
        rows = [[cell.strip() for cell in _CELL.split(line)[1:-1]] for line in block.splitlines()]
        assert set("".join(rows[1])) <= set("-: "), f"no head: {rows[0]}"
        found.append([[bare(cell) for cell in row] for row in rows[2:]])
    return found


def bare(cell: str) -> str:
    """A cell that is nothing but code, without its marks."""
    inner = cell.removeprefix("`").removesuffix("`")
    return inner.replace("\\|", "|") if "`" not in inner else cell


def table(text: str, heading: str, number: int = 0) -> list[list[str]]:
    """One table of a section."""
    rows = tables(section(text, heading))[number]
    assert rows
    return rows


@dataclass(frozen=True)
class Example:
    """A console block: command lines after `$`, each with what it prints."""

    start: int
    end: int
    steps: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """Its first command."""
        return self.steps[0][0]


def examples(text: str) -> Iterator[Example]:
    """All console blocks; `start` and `end` enclose what is between the fences."""
    for block in _CONSOLE.finditer(text):
        steps: list[tuple[str, str]] = []
        for line in block[1].splitlines(keepends=True):
            if line.startswith("$ "):
                steps.append((line[2:].rstrip("\n"), ""))
            else:
                command, printed = steps.pop()
                steps.append((command, printed + line))
        yield Example(block.start(1), block.end(1), tuple(steps))


def shown(steps: tuple[tuple[str, str], ...]) -> str:
    """The text of a console block."""
    return "".join(f"$ {command}\n{printed}" for command, printed in steps)
