"""Communities of files that depend on each other more than on others; the only use of igraph."""

from __future__ import annotations

import random  # noqa: TID251 - igraph draws from it, from a fixed seed
from typing import TYPE_CHECKING

from gitsearch.graph.cycles import relabel_by_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

_SEED = 42


def clusters(pairs: Sequence[tuple[int, int]], weights: Sequence[int], count: int) -> np.ndarray:
    """Label each of `count` nodes with its community: int64 (count), numbered by first node.

    The Leiden algorithm (Traag, Waltman and van Eck, "From Louvain to Leiden", 2019) maximises the
    modularity of the undirected weighted pairs until no node moves. The random numbers are the
    same at each call, so equal arguments give equal communities.
    """
    import igraph

    graph = igraph.Graph(n=count, edges=pairs)
    # igraph draws from the module `random` by default, which other code may seed or use
    igraph.set_random_number_generator(random.Random(_SEED))
    try:
        partition = graph.community_leiden("modularity", weights=weights, n_iterations=-1)
    finally:
        igraph.set_random_number_generator(random)
    return relabel_by_first(partition.membership)
