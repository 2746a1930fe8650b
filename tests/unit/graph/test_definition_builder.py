"""The arrays of graphs of definitions, and what is kept of the resolution of their files."""

from __future__ import annotations

import numpy as np
import pytest

from gitsearch.commands.code_graph import open_code_graph
from gitsearch.commands.tree_selection import select_tree
from gitsearch.graph import definition_cache
from gitsearch.graph.definition_builder import BASE_RUNS, USE_RUNS, Before, build
from gitsearch.graph.definition_facts import FactRows
from gitsearch.graph.definition_graph import EDGE_KINDS, DefinitionGraph
from tests.unit.commands.asked import session, warm_parsers

FILES = {
    "one.py": (
        "class One:\n    def run(self):\n        return self.walk()\n\n"
        "    def walk(self):\n        return 1\n"
    ),
    "two.py": "from one import One\n\n\nclass Two(One):\n    def go(self):\n        self.run()\n",
    "use.py": (
        "from two import Two\n\n\n"
        "def use(other):\n    other.stop()\n    other.begin()\n    Two\n    return Two().run()\n"
    ),
    "none.py": "",
    "notes.md": "# Notes\n",
}


class Built:
    """A tree that was built from nothing."""

    def __init__(self, repo):
        warm_parsers()
        code_graph = open_code_graph(select_tree(session(repo.path)))
        self.files = code_graph.graph
        self.rows, _ = definition_cache._facts(code_graph.opened, self.files, None)
        self.built = build(self.files, self.rows, None)
        self.graph = DefinitionGraph(self.built.graph)

    def edges(self, kind):
        """The qualified names of the source and the target of the edges of a kind."""
        columns = (
            self.built.graph[f"edge_{name}"].tolist() for name in ("source", "target", "kind")
        )
        return {
            (self.graph.symbol(source), self.graph.symbol(target))
            for source, target, number in zip(*columns, strict=True)
            if EDGE_KINDS[number] == kind
        }

    def before(self):
        """What another tree may begin with."""
        return Before(self.files, FactRows(self.rows.files, {**self.built.kept}))


@pytest.fixture
def one(repo):
    return Built(repo.having(FILES))


def test_a_tree_without_code_has_a_graph_without_edges(repo):
    found = Built(repo.having({"notes.md": "# Notes\n"}))
    assert found.built.resolved == 0
    assert found.graph.files == 1
    assert found.graph.nodes == 1
    assert len(found.built.graph["edge_target"]) == 0


def test_edges_ascend_and_there_is_one_between_two_nodes(one):
    arrays = one.built.graph
    ends = list(zip(arrays["edge_target"].tolist(), arrays["edge_source"].tolist(), strict=True))
    assert ends == sorted(set(ends))
    # `use` names the class and calls it: the more certain of the kinds counts
    assert ("use", "Two") in one.edges("call")
    assert ("use", "Two") not in one.edges("value")


def test_names_are_nodes_in_alphabetical_order(one):
    words = [one.graph.symbol(one.graph.definitions + one.graph.files + i) for i in range(2)]
    assert words == ["begin", "stop"]
    assert one.edges("dynamic") == {("use", "begin"), ("use", "stop")}


def test_bases_are_kept_by_class_and_edges_by_file(one):
    kept, symbol = one.built.kept, one.graph.symbol
    pairs = zip(kept["base_of"].tolist(), kept["base_value"].tolist(), strict=True)
    assert [(symbol(of), symbol(value)) for of, value in pairs] == [("Two", "One")]
    rows = [one.files.path(file).decode() for file in one.rows.files]
    assert rows == ["none.py", "one.py", "two.py", "use.py"]
    for run in (*BASE_RUNS, *USE_RUNS):
        assert len(kept[f"{run}_ends"]) == len(rows) + 1
    called = kept["called"][int(kept["called_ends"][3]) :].tolist()
    assert {one.rows.table.word(word) for word in called} == {"Two", "run", "stop", "begin"}


def test_an_unknown_base_is_kept_as_one(repo):
    kept = Built(
        repo.having({"a.py": "import lib\n\n\nclass A(lib.B, object):\n    pass\n"})
    ).built.kept
    assert set(kept["base_of"].tolist()) == {0}
    assert set(kept["base_value"].tolist()) == {-1}


def test_the_same_tree_is_built_without_resolving_a_file(one):
    again = build(one.files, one.rows, one.before())
    assert again.resolved == 0
    for arrays, others in ((again.graph, one.built.graph), (again.kept, one.built.kept)):
        assert arrays.keys() == others.keys()
        for name, array in arrays.items():
            assert np.array_equal(array, others[name]), name
