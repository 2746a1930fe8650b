"""Which files speak of each other: one says a name that of all files only the other defines.

Read from the words and names of the view, not from resolved imports: so it holds for every tree
that can be searched, edited files included, and does not depend on what else was asked before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features.ragged import gather, unique
from gitsearch.index import postings

if TYPE_CHECKING:
    from gitsearch.index.view import View

# A name that more files say than this tells little about any two of them.
_MOST_FILES = 20

# Shorter names are words of everything: `run`, `get`, `i`. Bytes of the name, folded.
_SHORTEST = 4

# Symbols that are looked at first: of names that many define these tell it.
_GLANCE = 16

# Two numbers a pair: positions of names or numbers of files, and numbers of files.
Pairs = tuple[np.ndarray, np.ndarray]


def among(view: View, files: np.ndarray) -> np.ndarray:
    """Which of some files, given by their numbers in the view, are linked: bool (files, files)."""
    place = np.full(view.file_starts[-1], -1)
    place[files] = np.arange(len(files))
    linked = np.zeros((len(files), len(files)), bool)
    for segment in range(len(view.segments)):
        definer, user = (place[found] for found in _links(view, segment, files))
        linked[definer[user >= 0], user[user >= 0]] = True
    np.fill_diagonal(linked, val=False)
    return linked | linked.T


def _links(view: View, home: int, files: np.ndarray) -> Pairs:
    """Who defines and who says a name: of all names that `files` in one segment define alone."""
    terms, owners = _names(view, home, files)
    fit = np.ones(len(terms), bool)
    often = np.zeros(len(terms), np.int64)
    names, users = [], []
    # its own segment first: of most names it says that they do not fit
    for segment in sorted(range(len(view.segments)), key=lambda i: i != home):
        numbers = _numbers(view, home, segment, terms, fit)
        for most in (_GLANCE, len(view.segments[segment]["symbol_file"])):
            name, file = _definers(view, segment, np.where(fit, numbers, -1), most)
            fit[name[file != owners[name]]] = False
        name, file = _users(view, segment, np.where(fit, numbers, -1))
        often += np.bincount(name, minlength=len(terms))
        fit &= often <= _MOST_FILES
        names.append(name)
        users.append(file)
    name, user = np.concatenate(names), np.concatenate(users)
    return owners[name[fit[name]]], user[fit[name]]


def _names(view: View, home: int, files: np.ndarray) -> Pairs:
    """The names that files of a segment define: their terms there, and the files."""
    segment, first = view.segments[home], view.file_starts[home]
    rows = files[(files >= first) & (files < first + segment.files)] - first
    starts, ends = (np.searchsorted(segment["symbol_file"], rows + more) for more in (0, 1))
    terms = segment["symbol_term"][gather(starts, ends - starts)].astype(np.int64)
    owners = np.repeat(rows + first, ends - starts)
    text = segment["term_ends"]
    kept = (terms >= 0) & (text[terms + 1] - text[terms] >= _SHORTEST)
    every = view.file_starts[-1]
    term, owner = np.divmod(unique(terms[kept] * every + owners[kept]), every)
    return term, owner


def _numbers(
    view: View, home: int, segment: int, terms: np.ndarray, fit: np.ndarray
) -> np.ndarray:
    """The numbers in another segment of terms of one; -1 for none, and for those not `fit`."""
    if segment == home:
        return terms
    own, other = view.segments[home], view.segments[segment]
    found = np.full(len(terms), -1, np.int64)
    found[fit] = other.numbers([own.term_text(term) for term in terms[fit].tolist()])
    return found


def _definers(view: View, segment: int, terms: np.ndarray, most: int) -> Pairs:
    """The live files of a segment that define names, each as often as it does.

    Of the symbols that have the name as a word, so many are looked at.
    """
    arrays = view.segments[segment]
    known = np.flatnonzero(terms >= 0)
    starts = arrays["name_ends"][terms[known]].astype(np.int64)
    sizes = np.minimum(arrays["name_ends"][terms[known] + 1] - starts, most)
    symbols = arrays["name_symbol"][gather(starts, sizes)]
    # the others only have the word in their names
    whole = arrays["symbol_term"][symbols] == np.repeat(terms[known], sizes)
    name = np.repeat(known, sizes)[whole]
    file = arrays["symbol_file"][symbols[whole]].astype(np.int64)
    live = view.live_files[segment][file]
    return name[live], file[live] + view.file_starts[segment]


def _users(view: View, segment: int, terms: np.ndarray) -> Pairs:
    """The live files of a segment that say names, each once."""
    arrays = view.segments[segment]
    known = np.flatnonzero(terms >= 0)
    which, rows = postings.rows_of(arrays.arrays, terms[known], arrays.chunks)
    files = arrays["chunk_file"][rows].astype(np.int64)
    live = view.live_files[segment][files]
    every = max(arrays.files, 1)
    name, file = np.divmod(unique(known[which[live]] * every + files[live]), every)
    return name, file + view.file_starts[segment]
