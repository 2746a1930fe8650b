"""Whether the tests that people changed with their code are among those we would have run.

    python -m bench.affected REPOSITORY [--commits N] [--most FILES]

Takes the last commits that changed both code and tests, one after the other from the oldest, and
asks for each, at the tree of its commit, which tests depend on the code that it changed. Prints
the share of the changed tests that are among them (`found`), beside the share of all that would be
run (`run`): to run everything finds everything. Files the figures in bench/results/.

A test is a file that a test runner would run by its name; helpers, fixtures and settings of tests
are neither tests nor code. A file that was only moved did not change.

A commit that changes more files than --most is a release, a new format, another linter or an
upgrade of packages: its files have no more in common than that. Code Maat, which looks for files
that change together, leaves such commits out too, and 30 is its default (max-changeset-size).
They are measured as well, but stand apart: `every` has the figures with them.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from bench import filing, histories
from gitsearch.commands.impact import ImpactRequest, impact
from gitsearch.extract import path_kinds
from gitsearch.extract.facts import facts
from gitsearch.extract.languages import hint, settled
from gitsearch.graph.project import RESOLVER_OF
from gitsearch.index.session import Session

_COMMITS = 200
_MOST = 30

# What runners take for a test unless they are told otherwise: pytest; vitest, jest and playwright;
# go; Cargo; Surefire and Failsafe of Maven, PHPUnit; minitest, RSpec and ExUnit.
_RUN = re.compile(
    r"(?:.*/)?(?:test_[^/]*\.py|[^/]*_test\.py"
    r"|[^/]+\.(?:test|spec)\.[cm]?[jt]sx?|__tests__/.*\.[cm]?[jt]sx?"
    r"|[^/]+_test\.go"
    r"|tests/[^/]+(?:/main)?\.rs"
    r"|Test[^/]*\.java|[^/]+(?:Tests?|TestCase|IT)\.(?:java|kt)|[^/]+Test\.php"
    r"|(?:test_[^/]*|[^/]+_(?:test|spec))\.rb|[^/]+_test\.exs)"
)


class _Commit(NamedTuple):
    """A commit with the code and the tests that it changed and left there; all its files."""

    oid: str
    files: int
    code: list[str]
    tests: list[str]


def main() -> None:
    args = _parser().parse_args()
    with histories.cloned(args.repository, args.scratch, args.repository.name) as (clone,):
        _prepare(clone)
        chosen = _chosen(clone, args.commits, args.most)
        rows = [_measured(clone, one) for one in reversed(chosen)]
    usual = [row for row in rows if row["files"] <= args.most]
    figures: dict[str, Any] = {
        "repository": args.repository.name,
        **_figures(usual),
        "every": _figures(rows),
        "median_ms": round(median(row["seconds"] for row in rows) * 1e3, 1),
        "missed": [path for row in usual for path in row["missed"]],
    }
    filing.write("affected", figures, args.out)
    cells = [
        [name, *(str(own[key]) for key in _COLUMNS)]
        for name, own in ((args.repository.name, figures), ("every commit", figures["every"]))
    ]
    print(filing.table(["", *_COLUMNS], cells, left=1))
    for missed in figures["missed"][: args.show]:
        print(missed)


_COLUMNS = ("commits", "changed_tests", "found", "found_mean", "run_mean", "run_median")


def _figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Of all changed tests, and at the mean commit, what was found; of all tests what was run."""
    found, changed = (sum(row[key] for row in rows) for key in ("found", "changed"))
    shares = [row["run"] / row["tests"] for row in rows]
    return {
        "commits": len(rows),
        "changed_tests": changed,
        "found": round(found / changed, 4),
        "found_mean": round(mean(row["found"] / row["changed"] for row in rows), 4),
        "run_mean": round(mean(shares), 4),
        "run_median": round(median(shares), 4),
    }


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("affected", __doc__)
    add = parser.add_argument
    add("--commits", type=int, default=_COMMITS, help="default: %(default)s")
    add("--most", type=int, default=_MOST, help="files of a usual commit (%(default)s)")
    add("--show", type=int, default=40, help="misses to print (%(default)s)")
    return parser


def _prepare(clone: Path) -> None:
    """Prepare the queries of the languages of HEAD.

    A child process extracts the files of each commit, and would prepare them each time anew,
    which takes longer than to extract; what is prepared here it inherits.
    """
    for language in {_language(path) for path in _listed(clone, "HEAD")}:
        facts(b"x\n", language)


def _chosen(clone: Path, count: int, most: int) -> list[_Commit]:
    """The last commits that changed code and tests, the newest first: `count` of the usual size.

    Those beyond it that are met on the way are there, too.
    """
    log = filing.git(
        *("log", "--no-merges", "--find-renames=100%", "--name-status", "-z"),
        *("--diff-filter=ACDMRT", "--format=%x01%H"),
        cwd=clone,
    )
    found: list[_Commit] = []
    for part in log.split("\x01")[1:]:
        one = _read(part)
        if one.tests and one.code:
            found.append(one)
        if sum(one.files <= most for one in found) == count:
            break
    return found


def _read(part: str) -> _Commit:
    """A commit as `git log -z --name-status` tells it: a status, a path or two, and so on."""
    oid, _, rest = part.partition("\0")
    words = iter(rest.lstrip("\n").split("\0"))
    files, left = 0, []
    for status in words:
        if not status.strip():
            continue
        path = next(words)
        files += 1
        if status[0] in "RC":
            next(words)
        elif status[0] in "AM":
            left.append(path)
    known = [path for path in left if _language(path) in RESOLVER_OF]
    tests = [path for path in known if _RUN.fullmatch(path)]
    code = [path for path in known if not _is_test(path)]
    return _Commit(oid.strip(), files, code, tests)


def _listed(clone: Path, revision: str) -> list[str]:
    listed = filing.git("ls-tree", "-r", "-z", "--name-only", revision, cwd=clone)
    return listed.split("\0")[:-1]


def _language(path: str) -> str:
    # what the first bytes would decide is taken for what it mostly is
    return settled(hint(path.encode(errors="surrogateescape")), b"")


def _is_test(path: str) -> bool:
    return path_kinds.is_test(path.encode(errors="surrogateescape"))


def _measured(clone: Path, one: _Commit) -> dict[str, Any]:
    start = time.monotonic()
    report = impact(Session(clone), ImpactRequest(tuple(one.code), at=one.oid, tests="only"))
    seconds = time.monotonic() - start
    among = set(filter(_RUN.fullmatch, report.tests))
    return {
        "files": one.files,
        "seconds": seconds,
        "changed": len(one.tests),
        "found": sum(path in among for path in one.tests),
        "missed": [f"{one.oid[:10]} {path}" for path in one.tests if path not in among],
        "run": len(among),
        "tests": sum(_RUN.fullmatch(path) is not None for path in _listed(clone, one.oid)),
    }


if __name__ == "__main__":
    main()
