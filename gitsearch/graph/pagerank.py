"""PageRank of files in a dependency graph, and tiers of files by rank."""

from __future__ import annotations

import numpy as np

DAMPING = 0.85

# The power iteration ends when the ranks change by less than this in one step, in sum.
_TOLERANCE = 1e-10

# Ranks that are equal by the structure of the graph differ in the last digits by the order of
# summation; ranks are rounded to this many decimals, so that ties are ties on every machine.
_DECIMALS = 12

TIERS = ("core", "significant", "peripheral")
# The share of all rank above the least rank that the core holds, and the core together with the
# significant files.
_SHARES = (0.5, 0.9)


def pagerank(
    sources: np.ndarray, targets: np.ndarray, count: int, teleport: np.ndarray | None = None
) -> np.ndarray:
    """Compute the PageRank of each of `count` files: float64, with sum 1.

    Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine" (1998), with
    teleport vector t (not negative, not all 0; None: uniform) and links from the importing to the
    imported file, each pair given once. The rank r is the fixed point of:

        r[v] = d * (sum of r[u] / links of u, over u -> v  +  t[v] * sum of r[u] over u without
               links)  +  (1 - d) * t[v],    d = 0.85

    So the rank of a file without links is distributed by t, as are 15 % of the rank of all others.
    """
    if count == 0:
        return np.zeros(0)
    start = np.ones(count) if teleport is None else teleport
    start = start / _sum(start)
    links = np.bincount(sources, minlength=count)
    share = DAMPING / np.maximum(links, 1)
    dangling = np.flatnonzero(links == 0)
    rank = start
    change = 1.0
    while change > _TOLERANCE:
        previous = rank
        teleported = 1 - DAMPING + DAMPING * _sum(previous[dangling])
        linked = np.bincount(targets, (previous * share)[sources], minlength=count)
        rank = linked + teleported * start
        change = _sum(np.abs(rank - previous))
    return np.round(rank, _DECIMALS)


def _sum(values: np.ndarray) -> float:
    """Sum from left to right: the order of np.sum depends on the vector width of the machine."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def tiers(rank: np.ndarray) -> np.ndarray:
    """Classify files by rank; returns indexes into TIERS: int64.

    Every file has some rank, imported or not, so only the excess over the least rank counts. The
    core are the highest files that together hold half of all excess, and core and significant
    files hold nine tenths. Files of equal rank share a tier, and files without excess are
    peripheral.
    """
    excess = rank - rank.min(initial=np.inf)
    descending = np.sort(excess)[::-1]
    cumulative = np.cumsum(descending)
    tier_of = np.full(len(rank), len(_SHARES), np.int64)
    if len(rank) == 0 or cumulative[-1] <= 0:
        return tier_of
    for tier, share in reversed(list(enumerate(_SHARES))):
        last = int(np.searchsorted(cumulative, share * cumulative[-1]))
        tier_of[(excess >= descending[last]) & (excess > 0)] = tier
    return tier_of
