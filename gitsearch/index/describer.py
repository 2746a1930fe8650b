"""The run that has chunks described by a command of the user's: in the background, and bounded.

Chunks of the program come before those of tests and documents. What a run does not reach is done
by the next one.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.errors import Busy
from gitsearch.extract import path_kinds
from gitsearch.git import blobs, filter_command
from gitsearch.index import described_files
from gitsearch.index.descriptions import MOST_SAID, Descriptions, key_of, line_of, name_of
from gitsearch.index.view import live_masks
from gitsearch.store import layout, lock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.git.filter_command import Configured
    from gitsearch.git.repo import Repo
    from gitsearch.index.session import Session
    from gitsearch.index.view import Segment
    from gitsearch.index.view_store import ViewStore

_SETTING = "search.describeCommand"

# Seconds of one call, calls and seconds of one run.
CALL_SECONDS = 20.0
RUN_CALLS, RUN_SECONDS = 1000, 300.0
# A command that fails so often in a row is broken: the run ends.
_FAILURES = 5


class Described(NamedTuple):
    """How often a run called the command, and how often in vain; why it called it no more."""

    calls: int = 0
    failed: int = 0
    said: str = ""


def configured(repo: Repo) -> Configured:
    """Return the command that describes code, or why the one that is set is not run."""
    return filter_command.configured(repo, _SETTING)


def describe(session: Session, trees: Sequence[str]) -> Described:
    """Describe the chunks of the views of trees, unless another process is at it."""
    store = session.store
    if not session.settings.describe_command:
        return Described()
    command, refusal = configured(session.repo)
    if not command:
        return Described(said=refusal)
    with contextlib.suppress(Busy), lock.alone(store.folder, layout.DESCRIBER, 0.0):
        run = _Run(session.repo, store, command)
        for tree in trees:
            run.describe(tree)
        return Described(run.calls, run.failed, run.said)
    return Described(said="another process describes code")


class _Chunk(NamedTuple):
    segment: int
    row: int
    text: bytes


class _Run:
    def __init__(self, repo: Repo, store: ViewStore, command: str) -> None:
        self._repo = repo
        self._store = store
        self._command = command
        self._kept = Descriptions(store.folder)
        self._deadline = time.monotonic() + RUN_SECONDS
        self._in_a_row = 0
        self.calls = self.failed = 0
        self.said = ""

    def describe(self, tree: str) -> None:
        """Describe the chunks of a tree's view, and keep the words beside it."""
        name = name_of(self._command)
        layers = self._store.load(tree) or []
        segments = [segment for segment, _ in layers]
        known = [described_files.load(self._store, segment, name) for segment in segments]
        undone = [i for i, words in enumerate(known) if words is None or words.pending]
        if not undone:
            return
        masks = live_masks(layers)
        if self._kept.full:
            self._make_room(segments, masks)
        lines: list[dict[int, str]] = [{} for _ in segments]
        pending = [0] * len(segments)
        for i, row, text in _chunks(self._repo, segments, masks, undone):
            line = self._line(text)
            if line is None:
                pending[i] += 1
            elif line:
                lines[i][row] = line
        for i in undone:
            # what is never to be described must not start a run at each search
            left = 0 if self._kept.full else pending[i]
            described_files.keep(self._store, segments[i], name, lines[i], left)

    def _line(self, text: bytes) -> str | None:
        """Return the description of a chunk, "" for none; None if it is left for another run."""
        key = key_of(self._command, text)
        line = self._kept.get(key)
        if line is not None or self._stopped():
            return line
        self.calls += 1
        said = filter_command.answer(self._command, text, seconds=CALL_SECONDS, most=MOST_SAID)
        line = None if said is None else line_of(said)
        self._in_a_row = self._in_a_row + 1 if line is None else 0
        self.failed += line is None
        self._kept.add(key, line or "")
        return line or ""

    def _stopped(self) -> bool:
        """Return True if the command is called no more in this run, and note the reason."""
        if self._kept.full:
            self.said = "as many descriptions are kept as may be"
        elif self._in_a_row >= _FAILURES:
            self.said = f"the command failed {_FAILURES} times in a row"
        elif self.calls >= RUN_CALLS or time.monotonic() > self._deadline:
            self.said = "the rest is left for the next run"
        return bool(self.said)

    def _make_room(self, segments: Sequence[Segment], masks: Sequence[np.ndarray]) -> None:
        """Drop the descriptions of all chunks that a tree does not have."""
        every = _chunks(self._repo, segments, masks, range(len(segments)))
        self._kept.keep_only({key_of(self._command, text): None for _, _, text in every})


def _chunks(
    repo: Repo,
    segments: Sequence[Segment],
    masks: Sequence[np.ndarray],
    among: Sequence[int],
) -> Iterator[_Chunk]:
    """Yield the live chunks of some segments: those of the program first, then by path."""
    files = [(i, file) for i in among for file in np.flatnonzero(masks[i]).tolist()]
    order = sorted(files, key=lambda one: _rank(segments[one[0]].path(one[1])))
    by_blob: dict[str, list[tuple[int, int]]] = {}
    for i, file in order:
        if segments[i].file_sizes[file]:
            by_blob.setdefault(segments[i].oid(file), []).append((i, file))
    for oid, data in blobs.read_blobs(repo, list(by_blob)):
        for i, file in by_blob[oid]:
            if data is None:
                continue
            low, high = segments[i]["file_chunk"][file : file + 2].tolist()
            starts = segments[i]["chunk_start"][low:high].tolist()
            sizes = segments[i]["chunk_size"][low:high].tolist()
            for row, start, size in zip(range(low, high), starts, sizes, strict=True):
                yield _Chunk(i, row, data[start : start + size])


def _rank(path: bytes) -> tuple[bool, bytes]:
    return bool(path_kinds.noise(path)), path
