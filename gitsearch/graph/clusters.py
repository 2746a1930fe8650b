"""Groups of files that hang together more than with others. The only use of igraph."""

from __future__ import annotations

import random  # noqa: TID251 - igraph draws from it, from a fixed seed
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.graph.cycles import relabel_by_first

if TYPE_CHECKING:
    from collections.abc import Sequence

_SEED = 42


def clusters(pairs: Sequence[tuple[int, int]], weights: Sequence[int], count: int) -> np.ndarray:
    """The group of each of `count` nodes, numbered by first node: int64.

    The Leiden algorithm (Traag, Waltman and van Eck, "From Louvain to Leiden", 2019), modularity
    of undirected weighted pairs, repeated until nothing moves. Each call draws the same numbers:
    equal arguments have equal answers, whatever was drawn before.
    """
    import igraph

    graph = igraph.Graph(n=count, edges=pairs)
    # by default igraph draws from Python's own generator, which others may use or seed
    igraph.set_random_number_generator(random.Random(_SEED))
    try:
        found = graph.community_leiden("modularity", weights=weights, n_iterations=-1)
    finally:
        igraph.set_random_number_generator(random)
    return relabel_by_first(np.asarray(found.membership, np.int64))
