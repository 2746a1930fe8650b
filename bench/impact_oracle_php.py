"""Record the test files that run each function of a PHP repository, from its own tests.

    python -m bench.impact_oracle_php CHECKOUT OUT.json --tests GLOB... [--packages FOLDER...]
        [--limit SECONDS] -- COMMAND...

COMMAND runs the tests of one file, whose path is put behind it, in CHECKOUT: `phpunit`, say. Each
file has a process of its own, in which PHP loads impact_oracle_php.php before anything else; pcov
must be there. Classes are found by the composer.json of CHECKOUT and of PACKAGES, which are
checkouts of what it needs; where tests load `vendor/autoload.php`, an empty one is written.

A function has run if a line of it has, and so has one around a closure. Methods of classes without
a name count, for they have names. What COMMAND loads before it tests counts too, but not the
`files` of composer.json. A file that takes longer than `--limit` is left out. Written is what
`bench.impact_oracle_go` writes; the line is that of the word `function`, and `files` are those
in which a function outside of tests has run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from bench import filing
from bench.filing import git

_HOOK = Path(__file__).with_suffix(".php")
_SETTINGS = "auto_prepend_file={hook}\npcov.enabled=1\npcov.directory={checkout}\n"


def main() -> None:
    args = _parser().parse_args()
    checkout = args.checkout.resolve()
    packages = [checkout, *(package.resolve() for package in args.packages)]
    autoload = checkout / "vendor" / "autoload.php"
    if not autoload.exists():
        autoload.parent.mkdir(exist_ok=True)
        autoload.write_text("<?php\n")
    files = set(git("ls-files", "--", *args.tests, cwd=checkout).split("\n"))
    running: dict[tuple[str, str, int], set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as scratch:
        settings = _SETTINGS.format(hook=_HOOK, checkout=checkout)
        (Path(scratch) / "oracle.ini").write_text(settings)
        environment = {
            **os.environ,
            # those of the system, too
            "PHP_INI_SCAN_DIR": f"{os.pathsep}{scratch}",
            "ORACLE_PACKAGES": os.pathsep.join(map(str, packages)),
            "ORACLE_ROOT": f"{checkout}/",
        }
        for test in sorted(files):
            for place in _ran(test, args.command, checkout, environment, args.limit):
                if place[0] not in files:
                    running[place].add(test)
    functions = [[*place, sorted(tests)] for place, tests in sorted(running.items())]
    filing.write_oracle(
        args.out, checkout, functions, {"files": sorted(set().union(*running.values()))}
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.impact_oracle_php")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tests", nargs="+", required=True)
    parser.add_argument("--packages", nargs="+", type=Path, default=[])
    parser.add_argument("--limit", type=float, default=120.0, help="seconds that a file may take")
    parser.add_argument("command", nargs="+")
    return parser


def _ran(
    test: str, command: list[str], checkout: Path, environment: dict[str, str], limit: float
) -> set[tuple[str, str, int]]:
    """Run the tests of a file; returns path, name and line of the functions that ran."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as out:
        try:
            done = subprocess.run(
                [*command, test],
                cwd=checkout,
                env={**environment, "ORACLE_OUT": out.name},
                check=False,
                timeout=limit,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            print(f"took more than {limit} seconds: {test}")
            return set()
        if done.returncode:
            print(f"{test}: status {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}")
        return {tuple(place) for line in out for place in json.loads(line)}


if __name__ == "__main__":
    main()
