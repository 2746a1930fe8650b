"""Record the test files that run each method of a Ruby repository, from its own tests.

    python -m bench.impact_oracle_ruby CHECKOUT OUT.json
        [--tests GLOB]... [--without GLOB]... [--source FOLDER] [--load FOLDER]...
        [--rspec] [--limit SECONDS]

The tests of each file run in a process of their own, in CHECKOUT, under ran_methods.rb, by RSpec
or as a script of minitest or test-unit. `lib`, `test` and `spec` are on the load path, and before
them the folders of `--load`: an empty `simplecov.rb` in one stands for a library that is not there
and that no test needs. A file is left out that takes longer than `--limit`, or in which nothing
of FOLDER ran, such as a helper. Nothing is fetched.

What runs while files are loaded belongs to no test, and neither does what runs in programs that a
test starts. Methods that `attr_reader` and the like make are left out. Written is what
`bench.impact_oracle_go` writes; the line of a method is that of its `def`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from bench import filing
from bench.filing import git

_PROGRAM = Path(__file__).with_name("ran_methods.rb")
_TESTS = ["**/*_test.rb", "**/test_*.rb", "**/*_spec.rb", "**/spec_*.rb"]


def main() -> None:
    args = _parser().parse_args()
    checkout = args.checkout.resolve()
    running: dict[tuple[str, str, int], set[str]] = defaultdict(set)
    files = _listed(checkout, args.tests or _TESTS) - _listed(checkout, args.without)
    for file in sorted(files):
        for path, name, line in _ran(checkout, file, args):
            running[str(Path(path).relative_to(checkout)), name, int(line)].add(file)
    found = [[*method, sorted(tests)] for method, tests in sorted(running.items())]
    known = set().union(*running.values())
    for file in sorted(files - known):
        print(f"ran nothing: {file}")
    filing.write_oracle(args.out, checkout, found, {"files": sorted(known)})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.impact_oracle_ruby", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tests", action="append", default=[])
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--source", default="lib")
    parser.add_argument("--load", type=Path, action="append", default=[])
    parser.add_argument("--rspec", action="store_true")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that a file may take")
    return parser


def _listed(checkout: Path, globs: list[str]) -> set[str]:
    """The files of a checkout that match one of some patterns."""
    patterns = [f":(glob){pattern}" for pattern in globs]
    return set(git("ls-files", "--", *patterns, cwd=checkout).split("\n")) if globs else set()


def _ran(checkout: Path, file: str, args: argparse.Namespace) -> list[list[str]]:
    """Run the tests of a file; returns path, name and line of the methods that ran."""
    own = [checkout / name for name in ("lib", "test", "spec")]
    folders = [option for path in [*args.load, *own] for option in ("-I", str(path.resolve()))]
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "ran"
        how = "rspec" if args.rspec else "script"
        words = [str(checkout / file), str(out), f"{checkout / args.source}/", how]
        try:
            done = subprocess.run(
                ["ruby", "-W0", *folders, str(_PROGRAM), *words],
                cwd=checkout,
                env={**os.environ, "LC_ALL": "C.UTF-8"},
                check=False,
                timeout=args.limit,
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
        except subprocess.TimeoutExpired:
            print(f"took more than {args.limit} seconds: {file}")
            return []
        if done.returncode:
            print(f"failed: {file}\n{(done.stdout + done.stderr)[-500:]}")
        text = out.read_text("utf-8") if out.exists() else ""
    return [line.split("\t") for line in text.splitlines()]


if __name__ == "__main__":
    main()
