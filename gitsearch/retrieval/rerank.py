"""The stages of reranking after fusion: evidence from files, definitions and paths.

docs/ranking.md gives each stage's source and what it is worth on the two yardsticks.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.extract.languages import LANGUAGES, content_of
from gitsearch.features import identifiers
from gitsearch.index.view import Segment
from gitsearch.retrieval import symbol_leg
from gitsearch.retrieval.columns import ChunkColumns
from gitsearch.retrieval.constants import Ranking
from gitsearch.retrieval.fusion import Fused
from gitsearch.retrieval.query import Query

# The share of a name that the words of a question cover, from which on they mean this definition.
_MOSTLY = 0.8

# A share of terms, a sum in floating-point numbers, from which on it is all of them.
_WHOLE = 1 - 1e-9

Factors = dict[int, dict[str, float]]


class Evidence(Protocol):
    """What the stages take from the index, beside the columns of the candidates."""

    def files(self, numbers: np.ndarray) -> np.ndarray:
        """BM25 of files, each as one document, by ascending file numbers: float64 (numbers,)."""

    def coverage(self, rows: np.ndarray) -> np.ndarray:
        """Share of the terms that each of some ascending rows has, near words in part: float64."""

    def told(self, rows: np.ndarray) -> np.ndarray:
        """Share of the terms that each of some ascending rows has, or forms of them: float64."""

    def linked(self, numbers: np.ndarray) -> np.ndarray:
        """Return the adjacency matrix of files by their numbers: bool (numbers, numbers)."""


# Kinds of paths that are penalized, each by the constant of its name.
_PENALIZED = ("test", "example", "docs", "compat", "declarations", "vendored")


def rerank(
    view: ChunkColumns,
    query: Query,
    fused: Fused,
    evidence: Evidence,
    ranking: Ranking,
    factors: Factors | None,
) -> np.ndarray:
    """New scores of the candidates, in their order: float64; `factors` collects stages' gains."""
    scores = fused.scores.copy()
    if not len(scores):
        return scores
    files, file_of = np.unique(view.files(fused.rows), return_inverse=True)
    locations = [view.file(number) for number in files.tolist()]
    definition_of = _definition_groups(view, fused.rows)
    stages = (
        ("coherence", _coherence(fused, file_of, ranking.coherence)),
        ("definition chunks", _coherence(fused, definition_of, ranking.group)),
        ("definition", _definition_boost(view, query, fused, ranking)),
        ("stem", _stem_boost(query, locations, ranking)[file_of] * scores.max()),
    )
    for name, gain in stages:
        scores += gain
        _note(factors, fused.rows, name, gain)
    gain = scores.max() * _whole_file_boost(query, files, evidence, ranking)[file_of]
    scores += gain
    _note(factors, fused.rows, "file", gain)
    gain = scores.max() * _chunk_boost(view, query, fused.rows, evidence, ranking)
    scores += gain
    _note(factors, fused.rows, "coverage", gain)
    kinds = [_noise_constants(query, *location) for location in locations]
    noise = np.asarray([math.prod(getattr(ranking, kind) for kind in own) for own in kinds])[
        file_of
    ]
    barrel = [int(segment["path_kind"][file]) & path_kinds.BARREL for segment, file in locations]
    # a re-export file (index.ts, __init__.py, mod.rs) where it defines nothing
    reexports = (np.asarray(barrel) > 0)[file_of] & (view.column("chunk_symbol", fused.rows) < 0)
    noise = noise * np.where(reexports, ranking.barrel, 1.0)
    if query.symbol and len(query.terms) > 1:
        noise = noise * np.where(_has_name(query, fused, evidence), 1.0, ranking.unnamed)
    if query.uses:
        defines = _defines(query, fused, definition_of)
        noise = noise * np.where(defines, ranking.definition_used, 1.0)
    best = np.zeros(len(files))
    np.maximum.at(best, file_of, scores * noise)
    gain = scores.max() * _link_boost(query, files, locations, best, evidence, ranking)[file_of]
    scores += gain
    _note(factors, fused.rows, "links", gain)
    _note(factors, fused.rows, "noise", noise, none=1.0)
    scores *= noise
    return scores


def _note(
    factors: Factors | None, rows: np.ndarray, name: str, values: np.ndarray, none: float = 0.0
) -> None:
    """Record the values of a stage by row, except those that equal `none`."""
    if factors is not None:
        for row, value in zip(rows.tolist(), values.tolist(), strict=True):
            if value != none:
                factors.setdefault(row, {})[name] = value


def _coherence(fused: Fused, group: np.ndarray, share: float) -> np.ndarray:
    """Boost of the best chunk of each group, by the summed scores of the group: float64 (rows,).

    group: int (rows,), the number of the file or definition of each row.
    """
    scores = fused.scores
    # bincount adds in the order of rows, which within a file is the order of its text
    total = np.bincount(group, weights=scores * fused.evident)
    best = np.full(len(total), -1.0)
    np.maximum.at(best, group, scores)
    gain = share * scores.max() * total / total.max()
    return np.where(scores == best[group], gain[group], 0.0)


def _definition_groups(view: ChunkColumns, rows: np.ndarray) -> np.ndarray:
    """Number rows by their definition; a row without one is a group of its own: int (rows,)."""
    symbols = view.column("chunk_symbol", rows).astype(np.int64)
    segments = np.searchsorted(view.starts, rows, side="right")
    alone = symbols < 0
    keys = np.where(alone, -1 - rows, symbols * len(view.starts) + segments)
    return np.unique(keys, return_inverse=True)[1]


def _definition_boost(
    view: ChunkColumns, query: Query, fused: Fused, ranking: Ranking
) -> np.ndarray:
    """Boost of chunks in which a definition starts that the query names: float64 (rows,).

    It is larger if the file is named after the definition; none if its uses are asked for.
    """
    gain = np.zeros(len(fused.rows))
    if query.uses:
        return gain
    best = fused.scores.max()
    for i, row in enumerate(fused.rows.tolist()):
        score = fused.named[row].score if row in fused.named else 0.0
        if score >= symbol_leg.EXACT:
            segment, inside = view.locate(row)
            stem = "".join(_stem_words(segment, int(segment["chunk_file"][inside]))[0])
            names = {identifiers.compound(word) for word in query.words}
            gain[i] = best * ranking.definition * (score - int(score))
            gain[i] *= ranking.definition_stem if stem in names else 1.0
        if not query.symbol:
            gain[i] /= 2  # the name may be incidental to the question
            gain[i] = max(gain[i], best * ranking.definition_words * _coverage(query, score))
    return gain


def _has_name(query: Query, fused: Fused, evidence: Evidence) -> np.ndarray:
    """Tell which chunks have the whole name that a query is; all, if none has it: bool (rows,)."""
    having = evidence.told(fused.rows) > _WHOLE
    if len(query.words) > 1:
        # what defines `send` has `send`, but not the variable that holds the `client`
        having |= np.isin(fused.rows, list(fused.named))
    return having | ~having.any()


def _defines(query: Query, fused: Fused, definition_of: np.ndarray) -> np.ndarray:
    """Tell which chunks are of a definition that a question asks for the uses of: bool (rows,).

    definition_of: the number of the definition of each row.
    """
    names = (fused.named.get(row) for row in fused.rows.tolist())
    meant = [name is not None and _is_meant(query, name.score) for name in names]
    return np.isin(definition_of, definition_of[meant])


def _is_meant(query: Query, score: float) -> bool:
    """Return True for the score of a name that is the one that the words of a question make."""
    if len(query.words) == 1:
        return score >= symbol_leg.EXACT
    return _coverage(query, score) > _MOSTLY


def _coverage(query: Query, score: float) -> float:
    """Degree to which the words of a question are those of a name with this score, 0..1."""
    if score >= symbol_leg.EXACT:
        return float(not any(symbol_leg.looks_like_name(word, query) for word in query.words))
    return max(score - symbol_leg.WORDS, 0.0) if score < symbol_leg.PREFIX else 0.0


def _stem_words(segment: Segment, file: int) -> tuple[list[str], list[str]]:
    """Words of the file's stem, and of its parent folder."""
    *folders, name = segment.path(file).decode("utf-8", "replace").split("/")
    stem = name.rpartition(".")[0] or name
    parent = folders[-1] if folders else ""
    return identifiers.parts_of(identifiers.identifiers(stem)), identifiers.parts_of(
        identifiers.identifiers(parent)
    )


def _stem_boost(
    query: Query, locations: list[tuple[Segment, int]], ranking: Ranking
) -> np.ndarray:
    """Boost by the share of the query's words in a file's stem or folder: float64 (files,)."""
    words = {part for part in identifiers.parts_of(query.words) if len(part) > 2}
    gain = np.zeros(len(locations))
    if not words or query.symbol:
        return gain
    # most files share their folders
    matched: dict[str, set[str]] = {}
    for i, (segment, file) in enumerate(locations):
        stem, parent = _stem_words(segment, file)
        found: set[str] = set()
        for part in (*stem, *parent):
            if part not in matched:
                matched[part] = {word for word in words if _matches(word, part)}
            found |= matched[part]
        share = len(found) / len(words)
        if share >= ranking.stem_share:
            gain[i] = ranking.stem_boost * share
    return gain


def _matches(word: str, part: str) -> bool:
    """Return True if a part is the word or a prefix of it, as in config and configuration."""
    return part == word or (
        min(len(part), len(word)) > 2 and (part.startswith(word) or word.startswith(part))
    )


def _whole_file_boost(
    query: Query, files: np.ndarray, evidence: Evidence, ranking: Ranking
) -> np.ndarray:
    """Boost by the BM25 of the file as one document: float64 (files,)."""
    if query.symbol:
        # a symbol query asks for the definition and then for uses, in whatever files
        return np.zeros(len(files))
    bm25 = evidence.files(files)
    gain: np.ndarray = ranking.file * bm25 / max(bm25.max(), 1e-12)
    return gain


def _chunk_boost(
    view: ChunkColumns, query: Query, rows: np.ndarray, evidence: Evidence, ranking: Ranking
) -> np.ndarray:
    """Boost by the terms that a chunk has, and for what a definition holds: float64 (rows,)."""
    if query.symbol:
        return np.zeros(len(rows))
    inside = view.column("chunk_symbol", rows) >= 0
    gain: np.ndarray = ranking.coverage * evidence.coverage(rows) + ranking.in_definition * inside
    return gain


def _link_boost(
    query: Query,
    files: np.ndarray,
    locations: list[tuple[Segment, int]],
    best: np.ndarray,
    evidence: Evidence,
    ranking: Ranking,
) -> np.ndarray:
    """Boost of the best files by the ranks of those that they are linked to: float64 (files,).

    best: the best score of each file. As in DCG a linked file counts 1 / log2(1 + its rank).
    """
    gain = np.zeros(len(files))
    if not ranking.link or query.symbol:
        return gain
    paths = [segment.path(file) for segment, file in locations]
    order = sorted(range(len(files)), key=lambda i: (-best[i], paths[i]))[: ranking.link_files]
    weights = [1 / math.log2(2 + i) for i in range(len(order))]
    # a running sum adds in the order of ranks, whatever the width of the machine's vector units
    linked = np.cumsum(evidence.linked(files[order]) * weights, axis=1)[:, -1]
    gain[order] = ranking.link * linked / (1 + linked)
    return gain


def is_penalized(query: Query, segment: Segment, file: int) -> bool:
    """Return True if a file scores lower for its kind than code of the program does."""
    return any(name != "guide" for name in _noise_constants(query, segment, file))


def _noise_constants(query: Query, segment: Segment, file: int) -> list[str]:
    language = segment.language(file)
    kinds = int(segment["path_kind"][file])
    return noise_constants(query, segment.path(file), kinds, language, content_of(language))


def noise_constants(
    query: Query, path: bytes, kinds: int, language: str, content: str
) -> list[str]:
    """Names of the constants that apply to a file's kinds, unless the query asks for the kind.

    kinds: of its path (extract.path_kinds); content: of its language (extract.languages).
    """
    # a README or guide answers a question of use
    prose = content == "docs" and language in LANGUAGES
    guide = query.use and prose and not path_kinds.is_record(path)
    names = []
    if guide:
        names.append("guide")
    elif content == "docs" and not kinds & path_kinds.DOCS and not query.wants_docs:
        names.append("prose")
    elif content in ("config", "data"):
        names.append("config")
    exempt = {
        "test": query.wants_tests,
        "example": query.wants_docs or query.use,
        "docs": query.wants_docs or guide,
    }
    return names + [
        name for name in _PENALIZED if kinds & path_kinds.KINDS[name] and not exempt.get(name)
    ]
