"""What `git search impact` costs, and what a commit makes it resolve again.

    python -m bench.impact REPOSITORY --environment VENV [--only SECTION,...]

In a clone of the repository, its index and graph made:

    process  as a process of its own, beside an interpreter that imports numpy, in turn so that
             what slows the machine slows both; of the files that are asked about below those with
             the median and the 95th per cent of dependents
    inside   random files of code within one process: `question` put to a tree that is opened
             once, `call` from the start, which asks git for HEAD and for edited files each time;
             wall time, and time of the processor, which says more on a busy machine
    commits  the last commits of the first parents, checked out one after the other: whether one
             changed an import, added or lost a file, changed a settings file, and of how many
             files the imports were resolved again

Prints Markdown tables and files the figures in bench/results/.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from multiprocessing import get_context
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from bench import contenders, filing, histories
from bench.processes import run
from gitsearch.commands import impact
from gitsearch.commands.code_graph import open_code_graph
from gitsearch.commands.tree_selection import select_tree
from gitsearch.extract.facts import structure
from gitsearch.extract.languages import hint, settled
from gitsearch.graph.project import RESOLVER_OF, resolver_class, resolvers_of
from gitsearch.index.session import Session

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from gitsearch.reports.lookup import ImpactReport

_RUNS = 15
_TARGETS = 200
_COMMITS = 50
_SECTIONS = ("inside", "process", "commits")
_SETTINGS = frozenset[str]().union(
    *(resolver_class(name).settings for name in resolvers_of(set(RESOLVER_OF)))
)


def main() -> None:
    args = _parser().parse_args()
    figures: dict[str, Any] = {
        "repository": args.repository.resolve().name,
        "load_before": os.getloadavg(),
        **contenders.programs(args),
    }
    with histories.cloned(args.repository, args.scratch, "clone") as (clone,):
        histories.check_out(clone, "HEAD")
        run(contenders.ours(args, clone, "index", "-q"))
        code = [path for path in _paths(clone) if _language(path) in RESOLVER_OF]
        figures |= {"tracked": len(_paths(clone)), "code": len(code)}
        targets = sorted(Random(args.seed).sample(code, min(args.targets, len(code))))
        # one process for all that is timed in one, which nothing before has warmed
        with get_context("spawn").Pool(1) as pool:
            inside, counts = pool.apply(_inside, (clone, targets))
        print(_table(inside), flush=True)
        figures["inside"] = inside
        if "process" in args.only.split(","):
            figures["process"] = _processes(args, clone, counts)
            print(f"\n{_table(figures['process'])}", flush=True)
        if "commits" in args.only.split(","):
            figures["commits"] = _commits(args, clone)
            figures["quiet"] = _quiet(figures["commits"])
            print(f"\n{_table(figures['commits'])}\n\n{figures['quiet']}")
    figures["load_after"] = os.getloadavg()
    filing.write("impact", figures, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("impact", __doc__)
    add = parser.add_argument
    add("--only", default=",".join(_SECTIONS[1:]), help="besides `inside` (default: %(default)s)")
    add("--runs", type=int, default=_RUNS, help="of each process, in turn (%(default)s)")
    add("--targets", type=int, default=_TARGETS, help="files to ask about (%(default)s)")
    add("--commits", type=int, default=_COMMITS, help="default: %(default)s")
    add("--seed", type=int, default=0)
    return parser


def _paths(clone: Path) -> list[str]:
    return filing.git("ls-files", "-z", cwd=clone).split("\0")[:-1]


def _language(path: str) -> str:
    return settled(hint(path.encode(errors="surrogateescape")), b"")


# ---------------------------------------------------------------- within a process


def _inside(clone: Path, targets: list[str]) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Times of both ways to ask, and how many dependents each target has."""
    code_graph = open_code_graph(select_tree(Session(clone)))

    def question(path: str) -> ImpactReport:
        return impact.answer(code_graph, impact.ImpactRequest((path,)))

    def call(path: str) -> ImpactReport:
        return impact.impact(Session(clone), impact.ImpactRequest((path,)))

    counts = {path: len(question(path).dependents) for path in targets}
    rows = [
        {"asked": name, "targets": len(targets), **_timed(way, targets)}
        for name, way in (("question", question), ("call", call))
    ]
    return rows, counts


def _timed(way: Callable[[str], ImpactReport], targets: list[str]) -> dict[str, float]:
    took = []
    for path in targets:
        wall, own = time.perf_counter(), time.thread_time()
        way(path)
        took.append((time.perf_counter() - wall, time.thread_time() - own))
    percentiles = np.percentile(np.asarray(took) * 1e3, [50, 95], axis=0).round(2).tolist()
    return {
        f"{name}_p{share}_ms": value
        for share, row in zip((50, 95), percentiles, strict=True)
        for name, value in zip(("wall", "cpu"), row, strict=True)
    }


# ---------------------------------------------------------------- processes


def _processes(
    args: argparse.Namespace, clone: Path, counts: dict[str, int]
) -> list[dict[str, Any]]:
    """Medians; `ratio` is the median of the ratios to numpy in the same round."""
    ordered = sorted(counts, key=counts.__getitem__)
    chosen = [ordered[int(len(ordered) * share)] for share in (0.5, 0.95)]
    taking_part = [
        contenders.numpy(args, clone),
        # exit code 1 says that nothing depends on it
        *(
            replace(contenders.ours(args, clone, "impact", path), accepted=(0, 1))
            for path in chosen
        ),
    ]
    rounds = [[run(one).wall for one in taking_part] for _ in range(args.runs + 1)][1:]
    names = ["python -c 'import numpy'", *(f"{counts[path]} dependents" for path in chosen)]
    return [
        {
            "process": name,
            "runs": args.runs,
            "wall_ms": round(median(own) * 1e3, 1),
            "ratio": round(median(a / b for a, b in zip(own, base, strict=True)), 2),
        }
        for name, own in zip(names, zip(*rounds, strict=True), strict=True)
        for base in [[one[0] for one in rounds]]
    ]


# ---------------------------------------------------------------- commits


def _commits(args: argparse.Namespace, clone: Path) -> list[dict[str, Any]]:
    """What each commit changed, as git and the syntax say, and what was resolved for it."""
    first, *rest = histories.commits(clone, args.commits + 1)
    _resolved(args, clone, first)
    return [
        {"commit": one[:10], **_changed(clone, one), "resolved": _resolved(args, clone, one)}
        for one in rest
    ]


def _resolved(args: argparse.Namespace, clone: Path, commit: str) -> int:
    """Check a commit out and ask; the count that the program gives."""
    histories.check_out(clone, commit)
    target = next(path for path in _paths(clone) if _language(path) in RESOLVER_OF)
    done = histories.said(contenders.ours(args, clone, "impact", "--trace=json", target))
    if done.returncode > 1:
        sys.exit(f"impact at {commit}: {done.stderr.decode('utf-8', 'replace')}")
    counts: dict[str, int] = json.loads(done.stderr.splitlines()[-1])["counts"]
    return counts.get("files resolved", 0)


def _changed(clone: Path, commit: str) -> dict[str, int]:
    """How many files a commit changed, how many of them in what imports may lead by."""
    told = filing.git(
        *("diff-tree", "-r", "-z", "--no-renames", "--name-status", f"{commit}^", commit),
        cwd=clone,
    ).split("\0")[:-1]
    found = {"files": 0, "imports": 0, "paths": 0, "settings": 0}
    for status, path in zip(told[::2], told[1::2], strict=True):
        found["files"] += 1
        found["paths"] += status != "M"
        found["settings"] += path.rpartition("/")[2] in _SETTINGS
        if status == "M" and _language(path) in RESOLVER_OF:
            found["imports"] += _imports(clone, f"{commit}^", path) != _imports(
                clone, commit, path
            )
    return found


def _imports(clone: Path, commit: str, path: str) -> list[tuple[str, str, str]]:
    text = filing.git("show", f"{commit}:{path}", cwd=clone)
    data = text.encode("utf-8", "surrogateescape")
    said = structure(data, settled(hint(path.encode(errors="surrogateescape")), data))
    return [(one.specifier, one.kind, one.names) for one in said.imports]


def _quiet(rows: list[dict[str, Any]]) -> dict[str, int]:
    """The commits that changed nothing imports may lead by, and what was resolved for them."""
    quiet = [one for one in rows if not (one["imports"] or one["paths"] or one["settings"])]
    return {"commits": len(quiet), "resolved": sum(one["resolved"] for one in quiet)}


def _table(rows: list[dict[str, Any]]) -> str:
    return filing.table(list(rows[0]), [[str(one[key]) for key in rows[0]] for one in rows])


if __name__ == "__main__":
    main()
