"""Measure the share of results whose file is right, by what their `confidence` says.

    python -m bench.confidence --yardstick DIR [--checkouts DIR] [--lines-checkouts DIR]
                               [--mined FILE --mined-checkouts DIR]

Asks the command for ten results a question and prints, for each set of questions and each label,
how many results have it and the share of them whose file is right; and the calibration error of
a set: the mean over its results of the difference between the share that is right with their
label in the last set, by which the labels were chosen, and in this one. Then which share of the
questions is said to have no answer, of those about the tree and of as many about the next one.
Files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from bench import filing, quality
from gitsearch.commands import search as command
from gitsearch.commands.ranked_answer import UNANSWERED
from gitsearch.index.session import Session
from gitsearch.settings import SearchRequest, Silent

COUNT = 10
LABELS = ("high", "medium", "low")

Counts = dict[str, tuple[int, int]]


def counted(yardstick: quality.Yardstick) -> Counts:
    """By label: the results that have it, and those of them whose file is right."""
    wanted = yardstick.wanted()
    results: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for tree in yardstick.trees():
        session = Session(tree.folder, Silent())
        for key, text in tree.questions:
            request = SearchRequest(text, at=tree.revision, max_count=COUNT, refresh="wait")
            for one in command.search(session, request).results:
                results[one.confidence] += 1
                right[one.confidence] += _is_right(one.path, wanted[key])
    return {label: (results[label], right[label]) for label in LABELS}


def unanswered(yardstick: quality.Yardstick) -> dict[str, float]:
    """The shares of questions that are said to have no answer in a tree: its own, and others."""
    trees = yardstick.trees()
    shares = {}
    for name, asked in (("own", trees), ("others", [*trees[1:], trees[0]])):
        said = count = 0
        for tree, of in zip(trees, asked, strict=True):
            session = Session(tree.folder, Silent())
            for _, text in of.questions[: len(tree.questions)]:
                request = SearchRequest(text, at=tree.revision, max_count=COUNT, refresh="wait")
                said += UNANSWERED in command.search(session, request).warnings
                count += 1
        shares[name] = round(said / max(count, 1), 3)
    return shares


def _is_right(path: str, wanted: set[str]) -> bool:
    """Return True if a path ends in a wanted one, or a wanted one in it, at whole components."""
    return any(f"/{path}".endswith(f"/{one}") or f"/{one}".endswith(f"/{path}") for one in wanted)


def shares(counts: Counts) -> dict[str, float]:
    """By label the share of results whose file is right."""
    return {label: right / max(results, 1) for label, (results, right) in counts.items()}


def error(counts: Counts, expected: dict[str, float]) -> float:
    """Mean difference of a result's expected share and that of its label in this set."""
    own = shares(counts)
    total = sum(results for results, _ in counts.values())
    apart = ((counts[label][0], abs(own[label] - expected[label])) for label in LABELS)
    return sum(results * difference for results, difference in apart) / max(total, 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.confidence",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    quality.add_yardsticks(parser)
    parser.add_argument("--out", type=Path, help="where to file the figures")
    args = parser.parse_args()
    asked = quality.yardsticks(args)
    sets = {one.name: counted(one) for one in asked}
    without = {one.name: unanswered(one) for one in asked}
    expected = shares(list(sets.values())[-1])
    figures: dict[str, Any] = {}
    for name, counts in sets.items():
        figures[name] = {
            "results": {label: results for label, (results, _) in counts.items()},
            "right": {label: round(share, 3) for label, share in shares(counts).items()},
            "error": round(error(counts, expected), 3),
            "unanswered": without[name],
        }
        print(name, figures[name])
    filing.write("confidence", {"figures": figures}, args.out)


if __name__ == "__main__":
    main()
