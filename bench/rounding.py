"""What rounded vectors lose: the nearest chunks by them against those by exact vectors.

    python -m bench.rounding REPOSITORY... [--questions N]

Chunks are cut and counted as the index does it, questions made from the repository. Prints which
share of the 50 nearest chunks by vectors in double precision are among the 50 nearest by rows as
the index keeps them, among those of the chunks that the scan of sign bits lets through, and for
comparison among those by rows of 8 bits; files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from bench import filing
from bench.inprocess import add_arguments, questions
from gitsearch.extract.languages import hint
from gitsearch.features import embedding
from gitsearch.index.fact_columns import BlobKey, extract_columns
from gitsearch.index.view import Segment, View
from gitsearch.retrieval import dense_leg, query
from gitsearch.retrieval.constants import DEFAULT

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
    head = ["repository", "chunks", *_KEPT]
    print(filing.table(head, [[str(one[name]) for name in head] for one in found]))
    filing.write("rounding", {"nearest": _NEAREST, "repositories": found}, args.out)


def _measured(folder: Path, count: int, seed: int) -> dict[str, Any]:
    model = embedding.Model(embedding.PACKAGED)
    sums = _sums(folder, model)
    rows = embedding.quantised(sums)
    view = _view(rows, model)
    exact, kept, finer = _units(sums), _units(rows), _units(_eight_bits(sums))
    everything = np.arange(len(rows))
    scan = DEFAULT.scan + int(DEFAULT.scan_share * len(rows))
    shares = []
    for text in questions(folder, count, seed):
        ids = [token for part in model.tokens(query.parse(text).parts) for token in part]
        if not ids:
            continue
        asked = embedding.query_vector(model.rows(ids).astype(np.int64).sum(axis=0))
        wanted = _nearest(exact, asked, everything)
        let_through = dense_leg.scan(view, asked, view.live, scan)
        found = (
            _nearest(kept, asked, everything),
            _nearest(kept, asked, let_through),
            _nearest(finer, asked, everything),
        )
        shares.append([len(wanted & own) / len(wanted) for own in found])
    return {
        "repository": folder.resolve().name,
        "revision": filing.git("rev-parse", "HEAD", cwd=folder),
        "chunks": len(rows),
        "asked": len(shares),
        **dict(zip(_KEPT, np.mean(shares, axis=0).round(4).tolist(), strict=True)),
    }


_KEPT = ("rows", "scan, then rows", "8 bits")


def _view(rows: np.ndarray, model: embedding.Model) -> View:
    """What the scan sees of these rows."""
    code = embedding.sign_codes(rows)
    ones = np.bitwise_count(code).sum(axis=0).astype(np.uint16)
    arrays = {"code": code, "ones": ones, "file_chunk": np.asarray([0, len(rows)])}
    segment = Segment(arrays, {"files": 1, "chunks": len(rows), "base": None})
    return View((segment,), (np.ones(1, bool),), model)


def _sums(folder: Path, model: embedding.Model) -> np.ndarray:
    """The vectors of all chunks that have one before they are rounded: int32 (chunks, dims)."""
    blobs = []
    for number, path in enumerate(filing.git("ls-files", "-z", cwd=folder).split("\0")):
        file = folder / path
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= _LARGEST:
            blobs.append((BlobKey(str(number), hint(path.encode())), file.read_bytes()))
    counts = extract_columns(blobs).terms
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


def _eight_bits(rows: np.ndarray) -> np.ndarray:
    """Rows of whole steps, the largest of which is 127."""
    steps: np.ndarray = np.rint(rows * (127 / np.abs(rows).max(axis=1, keepdims=True)))
    return steps


def _nearest(rows: np.ndarray, asked: np.ndarray, among: np.ndarray) -> set[int]:
    order = np.argsort(-(rows[among] @ asked), kind="stable")
    return set(among[order[:_NEAREST]].tolist())


if __name__ == "__main__":
    main()
