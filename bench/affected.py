"""Whether the tests that people changed with their code are among those we would have run.

    python -m bench.affected REPOSITORY [--commits N]

Takes the last commits that changed both code and tests, one after the other from the oldest, and
asks for each, at the tree of its commit, which tests depend on the code that it changed. Prints
the share of the changed test files that are among them (`found`), beside the share of all that
would be run (`run`): to run everything finds everything. Files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from bench import filing, histories
from gitsearch.commands.impact import Request, impact
from gitsearch.extract import pathkinds
from gitsearch.extract.facts import hint, settled
from gitsearch.graph.registry import FAMILY_OF

_COMMITS = 200


class _Commit(NamedTuple):
    """A commit with the code and the tests that it changed and left there."""

    oid: str
    code: list[str]
    tests: list[str]


class Quiet:
    """Hears nothing."""

    def update(self, stage: str, done: int, total: int, data: int) -> None: ...

    def note(self, line: str) -> None: ...

    def close(self) -> None: ...


def main() -> None:
    args = _parser().parse_args()
    with histories.cloned(args.repository, args.scratch, args.repository.name) as (clone,):
        histories.check_out(clone, "HEAD")
        rows = [_measured(clone, one) for one in reversed(_chosen(clone, args.commits))]
    seconds = [row["seconds"] for row in rows]
    found, changed = (sum(row[key] for row in rows) for key in ("found", "changed"))
    figures: dict[str, Any] = {
        "repository": args.repository.name,
        "commits": len(rows),
        "changed_tests": changed,
        "found": round(found / max(changed, 1), 4),
        "found_mean": round(mean(row["found"] / row["changed"] for row in rows), 4),
        "run_mean": round(mean(row["run"] / max(row["tests"], 1) for row in rows), 4),
        "run_median": round(median(row["run"] / max(row["tests"], 1) for row in rows), 4),
        "median_ms": round(median(seconds) * 1e3, 1),
        "missed": [path for row in rows for path in row["missed"]][: args.show],
    }
    filing.write("affected", figures, args.out)
    cells = [[args.repository.name, *(str(figures[key]) for key in _COLUMNS)]]
    print(filing.table(["repository", *_COLUMNS], cells, left=1))
    for missed in figures["missed"]:
        print(missed)


_COLUMNS = ("commits", "changed_tests", "found", "found_mean", "run_mean", "run_median")


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("affected", __doc__)
    parser.add_argument("--commits", type=int, default=_COMMITS, help="default: %(default)s")
    parser.add_argument("--show", type=int, default=40, help="misses to print (%(default)s)")
    return parser


def _chosen(clone: Path, count: int) -> list[_Commit]:
    """The last commits that changed code and tests, the newest first."""
    log = filing.git(
        "log", "--no-merges", "--diff-filter=AM", "--name-only", "-z", "--format=%x01%H", cwd=clone
    )
    found = []
    for part in log.split("\x01")[1:]:
        oid, _, names = part.partition("\0")
        paths = [name.strip("\n") for name in names.split("\0") if name.strip("\n")]
        known = [path for path in paths if _is_code(path)]
        tests = [path for path in known if _is_test(path)]
        code = [path for path in known if not _is_test(path)]
        if tests and code:
            found.append(_Commit(oid.strip(), code, tests))
        if len(found) == count:
            break
    return found


def _is_code(path: str) -> bool:
    # what the first bytes would decide is taken for what it mostly is
    return settled(hint(path.encode(errors="surrogateescape")), b"") in FAMILY_OF


def _is_test(path: str) -> bool:
    return pathkinds.is_test(path.encode(errors="surrogateescape"))


def _measured(clone: Path, one: _Commit) -> dict[str, Any]:
    start = time.monotonic()
    report = impact(clone, Request(tuple(one.code), at=one.oid, tests="only"), Quiet())
    seconds = time.monotonic() - start
    listed = filing.git("ls-tree", "-r", "-z", "--name-only", one.oid, cwd=clone).split("\0")
    tests = [path for path in listed if _is_code(path) and _is_test(path)]
    among = set(report.tests)
    return {
        "seconds": seconds,
        "changed": len(one.tests),
        "found": sum(path in among for path in one.tests),
        "missed": [f"{one.oid[:10]} {path}" for path in one.tests if path not in among],
        "run": len(among),
        "tests": len(tests),
    }


if __name__ == "__main__":
    main()
