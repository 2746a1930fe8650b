"""`git search impact PATH:LINE` against the test files that run each function.

    python -m bench.impact_by_definition CHECKOUT ORACLE.json... [--functions N]

CHECKOUT is a folder of checkouts, each with the name of its oracle, which is a file of
`bench.impact_oracle`, or of `bench.impact_oracle_go`, `bench.impact_oracle_java`,
`bench.impact_oracle_javascript` or `bench.impact_oracle_php`. Of N random functions of each that
are definitions the test files that are proposed are compared with those that run it, all in one
process; files that were not run, such as the tests of examples, do not count. Means over the
functions:

    recall, precision   of the tests with this label or a surer one; nothing proposed: precision 0
    order               share of true test files among the first n proposed, n = their number
    share, true         of all test files, how many are proposed, and how many run the function
    by label            of all tests with this label, over all functions, how many are true

Prints a Markdown table and files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from random import Random
from statistics import mean
from typing import TYPE_CHECKING, Any

from bench import filing
from bench.filing import git
from gitsearch.commands.impact import ImpactRequest, impact
from gitsearch.graph.likelihood import LABELS
from gitsearch.index.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.reports.lookup import ScoredTest

_SEED = 5


def main() -> None:
    args = _parser().parse_args()
    figures: dict[str, Any] = {}
    for oracle in args.oracles:
        figures[oracle.stem] = _measure(args.checkouts / oracle.stem, oracle, args.functions)
        print(_row(oracle.stem, figures[oracle.stem]), flush=True)
    filing.write("impact-by-definition", {"repositories": figures}, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.impact_by_definition", description=__doc__)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("oracles", type=Path, nargs="+")
    parser.add_argument("--functions", type=int, default=400)
    parser.add_argument("--out", type=Path, default=filing.RESULTS)
    return parser


def _measure(checkout: Path, oracle: Path, count: int) -> dict[str, Any]:
    known = json.loads(oracle.read_bytes())
    assert git("rev-parse", "HEAD", cwd=checkout) == known["revision"], "check out its revision"
    every = known.get("files")
    if every is None:
        every = git("ls-files", "--", known["tests"], cwd=checkout).split("\n")
        every = [path for path in every if Path(path).name.startswith("test_")]
    chosen = set(every)
    functions = known["functions"]
    Random(_SEED).shuffle(functions)
    session = Session(checkout)
    rows: list[dict[str, float]] = []
    labelled: list[tuple[str, bool]] = []
    for path, name, line, true in functions:
        report = impact(session, ImpactRequest((f"{path}:{line}",)))
        if len(rows) == count:
            break
        if (report.targets[0].symbol or "").rpartition(".")[2].lstrip("#") != name:
            continue
        found = [test for test in report.tests_scored if test.path in chosen]
        rows.append(_compared(found, set(true), len(every)))
        labelled += [(test.label, test.path in true) for test in found]
    hits = {label: [hit for name, hit in labelled if name == label] for label in LABELS}
    return {
        "functions": len(rows),
        "tests": len(every),
        **{name: round(mean(row[name] for row in rows), 3) for name in rows[0]},
        "by_label": {label: round(mean(own), 3) for label, own in hits.items() if own},
    }


def _compared(found: Sequence[ScoredTest], true: set[str], every: int) -> dict[str, float]:
    row: dict[str, float] = {}
    for number, label in enumerate(LABELS, 1):
        proposed = {test.path for test in found if test.label in LABELS[:number]}
        hits = len(proposed & true)
        row[f"{label}_recall"] = hits / len(true)
        row[f"{label}_precision"] = hits / len(proposed) if proposed else 0.0
    first = {test.path for test in found[: len(true)]}
    row["order"] = len(first & true) / len(true)
    return row | {"share": len(found) / every, "true": len(true) / every}


def _row(name: str, figures: dict[str, Any]) -> str:
    columns = ("possible_recall", "possible_precision", "likely_recall", "likely_precision")
    values = [f"{figures[column]:.3f}" for column in (*columns, "order", "share", "true")]
    return " | ".join(["", name, str(figures["functions"]), *values, ""]).strip()


if __name__ == "__main__":
    main()
