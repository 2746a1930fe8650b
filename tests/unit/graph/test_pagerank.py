"""Ranks are those of another implementation; tiers part files by them."""

import random

import igraph
import numpy as np
import pytest

from gitsearch.graph.graph_metrics import pagerank, tiers


def graph(seed, count=60, edges=150):
    """A random directed graph without double edges; some nodes have no links."""
    draw = random.Random(seed)
    wanted = {(draw.randrange(count), draw.randrange(count)) for _ in range(edges)}
    pairs = np.asarray(sorted(pair for pair in wanted if pair[0] != pair[1]), np.int64)
    return pairs[:, 0], pairs[:, 1], count


def theirs(sources, targets, count, **options):
    pairs = list(zip(sources.tolist(), targets.tolist(), strict=True))
    other = igraph.Graph(n=count, edges=pairs, directed=True)
    return np.asarray(other.personalized_pagerank(damping=0.85, **options))


@pytest.mark.parametrize("seed", range(8))
def test_ranks_are_those_of_igraph(seed):
    made = graph(seed)
    assert np.abs(pagerank(*made) - theirs(*made)).max() < 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_personal_ranks_are_those_of_igraph(seed):
    sources, targets, count = graph(seed)
    start = np.zeros(count)
    start[seed : seed + 5] = [3, 1, 0, 2, 1]
    found = pagerank(sources, targets, count, start)
    assert np.abs(found - theirs(sources, targets, count, reset=start.tolist())).max() < 1e-9
    assert abs(found.sum() - 1) < 1e-9


def ranked(pairs, count, start=None):
    ends = np.asarray(pairs, np.int64).reshape(-1, 2)
    return pagerank(ends[:, 0], ends[:, 1], count, start)


def test_small_graphs():
    assert ranked([], 0).tolist() == []
    assert ranked([], 1).tolist() == [1.0]
    assert ranked([], 4).tolist() == [0.25] * 4
    assert ranked([(0, 1), (1, 2), (2, 0)], 3) == pytest.approx([1 / 3] * 3)
    # what all import has most, who imports it all have the same
    found = ranked([(0, 3), (1, 3), (2, 3)], 4)
    assert found.argmax() == 3
    assert len(set(found[:3].tolist())) == 1


def test_a_walk_that_starts_in_one_place_reaches_only_what_lies_behind():
    found = ranked([(0, 1), (1, 2), (3, 2)], 4, np.asarray([1.0, 0, 0, 0]))
    assert found[3] == 0
    assert (found[:3] > 0).all()


def test_tiers_go_by_what_a_file_has_beyond_the_least():
    rank = np.asarray([1, 51, 31, 11, 6, 1, 3], np.float64)
    assert tiers(rank).tolist() == [2, 0, 1, 1, 2, 2, 2]


def test_equal_files_are_never_parted_and_nothing_is_no_core():
    assert tiers(np.asarray([1, 9, 9, 9, 1.0])).tolist() == [2, 0, 0, 0, 2]
    assert tiers(np.full(5, 0.2)).tolist() == [2] * 5
    assert tiers(np.zeros(0)).tolist() == []
