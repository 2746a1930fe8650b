"""Examples that the reader is trained on: a question, the chunk that answers it, and others.

The others stand among the first results of the two legs of the search, words and vectors, in the
same repository: what the reader has to tell apart is what the search could not. Texts are written
as `gitsearch.commands.reader` writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from gitsearch.features.embedding import embedded, quantised
from gitsearch.features.term_counts import TermCounter
from training import wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.features.embedding import Model
    from gitsearch.features.term_counts import TermCounts
    from training.mining import Pair
    from training.sources import Source

# Pairs that are drawn of a kind and repository, at most: questions and subjects of commits are
# what people ask, names are found without a reader.
_MOST = {"documentation": 60, "commit": 60, "prose": 25, "remark": 20, "name": 10, "file": 5}
# Kinds whose words were taken out of the comments of their chunk.
_FROM_COMMENTS = ("documentation", "remark")
# Share of these whose texts have no comments at all: else the text that answers would be the one
# that lacks its comment.
_BARE = 0.5

# Results that others are drawn from, and how many are, at least and at most.
_FIRST = 40
FEWEST, OTHERS = 6, 14

# Robertson and Zaragoza (2009), the usual values.
_K1, _B = 1.2, 0.75


class Example(NamedTuple):
    """A question, the text of the chunk that answers it, and texts of chunks that do not."""

    kind: str
    query: str
    answer: str
    others: list[str]


def examples(
    sources: Sequence[Source], pairs: Sequence[Pair], model: Model, order: np.random.Generator
) -> list[Example]:
    """Draw pairs of a repository, and for each of them chunks that are mistaken for its own."""
    return with_others(sources, _drawn(pairs, order), model, order)


def with_others(
    sources: Sequence[Source], pairs: Sequence[Pair], model: Model, order: np.random.Generator
) -> list[Example]:
    """For each pair, chunks that are mistaken for its own; pairs with too few are left out."""
    places = [(source, number) for source in sources for number in range(len(source.chunks))]
    at = {(source.path, number): i for i, (source, number) in enumerate(places)}
    if not pairs or len(places) < _FIRST:
        return []
    scores = _scores(places, [one.query for one in pairs], model)
    found = []
    for pair, row in zip(pairs, scores, strict=True):
        own = places[at[pair.path, pair.chunk]]
        first = np.argsort(-row, kind="stable")[:_FIRST]
        others = [places[i] for i in order.permutation(first) if _differs(places[i], own, pair)]
        bare = pair.kind in _FROM_COMMENTS and order.random() < _BARE
        if len(others) >= FEWEST:
            found.append(
                Example(
                    pair.kind,
                    pair.query,
                    _bare(*own) if bare else _text(*own, pair.text),
                    [_bare(*one) if bare else _whole(*one) for one in others[:OTHERS]],
                )
            )
    return found


def _drawn(pairs: Sequence[Pair], order: np.random.Generator) -> list[Pair]:
    drawn = []
    for kind, most in _MOST.items():
        own = [pair for pair in pairs if pair.kind == kind]
        drawn += [own[i] for i in order.permutation(len(own))[:most]]
    return drawn


def _differs(place: tuple[Source, int], own: tuple[Source, int], pair: Pair) -> bool:
    """Return True for a chunk that is wrong: without the question, and not near the answer.

    Near are, in the same file, the chunks beside it and those of the same definition.
    """
    source, number = place
    if source is own[0]:
        named, around = source.named(number), source.named(own[1])
        if abs(number - own[1]) <= 1 or named[len(named) - len(around) :] == around:
            return False
    return not wording.repeats(pair.query, source.text(number))


def _text(source: Source, number: int, text: str) -> str:
    """Return a chunk as the reader sees it: path, definition, lines without indentation."""
    symbol = source.chunks[number].symbol
    name = source.definitions[symbol].qualified if symbol >= 0 else ""
    return as_read(source.path, name, text)


def as_read(path: str, name: str, text: str) -> str:
    """Return a chunk as the reader sees it, given the name of its definition or ""."""
    body = "\n".join(line.strip() for line in text.splitlines())
    return f"{path} {name}\n{body}"


def _whole(source: Source, number: int) -> str:
    return _text(source, number, source.text(number))


def _bare(source: Source, number: int) -> str:
    comments = [(start, end) for start, end, role in source.remarks if role != "attribute"]
    return _text(source, number, source.text(number, comments))


def _scores(
    places: Sequence[tuple[Source, int]], queries: Sequence[str], model: Model
) -> np.ndarray:
    """Both legs, each as a share of its best: float (queries, chunks)."""
    counter = TermCounter()
    for source, number in places:
        counter.add(source.text(number), source.scope(number))
    for query in queries:
        counter.add(query, ())
    counts = counter.counts()
    shape = (len(places) + len(queries), len(counts.terms))
    words = sparse.csr_matrix((counts.tf.astype(float), counts.term, counts.indptr), shape)
    vectors = by_embedding(counts, model)
    chunks, asked = vectors[: len(places)], vectors[len(places) :]
    near = asked @ chunks.T / np.maximum(np.linalg.norm(chunks, axis=1), 1.0)
    both: np.ndarray = _shares(_bm25(words[: len(places)], words[len(places) :])) + _shares(near)
    return both


def by_embedding(counts: TermCounts, model: Model) -> np.ndarray:
    """Return vectors of texts by the embedding, as an index has them: float32 (texts, dims)."""
    tokens = model.tokens(counts.terms)
    ends = np.cumsum([0, *map(len, tokens)])
    flat = np.fromiter((token for some in tokens for token in some), np.int64, ends[-1])
    return embedded(
        model, counts.indptr, counts.term, counts.weight, ends, flat, quantised
    ).astype(np.float32)


def _bm25(chunks: sparse.csr_matrix, queries: sparse.csr_matrix) -> np.ndarray:
    """Robertson's formula: float (queries, chunks)."""
    count = chunks.shape[0]
    frequency = chunks.getnnz(axis=0)
    idf = np.log1p((count - frequency + 0.5) / (frequency + 0.5))
    lengths = np.asarray(chunks.sum(axis=1)).ravel()
    norms = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1.0))
    weighed = chunks.copy()
    weighed.data /= weighed.data + np.repeat(norms, np.diff(chunks.indptr))
    weighed.data *= idf[chunks.indices]
    asked = queries.copy()
    asked.data[:] = 1.0
    scores: np.ndarray = (asked @ weighed.T).toarray()
    return scores


def _shares(scores: np.ndarray) -> np.ndarray:
    best = scores.max(axis=1, keepdims=True)
    shares: np.ndarray = scores / np.where(best > 0, best, 1.0)
    return shares
