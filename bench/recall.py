"""What the shortcuts of a search lose: its answers against those of scoring everything.

    python -m bench.recall REPOSITORY... [--questions N]

Two cuts are made: the scan of sign bits hands `scan` chunks to exact scoring, and each leg hands
its best `depth` to fusion and reranking. Questions are made from the repositories themselves; each
is asked with the cuts as they are, with one of them lifted, and with none. Prints the share of
questions that get the same first ten results, in the same order and as a set, for the answer and
for the dense leg alone, and files the figures in bench/results/.

The scan saves time and should lose nothing. The depth is part of the ranking as well: evidence of
a file is summed over candidates, so more of them are another ranking, not a more exact one. So
are the sums over the scanned chunks of a file (`file_share`), which are left out here.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bench import filing
from bench.evaluation import Question, Variant, opened
from bench.inprocess import add_arguments, questions, update
from gitsearch.retrieval.constants import DEFAULT

if TYPE_CHECKING:
    from pathlib import Path

    from bench.evaluation import Found
    from gitsearch.index.view import View

_RANKING = replace(DEFAULT, file_share=0.0)
_QUESTIONS = 1000
_COUNT = 10
_KEPT_MISSES = 20

Places = list[tuple[str, int, int]]


def main() -> None:
    args = _parser().parse_args()
    figures: dict[str, Any] = {"seed": args.seed, "scan": DEFAULT.scan, "depth": DEFAULT.depth}
    figures["repositories"] = []
    for folder in args.repositories:
        own = _compared(folder, args.questions, args.seed)
        figures["repositories"].append(own)
        print(f"\n{own['repository']}: {own['chunks']} chunks, {own['asked']} questions\n")
        print(_table(own["rows"]), flush=True)
        filing.write("recall", figures, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.recall",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_arguments(parser, _QUESTIONS)
    return parser


def _compared(folder: Path, count: int, seed: int) -> dict[str, Any]:
    update(folder)
    view = opened(folder, "HEAD")
    chunks = len(view.live)  # no fewer than there are
    asked = questions(folder, count, seed)
    lifted = {
        "scan": replace(_RANKING, scan=chunks),
        "depth": replace(_RANKING, depth=chunks),
        "both": replace(_RANKING, scan=chunks, depth=chunks),
    }
    rows = []
    for kind, base in _KINDS.items():
        variants = {name: replace(base, ranking=ranking) for name, ranking in lifted.items()}
        rows += _rows(kind, view, asked, {kind: base, **variants})
    return {
        "repository": folder.resolve().name,
        "revision": filing.git("rev-parse", "HEAD", cwd=folder),
        "chunks": int(view.live.sum()),
        "asked": len(asked),
        "rows": rows,
    }


_KINDS = {
    "answer": Variant("answer", ranking=_RANKING),
    "dense leg": Variant("dense leg", mode="semantic", rerank=False, ranking=_RANKING),
}


def _rows(
    kind: str, view: View, asked: list[str], variants: dict[str, Variant]
) -> list[dict[str, Any]]:
    """The first variant, which is the default, against each of the others."""
    found: dict[str, list[Places]] = {name: [] for name in variants}
    for i, text in enumerate(asked):
        for name, variant in variants.items():
            found[name].append(_places(Question(view, text, _COUNT).answered(variant)))
        if sys.stderr.isatty():
            print(f"\r{kind}: {i + 1}/{len(asked)}", end="", file=sys.stderr)
    ours, *others = found
    return [
        {"of": kind, "lifted": name, **_agreement(asked, found[ours], found[name])}
        for name in others
    ]


def _places(found: list[Found]) -> Places:
    return [(one.path, one.start, one.end) for one in found]


def _agreement(asked: list[str], own: list[Places], exact: list[Places]) -> dict[str, Any]:
    pairs = list(zip(own, exact, strict=True))
    shared = sum(len({*a} & {*b}) for a, b in pairs)
    missed = [text for text, (a, b) in zip(asked, pairs, strict=True) if {*a} != {*b}]
    return {
        "same_order": _share(sum(a == b for a, b in pairs), len(pairs)),
        "same_set": _share(len(pairs) - len(missed), len(pairs)),
        "same_first": _share(sum(a[:1] == b[:1] for a, b in pairs), len(pairs)),
        "results_found": _share(shared, sum(len({*b}) for _, b in pairs)),
        "missed": missed[:_KEPT_MISSES],
    }


def _share(part: int, whole: int) -> float:
    return round(part / max(whole, 1), 4)


def _table(rows: list[dict[str, Any]]) -> str:
    keys = ("same_order", "same_set", "same_first", "results_found")
    head = ["of", "lifted", *(key.replace("_", " ") for key in keys)]
    cells = [[row["of"], row["lifted"], *(f"{row[key]:.4f}" for key in keys)] for row in rows]
    return filing.table(head, cells, left=2)


if __name__ == "__main__":
    main()
