"""Measure the cost of a question to many repositories; check that their order has no effect.

    python -m bench.many FOLDER [--questions N] [--rounds N]

FOLDER holds checkouts, with their indexes; one without is indexed where it lies. Questions are
made from the repositories themselves. Measured are a cold process that asks with `--in FOLDER`, of
HEAD and of the working trees, in turns with one that imports numpy alone; the same in one process
that answers all questions; and the ranking alone, of views that are open. Then every question is
asked with the repositories named in other orders. Files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from bench import filing, inprocess
from bench.evaluation import Question, Variant, opened
from gitsearch.cli.application import run
from gitsearch.cli.questions import Questions
from gitsearch.git.clones import repositories_in
from gitsearch.index.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_QUESTIONS, _ROUNDS, _COUNT = 30, 5, 10
_ORDERS = 3


def main() -> None:
    args = parser("python -m bench.many", __doc__, _QUESTIONS, _ROUNDS).parse_args()
    folder, out = args.folder.resolve(), args.out and args.out.resolve()
    clones = list(repositories_in(folder))
    for clone in clones:
        inprocess.update(clone)
    asked = mixed_questions(clones, args.questions, args.seed)
    view = View.joined([opened(clone, "HEAD") for clone in clones])
    figures: dict[str, Any] = {
        "repositories": len(clones),
        "work_trees_mb": round(sum(map(_size, clones)) / 1e6),
        "files": sum(len(_tracked(clone)) for clone in clones),
        "chunks": view.count,
        "questions": len(asked),
        "rounds": args.rounds,
        **_cold(folder, asked[: args.rounds]),
        **_warm(folder, asked, args.rounds),
        **_ranking(view, asked, args.rounds),
        **_orders(folder, clones, asked, args.seed),
    }
    print("  ".join(f"{key} {value}" for key, value in figures.items()))
    filing.write("many", figures, out)


def parser(
    program: str, description: str | None, questions: int, rounds: int
) -> argparse.ArgumentParser:
    """The command line of a program that asks a folder of checkouts; numbers are defaults."""
    made = argparse.ArgumentParser(
        prog=program,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = made.add_argument
    add("folder", type=Path, help="a folder with checkouts")
    add("--questions", type=int, default=questions, help="default: %(default)s")
    add("--rounds", type=int, default=rounds, help="default: %(default)s")
    add("--seed", type=int, default=0)
    add("--out", type=Path, help="where to file the figures")
    return made


def mixed_questions(clones: Sequence[Path], count: int, seed: int) -> list[str]:
    """Names and sentences of all repositories, mixed."""
    each = max(2, -(-count // len(clones)))
    found = [text for clone in clones for text in inprocess.questions(clone, each, seed)]
    random = Random(seed)
    return random.sample(found, min(count, len(found)))


def _tracked(clone: Path) -> list[str]:
    return filing.git("ls-files", "-z", cwd=clone).split("\0")[:-1]


def _size(clone: Path) -> int:
    """Bytes of the tracked files as they lie there."""
    paths = (clone / path for path in _tracked(clone))
    return sum(path.lstat().st_size for path in paths if os.path.lexists(path))


def _cold(folder: Path, asked: Sequence[str]) -> dict[str, float]:
    """Milliseconds of processes, in turns; and how often the time of numpy alone that is."""
    # as `git search` starts, without looking for modules in the current folder
    python = [sys.executable, "-P"]
    took: dict[str, list[float]] = {"numpy": [], "cold_head": [], "cold_working_trees": []}
    busy: dict[str, list[float]] = {name: [] for name in took}
    for text in ["warm up", *asked]:
        search = [*python, "-m", "gitsearch", "--in", ".", f"-k{_COUNT}"]
        commands = {
            "numpy": [*python, "-c", "import numpy"],
            "cold_head": [*search, "--at", "HEAD", "-e", text],
            "cold_working_trees": [*search, "-e", text],
        }
        for name, command in commands.items():
            before = _busy_elsewhere()
            took[name].append(_seconds(_process, command, folder))
            busy[name].append(_busy_elsewhere() - before)
    # the first round finds the disk cold
    middle = {name: median(seconds[1:]) * 1e3 for name, seconds in took.items()}
    return {
        **{f"{name}_p50_ms": round(ms, 1) for name, ms in middle.items()},
        # of the process and all of git's; other programs slow it less
        **{f"{name}_cpu_p50_ms": round(median(own[1:]) * 1e3, 1) for name, own in busy.items()},
        "cold_head_to_numpy": round(middle["cold_head"] / middle["numpy"], 2),
        "cold_working_trees_to_numpy": round(middle["cold_working_trees"] / middle["numpy"], 2),
    }


def _process(command: Sequence[str], folder: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(filing.ROOT)}
    # an installed program is compiled
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, check=True)


def _warm(folder: Path, asked: Sequence[str], rounds: int) -> dict[str, float]:
    """Milliseconds of whole answers in JSON, in one process."""
    questions = Questions(run)
    questions.prepare()
    os.chdir(folder)
    figures: dict[str, float] = {}
    for name, at in (("warm_head", ("--at", "HEAD")), ("warm_working_trees", ())):
        words = ("--in", ".", *at, f"-k{_COUNT}", "-e")
        ask = partial(_answered, questions, words)
        figures |= _percentiles(name, asked, rounds, ask)
    return figures


def _answered(questions: Questions, words: Sequence[str], text: str) -> None:
    questions.answer([*words, text])


def _ranking(view: View, asked: Sequence[str], rounds: int) -> dict[str, float]:
    """Milliseconds of the ranking alone."""

    def ask(text: str) -> None:
        Question(view, text, _COUNT).answered(Variant("default"))

    return _percentiles("ranking", asked, rounds, ask)


def _percentiles(
    name: str, asked: Sequence[str], rounds: int, ask: Callable[[str], object]
) -> dict[str, float]:
    for text in asked:
        ask(text)
    took, busy, of_git = [], [], []
    for text in [*asked] * rounds:
        before, elsewhere = time.process_time(), _busy_elsewhere()
        took.append(_seconds(ask, text))
        busy.append(time.process_time() - before)
        of_git.append(_busy_elsewhere() - elsewhere)
    return {
        f"{name}_p50_ms": round(median(took) * 1e3, 1),
        f"{name}_p95_ms": round(quantiles(took, n=20)[-1] * 1e3, 1),
        # of this process, and of those of git that ended; other programs slow them less
        f"{name}_cpu_p50_ms": round(median(busy) * 1e3, 1),
        f"{name}_git_cpu_p50_ms": round(median(of_git) * 1e3, 1),
    }


def _busy_elsewhere() -> float:
    """Seconds of processor time of the processes that this one has waited for, and of theirs."""
    times = os.times()
    return times.children_user + times.children_system


def _seconds(work: Callable[..., object], *words: object) -> float:
    started = time.perf_counter()
    work(*words)
    return time.perf_counter() - started


def _orders(
    folder: Path, clones: Sequence[Path], asked: Sequence[str], seed: int
) -> dict[str, int]:
    """Count the answers whose bytes differ if the repositories are named in another order."""
    random = Random(seed)
    questions = Questions(run)
    names = [str(clone.relative_to(folder)) for clone in clones]
    differing = 0
    for text in asked:
        answers = set()
        for _ in range(_ORDERS):
            named = [word for name in random.sample(names, len(names)) for word in ("--in", name)]
            document = json.loads(questions.answer([*named, "--at", "HEAD", "-e", text]).text)
            del document["actions"]  # they repeat the words of the command
            answers.add(json.dumps(document))
        differing += len(answers) > 1
    return {"orders_of_each": _ORDERS, "answers_that_differ": differing}


if __name__ == "__main__":
    main()
