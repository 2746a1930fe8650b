"""A view: one tree as a few immutable segments, with what later ones replace left out.

The first segment may be shared by many trees; the next hold what differs, the last one the dirty
files. Rows are numbered across segments: segment 0 first.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.features.embedding import unpacked
from gitsearch.features.ragged import (
    gather,
    headed,
    offsets,
    position,
    reordered,
    runs_of,
)
from gitsearch.index import postings, view_terms
from gitsearch.reports.search import Coverage
from gitsearch.store import vector_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gitsearch.features.embedding import Model
    from gitsearch.index.described_words import DescribedWords
    from gitsearch.store.sections import Sections

# Bytes of a term, or of an object id, that are compared at once.
_HEAD = 8

# Terms whose numbers are remembered: more than one query looks up.
_REMEMBERED = 4096

# Where there are so many terms for each that was looked up so far, to prepare all of them for the
# search takes longer: one in `_APART` is prepared.
_FEW = 256
_APART = 64

# Of so many times as many rows those that are not live are searched for.
_SEARCHED = 32

# Stands for the number of a term that is none.
_NO_TERM = -1


# Rows that have a term, ascending (int64), and how often each has it.
Occurrences = tuple[np.ndarray, np.ndarray]

# Runs of rows by their starts and sizes, and how often each row of one has a term: int64.
_Runs = tuple[np.ndarray, np.ndarray, np.ndarray]


class ChunkRow(NamedTuple):
    """One chunk: its file row, its lines from 1, and the symbol rows around and of it, or -1."""

    file: int
    first: int
    last: int
    scope: int
    symbol: int


class SymbolRow(NamedTuple):
    """One definition: its file row, lines from 1, and byte offsets of its start and its body."""

    file: int
    first: int
    last: int
    start: int
    body: int


class Segment:
    """The arrays of one segment, with the look-ups that need no other segment."""

    def __init__(
        self, arrays: Any, meta: dict[str, Any], rows: Callable[[], np.ndarray] | None = None
    ) -> None:
        """`arrays` is a mapping of names; `rows` opens the vector file when it is first needed."""
        self.arrays = arrays
        self.meta = meta
        self._rows = rows
        self._known: dict[str, int] = {}
        self._sought, self._has_heads = 0, False
        self._texts: dict[str, tuple[memoryview, memoryview]] = {}
        self._term_bytes = partial(self._text, "term")
        self.files = int(meta["files"])
        self.chunks = int(meta["chunks"])

    def __getitem__(self, name: str) -> np.ndarray:
        array: np.ndarray = self.arrays[name]
        return array

    @cached_property
    def file_sizes(self) -> np.ndarray:
        """Return the number of chunks of each file: int64 (files)."""
        return np.diff(self["file_chunk"].astype(np.int64))

    def shown_lines(self, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
        """Return first and last lines (int64) of some chunks."""
        starts = self["chunk_first_line"][low:high].astype(np.int64)
        return starts, starts + self["chunk_more_lines"][low:high]

    def line_spans(self, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
        """Return first and last lines (int64) of some chunks of one file, all up to its last.

        Lines between two chunks, which are not shown with either, belong to the first of them.
        """
        starts, ends = self.shown_lines(low, high)
        ends[:-1] = np.maximum(ends[:-1], starts[1:] - 1)
        ends[-1:] = np.iinfo(np.int64).max
        return starts, ends

    def read_vectors(self, rows: Callable[[], np.ndarray]) -> None:
        """Open the vector file with `rows` from now on: it may have grown, or be damaged."""
        self._rows = rows

    def ready(self) -> None:
        """Open the vector file now. Raises Damaged if it is missing or bad."""
        if self._rows is not None and self.chunks:
            self._rows()

    def path(self, file: int) -> bytes:
        """Return the path of a file row."""
        return self._text("path", file)

    def paths(self) -> list[bytes]:
        """Return the paths of all files."""
        text = self["path_text"].tobytes()
        return [text[start:end] for start, end in pairwise(self["path_ends"].tolist())]

    def oid(self, file: int) -> str:
        """Return the object id of a file's content; "" for one that was not read."""
        return str(self["oid"][file].tobytes().hex())

    def language(self, file: int) -> str:
        """Return the language of a file; "" for an unknown one."""
        return str(self.meta["languages"][int(self["language"][file])])

    def reason(self, file: int) -> str:
        """Return the reason why a file is not searched; "" for one that is."""
        return str(self.meta["reasons"][int(self["reason"][file])])

    def skipped(self, reason: str) -> np.ndarray:
        """Return a mask of the files that are not searched for this reason: bool (files)."""
        reasons = self.meta["reasons"]
        number = reasons.index(reason) if reason in reasons else len(reasons)
        return np.asarray(self["reason"] == number)

    def chunk(self, row: int) -> ChunkRow:
        """Return the fields of a chunk row."""
        first = int(self["chunk_first_line"][row])
        return ChunkRow(
            int(self["chunk_file"][row]),
            first,
            first + int(self["chunk_more_lines"][row]),
            int(self["chunk_scope"][row]),
            int(self["chunk_symbol"][row]),
        )

    def symbol(self, row: int) -> SymbolRow:
        """Return the fields of a symbol row."""
        names = ("file", "first", "last", "start", "body")
        return SymbolRow(*(int(self[f"symbol_{name}"][row]) for name in names))

    def symbols_of(self, file: int) -> range:
        """Return the symbol rows of a file, in order of position."""
        (start,), (end,) = runs_of(self["symbol_file"], np.asarray([file]))
        return range(int(start), int(end))

    def qualified(self, symbol: int) -> str:
        """Return the qualified name of a symbol row."""
        return self._text("symbol", symbol).decode("utf-8", "replace")

    def name(self, symbol: int) -> str:
        """Return the name of a symbol row: the last part of its qualified name."""
        size = int(self["symbol_name_size"][symbol])
        return self._text("symbol", symbol)[-size:].decode("utf-8", "replace") if size else ""

    def kind(self, symbol: int) -> str:
        """Return the kind of a symbol row."""
        return self._text("kind", int(self["symbol_kind"][symbol])).decode()

    def _text(self, what: str, i: int) -> bytes:
        # a binary search asks often: plain memory answers in a third of the time of an array
        if what not in self._texts:
            self._texts[what] = self[f"{what}_text"].data, self[f"{what}_ends"].data
        text, ends = self._texts[what]
        return text[ends[i] : ends[i + 1]].tobytes()

    def term_text(self, term: int) -> str:
        """Return the text of a term."""
        return self._text("term", term).decode()

    def term(self, text: str) -> int:
        """Return the number of a term, or -1."""
        # the legs of a search ask for the same words
        number = self._known.get(text)
        if number is None:
            if len(self._known) == _REMEMBERED:
                self._known.clear()
            terms = range(len(self["term_ends"]) - 1)
            # a name as typed may hold bytes that are no text, which no term does
            wanted = text.encode("utf-8", "surrogateescape")
            number = position(terms, wanted, self._term_bytes)
            self._known[text] = number
        return number

    def numbers(self, texts: Sequence[str]) -> list[int]:
        """Return the numbers of many terms, -1 for those that are none."""
        known = self._known
        if len(texts) > _REMEMBERED // 2:
            return self.sought(texts)
        new = [text for text in texts if text not in known]
        if new:
            if len(known) + len(new) > _REMEMBERED:
                known.clear()
                new = list(texts)
            known.update(zip(new, self.sought(new), strict=True))
        return [known[text] for text in texts]

    def sought(self, texts: Sequence[str]) -> list[int]:
        """Return the same as `numbers`, of terms that are looked for and not remembered."""
        ends = self["term_ends"]
        count = len(ends) - 1
        if not count:
            return [_NO_TERM] * len(texts)
        if not self._has_heads:
            self._sought += len(texts)
            self._has_heads = self._sought * _FEW >= count
        wanted, heads, sizes = _wanted(tuple(texts))
        # most are told apart by their first bytes, which one search finds for all of them
        found, has_head = self._by_heads(heads) if self._has_heads else self._by_some_heads(heads)
        # of a term that is no longer than its head this says all but its length
        is_short = has_head & (sizes <= _HEAD) & (ends[found + 1] - ends[found] == sizes)
        numbers: list[int] = np.where(is_short, found, _NO_TERM).tolist()
        long = np.flatnonzero(has_head & (sizes > _HEAD))
        prepared, apart = (self._heads, 1) if self._has_heads else (self._some_heads, _APART)
        beyond = np.minimum(apart * np.searchsorted(prepared, heads[long], "right"), count)
        spans = zip(long.tolist(), found[long].tolist(), beyond.tolist(), strict=True)
        for i, low, end in spans:
            numbers[i] = position(range(low, end), wanted[i], self._term_bytes)
        return numbers

    def _by_heads(self, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first term with each head, any term if there is none, and if there is one."""
        found = np.searchsorted(self._heads[:-1], heads)
        return found, self._heads[found] == heads

    def _by_some_heads(self, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the same, by a binary search for all at once from those that are prepared on."""
        ends = self["term_ends"]
        found = _APART * np.maximum(np.searchsorted(self._some_heads, heads) - 1, 0)
        step = _APART
        while step:
            # the head of no term before is as high
            last = np.minimum(found + step, len(ends) - 1) - 1
            is_below = self._heads_of(ends[last], ends[last + 1]) < heads
            found = np.where(is_below, last + 1, found)
            step //= 2
        found = np.minimum(found, len(ends) - 2)
        return found, self._heads_of(ends[found], ends[found + 1]) == heads

    def spelt(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """Return the model's token ids of those texts that are terms here."""
        numbers = dict(zip(texts, self.numbers(texts), strict=True))
        known = {text: number for text, number in numbers.items() if number >= 0}
        rows = np.fromiter(known.values(), np.int64, len(known))
        ends, flat = reordered(self["token_ends"], self["token"], rows)
        tokens = flat.tolist()
        runs = (tokens[a:b] for a, b in pairwise(ends.tolist()))
        return dict(zip(known, runs, strict=True))

    @cached_property
    def _heads(self) -> np.ndarray:
        """Return the first bytes of each term as one number: uint64, ascending as the terms."""
        ends = self["term_ends"]
        return self._heads_of(ends[:-1], ends[1:])

    @cached_property
    def _some_heads(self) -> np.ndarray:
        """The same, of one in `_APART` terms, beginning with the first."""
        ends = self["term_ends"]
        return self._heads_of(ends[:-1:_APART], ends[1::_APART])

    def _heads_of(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Return the heads of terms by where their texts start and end: uint64."""
        text = self["term_text"]
        if len(text) < _HEAD:
            text = np.pad(text, (0, _HEAD))
        starts = starts.astype(np.int64)
        beyond = 8 * np.maximum(_HEAD - (ends - starts), 0).astype(np.uint64)
        at_each_byte = np.ndarray(len(text) - _HEAD + 1, ">u8", text, strides=(1,))
        # of the last terms fewer bytes follow: those before them are shifted out
        before = np.maximum(starts - (len(at_each_byte) - 1), 0)
        shifted = at_each_byte[starts - before] << (8 * before).astype(np.uint64)
        heads: np.ndarray = (shifted >> beyond << beyond).astype(np.uint64)
        return heads

    def prefixed(self, prefix: str) -> range:
        """Return the numbers of the terms that start with `prefix`."""
        start = prefix.encode()
        rows = range(len(self["term_ends"]) - 1)
        if self._has_heads:
            ends = (start[:_HEAD].ljust(_HEAD, pad) for pad in (b"\0", b"\xff"))
            low, high = (np.uint64(int.from_bytes(end, "big")) for end in ends)
            first = int(np.searchsorted(self._heads, low))
            rows = range(first, int(np.searchsorted(self._heads, high, "right")))
        # up to eight bytes the heads decide alone
        is_told = self._has_heads and len(start) <= _HEAD
        return rows if is_told else headed(rows, start, self._term_bytes)

    def postings(self, terms: np.ndarray) -> list[Occurrences]:
        """Return for each term the rows whose text or path has it, and how often each does.

        Rows are int64 and ascend; the others are float64, and whole numbers.
        """
        found = [[own] for own in postings.decoded(self.arrays, terms, self.chunks)]
        for i, runs in _runs_of(*self.in_paths(terms), self["file_chunk"]):
            found[i] = added(found[i], runs)
        out = []
        for parts in found:
            rows, often = (np.concatenate(each) for each in zip(*parts, strict=True))
            order = np.argsort(rows, kind="stable")
            out.append((rows[order], often[order].astype(np.float64)))
        return out

    def in_paths(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return where paths have some terms: positions in `terms`, files, how often each has it.

        All are int64. Positions ascend, and the files of each.
        """
        known, ends = self["path_term"], self["path_term_ends"]
        first, beyond = runs_of(known, terms)
        which = np.flatnonzero(first < beyond)
        starts = ends[first[which]].astype(np.int64)
        counts = ends[first[which] + 1] - starts
        places = gather(starts, counts)
        files = self["path_term_file"][places].astype(np.int64)
        often = self["path_term_tf"][places].astype(np.int64)
        return np.repeat(which, counts), files, often

    def tokens(self, term: int) -> list[int]:
        """Return the model's token ids of a term."""
        start, end = (int(i) for i in self["token_ends"][term : term + 2])
        ids: list[int] = self["token"][start:end].tolist()
        return ids

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        """Return vectors of chunk rows in half steps: int8 (len(rows), dims)."""
        if "vector" in self.arrays:
            return np.asarray(self["vector"][rows])
        assert self._rows is not None
        file = self._rows()
        wanted = self["row"][rows]
        if len(wanted) and int(wanted.max()) >= len(file):
            raise Damaged(str(self.meta["vectors"]), f"ends before row {int(wanted.max())}")
        steps = unpacked(vector_file.taken(file, wanted)["vector"])
        return steps[:, : self["path_vector"].shape[1]]

    def path_vectors(self, files: np.ndarray) -> np.ndarray:
        """Return vectors of the words of the paths of files: int8 (len(files), dims)."""
        return np.asarray(self["path_vector"][files])


def oid_heads(oids: np.ndarray) -> np.ndarray:
    """Return the first bytes of object ids (ids, bytes of one) as whole numbers: uint64 (ids)."""
    return np.ascontiguousarray(oids[:, :_HEAD]).view(np.uint64)[:, 0]


@lru_cache(maxsize=8)
def _wanted(texts: tuple[str, ...]) -> tuple[list[bytes], np.ndarray, np.ndarray]:
    """Return terms that are looked up in many segments as bytes, their heads, and their sizes.

    Heads are the first eight bytes as numbers, uint64; sizes are int64.
    """
    wanted = [text.encode("utf-8", "surrogateescape") for text in texts]
    heads = np.asarray(wanted, f"S{_HEAD}").view(">u8").astype(np.uint64)
    return wanted, heads, np.asarray(list(map(len, wanted)), np.int64)


def added(parts: Sequence[Occurrences], runs: _Runs) -> list[Occurrences]:
    """Add occurrences to those in parts that have no row in common, as the result has none.

    Rows ascend in each part, and the runs that are added.
    """
    starts, sizes, often = runs
    rows, times_of = gather(starts, sizes), np.repeat(often, sizes)
    # of rows, in order of the runs
    shifts = starts - offsets(sizes)[:-1]
    new = np.ones(len(rows), bool)
    out: list[Occurrences] = []
    for own, times in parts:
        low = np.searchsorted(own, starts)
        counts = np.searchsorted(own, starts + sizes) - low
        both = gather(low, counts)
        if len(both):
            at = own[both] - np.repeat(shifts, counts)
            new[at] = False
            # more than fit into a byte
            times = times.astype(np.float32)
            times[both] += times_of[at]
        if len(own):
            out.append((own, times))
    rows, times_of = (rows, times_of) if new.all() else (rows[new], times_of[new])
    return [*out, (rows, times_of)] if len(rows) else out


def _runs_of(
    which: np.ndarray, files: np.ndarray, often: np.ndarray, ends: np.ndarray
) -> Iterator[tuple[int, _Runs]]:
    """Yield for each term, by their numbers, which ascend, the rows of files that have it.

    ends: the first row of each file, and the number of rows.
    """
    starts = ends[files].astype(np.int64)
    sizes = ends[files + 1] - starts
    if not sizes.all():
        some = sizes > 0
        which, starts, sizes, often = (own[some] for own in (which, starts, sizes, often))
    bounds = np.flatnonzero(np.diff(which, prepend=-1)).tolist()
    for low, high in pairwise([*bounds, len(which)]):
        yield int(which[low]), (starts[low:high], sizes[low:high], often[low:high])


# A segment, and the file rows that it takes from each segment below it.
Layer = tuple[Segment, list[np.ndarray]]


def removal_arrays(removed: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays of the rows that a segment takes from those below it."""
    return {
        "removed": np.concatenate([np.zeros(0, np.uint32), *removed]),
        "removed_ends": offsets([len(rows) for rows in removed]),
    }


def removals(file: Sections) -> list[np.ndarray]:
    """Return the rows of `removal_arrays` in a file, by segment. Raises Damaged without them."""
    return [file["removed"][a:b] for a, b in pairwise(file["removed_ends"].tolist())]


def live_masks(layers: Sequence[Layer]) -> list[np.ndarray]:
    """Return a mask for each segment, bool (files): true where no later one takes the file."""
    live = [np.ones(segment.files, bool) for segment, _ in layers]
    for _, removed in layers:
        for mask, rows in zip(live, removed, strict=False):
            mask[rows] = False
    return live


def row_of(segment: Segment, path: bytes) -> int:
    """Return the file row of a path, or -1: a binary search."""
    return position(range(segment.files), path, segment.path)


class RestTerm(NamedTuple):
    """How many places and how many files have a term."""

    places: int
    files: int


_NOWHERE = RestTerm(0, 0)


class Rest(NamedTuple):
    """What is known of the files of a tree that a view lacks.

    Their number, about how many chunks they have, and the terms of a query in them. They are
    `pending`, unless git has told that they cannot matter.
    """

    files: int = 0
    chunks: int = 0
    terms: Mapping[str, RestTerm] = MappingProxyType({})
    pending: bool = True

    @classmethod
    def joined(cls, rests: Sequence[Rest]) -> Rest:
        """Return what is known of the files that several views lack."""
        terms: dict[str, RestTerm] = {}
        for rest in rests:
            for text, term in rest.terms.items():
                known = terms.get(text, _NOWHERE)
                terms[text] = RestTerm(known.places + term.places, known.files + term.files)
        return cls(
            sum(rest.files for rest in rests),
            sum(rest.chunks for rest in rests),
            terms,
            any(rest.files and rest.pending for rest in rests),
        )

    def term(self, text: str) -> RestTerm:
        """Return how many places and files have a term, as far as that is known."""
        return self.terms.get(text, _NOWHERE)


NO_REST = Rest()


class Remembered:
    """Numbers by terms, of those that were asked for last."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], int] = {}

    def get(self, terms: tuple[str, ...], number: Callable[[], int]) -> int:
        """Return the number that is remembered, or the one that is worked out."""
        if terms not in self._known:
            if len(self._known) == _REMEMBERED:
                self._known.clear()
            self._known[terms] = number()
        return self._known[terms]


@dataclass(frozen=True)
class View:
    """Segments with masks of their live files, those that belong to the tree.

    rest: the files of the tree that were left for later. repositories: of a view of several trees
    the number of that of each segment, ascending; () if it has one tree. described: the words of
    descriptions of the first segments; None for one without.
    """

    segments: tuple[Segment, ...]
    live_files: tuple[np.ndarray, ...]
    model: Model
    rest: Rest = NO_REST
    repositories: tuple[int, ...] = ()
    described: tuple[DescribedWords | None, ...] = ()

    @classmethod
    def joined(cls, views: Sequence[View]) -> View:
        """Return one view of the trees of several, whose vectors are of the same model.

        Its rows are those of the views, in their order. Statistics are those of all of them.
        """
        if len(views) == 1:
            return views[0]
        return cls(
            tuple(segment for view in views for segment in view.segments),
            tuple(live for view in views for live in view.live_files),
            views[0].model,
            Rest.joined([view.rest for view in views]),
            tuple(i for i, view in enumerate(views) for _ in view.segments),
            tuple(view.words_beside(i) for view in views for i in range(len(view.segments))),
        )

    def words_beside(self, number: int) -> DescribedWords | None:
        """Return the words of descriptions of a segment; None if it has none."""
        return self.described[number] if number < len(self.described) else None

    def with_same_tree(self, number: int) -> range:
        """Return the numbers of the segments of the tree that a segment is of."""
        if not self.repositories:
            return range(len(self.segments))
        own = self.repositories[number]
        return range(bisect_left(self.repositories, own), bisect_right(self.repositories, own))

    @property
    def live_segments(self) -> Iterable[tuple[Segment, np.ndarray]]:
        """Return each segment with its mask: bool (files)."""
        return zip(self.segments, self.live_files, strict=True)

    @cached_property
    def starts(self) -> np.ndarray:
        """Return the first row number of each segment, and the total: int64 (segments + 1)."""
        return offsets([segment.chunks for segment in self.segments])

    @cached_property
    def file_starts(self) -> list[int]:
        """Return the first file number of each segment, and the total."""
        starts: list[int] = offsets([segment.files for segment in self.segments]).tolist()
        return starts

    @cached_property
    def live(self) -> np.ndarray:
        """Return a mask of the rows whose file belongs to the tree: bool (rows)."""
        out = np.ones(int(self.starts[-1]), bool)
        for i, (segment, live) in enumerate(self.live_segments):
            if not self.whole[i]:
                part = slice(self.starts[i], self.starts[i + 1])
                out[part] = np.repeat(live, segment.file_sizes)
        return out

    def occurrences(self, texts: Sequence[str]) -> list[list[Occurrences]]:
        """Return for each term the live rows whose text, path or description has it, in parts.

        No row is in two parts of a term. To merge them would take longer than to read them. They
        are remembered: nobody writes to them.
        """
        return self._term_occurrences.of(texts, self._occurrences)

    @cached_property
    def _term_occurrences(self) -> view_terms.TermOccurrences:
        return view_terms.TermOccurrences()

    def _occurrences(self, texts: Sequence[str]) -> list[list[Occurrences]]:
        numbers = self.numbers(texts)
        lists: list[list[postings.Encoded]] = [[] for _ in texts]
        each = zip(self.segments, numbers.T, self.starts.tolist(), strict=False)
        for segment, own, start in each:
            known = np.flatnonzero(own >= 0)
            encoded = postings.encoded_lists(segment.arrays, own[known], segment.chunks, start)
            for i, one in zip(known.tolist(), encoded, strict=True):
                lists[i].append(one)
        found = postings.together(lists)
        # a word of a path, or of a description, counts as one of the text
        for i, runs in _runs_of(*self._in_paths(numbers), self.file_ends):
            found[i] = added(found[i], runs)
        for words, start in zip(self.described, self.starts.tolist(), strict=False):
            if words is None:
                continue
            for i, text in enumerate(texts):
                rows, often = words.postings(text)
                found[i] = added(found[i], (rows + start, np.ones_like(rows), often))
        return [self._live_parts(parts) for parts in found] if len(self._dead) else found

    def _in_paths(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions of terms with the files whose paths have them, and how often: ascending."""
        each = []
        for segment, own, start in zip(self.segments, numbers.T, self.file_starts, strict=False):
            known = np.flatnonzero(own >= 0)
            which, files, often = segment.in_paths(own[known])
            each.append((known[which], files + start, often))
        which, files, often = (np.concatenate(columns) for columns in zip(*each, strict=True))
        # of each segment they are in this order already
        order = np.argsort(which, kind="stable")
        return which[order], files[order], often[order]

    def numbers(self, texts: Sequence[str]) -> np.ndarray:
        """Return the number of each term in each segment, or -1: int64 (texts, segments)."""
        return self._term_numbers.of(texts)

    @cached_property
    def _term_numbers(self) -> view_terms.TermNumbers:
        return view_terms.TermNumbers(self.segments)

    def _live_parts(self, parts: Sequence[Occurrences]) -> list[Occurrences]:
        """The same without the rows that are not live."""
        dead = self._dead
        kept: list[Occurrences] = []
        for rows, often in parts:
            if len(dead) * _SEARCHED < len(rows):
                places = np.searchsorted(rows[:-1], dead)
                gone = places[rows[places] == dead]
                if len(gone):
                    rows, often = np.delete(rows, gone), np.delete(often, gone)
            else:
                live = self.live[rows]
                rows, often = rows[live], often[live]
            if len(rows):
                kept.append((rows, often))
        return kept

    @cached_property
    def _dead(self) -> np.ndarray:
        """The rows that are not live: int64, ascending."""
        return np.flatnonzero(~self.live)

    @cached_property
    def lengths(self) -> np.ndarray:
        """Return the number of terms of each row: whole numbers (rows,)."""
        return _concatenated([segment["length"] for segment in self.segments])

    @cached_property
    def _oid_heads(self) -> np.ndarray:
        """The first bytes of the object id of each file as whole numbers: uint64 (files,)."""
        return _concatenated([oid_heads(segment["oid"]) for segment in self.segments])

    def files_of(self, blob: bytes) -> list[int]:
        """Return the numbers of the files with a blob, by its id; ascending."""
        head = oid_heads(np.frombuffer(blob, np.uint8)[None])
        alike = np.flatnonzero(self._oid_heads == head[0]).tolist()
        located = ((number, *self.file(number)) for number in alike)
        return [
            number for number, segment, file in located if segment["oid"][file].tobytes() == blob
        ]

    @cached_property
    def files_with(self) -> Remembered:
        """Counts of the files that have any of some terms, of those that were asked for."""
        return Remembered()

    @cached_property
    def longest(self) -> int:
        """Return the most terms that a row has."""
        return int(self.lengths.max(initial=0))

    @cached_property
    def file_ends(self) -> np.ndarray:
        """Return the first row of each file, and the number of rows: int64 (files + 1)."""
        return offsets(_concatenated([segment.file_sizes for segment in self.segments]))

    @cached_property
    def whole(self) -> tuple[bool, ...]:
        """Return for each segment True if all of its files are live."""
        return tuple(bool(live.all()) for live in self.live_files)

    @cached_property
    def count(self) -> int:
        """Return the number of chunks of the tree."""
        return int(np.count_nonzero(self.live))

    @cached_property
    def total_length(self) -> int:
        """Return the number of terms of all live chunks together."""
        total = 0
        for i, segment in enumerate(self.segments):
            total += int(segment.meta["length"])
            if not self.whole[i]:
                dead = ~self.live[self.starts[i] : self.starts[i + 1]]
                total -= int(segment["length"][dead].sum(dtype=np.int64))
        return total

    @cached_property
    def nonempty_files(self) -> int:
        """Return the number of live files with terms."""
        return sum(
            int(np.count_nonzero(segment["file_length"] * live))
            for segment, live in self.live_segments
        )

    def lengths_of(self, numbers: np.ndarray) -> np.ndarray:
        """Return the number of terms of live files, by their numbers: int64."""
        out = np.zeros(len(numbers), np.int64)
        for i, inside, where in self._split(numbers, self.file_starts):
            out[where] = self.segments[i]["file_length"][inside]
        return out

    @cached_property
    def terms(self) -> int:
        """Return the number of distinct terms of all segments, also in files that are not live."""
        texts: set[bytes] = set()
        for segment in self.segments:
            whole, ends = segment["term_text"].tobytes(), segment["term_ends"].tolist()
            texts.update(whole[a:b] for a, b in pairwise(ends))
        return len(texts)

    def locate(self, row: int) -> tuple[Segment, int]:
        """Return the segment of a row and the row within it."""
        i = int(np.searchsorted(self.starts, row, side="right")) - 1
        return self.segments[i], row - int(self.starts[i])

    def column(self, name: str, rows: np.ndarray) -> np.ndarray:
        """Return values of a per-chunk array of whole numbers for many rows: int64."""
        out = np.zeros(len(rows), np.int64)
        for i, inside, where in self._split(rows, self.starts):
            out[where] = self.segments[i][name][inside]
        return out

    def _split(
        self, numbers: np.ndarray, starts: Sequence[int] | np.ndarray
    ) -> Iterable[tuple[int, np.ndarray, np.ndarray | slice]]:
        """Yield each segment with its rows (or files) among `numbers`, and their positions."""
        if (numbers[1:] >= numbers[:-1]).all():
            ends = np.searchsorted(numbers, starts).tolist()
            for i, (low, high) in enumerate(pairwise(ends)):
                if low < high:
                    yield i, numbers[low:high] - int(starts[i]), slice(low, high)
            return
        which = np.searchsorted(starts, numbers, side="right") - 1
        order = np.argsort(which, kind="stable")
        ends = np.searchsorted(which[order], np.arange(len(self.segments) + 1)).tolist()
        for i, (low, high) in enumerate(pairwise(ends)):
            if low < high:
                where = order[low:high]
                yield i, numbers[where] - int(starts[i]), where

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        """Return vectors of many rows in half steps: int8 (len(rows), dims)."""
        out = np.zeros((len(rows), self.model.dims), np.int8)
        for i, inside, where in self._split(rows, self.starts):
            out[where] = self.segments[i].vectors(inside)
        return out

    def path_vectors(self, numbers: np.ndarray) -> np.ndarray:
        """Return vectors of the words of the paths of files, by their numbers: as `vectors`."""
        out = np.zeros((len(numbers), self.model.dims), np.int8)
        for i, inside, where in self._split(numbers, self.file_starts):
            out[where] = self.segments[i].path_vectors(inside)
        return out

    def files(self, rows: np.ndarray) -> np.ndarray:
        """Return the file number of each row, unique across segments: int64."""
        out = np.zeros(len(rows), np.int64)
        for i, inside, where in self._split(rows, self.starts):
            out[where] = self.segments[i]["chunk_file"][inside].astype(np.int64)
            out[where] += self.file_starts[i]
        return out

    def file(self, number: int) -> tuple[Segment, int]:
        """Return the segment of a file number and the file row within it."""
        i = bisect_right(self.file_starts, number) - 1
        return self.segments[i], number - self.file_starts[i]

    def tokens(self, words: Sequence[str]) -> list[int]:
        """Return token ids of lower-case words: from the segments, else from the tokeniser."""
        out: list[int] = []
        for word in words:
            for segment in self.segments:
                term = segment.term(word)
                if term >= 0:
                    out.extend(segment.tokens(term))
                    break
            else:
                out.extend(self.model.tokens([word])[0])
        return out

    def each_file(self) -> Iterable[tuple[Segment, int]]:
        """Return segment and file row of all live files, by path."""
        files = [
            (segment.path(row), i, row)
            for i, (segment, live) in enumerate(self.live_segments)
            for row in np.flatnonzero(live).tolist()
        ]
        for _, i, row in sorted(files):
            yield self.segments[i], row

    def find(self, path: bytes) -> tuple[Segment, int] | None:
        """Return segment and file row of a live path, or None: a binary search in each segment."""
        for segment, live in self.live_segments:
            row = row_of(segment, path)
            if row >= 0 and live[row]:
                return segment, row
        return None

    def coverage(self) -> Coverage:
        """Return how much of the tree is searchable, and the reasons for the rest."""
        return self._coverage

    @cached_property
    def _coverage(self) -> Coverage:
        counts: Counter[str] = Counter()
        for segment, live in self.live_segments:
            sizes = np.bincount(segment["reason"][live], minlength=len(segment.meta["reasons"]))
            for reason, size in zip(segment.meta["reasons"], sizes, strict=True):
                counts[reason] += int(size)
        counts["pending" if self.rest.pending else ""] += self.rest.files
        searchable = counts.pop("", 0)
        pending = counts.pop("pending", 0)
        skipped = {reason: size for reason, size in sorted(counts.items()) if size}
        for reason in ("binary", "generated", "too-large", "unreadable", "absent"):
            skipped.setdefault(reason, 0)
        tracked = searchable + pending + sum(skipped.values())
        return Coverage(tracked, searchable, dict(sorted(skipped.items())), pending)


def _concatenated(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def rows_of(segment: Segment, paths: Sequence[bytes]) -> np.ndarray:
    """Return the rows of files of a segment, of the paths that it has: uint32, ascending."""
    rows = (row_of(segment, path) for path in paths)
    return np.asarray(sorted(row for row in rows if row >= 0), np.uint32)
