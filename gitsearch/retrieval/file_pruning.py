"""Files of a view that may have the words of a pattern, by the terms of the index.

A word of a text is a term if its case and underscores are folded, or stands among the unlisted
words of its file. So a file without a term that has a run of characters does not have the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features.identifiers import ANY
from gitsearch.index import postings
from gitsearch.retrieval.required_words import Any, Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.index.view import Segment
    from gitsearch.retrieval.required_words import Requirement

# Terms with a run in them, beyond which it tells too little to be worth their postings.
_MOST_TERMS = 1 << 15

# Chunks with these terms, beyond which their files are too many.
_MOST_POSTINGS = 1 << 17

# A shorter run is in too many terms to be looked for in all of them.
_SHORTEST = 3

# The least byte that is no ASCII: the border of a word, whatever it is part of.
_BEYOND_ASCII = 128


class Words:
    """The words of one segment, and the files that have them."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._terms: dict[Run, np.ndarray | None] = {}
        self._text = segment["term_text"].tobytes()
        self._unlisted = segment["unlisted_text"].tobytes()

    def may_have(self, requirement: Requirement) -> np.ndarray:
        """Return a mask of the files that may meet a requirement: bool (files).

        Files that were not indexed are not among them, unless nothing is required.
        """
        mask: np.ndarray = self._meeting(requirement) | self._with_unlisted(ANY)
        return mask

    def terms_with(self, run: Run) -> np.ndarray | None:
        """Return the terms that have a run of characters: int64; None if they are too many."""
        if run not in self._terms:
            self._terms[run] = self._found(run)
        return self._terms[run]

    def _meeting(self, requirement: Requirement) -> np.ndarray:
        if isinstance(requirement, Run):
            return self._with_run(requirement)
        either = isinstance(requirement, Any)
        mask = np.full(self._segment.files, not either)
        for part in requirement.parts:
            own = self._meeting(part)
            mask = mask | own if either else mask & own
        return mask

    def _with_run(self, run: Run) -> np.ndarray:
        terms = self.terms_with(run)
        if terms is None or self._are_frequent(terms):
            return np.ones(self._segment.files, bool)
        _, rows = postings.rows_of(self._segment.arrays, terms, self._segment.chunks)
        mask = self._with_unlisted(run.text)
        mask[self._segment["chunk_file"][rows]] = True
        return mask

    def _are_frequent(self, terms: np.ndarray) -> bool:
        """Return True if terms are in so many chunks that their files would not be named."""
        ends = self._segment["posting_ends"]
        postings_of = ends[terms + 1].astype(np.int64) - ends[terms]
        return int(postings_of.sum()) > _MOST_POSTINGS

    def _found(self, run: Run) -> np.ndarray | None:
        wanted = run.text.encode()
        if len(wanted) < _SHORTEST:
            return self._short(run) if run.starts and run.ends else None
        starts = np.fromiter(_places(self._text, wanted), np.int64)
        if len(starts) > _MOST_TERMS:
            return None
        term, first, last = _runs_at(self._segment["term_ends"], starts)
        stops = starts + len(wanted)
        fits = stops <= last
        text = np.frombuffer(self._text, np.uint8)
        if run.starts:
            fits &= (starts == first) | (text[starts - 1] >= _BEYOND_ASCII)
        if run.ends:
            inside = np.minimum(stops, len(text) - 1)
            fits &= (stops == last) | (text[inside] >= _BEYOND_ASCII)
        return _distinct(term[fits])

    def _short(self, run: Run) -> np.ndarray | None:
        """The term of a whole short word; None if a word beyond ASCII may have it."""
        if not self._text.isascii():
            return None
        term = self._segment.term(run.text)
        return np.asarray([term] if term >= 0 else [], np.int64)

    def _with_unlisted(self, text: str) -> np.ndarray:
        """Return a mask of the files with a text among their unlisted words: bool (files)."""
        mask = np.zeros(self._segment.files, bool)
        places = np.fromiter(_places(self._unlisted, text.encode(), None), np.int64)
        mask[_runs_at(self._segment["unlisted_ends"], places)[0]] = True
        return mask


def _places(text: bytes, wanted: bytes, most: int | None = _MOST_TERMS + 1) -> Iterator[int]:
    """Yield the offsets of a text in another, the first ones."""
    place = text.find(wanted)
    while place >= 0 and most != 0:
        yield place
        place = text.find(wanted, place + 1)
        most = None if most is None else most - 1


def _runs_at(ends: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which run each place is in, and where that begins and ends: int64."""
    # of the same type, or all of the array would be converted
    run = np.searchsorted(ends, places.astype(ends.dtype), side="right") - 1
    return run, ends[run].astype(np.int64), ends[run + 1].astype(np.int64)


def _distinct(ascending: np.ndarray) -> np.ndarray:
    """Return each of some ascending numbers once."""
    distinct: np.ndarray = ascending[np.diff(ascending, prepend=-1) != 0]
    return distinct
