"""Measure the graph of definitions: made at first, after an edit of one file, after a commit.

    python -m bench.definition_updates REPOSITORY --environment VENV [--edits N] [--commits N]

In a clone of the repository, whose index is made. Each row is a process that asks once:

    first   nothing is known of definitions
    again   nothing has changed
    edit    a line of comment more in a random file, and one less in the file of the edit before
    commit  the last commits along first parents, checked out one after the other

`cpu_s` is processor time of the process and its children from where the tree is opened, the graph
of files included; `changed` and `resolved` are files, `kept_mb` what is kept of one tree. With
--check each graph is compared with one that is made from nothing. Prints a Markdown table and
files the figures in bench/results/.
"""

from __future__ import annotations

import os
import resource
from multiprocessing import get_context
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from bench import contenders, filing, histories
from bench.edits import Edits
from bench.processes import run
from gitsearch import trace
from gitsearch.commands.code_graph import open_code_graph
from gitsearch.commands.tree_selection import select_tree
from gitsearch.extract.languages import hint, settled
from gitsearch.graph import definition_cache
from gitsearch.graph.definition_builder import build
from gitsearch.graph.definition_graph import LANGUAGES
from gitsearch.index.session import Session
from gitsearch.store import layout

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from gitsearch.commands.code_graph import CodeGraph

_EDITS, _COMMITS = 10, 10


def main() -> None:
    args = _parser().parse_args()
    figures: dict[str, Any] = {
        "repository": args.repository.resolve().name,
        "load_before": os.getloadavg(),
        **contenders.programs(args),
    }
    with histories.cloned(args.repository, args.scratch, "clone") as (clone,):
        commits = histories.commits(clone, args.commits + 1)
        histories.check_out(clone, commits[0])
        run(contenders.ours(args, clone, "index", "-q"))
        rows = [_row("first", clone, args), _row("again", clone, args)]
        for commit in commits[1:]:
            changed = filing.git("diff", "--name-only", f"{commit}^", commit, cwd=clone)
            histories.check_out(clone, commit)
            rows.append({**_row("commit", clone, args), "changed": len(changed.splitlines())})
        rows += _edits(clone, args)
        figures |= {"files": len(_code(clone)), "rows": rows, "medians": _medians(rows)}
    figures["load_after"] = os.getloadavg()
    print(_table(rows))
    print(f"\n{_table(figures['medians'])}")
    filing.write("definition-updates", figures, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("definition_updates", __doc__)
    add = parser.add_argument
    add("--edits", type=int, default=_EDITS, help="files to edit (%(default)s)")
    add("--commits", type=int, default=_COMMITS, help="default: %(default)s")
    add("--check", action="store_true", help="compare with graphs that are made from nothing")
    add("--seed", type=int, default=0)
    return parser


def _code(clone: Path) -> list[str]:
    paths = filing.git("ls-files", "-z", cwd=clone).split("\0")[:-1]
    hints = {path: hint(path.encode(errors="surrogateescape")) for path in paths}
    return [path for path in paths if settled(hints[path], b"") in LANGUAGES]


def _edits(clone: Path, args: argparse.Namespace) -> list[dict[str, Any]]:
    code = _code(clone)
    rows: list[dict[str, Any]] = []
    for path in Random(args.seed).sample(code, min(args.edits, len(code))):
        edits = Edits(clone, [path])
        edits.make(1)
        rows.append({**_row("edit", clone, args), "changed": 1 + bool(rows)})
        edits.undo()
    return rows


def _row(step: str, clone: Path, args: argparse.Namespace) -> dict[str, Any]:
    with get_context("spawn").Pool(1) as pool:
        return {
            "step": step,
            "changed": 0,
            **pool.apply(_compared if args.check else _asked, (clone,)),
        }


def _asked(clone: Path) -> dict[str, Any]:
    return _answer(clone)[1]


def _compared(clone: Path) -> dict[str, Any]:
    """Also tell whether a graph that is made from nothing is the same."""
    code_graph, found = _answer(clone)
    arrays = code_graph.definitions.arrays
    rows, _ = definition_cache._facts(code_graph.opened, code_graph.graph, None)
    fresh = build(code_graph.graph, rows, None).graph
    equal = [np.array_equal(array, fresh[name]) for name, array in arrays.items()]
    return {**found, "equal": all(equal) and arrays.keys() == fresh.keys()}


def _answer(clone: Path) -> tuple[CodeGraph, dict[str, Any]]:
    before = _processor_time()
    code_graph = open_code_graph(select_tree(Session(clone)))
    assert code_graph.definitions.files
    took = _processor_time() - before
    kept = (clone / ".git" / "search" / layout.VIEWS).glob(f"*{layout.USES}*")
    return code_graph, {
        "resolved": trace._counts.get("files with uses resolved", 0),
        "cpu_s": round(took, 2),
        "kept_mb": round(max(file.stat().st_size for file in kept) / 1e6, 1),
    }


def _processor_time() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _medians(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    steps = dict.fromkeys(row["step"] for row in rows)
    return [
        {
            "step": step,
            "times": len(own),
            "resolved": median(row["resolved"] for row in own),
            "cpu_s": round(median(row["cpu_s"] for row in own), 2),
            "most_cpu_s": max(row["cpu_s"] for row in own),
        }
        for step in steps
        for own in [[row for row in rows if row["step"] == step]]
    ]


def _table(rows: list[dict[str, Any]]) -> str:
    return filing.table(list(rows[0]), [[str(one[key]) for key in rows[0]] for one in rows])


if __name__ == "__main__":
    main()
