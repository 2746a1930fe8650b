"""Record the test files that run each function of a JavaScript or TypeScript repository.

    python -m bench.impact_oracle_javascript CHECKOUT OUT.json --tests GLOB... -- COMMAND...

COMMAND runs the tests in CHECKOUT and loads impact_oracle_javascript.mjs, which asks V8 what ran
in each test and appends it to the file that the variable ORACLE_OUT names:

    npx mocha --require HOOK ...    node --import HOOK --test ...    vitest with it in `setupFiles`

What runs while modules are loaded belongs to no test. Functions are named as in the source; where
a tool has compiled it, the source map in the text leads back. Written is what
`bench.impact_oracle_go` writes.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import subprocess
import tempfile
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench import filing
from bench.filing import git

_MAP = re.compile(r"//[#@] sourceMappingURL=data:application/json[^,]*;base64,([\w+/=]+)")
_LAST = re.compile(r"[^. ]*$")
_DIGITS = {
    character: number
    for number, character in enumerate(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    )
}
_BITS = 5


def main() -> None:
    args = _parser().parse_args()
    checkout = args.checkout.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "ran.jsonl"
        environment = {**os.environ, "ORACLE_OUT": str(out), "ORACLE_ROOT": f"{checkout}/"}
        subprocess.run(args.command, cwd=checkout, env=environment, check=False)
        running, tests = _read(out, checkout)
    files = set(git("ls-files", "--", *args.tests, cwd=checkout).split("\n"))
    functions = [
        [*place, sorted(by & files)]
        for place, by in sorted(running.items())
        if place[0] not in files and by & files
    ]
    filing.write_oracle(args.out, checkout, functions, {"files": sorted(files & tests)})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.impact_oracle_javascript")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tests", nargs="+", required=True)
    parser.add_argument("command", nargs="+")
    return parser


_Running = dict[tuple[str, str, int], set[str]]


def _read(out: Path, checkout: Path) -> tuple[_Running, set[str]]:
    """The tests that ran each function (path, name, line), and all tests that ran any."""
    running: _Running = defaultdict(set)
    tests: set[str] = set()
    scripts: dict[str, _Script] = {}
    for text in out.read_text("utf-8").splitlines():
        line: dict[str, Any] = json.loads(text)
        if "source" in line:
            scripts[line["script"]] = _Script(line["source"])
        script = scripts[line["script"]]
        path = Path(line["path"])
        test = str(Path(line["test"]).relative_to(checkout))
        tests.add(test)
        for name, offset in line["places"]:
            place, at = str(path.relative_to(checkout)), script.line(offset)
            if at:
                # V8 calls an accessor `get name`
                running[place, _LAST.findall(name)[0], at].add(test)
    return running, tests


class _Script:
    """A text as it ran, and the lines of its source: 1-based, 0 for what only the tool wrote."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        found = _MAP.search(text)
        self._mappings = (
            _mappings(json.loads(base64.b64decode(found[1]))["mappings"]) if found else None
        )

    def line(self, offset: int) -> int:
        row = bisect_right(self._starts, offset) - 1
        if self._mappings is None:
            return row + 1
        columns = self._mappings[row] if row < len(self._mappings) else []
        at = bisect_right(columns, (offset - self._starts[row], 1 << 30)) - 1
        return columns[max(at, 0)][1] + 1 if columns else 0


def _mappings(text: str) -> list[list[tuple[int, int]]]:
    """The column and the line of the source of each segment, by line of the output."""
    lines = []
    source_line = 0
    for row in text.split(";"):
        column = 0
        segments = []
        for segment in row.split(","):
            numbers = _numbers(segment)
            column += numbers[0] if numbers else 0
            source_line += numbers[2] if len(numbers) > 2 else 0
            if len(numbers) > 2:
                segments.append((column, source_line))
        lines.append(segments)
    return lines


def _numbers(segment: str) -> list[int]:
    numbers, value, shift = [], 0, 0
    for character in segment:
        digit = _DIGITS[character]
        value += (digit & 31) << shift
        shift += _BITS
        if digit < 32:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return numbers


if __name__ == "__main__":
    main()
