"""A view: one tree as a few immutable segments, with what later ones replace left out.

The first segment may be shared by many trees; the next hold what differs, the last one the dirty
files. Rows are numbered across segments: segment 0 first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.features.ragged import gather, headed, offsets, position, reordered
from gitsearch.index import postings
from gitsearch.reports.search import Coverage
from gitsearch.store import vector_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitsearch.features.embedding import Model
    from gitsearch.store.sections import Sections

# How many bytes of a term are compared at once.
_HEAD = 8

# Terms whose numbers are remembered: more than one question looks up.
_REMEMBERED = 4096

# Where there are so many terms for each that is looked up, to compare all of them takes longer.
_FEW = 256


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
        self,
        arrays: Any,
        meta: dict[str, Any],
        rows: Callable[[], np.ndarray] | None = None,
    ) -> None:
        """`arrays` is a mapping of names; `rows` opens the vector file when it is first needed."""
        self.arrays = arrays
        self.meta = meta
        self._rows = rows
        self._known: dict[str, int] = {}
        self._texts: dict[str, tuple[memoryview, memoryview]] = {}
        self.files = int(meta["files"])
        self.chunks = int(meta["chunks"])

    def __getitem__(self, name: str) -> np.ndarray:
        found: np.ndarray = self.arrays[name]
        return found

    @cached_property
    def file_sizes(self) -> np.ndarray:
        """Chunks of each file: int64 (files)."""
        return np.diff(self["file_chunk"].astype(np.int64))

    def line_spans(self, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
        """First and last lines (int64) of some chunks of one file, all up to its last.

        Lines between two chunks, which are not shown with either, belong to the first of them.
        """
        starts = self["chunk_first_line"][low:high].astype(np.int64)
        ends = starts + self["chunk_more_lines"][low:high]
        ends[:-1] = np.maximum(ends[:-1], starts[1:] - 1)
        ends[-1:] = np.iinfo(np.int64).max
        return starts, ends

    def ready(self) -> None:
        """Open the vector file now; raises Damaged where it is missing or bad."""
        if self._rows is not None and self.chunks:
            self._rows()

    def path(self, file: int) -> bytes:
        """The path of a file row."""
        return self._text("path", file)

    def oid(self, file: int) -> str:
        """The object id of a file's content; "" of one that was not read."""
        found: bytes = self["oid"][file].tobytes()
        return found.hex()

    def language(self, file: int) -> str:
        """The language of a file; "" for one of an unknown language."""
        return str(self.meta["languages"][int(self["language"][file])])

    def reason(self, file: int) -> str:
        """The reason why a file is not searched; "" for one that is."""
        return str(self.meta["reasons"][int(self["reason"][file])])

    def skipped(self, reason: str) -> np.ndarray:
        """One bool a file: the files that are not searched for this reason."""
        reasons = self.meta["reasons"]
        if reason not in reasons:
            return np.zeros(self.files, bool)
        skipped: np.ndarray = self["reason"] == reasons.index(reason)
        return skipped

    def chunk(self, row: int) -> ChunkRow:
        """The fields of a chunk row."""
        first = int(self["chunk_first_line"][row])
        return ChunkRow(
            int(self["chunk_file"][row]),
            first,
            first + int(self["chunk_more_lines"][row]),
            int(self["chunk_scope"][row]),
            int(self["chunk_symbol"][row]),
        )

    def symbol(self, row: int) -> SymbolRow:
        """The fields of a symbol row."""
        names = ("file", "first", "last", "start", "body")
        return SymbolRow(*(int(self[f"symbol_{name}"][row]) for name in names))

    def symbols_of(self, file: int) -> range:
        """The symbol rows of a file, in order of position."""
        low, high = np.searchsorted(self["symbol_file"], [file, file + 1]).tolist()
        return range(low, high)

    def qualified(self, symbol: int) -> str:
        """The qualified name of a symbol row."""
        return self._text("symbol", symbol).decode("utf-8", "replace")

    def name(self, symbol: int) -> str:
        """The name of a symbol row: the last part of its qualified name."""
        size = int(self["symbol_name_size"][symbol])
        return self._text("symbol", symbol)[-size:].decode("utf-8", "replace") if size else ""

    def kind(self, symbol: int) -> str:
        """The kind of a symbol row."""
        return self._text("kind", int(self["symbol_kind"][symbol])).decode()

    def _text(self, what: str, i: int) -> bytes:
        # a binary search asks often: plain memory answers in a third of the time of an array
        if what not in self._texts:
            self._texts[what] = self[f"{what}_text"].data, self[f"{what}_ends"].data
        text, ends = self._texts[what]
        return text[ends[i] : ends[i + 1]].tobytes()

    def term_text(self, term: int) -> str:
        """The text of a term."""
        return self._text("term", term).decode()

    def term(self, text: str) -> int:
        """The number of a term, or -1."""
        # the legs of a search ask for the same words
        number = self._known.get(text)
        if number is None:
            if len(self._known) == _REMEMBERED:
                self._known.clear()
            number = self._term(text.encode(), 0, len(self["term_ends"]) - 1)
            self._known[text] = number
        return number

    def _term(self, wanted: bytes, low: int, end: int) -> int:
        """The same among the terms from `low` to before `end`: a binary search."""
        return position(range(low, end), wanted, partial(self._text, "term"))

    def numbers(self, texts: Sequence[str]) -> list[int]:
        """The numbers of many terms, -1 for those that are none."""
        if len(texts) * _FEW < len(self["term_ends"]):
            return list(map(self.term, texts))
        wanted = [text.encode() for text in texts]
        heads = np.asarray(wanted, f"S{_HEAD}").view(">u8").astype(np.uint64)
        # most are told apart by their first bytes, which one search finds for all of them
        lows = np.searchsorted(self._heads, heads, "left").tolist()
        ends = np.searchsorted(self._heads, heads, "right").tolist()
        return list(map(self._term, wanted, lows, ends))

    def spelt(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """The model's token ids of those of many texts that are terms here."""
        found = self.numbers(texts)
        numbers = np.asarray([number for number in found if number >= 0], np.int64)
        upto, flat = reordered(self["token_ends"], self["token"], numbers)
        tokens = flat.tolist()
        runs = (tokens[a:b] for a, b in pairwise(upto.tolist()))
        known = (text for text, number in zip(texts, found, strict=True) if number >= 0)
        return dict(zip(known, runs, strict=True))

    @cached_property
    def _heads(self) -> np.ndarray:
        """The first bytes of each term as one number: uint64, ascending as the terms are."""
        ends = self["term_ends"].astype(np.int64)
        text = np.concatenate([self["term_text"], np.zeros(_HEAD, np.uint8)])
        at_each_byte = np.ndarray(len(text) - _HEAD + 1, ">u8", text, strides=(1,))
        beyond = 8 * np.maximum(_HEAD - np.diff(ends), 0).astype(np.uint64)
        found: np.ndarray = at_each_byte[ends[:-1]] >> beyond << beyond
        return found.astype(np.uint64)

    def prefixed(self, prefix: str) -> range:
        """The numbers of the terms that start with `prefix`."""
        return headed(len(self["term_ends"]) - 1, prefix.encode(), partial(self._text, "term"))

    def postings(self, term: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows (int64, ascending) whose text or path has a term, and how often: int64."""
        rows, often = postings.decoded(self.arrays, term, self.chunks)
        known = self["path_term"]
        at = int(np.searchsorted(known, term))
        if at == len(known) or known[at] != term:
            return rows, often.astype(np.int64)
        start, end = (int(i) for i in self["path_term_ends"][at : at + 2])
        files = self["path_term_file"][start:end]
        sizes = self.file_sizes[files]
        total = np.zeros(self.chunks, np.uint16)
        total[gather(self["file_chunk"][files].astype(np.int64), sizes)] = np.repeat(
            self["path_term_tf"][start:end], sizes
        )
        total[rows] += often
        rows = np.flatnonzero(total != 0)
        return rows, total[rows].astype(np.int64)

    def tokens(self, term: int) -> list[int]:
        """The model's token ids of a term."""
        start, end = (int(i) for i in self["token_ends"][term : term + 2])
        found: list[int] = self["token"][start:end].tolist()
        return found

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        """Vectors of chunk rows in whole steps: int8 (len(rows), dims)."""
        if "vector" in self.arrays:
            inline: np.ndarray = self["vector"][rows]
            return inline
        assert self._rows is not None
        file = self._rows()
        wanted = self["row"][rows]
        if len(wanted) and int(wanted.max()) >= len(file):
            raise Damaged(str(self.meta["vectors"]), f"ends before row {int(wanted.max())}")
        taken: np.ndarray = vector_file.taken(file, wanted)["vector"]
        return taken

    def path_vectors(self, files: np.ndarray) -> np.ndarray:
        """The same of the words of the paths of files."""
        taken: np.ndarray = self["path_vector"][files]
        return taken


# A segment, and the file rows that it takes from each segment below it.
Layer = tuple[Segment, list[np.ndarray]]


def removal_arrays(removed: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays that keep which rows a segment takes from those below it."""
    return {
        "removed": np.concatenate([np.zeros(0, np.uint32), *removed]),
        "removed_ends": offsets([len(rows) for rows in removed]),
    }


def removals(file: Sections) -> list[np.ndarray]:
    """The rows of `removal_arrays` in a file, by segment; raises Damaged without them."""
    return [file["removed"][a:b] for a, b in pairwise(file["removed_ends"].tolist())]


def live_masks(layers: Sequence[Layer]) -> list[np.ndarray]:
    """One bool a file of each segment: whether no later one takes it."""
    live = [np.ones(segment.files, bool) for segment, _ in layers]
    for _, removed in layers:
        for mask, rows in zip(live, removed, strict=False):
            mask[rows] = False
    return live


def row_of(segment: Segment, path: bytes) -> int:
    """The file row of a path, or -1: a binary search."""
    return position(range(segment.files), path, segment.path)


@dataclass(frozen=True)
class View:
    """Segments with masks of their live files; everything a ranking may look at."""

    segments: tuple[Segment, ...]
    live_files: tuple[np.ndarray, ...]
    model: Model

    @property
    def live_segments(self) -> Iterable[tuple[Segment, np.ndarray]]:
        """Each segment with its mask: one bool a file, whether it belongs to the tree."""
        return zip(self.segments, self.live_files, strict=True)

    @cached_property
    def starts(self) -> np.ndarray:
        """The first row number of each segment, and the total."""
        return np.concatenate([[0], np.cumsum([s.chunks for s in self.segments])])

    @cached_property
    def file_starts(self) -> list[int]:
        """The first file number of each segment, and the total."""
        starts: list[int] = offsets([segment.files for segment in self.segments]).tolist()
        return starts

    @cached_property
    def live(self) -> np.ndarray:
        """One bool a row: whether its file belongs to the tree."""
        parts = [np.repeat(live, s.file_sizes) for s, live in self.live_segments]
        return np.concatenate(parts) if parts else np.zeros(0, bool)

    @cached_property
    def whole(self) -> tuple[bool, ...]:
        """Whether nothing of a segment is left out."""
        return tuple(bool(live.all()) for live in self.live_files)

    @cached_property
    def count(self) -> int:
        """Live chunks of the tree."""
        return int(np.count_nonzero(self.live))

    @cached_property
    def total_length(self) -> int:
        """Terms of all live chunks together."""
        total = 0
        for i, segment in enumerate(self.segments):
            total += int(segment.meta["length"])
            if not self.whole[i]:
                dead = ~self.live[self.starts[i] : self.starts[i + 1]]
                total -= int(segment["length"][dead].sum(dtype=np.int64))
        return total

    @cached_property
    def file_lengths(self) -> np.ndarray:
        """Terms of each file, 0 of those that are not live: int64 (files)."""
        parts = [np.zeros(0, np.int64)]
        for segment, live in self.live_segments:
            upto = np.concatenate([[0], np.cumsum(segment["length"], dtype=np.int64)])
            ends = segment["file_chunk"]
            parts.append((upto[ends[1:]] - upto[ends[:-1]]) * live)
        return np.concatenate(parts)

    @cached_property
    def terms(self) -> int:
        """Distinct terms of all segments, those of files that are left out included."""
        texts: set[bytes] = set()
        for segment in self.segments:
            whole, ends = segment["term_text"].tobytes(), segment["term_ends"].tolist()
            texts.update(whole[a:b] for a, b in pairwise(ends))
        return len(texts)

    def locate(self, row: int) -> tuple[Segment, int]:
        """The segment of a row and the row within it."""
        i = int(np.searchsorted(self.starts, row, side="right")) - 1
        return self.segments[i], row - int(self.starts[i])

    def column(self, name: str, rows: np.ndarray) -> np.ndarray:
        """Values of a per-chunk array of whole numbers for many rows: int64."""
        out = np.zeros(len(rows), np.int64)
        for i, inside, where in self._split(rows):
            out[where] = self.segments[i][name][inside]
        return out

    def _split(self, rows: np.ndarray) -> Iterable[tuple[int, np.ndarray, np.ndarray]]:
        which = np.searchsorted(self.starts, rows, side="right") - 1
        for i in range(len(self.segments)):
            where = np.flatnonzero(which == i)
            if len(where):
                yield i, rows[where] - int(self.starts[i]), where

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        """Vectors of many rows in whole steps: int8 (len(rows), dims)."""
        out = np.zeros((len(rows), self.model.dims), np.int8)
        for i, inside, where in self._split(rows):
            out[where] = self.segments[i].vectors(inside)
        return out

    def path_vectors(self, numbers: np.ndarray) -> np.ndarray:
        """The same of the words of the paths of files, by their numbers."""
        out = np.zeros((len(numbers), self.model.dims), np.int8)
        start = 0
        for segment in self.segments:
            here = (numbers >= start) & (numbers < start + segment.files)
            out[here] = segment.path_vectors(numbers[here] - start)
            start += segment.files
        return out

    def files(self, rows: np.ndarray) -> np.ndarray:
        """A number for the file of each row, unique across segments."""
        out = np.zeros(len(rows), np.int64)
        for i, inside, where in self._split(rows):
            out[where] = self.segments[i]["chunk_file"][inside].astype(np.int64)
            out[where] += self.file_starts[i]
        return out

    def file(self, number: int) -> tuple[Segment, int]:
        """The segment of a file number and the file row within it."""
        for segment in self.segments:
            if number < segment.files:
                return segment, number
            number -= segment.files
        raise IndexError(number)

    def tokens(self, words: Sequence[str]) -> list[int]:
        """Token ids of lower-case words: from the segments, else from the tokeniser."""
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
        """All live files, by path."""
        found = [
            (segment.path(int(i)), s, int(i))
            for s, (segment, live) in enumerate(self.live_segments)
            for i in np.flatnonzero(live)
        ]
        for _, s, i in sorted(found):
            yield self.segments[s], i

    def find(self, path: bytes) -> tuple[Segment, int] | None:
        """The live file of a path: a binary search in each segment."""
        for segment, live in self.live_segments:
            row = row_of(segment, path)
            if row >= 0 and live[row]:
                return segment, row
        return None

    def coverage(self) -> Coverage:
        """How much of the tree is searchable, and why the rest is not."""
        counts: dict[str, int] = {}
        for segment, live in self.live_segments:
            sizes = np.bincount(segment["reason"][live], minlength=len(segment.meta["reasons"]))
            for reason, size in zip(segment.meta["reasons"], sizes, strict=True):
                counts[reason] = counts.get(reason, 0) + int(size)
        searchable = counts.pop("", 0)
        pending = counts.pop("pending", 0)
        skipped = {reason: size for reason, size in sorted(counts.items()) if size}
        for reason in ("binary", "generated", "too-large", "unreadable", "absent"):
            skipped.setdefault(reason, 0)
        tracked = searchable + pending + sum(skipped.values())
        return Coverage(tracked, searchable, dict(sorted(skipped.items())), pending)
