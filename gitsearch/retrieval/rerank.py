"""Seven stages after fusion: what files, names and paths say about the candidates.

docs/ranking.md gives each stage's source and what it is worth on the two yardsticks.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.extract.languages import LANGUAGES
from gitsearch.features import tokens
from gitsearch.retrieval import file_links, symbol_leg

if TYPE_CHECKING:
    from gitsearch.index.view import Segment, View
    from gitsearch.retrieval.constants import Ranking
    from gitsearch.retrieval.fusion import Fused
    from gitsearch.retrieval.lexical_leg import Words
    from gitsearch.retrieval.query import Query

Factors = dict[int, dict[str, float]]

# Kinds of paths that are lowered, each by the constant of its name.
_LOWERED = ("test", "example", "docs", "compat", "declarations", "vendored")


def rerank(
    view: View,
    query: Query,
    fused: Fused,
    words: Words,
    ranking: Ranking,
    factors: Factors | None,
) -> np.ndarray:
    """New scores of the candidates, in their order; `factors` collects what each stage did."""
    scores = fused.scores.copy()
    if not len(scores):
        return scores
    files, file_of = np.unique(view.files(fused.rows), return_inverse=True)
    places = [view.file(number) for number in files.tolist()]
    stages = (
        ("coherence", _coherence(fused, file_of, ranking.coherence)),
        ("definition chunks", _coherence(fused, _definitions(view, fused.rows), ranking.group)),
        ("definition", _definition(view, query, fused, ranking)),
        ("stem", _stem(query, places, ranking)[file_of] * scores.max()),
    )
    for name, gain in stages:
        scores += gain
        _note(factors, fused.rows, name, gain)
    gain = scores.max() * _whole(query, files, words, ranking)[file_of]
    scores += gain
    _note(factors, fused.rows, "file", gain)
    noise = np.asarray([_noise(query, *place, ranking) for place in places])[file_of]
    noise = noise * np.where(_only_names(view, fused.rows, places, file_of), ranking.barrel, 1.0)
    best = np.zeros(len(files))
    np.maximum.at(best, file_of, scores * noise)
    gain = scores.max() * _linked(view, query, files, places, best, ranking)[file_of]
    scores += gain
    _note(factors, fused.rows, "links", gain)
    _note(factors, fused.rows, "noise", noise - 1.0, offset=1.0)
    scores *= noise
    return scores


def _note(
    factors: Factors | None,
    rows: np.ndarray,
    name: str,
    values: np.ndarray,
    *,
    offset: float = 0.0,
) -> None:
    if factors is None:
        return
    for row, value in zip(rows.tolist(), values.tolist(), strict=True):
        if value:
            factors.setdefault(row, {})[name] = value + offset


def _coherence(fused: Fused, group: np.ndarray, share: float) -> np.ndarray:
    """Evidence of a whole file or definition, given to its best chunk."""
    scores = fused.scores
    # bincount adds in the order of rows: within a file that is the order of its text
    total = np.bincount(group, weights=scores * fused.evident)
    best = np.full(len(total), -1.0)
    np.maximum.at(best, group, scores)
    gain = share * scores.max() * total / total.max()
    return np.where(scores == best[group], gain[group], 0.0)


def _definitions(view: View, rows: np.ndarray) -> np.ndarray:
    """A number for the definition that each row is named after; rows without one stand alone."""
    symbols = view.column("chunk_symbol", rows).astype(np.int64)
    segments = np.searchsorted(view.starts, rows, side="right")
    alone = symbols < 0
    keys = np.where(alone, -1 - rows, symbols * len(view.starts) + segments)
    return np.unique(keys, return_inverse=True)[1]


def _definition(view: View, query: Query, fused: Fused, ranking: Ranking) -> np.ndarray:
    """A chunk in which a definition starts that the query names; more if its file is so named."""
    gain = np.zeros(len(fused.rows))
    best = fused.scores.max()
    for i, row in enumerate(fused.rows.tolist()):
        score = fused.named[row].score if row in fused.named else 0.0
        if score >= symbol_leg.EXACT:
            segment, inside = view.locate(row)
            stem = "".join(_stem_words(segment, int(segment["chunk_file"][inside]))[0])
            meant = {tokens.compound(word) for word in query.words}
            gain[i] = best * ranking.definition * (score - int(score))
            gain[i] *= ranking.definition_stem if stem in meant else 1.0
        if not query.symbol:
            gain[i] /= 2  # the name may be incidental to the question
            gain[i] = max(gain[i], best * ranking.definition_words * _in_words(query, score))
    return gain


def _in_words(query: Query, score: float) -> float:
    """How far the words of a question are those of a name with this score; 0 .. 1."""
    if score >= symbol_leg.EXACT:
        return float(not any(symbol_leg.looks_like_name(word, query) for word in query.words))
    return max(score - symbol_leg.WORDS, 0.0) if score < symbol_leg.PREFIX else 0.0


def _stem_words(segment: Segment, file: int) -> tuple[list[str], list[str]]:
    """Parts of the stem and of the parent folder."""
    *folders, name = segment.path(file).decode("utf-8", "replace").split("/")
    stem = name.rpartition(".")[0] or name
    parent = folders[-1] if folders else ""
    return (
        [p for word in tokens.identifiers(stem) for p in tokens.parts(word)],
        [p for word in tokens.identifiers(parent) for p in tokens.parts(word)],
    )


def _stem(query: Query, places: list[tuple[Segment, int]], ranking: Ranking) -> np.ndarray:
    """Share of the query's words that the file's stem or folder holds, by file."""
    words = {part for word in query.words for part in tokens.parts(word) if len(part) > 2}
    out = np.zeros(len(places))
    if not words or query.symbol:
        return out
    for i, (segment, file) in enumerate(places):
        stem, parent = _stem_words(segment, file)
        share = sum(_matches(word, stem) or _matches(word, parent) for word in words) / len(words)
        if share >= ranking.stem_share:
            out[i] = ranking.stem_boost * share
    return out


def _matches(word: str, parts: list[str]) -> bool:
    """Equal, or one begins the other: config and configuration, route and routes."""
    return any(
        part == word
        or (min(len(part), len(word)) > 2 and (part.startswith(word) or word.startswith(part)))
        for part in parts
    )


def _whole(query: Query, files: np.ndarray, words: Words, ranking: Ranking) -> np.ndarray:
    """What files say of the query as a whole: by file."""
    if query.symbol:
        # who types a name wants its definition and then its uses, in whatever files
        return np.zeros(len(files))
    found = words.files()[files]
    gain: np.ndarray = ranking.file * found / max(found.max(), 1e-12)
    return gain


def _linked(
    view: View,
    query: Query,
    files: np.ndarray,
    places: list[tuple[Segment, int]],
    best: np.ndarray,
    ranking: Ranking,
) -> np.ndarray:
    """How many of the best files each of them is linked to, by their ranks; by file.

    best: the best score of each file. As in DCG a file counts 1 / log2(1 + its rank).
    """
    gain = np.zeros(len(files))
    if not ranking.link or query.symbol:
        return gain
    paths = [segment.path(file) for segment, file in places]
    order = sorted(range(len(files)), key=lambda i: (-best[i], paths[i]))[: ranking.link_files]
    worth = [1 / math.log2(2 + i) for i in range(len(order))]
    # a running sum adds in the order of ranks, whatever a machine's vectors are
    near = np.cumsum(file_links.among(view, files[order]) * worth, axis=1)[:, -1]
    gain[order] = ranking.link * near / (1 + near)
    return gain


def _only_names(
    view: View, rows: np.ndarray, places: list[tuple[Segment, int]], file_of: np.ndarray
) -> np.ndarray:
    """Rows of re-export files (index.ts, __init__.py, mod.rs) that define nothing themselves."""
    barrel = [bool(int(s["path_kind"][file]) & path_kinds.BARREL) for s, file in places]
    empty: np.ndarray = view.column("chunk_symbol", rows) < 0
    found: np.ndarray = np.asarray(barrel)[file_of] & empty
    return found


def lowered(query: Query, segment: Segment, file: int) -> bool:
    """Whether a file counts less for its kind than the program itself does."""
    return any(reason != "guide" for reason in _reasons(query, segment, file))


def _noise(query: Query, segment: Segment, file: int, ranking: Ranking) -> float:
    """The product of the factors of a file's kinds."""
    factors: list[float] = [getattr(ranking, name) for name in _reasons(query, segment, file)]
    return math.prod(factors)


def _reasons(query: Query, segment: Segment, file: int) -> list[str]:
    """The constants that a file's kinds count, without those that the query asks for."""
    kinds = int(segment["path_kind"][file])
    language = str(segment.meta["languages"][int(segment["language"][file])])
    content = LANGUAGES[language].content if language in LANGUAGES else "docs"
    guide = _guides(query, segment.path(file), language)
    reasons = []
    if guide:
        reasons.append("guide")
    elif content == "docs" and not kinds & path_kinds.DOCS and not query.wants_docs:
        reasons.append("prose")
    elif content in ("config", "data"):
        reasons.append("config")
    lifted = {
        "test": query.wants_tests,
        "example": query.wants_docs or query.use,
        "docs": query.wants_docs or guide,
    }
    return reasons + [
        name for name in _LOWERED if kinds & path_kinds.KINDS[name] and not lifted.get(name)
    ]


def _guides(query: Query, path: bytes, language: str) -> bool:
    """Whether a file is what people read who ask how something is used: READMEs, guides."""
    prose = language in LANGUAGES and LANGUAGES[language].content == "docs"
    return query.use and prose and not path_kinds.is_record(path)
