"""Compile facts into the arrays of one segment: some files of one tree, ready to be searched.

docs/format.md, "Segments", is normative for the arrays. What depends on paths or on the tree
(path words, lengths, the order of files) is made here; facts of blobs come in ready.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from gitsearch.extract import pathkinds
from gitsearch.features import tokens, vectors

if TYPE_CHECKING:
    from gitsearch.corpus.harvest import Columns, Harvest

# Path words in BM25: the stem twice and the last three folders (semble, ranking over BM25).
STEM_WEIGHT = 2
FOLDERS = 3

# Gives the token ids of terms.
Spell = Callable[[Sequence[str]], list[list[int]]]


@dataclass(frozen=True, slots=True)
class FileRow:
    """One tracked file: why it is skipped ("": it is not), where its facts are (or -1)."""

    path: bytes
    oid: str
    language: str
    reason: str
    blob: int
    documentation: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of blobs, as segments need them.

    chunk_ends, symbol_ends: int64 (blobs + 1), CSR over chunks and symbols; chunks, symbols:
    columns as in Harvest; indptr/term/tf: postings over chunks; terms: texts; token_ends/token:
    CSR of the terms' token ids; codes: sign bits of the chunks' vectors, uint64 (words, chunks);
    either `row` (uint32, the chunk's row in the vector file) or `vector` (int8) with `scale`.
    """

    chunk_ends: np.ndarray
    chunks: Columns
    indptr: np.ndarray
    term: np.ndarray
    tf: np.ndarray
    terms: list[str]
    token_ends: np.ndarray
    token: np.ndarray
    symbol_ends: np.ndarray
    symbols: Columns
    codes: np.ndarray
    row: np.ndarray | None = None
    vector: np.ndarray | None = None
    scale: np.ndarray | None = None


def ends_of(groups: np.ndarray, count: int) -> np.ndarray:
    """CSR offsets, int64 (count + 1), of rows labelled with ascending group numbers."""
    sizes = np.bincount(groups, minlength=count)
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def csr_of(lists: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Offsets and values of a list of lists of numbers."""
    lengths = [len(one) for one in lists]
    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return ends, np.asarray([i for one in lists for i in one], np.uint32)


def facts_of(found: Harvest, model: vectors.Model, spell: Spell) -> Facts:
    """Facts straight from a harvest, vectors inline: for the overlay of dirty files."""
    counts = found.terms
    token_ends, token = csr_of(spell(counts.terms))
    vector, scale = embedded(model, counts.indptr, counts.term, counts.weight, token_ends, token)
    return Facts(
        ends_of(found.chunks["blob"], len(found.keys)),
        found.chunks,
        counts.indptr,
        counts.term,
        counts.tf,
        counts.terms,
        token_ends,
        token,
        ends_of(found.symbols["blob"], len(found.keys)),
        found.symbols,
        vectors.sign_codes(vector),
        vector=vector,
        scale=scale,
    )


def embedded(
    model: vectors.Model,
    indptr: np.ndarray,
    term: np.ndarray,
    weight: np.ndarray,
    token_ends: np.ndarray,
    token: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """int8 rows and scales of chunks, reading only the token vectors that occur."""
    used, compact = np.unique(token, return_inverse=True)
    return vectors.chunk_vectors(indptr, term, weight, token_ends, compact, model.rows(used))


def path_words(path: bytes) -> tuple[list[str], list[str]]:
    """The identifiers of a path: those of the file's stem, those of its last three folders."""
    *folders, name = path.decode("utf-8", "replace").split("/")
    stem = name.rpartition(".")[0] or name
    words = [word for folder in folders[-FOLDERS:] for word in tokens.identifiers(folder)]
    return tokens.identifiers(stem), words


def word_terms(words: Sequence[str]) -> list[str]:
    """The terms of identifiers: their parts, and the compound of those with several."""
    found: list[str] = []
    for word in words:
        pieces = tokens.parts(word)
        found.extend(pieces)
        if len(pieces) > 1:
            found.append(tokens.compound(word))
    return found


class _Terms:
    """The segment's dictionary: terms of the facts that occur, path words and names, sorted."""

    def __init__(self, facts: Facts, extra: Sequence[str], spell: Spell) -> None:
        known = {text: i for i, text in enumerate(facts.terms)}
        new = sorted({text for text in extra if text not in known})
        spelt = spell(new) if new else []
        texts = facts.terms + new
        raw = [text.encode() for text in texts]
        order = sorted(range(len(raw)), key=raw.__getitem__)
        self.rank = np.empty(len(raw), np.int64)
        self.rank[order] = np.arange(len(raw))
        self._numbers = {texts[i]: rank for rank, i in enumerate(order)}
        self.text, self.text_ends = joined([raw[i] for i in order])
        ends, values = csr_of(spelt)
        token = np.concatenate([facts.token, values])
        token_ends = np.concatenate([facts.token_ends, facts.token_ends[-1] + ends[1:]])
        self.token_ends, self.token = _reordered(token_ends, token, np.asarray(order, np.int64))
        self.count = len(raw)

    def number(self, text: str) -> int:
        return self._numbers[text]


def _reordered(ends: np.ndarray, values: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, ...]:
    """The rows of a CSR structure in another order."""
    lengths = np.diff(ends)[order]
    out_ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return out_ends, values[gather(ends[:-1][order], lengths)].astype(np.uint32)


def gather(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Positions of consecutive runs: for each start the numbers start .. start + length - 1."""
    total = int(lengths.sum())
    shift = np.repeat(starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    return np.arange(total, dtype=np.int64) + shift.astype(np.int64)


def joined(texts: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Texts end to end as uint8, and their offsets as uint32 (len + 1)."""
    ends = np.concatenate([[0], np.cumsum([len(text) for text in texts], dtype=np.int64)])
    return np.frombuffer(b"".join(texts), np.uint8), ends.astype(np.uint32)


def build(
    files: Sequence[FileRow], facts: Facts, model: vectors.Model, spell: Spell
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays and meta of a segment with these files, which must be sorted by path.

    `spell` gives the token ids of words that the facts do not hold (path words).
    """
    words = [path_words(file.path) if file.blob >= 0 else ([], []) for file in files]
    stems = [word_terms(stem) for stem, _ in words]
    folders = [word_terms(folder) for _, folder in words]
    names = {name: word_terms(tokens.identifiers(name)) for name in set(facts.symbols["name"])}
    extra = [t for group in (stems, folders, names.values()) for found in group for t in found]
    terms = _Terms(facts, extra, spell)
    arrays, meta = _file_arrays(files)
    take = gather(facts.chunk_ends[:-1][arrays["blob"]], np.diff(facts.chunk_ends)[arrays["blob"]])
    taken = np.diff(facts.chunk_ends)[arrays.pop("blob")]
    places = np.flatnonzero([file.blob >= 0 for file in files])
    file_sizes = np.zeros(len(files), np.int64)
    file_sizes[places] = taken
    arrays["file_chunk"] = np.concatenate([[0], np.cumsum(file_sizes)]).astype(np.uint32)
    chunk_file = np.repeat(np.arange(len(files)), file_sizes)
    path_matrix = _path_matrix(stems, folders, terms)
    arrays.update(_posting_arrays(facts, take, chunk_file, path_matrix, terms))
    arrays.update(_symbol_arrays(files, facts, names, terms))
    arrays.update(_chunk_arrays(facts, take, chunk_file, arrays))
    arrays.update(_vector_arrays(facts, take))
    arrays.update(_path_vectors(path_matrix, terms, model))
    arrays.pop("symbol_base")
    meta["chunks"] = len(take)
    meta["length"] = int(arrays["length"].sum())
    return arrays, meta


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
            [pathkinds.noise(f.path) | (pathkinds.DOCS if f.documentation else 0) for f in files],
            np.uint16,
        ),
        "blob": np.asarray([f.blob for f in files if f.blob >= 0], np.int64),
    }
    return arrays, {"languages": languages, "reasons": reasons, "files": len(files)}


def _path_matrix(
    stems: Sequence[list[str]], folders: Sequence[list[str]], terms: _Terms
) -> sparse.csr_matrix:
    """File x term counts of path words."""
    rows: list[int] = []
    columns: list[int] = []
    values: list[int] = []
    for weight, groups in ((STEM_WEIGHT, stems), (1, folders)):
        for i, found in enumerate(groups):
            rows.extend([i] * len(found))
            columns.extend(terms.number(text) for text in found)
            values.extend([weight] * len(found))
    shape = (len(stems), terms.count)
    return sparse.csr_matrix((np.asarray(values, np.int32), (rows, columns)), shape)


def _posting_arrays(
    facts: Facts,
    take: np.ndarray,
    chunk_file: np.ndarray,
    paths: sparse.csr_matrix,
    terms: _Terms,
) -> dict[str, np.ndarray]:
    lengths = np.diff(facts.indptr)[take]
    where = gather(facts.indptr[:-1][take], lengths)
    indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    columns = terms.rank[facts.term[where]]
    shape = (len(take), terms.count)
    body = sparse.csr_matrix((facts.tf[where].astype(np.int32), columns, indptr), shape)
    total = (body + paths[chunk_file]).tocsc()
    total.sort_indices()
    return {
        "term_text": terms.text,
        "term_ends": terms.text_ends,
        "token_ends": terms.token_ends.astype(np.uint32),
        "token": terms.token,
        "posting_ends": total.indptr.astype(np.uint64),
        "posting_row": total.indices.astype(np.uint32),
        "posting_tf": np.minimum(total.data, 255).astype(np.uint8),
        "length": np.asarray(total.sum(axis=1)).ravel().astype(np.uint32),
    }


def _symbol_arrays(
    files: Sequence[FileRow], facts: Facts, names: dict[str, list[str]], terms: _Terms
) -> dict[str, np.ndarray]:
    blobs = np.asarray([file.blob for file in files if file.blob >= 0], np.int64)
    owners = np.flatnonzero([file.blob >= 0 for file in files])
    sizes = np.diff(facts.symbol_ends)[blobs]
    take = gather(facts.symbol_ends[:-1][blobs], sizes)
    columns = facts.symbols
    qualified, ends = joined([text.encode() for text in columns["qualified"][take]])
    kinds = [kind.encode() for kind in sorted(set(columns["kind"]))]
    kind_text, kind_ends = joined(kinds)
    kind_number = {kind.decode(): i for i, kind in enumerate(kinds)}
    base = np.zeros(len(files), np.int64)
    base[owners] = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if len(owners) else 0
    symbol_names = columns["name"][take]
    pairs = [(terms.number(t), i) for i, name in enumerate(symbol_names) for t in set(names[name])]
    pairs.sort()
    index = np.asarray(pairs, np.int64).reshape(-1, 2)
    return {
        "symbol_text": qualified,
        "symbol_ends": ends,
        "symbol_name_size": np.asarray([len(n.encode()) for n in symbol_names], np.uint16),
        "symbol_kind": np.asarray([kind_number[k] for k in columns["kind"][take]], np.uint8),
        "kind_text": kind_text,
        "kind_ends": kind_ends,
        "symbol_file": np.repeat(owners, sizes).astype(np.uint32),
        "symbol_first": columns["first_line"][take].astype(np.uint32),
        "symbol_last": columns["last_line"][take].astype(np.uint32),
        "symbol_start": columns["start"][take].astype(np.uint32),
        "symbol_body": columns["signature_end"][take].astype(np.uint32),
        "name_ends": ends_of(index[:, 0], terms.count).astype(np.uint32),
        "name_symbol": index[:, 1].astype(np.uint32),
        "symbol_base": base,
    }


def _chunk_arrays(
    facts: Facts, take: np.ndarray, chunk_file: np.ndarray, arrays: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    base = arrays["symbol_base"][chunk_file]
    out: dict[str, np.ndarray] = {"chunk_file": chunk_file.astype(np.uint32)}
    for name in ("start", "end", "first_line", "last_line"):
        out[f"chunk_{name}"] = facts.chunks[name][take].astype(np.uint32)
    for name in ("scope", "symbol"):
        local = facts.chunks[name][take].astype(np.int64)
        out[f"chunk_{name}"] = np.where(local >= 0, local + base, -1).astype(np.int32)
    starts = out["chunk_start"].astype(np.int64)
    out["symbol_chunk"] = _chunk_at(arrays, starts)
    return out


def _chunk_at(arrays: dict[str, np.ndarray], starts: np.ndarray) -> np.ndarray:
    """The chunk row in which each symbol starts."""
    owner = arrays["symbol_file"].astype(np.int64)
    first_row = arrays["file_chunk"].astype(np.int64)
    # one search over all files: byte offsets made ascending by a step larger than any file
    step = int(starts.max(initial=0)) + int(arrays["symbol_start"].max(initial=0)) + 1
    files = np.repeat(np.arange(len(first_row) - 1), np.diff(first_row))
    keys = files * step + starts
    wanted = owner * step + arrays["symbol_start"].astype(np.int64)
    return (np.searchsorted(keys, wanted, side="right") - 1).astype(np.uint32)


def _vector_arrays(facts: Facts, take: np.ndarray) -> dict[str, np.ndarray]:
    codes = np.ascontiguousarray(facts.codes[:, take])
    out = {"code": codes, "ones": np.bitwise_count(codes).sum(axis=0).astype(np.uint16)}
    if facts.row is not None:
        return {**out, "row": facts.row[take].astype(np.uint32)}
    assert facts.vector is not None
    assert facts.scale is not None
    return {**out, "vector": facts.vector[take], "scale": facts.scale[take]}


def _path_vectors(
    paths: sparse.csr_matrix, terms: _Terms, model: vectors.Model
) -> dict[str, np.ndarray]:
    """One quantised vector a file, of the words of its path (each once)."""
    once = paths.copy()
    once.data[:] = 1
    once.sort_indices()
    vector, scale = embedded(
        model, once.indptr, once.indices, once.data, terms.token_ends, terms.token
    )
    return {"path_vector": vector, "path_scale": scale}
