"""Removed code: recall of the commit that took a definition away, by words of its documentation.

    python -m bench.removed REPOSITORY... [--commits N] [--questions N] [--in-place]

Takes the definitions that the last commits removed and that the same commit writes nowhere else,
but for those in tests, generated and vendored files, and asks with the first sentence of their
documentation, a docstring or the comment above, from which the words of the name are taken out. A
question is answered if one of the first ten commits is the one that removed it. Files the figures
in bench/results/.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from bench import filing, histories
from gitsearch.commands.commit_search import HistoryRequest
from gitsearch.commands.history import history
from gitsearch.commands.removed_code import removed_code
from gitsearch.extract.path_kinds import GENERATED, TEST, VENDORED, noise
from gitsearch.features import identifiers
from gitsearch.git.commit_changes import Bounds, CommitChange, Hunk, read_changes
from gitsearch.git.commit_records import newest_commits, read_commits
from gitsearch.git.repo import open_repo
from gitsearch.index.commit_documents import defined_names
from gitsearch.index.session import Session
from gitsearch.retrieval.query import inflected

_SEED = 20261125
_FIRST = 10
_OF_ONE = 4
_BOUNDS = Bounds(text=256 << 10, file=64 << 10, files=1000)
_DEFINES = re.compile(
    rb"-\s*(?:(?:export|default|pub|pub\([a-z]+\)|public|private|protected|internal|static|async|final"
    rb"|abstract|unsafe|const|override)\s+)*"
    rb"(?:def|func|function|fn|fun|class|struct|interface|trait|enum)\s+(?:\([^)]*\)\s*)?(\w{3,80})"
)
_DOCSTRING = re.compile(rb"^\s*[rRuUfF]{0,2}(?:\"\"\"|''')\s*(\S.*)")
_COMMENT = re.compile(rb"^\s*(?:///?!?|#+(?!\[)|\*+(?!/)|/\*\*?)\s*(.*?)(?:\*/)?\s*$")
# Decorators, annotations and attributes, between a comment and what it is about.
_MARK = re.compile(rb"^\s*(?:@|#\[)")
_END = re.compile(r"(?<=[a-z)\]`])[.:](?:\s|$)|\"\"\"|'''")
_WORDS = range(4, 40)
_UNASKED = TEST | GENERATED | VENDORED
WAYS = ("--removed", "history")


class Question(NamedTuple):
    commit: str
    name: str
    text: str


def main() -> None:
    args = _parser().parse_args()
    rows = []
    for path in args.repositories:
        if args.in_place:
            rows.append(_measured(path, args))
            continue
        with histories.cloned(path, args.scratch, path.parts[-2]) as (clone,):
            rows.append(_measured(clone, args))
    total = sum(row["questions"] for row in rows)
    every = {
        f"{way} {at}": round(
            sum(row[f"{way} {at}"] * row["questions"] for row in rows) / max(total, 1), 3
        )
        for way in WAYS
        for at in ("@10", "@1")
    }
    filing.write("removed", {"all": {"questions": total, **every}, "repositories": rows}, args.out)
    head = ["repository", "questions", *every]
    shown = [*rows, {"repository": "all", "questions": total, **every}]
    print(filing.table(head, [[str(row[key]) for key in head] for row in shown], left=1))


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("removed", __doc__, several=True)
    parser.add_argument("--commits", type=int, default=2000)
    parser.add_argument("--in-place", action="store_true", help="with the index of each itself")
    parser.add_argument("--questions", type=int, default=50, help="of each (%(default)s)")
    return parser


def _measured(clone: Path, args: argparse.Namespace) -> dict[str, Any]:
    every = list(_questions(clone, args.commits))
    questions = Random(_SEED).sample(every, min(len(every), args.questions))
    ranks: dict[str, list[int | None]] = {way: [] for way in WAYS}
    for one in questions:
        request = HistoryRequest(one.text, most=_FIRST, refresh="wait")
        answers: dict[str, list[str | None]] = {
            "--removed": [each.commit for each in removed_code(Session(clone), request).results],
            "history": [each.commit for each in history(Session(clone), request).results],
        }
        for way, found in answers.items():
            ranks[way].append(found.index(one.commit) + 1 if one.commit in found else None)
    count = max(len(questions), 1)
    return {
        "repository": clone.name,
        "of": len(every),
        "questions": len(questions),
        **{
            f"{way} {at}": round(sum(bool(rank and rank <= most) for rank in own) / count, 3)
            for way, own in ranks.items()
            for at, most in (("@10", _FIRST), ("@1", 1))
        },
    }


def _questions(clone: Path, commits: int) -> Iterator[Question]:
    repo = open_repo(clone)
    records = read_commits(repo, newest_commits(repo, "HEAD", commits))
    pairs = [(oid, one.parents[0]) for oid, one in records.items() if len(one.parents) == 1]
    for change in read_changes(repo, pairs, _BOUNDS):
        yield from _asked_of(change)


def _asked_of(change: CommitChange) -> list[Question]:
    """Some of the definitions that a commit removes and does not write elsewhere."""
    added = {
        name
        for hunk in change.hunks
        for line in hunk.lines
        if line.startswith(b"+")
        for name in defined_names(line)
    }
    found: dict[str, Question] = {}
    for hunk in change.hunks:
        for place, line in enumerate(() if noise(hunk.old_path) & _UNASKED else hunk.lines):
            match = _DEFINES.match(line)
            if match is not None and match[1] not in added:
                name = match[1].decode("utf-8", "replace")
                words = _without_name(_sentence(hunk, place), name)
                if len(words) in _WORDS:
                    found.setdefault(name, Question(change.oid, name, " ".join(words)))
    # a commit that removes a subsystem would outweigh all others
    return Random(_SEED).sample(list(found.values()), min(len(found), _OF_ONE))


def _sentence(hunk: Hunk, place: int) -> str:
    """The first sentence of the documentation of what a line defines; "" if it has none."""
    lines = [line[1:] if line.startswith(b"-") else b"" for line in hunk.lines]
    for number in range(place + 1, min(place + 7, len(lines))):
        if match := _DOCSTRING.match(lines[number]):
            return _first(b" ".join([match[1], *lines[number + 1 : number + 4]]))
    start = place
    while start and (_COMMENT.match(lines[start - 1]) or _MARK.match(lines[start - 1])):
        start -= 1
    matches = (_COMMENT.match(line) for line in lines[start:place])
    return _first(b" ".join(match[1] for match in matches if match))


def _first(text: bytes) -> str:
    joined = " ".join(text.decode("utf-8", "replace").split())
    return _END.split(joined, maxsplit=1)[0]


def _without_name(text: str, name: str) -> list[str]:
    """The words of a text but for those of a name, in any form."""
    parts = set(identifiers.parts(name))
    known = {form for part in parts for form in inflected(part)} | parts | {name.lower()}
    return [
        word
        for word in text.split()
        if known.isdisjoint(identifiers.parts_of(identifiers.identifiers(word)))
    ]


if __name__ == "__main__":
    main()
