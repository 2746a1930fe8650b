"""Whether files of which history says that they change with others did change.

    python -m bench.habits REPOSITORY... [--landings N]

Replays the last landings (commits of the first parents) of each repository that changed two files
or more, each with the history before it alone. A file is shown when it is told for the rest of the
landing without it, or for all of the landing; it is right when it changed in that landing or in
one of the next five. Prints the share of what is shown that is right, how much of what changed is
shown, and how many files are shown for a landing that did not change them: what a reviewer reads.
Files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
from itertools import islice
from typing import Any

from bench import filing, histories
from gitsearch.git.cochange import WINDOW, History, read_history
from gitsearch.git.repo import open_repo

_AFTER = 5
_LARGEST = 30
_COLUMNS = ("landings", "shown", "precision", "recall", "read_per_landing")


def main() -> None:
    args = _parser().parse_args()
    rows = [
        {"repository": one.name, **_replayed(history.landings, args.landings)}
        for one in args.repositories
        for history in [read_history(open_repo(one), "HEAD", WINDOW + args.landings)]
    ]
    total = _shares({key: sum(row[key] for row in rows) for key in _COUNTS})
    filing.write("habits", {**total, "repositories": rows}, args.out)
    shown = [*rows, {"repository": "all", **total}]
    cells = [[str(row[key]) for key in ("repository", *_COLUMNS)] for row in shown]
    print(filing.table(["repository", *_COLUMNS], cells, left=1))


_COUNTS = ("landings", "changed", "found", "read", "later")


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("habits", __doc__, several=True)
    parser.add_argument("--landings", type=int, default=400, help="of each (%(default)s)")
    return parser


def _replayed(landings: Any, count: int) -> dict[str, Any]:
    """Counts over the last landings, the newest of which have no future yet."""
    counts = dict.fromkeys(_COUNTS, 0)
    for at in range(_AFTER, min(count, len(landings))):
        landing = landings[at]
        if not 1 < len(landing) <= _LARGEST:
            continue
        before = History(list(islice(landings, at + 1, at + 1 + WINDOW)))
        after = set().union(*landings[at - _AFTER : at])
        told = _told(before, landing)
        hidden = [path for path in landing if path in _told(before, landing - {path})]
        counts["landings"] += 1
        counts["changed"] += len(landing)
        counts["found"] += len(hidden)
        counts["read"] += len(told)
        counts["later"] += len(told & after)
    return _shares(counts)


def _told(before: History, changed: set[bytes]) -> set[bytes]:
    return {one.path.encode(errors="surrogateescape") for one in before.habits(changed)}


def _shares(counts: dict[str, int]) -> dict[str, Any]:
    shown = counts["found"] + counts["read"]
    return {
        **counts,
        "shown": shown,
        "precision": round((counts["found"] + counts["later"]) / max(shown, 1), 4),
        "recall": round(counts["found"] / max(counts["changed"], 1), 4),
        "read_per_landing": round(counts["read"] / max(counts["landings"], 1), 4),
    }


if __name__ == "__main__":
    main()
