"""Constants chosen by the yardsticks, with repositories held out.

    python -m bench.fitting --yardstick DIR --checkouts DIR --lines-checkouts DIR
                            [--cases-checkouts DIR] [--mined FILE --mined-checkouts DIR]
                            --try NAME=VALUE,VALUE,... [--try ...] [--folds 6]

Coordinate ascent from the constants in force: one constant at a time goes to the value beside it
as long as that is better. The repositories are dealt into folds; each fold is asked with what was
chosen without it. Prints what was chosen from all, from each of the others, and the figures of the
yardsticks with every repository held out once; files them in bench/results/.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench import filing, quality
from bench.evaluation import Question, Variant, opened
from bench.yardsticks import Files
from gitsearch.retrieval.constants import DEFAULT, Ranking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.yardsticks import Lines, Scored

# How often all constants are gone through.
_ROUNDS = 2

# A step must better the mean by this: less is noise.
_LEAST = 0.0003

# Lines after which an answer is worth half: a screen.
_SCREEN = 60

Values = dict[str, list[float]]


class Bench:
    """All questions of the yardsticks, and what each is worth under a ranking."""

    def __init__(self, yardsticks: Sequence[Files | Lines]) -> None:
        self.yardsticks = yardsticks
        self._asked: list[tuple[Files | Lines, str, str, Question]] = []
        for one in yardsticks:
            for tree in one.trees():
                view = opened(tree.folder, tree.revision)
                for key, text in tree.questions:
                    question = Question(view, text, one.count)
                    self._asked.append((one, tree.folder.name, key, question))
        self.repositories = [repository for _, repository, _, _ in self._asked]
        sizes = Counter(one.name for one, *_ in self._asked)
        # yardsticks count alike, however many questions they have
        self._share = np.asarray([1 / sizes[one.name] for one, *_ in self._asked])
        self._worth: dict[Ranking, np.ndarray] = {}

    def worth(self, ranking: Ranking) -> np.ndarray:
        """What each answer is worth, from 0 to 1: float64 (questions)."""
        if ranking not in self._worth:
            every = np.full(len(self._asked), True)
            scored = self.scored([(ranking, every)])
            self._worth[ranking] = np.asarray(
                [_worth(one, scored[one.name].each, key) for one, _, key, _ in self._asked]
            )
        return self._worth[ranking]

    def scored(self, parts: Sequence[tuple[Ranking, np.ndarray]]) -> dict[str, Scored]:
        """The yardsticks' figures when each part of the questions is asked with its ranking."""
        answers: dict[str, Any] = {one.name: {} for one in self.yardsticks}
        for ranking, chosen in parts:
            for i in np.flatnonzero(chosen).tolist():
                one, _, key, question = self._asked[i]
                answers[one.name][key] = question.answered(Variant("", ranking))
        with tempfile.TemporaryDirectory() as scratch:
            return {
                one.name: one.score(answers[one.name], Path(scratch)) for one in self.yardsticks
            }

    def ascend(self, start: Ranking, tried: Values, which: np.ndarray) -> Ranking:
        """The best constants for some of the questions."""
        best, most = start, self._mean(start, which)
        for _ in range(_ROUNDS):
            before = best
            for name, values in tried.items():
                for way in (-1, 1):
                    while (moved := _beside(best, name, values, way)) != best:
                        found = self._mean(moved, which)
                        if found < most + _LEAST:
                            break
                        best, most = moved, found
            if best == before:
                break
        return best

    def _mean(self, ranking: Ranking, which: np.ndarray) -> float:
        return float(np.average(self.worth(ranking)[which], weights=self._share[which]))


def _worth(one: Files | Lines, each: dict[str, float], key: str) -> float:
    """What an answer is worth: NDCG, or how soon the right lines are on the screen."""
    found = each.get(key, 0.0)
    if isinstance(one, Files):
        return found
    return found * _SCREEN / (found * _SCREEN + 1)  # found: 1 / lines read


def _beside(ranking: Ranking, name: str, values: list[float], way: int) -> Ranking:
    """The ranking with the next value of a constant, or itself at the end of the list."""
    now = getattr(ranking, name)
    further = [value for value in values if (value - now) * way > 0]
    if not further:
        return ranking
    changed: dict[str, Any] = {name: min(further, key=lambda one: abs(one - now))}
    return dataclasses.replace(ranking, **changed)


def folds_of(repositories: Sequence[str], count: int, seed: int) -> np.ndarray:
    """Which fold each question is in, by its repository: int64 (questions)."""
    names = sorted(set(repositories))
    random.Random(seed).shuffle(names)
    place = {name: i % count for i, name in enumerate(names)}
    return np.asarray([place[name] for name in repositories])


def main() -> None:
    args = _parser().parse_args()
    tried = dict(map(_parsed, args.try_))
    started = time.monotonic()
    bench = Bench(quality.yardsticks(args))
    fold = folds_of(bench.repositories, args.folds, args.seed)
    every = np.full(len(fold), True)
    best = bench.ascend(DEFAULT, tried, every)
    print("from all repositories:", _told(best, tried), flush=True)
    parts = []
    for i in range(args.folds):
        chosen = bench.ascend(DEFAULT, tried, fold != i)
        print(f"without fold {i + 1}:", _told(chosen, tried), flush=True)
        parts.append((chosen, fold == i))
    held_out = bench.scored(parts)
    for name, scored in held_out.items():
        print(f"== {name}, every repository held out once\n{scored.said}")
    figures = {
        "tried": tried,
        "folds": args.folds,
        "seed": args.seed,
        "chosen from all": _values(best, tried),
        "chosen without each fold": [_values(one, tried) for one, _ in parts],
        "held out": {name: scored.figures for name, scored in held_out.items()},
        "seconds": round(time.monotonic() - started),
    }
    if not args.only or args.out:
        filing.write("fitting", figures, args.out)


def _parsed(text: str) -> tuple[str, list[float]]:
    name, _, values = text.partition("=")
    if not isinstance(getattr(DEFAULT, name, None), int | float) or not values:
        sys.exit(f"--try takes NAME=VALUE,VALUE with the name of a constant, not '{text}'")
    kind = type(getattr(DEFAULT, name))
    return name, [kind(float(value)) for value in values.split(",")]


def _values(ranking: Ranking, tried: Values) -> dict[str, Any]:
    return {name: getattr(ranking, name) for name in tried}


def _told(ranking: Ranking, tried: Values) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in _values(ranking, tried).items())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.fitting",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    quality.add_yardsticks(parser)
    add("--try", dest="try_", action="append", default=[], metavar="NAME=VALUE,...")
    add("--folds", type=int, default=6, help="parts that the repositories are dealt into")
    add("--seed", type=int, default=1, help="of the deal")
    add("--out", type=Path, help="where to file the figures")
    return parser


if __name__ == "__main__":
    main()
