"""Print a sample of the uses of definitions that are resolved, to be read and judged by a person.

    python -m bench.sampled_uses REPOSITORY --language NAME [--count N] [--seed N]

Each is an edge from a definition of this language to another one: its kind, both ends with their
lines, and the line where the use stands. Names of unknown members (`dynamic`, `member`) and types
in signatures are left out: they claim no definition, or that nothing runs.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random

from gitsearch.commands.code_graph import open_code_graph
from gitsearch.commands.tree_selection import select_tree
from gitsearch.graph.definition_graph import EDGE_KINDS
from gitsearch.index.session import Session

_KINDS = ("call", "subclass", "decorator", "variable", "value", "declaration", "override")

# Kinds whose line may be that of the target.
_AT_TARGET = ("declaration", "override")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.sampled_uses", description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--language", required=True)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for row in _sample(args.repository, args.language, args.count, args.seed):
        print(row)


def _sample(repository: Path, language: str, count: int, seed: int) -> list[str]:
    code_graph = open_code_graph(select_tree(Session(repository)))
    graph = code_graph.definitions
    names = ("source", "kind", "target", "line")
    columns = (graph.arrays[f"edge_{name}"].tolist() for name in names)
    edges = [
        (source, EDGE_KINDS[kind], target, line)
        for source, kind, target, line in zip(*columns, strict=True)
        if EDGE_KINDS[kind] in _KINDS
        and code_graph.graph.language(graph.file_of_node(source)) == language
    ]

    def place(node: int) -> str:
        path = code_graph.path(graph.file_of_node(node))
        if node >= graph.definitions:
            return path
        return f"{path}:{graph.arrays['definition_first'][node]} {graph.symbol(node)}"

    rows = []
    for source, kind, target, line in Random(seed).sample(edges, min(count, len(edges))):
        first = int(graph.arrays["definition_first"][target]) if target < graph.definitions else 0
        file = graph.file_of_node(target if kind in _AT_TARGET and line == first else source)
        text = (repository / code_graph.path(file)).read_text("utf-8", "replace").split("\n")
        rows.append(f"{kind}: {place(source)} -> {place(target)}")
        rows.append(f"    {line}: {text[line - 1].strip()}")
    return rows


if __name__ == "__main__":
    main()
