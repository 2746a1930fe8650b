"""Eight readers ask while a writer plays the history of a repository again.

    python -m bench.readers REPOSITORY --environment VENV [--commits N] [--readers N]

Each reader runs one `git search --json` after the other in a clone in which the last commits of
the first parents are checked out and indexed, one right after the other. An answer names its tree
and how many edited files were laid over it. One over none must be, to the last byte, what a clone
in which nobody writes answers in that commit. A `git reset --hard` at work looks to a reader like
edited files: such an answer is compared with that commit's and with the next one's, and what is
neither is counted as between them. One that says that files are pending is counted apart.

Before and after the same readers ask with no writer about. Prints errors, wrong answers and the
time of an answer at the median and at the 95th per cent. Ends with 1 on errors and wrong answers;
the clones stay then.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from bench import contenders, filing, histories
from bench.processes import Contender, run
from bench.replay import made_up

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_COMMITS = 100
_READERS = 8
_QUESTIONS = 8
_IDLE = 60.0
_KEPT = 10
_BAD = ("error", "wrong")


@dataclass(frozen=True)
class _Answer:
    text: str
    seconds: float
    code: int
    document: bytes
    complaint: str


@dataclass
class _Readers:
    """Threads that each run one search after the other, while this is entered."""

    args: argparse.Namespace
    clone: Path
    asked: Sequence[str]
    answers: list[_Answer] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> _Readers:
        seeds = range(self.args.seed, self.args.seed + self.args.readers)
        self._threads = [threading.Thread(target=self._read, args=(seed,)) for seed in seeds]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _read(self, seed: int) -> None:
        random = Random(seed)
        while not self._over.is_set():
            text = random.choice(self.asked)
            started = time.perf_counter()
            done = histories.said(_search(self.args, self.clone, text))
            took = time.perf_counter() - started
            complaint = done.stderr.decode("utf-8", "replace").strip()
            self.answers.append(_Answer(text, took, done.returncode, done.stdout, complaint))


def main() -> None:
    args = _parser().parse_args()
    figures: dict[str, Any] = {
        "seed": args.seed,
        "readers": args.readers,
        "load_before": os.getloadavg(),
        **contenders.programs(args),
    }
    with histories.cloned(args.repository, args.scratch, "busy", "calm") as (busy, calm):
        commits = histories.commits(busy, args.commits + 1)
        figures |= {"repository": args.repository.resolve().name, "revision": commits[-1]}
        figures["commits"] = len(commits) - 1
        histories.check_out(busy, commits[0])
        run(contenders.ours(args, busy, "index", "-q"))
        asked = made_up(busy, args.questions, args.seed)
        idle = _idle(args, busy, asked)
        with _Readers(args, busy, asked) as readers:
            started = time.perf_counter()
            updates = []
            for commit in commits[1:]:
                histories.check_out(busy, commit)
                updates.append(run(contenders.ours(args, busy, "index", "-q")).wall)
            took = time.perf_counter() - started
        idle += _idle(args, busy, asked)
        run(contenders.ours(args, busy, "verify"))
        figures |= {
            "seconds": round(took, 1),
            "update_ms": round(median(updates) * 1e3, 1),
            "idle": _timed(idle),
            "written_to": _timed(readers.answers),
        }
        ratio = figures["written_to"]["p95_ms"] / figures["idle"]["p95_ms"]
        figures["p95_times_idle"] = round(ratio, 2)
        print(_line(figures), flush=True)
        filing.write("readers", figures, args.out)
        judged = _Judge(args, calm, commits).judged([*idle, *readers.answers])
        figures |= judged
        filing.write("readers", figures, args.out)
        print(", ".join(f"{kind} {count}" for kind, count in judged["answers"].items()))
        if judged["bad"]:
            sys.exit("\n".join(judged["bad"]))


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("readers", __doc__)
    add = parser.add_argument
    add("--commits", type=int, default=_COMMITS, help="default: %(default)s")
    add("--readers", type=int, default=_READERS, help="default: %(default)s")
    add("--questions", type=int, default=_QUESTIONS, help="default: %(default)s")
    add("--idle", type=float, default=_IDLE, help="seconds before and after (%(default)s)")
    add("--seed", type=int, default=0)
    return parser


def _search(args: argparse.Namespace, clone: Path, text: str) -> Contender:
    return contenders.ours(args, clone, "--json", "-e", text)


def _idle(args: argparse.Namespace, clone: Path, asked: Sequence[str]) -> list[_Answer]:
    with _Readers(args, clone, asked) as readers:
        time.sleep(args.idle)
    return readers.answers


# ---------------------------------------------------------------- answers


class _Judge:
    """Compares answers with those of a clone in which nobody writes."""

    def __init__(self, args: argparse.Namespace, calm: Path, commits: list[str]) -> None:
        self._args = args
        self._calm = calm
        self._next = dict(zip(commits, [*commits[1:], None], strict=True))
        self._right: dict[tuple[str, str], bytes] = {}

    def judged(self, answers: list[_Answer]) -> dict[str, Any]:
        """Kinds of answers counted, and what was said or answered that should not have been."""
        self._compute(answers)
        counts: Counter[str] = Counter()
        said: Counter[str] = Counter()
        bad: list[str] = []
        for answer in answers:
            kind = self._kind(answer)
            counts[kind] += 1
            if kind in _BAD:
                bad.append(f"{kind}: {answer.text}: {answer.code} {answer.complaint}")
            if answer.complaint:
                counts["said on stderr"] += 1
                said[answer.complaint] += 1
        failed = {name: counts[name] for name in _BAD}
        return {**failed, "answers": dict(counts), "said": dict(said), "bad": bad[:_KEPT]}

    def _compute(self, answers: list[_Answer]) -> None:
        """The right answers of all commits that were answered for, in their order."""
        wanted: dict[str, set[str]] = {}
        for answer in answers:
            if answer.code <= 1:
                commit = _tree(answer.document)["commit"]
                for one in filter(None, (commit, self._next[commit])):
                    wanted.setdefault(one, set()).add(answer.text)
        for commit in self._next:
            histories.check_out(self._calm, commit)
            for text in sorted(wanted.get(commit, ())):
                done = histories.said(_search(self._args, self._calm, text))
                self._right[commit, text] = done.stdout

    def _kind(self, answer: _Answer) -> str:
        if answer.code > 1:
            return "error"
        tree = _tree(answer.document)
        commit = tree["commit"]
        right = self._right[commit, answer.text]
        if json.loads(answer.document)["coverage"]["pending"]:
            return "pending"
        if not tree["dirty"]:
            return "right" if answer.document == right else "wrong"
        found = _without_tree(answer.document)
        if found == _without_tree(right):
            return "dirty, as the commit"
        later = self._right.get((self._next[commit] or "", answer.text))
        if later and found == _without_tree(later):
            return "dirty, as the next commit"
        return "dirty, between"


def _tree(document: bytes) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(document)["tree"]
    return tree


def _without_tree(document: bytes) -> dict[str, Any]:
    return {key: value for key, value in json.loads(document).items() if key != "tree"}


# ---------------------------------------------------------------- figures


def _timed(answers: list[_Answer]) -> dict[str, Any]:
    seconds = [answer.seconds for answer in answers]
    return {
        "answers": len(seconds),
        "median_ms": round(median(seconds) * 1e3, 1),
        "p95_ms": round(histories.percentile(seconds, 0.95) * 1e3, 1),
        "most_ms": round(max(seconds) * 1e3, 1),
    }


def _line(figures: dict[str, Any]) -> str:
    idle, busy = figures["idle"], figures["written_to"]
    return (
        f"{figures['repository']}: {figures['commits']} commits in {figures['seconds']} s,"
        f" {figures['readers']} readers\n"
        f"idle: {idle['answers']} answers, {idle['median_ms']} ms, p95 {idle['p95_ms']} ms\n"
        f"with a writer: {busy['answers']}, {busy['median_ms']} ms, p95 {busy['p95_ms']} ms:"
        f" p95 {figures['p95_times_idle']} times idle"
    )


if __name__ == "__main__":
    main()
