"""Our edges of a checkout, and how they compare with an oracle's.

An oracle module has `oracle(checkout) -> set[Edge]` and calls `main`.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench import filing
from gitsearch.commands.tree_selection import select_tree
from gitsearch.extract.languages import hint
from gitsearch.graph import graph_cache
from gitsearch.graph.graph import USED
from gitsearch.graph.graph_builder import read_file
from gitsearch.graph.project import RESOLVER_OF, Project, SourceFile
from gitsearch.index.fact_columns import BlobKey
from gitsearch.index.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

# The importing path and the imported one.
Edge = tuple[str, str]


class Ours(NamedTuple):
    """Our edges by label; `used` need no import (same package), unresolved: path, line, reason."""

    resolved: set[Edge]
    ambiguous: set[Edge]
    used: set[Edge]
    unresolved: list[tuple[str, int, str]]


def project_of(checkout: Path) -> Project:
    """The tracked files of a checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=checkout, capture_output=True, check=True
    ).stdout
    names = sorted(name for name in listed.split(b"\0") if name)
    paths = [name.decode("utf-8", "surrogateescape") for name in names]
    files = [path for path in paths if (checkout / path).is_file()]
    paths = [path for path in files if not (checkout / path).is_symlink()]
    languages = [""] * len(paths)
    facts = [SourceFile()] * len(paths)
    for i, path in enumerate(paths):
        data = (checkout / path).read_bytes()
        if len(data) > 1 << 20:
            continue
        key = BlobKey(str(i), hint(path.encode("utf-8", "surrogateescape")))
        if key.hint not in RESOLVER_OF and not key.hint.startswith("?"):
            languages[i] = key.hint
            continue
        languages[i], _, facts[i] = read_file(key, data)

    def read(path: str) -> bytes | None:
        return (checkout / path).read_bytes()

    return Project(paths, languages, facts.__getitem__, read)


def ours(checkout: Path, languages: frozenset[str]) -> Ours:
    """Our edges from files in some languages, as `git search impact` has them; makes an index."""
    graph = graph_cache.graph_of(select_tree(Session(checkout)).open())
    found = Ours(set(), set(), set(), [])
    paths = [graph.path(file).decode("utf-8", "surrogateescape") for file in range(graph.files)]
    for file, path in enumerate(paths):
        if graph.language(file) not in languages:
            continue
        for edge in graph.out_edges(file):
            if edge.place == USED:
                kind = None if edge.ambiguous else found.used
            else:
                kind = found.ambiguous if edge.ambiguous else found.resolved
            if kind is not None:
                kind.add((path, paths[edge.target]))
    for one in graph.unresolved_imports():
        if graph.language(one.file) in languages:
            line = graph.line(one.file, one.place)
            found.unresolved.append((paths[one.file], line, one.reason))
    return found


class Score(NamedTuple):
    """How our resolved edges compare with the oracle's."""

    edges: int
    precision: float
    recall: float
    wrong: list[Edge]
    missed: list[Edge]


def compared(mine: set[Edge], theirs: set[Edge]) -> Score:
    """Precision and recall of edges; both 1 where there are none."""
    both = len(mine & theirs)
    return Score(
        len(theirs),
        both / len(mine) if mine else 1.0,
        both / len(theirs) if theirs else 1.0,
        sorted(mine - theirs),
        sorted(theirs - mine),
    )


def reachable(edges: set[Edge]) -> set[Edge]:
    """All pairs (dependent, dependency) over any number of hops."""
    targets: dict[str, set[str]] = {}
    for source, target in edges:
        targets.setdefault(source, set()).add(target)
    found: set[Edge] = set()
    for start in targets:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for other in targets.get(todo.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        found.update((start, other) for other in seen if other != start)
    return found


def main(
    doc: str | None,
    name: str,
    oracle: Callable[[Path], set[Edge]],
    languages: frozenset[str],
    mine: Callable[[Ours, set[Edge]], set[Edge]] | None = None,
) -> None:
    """Compare each checkout with the oracle, print a table, and file the figures.

    mine: which of our edges the oracle speaks of; default: the resolved ones between files that
    both know.
    """
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--show", type=int, default=0, help="wrong and missed edges to print")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    rows = {}
    for checkout in args.checkouts:
        theirs = oracle(checkout)
        found = ours(checkout, languages)
        chosen = mine(found, theirs) if mine else found.resolved
        score = compared(chosen, theirs)
        closure = compared(reachable(chosen), reachable(theirs))
        both = closure.precision + closure.recall
        rows[checkout.name] = {
            "edges": score.edges,
            "precision": round(score.precision, 4),
            "recall": round(score.recall, 4),
            "closure_f1": round(2 * closure.precision * closure.recall / both if both else 0, 4),
            "ambiguous": len(found.ambiguous),
            "unseen": len(found.unresolved),
        }
        for label, edges in (("wrong", score.wrong), ("missed", score.missed)):
            for source, target in edges[: args.show]:
                print(f"{label}: {source} -> {target}")
    columns = list(next(iter(rows.values())))
    cells = [[key, *(str(row[column]) for column in columns)] for key, row in rows.items()]
    print(filing.table(["repository", *columns], cells, left=1))
    filing.write(f"oracle-{name}", {"repositories": rows}, args.out)
