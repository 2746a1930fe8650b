"""What `git search` costs beside its rival, `git grep` and an interpreter that imports numpy.

    python -m bench.speed REPOSITORY... --environment VENV [--semble PROGRAM] [--only SECTION,...]

In a copy of each repository, all programs in turn, so that what slows the machine slows all:

    first    a search that makes the whole index first: time, memory, bytes of the index
    cold     a search as a process of its own, the index up to date, no edited files
    dirty    the same with edited files: edited before each round, and edited once
    at       a search in an older revision that the index knows
    update   `git search index` after a commit that touches one file

Prints a Markdown table a repository and files the figures in bench/results/. The environment must
hold a plain installation: an editable one starts slower.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bench import contenders, filing
from bench.edits import Edits
from bench.processes import Contender, Cost, run, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_RUNS = 9
_EDITED = 10
_BACK = 100

_LEGEND = """
warm-up: the round before those that count; after one edit it is the first search.
ours: how many times as long `git search` takes, or as much processor time.
MB: the largest process; MB all: all processes, shared pages counted once."""

_COMMIT = (
    *("-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "gc.auto=0"),
    *("-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null", "commit", "-q"),
)

Rows = list[dict[str, Any]]


def main() -> None:
    args = _parser().parse_args()
    only = args.only.split(",")
    if unknown := set(only) - set(_SECTIONS):
        sys.exit(f"no section is called {', '.join(sorted(unknown))}: {', '.join(_SECTIONS)}")
    figures: dict[str, Any] = {
        "runs": args.runs,
        "load_before": os.getloadavg(),
        **contenders.programs(args),
        "repositories": [],
    }
    for original in args.repositories:
        with contenders.copied(original, args.scratch) as copy:
            own = _measure(args, copy, [name for name in _SECTIONS if name in only])
        figures["repositories"].append(own)
        print(f"\n{contenders.size(own)}\n\n{_table(own['sections'])}", flush=True)
        filing.write("speed", figures, args.out)  # what fails later loses nothing
    print(
        "\nours: how many times as long (CPU: as much) `git search` takes; MB: the largest process"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    contenders.add_arguments(parser, _RUNS)
    add = parser.add_argument
    add("--only", default=",".join(_SECTIONS), help="sections (default: %(default)s)")
    add("--word", help="for git grep (default: the query's longest)")
    add("--edited", type=int, default=_EDITED, help="files to edit (default: %(default)s)")
    add("--back", type=int, default=_BACK, help="commits between HEAD and the older revision")
    return parser


def _measure(args: argparse.Namespace, copy: Path, names: Sequence[str]) -> dict[str, Any]:
    run(contenders.ours(args, copy, "index", "-q"))
    about = contenders.about(args, copy)
    sections: dict[str, Rows] = {}
    for name in names:
        print(f"{copy.name}: {name}", file=sys.stderr, flush=True)
        sections.update(_SECTIONS[name](args, copy))
    for row in sections.get("first", []):
        row["index_times_text"] = round(row["index_mb"] / about["text_mb"], 2)
    return {**about, "sections": sections}


# ---------------------------------------------------------------- sections


def _first(args: argparse.Namespace, copy: Path) -> dict[str, Rows]:
    folders = [copy / ".git" / "search", contenders.semble_cache(copy)]

    def forget(_: int) -> None:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)

    whole = contenders.ours(args, copy, "--refresh", "wait", *args.query.split())
    rows = _measured([whole, *_searches(args, copy)[1:]], args.runs, forget, sampled=True)
    for row, folder in zip(rows, folders, strict=False):
        kept = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        if not kept:
            sys.exit(f"{row['name']} made no {folder}: nothing was measured")
        row["index_mb"] = round(kept / 1e6, 2)
    return {"first": rows}


def _cold(args: argparse.Namespace, copy: Path) -> dict[str, Rows]:
    return {"cold": _measured(_all(args, copy), args.runs)}


def _dirty(args: argparse.Namespace, copy: Path) -> dict[str, Rows]:
    edits = Edits(copy, contenders.found_paths(args, copy, args.edited))
    taking_part = _all(args, copy)
    sections = {"dirty": _measured(taking_part, args.runs, edits.make)}
    edits.make(args.runs + 1)
    sections["dirty, edited once"] = _measured(taking_part, args.runs)
    edits.undo()
    return sections


def _at(args: argparse.Namespace, copy: Path) -> dict[str, Rows]:
    revision = f"HEAD~{args.back}"
    # the warm-up takes in the blobs of the older tree
    older = contenders.ours(args, copy, "--at", revision, *args.query.split())
    taking_part = [
        replace(older, name=f"git search --at {revision}"),
        contenders.numpy(args, copy),
        contenders.ours(args, copy),
    ]
    return {"at": _measured(taking_part, args.runs)}


def _update(args: argparse.Namespace, copy: Path) -> dict[str, Rows]:
    edits = Edits(copy, contenders.found_paths(args, copy, 1))

    def commit(turn: int) -> None:
        edits.make(turn)
        filing.git(*_COMMIT, "-m", f"edit {turn}", "--", *edits.originals, cwd=copy)

    taking_part = [
        replace(contenders.ours(args, copy, "index"), name="git search index"),
        *_searches(args, copy)[1:],
        contenders.numpy(args, copy),
    ]
    return {"update": _measured(taking_part, args.runs, commit)}


_SECTIONS: dict[str, Callable[[argparse.Namespace, Path], dict[str, Rows]]] = {
    "first": _first,
    "cold": _cold,
    "at": _at,
    "dirty": _dirty,
    "update": _update,
}


def _searches(args: argparse.Namespace, copy: Path) -> list[Contender]:
    return [
        contenders.ours(args, copy),
        *([contenders.semble(args, copy)] if args.semble else []),
    ]


def _all(args: argparse.Namespace, copy: Path) -> list[Contender]:
    word = args.word or max(args.query.split(), key=len)
    # git grep ends with 1 when the word is nowhere, having read everything all the same
    command = ["git", "grep", "-c", "-i", "-e", word]
    grep = Contender("git grep -c", command, copy, os.environ, (0, 1))
    return [*_searches(args, copy), contenders.numpy(args, copy), grep]


# ---------------------------------------------------------------- figures


def _measured(
    taking_part: Sequence[Contender],
    runs: int,
    before: Callable[[int], None] | None = None,
    *,
    sampled: bool = False,
) -> Rows:
    """Medians, each contender run once in each round; the first one is ours.

    The round before those that count warms the caches of files and makes what is missing.
    """
    costs: list[list[Cost]] = [[] for _ in taking_part]
    for turn in range(runs + 1):
        if before:
            before(turn)
        for own, one in zip(costs, taking_part, strict=True):
            own.append(run(one, sampled=sampled))
    rows = [
        {"name": one.name, "warm_up_ms": round(own[0].wall * 1e3, 2), **summary(own[1:])}
        for one, own in zip(taking_part, costs, strict=True)
    ]
    for row in rows:
        row["ours"] = round(rows[0]["wall_ms"] / row["wall_ms"], 3)
        row["ours_cpu"] = round(rows[0]["cpu_ms"] / row["cpu_ms"], 3)
    return rows


_COLUMNS = {
    "ms": "wall_ms",
    "least ms": "least_wall_ms",
    "warm-up ms": "warm_up_ms",
    "CPU ms": "cpu_ms",
    "ours": "ours",
    "ours CPU": "ours_cpu",
    "MB": "largest_process_mb",
    "MB all": "shared_once_mb",
    "index MB": "index_mb",
    "x text": "index_times_text",
}


def _table(sections: dict[str, Rows]) -> str:
    cells = [
        [section, row["name"], *(_cell(row, key) for key in _COLUMNS.values())]
        for section, rows in sections.items()
        for row in rows
    ]
    return filing.table(["section", "command", *_COLUMNS], cells, left=2)


def _cell(row: dict[str, Any], key: str) -> str:
    if key not in row:
        return ""
    return f"{row[key]:.1f}" if key.endswith(("_ms", "_mb")) else f"{row[key]:.2f}"


if __name__ == "__main__":
    main()
