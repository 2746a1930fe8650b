"""The static embedding model: a table of token vectors, and chunk vectors as sums of its rows.

In a static model (Model2Vec) the vector of a text is a sum of token vectors. So the vectors of
chunks are the sparse product (chunk x term counts) @ (term vectors), and each distinct term is
tokenised once. Token vectors are in fixed point: integer sums are exact, so a vector does not
depend on the order of the terms.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.errors import BadModel
from gitsearch.features.ragged import offsets
from gitsearch.git_conventions import LFS_POINTER

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Rounds sums of token vectors, (rows, dims), to int8.
Rounding = Callable[[np.ndarray], np.ndarray]

PACKAGED = Path(__file__).parent / "model"

# The value of Model(PACKAGED).fingerprint(): to hash 4 MB at each query would cost 5 ms.
PACKAGED_FINGERPRINT = "3eed665edf882a53"

# Fraction bits of token vectors: 2**-13 is a twentieth of an int8 step of the packaged model, and
# a sum of 8,000 tokens of length 32 stays below 2**31. A model with components of 2**5 and more,
# such as a bare int8 table, gets fewer bits accordingly, one with all components below 1/2 more.
_FIXED_BITS = 13
_MOST_BITS = 5

# Vectors of paths are scaled so that the component of the largest magnitude is this integer.
PATH_LEVELS = 127

# The components of chunk vectors are odd whole numbers up to this, in half steps: 16 levels, none
# of them 0. A step is this part of the mean magnitude of a component, which is next to the best
# for normally distributed ones (.3352 of their deviation: J. Max, Quantizing for Minimum
# Distortion, 1960, table II), whose mean magnitude is .7979 of it.
LEVELS = 15
_STEP = 0.3352 / 0.7979

# Query vectors are unit vectors times this, rounded to integers.
QUERY_STEPS = 4095

# Rows that are unpacked at once, so that intermediate arrays stay in the processor's cache.
_UNPACKED = 1 << 10

# With up to this many dimensions dot products of such rows and queries (at most the product of
# their norms, 127 x 32 and 4095 + 16) and squared norms of rows stay below 2**24: they are exact
# in single precision, which is the fastest in numpy.
SINGLE = 1024

# Up to this many rows are read one by one from the mapped file (3 us each); for more, all are
# read.
_FEW_ROWS = 256

# Bytes that are hashed at once.
_HASHED_BYTES = 1 << 20

# Up to this many postings, sums are computed without scipy.
_WITHOUT_SCIPY = 500_000

# Rows of sums in memory at once, with scipy and without (small enough for the processor cache).
_ROWS = 8192
_BLOCK = 512

# The layouts that the library model2vec supports: (embeddings, tokenizer), relative to the folder.
_LAYOUTS = (
    ("model.safetensors", "tokenizer.json"),
    ("0_StaticEmbedding/model.safetensors", "0_StaticEmbedding/tokenizer.json"),
)
# The greatest sizes of these files in bytes; the largest known ones have 1 GB and 33 MB.
_LARGEST = (4 << 30, 64 << 20)

_TABLE_NAMES = ("embeddings", "embedding.weight")
_TABLE_TYPES = ("F16", "F32", "F64", "I8")
_MOST_DIMS = 4096

# Words to test a tokeniser with: a known one, one of another script, a number.
_TEST_WORDS = ("value", "名前", "0")

_WANTED = "search.model wants a folder with model.safetensors and tokenizer.json"
_WITHOUT = "`git config --unset search.model` goes back to the packaged one"

# The type that a library in Rust raises when it panics; it is not an Exception.
_PANIC = "PanicException"


def states(folder: Path) -> tuple[tuple[int, ...] | None, ...]:
    """Return what changes if a file of a model is written or replaced."""
    return tuple(_state(folder / file) for layout in _LAYOUTS for file in layout)


def _state(file: Path) -> tuple[int, ...] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@lru_cache(maxsize=2)
def opened(folder: Path, state: object) -> Model:
    """Return the model in a folder: the same one for all repositories of a question.

    state: what `states` returns. Raises BadModel.
    """
    del state  # a model whose files were replaced is another one
    return Model(folder)


class Model:
    """A Model2Vec folder, opened lazily: mapped rows, and a tokeniser loaded for new words only.

    dims: components of a vector; height: rows of the table; mapping: the row of each token id,
    None where the id is the row.
    """

    def __init__(self, folder: Path) -> None:
        """Open the folder. Raises BadModel with the folder and the reason."""
        self.folder = folder
        self._table_path, self._tokenizer_path = self._files()
        self._open_table()

    def _files(self) -> tuple[Path, Path]:
        with suppress(OSError):  # `_incomplete` finds the reason
            for layout in _LAYOUTS:
                table, tokenizer = (self.folder / file for file in layout)
                if table.is_file() and tokenizer.is_file():
                    # both are read as a whole
                    for file, most in zip((table, tokenizer), _LARGEST, strict=True):
                        if file.stat().st_size > most:
                            raise self._unusable(f"{file.name} has more than {most} bytes")
                    return table, tokenizer
        raise self._incomplete()

    def _open_table(self) -> None:
        from safetensors import SafetensorError, safe_open

        try:
            handle = safe_open(self._table_path, framework="np")
            names = set(handle.keys())
            name = next((known for known in _TABLE_NAMES if known in names), None)
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
        rows = self.mapping
        if rows is not None and not (rows.ndim == 1 and len(rows) and rows.dtype.kind in "iu"):
            raise self._unusable("its mapping is no list of rows")
        if self._weights is not None and self._weights.shape != (self.count,):
            raise self._unusable(
                f"it has weights of shape {list(self._weights.shape)} for {self.count} tokens"
            )

    def _unusable(self, reason: str, hint: str = _WITHOUT) -> BadModel:
        text = " ".join(reason.split())
        return BadModel(f"the model in '{self.folder}' cannot be used: {text}", hint)

    def _incomplete(self) -> BadModel:
        """Return the error for a folder without the files of a model."""
        table, tokenizer = (Path(file) for file in _LAYOUTS[-1])
        try:
            present = {path.name for path in self.folder.iterdir()}
            top = self.folder / table.parent if table.parent.name in present else self.folder
            missing = [file.name for file in (table, tokenizer) if not (top / file.name).is_file()]
        except FileNotFoundError:
            return self._unusable("there is no such folder", _WANTED)
        except NotADirectoryError:
            return self._unusable("it is not a folder", _WANTED)
        except OSError as error:
            return self._unusable(error.strerror or str(error))
        return self._unusable(f"it has no {' and no '.join(missing)}", _WANTED)

    def _unreadable(self, file: Path, error: BaseException) -> BadModel:
        try:
            with file.open("rb") as opened:
                head = opened.read(len(LFS_POINTER))
        except OSError as denied:
            return self._unusable(f"{file.name}: {denied.strerror}")
        if head == LFS_POINTER:
            reason = f"{file.name} is a Git LFS pointer, not the file itself"
            return self._unusable(reason, "`git lfs pull` in its repository fetches it")
        if not head:
            return self._unusable(f"{file.name} is empty")
        return self._unusable(f"{file.name} is damaged or cut short: {error}")

    def check(self) -> None:
        """Read the whole model. Raises BadModel for anything that leads to wrong vectors."""
        if not math.isfinite(self.largest):
            raise self._unusable("its table holds values that are no numbers")
        places = self.mapping
        if places is not None and not 0 <= places.min() <= places.max() < self.height:
            raise self._unusable("its mapping leads out of its table")
        ids = list(self._tokenizer.get_vocab().values())
        # As in model2vec: with another number of tokens it is the tokeniser of another model.
        if places is None and len(ids) != self.count:
            raise self._unusable(f"its tokeniser has {len(ids)} tokens, its table {self.count}")
        if max(ids) >= self.count:
            raise self._unusable(f"its tokeniser has a token {max(ids)} of {self.count}")
        self.tokens(_TEST_WORDS)

    def fingerprint(self) -> str:
        """Return a hash of the content of the model: 16 hex digits. Raises BadModel.

        It keeps vectors of different models apart.
        """
        digest = hashlib.blake2b(digest_size=8)
        for path in (self._table_path, self._tokenizer_path):
            try:
                with path.open("rb") as file:
                    while part := file.read(_HASHED_BYTES):
                        digest.update(part)
            except OSError as error:
                raise self._unreadable(path, error) from error
        return digest.hexdigest()

    def tokens(self, terms: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each term without the unknown token. Raises BadModel."""
        if not terms:
            return []
        tokenizer = self._tokenizer
        with _failing(lambda error: self._unusable(f"its tokeniser fails: {error}")):
            encoded = tokenizer.encode_batch_fast(
                [self._word_prefix + term for term in terms], add_special_tokens=False
            )
        unknown = self._unknown
        return [[token for token in term.ids if token != unknown] for term in encoded]

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        from gitsearch.features import tokenizer_bounds

        with _failing(lambda error: self._unreadable(self._tokenizer_path, error)):
            tokenizer = Tokenizer.from_file(str(self._tokenizer_path))
        # as JSON
        steps = [
            None if step is None else step.__getstate__()
            for step in (tokenizer.normalizer, tokenizer.pre_tokenizer)
        ]
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
        else:  # a Unigram model has it in its JSON only
            self._unknown = json.loads(tokenizer.to_str())["model"].get("unk_id")
        # In a byte-level tokeniser a space belongs to the word after it, as in running text.
        bytewise = b'"ByteLevel"' in (steps[1] or b"")
        self._word_prefix = " " if bytewise else ""
        return tokenizer

    def rows(self, ids: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return token vectors in fixed point: int32 (len(ids), dims).

        Raises BadModel for ids that the model does not have.
        """
        which = np.asarray(ids, np.int64)
        if len(which) and (which.min() < 0 or which.max() >= self.count):
            raise self._unusable(f"it has no token {int(which.max())}")
        return self._all_scaled[which] if len(which) > self.count // 2 else self._scaled(which)

    @cached_property
    def _all_scaled(self) -> np.ndarray:
        return self._scaled(np.arange(self.count))

    @property
    def count(self) -> int:
        """The number of tokens of the model."""
        return self.height if self.mapping is None else len(self.mapping)

    @cached_property
    def largest(self) -> float:
        """An upper bound of the components of token vectors; nan or inf if one is not finite."""
        weight = 1.0 if self._weights is None else float(np.abs(self._weights).max())
        if self._rows.get_dtype() == "I8":
            return weight * (1 << 7)
        ends = [*range(0, self.height, _ROWS), self.height]
        # The maximum of several values is nan if one of them is.
        return weight * float(np.max([np.abs(self._rows[a:b]).max() for a, b in pairwise(ends)]))

    @cached_property
    def _fixed(self) -> float:
        """The fixed-point representation of 1."""
        bits = math.frexp(self.largest)[1]
        return math.ldexp(1.0, _FIXED_BITS - max(bits - _MOST_BITS, 0) - min(bits, 0))

    def _scaled(self, ids: np.ndarray) -> np.ndarray:
        places = ids if self.mapping is None else self.mapping[ids]
        scaled = np.empty((len(ids), self.dims), np.int32)
        for start in range(0, len(ids), _ROWS):
            part = slice(start, start + _ROWS)
            if len(ids) > _FEW_ROWS:
                values = self._table[places[part]].astype(np.float64)
            else:
                rows = [self._rows[i : i + 1] for i in places[part].tolist()]
                values = np.concatenate(rows).astype(np.float64)
            if self._weights is not None:
                values *= np.asarray(self._weights, np.float64)[ids[part]][:, None]
            values *= self._fixed
            scaled[part] = np.rint(values, out=values)
        return scaled

    @cached_property
    def _table(self) -> np.ndarray:
        whole: np.ndarray = self._rows[:]
        return whole


@contextmanager
def _failing(refusal: Callable[[BaseException], BadModel]) -> Iterator[None]:
    """Convert whatever `tokenizers` raises, which is bare Exception or a panic, to BadModel."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
            raise
        raise refusal(error) from error


def embedded(
    model: Model,
    indptr: np.ndarray,
    term: np.ndarray,
    weight: np.ndarray,
    token_ends: np.ndarray,
    token: np.ndarray,
    rounding: Rounding,
) -> np.ndarray:
    """Return `text_vectors` with the rows of a model as the table; only used rows are read.

    `token` holds token ids. Raises BadModel.
    """
    sizes = np.diff(token_ends)
    # Compounds, which have most of the tokens, have no weight.
    weighs = np.bincount(term, weight, len(sizes)) > 0
    used, compact = np.unique(token[np.repeat(weighs, sizes)], return_inverse=True)
    ends = offsets(np.where(weighs, sizes, 0))
    return text_vectors(indptr, term, weight, ends, compact, model.rows(used), rounding)


def text_vectors(
    indptr: np.ndarray,
    term: np.ndarray,
    weight: np.ndarray,
    token_ends: np.ndarray,
    token: np.ndarray,
    table: np.ndarray,
    rounding: Rounding,
) -> np.ndarray:
    """Return the vectors of texts, given as postings: int8 (texts, dims).

    indptr/term/weight: CSR of the texts over terms; token_ends/token: CSR of the terms over the
    rows of `table` (int32 fixed point). The vector of a text without known words is zero.
    """
    # an eighth of all postings, those of compounds, have no weight
    weighs = weight > 0
    indptr, term, weight = offsets(weighs)[indptr], term[weighs], weight[weighs]
    add = _added if len(term) < _WITHOUT_SCIPY else _multiplied
    words = add(token_ends, token, np.ones(len(token), np.int32), table)
    out = np.empty((len(indptr) - 1, table.shape[1]), np.int8)
    for start in range(0, len(out), _ROWS):
        ends = indptr[start : start + _ROWS + 1]
        part = slice(int(ends[0]), int(ends[-1]))
        sums = add(ends - ends[0], term[part], weight[part].astype(np.int32), words)
        out[start : start + _ROWS] = rounding(sums)
    return out


def _multiplied(
    ends: np.ndarray, column: np.ndarray, weight: np.ndarray, table: np.ndarray
) -> np.ndarray:
    """Return weighted sums of the rows of a table as a sparse product: int32 (sums, dims)."""
    from scipy import sparse

    matrix = sparse.csr_matrix((weight, column, ends), (len(ends) - 1, len(table)))
    product: np.ndarray = matrix @ table
    return product


def _added(
    ends: np.ndarray, column: np.ndarray, weight: np.ndarray, table: np.ndarray
) -> np.ndarray:
    """Return the same as `_multiplied` without scipy.

    The import of scipy takes longer than all sums for a few edited files. The first entries of
    many sums are added at once, then the second ones, and so on, in a third of the time of
    `np.add.reduceat`. The longest sums come first, so that sums with an i-th entry are a prefix.
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
    """Return the sum of the rows of each group: int32 (groups, dims); no group is empty."""
    ends = offsets(np.bincount(group))
    order = np.argsort(group, kind="stable")
    return _added(ends, order, np.ones(len(order), np.int32), rows)


def scaled(sums: np.ndarray) -> np.ndarray:
    """Scale rows so that the largest magnitude is PATH_LEVELS, and round: int8 (rows, dims)."""
    values = sums.astype(np.float64)
    largest = np.abs(values).max(axis=1, initial=0, keepdims=True)
    steps: np.ndarray = np.rint(values * PATH_LEVELS / np.where(largest > 0, largest, 1))
    return steps.astype(np.int8)


def quantised(sums: np.ndarray) -> np.ndarray:
    """Round rows to odd whole numbers up to LEVELS, one of zeros to zeros: int8 (rows, dims)."""
    sizes = np.abs(sums)
    steps = sizes.sum(axis=1, keepdims=True, dtype=np.float64) * (_STEP / max(sums.shape[1], 1))
    some = steps > 0
    whole = np.minimum(sizes / np.where(some, steps, 1), LEVELS // 2).astype(np.int8)
    rows: np.ndarray = (2 * whole + 1) * some
    np.negative(rows, out=rows, where=sums < 0)
    return rows


def packed(rows: np.ndarray) -> np.ndarray:
    """Return `quantised` rows as they are kept, two components a byte: uint8 (rows, bytes).

    The lower half of a byte is the first of two; 0 to 15 stand for -LEVELS to LEVELS. A row of
    zeros is one of bytes of zero, which no other is: of components that are all alike none is
    as large as LEVELS.
    """
    halves = np.zeros((len(rows), 2 * packed_size(rows.shape[1])), np.uint8)
    halves[:, : rows.shape[1]] = (rows + LEVELS) >> 1
    halves[~rows.any(axis=1)] = 0
    return halves[:, ::2] | halves[:, 1::2] << 4


def packed_size(dims: int) -> int:
    """Return the bytes that a packed row of so many dimensions takes."""
    return (dims + 1) // 2


def unpacked(rows: np.ndarray) -> np.ndarray:
    """Return the components of `packed` rows: int8 (rows, 2 * bytes a row).

    The last component is -LEVELS if the number of dimensions is odd.
    """
    out = np.empty((len(rows), 2 * rows.shape[1]), np.int8)
    for start in range(0, len(rows), _UNPACKED):
        part = rows[start : start + _UNPACKED]
        # both halves of each byte side by side, each twice its value
        wide = part.astype("<u2")
        halves = (wide << 1) & 0x1E
        halves |= (wide << 5) & 0x1E00
        steps = out[start : start + len(part)]
        np.subtract(halves.view(np.int8), LEVELS, out=steps)
        zero = ~part.view(np.uint8).any(axis=1)
        if zero.any():
            steps[zero] = 0
    return out


def scales(rows: np.ndarray) -> np.ndarray:
    """Return the inverse norm of each row of integers: float64 (rows), 0 for a zero row."""
    values = rows if rows.dtype.kind == "f" else rows.astype(np.float64)
    squares = np.einsum("ij,ij->i", values, values).astype(np.float64)
    return np.where(squares > 0, 1 / np.sqrt(np.maximum(squares, 1)), 0.0)


def query_vector(sums: np.ndarray) -> np.ndarray:
    """Return the unit vector of a query times QUERY_STEPS, rounded: int64 (dims)."""
    values = sums.astype(np.float64)
    norm = float(np.sqrt((values * values).sum()))
    return np.rint(values / max(norm, 1e-12) * QUERY_STEPS).astype(np.int64)


def sign_codes(rows: np.ndarray) -> np.ndarray:
    """Return the sign bits of int8 rows: uint64 (ceil(dims / 64), rows).

    Bit d of word w is set if dimension 64 w + d is positive.
    """
    words = -(-rows.shape[1] // 64)
    padded = np.zeros((len(rows), words * 64), np.uint8)
    padded[:, : rows.shape[1]] = rows > 0
    packed = np.packbits(padded, axis=1, bitorder="little")
    return np.ascontiguousarray(packed.view("<u8").T)
