"""Record the test files that run each method of a Java repository, from its own tests.

    python -m bench.impact_oracle_java CHECKOUT OUT.json --jars JAR...
        [--source FOLDER] [--tests FOLDER] [--without GLOB]... [--release N] [--limit SECONDS]

The sources and the tests, in folders below CHECKOUT, are compiled with javac, and JaCoCo puts
probes into the classes (RanMethods.java). The tests of each file then run in a JVM of their own.
JARS hold the console launcher and the engines of JUnit, JaCoCo (core and agent.rt), asm and all
that the repository needs. `--without` leaves out tests that cannot be compiled with these, by
paths below the folder of the tests; a file that takes longer than `--limit` is left out, too.
Nothing is fetched.

Constructors are left out, for the compiler puts the values of fields into them, and so are
lambdas, which have no names. A method that the values of static fields need counts for each test
that loads the class. Written is what `bench.impact_oracle_go` writes; the line of a method is its
first one with code, and `files` are those in which JUnit found a test.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from bench import filing

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROGRAM = Path(__file__).with_name("RanMethods.java")
_LAUNCHER = "org.junit.platform.console.ConsoleLauncher"
_NO_TESTS = 2  # the status of the launcher


def main() -> None:
    args = _parser().parse_args()
    checkout = args.checkout.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        data = _measured(checkout, args, Path(scratch))
        ran = _program(args.jars, "report", Path(scratch) / "source", *data)
    running: dict[tuple[str, str, int], set[str]] = defaultdict(set)
    for file, *place in (text.split("\t") for text in ran.splitlines()):
        if method := _method(args.source, *place):
            running[method].add(data[Path(file)])
    found = [[*method, sorted(tests)] for method, tests in sorted(running.items())]
    filing.write_oracle(args.out, checkout, found, {"files": sorted(data.values())})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.impact_oracle_java", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jars", nargs="+", required=True)
    parser.add_argument("--source", default="src/main/java")
    parser.add_argument("--tests", default="src/test/java")
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--release", default="11", help="the version of Java of the sources")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds that a file may take")
    return parser


def _measured(checkout: Path, args: argparse.Namespace, scratch: Path) -> dict[Path, str]:
    """Run the tests; returns the test file of each file of JaCoCo's data."""
    source, probed, tests = (scratch / name for name in ("source", "probed", "tests"))
    sources = sorted((checkout / args.source).rglob("*.java"))
    _compile(sources, source, args.jars, args.release)
    _program(args.jars, "instrument", source, probed)
    root = checkout / args.tests
    left_out = {file for pattern in args.without for file in root.glob(pattern)}
    files = sorted(set(root.rglob("*.java")) - left_out)
    _compile(files, tests, [source, *args.jars], args.release)
    resources = [checkout / folder / "../resources" for folder in (args.source, args.tests)]
    path = [probed, tests, *resources, *args.jars]
    measured = {}
    for number, file in enumerate(files):
        data = scratch / f"{number}.exec"
        name = ".".join(file.relative_to(root).with_suffix("").parts)
        if _run(name, path, data, checkout, args.limit) and data.exists():
            measured[data] = str(file.relative_to(checkout))
    return measured


def _compile(files: list[Path], into: Path, jars: list[Path | str], release: str) -> None:
    given = [str(file) for file in files if file.stem != "module-info"]
    options = ["-g", "-nowarn", "-proc:none", "--release", release, "-encoding", "utf-8"]
    words = ["javac", *options, "-cp", _joined(jars), "-d", str(into), *given]
    if subprocess.run(words, check=False).returncode:
        sys.exit("javac failed; tests that lack a dependency can be left out (--without)")


def _joined(path: Sequence[Path | str]) -> str:
    return os.pathsep.join(map(str, path))


def _program(jars: list[str], *words: str | Path) -> str:
    """Run RanMethods.java; returns its output."""
    command = ["java", "-cp", _joined(jars), str(_PROGRAM), *map(str, words)]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def _run(name: str, path: list[Path | str], data: Path, checkout: Path, limit: float) -> bool:
    """Run the tests of a class; whether it has any. Tests that take too long are none."""
    options = [f"-Djacoco-agent.destfile={data}", "-XX:TieredStopAtLevel=1"]
    words = [f"--select-class={name}", "--details=none", "--fail-if-no-tests"]
    try:
        done = subprocess.run(
            ["java", *options, "-cp", _joined(path), _LAUNCHER, *words],
            cwd=checkout,
            check=False,
            timeout=limit,
            stdout=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        print(f"took more than {limit} seconds: {name}")
        return False
    return done.returncode != _NO_TESTS


def _method(source: str, path: str, name: str, line: str) -> tuple[str, str, int] | None:
    """The place of a method that has a name in the source."""
    if "$" in name or "<" in name:
        return None
    return f"{source}/{path}", name, int(line)


if __name__ == "__main__":
    main()
