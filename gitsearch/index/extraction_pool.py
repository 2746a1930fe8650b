"""Facts of many blobs, extracted in child processes, in order; one bad file stops nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import accumulate, pairwise
from math import ceil
from operator import add
from typing import TypeVar

from gitsearch.index import child_processes
from gitsearch.index.fact_columns import BlobKey, FactColumns, KnownParses, extract_columns

Batch = list[tuple[BlobKey, bytes]]
Key = TypeVar("Key")
Data = TypeVar("Data", bytes, bytes | None)
Answer = TypeVar("Answer")

# Bytes of text a worker gets at once: large enough to hide the exchange, small enough that
# batches in flight stay below some tens of megabytes.
BATCH_BYTES = 1 << 20
BATCH_FILES = 512

# Processor time, in seconds for each BATCH_BYTES begun: the last resort against a parser that does
# not come to an end. A batch takes about one; a file whose batch failed is tried alone for less.
BATCH_SECONDS = 10
FILE_SECONDS = 5

# Processor time for all batches of a run that fail, tried once more. After that, batches that fail
# are cut by lines whole.
FAILED_SECONDS = 60.0

# Below this much text starting processes costs more than it saves.
ALONE_BYTES = 3 << 20

# As much text as is extracted while the queries of a language are prepared: 2 to 300 ms, of many
# languages about 30.
PREPARED_BYTES = 128 << 10

# Two children pay where the slower one has so much less to do than one alone would have.
SPARED_BYTES = 32 << 10


def batches(blobs: Iterable[tuple[Key, Data]]) -> Iterator[list[tuple[Key, Data]]]:
    """Group blobs, or whatever stands for their keys, by size and number."""
    batch: list[tuple[Key, Data]] = []
    size = 0
    for key, data in blobs:
        batch.append((key, data))
        size += len(data or b"")
        if size >= BATCH_BYTES or len(batch) >= BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def extracted(
    blobs: Iterable[tuple[BlobKey, bytes]],
    total_bytes: int,
    known: KnownParses | None = None,
    meanwhile: Callable[[], object] = child_processes.nothing,
) -> Iterator[FactColumns]:
    """Yield the facts of each batch of blobs in order: of small jobs by one child at a time.

    Nothing is parsed of which the result is `known`, unless a child dies of it. `meanwhile` is
    called once, before the first answer, while the children are at work if there are any.
    """
    retried = partial(_retried, budget=_Budget())
    if known is None:
        return _answers(extract_columns, retried, blobs, total_bytes, meanwhile)
    extract = partial(extract_columns, known=known)
    return _answers(extract, partial(_parsed, retried=retried), blobs, total_bytes, meanwhile)


def _parsed(batch: Batch, retried: Callable[[Batch], FactColumns]) -> FactColumns:
    """Extract a batch that a child did not survive with known results of parsing."""
    whole = partial(_within, BATCH_SECONDS, extract_columns)
    return child_processes.forked(whole, batch)[0] or retried(batch)


def each(
    function: Callable[[BlobKey, bytes], Answer],
    blobs: Iterable[tuple[BlobKey, bytes]],
    total_bytes: int,
    meanwhile: Callable[[], object] = child_processes.nothing,
) -> Iterator[Answer | None]:
    """Yield a function's answer for each blob in order; None where its process dies of it.

    `meanwhile` is called once, while the children are at work if there are any.
    """

    def every(batch: Batch) -> list[Answer | None]:
        return [function(key, data) for key, data in batch]

    retried = partial(_one_by_one, every, budget=_Budget())
    for answers in _answers(every, retried, blobs, total_bytes, meanwhile):
        yield from answers


def _answers(
    function: Callable[[Batch], Answer],
    retried: Callable[[Batch], Answer],
    blobs: Iterable[tuple[BlobKey, bytes]],
    total_bytes: int,
    meanwhile: Callable[[], object] = child_processes.nothing,
) -> Iterator[Answer]:
    whole = partial(_within, BATCH_SECONDS, function)
    if total_bytes >= ALONE_BYTES:
        yield from child_processes.parallel(whole, retried, batches(blobs), meanwhile)
        return
    small = list(batches(blobs))
    first = [child_processes.started(whole, batch) for batch in small[:1]]
    try:
        meanwhile()
    finally:
        answers = [child_processes.ended(*child)[0] for child in first]
    for batch in small:
        answer = answers.pop() if answers else child_processes.forked(whole, batch)[0]
        yield answer or retried(batch)


def extract_in_parallel(batch: Batch, meanwhile: Callable[[], object]) -> list[FactColumns]:
    """Return the facts of a batch by language, of two parts at the same time if that pays.

    `meanwhile` is called while the children are at work.
    """
    budget = _Budget()
    whole = partial(_within, BATCH_SECONDS, extract_columns)
    parts = _parts(batch) if child_processes.processors() > 1 else [batch]
    children = [child_processes.started(whole, part) for part in parts]
    meanwhile()
    answers = [child_processes.ended(*child)[0] for child in children]
    return [answer or _retried(part, budget) for answer, part in zip(answers, parts, strict=True)]


def _parts(batch: Batch) -> list[Batch]:
    """Sort a batch by language and cut it in two where the slower part is quickest, if it pays.

    Each part prepares the queries of its languages, which often takes longer than all the rest.
    """
    ordered = sorted(batch, key=lambda blob: blob[0].hint)
    hints = [key.hint for key, _ in ordered]
    prepared = [0 if a == b else PREPARED_BYTES for a, b in pairwise(["", *hints])]
    sizes = (len(data) for _, data in ordered)
    *before, whole = accumulate(map(add, sizes, prepared), initial=0)
    slower = [
        max(left, whole - left + PREPARED_BYTES - more)
        for left, more in zip(before[1:], prepared[1:], strict=True)
    ]
    if whole - min(slower, default=whole) < SPARED_BYTES:
        return [ordered]
    cut = slower.index(min(slower)) + 1
    return [ordered[:cut], ordered[cut:]]


# ---------------------------------------------------------------- files that fail


class _Budget:
    """Processor time, in seconds, that one run still has for batches that fail."""

    def __init__(self) -> None:
        self.left = FAILED_SECONDS


def _retried(batch: Batch, budget: _Budget) -> FactColumns:
    """Extract a batch that a child did not survive: files that fail are cut by lines."""
    before = budget.left
    parsed = _one_by_one(lambda blob: [bool(extract_columns(blob))], batch, budget)
    fatal = frozenset(key.oid for (key, _), lives in zip(batch, parsed, strict=True) if not lives)
    # those that passed take as long once more, together
    seconds = BATCH_SECONDS + ceil(before - budget.left)
    again = partial(_within, seconds, partial(extract_columns, unparsed=fatal))
    columns, spent = child_processes.forked(again, batch)
    budget.left -= spent
    return columns or extract_columns(batch, frozenset(key.oid for key, _ in batch))


def _one_by_one(
    function: Callable[[Batch], list[Answer | None]], batch: Batch, budget: _Budget
) -> list[Answer | None]:
    """Ask for each file in a child of its own: None where it dies, or the budget is spent."""
    answers: list[Answer | None] = []
    for blob in batch:
        answer = None
        if budget.left > 0:
            alone = partial(_within, FILE_SECONDS, function)
            answer, spent = child_processes.forked(alone, [blob])
            budget.left -= spent
        answers += answer or [None]
    return answers


def _within(seconds: int, function: Callable[[Batch], Answer], batch: Batch) -> Answer:
    """Call a function in a child, with so many seconds for each BATCH_BYTES begun."""
    pieces = 1 + sum(len(data) for _, data in batch) // BATCH_BYTES
    child_processes.limit(seconds * pieces)
    return function(batch)
