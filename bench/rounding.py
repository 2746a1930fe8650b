"""What vectors of 4 bits lose: the nearest chunks by them against those by exact vectors.

    python -m bench.rounding REPOSITORY... [--questions N]

Chunks are cut and counted as the index does it, questions made from the repository; the scan of
sign bits, which `bench.recall` measures, is left out. Prints which share of the 50 nearest chunks
by vectors in double precision are among the 50 nearest by rows as the index keeps them, and
for comparison by rows of 8 bits; files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from bench import filing
from bench.inprocess import add_arguments, questions
from gitsearch.corpus.harvest import BlobKey, harvest
from gitsearch.extract.facts import hint
from gitsearch.features import vectors
from gitsearch.retrieval import query

if TYPE_CHECKING:
    from pathlib import Path

_QUESTIONS = 300
_NEAREST = 50

# Larger files are not searched unless they are asked for.
_LARGEST = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.rounding",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_arguments(parser, _QUESTIONS)
    args = parser.parse_args()
    found = [_measured(folder, args.questions, args.seed) for folder in args.repositories]
    head = ["repository", "chunks", "4 bits", "8 bits"]
    print(filing.table(head, [[str(one[name]) for name in head] for one in found]))
    filing.write("rounding", {"nearest": _NEAREST, "repositories": found}, args.out)


def _measured(folder: Path, count: int, seed: int) -> dict[str, Any]:
    model = vectors.Model(vectors.PACKAGED)
    sums = _sums(folder, model)
    exact = _units(sums)
    rows = vectors.quantised(sums)
    kept = {"4 bits": _units(rows), "8 bits": _units(_eight_bits(exact))}
    shares: dict[str, list[float]] = {name: [] for name in kept}
    for text in questions(folder, count, seed):
        ids = [token for part in model.tokens(query.parse(text).parts) for token in part]
        if not ids:
            continue
        asked = vectors.query_vector(model.rows(ids).astype(np.int64).sum(axis=0))
        wanted = _nearest(exact, asked)
        for name, own in kept.items():
            shares[name].append(len(wanted & _nearest(own, asked)) / len(wanted))
    return {
        "repository": folder.resolve().name,
        "revision": filing.git("rev-parse", "HEAD", cwd=folder),
        "chunks": len(exact),
        "asked": len(shares["4 bits"]),
        **{name: round(float(np.mean(own)), 4) for name, own in shares.items()},
    }


def _sums(folder: Path, model: vectors.Model) -> np.ndarray:
    """The vectors of all chunks that have one before they are rounded: int32 (chunks, dims)."""
    blobs = []
    for number, path in enumerate(filing.git("ls-files", "-z", cwd=folder).split("\0")):
        file = folder / path
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= _LARGEST:
            blobs.append((BlobKey(str(number), hint(path.encode())), file.read_bytes()))
    counts = harvest(blobs).terms
    spelt = model.tokens(counts.terms)
    ends = np.cumsum([0, *map(len, spelt)])
    token = np.asarray([one for own in spelt for one in own], np.int64)
    table = model.rows(np.arange(model.count))
    ones = np.ones(len(token), np.int32)
    words = sparse.csr_matrix((ones, token, ends), (len(spelt), model.count)) @ table
    weights = (counts.weight.astype(np.int32), counts.term, counts.indptr)
    sums: np.ndarray = sparse.csr_matrix(weights, (len(counts.indptr) - 1, len(spelt))) @ words
    return sums[sums.any(axis=1)]


def _units(rows: np.ndarray) -> np.ndarray:
    values = rows.astype(np.float64)
    unit: np.ndarray = values / np.linalg.norm(values, axis=1, keepdims=True)
    return unit


def _eight_bits(units: np.ndarray) -> np.ndarray:
    """Rows of whole steps, 127 a side, each with a step of its own."""
    return np.rint(units * (127 / np.abs(units).max(axis=1, keepdims=True)))


def _nearest(rows: np.ndarray, asked: np.ndarray) -> set[int]:
    order = np.argsort(-(rows @ asked), kind="stable")
    return set(order[:_NEAREST].tolist())


if __name__ == "__main__":
    main()
