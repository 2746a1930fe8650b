"""Compile facts into the arrays of one segment: some files of one tree, ready to be searched.

docs/format.md, "Segments", is normative for the arrays. What depends on paths or on the tree
(path words, lengths, the order of files) is made here; facts of blobs come in ready.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.features import embedding, identifiers
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
    """One tracked file: the reason to skip it or "", the position of its facts or -1.

    unlisted: the words of a file that is skipped, as far as they are known.
    """

    path: bytes
    oid: str
    language: str
    reason: str
    blob: int
    documentation: bool = False
    unlisted: bytes = b""


def path_words(path: bytes) -> tuple[list[str], list[str]]:
    """Return the identifiers of a file's stem, and those of its last three folders."""
    *folders, name = path.decode("utf-8", "replace").split("/")
    stem = name.rpartition(".")[0] or name
    words = [word for folder in folders[-FOLDERS:] for word in identifiers.identifiers(folder)]
    return identifiers.identifiers(stem), words


def word_terms(words: Iterable[str]) -> list[str]:
    """Return the terms of identifiers: fragments, parts, the compound of those with several."""
    terms: list[str] = []
    for word in words:
        parts = identifiers.parts(word)
        terms.extend(identifiers.fragments(word))
        terms.extend(parts)
        if len(parts) > 1:
            terms.append(identifiers.compound(word))
    return terms


class _Terms:
    """The terms of a dictionary, sorted by text: their ranks by number, and their arrays."""

    def __init__(self, dictionary: Dictionary) -> None:
        texts = dictionary.texts()
        # code points are in the same order as their UTF-8 bytes
        order = np.asarray(sorted(range(len(texts)), key=texts.__getitem__), np.int64)
        self.count = len(texts)
        self.rank = np.empty(self.count, np.uint32)
        self.rank[order] = np.arange(self.count)
        self.token_runs = dictionary.tokens(order)
        ascending = [texts[i] for i in order]
        sizes = [len(text) if text.isascii() else len(text.encode()) for text in ascending]
        self.arrays = {
            "term_text": np.frombuffer("".join(ascending).encode(), np.uint8),
            "term_ends": offsets(sizes),
            "token": self.token_runs[1],
            "token_ends": self.token_runs[0],
        }


# Lists of terms as runs: offsets, and their numbers in the dictionary.
Runs = tuple[np.ndarray, np.ndarray]


def _numbered(lists: Iterator[list[str]], dictionary: Dictionary) -> Runs:
    lengths: list[int] = []
    numbers = [np.zeros(0, np.uint32)]
    while block := list(islice(lists, _LISTS)):
        lengths.extend(map(len, block))
        numbers.append(dictionary.numbers([text for texts in block for text in texts]))
    return offsets(lengths), np.concatenate(numbers)


class _Names:
    """The distinct names of symbols: which each symbol has, their sizes in bytes, and their terms.

    single: bool, true for one identifier that is worth a term; its last term is then all of it.
    """

    def __init__(self, names: np.ndarray, dictionary: Dictionary) -> None:
        numbers: dict[str, int] = {}
        self.which = np.asarray([numbers.setdefault(n, len(numbers)) for n in names], np.int64)
        self.sizes = np.asarray([len(name.encode()) for name in numbers], np.int64)
        terms = (word_terms(identifiers.identifiers(name)) for name in numbers)
        self.ends, self.terms = _numbered(terms, dictionary)
        alone = (identifiers.identifiers(name) == [identifiers.composed(name)] for name in numbers)
        self.single = np.fromiter(alone, bool, len(numbers)) & (np.diff(self.ends) > 0)


def build(
    files: Sequence[FileRow], facts: SegmentFacts, model: embedding.Model, dictionary: Dictionary
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return arrays and meta of a segment with these files, which must be sorted by path.

    `dictionary` holds the terms of the facts and no others.
    """
    searched = (file.path if file.blob >= 0 else b"" for file in files)
    words = (word_terms(part) for path in searched for part in path_words(path))
    stems_and_folders = _numbered(words, dictionary)
    names = _Names(facts.symbols["name"], dictionary)
    terms = _Terms(dictionary)
    file_arrays, meta = _file_arrays(files)
    owners = np.flatnonzero([file.blob >= 0 for file in files])
    blobs = np.asarray([file.blob for file in files if file.blob >= 0], np.int64)
    chunks = _Taken(len(files), owners, blobs, facts.chunk_ends)
    symbols = _Taken(len(files), owners, blobs, facts.symbol_ends)
    path_arrays, path_lengths = _path_arrays(stems_and_folders, terms, model)
    arrays: dict[str, np.ndarray] = {}
    for group in (
        file_arrays,
        {"file_chunk": chunks.ends, **terms.arrays, **path_arrays},
        _posting_arrays(facts, chunks, terms),
        _length_arrays(facts, chunks, path_lengths),
        _unlisted_arrays(facts, chunks, files),
        _symbol_arrays(facts, symbols, names, terms),
        _chunk_arrays(facts, chunks, symbols),
        _vector_arrays(facts, chunks.rows),
    ):
        for name, array in group.items():
            whole_numbers = array.ndim == 1 and array.dtype.kind in "iu"
            arrays[name] = narrowed(array) if whole_numbers else array
    meta["chunks"] = len(chunks.rows)
    meta["length"] = int(arrays["length"].sum(dtype=np.int64))
    return arrays, meta


class _Taken:
    """The rows of the facts (chunks or symbols) that the files take, file by file."""

    def __init__(
        self, files: int, owners: np.ndarray, blobs: np.ndarray, ends: np.ndarray
    ) -> None:
        sizes = np.diff(ends)[blobs]
        self.rows = gather(ends[:-1][blobs], sizes)
        self.file = np.repeat(owners, sizes)
        self.ends = ends_of(self.file, files)


def _indexed(values: Sequence[str], also: str | None = None) -> tuple[list[str], np.ndarray]:
    """Return the distinct values, and `also`, in ascending order, and the index of each value."""
    distinct = sorted({*values} if also is None else {*values, also})
    numbers = {value: i for i, value in enumerate(distinct)}
    return distinct, np.asarray([numbers[value] for value in values], np.int64)


def _file_arrays(files: Sequence[FileRow]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    languages, language = _indexed([file.language for file in files])
    reasons, reason = _indexed([file.reason for file in files], "")
    path_text, path_ends = joined([file.path for file in files])
    width = max((len(file.oid) for file in files), default=40) // 2
    oids = b"".join(bytes.fromhex(file.oid).ljust(width, b"\0") for file in files)
    docs = (path_kinds.DOCS if file.documentation else 0 for file in files)
    kinds = [path_kinds.noise(file.path) | doc for file, doc in zip(files, docs, strict=True)]
    arrays = {
        "path_text": path_text,
        "path_ends": path_ends,
        "oid": np.frombuffer(oids, np.uint8).reshape(len(files), width),
        "language": language,
        "reason": reason,
        "path_kind": np.asarray(kinds, np.int64),
    }
    return arrays, {"languages": languages, "reasons": reasons, "files": len(files)}


def _path_arrays(
    stems_and_folders: Runs, terms: _Terms, model: embedding.Model
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the arrays of the terms in paths, and the number of terms of each path: int64.

    stems_and_folders: of each file in turn the terms of its stem, then of its folders.
    """
    ends, numbers = stems_and_folders
    files = (len(ends) - 1) // 2
    owner, is_folder = np.divmod(np.repeat(np.arange(2 * files), np.diff(ends)), 2)
    # each term once for each file, sorted by term, then file
    keys = terms.rank[numbers].astype(np.int64) * files + owner
    pairs, inverse = np.unique(keys, return_inverse=True)
    weights = np.where(is_folder, 1, STEM_WEIGHT)
    count = np.bincount(inverse, weights, len(pairs)).astype(np.int64)
    term, file = np.divmod(pairs, max(files, 1))
    distinct, local, sizes = np.unique(term, return_inverse=True, return_counts=True)
    by_file = np.lexsort((term, file))
    vectors = embedding.embedded(
        model,
        ends_of(file[by_file], files),
        local[by_file],
        np.ones(len(local), np.int32),
        *reordered(*terms.token_runs, distinct),
        rounding=embedding.scaled,
    )
    arrays = {
        "path_term": distinct,
        "path_term_ends": offsets(sizes),
        "path_term_file": file,
        "path_term_tf": np.minimum(count, 255),
        "path_vector": vectors,
    }
    return arrays, np.bincount(file, count, files).astype(np.int64)


def _posting_arrays(facts: SegmentFacts, taken: _Taken, terms: _Terms) -> dict[str, np.ndarray]:
    rows = len(taken.rows)

    def keys(low: int, high: int) -> np.ndarray:
        parts = [np.zeros(0, np.int64)]
        for start in range(0, rows, _ROWS):
            block = taken.rows[start : start + _ROWS]
            lengths = np.diff(facts.indptr)[block]
            where = gather(facts.indptr[:-1][block], lengths)
            row = np.repeat(np.arange(start, start + len(block), dtype=np.uint32), lengths)
            term = terms.rank[facts.term[where]]
            here = (term >= low) & (term < high)
            parts.append(postings.keys_of(row[here], term[here], facts.tf[where[here]], rows))
        return np.concatenate(parts)

    counts = np.zeros(terms.count, np.int64)
    counts[terms.rank] = np.bincount(facts.term, minlength=terms.count)
    return postings.encoded(keys, counts, rows)


def _length_arrays(
    facts: SegmentFacts, chunks: _Taken, path_lengths: np.ndarray
) -> dict[str, np.ndarray]:
    """Return how many terms there are in each chunk, with those of its path, and in each file."""
    lengths = facts.length[chunks.rows] + path_lengths[chunks.file]
    upto = offsets(lengths)[chunks.ends]
    return {"length": lengths, "file_length": np.diff(upto)}


def _unlisted_arrays(
    facts: SegmentFacts, chunks: _Taken, files: Sequence[FileRow]
) -> dict[str, np.ndarray]:
    """Return the words of each file that are no terms."""
    ends, text = reordered(facts.unlisted_ends, facts.unlisted, chunks.rows)
    data, bounds = text.tobytes(), ends[chunks.ends].tolist()
    runs = [
        file.unlisted or data[start:stop]
        for file, (start, stop) in zip(files, pairwise(bounds), strict=True)
    ]
    unlisted_text, unlisted_ends = joined(runs)
    return {"unlisted_text": unlisted_text, "unlisted_ends": unlisted_ends}


def _symbol_arrays(
    facts: SegmentFacts, symbols: _Taken, names: _Names, terms: _Terms
) -> dict[str, np.ndarray]:
    take = symbols.rows
    columns = facts.symbols
    qualified, ends = joined([text.encode() for text in columns["qualified"][take]])
    kinds, kind = _indexed(columns["kind"].tolist())
    kind_text, kind_ends = joined([name.encode() for name in kinds])
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
        "symbol_kind": kind[take],
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
    out = {"code": np.ascontiguousarray(facts.code[:, take])}
    if facts.row is not None:
        return {**out, "row": facts.row[take]}
    assert facts.vector is not None
    return {**out, "vector": facts.vector[take]}
