"""The embedding model: a table of token vectors, and chunks as sums over it.

A static model (Model2Vec) is a bag of token vectors, so the vector of a chunk is a row of the
sparse product (chunk x term counts) @ (term vectors), and each distinct term is tokenised once.
Sums are taken over whole numbers (token vectors in fixed point): they are exact, so
a vector does not depend on the order in which terms became known.
"""

from __future__ import annotations

import hashlib
import json
import math
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.errors import BadModel
from gitsearch.features.ragged import offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenizers import Tokenizer

PACKAGED = Path(__file__).parent / "model"

# What Model(PACKAGED).fingerprint() returns: hashing 4 MB at each query would cost 5 ms.
PACKAGED_FINGERPRINT = "f99e58e36e12a77f"

# Fixed point of token vectors: 2**-13 is a twentieth of an int8 step of the packaged model, and a
# sum of 8,000 tokens of length 32 stays below 2**31. A model with components of 2**5 and more, as
# bare int8 tables have, or with none of one half gets as many bits less or more.
_FIXED_BITS = 13
_MOST_BITS = 5

# Components of a chunk's vector are whole numbers of steps, its largest one this many.
LEVELS = 127

# Query vectors are rounded to this many steps a side.
QUERY_STEPS = 4095

# With up to this many dimensions products of such rows and queries (at most the product of their
# lengths, 127 x 32 and 4095 + 16) and squares of rows stay below 2**24: they are exact in single
# precision, which numpy multiplies fastest.
SINGLE = 1024

# Up to this many rows are read one by one from the mapping (3 us each), more by reading all.
_FEW = 256

# Bytes of a model that are read at once.
_PART = 1 << 20

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
# Bytes of each that are read at most; the largest known ones have a gigabyte and 33 MB.
_LARGEST = (4 << 30, 64 << 20)

_TABLE_NAMES = ("embeddings", "embedding.weight")
_TABLE_TYPES = ("F16", "F32", "F64", "I8")
_MOST_DIMS = 4096

# Words that a tokeniser may stumble over: one that it knows, one of another script, a number.
_PROBES = ("value", "名前", "0")


class Model:
    """A Model2Vec folder, opened lazily: rows by mapping, the tokeniser only for unknown words.

    dims: components of a vector; height: rows of the table; mapping: the row of each token, None
    where token and row are the same.
    """

    def __init__(self, folder: Path) -> None:
        """Open the folder; raises BadModel with the folder and the reason."""
        self.folder = folder
        self._tokenizer: Tokenizer | None = None
        self._scaled_all: np.ndarray | None = None
        self._table_path, self._tokenizer_path = self._files()
        self._open_table()

    def _files(self) -> tuple[Path, Path]:
        try:
            for table, tokenizer in _LAYOUTS:
                found = self.folder / table, self.folder / tokenizer
                if found[0].is_file() and found[1].is_file():
                    self._bound(*found)
                    return found
        except OSError:
            pass  # asked again for the reason
        from gitsearch.features.model_validation import incomplete

        raise incomplete(self.folder, _LAYOUTS[-1])

    def _bound(self, *found: Path) -> None:
        """Raise BadModel for files that are larger than any real ones: all of them is read."""
        for file, most in zip(found, _LARGEST, strict=True):
            if file.stat().st_size > most:
                raise self._unusable(f"{file.name} has more than {most} bytes")

    def _open_table(self) -> None:
        from safetensors import SafetensorError, safe_open

        try:
            handle = safe_open(self._table_path, framework="np")
            names = set(handle.keys())
            name = next((n for n in _TABLE_NAMES if n in names), None)
            if name is None:
                raise self._unusable("it is not Model2Vec, for it has no table 'embeddings'")
            self._rows = handle.get_slice(name)
            shape, kind = self._rows.get_shape(), self._rows.get_dtype()
            self._weights = handle.get_tensor("weights") if "weights" in names else None
            self.mapping = handle.get_tensor("mapping") if "mapping" in names else None
        except (SafetensorError, OSError) as error:
            raise self._unreadable(self._table_path, error) from error
        except (TypeError, AttributeError) as error:
            raise self._unusable(f"numpy has not all its types of numbers: {error}") from error
        if len(shape) != 2 or not shape[0] or not 1 <= shape[1] <= _MOST_DIMS:
            raise self._unusable(f"its table has the shape {shape}")
        if kind not in _TABLE_TYPES:
            raise self._unusable(f"its table is of type {kind}, not {', '.join(_TABLE_TYPES)}")
        self.height, self.dims = int(shape[0]), int(shape[1])
        if self.mapping is not None and not _is_list(self.mapping):
            raise self._unusable("its mapping is no list of rows")
        if self._weights is not None and self._weights.shape != (self.count,):
            raise self._unusable(
                f"it has weights of shape {list(self._weights.shape)} for {self.count} tokens"
            )

    def _unusable(self, reason: str) -> BadModel:
        from gitsearch.features.model_validation import unusable

        return unusable(self.folder, reason)

    def _unreadable(self, file: Path, error: BaseException) -> BadModel:
        from gitsearch.features.model_validation import unreadable

        return unreadable(self.folder, file, error)

    def check(self) -> None:
        """Read all of it; raises BadModel for whatever would make wrong vectors of it."""
        if not math.isfinite(self.largest):
            raise self._unusable("its table holds values that are no numbers")
        places = self.mapping
        if places is not None and not 0 <= places.min() <= places.max() < self.height:
            raise self._unusable("its mapping leads out of its table")
        ids = list(self._loaded().get_vocab().values())
        # as its own library has it: another number of tokens is a tokeniser of another model
        if places is None and len(ids) != self.count:
            raise self._unusable(f"its tokeniser has {len(ids)} tokens, its table {self.count}")
        if max(ids) >= self.count:
            raise self._unusable(f"its tokeniser has a token {max(ids)} of {self.count}")
        self.tokens(_PROBES)

    def fingerprint(self) -> str:
        """A short hash of the model's content: vectors made by different models never mix."""
        digest = hashlib.blake2b(digest_size=8)
        for path in (self._table_path, self._tokenizer_path):
            try:
                with path.open("rb") as file:
                    while part := file.read(_PART):
                        digest.update(part)
            except OSError as error:
                raise self._unreadable(path, error) from error
        return digest.hexdigest()

    def tokens(self, terms: Sequence[str]) -> list[list[int]]:
        """Token ids of each term, unknown tokens left out; raises BadModel."""
        if not terms:
            return []
        from gitsearch.features.model_validation import failing

        tokenizer = self._loaded()
        with failing(lambda error: self._unusable(f"its tokeniser fails: {error}")):
            encoded = tokenizer.encode_batch_fast(
                [self._before + term for term in terms], add_special_tokens=False
            )
        unknown = self._unknown
        return [[i for i in one.ids if i != unknown] for one in encoded]

    def _loaded(self) -> Tokenizer:
        if self._tokenizer is None:
            self._tokenizer = self._load_tokenizer()
        return self._tokenizer

    def _load_tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        from gitsearch.features import model_validation, tokenizer_bounds

        with model_validation.failing(lambda error: self._unreadable(self._tokenizer_path, error)):
            tokenizer = Tokenizer.from_file(str(self._tokenizer_path))
        steps = [_written(step) for step in (tokenizer.normalizer, tokenizer.pre_tokenizer)]
        try:
            tokenizer_bounds.require(*steps)
        except tokenizer_bounds.UnboundedTokenizer as error:
            raise self._unusable(f"its tokeniser is not known to be harmless: {error}") from error
        if getattr(tokenizer.model, "dropout", None):
            raise self._unusable("its tokeniser leaves out merges at random")
        tokenizer.no_truncation()
        tokenizer.no_padding()
        if hasattr(tokenizer.model, "unk_token"):
            name = tokenizer.model.unk_token
            self._unknown = tokenizer.token_to_id(name) if name else None
        else:  # a Unigram model says it only when it is written
            self._unknown = json.loads(tokenizer.to_str())["model"].get("unk_id")
        # where a blank belongs to the word after it, that is how a word stands in a text
        bytewise = b'"ByteLevel"' in (steps[1] or b"")
        self._before = " " if bytewise else ""
        return tokenizer

    def rows(self, ids: Sequence[int] | np.ndarray) -> np.ndarray:
        """Token vectors in fixed point: int32 (len(ids), dims); raises BadModel for other ids."""
        which = np.asarray(ids, np.int64)
        if len(which) and (which.min() < 0 or which.max() >= self.count):
            raise self._unusable(f"it has no token {int(which.max())}")
        if len(which) > self.count // 2:
            if self._scaled_all is None:
                self._scaled_all = self._scaled(np.arange(self.count))
            chosen: np.ndarray = self._scaled_all[which]
            return chosen
        return self._scaled(which)

    @property
    def count(self) -> int:
        """How many tokens the model knows."""
        return self.height if self.mapping is None else len(self.mapping)

    @cached_property
    def largest(self) -> float:
        """No component of a token vector is larger; nan or inf if one is no number."""
        weight = 1.0 if self._weights is None else float(np.abs(self._weights).max())
        if self._rows.get_dtype() == "I8":
            return weight * (1 << 7)
        ends = [*range(0, self.height, _ROWS), self.height]
        # the largest of several is nan if one of them is
        return weight * float(np.max([np.abs(self._rows[a:b]).max() for a, b in pairwise(ends)]))

    @cached_property
    def _fixed(self) -> float:
        """What a component of 1 is in fixed point."""
        bits = math.frexp(self.largest)[1]
        return math.ldexp(1.0, _FIXED_BITS - max(bits - _MOST_BITS, 0) - min(bits, 0))

    def _scaled(self, ids: np.ndarray) -> np.ndarray:
        places = ids if self.mapping is None else self.mapping[ids]
        scaled = np.empty((len(ids), self.dims), np.int32)
        for start in range(0, len(ids), _ROWS):
            part = slice(start, start + _ROWS)
            values = self._read(places[part], all_of_it=len(ids) > _FEW).astype(np.float64)
            if self._weights is not None:
                values *= np.asarray(self._weights, np.float64)[ids[part]][:, None]
            values *= self._fixed
            scaled[part] = np.rint(values, out=values)
        return scaled

    def _read(self, places: np.ndarray, *, all_of_it: bool) -> np.ndarray:
        if all_of_it:
            rows: np.ndarray = self._table[places]
            return rows
        return np.concatenate([self._rows[int(i) : int(i) + 1] for i in places])

    @cached_property
    def _table(self) -> np.ndarray:
        whole: np.ndarray = self._rows[:]
        return whole


def _written(step: Any) -> bytes | None:
    """A normaliser or pre-tokeniser as JSON; None where there is none."""
    return None if step is None else step.__getstate__()


def _is_list(rows: np.ndarray) -> bool:
    return rows.ndim == 1 and len(rows) > 0 and rows.dtype.kind in "iu"


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


def group_sums(rows: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Sums of the rows of each group, of which none is without a row: int32 (groups, dims)."""
    ends = offsets(np.bincount(group))
    order = np.argsort(group, kind="stable")
    return _added(ends, order, np.ones(len(order), np.int32), rows)


def quantised(sums: np.ndarray) -> np.ndarray:
    """The directions of sums in 8 bits: int8 rows of whole steps, the largest one LEVELS."""
    values = sums.astype(np.float64)
    largest = np.abs(values).max(axis=1, initial=0, keepdims=True)
    steps: np.ndarray = np.rint(values * LEVELS / np.where(largest > 0, largest, 1))
    return steps.astype(np.int8)


def scales(rows: np.ndarray) -> np.ndarray:
    """What makes each row of whole numbers a unit vector: float64 (rows), 0 for one of zeros."""
    values = rows if rows.dtype.kind == "f" else rows.astype(np.float64)
    squares = np.einsum("ij,ij->i", values, values).astype(np.float64)
    return np.where(squares > 0, 1 / np.sqrt(np.maximum(squares, 1)), 0.0)


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
