"""Compile facts into the arrays of one segment: some files of one tree, ready to be searched.

docs/format.md, "Segments", is normative for the arrays. What depends on paths or on the tree
(path words, lengths, the order of files) is made here; facts of blobs come in ready.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.features import embedding, tokens
from gitsearch.features.ragged import ends_of, gather, joined, narrowed, offsets, reordered, unique
from gitsearch.index import postings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitsearch.index.segment_input import Dictionary, SegmentFacts

# Lists of terms that are numbered at once.
_LISTS = 4096

# Chunks whose postings are gathered at once: bounds the memory that takes.
_ROWS = 1 << 16

# Path words in BM25: the stem twice and the last three folders (semble, ranking over BM25).
STEM_WEIGHT = 2
FOLDERS = 3


@dataclass(frozen=True, slots=True)
class FileRow:
    """One tracked file: why it is skipped ("": it is not), where its facts are (or -1)."""

    path: bytes
    oid: str
    language: str
    reason: str
    blob: int
    documentation: bool = False


def path_words(path: bytes) -> tuple[list[str], list[str]]:
    """The identifiers of a path: those of the file's stem, those of its last three folders."""
    *folders, name = path.decode("utf-8", "replace").split("/")
    stem = name.rpartition(".")[0] or name
    words = [word for folder in folders[-FOLDERS:] for word in tokens.identifiers(folder)]
    return tokens.identifiers(stem), words


def word_terms(words: Iterable[str]) -> list[str]:
    """The terms of identifiers: fragments, parts, and the compound of those with several."""
    found: list[str] = []
    for word in words:
        pieces = tokens.parts(word)
        found.extend(tokens.fragments(word))
        found.extend(pieces)
        if len(pieces) > 1:
            found.append(tokens.compound(word))
    return found


class _Terms:
    """The terms of a dictionary, sorted by text."""

    def __init__(self, dictionary: Dictionary) -> None:
        texts = dictionary.texts()
        # code points are in the same order as their UTF-8 bytes
        order = np.asarray(sorted(range(len(texts)), key=texts.__getitem__), np.int64)
        self.count = len(texts)
        self.rank = np.empty(self.count, np.uint32)
        self.rank[order] = np.arange(self.count)
        self.token_ends, self.token = dictionary.tokens(order)
        ascending = [texts[i] for i in order]
        sizes = [len(one) if one.isascii() else len(one.encode()) for one in ascending]
        self.ends = offsets(sizes)
        self.text = np.frombuffer("".join(ascending).encode(), np.uint8)

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays of the segment."""
        return {
            "term_text": self.text,
            "term_ends": self.ends,
            "token": self.token,
            "token_ends": self.token_ends,
        }


# Lists of terms as runs: offsets, and their numbers in the dictionary.
Runs = tuple[np.ndarray, np.ndarray]


def _numbered(lists: Iterator[list[str]], dictionary: Dictionary) -> Runs:
    """Lists of terms as runs; some are held at a time."""
    lengths: list[int] = []
    numbers = [np.zeros(0, np.uint32)]
    while some := list(islice(lists, _LISTS)):
        lengths.extend(map(len, some))
        numbers.append(dictionary.numbers([text for one in some for text in one]))
    return offsets(lengths), np.concatenate(numbers)


class _Names:
    """The distinct names of symbols: which each symbol has, their bytes, and their terms.

    single: whether a name is one identifier that is worth a term; its last term is then all of it.
    """

    def __init__(self, names: np.ndarray, dictionary: Dictionary) -> None:
        numbers: dict[str, int] = {}
        self.which = np.asarray([numbers.setdefault(n, len(numbers)) for n in names], np.int64)
        self.sizes = np.asarray([len(name.encode()) for name in numbers], np.int64)
        spelt = (word_terms(tokens.identifiers(name)) for name in numbers)
        self.ends, self.terms = _numbered(spelt, dictionary)
        alone = (tokens.identifiers(name) == [tokens.composed(name)] for name in numbers)
        self.single = np.fromiter(alone, bool, len(numbers)) & (np.diff(self.ends) > 0)


def build(
    files: Sequence[FileRow], facts: SegmentFacts, model: embedding.Model, dictionary: Dictionary
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays and meta of a segment with these files, which must be sorted by path.

    `dictionary` holds the terms of the facts and no others.
    """
    searched = (file.path if file.blob >= 0 else b"" for file in files)
    words = (word_terms(some) for path in searched for some in path_words(path))
    stems_and_folders = _numbered(words, dictionary)
    names = _Names(facts.symbols["name"], dictionary)
    terms = _Terms(dictionary)
    of_files, meta = _file_arrays(files)
    owners = np.flatnonzero([file.blob >= 0 for file in files])
    blobs = np.asarray([file.blob for file in files if file.blob >= 0], np.int64)
    taken = _Taken(len(files), owners, blobs, facts.chunk_ends)
    symbols = _Taken(len(files), owners, blobs, facts.symbol_ends)
    paths = _path_terms(stems_and_folders, terms)
    arrays: dict[str, np.ndarray] = {}
    for made in (
        of_files,
        {"file_chunk": taken.ends, **terms.arrays(), **paths.arrays()},
        {"path_vector": paths.vectors(model, terms)},
        _posting_arrays(facts, taken, paths, terms),
        _symbol_arrays(facts, symbols, names, terms),
        _chunk_arrays(facts, taken, symbols),
        _vector_arrays(facts, taken.rows),
    ):
        arrays |= {name: _stored(array) for name, array in made.items()}
    meta["chunks"] = len(taken.rows)
    meta["length"] = int(arrays["length"].sum(dtype=np.int64))
    return arrays, meta


def _stored(array: np.ndarray) -> np.ndarray:
    return narrowed(array) if array.ndim == 1 and array.dtype.kind in "iu" else array


class _Taken:
    """Which rows of the facts (chunks or symbols) the files take, file by file."""

    def __init__(
        self, files: int, owners: np.ndarray, blobs: np.ndarray, ends: np.ndarray
    ) -> None:
        sizes = np.diff(ends)[blobs]
        self.rows = gather(ends[:-1][blobs], sizes)
        self.file = np.repeat(owners, sizes)
        self.ends = ends_of(self.file, files)


def _file_arrays(
    files: Sequence[FileRow],
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    languages = sorted({file.language for file in files})
    reasons = ["", *sorted({file.reason for file in files} - {""})]
    path_text, path_ends = joined([file.path for file in files])
    number = {name: i for i, name in enumerate(languages)}
    why = {name: i for i, name in enumerate(reasons)}
    width = max((len(file.oid) for file in files), default=40) // 2
    oids = b"".join(bytes.fromhex(file.oid).ljust(width, b"\0") for file in files)
    arrays = {
        "path_text": path_text,
        "path_ends": path_ends,
        "oid": np.frombuffer(oids, np.uint8).reshape(len(files), width),
        "language": np.asarray([number[f.language] for f in files], np.uint16),
        "reason": np.asarray([why[f.reason] for f in files], np.uint8),
        "path_kind": np.asarray(
            [
                path_kinds.noise(f.path) | (path_kinds.DOCS if f.documentation else 0)
                for f in files
            ],
            np.uint16,
        ),
    }
    return arrays, {"languages": languages, "reasons": reasons, "files": len(files)}


@dataclass(frozen=True, slots=True)
class _PathTerms:
    """Which files have which term in their path, how often; sorted by term, then file."""

    files: int
    term: np.ndarray
    file: np.ndarray
    count: np.ndarray

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays of the segment."""
        distinct, sizes = np.unique(self.term, return_counts=True)
        return {
            "path_term": distinct,
            "path_term_ends": offsets(sizes),
            "path_term_file": self.file,
            "path_term_tf": np.minimum(self.count, 255),
        }

    def lengths(self) -> np.ndarray:
        """Terms of the path of each file."""
        return np.bincount(self.file, self.count, self.files).astype(np.int64)

    def vectors(self, model: embedding.Model, terms: _Terms) -> np.ndarray:
        """One vector a file, of the words of its path, each once: int8 (files, dims)."""
        order = np.lexsort((self.term, self.file))
        used, local = np.unique(self.term[order], return_inverse=True)
        ends = ends_of(self.file[order], self.files)
        ones = np.ones(len(local), np.int32)
        spelt = reordered(terms.token_ends, terms.token, used)
        return embedding.embedded(model, ends, local, ones, *spelt)


def _path_terms(stems_and_folders: Runs, terms: _Terms) -> _PathTerms:
    """`stems_and_folders`: of each file in turn the terms of its stem, then of its folders."""
    ends, numbers = stems_and_folders
    files = (len(ends) - 1) // 2
    owner, is_folder = np.divmod(np.repeat(np.arange(2 * files), np.diff(ends)), 2)
    keys = terms.rank[numbers].astype(np.int64) * files + owner
    distinct, where = np.unique(keys, return_inverse=True)
    weights = np.where(is_folder, 1, STEM_WEIGHT)
    count = np.bincount(where, weights, len(distinct)).astype(np.int64)
    term, file = np.divmod(distinct, max(files, 1))
    return _PathTerms(files, term, file, count)


def _posting_arrays(
    facts: SegmentFacts, taken: _Taken, paths: _PathTerms, terms: _Terms
) -> dict[str, np.ndarray]:
    rows = len(taken.rows)

    def some(low: int, high: int) -> np.ndarray:
        found = [np.zeros(0, np.int64)]
        for start in range(0, rows, _ROWS):
            part = taken.rows[start : start + _ROWS]
            lengths = np.diff(facts.indptr)[part]
            where = gather(facts.indptr[:-1][part], lengths)
            row = np.repeat(np.arange(start, start + len(part), dtype=np.uint32), lengths)
            term = terms.rank[facts.term[where]]
            here = (term >= low) & (term < high)
            found.append(postings.keys_of(row[here], term[here], facts.tf[where[here]], rows))
        return np.concatenate(found)

    counts = np.zeros(terms.count, np.int64)
    counts[terms.rank] = np.bincount(facts.term, minlength=terms.count)
    made = postings.encoded(some, counts, rows)
    return {**made, "length": facts.length[taken.rows] + paths.lengths()[taken.file]}


def _symbol_arrays(
    facts: SegmentFacts, symbols: _Taken, names: _Names, terms: _Terms
) -> dict[str, np.ndarray]:
    take = symbols.rows
    columns = facts.symbols
    qualified, ends = joined([text.encode() for text in columns["qualified"][take]])
    kinds = sorted(set(columns["kind"].tolist()))
    kind_text, kind_ends = joined([kind.encode() for kind in kinds])
    kind_number = {kind: i for i, kind in enumerate(kinds)}
    which = names.which[take]
    # each symbol under each term of its name, once
    lengths = np.diff(names.ends)[which]
    owner = np.repeat(np.arange(len(take)), lengths)
    term = terms.rank[names.terms[gather(names.ends[:-1][which], lengths)]].astype(np.int64)
    pairs = unique(term * max(len(take), 1) + owner)
    name_term, name_symbol = np.divmod(pairs, max(len(take), 1))
    whole = np.full(len(names.single), -1, np.int64)
    whole[names.single] = terms.rank[names.terms[names.ends[1:][names.single] - 1]]
    return {
        "symbol_text": qualified,
        "symbol_ends": ends,
        "symbol_name_size": names.sizes[which],
        "symbol_kind": np.asarray([kind_number[kind] for kind in columns["kind"][take]], np.int64),
        "kind_text": kind_text,
        "kind_ends": kind_ends,
        "symbol_file": symbols.file,
        "symbol_first": columns["first_line"][take],
        "symbol_last": columns["last_line"][take],
        "symbol_start": columns["start"][take],
        "symbol_body": columns["signature_end"][take],
        "symbol_term": whole[which],
        "name_ends": ends_of(name_term, terms.count),
        "name_symbol": name_symbol,
    }


def _chunk_arrays(facts: SegmentFacts, taken: _Taken, symbols: _Taken) -> dict[str, np.ndarray]:
    columns = {name: values[taken.rows].astype(np.int64) for name, values in facts.chunks.items()}
    base = symbols.ends[taken.file]
    out = {
        "chunk_file": taken.file,
        "chunk_start": columns["start"],
        "chunk_size": columns["end"] - columns["start"],
        "chunk_first_line": columns["first_line"],
        "chunk_more_lines": columns["last_line"] - columns["first_line"],
    }
    for name in ("scope", "symbol"):
        out[f"chunk_{name}"] = np.where(columns[name] >= 0, columns[name] + base, -1)
    # The chunk in which each symbol starts, by one search over all files: byte offsets made
    # ascending by a step larger than any file.
    starts = columns["start"]
    wanted = facts.symbols["start"][symbols.rows].astype(np.int64)
    step = int(starts.max(initial=0)) + int(wanted.max(initial=0)) + 1
    keys = taken.file * step + starts
    out["symbol_chunk"] = np.searchsorted(keys, symbols.file * step + wanted, side="right") - 1
    return out


def _vector_arrays(facts: SegmentFacts, take: np.ndarray) -> dict[str, np.ndarray]:
    code = np.ascontiguousarray(facts.code[:, take])
    out = {"code": code, "ones": np.bitwise_count(code).sum(axis=0, dtype=np.int64)}
    if facts.row is not None:
        return {**out, "row": facts.row[take]}
    assert facts.vector is not None
    return {**out, "vector": facts.vector[take]}
