"""Write the words that the embedding of the wheel finds near to each other.

    python -m training.near_words [--out FILE]

Whoever makes another model writes them anew.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from gitsearch.features.embedding import PACKAGED, Model
from gitsearch.features.near_words import PACKAGED as WORDS
from gitsearch.features.near_words import packed
from gitsearch.retrieval.query import inflected

# Words near to one, at most, and the least cosine of these with it.
MOST = 4
LEAST = 0.45
# Of these the forms are left out, which a question is also about.
_AMONG = 16

_SHORTEST = 3
_AT_ONCE = 1024


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.near_words",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, default=WORDS, help="file of the words")
    args = parser.parse_args()
    words, rows = known(Model(PACKAGED))
    found = {
        word: own
        for at in range(0, len(words), _AT_ONCE)
        for word, own in nearest(words, rows, range(at, min(at + _AT_ONCE, len(words)))).items()
        if own
    }
    kept = sorted({*found, *(word for own in found.values() for word in own)})
    number = {word: i for i, word in enumerate(kept)}
    numbers = np.full((len(kept), MOST), -1, np.int64)
    for word, own in found.items():
        numbers[number[word], : len(own)] = [number[one] for one in own]
    args.out.write_bytes(packed(kept, numbers))


def known(model: Model) -> tuple[list[str], np.ndarray]:
    """The words that are one token, and unit vectors of these: float32 (words, dims)."""
    described = json.loads((model.folder / "tokenizer.json").read_text(encoding="utf-8"))
    listed = described["model"]["vocab"]
    words = [
        word for word in listed if word.isascii() and word.isalpha() and len(word) >= _SHORTEST
    ]
    tokens = model.tokens(words)
    ones = [(word, own[0]) for word, own in zip(words, tokens, strict=True) if len(own) == 1]
    rows = model.rows([token for _, token in ones]).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1)
    there = np.flatnonzero(lengths)
    return [ones[i][0] for i in there], rows[there] / lengths[there, None]


def nearest(words: list[str], rows: np.ndarray, which: range) -> dict[str, list[str]]:
    """For some of the words, by number, those near to them, the nearest first."""
    cosines = rows[which.start : which.stop] @ rows.T
    found = {}
    for i, own in zip(which, cosines, strict=True):
        own[i] = -1.0
        forms = {words[i], *inflected(words[i])}
        first = np.argsort(-own, kind="stable")[:_AMONG]
        near = [words[j] for j in first if own[j] >= LEAST and words[j] not in forms]
        found[words[i]] = near[:MOST]
    return found


if __name__ == "__main__":
    main()
