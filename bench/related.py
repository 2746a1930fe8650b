"""Whether the file that a commit also changed is among those related to the others.

    python -m bench.related REPOSITORY... [--commits N]

Takes the last commits of each repository that changed two to six files of code that were there
before, hides one of them, and asks at the parent, which knows nothing of the commit, for the ten
files that are most related to the rest. Beside it stand two that do not look at the code: the ten
files that changed most often with the rest in the 2,000 landings before, and the ten best files of
a search for the words of the commit's message. Files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

from bench import filing, histories
from gitsearch.commands.search import search
from gitsearch.commands.similar_code import related_to
from gitsearch.commands.tree_selection import select_tree
from gitsearch.extract.languages import LANGUAGES, hint, settled
from gitsearch.git.cochange import read_history
from gitsearch.git.repo import open_repo
from gitsearch.index.session import Session
from gitsearch.reports.change import Place
from gitsearch.settings import SearchRequest

_SEED = 20261122
_FILES = range(2, 7)
_SHOWN = 10
_WORDS = 40  # of a message
WAYS = ("related", "cochange", "words")


class _Commit(NamedTuple):
    oid: str
    message: str
    hidden: str
    others: list[str]


def main() -> None:
    args = _parser().parse_args()
    repositories = []
    for repository in args.repositories:
        with histories.cloned(repository, args.scratch, repository.name) as (clone,):
            histories.check_out(clone, "HEAD")
            rows = [_measured(clone, one) for one in reversed(_chosen(clone, args.commits))]
            repositories.append({"repository": repository.name, "commits": len(rows), **_of(rows)})
    figures = {**_all(repositories), "repositories": repositories}
    filing.write("related", figures, args.out)
    head = ["repository", "commits", *WAYS, "median_ms"]
    shown = [*repositories, {"repository": "all", **_all(repositories)}]
    print(filing.table(head, [[str(row[key]) for key in head] for row in shown], left=1))


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("related", __doc__, several=True)
    parser.add_argument("--commits", type=int, default=50, help="of each (%(default)s)")
    return parser


def _chosen(clone: Path, count: int) -> list[_Commit]:
    """The last commits that changed a few files of code, the newest first."""
    log = filing.git(
        *(
            "log",
            "--no-merges",
            "--no-renames",
            "--name-status",
            "-z",
            "--format=%x01%H%x02%B%x03",
        ),
        *("-n", "20000"),
        cwd=clone,
    )
    random = Random(_SEED)
    found = []
    for part in log.split("\x01")[1:]:
        told, _, listed = part.partition("\x03")
        oid, _, message = told.partition("\x02")
        fields = [one.strip("\n") for one in listed.split("\0") if one.strip("\n")]
        pairs = zip(fields[0::2], fields[1::2], strict=False)
        code = sorted(path for status, path in pairs if status == "M" and _is_code(path))
        if len(code) in _FILES:
            hidden = random.choice(code)
            others = [path for path in code if path != hidden]
            found.append(_Commit(oid, message, hidden, others))
        if len(found) == count:
            break
    return found


def _is_code(path: str) -> bool:
    # what the first bytes would decide is taken for what it mostly is
    row = LANGUAGES.get(settled(hint(path.encode(errors="surrogateescape")), b""))
    return row is not None and row.content == "code"


def _measured(clone: Path, one: _Commit) -> dict[str, Any]:
    selection = select_tree(Session(clone), at=f"{one.oid}^")
    selection.must_write = True
    opened = selection.open()
    start = time.monotonic()
    places = [Place(path, 1, 1 << 40, None) for path in one.others]
    related = related_to(opened, places, _SHOWN)
    seconds = time.monotonic() - start
    found = {
        "related": [near.path for near in related],
        "cochange": _changed_with(clone, one),
        "words": _searched(clone, one),
    }
    ranks = {way: _rank(paths, one.hidden) for way, paths in found.items()}
    return {"commit": one.oid[:10], "hidden": one.hidden, "seconds": seconds, **ranks}


def _rank(paths: list[str], hidden: str) -> int | None:
    return paths.index(hidden) + 1 if hidden in paths else None


def _changed_with(clone: Path, one: _Commit) -> list[str]:
    others = {os.fsencode(path) for path in one.others}
    times: Counter[bytes] = Counter()
    for landing in read_history(open_repo(clone), f"{one.oid}^").landings:
        if len(landing) <= 30:
            for path in landing - others:
                times[path] += len(landing & others)
    ranked = sorted(times, key=lambda path: (-times[path], path))
    code = [path for path in map(os.fsdecode, ranked) if _is_code(path)]
    return code[:_SHOWN]


def _searched(clone: Path, one: _Commit) -> list[str]:
    text = " ".join(one.message.split()[:_WORDS])
    request = SearchRequest(text, at=f"{one.oid}^", content="code", max_count=100)
    others = set(one.others)
    results = search(Session(clone), request).results
    return list(dict.fromkeys(r.path for r in results if r.path not in others))[:_SHOWN]


def _of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    shares = {way: round(sum(row[way] is not None for row in rows) / len(rows), 4) for way in WAYS}
    milliseconds = round(median(row.pop("seconds") for row in rows) * 1e3, 1)
    return {**shares, "median_ms": milliseconds, "rows": rows}


def _all(repositories: list[dict[str, Any]]) -> dict[str, Any]:
    commits = sum(one["commits"] for one in repositories)
    shares = {
        way: round(sum(one[way] * one["commits"] for one in repositories) / commits, 4)
        for way in WAYS
    }
    milliseconds = round(median(one["median_ms"] for one in repositories), 1)
    return {"commits": commits, **shares, "median_ms": milliseconds}


if __name__ == "__main__":
    main()
