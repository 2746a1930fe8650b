"""Record the test files that run each function of a Go module, from its own tests.

    python -m bench.impact_oracle_go CHECKOUT OUT.json [--module FOLDER] [--limit SECONDS]

The tests of each package are built once with `go test -c -covermode=count -coverpkg=./...` and
each test function is run alone; what a run without tests counts too, such as initialization, is
subtracted. A module with dependencies needs them in its folder `vendor` or in the cache of Go.
Written is what `bench.impact_oracle` writes, with the test files that were run as `files` in place
of `tests`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from bench import filing

_BLOCK = re.compile(r"^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$", re.MULTILINE)
_TEST = re.compile(r"^func (Test\w*)\(", re.MULTILINE)
_FUNCTION = re.compile(r"^func (?:\([^)]*\) )?(\w+)", re.MULTILINE)

# Nothing is fetched.
_ENVIRONMENT = {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GONOSUMDB": "*"}


def main() -> None:
    args = _parser().parse_args()
    checkout = args.checkout.resolve()
    module = checkout / args.module
    name = _go(module, "list", "-m").strip()
    running: dict[tuple[str, str, int], set[str]] = defaultdict(set)
    functions = _functions(checkout, module)
    files: set[str] = set()
    for folder in _go(module, "list", "-f", "{{.Dir}}", "./...").split():
        for test, counts in _measured(Path(folder), args.limit):
            files.add(str(test.relative_to(checkout)))
            for path, line in counts:
                place = str((module / path.removeprefix(f"{name}/")).relative_to(checkout))
                if around := _around(functions.get(place, []), line):
                    running[place, *around].add(str(test.relative_to(checkout)))
    found = [[*key, sorted(tests)] for key, tests in sorted(running.items())]
    filing.write_oracle(args.out, checkout, found, {"files": sorted(files)})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.impact_oracle_go", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--module", default=".")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds that a test may take")
    return parser


def _go(folder: Path, *words: str) -> str:
    return subprocess.run(
        ["go", *words], cwd=folder, env=_ENVIRONMENT, check=True, text=True, stdout=subprocess.PIPE
    ).stdout


def _measured(folder: Path, limit: float) -> list[tuple[Path, set[tuple[str, int]]]]:
    """The test files of a package, each with what one of its tests ran: paths and lines."""
    files = sorted(folder.glob("*_test.go"))
    measured = []
    with tempfile.TemporaryDirectory() as scratch:
        binary, profile = Path(scratch) / "tests", Path(scratch) / "profile"
        every = f"-coverpkg={_go(folder, 'list', '-m').strip()}/..."
        words = ["go", "test", "-c", "-covermode=count", every, "-o", str(binary), "."]
        if files:
            subprocess.run(words, cwd=folder, env=_ENVIRONMENT, check=False)
        if not binary.exists():
            return []
        idle = _counts(binary, profile, folder, "^$", limit)
        for file in files:
            for test in _TEST.findall(file.read_text("utf-8")):
                counts = _counts(binary, profile, folder, f"^{test}$", limit)
                measured.append((file, {place for place in counts if counts[place] > idle[place]}))
    return measured


def _counts(
    binary: Path, profile: Path, folder: Path, run: str, limit: float
) -> Counter[tuple[str, int]]:
    profile.unlink(missing_ok=True)
    words = [str(binary), f"-test.run={run}", f"-test.coverprofile={profile}"]
    try:
        subprocess.run(words, cwd=folder, check=False, timeout=limit, stdout=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return Counter()
    counts: Counter[tuple[str, int]] = Counter()
    if profile.exists():
        for path, line, _, count in _BLOCK.findall(profile.read_text("utf-8")):
            counts[path, int(line)] += int(count)
    return counts


def _functions(checkout: Path, module: Path) -> dict[str, list[tuple[str, int]]]:
    """The functions of each file outside of tests, by path: name and line, ascending."""
    functions = {}
    for file in sorted(module.rglob("*.go")):
        if not file.name.endswith("_test.go"):
            text = file.read_text("utf-8", "replace")
            functions[str(file.relative_to(checkout))] = [
                (found[1], text.count("\n", 0, found.start()) + 1)
                for found in _FUNCTION.finditer(text)
            ]
    return functions


def _around(functions: list[tuple[str, int]], line: int) -> tuple[str, int] | None:
    """The last function that begins before a line or in it: blocks are in functions."""
    return max((one for one in functions if one[1] <= line), key=lambda one: one[1], default=None)


if __name__ == "__main__":
    main()
