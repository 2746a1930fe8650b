"""Questions of people who use a program, and of people who look for its code.

`bench/cases/howto.jsonl` has both about the same things: "how do I set a timeout" wants the
section of the README or the guide that says it, with the code that does it near by; "where is the
timeout passed on" wants the code first.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from bench.cases.definitions import Checkout
from bench.yardsticks import Lines

if TYPE_CHECKING:
    from pathlib import Path

    from bench.yardsticks import Answer, Scored

# What a first page shows.
_PAGE = 10


@dataclass(frozen=True)
class Howto(Lines):
    """Which section of a document answers, and where the code comes."""

    @property
    def name(self) -> str:
        return "howto"

    def score(self, answers: Answer, scratch: Path) -> Scored:
        """The figures of lines for both kinds of questions, and the ranks of code.

        code10: questions with a file of the program among the first ten results; code1: with such
        a file first; code_rank: its mean rank where there is one; right10: questions, of those
        whose code is known, with the lines that do it among the first ten.
        """
        scored = super().score(answers, scratch)
        figures = {kind: scored.figures[kind] for kind in ("howto", "where")}
        shares: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        scorer = self._scorer()
        for case in self.cases():
            found = answers[case["id"]][:_PAGE]
            program = _program(self.checkouts / case["repo"].replace("/", "+"))
            own = shares[case["kind"]]
            ranks = [rank for rank, one in enumerate(found, 1) if one.path in program]
            own["code10"].append(bool(ranks))
            own["code1"].append(ranks[:1] == [1])
            own["code_rank"].extend(ranks[:1])
            if case["code"]:
                shown = [{"path": one.path, "start": one.start, "end": one.end} for one in found]
                rank = scorer.first_rank(shown, case["code"], True)
                own["right10"].append(rank is not None)
        for kind, own in shares.items():
            means = {name: sum(each) / len(each) for name, each in own.items() if each}
            figures[kind].update(means)
        return replace(scored, figures=figures, said=scored.said + _told(figures))


@cache
def _program(folder: Path) -> frozenset[str]:
    """Paths of the program's own code: no tests, examples or documents."""
    return frozenset(Checkout(folder).sources)


def _told(figures: dict[str, Any]) -> str:
    return "".join(
        f"{kind}: code first {own['code1']:.3f}, code in the first ten {own['code10']:.3f},"
        f" the right code {own['right10']:.3f},"
        f" mean rank of the first code {own.get('code_rank', math.nan):.1f}\n"
        for kind, own in figures.items()
    )
