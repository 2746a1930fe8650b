"""The embedding model: a table of token vectors, and chunks as sums over it.

A static model (Model2Vec) is a bag of token vectors, so the vector of a chunk is a row of the
sparse product (chunk x term counts) @ (term vectors), and each distinct term is tokenised once.
Sums are taken over whole numbers (token vectors in fixed point): they are exact, so
a vector does not depend on the order in which terms became known.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.errors import BadModel
from gitsearch.features.runs import offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGED = Path(__file__).parent / "model"

# What Model(PACKAGED).fingerprint() returns: hashing 5 MB at each query would cost 7 ms.
PACKAGED_FINGERPRINT = "c78f1cdf7d754af0"

# Fixed point of token vectors: 2**-13 is a sixteenth of an int8 step of the packaged model, and a
# sum of 8,000 tokens of length 32 stays below 2**31.
_FIXED = 1 << 13

# Components of a chunk's unit vector are kept in 4 bits: whole numbers of steps, at most this many
# a side. A step is this share of the mean size of a component, which is 1 / sqrt(dims); 0.335 is
# the best one for 16 levels of a normal distribution (Max 1960), a little more for our 15.
LEVELS = 7
_STEP = 0.35

# Query vectors are rounded to this many steps a side: products with rows of up to 585 dimensions
# are then exact in single precision, which numpy multiplies fastest.
QUERY_STEPS = 4095

# Up to this many rows are read one by one from the mapping (3 us each), more by reading all.
_FEW = 256

# Up to this many postings sums are taken without scipy.
_ALONE = 50_000

# Chunks whose sums are held at once, with scipy and without (small enough for the cache).
_ROWS = 8192
_BLOCK = 512

# The layouts that model2vec itself knows: (embeddings, tokenizer), relative to the folder.
_LAYOUTS = (
    ("model.safetensors", "tokenizer.json"),
    ("0_StaticEmbedding/model.safetensors", "0_StaticEmbedding/tokenizer.json"),
)
_TABLE_NAMES = ("embeddings", "embedding.weight")


class Model:
    """A Model2Vec folder, opened lazily: rows by mapping, the tokeniser only for unknown words."""

    def __init__(self, folder: Path) -> None:
        """Open the folder; raises BadModel with the folder and the reason."""
        self.folder = folder
        self._tokenizer: object | None = None
        self._scaled_all: np.ndarray | None = None
        for table, tokenizer in _LAYOUTS:
            if (folder / table).is_file() and (folder / tokenizer).is_file():
                self._table_path, self._tokenizer_path = folder / table, folder / tokenizer
                break
        else:
            raise BadModel(
                f"no Model2Vec model in '{folder}'",
                "a folder with model.safetensors and tokenizer.json is needed: "
                "git config search.model",
            )
        self._open_table()

    def _open_table(self) -> None:
        from safetensors import SafetensorError, safe_open

        try:
            handle = safe_open(self._table_path, framework="np")
            names = set(handle.keys())
            name = next(n for n in _TABLE_NAMES if n in names)
            self._rows = handle.get_slice(name)
            shape = self._rows.get_shape()
            self._weights = handle.get_tensor("weights") if "weights" in names else None
            self._mapping = handle.get_tensor("mapping") if "mapping" in names else None
        except (SafetensorError, OSError, StopIteration) as error:
            reason = str(error) or "no table of embeddings in it"
            raise BadModel(f"the model in '{self.folder}' cannot be read: {reason}") from error
        if len(shape) != 2 or not 1 <= shape[1] <= 4096:
            raise BadModel(f"the model in '{self.folder}' has a table of shape {shape}")
        self.dims = int(shape[1])
        self._table_rows = int(shape[0])

    def fingerprint(self) -> str:
        """A short hash of the model's content: vectors made by different models never mix."""
        digest = hashlib.blake2b(digest_size=8)
        for path in (self._table_path, self._tokenizer_path):
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def tokens(self, terms: Sequence[str]) -> list[list[int]]:
        """Token ids of each term, unknown tokens left out."""
        if not terms:
            return []
        if self._tokenizer is None:
            self._tokenizer = self._load_tokenizer()
        encoded = self._tokenizer.encode_batch_fast(list(terms), add_special_tokens=False)  # type: ignore[attr-defined]
        unknown = self._unknown
        return [[i for i in one.ids if i != unknown] for one in encoded]

    def _load_tokenizer(self) -> object:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self._tokenizer_path))
        except Exception as error:  # tokenizers raises bare Exception
            raise BadModel(
                f"the tokeniser of the model in '{self.folder}' cannot be read: {error}"
            ) from error
        tokenizer.no_truncation()
        name = getattr(tokenizer.model, "unk_token", None)
        self._unknown = tokenizer.token_to_id(name) if name else None
        return tokenizer

    def rows(self, ids: Sequence[int] | np.ndarray) -> np.ndarray:
        """Token vectors in fixed point: int32 (len(ids), dims); raises BadModel for other ids."""
        which = np.asarray(ids, np.int64)
        if len(which) and (which.min() < 0 or which.max() >= self.count):
            raise BadModel(f"the model in '{self.folder}' has no token {int(which.max())}")
        if len(which) > self.count // 2:
            if self._scaled_all is None:
                self._scaled_all = self._scaled(np.arange(self.count))
            chosen: np.ndarray = self._scaled_all[which]
            return chosen
        return self._scaled(which)

    @property
    def count(self) -> int:
        """How many tokens the model knows."""
        return self._table_rows if self._mapping is None else len(self._mapping)

    def _scaled(self, ids: np.ndarray) -> np.ndarray:
        places = ids if self._mapping is None else self._mapping[ids]
        if len(ids) > _FEW:
            raw = self._table[places]
        else:
            found = [self._rows[int(i) : int(i) + 1] for i in places]
            raw = np.concatenate([np.zeros((0, self.dims), np.int8), *found])
        values = raw.astype(np.float64)
        if self._weights is not None:
            values *= np.asarray(self._weights, np.float64)[ids][:, None]
        values *= _FIXED
        scaled: np.ndarray = np.rint(values, out=values).astype(np.int32)
        return scaled

    @cached_property
    def _table(self) -> np.ndarray:
        whole: np.ndarray = self._rows[:]
        return whole


def embedded(
    model: Model,
    indptr: np.ndarray,
    term: np.ndarray,
    weight: np.ndarray,
    token_ends: np.ndarray,
    token: np.ndarray,
) -> np.ndarray:
    """As `chunk_vectors`, with rows of the model as tokens: only those that matter are read."""
    sizes = np.diff(token_ends)
    # compounds, which have most of the tokens, weigh nothing
    weighs = np.bincount(term, weight, len(sizes)) > 0
    used, compact = np.unique(token[np.repeat(weighs, sizes)], return_inverse=True)
    ends = offsets(np.where(weighs, sizes, 0))
    return chunk_vectors(indptr, term, weight, ends, compact, model.rows(used))


def chunk_vectors(
    indptr: np.ndarray,
    term: np.ndarray,
    weight: np.ndarray,
    token_ends: np.ndarray,
    token: np.ndarray,
    table: np.ndarray,
) -> np.ndarray:
    """int8 rows (chunks, dims), as `quantised` gives them, of chunks given as postings.

    indptr/term/weight: CSR of the chunks over terms; token_ends/token: CSR of the terms over the
    rows of `table` (int32 fixed point). A chunk without a known word gets a row of zeros.
    """
    add = _added if len(term) < _ALONE else _multiplied
    words = add(token_ends, token, np.ones(len(token), np.int32), table)
    out = np.empty((len(indptr) - 1, table.shape[1]), np.int8)
    for start in range(0, len(out), _ROWS):
        ends = indptr[start : start + _ROWS + 1]
        part = slice(int(ends[0]), int(ends[-1]))
        sums = add(ends - ends[0], term[part], weight[part].astype(np.int32), words)
        out[start : start + _ROWS] = quantised(sums)
    return out


def _multiplied(
    ends: np.ndarray, column: np.ndarray, weight: np.ndarray, table: np.ndarray
) -> np.ndarray:
    """Weighted sums of rows of a table, by a sparse product."""
    from scipy import sparse

    shape = (len(ends) - 1, len(table))
    product: np.ndarray = sparse.csr_matrix((weight, column, ends), shape) @ table
    return product


def _added(
    ends: np.ndarray, column: np.ndarray, weight: np.ndarray, table: np.ndarray
) -> np.ndarray:
    """The same without scipy, whose import takes longer than all sums of a few edited files.

    The first entries of many sums at once, then the second ones, and so on: a third of the time of
    `np.add.reduceat`. The longest sums come first, so that those that have an entry are in front.
    """
    sizes = np.diff(ends)
    order = np.argsort(-sizes, kind="stable")
    out = np.empty((len(sizes), table.shape[1]), np.int32)
    for start in range(0, len(order), _BLOCK):
        rows = order[start : start + _BLOCK]
        longer = len(rows) - np.cumsum(np.bincount(sizes[rows]))
        sums = np.zeros((len(rows), table.shape[1]), np.int32)
        for i, count in enumerate(longer.tolist()):
            entry = ends[rows[:count]] + i
            sums[:count] += table[column[entry]] * weight[entry, None]
        out[rows] = sums
    return out


def quantised(sums: np.ndarray) -> np.ndarray:
    """The directions of sums in 4 bits: int8 rows of whole steps, -LEVELS to LEVELS."""
    values = sums.astype(np.float64)
    norms = np.sqrt((values * values).sum(axis=1))
    steps = np.sqrt(sums.shape[1]) / _STEP / np.maximum(norms, 1e-12)
    rows = np.clip(np.rint(values * steps[:, None]), -LEVELS, LEVELS)
    return np.asarray(rows, np.int8)


def scales(rows: np.ndarray) -> np.ndarray:
    """What makes each row a unit vector: float64 (rows), 0 for a row of zeros."""
    values = rows.astype(np.float32, copy=False)  # exact: squares are whole and small
    squares = np.einsum("ij,ij->i", values, values).astype(np.float64)
    return np.where(squares > 0, 1 / np.sqrt(np.maximum(squares, 1)), 0.0)


def packed(rows: np.ndarray) -> np.ndarray:
    """Rows of steps, two to a byte: uint8 (rows, ceil(dims / 2)), the even one in the low bits."""
    even = (rows[:, 0::2] + (LEVELS + 1)).astype(np.uint8)
    odd = np.zeros_like(even)
    odd[:, : rows.shape[1] // 2] = rows[:, 1::2] + (LEVELS + 1)
    return even | odd << 4


def unpacked(codes: np.ndarray, dims: int) -> np.ndarray:
    """The rows that were packed: int8 (rows, dims)."""
    # both halves spread over two bytes at once: a few passes over plain memory
    pairs = codes.astype("<u2")
    pairs |= pairs << 4
    pairs &= 0x0F0F
    rows: np.ndarray = pairs.view(np.int8)
    rows -= np.int8(LEVELS + 1)
    return rows[:, :dims]


def query_vector(sums: np.ndarray) -> np.ndarray:
    """The unit vector of a query in whole steps: int64 (dims) up to QUERY_STEPS a side."""
    values = sums.astype(np.float64)
    norm = float(np.sqrt((values * values).sum()))
    return np.rint(values / max(norm, 1e-12) * QUERY_STEPS).astype(np.int64)


def sign_codes(rows: np.ndarray) -> np.ndarray:
    """Sign bits of int8 rows: uint64 (ceil(dims / 64), rows), bit d of word w is dim 64 w + d."""
    words = -(-rows.shape[1] // 64)
    padded = np.zeros((len(rows), words * 64), np.uint8)
    padded[:, : rows.shape[1]] = rows > 0
    packed = np.packbits(padded, axis=1, bitorder="little")
    return np.ascontiguousarray(packed.view("<u8").T)
