"""Measure what the reader adds to a search: time, processor time and memory of whole processes.

    python -m bench.read_results CHECKOUT... [--rounds N]

Each question is asked twice in processes of their own, with `--reader off` and `on`, in turns. The
index is brought up to date first. Files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from bench import filing, processes
from bench.processes import Contender

# None is a name, so each is read; each is asked once, so no ranking is kept from an earlier run.
_QUESTIONS = (
    "where is the time limit of a request enforced",
    "how are errors of the configuration reported to the user",
    "read settings from a file and from the environment",
    "close what is left open when the program ends",
    "what is written to the log when something fails",
    "how is a value checked before it is stored",
    "wait for a while and try again",
    "split a text into parts",
    "which default is taken if nothing was given",
    "look up an entry in the cache and drop old ones",
    "turn a path into an absolute one",
    "how is the version of a file format checked",
)


def main() -> None:
    args = _parser().parse_args()
    folders = [folder.resolve() for folder in args.checkout]
    figures = {folder.name: _measured(folder, args.rounds) for folder in folders}
    names = ("wall_ms", "least_wall_ms", "cpu_ms", "largest_process_mb")
    rows = [
        [name, *(f"{one['off'][key]:g} + {one['added'][key]:g}" for key in names)]
        for name, one in figures.items()
    ]
    print(filing.table(["without the reader + what it adds", *names], rows))
    filing.write("read-results", {"rounds": args.rounds, "repositories": figures}, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.read_results",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("checkout", type=Path, nargs="+", help="a repository with a working tree")
    add("--rounds", type=int, default=len(_QUESTIONS), choices=range(2, len(_QUESTIONS) + 1))
    add("--out", type=Path, help="where to file the figures")
    return parser


def _measured(folder: Path, rounds: int) -> dict[str, Any]:
    processes.run(_asked(folder, "index"))
    costs: dict[str, list[processes.Cost]] = {"off": [], "on": []}
    # the first round finds the disk cold
    for text in (_QUESTIONS[-1] + " again", *_QUESTIONS[:rounds]):
        for when, taken in costs.items():
            taken.append(processes.run(_asked(folder, "--reader", when, "-k10", "-e", text)))
    off, on = (processes.summary(taken[1:]) for taken in costs.values())
    keys = [key for key, value in off.items() if isinstance(value, float)]
    return {"off": off, "on": on, "added": {key: round(on[key] - off[key], 2) for key in keys}}


def _asked(folder: Path, *words: str) -> Contender:
    command = [sys.executable, "-P", "-m", "gitsearch", *words]
    return Contender(" ".join(words), command, folder, os.environ, (0, 1))


if __name__ == "__main__":
    main()
