"""What it costs that a tree has just changed: after a commit, and with edited files.

    python -m bench.freshness REPOSITORY --environment VENV [--runs N] [--edited N]

In a clone, `git search` and `python -c "import numpy"` in turn, so that what slows the machine
slows both:

    behind   a search right after a commit of one file that no hook has told of, and one after it
    dirty    a search after files were edited, the same again, and one with none edited
    current  `git search index` after a commit of one file: until the view is of HEAD
    first    a search where there is no index, and none is made meanwhile

`more` is the median of what a search took longer than the one it is compared with in its round.
Prints a Markdown table with the targets and files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import os
import shutil
from dataclasses import dataclass, replace
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from bench import contenders, filing, histories
from bench.edits import Edits
from bench.processes import Contender, Cost, run, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_RUNS = 15
_EDITED = 20
# Files to edit are picked from so many times as many that the query finds.
_AMONG = 10

# Milliseconds: of a search more than the one that it is compared with, or of the whole.
_MORE_BEHIND = 60
_MORE_DIRTY = 150
_MOST_WALL, _MOST_CPU = 1000, 500

_FLOOR = "import numpy"


@dataclass(frozen=True)
class _Step:
    """A measured program of a round, what is done before it, and what it is compared with."""

    name: str
    contender: Contender
    before: Callable[[int], None] = lambda _: None
    against: str = ""
    targets: tuple[tuple[str, int], ...] = ()
    edits: Edits | None = None


def main() -> None:
    args = _parser().parse_args()
    figures: dict[str, Any] = {
        "runs": args.runs,
        "edited": args.edited,
        "load_before": os.getloadavg(),
        **contenders.programs(args),
    }
    with histories.cloned(args.repository, args.scratch, args.repository.name) as (clone,):
        histories.check_out(clone, "HEAD")
        run(contenders.ours(args, clone, "index", "-q"))
        figures |= {**contenders.about(args, clone), "sections": {}}
        print(f"\n{contenders.size(figures)}", flush=True)
        for name, section in _SECTIONS.items():
            rows = _measured(section(args, clone), args.runs)
            figures["sections"][name] = rows
            filing.write("freshness", figures, args.out)
            print(f"\n{_table(name, rows)}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("freshness", __doc__)
    add = parser.add_argument
    add("--runs", type=int, default=_RUNS, help="of each, in turn (default: %(default)s)")
    add("--edited", type=int, default=_EDITED, help="files to edit (default: %(default)s)")
    add("--seed", type=int, default=0)
    return parser


# ---------------------------------------------------------------- sections


def _behind(args: argparse.Namespace, clone: Path) -> list[_Step]:
    search = contenders.ours(args, clone)
    edits = _edits(args, clone, 1)
    commit = _committing(clone, edits)
    targets = (("more_ms", _MORE_BEHIND),)
    return [
        _Step("after a commit", search, commit, "up to date", targets, edits),
        _Step("up to date", search),
        _Step(_FLOOR, contenders.numpy(args, clone)),
    ]


def _dirty(args: argparse.Namespace, clone: Path) -> list[_Step]:
    search = contenders.ours(args, clone)
    edits = _edits(args, clone, args.edited)

    def undo(_: int) -> None:
        edits.undo()
        _settle(clone)

    targets = (("more_ms", _MORE_DIRTY),)
    return [
        _Step("just edited", search, edits.make, "clean", targets, edits),
        _Step("again", search, against="clean", targets=targets, edits=edits),
        _Step("clean", search, undo),
        _Step(_FLOOR, contenders.numpy(args, clone)),
    ]


def _current(args: argparse.Namespace, clone: Path) -> list[_Step]:
    index = contenders.ours(args, clone, "index", "-q")
    edits = _edits(args, clone, 1)
    targets = (("wall_ms", _MOST_WALL), ("cpu_ms", _MOST_CPU))
    return [
        _Step("git search index", index, _committing(clone, edits), "", targets, edits),
        _Step(_FLOOR, contenders.numpy(args, clone)),
    ]


def _first(args: argparse.Namespace, clone: Path) -> list[_Step]:
    search = contenders.ours(args, clone)
    alone = replace(search, env={**search.env, "CI": "true"})

    def remove(_: int) -> None:
        shutil.rmtree(clone / ".git" / "search", ignore_errors=True)

    return [
        _Step("no index", alone, remove),
        _Step(_FLOOR, contenders.numpy(args, clone)),
    ]


def _committing(clone: Path, edits: Edits) -> Callable[[int], None]:
    def commit(turn: int) -> None:
        edits.make(turn)
        filing.git("commit", "-q", "-m", f"edit {turn}", "--", *edits.originals, cwd=clone)
        _settle(clone)

    return commit


def _edits(args: argparse.Namespace, clone: Path, count: int) -> Edits:
    """Some of the files of code that the query finds; the best of them are larger than others."""
    paths = Random(args.seed).sample(contenders.found_paths(args, clone, count * _AMONG), count)
    return Edits(clone, paths)


def _settle(clone: Path) -> None:
    """As some time after an edit: git knows what its index says of the files."""
    filing.git("update-index", "-q", "--refresh", cwd=clone)


_SECTIONS: dict[str, Callable[[argparse.Namespace, Path], list[_Step]]] = {
    "behind": _behind,
    "dirty": _dirty,
    "current": _current,
    "first": _first,
}


# ---------------------------------------------------------------- figures


def _measured(steps: Sequence[_Step], runs: int) -> list[dict[str, Any]]:
    """Medians over rounds; the round before those that count warms the caches of files."""
    costs: dict[str, list[Cost]] = {step.name: [] for step in steps}
    for turn in range(runs + 1):
        for step in steps:
            step.before(turn)
            costs[step.name].append(run(step.contender))
    counted = {name: own[1:] for name, own in costs.items()}
    floor = summary(counted[_FLOOR])
    rows = []
    for step in steps:
        row: dict[str, Any] = {"name": step.name, **summary(counted[step.name])}
        row["times_numpy"] = round(row["wall_ms"] / floor["wall_ms"], 2)
        row["cpu_times_numpy"] = round(row["cpu_ms"] / floor["cpu_ms"], 2)
        if step.against:
            pairs = zip(counted[step.name], counted[step.against], strict=True)
            more = median(one.wall - other.wall for one, other in pairs) * 1e3
            row["more_ms"] = round(more, 1)
            row["more_times_numpy"] = round(more / floor["wall_ms"], 2)
        if step.edits:
            row["edited_kb"] = round(sum(map(len, step.edits.originals.values())) / 1e3, 1)
        row["targets"] = dict(step.targets)
        rows.append(row)
    return rows


_COLUMNS = {
    "edited kB": "edited_kb",
    "ms": "wall_ms",
    "least ms": "least_wall_ms",
    "CPU ms": "cpu_ms",
    "x numpy": "times_numpy",
    "CPU x numpy": "cpu_times_numpy",
    "more ms": "more_ms",
    "more x numpy": "more_times_numpy",
}


def _table(section: str, rows: list[dict[str, Any]]) -> str:
    cells = []
    for row in rows:
        figures = [f"{row[key]:.1f}" if key in row else "" for key in _COLUMNS.values()]
        targets = ", ".join(
            f"{key.removesuffix('_ms')} {most} ms" for key, most in row["targets"].items()
        )
        cells.append([section, row["name"], *figures, targets])
    return filing.table(["section", "search", *_COLUMNS, "target"], cells, left=2)


if __name__ == "__main__":
    main()
