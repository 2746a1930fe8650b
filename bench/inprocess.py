"""What a search costs within a process: one opened view, many questions.

    python -m bench.inprocess REPOSITORY... [--questions N] [--rounds N]

The index is brought up to date by a process of its own first. Then HEAD's view is opened once and
asked questions that are made from the repository itself. Prints milliseconds at the median and at
the 95th per cent, of the first round and of the later ones, and the peak of resident memory, and
files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import time
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from bench import filing
from bench.evaluation import Question, Variant, opened

if TYPE_CHECKING:
    from collections.abc import Sequence

_QUESTIONS = 50
_ROUNDS = 5
_COUNT = 10

# Questions come from so many files, picked at random.
_FILES = 3000
_LARGEST = 1 << 20

# What follows these words is the name of a definition in most languages.
_DEFINED = re.compile(
    r"^[ \t]*(?:[a-z]+[ \t]+)*?"
    r"(?:class|def|defmodule|enum|fn|func|function|interface|macro|module|struct|trait|type)[ \t]+"
    r"(?:\([^)\n]*\)[ \t]*)?(?:self\.)?([A-Za-z_]\w{3,})",
    re.M,
)
# A line of a comment in the same languages, that begins as a sentence does.
_COMMENT = re.compile(
    r'^[ \t]*(?:#+|//[/!]?|/?\*+|--|;+|""")[ \t]+([A-Z][a-z]* [a-z].{15,})$', re.M
)
_WORDS = re.compile(r"[A-Za-z][\w']*")
_MOST_WORDS = 9


def main() -> None:
    args = _parser().parse_args()
    figures: dict[str, Any] = {"questions": args.questions, "rounds": args.rounds}
    figures["repositories"] = []
    for folder in args.repositories:
        update(folder)
        # a process each, whose peak of memory is its own
        with get_context("spawn").Pool(1) as pool:
            own = pool.apply(_measured, (folder, args.questions, args.rounds, args.seed))
        figures["repositories"].append(own)
        print("  ".join(f"{key} {value}" for key, value in own.items()), flush=True)
    filing.write("inprocess", figures, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.inprocess",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_arguments(parser, _QUESTIONS)
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help="default: %(default)s")
    return parser


def add_arguments(parser: argparse.ArgumentParser, count: int) -> None:
    """The arguments of every program that asks made-up questions."""
    add = parser.add_argument
    add("repositories", nargs="+", type=Path, help="each is indexed where it lies")
    add("--questions", type=int, default=count, help="of each (default: %(default)s)")
    add("--seed", type=int, default=0)
    add("--out", type=Path, help="where to file the figures")


def update(folder: Path) -> None:
    """Bring the index up to date, in another process."""
    env = {**os.environ, "PYTHONPATH": str(filing.ROOT)}
    command = [sys.executable, "-P", "-m", "gitsearch", "index"]
    subprocess.run(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, check=True)


def _measured(folder: Path, count: int, rounds: int, seed: int) -> dict[str, Any]:
    asked = questions(folder, count, seed)
    before = _peak()
    started = time.perf_counter()
    view = opened(folder, "HEAD")
    opening = time.perf_counter() - started
    took = np.zeros((rounds + 1, len(asked)))
    for turn in range(rounds + 1):
        for i, text in enumerate(asked):
            started = time.perf_counter()
            Question(view, text, _COUNT).answered(Variant("default"))
            took[turn, i] = time.perf_counter() - started
    return {
        "repository": folder.resolve().name,
        "revision": filing.git("rev-parse", "HEAD", cwd=folder),
        "chunks": int(view.live.sum()),
        "asked": len(asked),
        "open_ms": round(opening * 1e3, 2),
        **_percentiles("first_round", took[0]),
        **_percentiles("later", took[1:]),
        "slowest": asked[int(np.median(took[1:], axis=0).argmax())],
        "peak_mb_before": before,
        "peak_mb": _peak(),
    }


def _percentiles(name: str, seconds: np.ndarray) -> dict[str, float]:
    return {f"{name}_p{p}_ms": round(float(np.percentile(seconds, p)) * 1e3, 2) for p in (50, 95)}


def _peak() -> float:
    # kilobytes on Linux, bytes on macOS
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6, 1)


def questions(folder: Path, count: int, seed: int) -> list[str]:
    """Names of definitions and words of comments, half of each, as a repository's HEAD has them.

    They are found by their looks, not by our own index, which must not choose its questions.
    """
    random = Random(seed)
    paths = filing.git("ls-files", "-z", cwd=folder).split("\0")[:-1]
    names: set[str] = set()
    sentences: set[str] = set()
    for path in random.sample(paths, min(_FILES, len(paths))):
        text = _text(folder / path)
        names.update(_DEFINED.findall(text))
        sentences.update(_sentence(line) for line in _COMMENT.findall(text))
    halves = [
        _sample(random, sorted(names), count // 2),
        _sample(random, sorted(sentences), count - count // 2),
    ]
    out = [one for half in halves for one in half]
    random.shuffle(out)
    return out


def _sample(random: Random, found: Sequence[str], count: int) -> list[str]:
    return random.sample(found, min(count, len(found)))


def _sentence(line: str) -> str:
    return " ".join(_WORDS.findall(line)[:_MOST_WORDS])


def _text(path: Path) -> str:
    if not path.is_file() or path.is_symlink() or path.stat().st_size > _LARGEST:
        return ""
    return path.read_text(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    main()
