"""What the first search in a repository costs: time and memory, with everything yet to be made.

    python -m bench.first_index REPOSITORY --environment VENV [--semble PROGRAM]

In turn, in one copy of the repository: `git search` without an index, the rival without a cache.
Prints a Markdown table and files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import os
import shutil
from typing import TYPE_CHECKING, Any

from bench import contenders, filing
from bench.processes import Contender, Cost, run, summary

if TYPE_CHECKING:
    from pathlib import Path

_RUNS = 3


def main() -> None:
    args = _parser().parse_args()
    figures: dict[str, Any] = {"runs": args.runs, "load_before": os.getloadavg()}
    with contenders.copied(args.repository, args.scratch) as repository:
        # the folder whose loss makes a search the first one
        made: list[tuple[Contender, Path]] = [
            (contenders.ours(args, repository), repository / ".git" / "search")
        ]
        if args.semble:
            rival = contenders.semble(args, repository)
            made.append((rival, contenders.semble_cache(repository)))
        costs: list[list[Cost]] = [[] for _ in made]
        # The round before those that count reads all files into memory and compiles modules.
        for turn in range(args.runs + 1):
            for own, (one, folder) in zip(costs, made, strict=True):
                shutil.rmtree(folder, ignore_errors=True)
                cost = run(one, sampled=True)
                if not folder.is_dir():
                    raise SystemExit(f"{one.name} made no {folder}: nothing was measured")
                if turn:
                    own.append(cost)
        figures.update(contenders.about(args, repository))
        figures["first"] = [
            {"name": one.name, **summary(own), "index_mb": _size(folder)}
            for own, (one, folder) in zip(costs, made, strict=True)
        ]
    for row in figures["first"]:
        row["times_ours"] = round(row["wall_ms"] / figures["first"][0]["wall_ms"], 2)
    print(f"\n{contenders.size(figures)}\n")
    print(_table(figures["first"]))
    print("\nMB: peak of the sum over all processes, and with shared pages counted once")
    filing.write("first_index", figures, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.first_index",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    contenders.add_arguments(parser, _RUNS)
    return parser


def _size(folder: Path) -> float:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return round(sum(path.stat().st_size for path in files) / 1e6, 1)


def _table(rows: list[dict[str, Any]]) -> str:
    head = ["command", "s", "least s", "CPU s", "x ours", "MB", "MB shared once", "index MB"]
    return filing.table(
        head,
        [
            [
                row["name"],
                *(f"{row[key] / 1e3:.2f}" for key in ("wall_ms", "least_wall_ms", "cpu_ms")),
                f"{row['times_ours']:.2f}",
                *(f"{row[key]:.0f}" if key in row else "-" for key in _MEMORY),
                f"{row['index_mb']:.1f}",
            ]
            for row in rows
        ],
    )


_MEMORY = ("together_mb", "shared_once_mb")


if __name__ == "__main__":
    main()
