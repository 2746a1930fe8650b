"""Questions of repositories that are held out of the training, and how well a model answers them.

Asked is what was mined there, of all chunks of the same files: documentation of chunks without
any comments, subjects of commits of chunks as they are. A figure is the mean over repositories of
the mean reciprocal rank of the right chunk among the first ten, by vectors alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from training.bags import Wordpieces, counted, directions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.mining import Pair
    from training.sources import Source

# Kinds of pairs that are asked, and whether the chunks are without comments then.
ASKED = {"documentation": True, "commit": False}

_MOST = 400  # questions of a kind and repository
_FIRST = 10


class HeldOut(NamedTuple):
    """All chunks of a repository, as they are and without comments, and its questions.

    questions: (kind, query, chunk that answers).
    """

    name: str
    whole: list[str]
    bare: list[str]
    scopes: list[tuple[str, ...]]
    questions: list[tuple[str, str, int]]


def held_out(name: str, sources: Sequence[Source], pairs: Sequence[Pair]) -> HeldOut:
    """What is asked of a repository, and the chunks that it is asked of."""
    found = HeldOut(name, [], [], [], [])
    first: dict[str, int] = {}
    for source in sources:
        first[source.path] = len(found.whole)
        without = [(start, end) for start, end, role in source.remarks if role != "attribute"]
        for number in range(len(source.chunks)):
            found.whole.append(source.text(number))
            found.bare.append(source.text(number, without))
            found.scopes.append(source.scope(number))
    for kind in ASKED:
        own = [one for one in pairs if one.kind == kind][:_MOST]
        found.questions.extend((kind, one.query, first[one.path] + one.chunk) for one in own)
    return found


def measured(
    table: np.ndarray, pieces: Wordpieces, repositories: Sequence[HeldOut]
) -> dict[str, float]:
    """The figure of each kind of question for a table of token vectors: float32 (tokens, dims)."""
    sums = dict.fromkeys(ASKED, 0.0)
    for one in repositories:
        for kind, is_bare in ASKED.items():
            own = [(query, answer) for what, query, answer in one.questions if what == kind]
            if own:
                texts = one.bare if is_bare else one.whole
                chunks = directions(counted(texts, one.scopes, pieces), table)
                asked = directions(counted([query for query, _ in own], None, pieces), table)
                sums[kind] += reciprocal(asked @ chunks.T, np.asarray([a for _, a in own]))
    return {kind: total / max(len(repositories), 1) for kind, total in sums.items()}


def reciprocal(scores: np.ndarray, answers: np.ndarray) -> float:
    """Mean reciprocal rank of the answers, 0 below the first ten: scores (questions, chunks)."""
    own = scores[np.arange(len(answers)), answers][:, None]
    ranks = (scores > own).sum(axis=1) + 1
    return float(np.where(ranks <= _FIRST, 1 / ranks, 0.0).mean())
