"""Links between files: one uses a name that no file but the other defines.

They come from the terms and symbols of the view, not from resolved imports: so they exist for
every tree that can be searched, edited files included, and do not depend on whether a dependency
graph was built before.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from gitsearch.features.ragged import gather, runs_of, unique
from gitsearch.index import postings
from gitsearch.index.view import View

# A name that more files use than this is no evidence of a link between two of them.
_MAX_FILES = 20

# Shorter names occur everywhere: `run`, `get`, `i`. In bytes of the case-folded name.
_MIN_NAME_BYTES = 4

# Symbols of a name that are read first: they suffice to reject a name that many files define.
_FIRST_SYMBOLS = 16

# Two int64 arrays of one length: positions of names or file numbers, and file numbers.
Pairs = tuple[np.ndarray, np.ndarray]


def adjacency(view: View, files: np.ndarray) -> np.ndarray:
    """Symmetric adjacency matrix of files given by their numbers: bool (files, files)."""
    position = np.full(view.file_starts[-1], -1)
    position[files] = np.arange(len(files))
    linked = np.zeros((len(files), len(files)), bool)
    homes = {bisect_right(view.file_starts, number) - 1 for number in files.tolist()}
    for segment in sorted(homes):
        definer, user = (position[numbers] for numbers in _links(view, segment, files))
        linked[definer[user >= 0], user[user >= 0]] = True
    np.fill_diagonal(linked, val=False)
    return linked | linked.T


def _links(view: View, home: int, files: np.ndarray) -> Pairs:
    """Pairs of (defining file, using file) for names that one of `files` in a segment defines.

    Names with several defining files, or with more than `_MAX_FILES` using ones, are left out. In
    a view of several trees those of the same tree count: others may have names that are the same
    by chance, or copies of its files.
    """
    terms, owners = _names(view, home, files)
    if not len(terms):
        return terms, owners
    fit = np.ones(len(terms), bool)
    frequency = np.zeros(len(terms), np.int64)
    names, users = [], []
    # its own segment first: it rejects most names
    for segment in sorted(view.with_same_tree(home), key=lambda i: i != home):
        numbers = _numbers(view, home, segment, terms, fit)
        for limit in (_FIRST_SYMBOLS, len(view.segments[segment]["symbol_file"])):
            name, file = _definers(view, segment, np.where(fit, numbers, -1), limit)
            fit[name[file != owners[name]]] = False
        name, file = _users(view, segment, np.where(fit, numbers, -1))
        frequency += np.bincount(name, minlength=len(terms))
        fit &= frequency <= _MAX_FILES
        names.append(name)
        users.append(file)
    name, user = np.concatenate(names), np.concatenate(users)
    return owners[name[fit[name]]], user[fit[name]]


def _names(view: View, home: int, files: np.ndarray) -> Pairs:
    """Pairs of (term number, file) of the names that files of a segment define."""
    segment, first = view.segments[home], view.file_starts[home]
    local = files[(files >= first) & (files < first + segment.files)] - first
    if not len(local):
        return local, local
    starts, ends = runs_of(segment["symbol_file"], local)
    terms = segment["symbol_term"][gather(starts, ends - starts)].astype(np.int64)
    owners = np.repeat(local + first, ends - starts)
    text_ends = segment["term_ends"]
    kept = (terms >= 0) & (text_ends[terms + 1] - text_ends[terms] >= _MIN_NAME_BYTES)
    total = view.file_starts[-1]
    term, owner = np.divmod(unique(terms[kept] * total + owners[kept]), total)
    return term, owner


def _numbers(
    view: View, home: int, segment: int, terms: np.ndarray, fit: np.ndarray
) -> np.ndarray:
    """Translate term numbers of segment `home` to those of another; -1 if absent or not `fit`."""
    if segment == home:
        return terms
    own, other = view.segments[home], view.segments[segment]
    numbers = np.full(len(terms), -1, np.int64)
    numbers[fit] = other.numbers([own.term_text(term) for term in terms[fit].tolist()])
    return numbers


def _definers(view: View, segment: int, terms: np.ndarray, limit: int) -> Pairs:
    """Pairs of (position in `terms`, live file that defines it), one for each definition.

    At most `limit` symbols are read of those whose names contain the term.
    """
    arrays = view.segments[segment]
    known = np.flatnonzero(terms >= 0)
    starts = arrays["name_ends"][terms[known]].astype(np.int64)
    sizes = np.minimum(arrays["name_ends"][terms[known] + 1] - starts, limit)
    symbols = arrays["name_symbol"][gather(starts, sizes)]
    # of the other symbols the term is only a part of the name
    whole = arrays["symbol_term"][symbols] == np.repeat(terms[known], sizes)
    name = np.repeat(known, sizes)[whole]
    file = arrays["symbol_file"][symbols[whole]].astype(np.int64)
    live = view.live_files[segment][file]
    return name[live], file[live] + view.file_starts[segment]


def _users(view: View, segment: int, terms: np.ndarray) -> Pairs:
    """Distinct pairs of (position in `terms`, live file in whose text or path it occurs)."""
    arrays = view.segments[segment]
    known = np.flatnonzero(terms >= 0)
    which, rows = postings.rows_of(arrays.arrays, terms[known], arrays.chunks)
    files = arrays["chunk_file"][rows].astype(np.int64)
    live = view.live_files[segment][files]
    total = max(arrays.files, 1)
    name, file = np.divmod(unique(known[which[live]] * total + files[live]), total)
    return name, file + view.file_starts[segment]
