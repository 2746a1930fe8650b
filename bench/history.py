"""Known-item search of commits: recall by sentences of change logs and titles of pull requests.

    python -m bench.history REPOSITORY... [--held-out REPOSITORY...] [--commits N] [--questions N]

Questions are entries of change logs that name a pull request or an issue (`#12`, `:pr:`12``),
asked without these names, for the commits whose message names it too; and subjects of commits that
name one, which are the titles of pull requests, for that commit. Lines of change logs and news are
left out of all that is indexed, or each entry would be found in the commit that wrote it.

Ways: `git search history` with messages and with none; `git log --grep` of all words of the
question (`-i -F --all-match`), else of the rarest half of them; BM25 over hunks, without messages.
A question is answered if one of the first ten is its commit, or a merge of it. With "recency" the
score of a commit is multiplied by 1 + .05 exp(-age / 90 days). The weights of the ranking were
chosen on the repositories that come first; nothing was chosen on those held out, whose figures are
told apart, with the standard deviation over repositories. Files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import math
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from bench import filing
from gitsearch.extract.path_kinds import is_record
from gitsearch.features import identifiers
from gitsearch.features.embedding import PACKAGED, Model
from gitsearch.features.issue_references import references
from gitsearch.git.commit_changes import CommitChange, read_changes
from gitsearch.git.commit_records import CommitRecord, newest_commits, read_commits
from gitsearch.git.repo import Repo, open_repo
from gitsearch.index import commit_documents, history_segment
from gitsearch.index.history_index import IndexedCommits
from gitsearch.index.segment_input import Dictionary
from gitsearch.retrieval import query
from gitsearch.retrieval.commit_ranking import CommitRanking
from gitsearch.store.sections import Sections

_SEED = 20261124
_FIRST = 10
# Commits that recency may bring forward.
_POOL = 100
_BATCH = 250
_LOG = re.compile(r"(?:^|/)(?:CHANGES|CHANGELOG|HISTORY|NEWS|RELEASES?)[^/]*$", re.IGNORECASE)
_ENTRY = re.compile(r"^ {0,4}[-*] +(.*(?:\n {2,8}(?![-*] )\S.*)*)", re.MULTILINE)
_ROLE = re.compile(r":(?:pr|issue):`(\d+)`")
_NAME = re.compile(
    r"[\[(]*(?:[\w./-]*[#!]\d+|:(?:pr|issue|ghsa|cve):`[^`]*`|[A-Z]{2,}-\d+:?)[\])]*(?:\([^)]*\))?"
)
_WORDS = range(4, 40)
WAYS = ("with messages", "without messages", "git log --grep", "BM25 over hunks")
RECENT = ("with messages, recency", "without messages, recency")
# Seconds of 90 days, and what a commit of today gains.
_RECENT, _GAIN = 90 * 86400, 0.05


class Question(NamedTuple):
    text: str
    source: str
    commits: frozenset[str]


class History(NamedTuple):
    """The commits of a repository with what they say and change."""

    records: dict[str, CommitRecord]
    changes: dict[str, CommitChange]


def main() -> None:
    args = _parser().parse_args()
    model = Model(PACKAGED)
    rows = [_measured(path, args, model) for path in args.repositories]
    held_out = [_measured(path, args, model) for path in args.held_out]
    figures: dict[str, Any] = {
        "all": _all(rows),
        "held out": _all(held_out),
        "repositories": rows,
        "repositories held out": held_out,
    }
    filing.write("history", figures, args.out)
    head = ["repository", "questions", *WAYS, *RECENT, "commits/s", "bytes/commit"]
    shown = [
        *(*rows, {"repository": "all", **figures["all"]}),
        *(*held_out, {"repository": "held out", **figures["held out"]}),
    ]
    print(filing.table(head, [[str(row.get(key, "")) for key in head] for row in shown], left=1))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="*", type=Path)
    parser.add_argument("--held-out", nargs="*", type=Path, default=[])
    parser.add_argument("--commits", type=int, default=5000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--out", type=Path, default=None)
    return parser


def _measured(path: Path, args: argparse.Namespace, model: Model) -> dict[str, Any]:
    repo = open_repo(path)
    started = time.monotonic()
    history = _read(repo, args.commits)
    reading = time.monotonic() - started
    questions = _questions(repo, history, args.questions)
    started = time.monotonic()
    said = _index(history, model, hidden=False)
    taken = reading + time.monotonic() - started
    size = sum(array.nbytes for array in said.arrays.arrays.values())
    segments = {"with messages": said, "without messages": _index(history, model, hidden=True)}
    hits: dict[str, list[bool]] = defaultdict(list)
    grep, hunks = _Grep(history), _Hunks(history)
    newest = max(one.seconds for one in history.records.values())
    gain = {oid: _gain(newest - one.seconds) for oid, one in history.records.items()}
    for question in questions:
        parsed = query.parse(question.text)
        for way, segment in segments.items():
            found = CommitRanking([segment], parsed, model).best(_POOL, None)
            recent = sorted(found, key=lambda one: -one.score * gain[one.oid])
            for name, order in ((way, found), (f"{way}, recency", recent)):
                first = order[:_FIRST]
                hits[name].append(any(one.oid in question.commits for one in first))
        hits["git log --grep"].append(not question.commits.isdisjoint(grep.first(question.text)))
        hits["BM25 over hunks"].append(not question.commits.isdisjoint(hunks.first(parsed)))
    print(path, {way: round(float(np.mean(hits[way])), 3) for way in WAYS}, flush=True)
    return {
        "repository": "/".join(path.parts[-2:]),
        "commits": len(history.records),
        "questions": len(questions),
        "of change logs": sum(one.source == "log" for one in questions),
        **{way: round(float(np.mean(hits[way])), 3) for way in (*WAYS, *RECENT)},
        **{
            f"{way}, {source}": round(float(np.mean(chosen)), 3)
            for way in WAYS
            for source in ("log", "title")
            if (
                chosen := [
                    hit
                    for hit, one in zip(hits[way], questions, strict=True)
                    if one.source == source
                ]
            )
        },
        "commits/s": round(len(history.records) / taken),
        "bytes/commit": round(size / len(history.records)),
    }


def _gain(age: int) -> float:
    return 1 + _GAIN * math.exp(-max(age, 0) / _RECENT)


def _all(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    total = sum(row["questions"] for row in rows)
    means = {
        way: round(sum(row[way] * row["questions"] for row in rows) / max(total, 1), 3)
        for way in (*WAYS, *RECENT)
    }
    spread = {way: round(float(np.std([row[way] for row in rows] or [0])), 3) for way in WAYS}
    return {"questions": total, **means, "standard deviation": spread}


# ---------------------------------------------------------------- questions


def _read(repo: Repo, most: int) -> History:
    records = read_commits(repo, newest_commits(repo, "HEAD", most))
    pairs = [(oid, (*one.parents, "")[0]) for oid, one in records.items()]
    changes = {}
    for change in read_changes(repo, pairs, commit_documents.BOUNDS):
        change.hunks = [hunk for hunk in change.hunks if not _is_log(hunk.path)]
        changes[change.oid] = change
    return History(records, changes)


def _is_log(path: bytes) -> bool:
    return is_record(path) or _LOG.search(path.decode("utf-8", "replace")) is not None


def _questions(repo: Repo, history: History, most: int) -> list[Question]:
    """Half of change logs, if there are as many, and half of titles."""
    named = defaultdict(set)
    for oid, record in history.records.items():
        for name in references(record.message):
            named[name].add(oid)
    logs = [
        Question(text, "log", frozenset(_with_merges(history, named[name])))
        for name, text in _entries(repo)
        if 0 < len(named[name]) <= 3 and len(text.split()) in _WORDS
    ]
    titles = [
        Question(text, "title", frozenset(_with_merges(history, {oid})))
        for oid, record in history.records.items()
        if len(record.parents) == 1 and references(record.subject)
        for text in (_without_names(record.subject),)
        if len(text.split()) in _WORDS
    ]
    random = Random(_SEED)
    chosen = random.sample(logs, min(len(logs), most // 2))
    return chosen + random.sample(titles, min(len(titles), most - len(chosen)))


def _with_merges(history: History, commits: Iterable[str]) -> set[str]:
    """Commits, and the merges that brought one of them as their last."""
    wanted = set(commits)
    brought = {
        oid
        for oid, record in history.records.items()
        if len(record.parents) > 1 and not wanted.isdisjoint(record.parents[1:])
    }
    return wanted | brought


def _entries(repo: Repo) -> Iterator[tuple[str, str]]:
    """The entries of the change logs, each with the issue or pull request that it names."""
    paths = repo.run("ls-tree", "-r", "--name-only", "-z", "HEAD").decode("utf-8", "replace")
    for path in paths.split("\0"):
        if _LOG.search(path) and not path.endswith((".py", ".go", ".ts", ".rs", ".java")):
            text = repo.run("cat-file", "blob", f"HEAD:{path}").decode("utf-8", "replace")
            for match in _ENTRY.finditer(text):
                names = references(_ROLE.sub(r"#\1", match[1]))
                if len(names) == 1:
                    yield names[0], _without_names(" ".join(match[1].split()))


def _without_names(text: str) -> str:
    return " ".join(_NAME.sub(" ", text).split()).strip(" .-")


# ---------------------------------------------------------------- ways


def _index(history: History, model: Model, *, hidden: bool) -> IndexedCommits:
    dictionary = Dictionary(model.tokens)
    documents = [
        commit_documents.document(
            oid,
            record.seconds,
            "" if hidden else record.message,
            history.changes[oid],
            merge=len(record.parents) > 1,
        )
        for oid, record in history.records.items()
    ]
    parts = [
        history_segment.facts_of(documents[start : start + _BATCH], model, dictionary)
        for start in range(0, len(documents), _BATCH)
    ]
    arrays = history_segment.arrays_of(history_segment.joined_facts(parts))
    return IndexedCommits(Sections(arrays, {}, "in memory"), np.ones(len(documents), bool))


class _Grep:
    """`git log -i -F --all-match --grep=WORD...`: of all words, else of the rarest half."""

    def __init__(self, history: History) -> None:
        self._messages = {oid: one.message.lower() for oid, one in history.records.items()}
        words = Counter(word for text in self._messages.values() for word in set(text.split()))
        self._often = words

    def first(self, text: str) -> list[str]:
        words = dict.fromkeys(query.parse(text).words)
        lower = sorted((word.lower() for word in words), key=lambda word: self._often[word])
        found: list[str] = []
        for wanted in (lower, lower[: (len(lower) + 1) // 2]):
            matching = (
                oid for oid, said in self._messages.items() if all(w in said for w in wanted)
            )
            found = list(dict.fromkeys((*found, *matching)))
        return found[:_FIRST]


class _Hunks:
    """BM25 (k1 1.2, b .75) over the words of each hunk; a commit is as good as its best hunk."""

    def __init__(self, history: History) -> None:
        self._commit: list[str] = []
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths: list[int] = []
        for oid, change in history.changes.items():
            for hunk in change.hunks:
                text = b"\n".join(line[1:] for line in hunk.lines).decode("utf-8", "replace")
                words = Counter(identifiers.parts_of(identifiers.identifiers(text)))
                for word, count in words.items():
                    self._postings[word].append((len(lengths), count))
                lengths.append(words.total())
                self._commit.append(oid)
        self._length = np.asarray(lengths, float) / max(float(np.mean(lengths)), 1)

    def first(self, asked: query.Query) -> list[str]:
        scores = np.zeros(len(self._length))
        for word in dict.fromkeys(identifiers.parts_of(asked.words)):
            if held := self._postings.get(word):
                rows, counts = np.asarray(held).T
                rarity = np.log(1 + (len(scores) - len(rows) + 0.5) / (len(rows) + 0.5))
                norm = 1.2 * (0.25 + 0.75 * self._length[rows])
                scores[rows] += rarity * counts * 2.2 / (counts + norm)
        ordered = np.argsort(-scores, kind="stable")
        found = dict.fromkeys(self._commit[row] for row in ordered[:500].tolist() if scores[row])
        return list(found)[:_FIRST]


if __name__ == "__main__":
    main()
