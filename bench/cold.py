"""What one search costs as a process of its own, in a repository whose index is up to date.

    python -m bench.cold REPOSITORY --environment VENV [--semble PROGRAM]

In turn: an interpreter that imports numpy, `git search`, the rival with its cache, `git grep`;
first in a clean working tree, then with edited files. Prints a Markdown table and files the
figures in bench/results/. The environment must hold a plain installation: an editable one
starts slower.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from bench import contenders, filing
from bench.processes import Contender, Cost, run, summary

if TYPE_CHECKING:
    from pathlib import Path

_RUNS = 15
_EDITED = 5
_LINE = b"\n// edited by the benchmark\n"


def main() -> None:
    args = _parser().parse_args()
    load = os.getloadavg()
    figures: dict[str, Any] = {"runs": args.runs, "load_before": load}
    with contenders.copied(args.repository, args.scratch) as repository:
        taking_part = _contenders(args, repository)
        run(contenders.ours(args, repository))  # makes the index
        figures.update(contenders.about(args, repository))
        figures["clean"] = _measured(taking_part, args.runs)
        edited = contenders.found_paths(args, repository, args.edited)
        for path in edited:
            with (repository / path).open("ab") as out:
                out.write(_LINE)
        figures["edited_files"] = edited
        figures["edited"] = _measured(taking_part, args.runs)
    for state in ("clean", "edited"):
        print(f"\n{state}: {contenders.size(figures)}\n")
        print(_table(figures[state]))
    filing.write("cold", figures, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.cold",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    contenders.add_arguments(parser, _RUNS)
    parser.add_argument("--word", help="for git grep (default: the query's longest)")
    parser.add_argument("--edited", type=int, default=_EDITED, help="files edited for part two")
    return parser


def _contenders(args: argparse.Namespace, repository: Path) -> list[Contender]:
    out = [
        contenders.python(args, repository, "import numpy"),
        contenders.ours(args, repository),
    ]
    if args.semble:
        out.append(contenders.semble(args, repository))
    word = args.word or max(args.query.split(), key=len)
    # git grep ends with 1 when the word is nowhere, having read everything all the same
    grep = Contender(
        "git grep -c", ["git", "grep", "-c", "-i", "-e", word], repository, os.environ, (0, 1)
    )
    return [*out, grep]


def _measured(taking_part: list[Contender], runs: int) -> list[dict[str, Any]]:
    """Medians, each contender run once in each round: what slows the machine slows all."""
    for one in taking_part:
        run(one)  # caches of files and compiled modules are warm, indexes made
    costs: list[list[Cost]] = [[] for _ in taking_part]
    for _ in range(runs):
        for own, one in zip(costs, taking_part, strict=True):
            own.append(run(one))
    out = [{"name": one.name, **summary(own)} for one, own in zip(taking_part, costs, strict=True)]
    for row in out:
        row["times_numpy"] = round(row["wall_ms"] / out[0]["wall_ms"], 2)
    return out


def _table(rows: list[dict[str, Any]]) -> str:
    head = ["command", "ms", "least ms", "CPU ms", "x numpy", "MB"]
    keys = ("wall_ms", "least_wall_ms", "cpu_ms")
    return filing.table(
        head,
        [
            [
                row["name"],
                *(f"{row[key]:.1f}" for key in keys),
                f"{row['times_numpy']:.2f}",
                f"{row['largest_process_mb']:.0f}",
            ]
            for row in rows
        ],
    )


if __name__ == "__main__":
    main()
