"""From what a teacher says of each token to the table that training begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A token's weight falls with how common it is: a / (a + p), p by Zipf's law from its place in the
# teacher's vocabulary (Arora, Liang, Ma 2017).
_COMMON = 1e-4


def first_table(vectors: NDArray[np.float32], dims: int) -> NDArray[np.float32]:
    """The directions in which the teacher's vectors differ most, common tokens made short.

    vectors: (tokens, width), the most common tokens first; returns (tokens, dims), mean length 1.
    """
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, directions = np.linalg.eigh(centred.T @ centred)
    table = centred @ directions[:, ::-1][:, :dims]
    share = 1 / np.arange(2, len(table) + 2)
    table *= (_COMMON / (_COMMON + share / share.sum()))[:, None]
    table /= np.linalg.norm(table, axis=1).mean()
    return np.asarray(table, np.float32)
