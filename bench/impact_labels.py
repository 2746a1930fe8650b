"""Counts the files that `git search impact --diff` calls certain or likely, of the newest commits.

    python -m bench.impact_labels CHECKOUT [--commits N] [--seconds S]

Of the newest N commits on the first-parent line, those with at least one changed definition or
file of code count; after S seconds no further commit is begun. Files the numbers of each commit
and their medians in bench/results/.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median
from typing import Any

from bench import filing
from bench.filing import git
from gitsearch.commands.impact import ImpactRequest, impact
from gitsearch.extract.languages import hint
from gitsearch.graph.likelihood import CERTAIN, LIKELY
from gitsearch.graph.project import RESOLVER_OF
from gitsearch.index.session import Session


def main() -> None:
    args = _parser().parse_args()
    newest = git(
        "log", "--first-parent", "--format=%H", f"-n{args.commits}", cwd=args.checkout
    ).split()
    rows: list[dict[str, Any]] = []
    begun = time.monotonic()
    for commit in newest:
        if time.monotonic() - begun > args.seconds:
            break
        row = _counted(args.checkout, commit)
        if row is not None:
            rows.append(row)
            print(row, flush=True)
    medians = {
        name: median(row[name] for row in rows) for name in ("certain_or_likely", "dependents")
    }
    print(medians)
    name = f"impact-labels-{args.checkout.resolve().name}"
    filing.write(name, {"commits": rows, "median": medians}, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.impact_labels", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--commits", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--out", type=Path, default=filing.RESULTS)
    return parser


def _counted(checkout: Path, commit: str) -> dict[str, Any] | None:
    """The numbers of a commit; None if it changes no code."""
    report = impact(Session(checkout), ImpactRequest(diff=f"{commit}~1..{commit}"))
    code = [one.path for one in report.targets if hint(one.path.encode()) in RESOLVER_OF]
    if not code and not report.changed:
        return None
    labels = [one.label for one in report.dependents]
    return {
        "commit": commit,
        "files": len(report.targets),
        "definitions": len(report.changed),
        "certain_or_likely": labels.count(CERTAIN) + labels.count(LIKELY),
        "dependents": len(labels),
    }


if __name__ == "__main__":
    main()
