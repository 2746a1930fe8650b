"""Files that hang together, named, layered, the same everywhere."""

import os
import random
import subprocess
import sys
from pathlib import Path

import igraph
import numpy as np
import pytest

from gitsearch.graph.components import (
    ROLES,
    clusters,
    components,
    relabel_by_first,
    roles,
    strong_components,
)

ROOT = Path(__file__).parents[3]


def ring(*nodes):
    """Each node imports all before it."""
    return [(a, b) for i, a in enumerate(nodes) for b in nodes[:i]]


def made(paths, edges):
    ends = np.asarray(edges, np.int64).reshape(-1, 2)
    arrays, meta = components(paths, np.zeros(len(paths)), ends[:, 0], ends[:, 1])
    return {name: array.tolist() for name, array in arrays.items()}, meta["names"]


LOW = [b"low/a.py", b"low/b.py", b"low/c.py", b"low/d.py"]
TOP = [b"top/e.py", b"top/f.py", b"top/g.py", b"top/h.py"]


def test_components_are_named_counted_and_layered():
    edges = [*ring(0, 1, 2, 3), *ring(4, 5, 6, 7), (4, 0), (4, 0), (5, 1)]
    arrays, names = made([*LOW, *TOP, b"alone.py"], edges)
    assert names == ["low", "top"]
    assert arrays["component"] == [0] * 4 + [1] * 4 + [-1]
    assert arrays["layer"] == [0, 1]
    assert [arrays[name] for name in ("link_from", "link_to", "link_count")] == [[1], [0], [3]]


def test_components_that_need_each_other_share_a_layer():
    edges = [*ring(0, 1, 2, 3), *ring(4, 5, 6, 7), (4, 0), (1, 5)]
    assert made([*LOW, *TOP], edges)[0]["layer"] == [0, 0]


def test_the_largest_component_comes_first():
    edges = [*ring(0, 1), *ring(4, 5, 6, 7)]
    assert made([*LOW, *TOP], edges)[1] == ["top", "low"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ([b"x/a.py", b"x/b.py", b"x/c.py", b"x/d.py"], ["x (a)", "x (c)"]),
        ([b"x/a.py", b"x/b.py", b"x/y/a.py", b"x/z/a.py"], ["x (a)", "x (a) #2"]),
        ([b"a.py", b"b.py", b"c/a.py", b"d/b.py"], [".", "c + d"]),
        ([b"x/a.py", b"y/a.py", b"x/a.go", b"y/a.go"], ["x + y (a)", "x + y (a) #2"]),
    ],
)
def test_names_are_unique(paths, names):
    assert made(paths, [(0, 1), (2, 3)])[1] == names


def test_no_files_and_no_edges():
    assert made([], []) == (
        {name: [] for name in ("component", "layer", "link_from", "link_to", "link_count")},
        [],
    )
    assert made([b"a.py"], [])[0]["component"] == [-1]


def test_roles():
    # 0-2 import 3, which imports 4-6; 7 stands alone
    into = np.asarray([0, 0, 0, 3, 1, 1, 1, 0])
    out = np.asarray([1, 1, 1, 3, 0, 0, 0, 0])
    found = [ROLES[i] for i in roles(into, out)]
    assert found == ["entry"] * 3 + ["hub"] + ["leaf"] * 3 + ["peripheral"]
    assert roles(np.zeros(0, np.int64), np.zeros(0, np.int64)).tolist() == []


def test_circles_are_strongly_connected():
    found = strong_components(np.asarray([0, 1, 2, 2]), np.asarray([1, 0, 3, 0]), 4)
    assert found.tolist() == [0, 0, 1, 2]
    assert relabel_by_first([7, 3, 7, 1]).tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize("edges", [20, 60, 100, 300])
def test_strong_components_are_those_of_igraph(edges):
    for seed in range(20):
        draw = np.random.default_rng(seed)
        pairs = draw.integers(0, 60, (edges, 2)).astype(np.uint8)
        other = igraph.Graph(n=60, edges=pairs.tolist(), directed=True)
        expected = other.connected_components("strong").membership
        found = strong_components(pairs[:, 0], pairs[:, 1], 60)
        assert found.tolist() == relabel_by_first(expected).tolist()


def test_a_long_chain_needs_no_recursion():
    nodes = np.arange(50_000)
    assert strong_components(nodes[:-1], nodes[1:], len(nodes)).tolist() == nodes.tolist()
    assert not strong_components(nodes, np.roll(nodes, -1), len(nodes)).any()


def test_no_nodes_and_no_edges_have_no_components():
    nothing = np.zeros(0, np.uint8)
    assert strong_components(nothing, nothing, 0).tolist() == []
    assert strong_components(nothing, nothing, 3).tolist() == [0, 1, 2]


def random_pairs():
    draw = random.Random(3)
    return sorted({(draw.randrange(200), draw.randrange(200)) for _ in range(500)})


def test_clusters_do_not_depend_on_what_was_drawn_before():
    pairs = random_pairs()
    first = clusters(pairs, [1] * len(pairs), 200).tolist()
    random.seed(7)
    state = random.getstate()
    assert clusters(pairs, [1] * len(pairs), 200).tolist() == first
    assert random.getstate() == state


@pytest.mark.slow
def test_clusters_are_the_same_in_each_process():
    code = (
        "from tests.unit.graph.test_components import clusters, random_pairs\n"
        "pairs = random_pairs()\nprint(clusters(pairs, [1] * len(pairs), 200).tolist())"
    )
    found = set()
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        found.add(done.stdout)
    assert len(found) == 1
