"""Contrastive training of a table of token vectors.

Each step takes queries and chunks of many repositories, a group from each: the chunks of the same
repository are the hard negatives. The loss is InfoNCE over the whole batch, from queries to chunks
and, with less weight, back; the first dimensions alone have a share in it, too. A chunk of the
same file is no negative. The gradients are written out: what is learned is a table, and numpy is
as fast as anything that would derive them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Recipe:
    """What a training run does; the figures behind the values stand in README.md.

    `dims`: how many of the first dimensions are trained, with which share of the loss.
    """

    seed: int = 1
    epochs: int = 2
    batch: int = 4096
    group: int = 256
    rate: float = 1.5e-3
    rate_weights: float = 3e-3
    scale: float = 20.0
    back: float = 0.5
    drop_shared: float = 0.3
    template: float = 0.3
    dims: tuple[tuple[int, float], ...] = ((256, 1.0), (128, 1.0), (64, 0.3))


@dataclass(frozen=True)
class Data:
    """Pairs as bags of tokens, CSR (pairs, tokens), with numbers of repositories and of files.

    templates: phrases of questions, CSR (phrases, tokens).
    """

    queries: sparse.csr_matrix
    chunks: sparse.csr_matrix
    repository: np.ndarray
    file: np.ndarray
    templates: sparse.csr_matrix


_WARM = 60  # steps until the rate is full
_LAST = 0.02  # share of the rate at the end
_LARGEST_SCALE = 60.0
_MOMENTS = (0.9, 0.99)
_TINY = 1e-8


def batches(
    repository: np.ndarray, recipe: Recipe, order: np.random.Generator
) -> Iterator[np.ndarray]:
    """Positions of pairs for each step of an epoch: groups of one repository, many in a batch."""
    mixed = order.permutation(len(repository))
    mixed = mixed[np.argsort(repository[mixed], kind="stable")]
    bounds = np.flatnonzero(np.diff(repository[mixed])) + 1
    groups = [
        part[i : i + recipe.group]
        for part in np.split(mixed, bounds)
        for i in range(0, len(part), recipe.group)
    ]
    taken: list[np.ndarray] = []
    size = 0
    for i in order.permutation(len(groups)):
        taken.append(groups[i])
        size += len(groups[i])
        if size >= recipe.batch:
            yield np.concatenate(taken)
            taken, size = [], 0


def train(
    table: Floats,
    data: Data,
    recipe: Recipe,
    report: Callable[[int, float, Floats], None] | None = None,
) -> Floats:
    """The trained table, float32 (tokens, dims), the learned weights of tokens multiplied in."""
    order = np.random.default_rng(recipe.seed)
    steps = [one for _ in range(recipe.epochs) for one in batches(data.repository, recipe, order)]
    rows = np.array(table, np.float32)
    weights = np.zeros((len(table), 1), np.float32)
    scale = np.full(1, np.log(recipe.scale), np.float32)
    learned = [
        _Adam(rows, recipe.rate),
        _Adam(weights, recipe.rate_weights),
        _Adam(scale, recipe.rate),
    ]
    for step, chosen in enumerate(steps):
        queries, chunks = _augmented(data, chosen, recipe, order)
        weight = np.exp(weights)
        whole = rows * weight
        loss, slopes, steeper = _loss(
            queries @ whole, chunks @ whole, float(scale[0]), data.file[chosen], recipe
        )
        slope = queries.T.tocsr() @ slopes[0] + chunks.T.tocsr() @ slopes[1]
        own = (slope * whole).sum(axis=1, keepdims=True)
        share = min(1.0, (step + 1) / _WARM) * max(_LAST, 1 - step / len(steps))
        for one, gradient in zip(learned, (slope * weight, own, steeper), strict=True):
            one.move(gradient, share)
        if report and (step + 1) % max(1, len(steps) // 4) == 0:
            report(step + 1, loss, rows * np.exp(weights))
    return rows * np.exp(weights)


class _Adam:
    """One array that is learned, with the running moments of its gradients (Kingma, Ba 2015)."""

    def __init__(self, values: Floats, rate: float) -> None:
        self._values = values
        self._rate = rate
        self._first = np.zeros_like(values)
        self._second = np.zeros_like(values)
        self._steps = 0

    def move(self, gradient: Floats, share: float) -> None:
        """Go one step down, so far as this share of the rate."""
        self._steps += 1
        first, second = _MOMENTS
        self._first += (1 - first) * (gradient - self._first)
        self._second += (1 - second) * (gradient * gradient - self._second)
        spread = np.sqrt(self._second / (1 - second**self._steps)) + _TINY
        rate = self._rate * share / (1 - first**self._steps)
        self._values -= np.float32(rate) * self._first / spread


def _augmented(
    data: Data, chosen: np.ndarray, recipe: Recipe, order: np.random.Generator
) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """The bags of a step: some queries as questions, some words in common left out of chunks."""
    queries, chunks = data.queries[chosen], data.chunks[chosen]
    asked = np.flatnonzero(order.random(len(chosen)) < recipe.template)
    count = data.templates.shape[0]
    phrase = order.integers(0, count, len(asked))
    ones = np.ones(len(asked), np.float32)
    add = sparse.csr_matrix((ones, (asked, phrase)), (len(chosen), count))
    shared = sparse.csr_matrix(chunks.multiply(queries > 0))
    shared.data *= order.random(len(shared.data)) < recipe.drop_shared
    return _shares(queries + add @ data.templates), _shares(chunks - shared)


def _shares(bags: sparse.csr_matrix) -> sparse.csr_matrix:
    """Rows that sum to 1."""
    bags = sparse.csr_matrix(bags, dtype=np.float32)
    sums = np.asarray(bags.sum(axis=1)).ravel()
    bags.data /= np.repeat(np.maximum(sums, 1e-6), np.diff(bags.indptr)).astype(np.float32)
    return bags


def _loss(
    queries: Floats, chunks: Floats, scale: float, file: np.ndarray, recipe: Recipe
) -> tuple[float, tuple[Floats, Floats], Floats]:
    """The loss of a step; its slopes by the sums of queries and of chunks, and by the scale.

    `scale` is the logarithm of what cosines are multiplied with.
    """
    other = file[:, None] != file[None, :]
    np.fill_diagonal(other, val=True)
    factor = min(float(np.exp(scale)), _LARGEST_SCALE)
    total = steeper = 0.0
    slopes = np.zeros_like(queries), np.zeros_like(chunks)
    for dims, share in recipe.dims:
        asked, there = _Units(queries[:, :dims]), _Units(chunks[:, :dims])
        cosines = asked.rows @ there.rows.T
        scores = np.where(other, cosines * np.float32(factor), np.float32(-1e4))
        forth, lost = _surprise(scores)
        back, lost_back = _surprise(scores.T)
        total += share * (lost + recipe.back * lost_back)
        slope = np.float32(share) * (forth + np.float32(recipe.back) * back.T)
        if factor < _LARGEST_SCALE:
            steeper += factor * float((slope * cosines).sum())
        slope *= np.float32(factor)
        slopes[0][:, :dims] += asked.slope(slope @ there.rows)
        slopes[1][:, :dims] += there.slope(slope.T @ asked.rows)
    return total, slopes, np.full(1, steeper, np.float32)


def _surprise(scores: Floats) -> tuple[Floats, float]:
    """Mean cross-entropy of rows whose right column is the diagonal, and its slope."""
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    own = np.einsum("ii->i", shares)
    lost = -float(np.log(np.maximum(own, 1e-30)).mean())
    own -= 1
    shares /= len(scores)
    return shares, lost


class _Units:
    """Rows made unit vectors, and what a slope by them is by the rows as they were."""

    def __init__(self, sums: Floats) -> None:
        self._norms = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
        self.rows = sums / self._norms

    def slope(self, slope: Floats) -> Floats:
        along = (slope * self.rows).sum(axis=1, keepdims=True)
        found: Floats = (slope - self.rows * along) / self._norms
        return found
