"""An index that is kept up to date over many commits, against one made afresh.

    python -m bench.replay REPOSITORY --environment VENV [--commits N] [--every N]

The last commits of the first parents are checked out one after the other in a clone, and the index
is updated after each. After each --every of them another clone makes its index from nothing, and
both are asked the same questions, made from the repository itself: names of definitions, words of
comments, words of commit messages. The answers, with all factors of the scores, must be the same
to the last byte, before `git search gc` and after it. The kept index is weighed before and after
gc, against the fresh one. Ends with 1 where answers differ; the clones stay then.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from bench import contenders, filing, histories
from bench.inprocess import questions
from bench.processes import run

if TYPE_CHECKING:
    from pathlib import Path

_COMMITS = 1000
_EVERY = 50
_QUESTIONS = 12

# Words of a commit's subject make a question where there are so many.
_WORDS = re.compile(r"[A-Za-z][\w']+")
_FEWEST, _MOST = 3, 7
_SUBJECTS = 500

_ASK = ("--json", "--explain", "-k", "20", "-e")


def main() -> None:
    args = _parser().parse_args()
    figures: dict[str, Any] = {"seed": args.seed, **contenders.programs(args)}
    with histories.cloned(args.repository, args.scratch, "kept", "fresh") as (kept, fresh):
        commits = histories.commits(kept, args.commits)
        figures |= {
            "repository": args.repository.resolve().name,
            "revision": commits[-1],
            "commits": len(commits),
            "steps": [],
        }
        took: list[float] = []
        for number, commit in enumerate(commits, 1):
            histories.check_out(kept, commit)
            took.append(run(contenders.ours(args, kept, "index", "-q")).wall)
            if number % args.every and number < len(commits):
                continue
            step = {"commits": number, "commit": commit, **_checked(args, kept, fresh, commit)}
            step["update_ms"] = round(median(took) * 1e3, 1)
            took.clear()
            figures["steps"].append(step)
            print(_line(step), flush=True)
            filing.write("replay", figures, args.out)
            if step["differing"]:
                sys.exit(f"answers differ at {commit}: {step['differing']}")


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("replay", __doc__)
    add = parser.add_argument
    add("--commits", type=int, default=_COMMITS, help="default: %(default)s")
    add("--every", type=int, default=_EVERY, help="commits between two looks (%(default)s)")
    add("--questions", type=int, default=_QUESTIONS, help="at each look (default: %(default)s)")
    add("--seed", type=int, default=0)
    return parser


def _checked(args: argparse.Namespace, kept: Path, fresh: Path, commit: str) -> dict[str, Any]:
    """One look: both indexes are asked, and weighed."""
    asked = made_up(kept, args.questions, args.seed)
    histories.check_out(fresh, commit)
    shutil.rmtree(histories.folder(fresh), ignore_errors=True)
    run(contenders.ours(args, fresh, "index", "-q"))
    right = _answers(args, fresh, asked)
    differing = [
        f"before gc: {text}" for text in _differing(asked, right, _answers(args, kept, asked))
    ]
    before = histories.weight(kept)
    run(contenders.ours(args, kept, "gc"))
    differing += [
        f"after gc: {text}" for text in _differing(asked, right, _answers(args, kept, asked))
    ]
    run(contenders.ours(args, kept, "verify"))
    sizes = (before, histories.weight(kept), histories.weight(fresh))
    return {
        "asked": len(asked),
        "answered": sum(b'"rank"' in answer for answer in right),
        "differing": differing,
        "mb_before_gc": round(sizes[0] / 1e6, 2),
        "mb_after_gc": round(sizes[1] / 1e6, 2),
        "mb_fresh": round(sizes[2] / 1e6, 2),
        "before_gc_times_fresh": round(sizes[0] / sizes[2], 3),
        "after_gc_times_fresh": round(sizes[1] / sizes[2], 3),
        "record_mb": _record_mb(kept),
        "fresh_record_mb": _record_mb(fresh),
    }


def made_up(clone: Path, count: int, seed: int) -> list[str]:
    """Questions from the checked out files, and one in three from messages of commits."""
    random = Random(seed)
    log = filing.git("log", f"--max-count={_SUBJECTS}", "--format=%s", cwd=clone)
    split = [_WORDS.findall(line)[:_MOST] for line in log.splitlines()]
    subjects = sorted({" ".join(words) for words in split if len(words) >= _FEWEST})
    own = random.sample(subjects, min(count // 3, len(subjects)))
    return questions(clone, count - len(own), seed) + own


def _answers(args: argparse.Namespace, clone: Path, asked: list[str]) -> list[bytes]:
    return [answer(args, clone, text) for text in asked]


def answer(args: argparse.Namespace, clone: Path, text: str) -> bytes:
    """The document with all there is to know; a refusal ends the benchmark."""
    done = histories.said(contenders.ours(args, clone, *_ASK, text))
    if done.returncode > 1:
        sys.exit(f"git search {text!r} in {clone}: {done.stderr.decode('utf-8', 'replace')}")
    return done.stdout


def _differing(asked: list[str], right: list[bytes], found: list[bytes]) -> list[str]:
    pairs = zip(asked, right, found, strict=True)
    return [text for text, ours, theirs in pairs if ours != theirs]


def _record_mb(clone: Path) -> float:
    return round((histories.folder(clone) / "index.duckdb").stat().st_size / 1e6, 2)


def _line(step: dict[str, Any]) -> str:
    same = 2 * step["asked"] - len(step["differing"])
    return (
        f"{step['commits']:>5} commits: {same} of {2 * step['asked']} answers the same;"
        f" {step['mb_before_gc']} MB, {step['mb_after_gc']} after gc, {step['mb_fresh']} fresh:"
        f" {step['before_gc_times_fresh']:.2f} and {step['after_gc_times_fresh']:.2f} times;"
        f" {step['update_ms']:.0f} ms an update"
    )


if __name__ == "__main__":
    main()
