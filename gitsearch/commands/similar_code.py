"""Code that is similar to some places of a tree: related code, and copies in new code."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.extract.languages import LANGUAGES
from gitsearch.features.embedding import query_vector
from gitsearch.features.identifiers import compound
from gitsearch.features.lexemes import Lexemes, between, lexemes
from gitsearch.records import LexicalSyntax
from gitsearch.reports.change import Copy, Place, Similar
from gitsearch.retrieval import (
    changed_units,
    chunk_vectors,
    clone_detection,
    filters,
    nearest_chunks,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment, View

# What is like enough to be a copy: below it shapes are alike, and what they do is not.
THRESHOLD = 0.75

# Places that are compared with each new unit.
_CANDIDATES = 32

# New units that are compared: a larger change is a move of the whole, and is said to be cut.
_MOST = 500


# Chunks a leg of what is related.
_DEPTH = 100


class CloneSearch(NamedTuple):
    """Copies by path and line; how many new units were compared, and how many were not."""

    found: list[Copy]
    looked: int
    left: int


# ---------------------------------------------------------------- related code


def related_to(
    opened: OpenView,
    places: Sequence[Place],
    count: int,
    tests: str = "include",
    names: Sequence[str] = (),
) -> list[Similar]:
    """The files that are most similar to some places and have none of them, with their best chunk.

    Each file with places ranks the others; those that are similar to several come first. names: of
    the repositories, if the view is of many; the places are in the first one.
    """
    view = opened.view
    mask = filters.by_file(view, content="code", tests=tests)
    held = {path: found for path, own in _by_path(places).items() if (found := view.find(path))}
    for segment, file in held.values():
        mask[chunk_vectors.rows_of_lines(view, segment, file)] = False
    legs = []
    for path, (segment, file) in held.items():
        rows = np.concatenate(
            [
                chunk_vectors.rows_of_lines(view, segment, file, one.start, one.end)
                for one in _by_path(places)[path]
            ]
        )
        if len(rows):
            wanted = _probe(opened, segment, file, rows, _by_path(places)[path])
            legs.append(nearest_chunks.near(view, wanted, mask, _DEPTH))
    ranked = nearest_chunks.files(view, legs)
    return [_near_place(view, one, names) for one in ranked[:count]]


def like(
    opened: OpenView,
    place: Place,
    count: int,
    tests: str = "include",
    names: Sequence[str] = (),
) -> list[Similar]:
    """The chunks that are most like some lines of a file, anywhere but there.

    names: as for `related_to`.
    """
    view = opened.view
    file = view.find(os.fsencode(place.path))
    if file is None:
        return []
    rows = chunk_vectors.rows_of_lines(view, *file, place.start, place.end)
    mask = filters.by_file(view, content="code", tests=tests)
    mask[rows] = False
    if not len(rows):
        return []
    wanted = _probe(opened, *file, rows, [place])
    ranked = nearest_chunks.chunks(view, nearest_chunks.near(view, wanted, mask, _DEPTH))
    return [_near_place(view, chunk, names) for chunk in ranked[:count]]


def first_chunk(view: View, path: bytes, tests: str = "include") -> Similar | None:
    """The first chunk of a file of code, as one that is not similar; None if it has none."""
    file = view.find(path)
    if file is None or not filters.may_pass(path, (), "code", tests):
        return None
    for row in chunk_vectors.rows_of_lines(view, *file)[:1].tolist():
        return _similar_at(_place(*view.locate(row)), 0.0, {})
    return None


def around(view: View, segment: Segment, file: int, first: int, last: int) -> Place:
    """The innermost definition around some lines that is no type or space, else the lines.

    One line alone stands for its chunk.
    """
    path = os.fsdecode(segment.path(file))
    for start, end, name in reversed(list(changed_units.outermost_functions(segment, file))):
        if start <= first and last <= end:
            return Place(path, start, end, name)
    rows = chunk_vectors.rows_of_lines(view, segment, file, first, last).tolist()
    if first == last and rows:
        return _place(*view.locate(rows[0]))
    return Place(path, first, last, None)


def _by_path(places: Iterable[Place]) -> dict[bytes, list[Place]]:
    by_path: dict[bytes, list[Place]] = {}
    for place in places:
        by_path.setdefault(os.fsencode(place.path), []).append(place)
    return dict(sorted(by_path.items()))


def _probe(
    opened: OpenView, segment: Segment, file: int, rows: np.ndarray, places: Iterable[Place]
) -> nearest_chunks.CodeQuery:
    """Terms and vectors of some lines of a file, and of its path."""
    lines = opened.texts.lines(segment.oid(file))
    said = "\n".join("\n".join(lines[place.start - 1 : place.end]) for place in places)
    path = segment.path(file).decode("utf-8", "replace")
    terms = nearest_chunks.terms_of(f"{path}\n{said}")
    steps = segment.path_vectors(np.asarray([file]))[0]
    name = query_vector(steps) if steps.any() else None
    return replace(nearest_chunks.code_query(opened.view, np.unique(rows), terms), path=name)


def _near_place(view: View, chunk: nearest_chunks.NearChunk, names: Sequence[str] = ()) -> Similar:
    segment, row = view.locate(chunk.row)
    similar = _similar_at(_place(segment, row), chunk.score, chunk.why)
    if not names:
        return similar
    number = view.repositories[view.segments.index(segment)] if view.repositories else 0
    return replace(similar, repository=names[number])


def _similar_at(place: Place, score: float, why: Mapping[str, float]) -> Similar:
    factors = {name: round(value, 4) for name, value in why.items()}
    return Similar(place.path, place.start, place.end, place.symbol, round(score, 4), factors)


def _place(segment: Segment, at: int) -> Place:
    """The lines of a chunk."""
    chunk = segment.chunk(at)
    name = segment.qualified(chunk.symbol) if chunk.symbol >= 0 else None
    return Place(os.fsdecode(segment.path(chunk.file)), chunk.first, chunk.last, name)


# ---------------------------------------------------------------- copies


def copies_of(
    opened: OpenView,
    fresh: Mapping[bytes, frozenset[int]],
    threshold: float = THRESHOLD,
    tests: str = "include",
) -> CloneSearch:
    """The new lines (git.hunks.fresh_lines) that repeat other lines of the tree."""
    return _Search(opened, fresh, threshold, tests).found()


class _Found(NamedTuple):
    """Lines of a file that have what a unit has, and how we know."""

    segment: Segment
    file: int
    first: int
    last: int
    match: clone_detection.Match


def _similar(found_match: _Found) -> Similar:
    symbol = changed_units.symbol_at(
        found_match.segment, found_match.file, found_match.first, found_match.last
    )
    place = Place(
        os.fsdecode(found_match.segment.path(found_match.file)),
        found_match.first,
        found_match.last,
        symbol,
    )
    match = found_match.match
    factors = {
        "shape": match.shape,
        "names": match.names,
        "renamed": match.renamed,
        "size": match.size,
    }
    return _similar_at(place, match.score, factors)


class _Search:
    """The comparison of new units with the rest of one tree."""

    def __init__(
        self,
        opened: OpenView,
        fresh: Mapping[bytes, frozenset[int]],
        threshold: float,
        tests: str,
    ) -> None:
        self._texts = opened.texts
        self._view: View = opened.view
        self._fresh = fresh
        self._threshold = threshold
        self._tests = tests
        self._mask = changed_units.handwritten_rows(opened.view, tests)
        self._weights: dict[str, float] = {}
        self._codes: dict[tuple[bytes, int, int], clone_detection.CodeTokens] = {}
        self._files: dict[bytes, Lexemes] = {}

    def found(self) -> CloneSearch:
        """All copies by path and line."""
        every = list(self._units())
        found = [one for unit in every[:_MOST] if (one := self._best(unit)) is not None]
        return CloneSearch(found, min(len(every), _MOST), max(len(every) - _MOST, 0))

    def _units(self) -> Iterable[changed_units.ChangedUnit]:
        places = [(path, self._view.find(path)) for path in sorted(self._fresh)]
        self._texts.read(p[0].oid(p[1]) for _, p in places if p)
        for path, place in places:
            if place is not None:
                lines = self._texts.lines(place[0].oid(place[1]))
                yield from changed_units.units(
                    self._view, path, lines, self._fresh[path], self._tests
                )

    def _best(self, unit: changed_units.ChangedUnit) -> Copy | None:
        place = self._view.find(unit.path)
        assert place is not None
        code = clone_detection.CodeTokens(between(self._whole(*place), unit.first, unit.last))
        if not clone_detection.worthwhile(code, named=unit.symbol is not None):
            return None
        matches = []
        for segment, file, first, last in self._candidates(unit, *place):
            other = self._code(segment, file, first, last)
            match = clone_detection.match(code, other, self._weight)
            if match is not None and match.score >= self._threshold:
                lines = other.lexemes.lines
                span = lines[match.start], lines[match.end - 1]
                matches.append(_Found(segment, file, *span, match))
        ranked = [
            (self._rank(match_at), match_at)
            for match_at in matches
            if not self._is_later(match_at, unit)
        ]
        if not ranked:
            return None
        new = Place(os.fsdecode(unit.path), unit.first, unit.last, unit.symbol)
        return Copy(new, _similar(min(ranked, key=lambda item: item[0])[1]))

    def _rank(self, match: _Found) -> tuple[bool, float, bytes, int]:
        """Sort key: existing code first, then the most similar."""
        return (
            self._is_fresh(match),
            -match.match.score,
            match.segment.path(match.file),
            match.first,
        )

    def _is_later(self, match: _Found, unit: changed_units.ChangedUnit) -> bool:
        """Return True for a place that is new and comes later: it is a copy of the unit."""
        later = (match.segment.path(match.file), match.first) > (unit.path, unit.first)
        return later and self._is_fresh(match)

    def _is_fresh(self, match: _Found) -> bool:
        fresh = self._fresh.get(match.segment.path(match.file), frozenset())
        lines = range(match.first, match.last + 1)
        return 2 * sum(line in fresh for line in lines) > len(lines)

    def _candidates(
        self, unit: changed_units.ChangedUnit, segment: Segment, file: int
    ) -> Iterable[tuple[Segment, int, int, int]]:
        """Windows of lines around the nearest chunks, as long as the unit on either side."""
        rows = chunk_vectors.rows_of_lines(self._view, segment, file, unit.first, unit.last)
        text = "\n".join(self._texts.lines(segment.oid(file))[unit.first - 1 : unit.last])
        probe = nearest_chunks.code_query(self._view, rows, nearest_chunks.terms_of(text))
        mask = self._mask.copy()
        mask[rows] = False
        near = nearest_chunks.near(self._view, probe, mask, _CANDIDATES)
        spans: dict[tuple[int, int], list[tuple[int, int]]] = {}
        room = unit.last - unit.first + 1
        for row in near.rows.tolist():
            other, at = self._view.locate(row)
            chunk = other.chunk(at)
            own = other is segment and chunk.file == file
            start = changed_units.start_before(other, chunk.file, chunk.first - room)
            for low, high in _beside(start, chunk.last + room, unit if own else None):
                key = (self._view.segments.index(other), chunk.file)
                spans.setdefault(key, []).append((max(low, 1), high))
        self._texts.read(self._view.segments[s].oid(f) for s, f in sorted(spans))
        for (number, where), windows in sorted(spans.items()):
            for low, high in _merged(windows):
                yield self._view.segments[number], where, low, high

    def _whole(self, segment: Segment, file: int) -> Lexemes:
        """All lexemes of a file: only from its beginning can be told what is in a comment."""
        path = segment.path(file)
        if path not in self._files:
            text = "\n".join(self._texts.lines(segment.oid(file)))
            self._files[path] = lexemes(text, _syntax(segment, file))
        return self._files[path]

    def _code(
        self, segment: Segment, file: int, first: int, last: int
    ) -> clone_detection.CodeTokens:
        """Some lines by themselves: quicker, and near enough for what is only compared."""
        key = (segment.path(file), first, last)
        if key not in self._codes:
            text = "\n".join(self._texts.lines(segment.oid(file))[first - 1 : last])
            self._codes[key] = clone_detection.CodeTokens(
                lexemes(text, _syntax(segment, file), first)
            )
        return self._codes[key]

    def _weight(self, text: str) -> float:
        """The weight of a name that is the same: rare names weigh more."""
        if text not in self._weights:
            often = nearest_chunks.frequency(self._view, compound(text.strip("\"'`")))
            self._weights[text] = nearest_chunks.rarity(self._view, often)
        return self._weights[text]


def _syntax(segment: Segment, file: int) -> LexicalSyntax:
    language = LANGUAGES.get(segment.language(file))
    return language.syntax if language else LexicalSyntax()


def _beside(
    low: int, high: int, unit: changed_units.ChangedUnit | None
) -> Iterable[tuple[int, int]]:
    """A range of lines, less those of a unit."""
    if unit is None:
        return [(low, high)]
    parts = [(low, min(high, unit.first - 1)), (max(low, unit.last + 1), high)]
    return [(a, b) for a, b in parts if a <= b]


def _merged(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    return merged
