"""Subjects of commits as descriptions of the chunks whose lines they wrote: what they would do.

    python -m bench.subjects --yardstick DIR --checkouts DIR [--only REPOSITORY]... [--out FILE]

Asks the cases of bench/cases whose words are those of a commit or of a document. The words of a
chunk are those of its text and of the subjects of the commits that wrote its lines, by blame. Of
the commit that a case was made of, and of all that are not reached from its parent, nothing is
shown: the subject of the right commit is the question. Standard errors are those of differences
in pairs. Files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench import evaluation, filing
from bench.cases import CASES
from bench.yardsticks import LINE_RESULTS, Lines
from gitsearch.git.blame import start_blame
from gitsearch.git.commit_records import read_commits
from gitsearch.git.repo import Repo, open_repo
from gitsearch.index.described_words import DescribedWords, arrays_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitsearch.index.view import Segment, View

_KINDS = ("commit", "documentation")
_READ = 100


@dataclass(frozen=True)
class Variant:
    """Subjects of a chunk that count, those of most lines first, and the weight of a word."""

    name: str
    most: int = 0
    weight: float = 0.0
    hidden: bool = True


VARIANTS = (
    Variant("text alone"),
    Variant("all subjects", 99, 1.0),
    Variant("all subjects, .5", 99, 0.5),
    Variant("all subjects, .25", 99, 0.25),
    Variant("the subject of most lines", 1, 1.0),
    Variant("the subject of most lines, .5", 1, 0.5),
    Variant("all subjects, nothing hidden", 99, 1.0, hidden=False),
)


class _Weighted(DescribedWords):
    """Words that count less than those of the text."""

    def __init__(self, lines: dict[int, str], weight: float) -> None:
        super().__init__(arrays_of(lines))
        self._weight = weight

    def postings(self, term: str) -> tuple[np.ndarray, np.ndarray]:
        rows, often = super().postings(term)
        return rows, often * self._weight


def main() -> None:
    args = _parser().parse_args()
    lines = Lines(args.yardstick, args.checkouts, frozenset(args.only), CASES)
    cases = {case["id"]: case for case in lines.cases() if case["kind"] in _KINDS}
    lines = replace(lines, ids=frozenset(cases))
    answers: list[dict[str, list[evaluation.Found]]] = [{} for _ in VARIANTS]
    for tree in lines.trees():
        view = evaluation.opened(tree.folder, tree.revision)
        repo = open_repo(tree.folder)
        writers = [_writers(repo, segment, tree.revision) for segment in view.segments]
        subjects = _subjects(repo, writers)
        for key, text in tree.questions:
            source = cases[key]["source"].get("commit")
            seen = _reached(repo, f"{source}^" if source else tree.revision)
            for variant, found in zip(VARIANTS, answers, strict=True):
                shown = {
                    oid: subject
                    for oid, subject in subjects.items()
                    if oid in seen or not variant.hidden
                }
                asked = _described(view, writers, shown, variant)
                question = evaluation.Question(asked, text, LINE_RESULTS)
                found[key] = question.answered(evaluation.Variant(""))
        print(f"{tree.folder.name}: {len(tree.questions)} questions", flush=True)
    _file(lines, cases, answers, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.subjects",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--yardstick", type=Path, required=True)
    parser.add_argument("--checkouts", type=Path, required=True, help="clones named owner+name")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--out", type=Path)
    return parser


def _writers(repo: Repo, segment: Segment, revision: str) -> dict[int, Counter[str]]:
    """The commits that wrote the lines of each chunk, with how many they wrote."""
    found: dict[int, Counter[str]] = {}
    for file in np.flatnonzero(segment.file_sizes).tolist():
        blame = start_blame(repo, segment.path(file), rev=revision, followed=False).result()
        for row in range(*segment["file_chunk"][file : file + 2].tolist()):
            chunk = segment.chunk(row)
            found[row] = Counter(blame.commits[chunk.first - 1 : chunk.last])
    return found


def _subjects(repo: Repo, writers: Iterable[dict[int, Counter[str]]]) -> dict[str, str]:
    oids = {oid for own in writers for counts in own.values() for oid in counts}
    return {oid: record.subject for oid, record in read_commits(repo, sorted(oids)).items()}


def _reached(repo: Repo, revision: str) -> frozenset[str]:
    out = repo.run("rev-list", "--end-of-options", revision, "--")
    return frozenset(out.decode("ascii").split())


def _described(
    view: View,
    writers: Sequence[dict[int, Counter[str]]],
    subjects: dict[str, str],
    variant: Variant,
) -> View:
    if not variant.most:
        return view
    words = []
    for own in writers:
        lines = {
            row: " ".join(
                [subjects[oid] for oid, _ in counts.most_common() if oid in subjects][
                    : variant.most
                ]
            )
            for row, counts in own.items()
        }
        words.append(_Weighted(lines, variant.weight))
    return replace(view, described=tuple(words))


def _file(
    lines: Lines,
    cases: dict[str, dict[str, Any]],
    answers: Sequence[dict[str, list[evaluation.Found]]],
    out: Path | None,
) -> None:
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        scored = [lines.score(found, Path(scratch)) for found in answers]
    for kind in _KINDS:
        ids = [key for key, case in cases.items() if case["kind"] == kind]
        # 1 / lines read until the right ones
        first = np.asarray([scored[0].each[key] for key in ids])
        for variant, own in zip(VARIANTS, scored, strict=True):
            each = np.asarray([own.each[key] for key in ids])
            seen = (each >= 1 / _READ).astype(float) - (first >= 1 / _READ)
            names = ("lines_mrr", "read50", "read100", "read200", "files_hit3")
            rows.append(
                {
                    "kind": kind,
                    "words": variant.name,
                    "cases": len(ids),
                    **{name: round(own.figures[kind][name], 3) for name in names},
                    "change of read100": _change(seen),
                    "change of 1/read": _change(each - first),
                    "sooner/later": f"{int((each > first).sum())}/{int((each < first).sum())}",
                }
            )
    filing.write("subjects", {"rows": rows}, out)
    shown = [[str(value) for value in row.values()] for row in rows]
    print(filing.table(list(rows[0]), shown, left=2))


def _change(differences: np.ndarray) -> str:
    """The mean of differences in pairs, and its standard error."""
    error = float(differences.std(ddof=1)) / math.sqrt(len(differences))
    return f"{differences.mean():+.3f} ± {error:.3f}"


if __name__ == "__main__":
    main()
