"""The two yardsticks: their questions, and their own scorers.

A yardstick's folder holds repos.json, annotations/, score.py (files) and lines/cases.jsonl,
lines/score_cases.py (lines). Only these scorers decide what a figure is, for our own cases
(`bench/cases`) too.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import PIPE
from typing import TYPE_CHECKING, Any

from bench.cases import CASES
from bench.evaluation import Tree
from gitsearch.features import identifiers
from gitsearch.retrieval import query

if TYPE_CHECKING:
    from types import ModuleType

    from bench.evaluation import Found

Answer = dict[str, list["Found"]]

# What the scorers look at: ten results for files, sixty for lines, of which 40 are asked for.
FILE_RESULTS = 10
LINE_RESULTS = 40

# Questions of which the lines that answer have less than this share of the words are a group of
# their own: what counts words is worth much where a question was taken from near the code.
FEW_WORDS = "few words in common"
_FEW = 0.3

# So are questions of trees of at least this many files.
LARGE_TREES = "large trees"
_LARGE = 3000

# A question whose answer stands below this rank is a miss.
NEAR = 3


@dataclass(frozen=True)
class Miss:
    """A question whose target is not near the top: what was wanted, and at which rank it came."""

    group: str
    repo: str
    text: str
    rank: int | None
    wanted: list[str]
    key: str


@dataclass(frozen=True)
class Scored:
    """Figures of one run; `each` is one figure a question, for comparison in pairs."""

    figures: dict[str, Any]
    each: dict[str, float]
    misses: list[Miss]
    said: str


def _key(repo: str, text: str) -> str:
    return f"{repo}\t{text}"


@dataclass(frozen=True)
class Files:
    """Which files answer: NDCG@10 over annotated queries."""

    folder: Path
    checkouts: Path
    whole: bool
    only: frozenset[str]
    count: int = FILE_RESULTS

    @property
    def name(self) -> str:
        return "whole" if self.whole else "root"

    def _repos(self) -> list[dict[str, Any]]:
        found = json.loads((self.folder / "repos.json").read_text(encoding="utf-8"))
        return [one for one in found if not self.only or one["name"] in self.only]

    def _tasks(self, name: str) -> list[dict[str, Any]]:
        path = self.folder / "annotations" / f"{name}.json"
        found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def trees(self) -> list[Tree]:
        """One tree a repository; a repository made of one folder has a commit of its own."""
        return [
            Tree(
                self.checkouts / repo["name"],
                repo["revision"] if self.whole else "HEAD",
                tuple(
                    (_key(repo["name"], task["query"]), task["query"])
                    for task in self._tasks(repo["name"])
                ),
            )
            for repo in self._repos()
        ]

    def wanted(self) -> dict[str, set[str]]:
        """The files that answer each question, by its key."""
        return {
            _key(repo["name"], task["query"]): {
                one if isinstance(one, str) else one["path"]
                for one in (*task.get("relevant", ()), *task.get("secondary", ()))
            }
            for repo in self._repos()
            for task in self._tasks(repo["name"])
        }

    def score(self, answers: Answer, scratch: Path) -> Scored:
        """Let the yardstick's program score the answers."""
        results, summary, each = (scratch / f"{self.name}.{end}" for end in ("r", "s", "q"))
        with results.open("w", encoding="utf-8") as out:
            for key, found in answers.items():
                repo, _, text = key.partition("\t")
                out.write(json.dumps({"repo": repo, "query": text, "results": _files(found)}))
                out.write("\n")
        options = ("--checkouts", self.checkouts, "--paths", "repo")
        written = ("--json", summary, "--per-query", each)
        said = _scorer_says(self.folder / "score.py", results, *options, *written)
        rows = _lines(each)
        return Scored(
            json.loads(summary.read_text(encoding="utf-8")),
            {_key(row["repo"], row["query"]): row["ndcg"] for row in rows},
            self._misses(rows),
            said,
        )

    def _misses(self, rows: list[dict[str, Any]]) -> list[Miss]:
        wanted = {
            _key(repo["name"], task["query"]): [
                _target(one) for one in (*task.get("relevant", ()), *task.get("secondary", ()))
            ]
            for repo in self._repos()
            for task in self._tasks(repo["name"])
        }
        out = []
        for row in rows:
            rank = min(row["ranks"], default=None)
            if rank is None or rank > NEAR:
                key = _key(row["repo"], row["query"])
                group = f"{row['category']} / {row['language']}"
                out.append(Miss(group, row["repo"], row["query"], rank, wanted[key], key))
        return out


def _scorer_says(program: Path, *args: str | Path) -> str:
    # -B: the yardstick is not ours to write into
    command = [sys.executable, "-B", str(program), *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{program}: {done.stderr.strip()}")
    return done.stdout + done.stderr


def _files(found: list[Found]) -> list[dict[str, Any]]:
    return [{"file_path": one.path, "start_line": one.start, "end_line": one.end} for one in found]


def _target(one: str | dict[str, Any]) -> str:
    if isinstance(one, str):
        return one
    lines = f":{one['start_line']}-{one['end_line']}" if one.get("start_line") else ""
    return f"{one['path']}{lines}"


@dataclass(frozen=True)
class Lines:
    """Which lines answer: how much is read, in order, until they are on the screen.

    `own` are cases of ours instead of the yardstick's; the documents that they hide, because
    the words of the query were taken from there, are not shown. `ids`: only these cases.
    """

    folder: Path
    checkouts: Path
    only: frozenset[str]
    own: Path | None = None
    count: int = LINE_RESULTS
    ids: frozenset[str] | None = None

    @property
    def name(self) -> str:
        if self.own is None:
            return "lines"
        return "cases" if self.own == CASES else "mined"

    def cases(self) -> list[dict[str, Any]]:
        """The cases that are asked."""
        found = _lines(self.own or self.folder / "lines" / "cases.jsonl")
        return [
            one
            for one in found
            if not self.only or self.only & {one["repo"], one["repo"].rpartition("/")[2]}
            if self.ids is None or one["id"] in self.ids
        ]

    def wanted(self) -> dict[str, set[str]]:
        """The files that answer each question, by its key."""
        return {one["id"]: {place["path"] for place in one["targets"]} for one in self.cases()}

    def trees(self) -> list[Tree]:
        """The revisions of the cases, in whole repositories named owner+name."""
        asked: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        for case in self.cases():
            asked[case["repo"], case["revision"]].append((case["id"], case["query"]))
        return [
            Tree(self.checkouts / repo.replace("/", "+"), revision, tuple(questions))
            for (repo, revision), questions in asked.items()
        ]

    def score(self, answers: Answer, scratch: Path) -> Scored:
        """Let the yardstick's functions score the answers, and its program print them."""
        scorer = self._scorer()
        cases = self.cases()
        shown = {case["id"]: _shown(answers[case["id"]], case) for case in cases}
        groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
        misses, each = [], {}
        for case in cases:
            results = shown[case["id"]]
            near = [scorer.first_rank(results, case["targets"], by) for by in (True, False)]
            read = scorer.lines_read(results, case["targets"])
            each[case["id"]] = 1 / read if read else 0.0
            for group in self._groups(case):
                groups[group].append({"lines": near[0], "files": near[1], "read": read})
            rank = _line_rank(results, case["targets"], scorer)
            if rank is None or rank > NEAR:
                misses.append(_line_miss(case, rank))
        figures = {name: _shares(rows, scorer) for name, rows in groups.items()}
        return Scored(figures, each, misses, self._said(shown, cases, scratch))

    def in_common(self, case: dict[str, Any]) -> float:
        """Return the share of the words of a question that the lines of one target have."""
        targets = tuple((one["path"], one["start"], one["end"]) for one in case["targets"])
        return _in_common(self._checkout(case), case["revision"], case["query"], targets)

    def _groups(self, case: dict[str, Any]) -> list[str]:
        groups = ["all", case["kind"], case["language"]]
        groups.append(FEW_WORDS if self.in_common(case) < _FEW else "more words in common")
        if "names_place" in case:
            groups.append("place named" if case["names_place"] else "no place named")
        if _file_count(self._checkout(case), case["revision"]) >= _LARGE:
            groups.append(LARGE_TREES)
        return groups

    def _checkout(self, case: dict[str, Any]) -> Path:
        name: str = case["repo"]
        return self.checkouts / name.replace("/", "+")

    def _scorer(self) -> ModuleType:
        path = self.folder / "lines" / "score_cases.py"
        spec = importlib.util.spec_from_file_location("score_cases", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        try:
            spec.loader.exec_module(module)
        finally:
            sys.dont_write_bytecode = before
        return module

    def _said(
        self, shown: dict[str, list[dict[str, Any]]], cases: list[dict[str, Any]], scratch: Path
    ) -> str:
        results, asked = scratch / "lines.r", scratch / "lines.c"
        lines = [{"id": key, "results": found} for key, found in shown.items()]
        for path, rows in ((results, lines), (asked, cases)):
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return _scorer_says(self.folder / "lines" / "score_cases.py", results, asked)


def _lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _shown(found: list[Found], case: dict[str, Any]) -> list[dict[str, Any]]:
    """The results as the scorer takes them, without those in hidden documents."""
    hidden = case.get("hidden", ())
    return [
        {"path": one.path, "start": one.start, "end": one.end}
        for one in found
        if one.path not in hidden
    ]


@cache
def _in_common(
    checkout: Path, revision: str, text: str, targets: tuple[tuple[str, int, int], ...]
) -> float:
    words = set(identifiers.parts_of(query.parse(text).words))
    shares = [0.0]
    for path, start, end in targets:
        shown = subprocess.run(
            ["git", "-C", checkout, "show", f"{revision}:{path}"], stdout=PIPE, check=True
        )
        lines = shown.stdout.decode("utf-8", "replace").split("\n")[start - 1 : end]
        own = identifiers.parts_of(identifiers.identifiers("\n".join(lines)))
        shares.append(len(words & set(own)) / max(len(words), 1))
    return max(shares)


@cache
def _file_count(checkout: Path, revision: str) -> int:
    """Return how many files a tree has."""
    listed = subprocess.run(
        ["git", "-C", checkout, "ls-tree", "-r", "-z", revision], stdout=PIPE, check=True
    )
    return listed.stdout.count(b"\0")


def _shares(rows: list[dict[str, Any]], scorer: ModuleType) -> dict[str, float]:
    """The columns of the scorer's table for one group."""
    out: dict[str, float] = {"cases": len(rows)}
    for level in ("lines", "files"):
        *hits, mrr = scorer.summary([row[level] for row in rows])
        out.update({f"{level}_hit{k}": hit for k, hit in zip(scorer.HIT_AT, hits, strict=True)})
        out[f"{level}_mrr"] = mrr
    for most in scorer.READ:
        seen = [row["read"] is not None and row["read"] <= most for row in rows]
        out[f"read{most}"] = sum(seen) / len(seen)
    return out


def _line_rank(
    results: list[dict[str, Any]], targets: list[dict[str, Any]], scorer: ModuleType
) -> int | None:
    """The rank of the right lines among all results; the scorer's own looks at ten."""
    for rank, result in enumerate(results, 1):
        if any(scorer.covers(result, target, by_line=True) for target in targets):
            return rank
    return None


def _line_miss(case: dict[str, Any], rank: int | None) -> Miss:
    wanted = [f"{one['path']}:{one['start']}-{one['end']}" for one in case["targets"]]
    group = f"{case['kind']} / {case['language']}"
    return Miss(group, case["repo"], case["query"], rank, wanted, case["id"])
