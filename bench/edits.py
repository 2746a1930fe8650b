"""Files of a repository that are edited again and again, each time as never before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Where a line comment starts with a hash; in all other languages with two slashes.
_HASH = frozenset({".py", ".rb", ".sh", ".pl", ".ex", ".exs", ".toml", ".yml", ".yaml", ".r"})


class Edits:
    """Files of a copy with a line that each edit writes anew, in the middle of each."""

    def __init__(self, copy: Path, paths: Sequence[str]) -> None:
        self._copy = copy
        self.originals = {path: (copy / path).read_bytes() for path in paths}

    def make(self, turn: int) -> None:
        for path, data in self.originals.items():
            lines = data.splitlines(keepends=True)
            mark = "#" if Path(path).suffix in _HASH else "//"
            line = f"{mark} the benchmark has edited this {turn} times\n".encode()
            lines.insert(len(lines) // 2, line)
            (self._copy / path).write_bytes(b"".join(lines))

    def undo(self) -> None:
        for path, data in self.originals.items():
            (self._copy / path).write_bytes(data)
