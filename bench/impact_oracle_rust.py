"""Record the test files that run each function of a Rust repository, from its own tests.

    python -m bench.impact_oracle_rust CHECKOUT OUT.json
        [--package NAME]... [--cargo ARGUMENT]... [--skip REGEX] [--limit SECONDS]

The integration tests of CHECKOUT, or of its packages NAME, are compiled without optimization by
cargo, offline, with ARGUMENTs such as `--all-features`, and run one by one. At the begin of each
function LLVM calls ran_functions.c, which notes the address; addr2line tells file and line. A
function is the definition around this line, to which its closures belong. The file of a test is
the one with its function. Unit tests are left out: they stand in the files that they test. So are
tests whose name matches `--skip`, and those that take longer than `--limit`.

Functions in test files are left out, and what macros make: its line is that of the macro call.
Functions that are always inlined and what runs while compiling are not seen. Written is what
`bench.impact_oracle_go` writes; the line of a function is that of its name.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench import filing
from gitsearch.extract import syntax
from gitsearch.extract.path_kinds import is_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PROGRAM = Path(__file__).with_name("ran_functions.c")
_TARGET = "x86_64-unknown-linux-gnu"
_PASS = "-sanitizer-coverage"
_FLAGS = (
    *("-C", "passes=sancov-module", "-C", f"llvm-args={_PASS}-level=1"),
    *("-C", f"llvm-args={_PASS}-trace-pc-guard", "-C", "codegen-units=1"),
    *("-C", "debuginfo=1", "-C", "opt-level=0", "--cap-lints", "allow"),
)

# A function: path, name and line of the name.
_Place = tuple[str, str, int]


class _Program(NamedTuple):
    """A program with tests, the folder that it is run in, and its main file."""

    path: str
    folder: Path
    source: Path


class _Function(NamedTuple):
    """A function: its first and last line, and its name with the line."""

    first: int
    last: int
    name: str
    line: int


def main() -> None:
    args = _parser().parse_args()
    checkout = args.checkout.resolve()
    running: dict[_Place, set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as scratch:
        for program in _programs(checkout, args, Path(scratch)):
            for file, places in _runs(checkout, program, args, Path(scratch, "ran")):
                for place in places:
                    running[place].add(file)
    found = [[*place, sorted(files)] for place, files in sorted(running.items())]
    filing.write_oracle(
        args.out, checkout, found, {"files": sorted(set().union(*running.values()))}
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.impact_oracle_rust", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--package", action="append", default=[])
    parser.add_argument("--cargo", action="append", default=[])
    parser.add_argument("--skip", default="(?!)")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds that a test may take")
    return parser


def _programs(checkout: Path, args: argparse.Namespace, scratch: Path) -> Iterator[_Program]:
    """Compile the integration tests and yield their programs."""
    callback = scratch / "ran_functions.o"
    subprocess.run(["cc", "-O1", "-c", str(_PROGRAM), "-o", str(callback)], check=True)
    flags = "\x1f".join((*_FLAGS, "-C", f"link-arg={callback}"))
    packages = [f"--package={name}" for name in args.package]
    # build scripts and macros that run while compiling are not of the target
    done = subprocess.run(
        [
            *("cargo", "test", "--offline", "--no-run", "--test=*"),
            *("--target", _TARGET, "--message-format=json", *packages, *args.cargo),
        ],
        cwd=checkout,
        env=os.environ | {"CARGO_ENCODED_RUSTFLAGS": flags},
        check=True,
        stdout=subprocess.PIPE,
    )
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["kind"] == ["test"]:
            folder = Path(message["manifest_path"]).parent
            source = Path(message["target"]["src_path"])
            yield _Program(message["executable"], folder, source)


def _runs(
    checkout: Path, program: _Program, args: argparse.Namespace, ran: Path
) -> Iterator[tuple[str, set[_Place]]]:
    """Yield the file of each test of a program and the functions outside of tests that it ran."""
    listed = subprocess.run(
        [program.path, "--list", "--format=terse"],
        cwd=program.folder,
        check=False,
        stdout=subprocess.PIPE,
        text=True,
    )
    names = re.findall(r"^(.+): test$", listed.stdout, re.MULTILINE)
    addresses = {
        name: _ran(program, name, args.limit, ran)
        for name in names
        if not re.search(args.skip, name)
    }
    lines = _lines(program, set().union(*addresses.values()))
    for name, own in addresses.items():
        places: set[_Place] = set()
        source = program.source
        for function, path, line in (lines[address] for address in own):
            if function.partition("::")[2] == name:
                source = Path(path)
            if place := _place(checkout, path, line):
                places.add(place)
        file = os.path.relpath(source, checkout)
        if is_test(file.encode()):
            yield file, places


def _ran(program: _Program, name: str, limit: float, ran: Path) -> set[str]:
    """Return the addresses that the test of a name ran."""
    ran.unlink(missing_ok=True)
    command = [str(program.path), "--exact", name, "--test-threads=1"]
    environment = {"RAN_FUNCTIONS": str(ran), "CARGO_MANIFEST_DIR": str(program.folder)}
    if not filing.ends(command, program.folder, environment, limit):
        return set()
    return set(ran.read_text("ascii").split()) if ran.exists() else set()


def _lines(program: _Program, addresses: Iterable[str]) -> dict[str, tuple[str, str, int]]:
    """Return function, path and line of each address, 0 for an unknown line."""
    every = sorted(addresses)
    done = subprocess.run(
        ["addr2line", "-f", "-C", "-e", program.path],
        input="\n".join(every),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    answers = done.stdout.splitlines()
    found = {}
    for address, function, place in zip(every, answers[::2], answers[1::2], strict=True):
        path, _, line = place.partition(" ")[0].rpartition(":")
        found[address] = function, path, int(line) if line.isdigit() else 0
    return found


def _place(checkout: Path, path: str, line: int) -> _Place | None:
    """Return the function of the checkout around a line, if it is no test."""
    file = os.path.relpath(path, checkout)
    if not line or file.startswith(("..", "target/")) or is_test(file.encode()):
        return None
    around = [one for one in _functions(checkout / file) if one.first <= line <= one.last]
    # the innermost one begins last
    return (file, around[-1].name, around[-1].line) if around else None


@cache
def _functions(path: Path) -> list[_Function]:
    """Return the functions that a file defines, in the order in which they begin."""
    tree = syntax.parse(path.read_bytes(), "rust") if path.exists() else None
    found: list[_Function] = []
    todo = [tree.root_node] if tree else []
    while todo:
        node = todo.pop()
        name = node.child_by_field_name("name") if node.type == "function_item" else None
        if name and name.text:
            line = name.start_point[0] + 1
            first, last = node.start_point[0] + 1, node.end_point[0] + 1
            found.append(_Function(first, last, name.text.decode(), line))
        todo += node.children
    return sorted(found)


if __name__ == "__main__":
    main()
