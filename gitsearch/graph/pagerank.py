"""PageRank: how much of a code base leans on each file, and which files are its core."""

from __future__ import annotations

import numpy as np

DAMPING = 0.85

# The power iteration ends when all ranks together change by less than this in one step.
_PRECISE = 1e-10

# Ranks that are equal by the shape of the graph differ in the last digits by the order of sums;
# they are kept to so many decimals, so that ties are ties on every machine.
_DECIMALS = 12

TIERS = ("core", "significant", "peripheral")
# What share of all that files have beyond the least the core has, and with it the significant.
_SHARES = (0.5, 0.9)


def pagerank(
    sources: np.ndarray, targets: np.ndarray, count: int, teleport: np.ndarray | None = None
) -> np.ndarray:
    """The rank of each of `count` files, together 1: float64.

    Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine" (1998), with
    teleport vector t (not negative, not all 0; None: uniform) and links from who imports to what
    is imported, each pair given once. The rank r is where this no longer changes:

        r[v] = d * (sum of r[u] / links of u, over u -> v  +  t[v] * sum of r[u] over u without
               links)  +  (1 - d) * t[v],    d = 0.85

    So what a file without links has goes to where walks start, as do 15 % of all others.
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
    while change > _PRECISE:
        known = rank
        spread = 1 - DAMPING + DAMPING * _sum(known[dangling])
        handed = np.bincount(targets, (known * share)[sources], minlength=count)
        rank = handed + spread * start
        change = _sum(np.abs(rank - known))
    return np.round(rank, _DECIMALS)


def _sum(values: np.ndarray) -> float:
    """The sum in order: that of numpy depends on how wide a machine's vectors are."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def tiers(rank: np.ndarray) -> np.ndarray:
    """Which of TIERS each file belongs to, as its number.

    Every file has some rank, be it imported or not; what counts is what it has beyond the least
    one. The core are the first files that have half of that together, with the significant ones
    it is nine tenths; files of equal rank are never parted, and who has nothing is peripheral.
    """
    beyond = rank - rank.min(initial=np.inf)
    ordered = np.sort(beyond)[::-1]
    upto = np.cumsum(ordered)
    found = np.full(len(rank), len(_SHARES), np.int64)
    if len(rank) == 0 or upto[-1] <= 0:
        return found
    for tier, share in reversed(list(enumerate(_SHARES))):
        last = int(np.searchsorted(upto, share * upto[-1]))
        found[(beyond >= ordered[last]) & (beyond > 0)] = tier
    return found
