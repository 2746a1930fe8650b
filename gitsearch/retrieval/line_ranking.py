"""The order of lines that a pattern matches: definitions, uses, tests, prose; docs/ranking.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.features.ragged import gather, offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.retrieval.matching_lines import MatchingLines

# What a line is, the best first. The scores of one kind lie between those of its neighbours.
DEFINITION = 4
CODE = 3
TEST = 2
PROSE = 1
GENERATED = 0
_STEP = 0.2

# Weights of what tells lines of one kind apart; each is from 0 to 1, and so is their sum.
NAMED = 0.5
DENSE = 0.3
FREQUENT = 0.2
EXACT = 0.5
OUTSIDE_TESTS = 0.3
FILE = 0.2

# Lines with a match as a share of all lines of a file, and their number as a power of 2, beyond
# which more of them count no more.
_DENSE = 0.1
_FREQUENT = 10


class FileTraits(NamedTuple):
    """What is known of the files with matches, a value a file.

    kind: one of CODE, TEST, PROSE, GENERATED. named: bool, what is looked for is in the name of
    the file. lines: the number of its lines, 0 where it is unknown. matches: of those that match.
    """

    kind: np.ndarray
    named: np.ndarray
    lines: np.ndarray
    matches: np.ndarray


class DefiningLines(NamedTuple):
    """Lines that define what matches, ascending; exact: bool, its whole name is looked for."""

    line: np.ndarray
    exact: np.ndarray


class Piece(NamedTuple):
    """Neighbours in order: lines of one file from `first` to before `upto`, with one score.

    file: the number of the file.
    """

    file: int
    first: int
    upto: int
    score: float
    definition: bool


class Pieces(NamedTuple):
    """Pieces in order, a value a piece, as in Piece: int64, scores float64, definition bool."""

    file: np.ndarray
    first: np.ndarray
    upto: np.ndarray
    score: np.ndarray
    definition: np.ndarray

    def at(self, place: int) -> Piece:
        """Return one piece."""
        return Piece(*(column[place].item() for column in self))

    def some(self, places: Sequence[int] | np.ndarray) -> Pieces:
        """Return the pieces at some places, in their order."""
        return Pieces(*(column[np.asarray(places, np.int64)] for column in self))


def kind_of(path_kind: int, content: str) -> int:
    """Return the kind of the lines of a file that define nothing.

    content: of its language (code, docs, config, data).
    """
    if path_kind & (path_kinds.GENERATED | path_kinds.VENDORED):
        return GENERATED
    if path_kind & path_kinds.TEST:
        return TEST
    return CODE if content == "code" and not path_kind & path_kinds.DOCS else PROSE


def file_scores(files: FileTraits) -> np.ndarray:
    """Return how much each file is about what is looked for, from 0 to 1."""
    dense = files.matches / np.maximum(files.lines * _DENSE, 1)
    dense = np.where(files.lines > 0, np.minimum(dense, 1), 0)
    frequent = np.minimum(np.log2(1 + files.matches) / _FREQUENT, 1)
    scores: np.ndarray = NAMED * files.named + DENSE * dense + FREQUENT * frequent
    return scores


def ranked(lines: MatchingLines, files: FileTraits, definitions: DefiningLines) -> Pieces:
    """Return all lines as pieces, the best first; equal ones are in order of path and line."""
    closeness = file_scores(files)
    uses = (files.kind + closeness) * _STEP
    owner = lines.file[definitions.line]
    own = EXACT * definitions.exact + OUTSIDE_TESTS * (files.kind[owner] == CODE)
    scores = (DEFINITION + own + FILE * closeness[owner]) * _STEP
    # the lines between definitions and the borders of files
    cuts = np.concatenate([lines.ends, definitions.line, definitions.line + 1])
    cuts = np.sort(cuts)
    first, upto = cuts[:-1], cuts[1:]
    some = upto > first
    first, upto = first[some], upto[some]
    at = np.searchsorted(definitions.line, first)
    known = np.append(definitions.line, -1)
    defines = known[at] == first
    score = np.where(defines, np.append(scores, 0)[at], uses[lines.file[first]])
    score = np.round(score, 6)
    order = np.lexsort((first, -score))
    return Pieces(lines.file[first], first, upto, score, defines).some(order)


def by_path(lines: MatchingLines) -> Pieces:
    """Return all lines in the order of git: all of a file together."""
    count = len(lines.paths)
    return Pieces(
        np.arange(count), lines.ends[:-1], lines.ends[1:], np.zeros(count), np.zeros(count, bool)
    )


def single(pieces: Pieces) -> Pieces:
    """Return the lines of pieces as pieces of one line."""
    sizes = pieces.upto - pieces.first
    line = gather(pieces.first, sizes)
    return pieces.some(np.repeat(np.arange(len(sizes)), sizes))._replace(first=line, upto=line + 1)


def runs(lines: MatchingLines, pieces: Pieces) -> Pieces:
    """Return the runs of neighbouring lines of each piece: the results, in order."""
    every = single(pieces)
    starts = np.diff(lines.numbers[every.first], prepend=-1) != 1
    starts[offsets(pieces.upto - pieces.first)[:-1]] = True
    first = np.flatnonzero(starts)
    run = every.some(first)
    return run._replace(upto=run.first + np.diff(first, append=len(starts)))
