"""Record the test files that run each function of a C or C++ repository, from its own tests.

    python -m bench.impact_oracle_c CHECKOUT OUT.json --build FOLDER --tests GLOB...
        [--only REGEX] [--program PATH] [--filter ARGUMENT] [--idle ARGUMENT]
        [--without GLOB...] [--limit SECONDS]

FOLDER holds the programs of CHECKOUT, built by cmake and gcc with `--coverage -O0`. Each test that
ctest lists, or whose name `--only` matches, is run alone, or else the program PATH in FOLDER, and
gcov tells which functions ran. The test files of a run are those of GLOB, paths in CHECKOUT, in
which a function ran.

Where one program has the tests of many files, `--filter` is its argument that selects those of
one: `{name}` and `{stem}` stand for the name of the file, `{tests}` for the tests of googletest
in it. What a run with the argument `--idle` counts, such as initialization, is
subtracted; a library of tests should be told there to run none.

Functions in files of `--without` and of GLOB are left out, and so are lambdas, which have no
names; of templates all instances are one. Written is what `bench.impact_oracle_go` writes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bench import filing

if TYPE_CHECKING:
    from collections.abc import Iterator

# A function: path, name and line of the definition.
_Place = tuple[str, str, int]

_TEST = re.compile(r"^\s*(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+)\s*,\s*(\w+)", re.MULTILINE)
_OPERATOR = re.compile(
    r"\boperator(\(\)|\[\]|->\*?|<=>|<<=?|<=?|>>=?|>=?|[^\s\w(<>]+|\s.*?(?=\())"
)
_NESTED = re.compile(r"<[^<>]*>|\((?:anonymous namespace)\)::|\[abi:\w+\]")


class _Run(NamedTuple):
    """A program with its arguments, where it is started, and what is added to its environment."""

    command: tuple[str, ...]
    folder: Path
    environment: dict[str, str]


def main() -> None:
    args = _parser().parse_args()
    checkout, build = args.checkout.resolve(), args.build.resolve()
    tests = {str(path.relative_to(checkout)) for one in args.tests for path in checkout.glob(one)}
    left = {str(path.relative_to(checkout)) for one in args.without for path in checkout.glob(one)}
    running: dict[_Place, set[str]] = defaultdict(set)
    seen: set[str] = set()
    own = _Run((str(build / args.program),), build, {})
    for run in [own] if args.program else _runs(build, args.only):
        idle = _counts(run, args.idle, checkout, build, args.limit) if args.idle else Counter()
        for added in _filters(checkout, tests, args.filter):
            counts = _counts(run, added, checkout, build, args.limit)
            ran = [place for place in counts if counts[place] > idle[place]]
            files = {path for path, _, _ in ran} & tests
            seen |= files
            for place in ran:
                if place[0] not in tests | left:
                    running[place] |= files
    found = [[*place, sorted(files)] for place, files in sorted(running.items()) if files]
    filing.write_oracle(args.out, checkout, found, {"files": sorted(seen)})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.impact_oracle_c", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--tests", nargs="+", required=True)
    parser.add_argument("--only", default=".")
    parser.add_argument("--program", default="")
    parser.add_argument("--filter", default="")
    parser.add_argument("--idle", default="")
    parser.add_argument("--without", nargs="+", default=[])
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that a run may take")
    return parser


def _runs(build: Path, only: str) -> Iterator[_Run]:
    """Yield what ctest would run."""
    words = ["ctest", "--show-only=json-v1", "-R", only]
    done = subprocess.run(words, cwd=build, check=True, stdout=subprocess.PIPE)
    for test in json.loads(done.stdout)["tests"]:
        properties = {one["name"]: one["value"] for one in test.get("properties", ())}
        environment = dict(one.split("=", 1) for one in properties.get("ENVIRONMENT", ()))
        folder = Path(properties.get("WORKING_DIRECTORY", build))
        if "command" in test:
            yield _Run(tuple(test["command"]), folder, environment)


def _filters(checkout: Path, tests: set[str], template: str) -> list[str]:
    """Return the arguments that select the tests of each file, "" for no argument."""
    if not template:
        return [""]
    found = []
    for path in sorted(tests):
        file = checkout / path
        pairs = _TEST.findall(file.read_text("utf-8", "replace"))
        named = ":".join(
            f"{suite}.{test}:*/{suite}.{test}/*:{suite}/*.{test}" for suite, test in pairs
        )
        if named or "{tests}" not in template:
            found.append(template.format(name=file.name, stem=file.stem, tests=named))
    return found


def _counts(
    run: _Run, argument: str, checkout: Path, build: Path, limit: float
) -> Counter[_Place]:
    """Return the number of times that each function of the checkout runs."""
    for file in build.rglob("*.gcda"):
        file.unlink()
    command = [*run.command, *([argument] if argument else [])]
    if not filing.ends(command, run.folder, run.environment, limit):
        return Counter()
    data = [str(file) for file in sorted(build.rglob("*.gcda"))]
    counts: Counter[_Place] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        if data:
            own = ["--relative-only", "--source-prefix", str(checkout)]
            words = ["gcov", "--json-format", "--hash-filenames", *own, *data]
            subprocess.run(words, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        for file in Path(scratch).iterdir():
            report = json.loads(gzip.decompress(file.read_bytes()))
            for place, count in _functions(report, checkout):
                counts[place] += count
    return counts


def _functions(report: dict[str, Any], checkout: Path) -> Iterator[tuple[_Place, int]]:
    """Yield the functions of the checkout in a report of gcov, with how often each ran."""
    folder = report["current_working_directory"]
    for file in report["files"]:
        path = os.path.relpath(os.path.realpath(Path(folder, file["file"])), checkout)
        for function in file["functions"] if not path.startswith("..") else ():
            name = _bare(function["demangled_name"])
            if function["execution_count"] and name:
                yield (path, name, function["start_line"]), function["execution_count"]


def _bare(demangled: str) -> str:
    """Return the name of a function without its types, spaces and parameters; "" of a lambda."""
    if "{lambda(" in demangled or "'lambda" in demangled:
        return ""
    if found := _OPERATOR.search(demangled):
        return f"operator{found[1]}"
    name, before = demangled, ""
    while name != before:
        name, before = _NESTED.sub("", name), name
    return re.split(r"::|[ *&]", name.partition("(")[0])[-1]


if __name__ == "__main__":
    main()
