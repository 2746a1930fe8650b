"""Ask random questions within random budgets of tokens, and count what is printed.

    python -m bench.budgets REPOSITORY... [--questions N] [--seed N] [--out FILE]

A question is a search in one of its modes, `context` or `map`, in one of the forms of an answer,
with random options; half of them as for a terminal. A budget is a ceiling for all that is printed
(tokens of cl100k): the exit code is 1 if an answer is longer. How much of a budget is used is
counted where twice the budget has more to say than the budget holds; one question in ten without
`-k` is asked again for that. Repositories are indexed where they lie.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections import Counter, defaultdict
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bench import filing, inprocess
from gitsearch.cli import application
from gitsearch.commands.tree_selection import session_opener
from gitsearch.features.token_count import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.commands.tree_selection import SessionOpener

_QUESTIONS = 10_000
_COMPARED = 10
_BUDGETS = (40, 8000)
_FOUND, _NOTHING = 0, 1

_MODES: tuple[tuple[str, ...], ...] = (
    *((),) * 4,
    *(("--mode", mode) for mode in ("semantic", "lexical", "symbol")),
    ("-F",),
    ("-F", "-i", "-w"),
    ("-E", "--sort", "path"),
)
_FORMS: tuple[tuple[str, ...], ...] = (
    *((),) * 4,
    *(("--json",),) * 3,
    ("--jsonl",),
    ("--explain",),
    ("-l",),
    ("-c",),
    ("-z",),
)
_SHOWN: tuple[tuple[str, ...], ...] = (
    *((),) * 5,
    ("-W",),
    ("-C", "3"),
    ("--max-lines", "0"),
    ("--max-lines", "2"),
    ("-k", "3"),
)
_FILTERS: tuple[tuple[str, ...], ...] = (
    *((),) * 5,
    ("--tests", "exclude"),
    ("--content", "docs"),
    ("--content", "code"),
)


class Asked(NamedTuple):
    """The words of a command without its budget; paged: its first page is asked for before."""

    verb: str
    words: tuple[str, ...]
    budget: int
    terminal: bool
    paged: bool


def main() -> None:
    args = _parser().parse_args()
    each = args.questions // len(args.repositories)
    figures = [_measured(folder, each, args.seed) for folder in args.repositories]
    answer = {"questions": each, "seed": args.seed, "repositories": figures}
    filing.write("budgets", answer, args.out)
    sys.exit(any(figure["exceeded"] for figure in figures))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.budgets",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    inprocess.add_arguments(parser, _QUESTIONS)
    return parser


def _measured(folder: Path, questions: int, seed: int) -> dict[str, Any]:
    inprocess.update(folder)
    os.chdir(folder)
    opener = session_opener()
    codes: Counter[str] = Counter()
    used: defaultdict[str, list[float]] = defaultdict(list)
    exceeded = []
    for number, asked in enumerate(_drawn(Path.cwd(), questions, Random(seed))):
        code, tokens, words = _printed(opener, asked)
        codes[f"{asked.verb} {code}"] += 1
        if code in (_FOUND, _NOTHING) and tokens > asked.budget:
            exceeded.append({"words": words, "terminal": asked.terminal, "tokens": tokens})
            print(exceeded[-1], file=sys.stderr, flush=True)
        if number % _COMPARED == 0 and code == _FOUND and "-k" not in words:
            _, more, _ = _printed(opener, asked._replace(budget=2 * asked.budget))
            if more > asked.budget:
                used[asked.verb].append(tokens / asked.budget)
    figures = {
        "repository": folder.resolve().name,
        "revision": filing.git("rev-parse", "HEAD", cwd=Path.cwd()),
        "codes": dict(sorted(codes.items())),
        "exceeded": exceeded,
        "used": {verb: _spread(shares) for verb, shares in sorted(used.items())},
    }
    print(json.dumps(figures, indent=1), flush=True)
    return figures


def _spread(shares: list[float]) -> dict[str, float]:
    """The number of shares of a budget, their mean, and their 5th percentile and median."""
    low, median = np.percentile(shares, (5, 50)).tolist()
    return {
        "count": len(shares),
        "mean": round(float(np.mean(shares)), 3),
        "p5": round(low, 3),
        "p50": round(median, 3),
    }


def _drawn(folder: Path, questions: int, random: Random) -> Iterator[Asked]:
    texts = inprocess.questions(folder, questions, random.randrange(1 << 30))
    paths = filing.git("ls-files", "-z", cwd=folder).split("\0")[:-1]
    low, high = np.log(_BUDGETS).tolist()
    for _ in range(questions):
        budget = round(float(np.exp(random.uniform(low, high))))
        terminal, text = random.random() < 0.5, random.choice(texts)
        verb = random.choice(("search",) * 8 + ("context", "map"))
        if verb == "search":
            parts = [random.choice(kind) for kind in (_MODES, _FORMS, _SHOWN, _FILTERS)]
            words = tuple(word for part in parts for word in part)
            paged = "--json" in words and random.random() < 0.5
            yield Asked(verb, (*words, "-e", text), budget, terminal, paged)
            continue
        form = random.choice(((), ("--json",)))
        about = random.choice((text, random.choice(paths))) if verb == "context" else ""
        yield Asked(verb, (verb, *form, *filter(None, [about])), budget, terminal, paged=False)


def _printed(opener: SessionOpener, asked: Asked) -> tuple[int, int, tuple[str, ...]]:
    """Run a command; returns its exit code, the tokens that it has printed, and its words."""
    own = ("--budget", str(asked.budget))
    verb = asked.words[:1] if asked.verb != "search" else ()
    words = (*verb, *own, *asked.words[len(verb) :])
    code, text = _run(opener, words, terminal=asked.terminal)
    if asked.paged and code == _FOUND and (token := json.loads(text)["next"]):
        words = ("--continue", token, *words)
        code, text = _run(opener, words, terminal=asked.terminal)
    return code, count(text), words


def _run(opener: SessionOpener, words: tuple[str, ...], *, terminal: bool) -> tuple[int, str]:
    if terminal:
        os.environ["GIT_PAGER_IN_USE"] = "1"
    else:
        os.environ.pop("GIT_PAGER_IN_USE", None)
    printed, said = io.BytesIO(), io.BytesIO()
    stdout, stderr = (
        io.TextIOWrapper(sink, encoding="utf-8", write_through=True) for sink in (printed, said)
    )
    with redirect_stdout(stdout), redirect_stderr(stderr):
        code = application.run(words, opener)
    return code, printed.getvalue().decode("utf-8", "surrogateescape")


if __name__ == "__main__":
    main()
