"""Measure the share of the files of a commit that are given to who asks with its subject.

    python -m bench.task_context CHOSEN_ON... --held-out REPOSITORY... [--commits N] [--json]

Draws commits of each repository with a fixed seed: no merges, version bumps, reverts or commits
of bots; a subject of three words or more; one to eight touched files that the parent has and that
are searched there. Asks of the parent's tree, which knows nothing of the commit, with the subject
without the number of a pull request: `context` within a budget of tokens, and a plain search,
of which whole results with their code are taken in order of rank while they fit into the same
budget. Prints the share of touched files that are named by each (recall), and by each kind of
item of `context`; and files the figures in bench/results/.

The numbers of `retrieval/file_likelihood` and `commands/context_selection` were chosen on the
first repositories; those held out show what they are worth elsewhere. The folders are clones with
history, without a work tree; their index is kept in .git/search. A process is started for each.
"""

from __future__ import annotations

import os
import re
import time
from collections import defaultdict
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from bench import filing, histories
from gitsearch.commands.context import ContextRequest, context
from gitsearch.commands.search import search
from gitsearch.commands.tree_selection import select_tree
from gitsearch.features.token_count import count
from gitsearch.index.session import Session
from gitsearch.render import color, context_text, json_document, search_text
from gitsearch.render.presentation import Presentation
from gitsearch.reports.context import CODE, PLACE
from gitsearch.settings import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.reports.context import ContextReport
    from gitsearch.reports.search import SearchReport

_SEED = 20261123
_BUDGET = 4000
# Commits among which are drawn, the last ones; results of a search that are tried.
_WINDOW = 1500
_RESULTS = 100
_TOUCHED = range(1, 9)
_MIN_WORDS = 3

_BOTS = re.compile(r"\[bot\]|dependabot|renovate|greenkeeper|pre-commit-ci|github-actions", re.I)
_NO_TASK = re.compile(
    r"^\W*(?:revert|bump|release|prepare|merge|update dependency|version|cut|v?\d+\.\d+)"
    r"|\b(?:deps|dependabot|bumps?|changelog for|upgrade dependenc\w*|release v?\d)\b"
    r"|\bversion (?:to|bump)",
    re.I,
)
_PULL_REQUEST = re.compile(r"\s*\(#\d+\)")
_LOG = ("log", "--no-merges", "--no-renames", "--name-status", "-z", f"--max-count={_WINDOW}")
WAYS = ("search", "context")


class _Asking(NamedTuple):
    """Limits: commits of a repository that are asked about, tokens, and the form of answers."""

    commits: int
    budget: int
    as_json: bool


class _Commit(NamedTuple):
    oid: str
    subject: str
    touched: list[str]


def main() -> None:
    args = _parser().parse_args()
    asking = _Asking(args.commits, args.budget, args.json)
    sets = {"chosen on": args.repositories, "held out": args.held_out}
    figures: dict[str, Any] = {"seed": _SEED, "budget": args.budget, "json": args.json}
    for name, folders in sets.items():
        # a process each: what one has mapped and cached is no other's
        with get_context("spawn").Pool(args.processes, maxtasksperchild=1) as pool:
            rows = pool.starmap(_repository, [(one, asking) for one in folders], chunksize=1)
        if rows:
            figures[name] = {**_summary([row for one in rows for row in one["commits"]])}
            figures[name]["repositories"] = rows
            print(f"\n{name}\n\n{_table([{'repository': 'all', **figures[name]}, *rows])}\n")
    filing.write("task-context", figures, args.out)


def _parser() -> Any:
    parser = histories.parser("task_context", __doc__, several=True)
    parser.add_argument("--held-out", type=Path, nargs="*", default=[], help="likewise")
    parser.add_argument("--commits", type=int, default=50, help="of each (%(default)s)")
    parser.add_argument("--processes", type=int, default=1, help="at once (%(default)s)")
    parser.add_argument("--json", action="store_true", help="ask `context` for JSON")
    parser.add_argument("--budget", type=int, default=_BUDGET, help="in tokens (%(default)s)")
    return parser


# ---------------------------------------------------------------- commits


def _drawn(folder: Path) -> list[_Commit]:
    """The commits that tell of a task, shuffled."""
    log = filing.git(*_LOG, "--format=%x01%H%x02%an <%ae>%x02%s%x03", "HEAD", cwd=folder)
    commits = []
    for part in log.split("\x01")[1:]:
        told, _, listed = part.partition("\x03")
        oid, author, subject = told.split("\x02")
        subject = _PULL_REQUEST.sub("", subject).strip()
        fields = [one.strip("\n") for one in listed.split("\0") if one.strip("\n")]
        pairs = zip(fields[0::2], fields[1::2], strict=True)
        old = [path for status, path in pairs if status in "MDT"]
        few = len(re.findall(r"\w+", subject)) < _MIN_WORDS
        if len(old) in _TOUCHED and not (few or _BOTS.search(author) or _NO_TASK.search(subject)):
            commits.append(_Commit(oid, subject, old))
    Random(_SEED).shuffle(commits)
    return commits


def _repository(folder: Path, asking: _Asking) -> dict[str, Any]:
    """The figures of one repository; commits are asked about in the order of history."""
    order = filing.git("rev-list", "--reverse", "HEAD", cwd=folder).splitlines()
    place = {oid: number for number, oid in enumerate(order)}
    # some have no searched file: a few more are tried
    tried = _drawn(folder)[: asking.commits + asking.commits // 5]
    measured = {
        one.oid: row
        for one in sorted(tried, key=lambda one: place[one.oid])
        if (row := _measured(folder, one, asking))
    }
    rows = [measured[one.oid] for one in tried if one.oid in measured][: asking.commits]
    figures = {"repository": folder.resolve().name, **_summary(rows), "commits": rows}
    print(_table([figures]), flush=True)
    return figures


# ---------------------------------------------------------------- one commit


def _measured(folder: Path, one: _Commit, asking: _Asking) -> dict[str, Any] | None:
    """Return the touched files that each way names; None if none of them is searched."""
    parent = f"{one.oid}^"
    found = search(
        Session(folder),
        SearchRequest(one.subject, at=parent, refresh="wait", max_count=_RESULTS),
    )
    view = select_tree(Session(folder), at=parent, refresh="wait").open().view
    places = {path: view.find(os.fsencode(path)) for path in one.touched}
    touched = {path for path, at in places.items() if at and not at[0].reason(at[1])}
    if not touched:
        return None
    shown = list(_fitting(found, asking.budget))
    start = time.process_time()
    given = _asked(folder, one.subject, parent, asking)
    seconds = time.process_time() - start
    return {
        "commit": one.oid[:10],
        "subject": one.subject,
        "touched": len(touched),
        "seconds": round(seconds, 3),
        "search": {"files": len(set(shown)), "found": len(touched & set(shown))},
        "context": _named(given, touched),
    }


def _fitting(found: SearchReport, budget: int) -> Iterator[str]:
    """The paths of the results of a search that fit, whole, the best first."""
    look = Presentation(form="blocks")
    kept: list[Any] = []
    for result in found.results:
        some = found._replace(results=(*kept, result))
        if count("".join(search_text.hits(some, look))) <= budget:
            kept.append(result)
            yield result.path


def _asked(folder: Path, subject: str, parent: str, asking: _Asking) -> ContextReport:
    def text(report: ContextReport) -> str:
        return "".join(context_text.context(report, color.Paint()))

    def document(report: ContextReport) -> str:
        return json_document.dump(json_document.context(report))

    request = ContextRequest((subject,), at=parent, budget=asking.budget)
    written = document if asking.as_json else text
    report = context(Session(folder), request, written)
    assert count(written(report)) <= asking.budget, "the budget is a ceiling"
    return report


def _named(report: ContextReport, touched: set[str]) -> dict[str, Any]:
    """Items, files and touched files by kind; those of places with code apart."""
    kinds: dict[str, set[str]] = defaultdict(set)
    seen: set[str] = set()
    items = [(one.kind, one.form, one.path) for one in report.items]
    # a file counts for the first kind that names it, whole definitions first
    for kind, form, path in sorted(items, key=lambda one: one[:2] != (PLACE, CODE)):
        if path not in seen:
            seen.add(path)
            whole = kind == PLACE and form == CODE
            kinds["place with code" if whole else kind].add(path)
    return {
        "files": len(seen),
        "found": len(touched & seen),
        "tokens": report.budget.used,
        "kinds": {
            kind: [len(paths), len(paths & touched)] for kind, paths in sorted(kinds.items())
        },
    }


# ---------------------------------------------------------------- figures


def _summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Mean recall of each way, its ratio to that of a search, and files and finds by kind."""
    recall = {way: fmean(row[way]["found"] / row["touched"] for row in rows) for way in WAYS}
    kinds: dict[str, dict[str, float]] = {}
    for kind in sorted({kind for row in rows for kind in row["context"]["kinds"]}):
        pairs = [(row, row["context"]["kinds"].get(kind, (0, 0))) for row in rows]
        kinds[kind] = {
            "files": round(fmean(files for _, (files, _) in pairs), 2),
            "recall": round(fmean(found / row["touched"] for row, (_, found) in pairs), 4),
        }
    return {
        "count": len(rows),
        "recall": {way: round(share, 4) for way, share in recall.items()},
        "ratio": round(recall["context"] / max(recall["search"], 1e-9), 3),
        "files": {way: round(fmean(row[way]["files"] for row in rows), 1) for way in WAYS},
        "tokens": round(fmean(row["context"]["tokens"] for row in rows)),
        "seconds": round(fmean(row["seconds"] for row in rows), 2),
        "kinds": kinds,
    }


def _table(rows: Sequence[dict[str, Any]]) -> str:
    head = ["repository", "commits", *WAYS, "ratio", "files", "files of context", "by kind"]
    cells = []
    for row in rows:
        kinds = ", ".join(
            f"{kind} {value['recall']:.3f}/{value['files']:.1f}"
            for kind, value in row["kinds"].items()
        )
        cells.append(
            [
                row["repository"],
                str(row["count"]),
                *(f"{row['recall'][way]:.3f}" for way in WAYS),
                f"{row['ratio']:.2f}",
                *(f"{row['files'][way]:.1f}" for way in ("search", "context")),
                kinds,
            ]
        )
    return filing.table(head, cells, left=1)


if __name__ == "__main__":
    main()
