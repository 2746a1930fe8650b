"""Measures how often tests that people changed with their code are the first `impact` proposes.

    python -m bench.impact_commits REPOSITORY [--commits N]

Takes the last commits of at most 30 files that changed both code and tests, and asks for each at
the tree before it, with the history before it, which tests depend on the definitions that it was
about to change (where definitions are followed) or on the files. Of the tests that it changed
then, those that were there before and that a runner would run by their names:

    first_10    share of them among the first 10 that were proposed: of all, and at the mean commit
    any         share of the commits with at least one of them among the first 10
    graph_10    the share (of all) where the graph alone gives the order, without evidence
    tests       how many tests there were, at the median
    missed      those that were not, with their commit and the rank they had (0: not proposed)

The commits are the mutations, and people said which tests have to do with them: those that a
commit changed need not all fail by it, and others may.

Prints a table and files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any, NamedTuple

from bench import filing, histories
from bench.affected import _RUN, _is_test, _language, _prepare
from gitsearch.commands.code_graph import Target, open_code_graph
from gitsearch.commands.likely_dependents import likely_dependents
from gitsearch.commands.tree_selection import select_tree
from gitsearch.git.cochange import History
from gitsearch.git.tree_objects import entries_at
from gitsearch.graph.definition_changes import code_changes
from gitsearch.graph.file_versions import file_versions
from gitsearch.graph.project import RESOLVER_OF
from gitsearch.index.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.commands.code_graph import CodeGraph
    from gitsearch.graph.definition_changes import CodeChanges

_COMMITS = 200
_MOST = 30
_FIRST = 10


class _Commit(NamedTuple):
    """A commit with its parent, and the code and tests that it changed and did not add."""

    oid: str
    parent: str
    code: list[str]
    tests: list[str]


def main() -> None:
    args = _parser().parse_args()
    name = args.repository.name
    with histories.cloned(args.repository, args.scratch, name) as (clone,):
        _prepare(clone)
        chosen = list(_chosen(clone, args.commits))
        rows = [row for one in reversed(chosen) if (row := _measured(clone, one))]
    figures = _figures(rows)
    print(filing.table(["", *figures], [[name, *map(str, figures.values())]], left=1))
    missed = [told for row in rows for told in row["missed"]]
    filing.write("impact-commits", {"repository": name, **figures, "missed": missed}, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("impact_commits", __doc__)
    parser.add_argument("--commits", type=int, default=_COMMITS, help="default: %(default)s")
    return parser


def _figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    changed = sum(row["changed"] for row in rows)
    return {
        "commits": len(rows),
        "changed_tests": changed,
        "first_10": round(sum(row["first"] for row in rows) / changed, 3),
        "first_10_mean": round(mean(row["first"] / row["changed"] for row in rows), 3),
        "any": round(mean(row["first"] > 0 for row in rows), 3),
        "graph_10": round(sum(row["graph"] for row in rows) / changed, 3),
        "graph_10_mean": round(mean(row["graph"] / row["changed"] for row in rows), 3),
        "tests": median(row["tests"] for row in rows),
    }


def _chosen(clone: Path, count: int) -> Iterator[_Commit]:
    """The last commits that changed code and tests, the newest first."""
    log = filing.git(
        *("log", "--no-merges", "--no-renames", "--name-status", "-z", "--format=%x01%H %P"),
        cwd=clone,
    )
    found = 0
    for part in log.split("\x01")[1:]:
        ids, _, rest = part.partition("\0")
        words = rest.lstrip("\n").split("\0")
        files = [(words[at], words[at + 1]) for at in range(0, len(words) - 1, 2)]
        kept = [path for status, path in files if status in "MD" and _known(path)]
        code = [path for path in kept if not _is_test(path)]
        tests = [path for status, path in files if status == "M" and path in kept]
        tests = [path for path in tests if _RUN.fullmatch(path)]
        oid, *parents = ids.split()
        if code and tests and parents and len(files) <= _MOST and found < count:
            found += 1
            yield _Commit(oid, parents[0], code, tests)


def _known(path: str) -> bool:
    return _language(path) in RESOLVER_OF


def _measured(clone: Path, one: _Commit) -> dict[str, Any] | None:
    session = Session(clone)
    code_graph = open_code_graph(select_tree(session, at=one.parent))
    paths = [path for path in map(os.fsencode, one.code) if code_graph.graph.file(path) >= 0]
    if not paths:
        return None
    before, after = (entries_at(session.repo, at, paths) for at in (one.parent, one.oid))
    pairs = [(path, before.get(path), after.get(path)) for path in paths]
    entries = [one for _, *both in pairs for one in both if one]
    changes = code_changes(file_versions(session.repo, entries), pairs)
    changed = set(one.tests)
    proposed = _proposed(code_graph, paths, changes)
    tests = len(code_graph.tests)
    code_graph.history, code_graph.test_files = History([]), ()
    graph = _proposed(code_graph, paths, changes)
    ranks = {path: proposed.index(path) + 1 if path in proposed else 0 for path in one.tests}
    return {
        "changed": len(changed),
        "first": len(changed.intersection(proposed[:_FIRST])),
        "graph": len(changed.intersection(graph[:_FIRST])),
        "tests": tests,
        "missed": [
            f"{one.oid[:10]} {path} {rank}"
            for path, rank in sorted(ranks.items())
            if not 0 < rank <= _FIRST
        ],
    }


def _proposed(
    code_graph: CodeGraph, paths: list[bytes], changes: dict[bytes, CodeChanges]
) -> list[str]:
    targets = [Target(path) for path in paths]
    found = likely_dependents(code_graph, targets, changes=changes)
    return [file.path for file in found.files if file.test]


if __name__ == "__main__":
    main()
