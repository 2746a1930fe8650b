"""Harvest many blobs in child processes, in order; one bad file stops nobody."""

from __future__ import annotations

import os
from functools import partial
from itertools import accumulate, pairwise
from math import ceil
from operator import add
from typing import TYPE_CHECKING, TypeVar

from gitsearch.index import child_processes
from gitsearch.index.fact_columns import BlobKey, FactColumns, extract_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Batch = list[tuple[BlobKey, bytes]]
Task = TypeVar("Task")
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


def batches(blobs: Iterable[tuple[BlobKey, bytes]]) -> Iterator[Batch]:
    """Group blobs by size and number."""
    batch: Batch = []
    size = 0
    for key, data in blobs:
        batch.append((key, data))
        size += len(data)
        if size >= BATCH_BYTES or len(batch) >= BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def extracted(blobs: Iterable[tuple[BlobKey, bytes]], total_bytes: int) -> Iterator[FactColumns]:
    """The harvests of all blobs, in order; small jobs by one child, large ones by several."""
    budget = _Budget()
    whole = partial(_within, BATCH_SECONDS, extract_columns)
    if total_bytes < ALONE_BYTES:
        for batch in list(batches(blobs)):
            yield child_processes.forked(whole, batch) or _retried(batch, budget)
    else:
        retried = partial(_retried, budget=budget)
        yield from child_processes.parallel(whole, retried, batches(blobs), os.cpu_count() or 1)


def each(
    function: Callable[[BlobKey, bytes], Answer],
    blobs: Iterable[tuple[BlobKey, bytes]],
    total_bytes: int,
) -> Iterator[Answer | None]:
    """A function's answer for each blob, in order; None where its process does not survive it."""
    budget = _Budget()
    every = partial(_each, function)
    whole = partial(_within, BATCH_SECONDS, every)
    if total_bytes < ALONE_BYTES:
        for batch in list(batches(blobs)):
            yield from child_processes.forked(whole, batch) or _one_by_one(every, batch, budget)
    else:
        retried = partial(_one_by_one, every, budget=budget)
        for answers in child_processes.parallel(
            whole, retried, batches(blobs), os.cpu_count() or 1
        ):
            yield from answers


def _each(function: Callable[[BlobKey, bytes], Answer], batch: Batch) -> list[Answer | None]:
    return [function(key, data) for key, data in batch]


def mapped(
    function: Callable[[Task], Answer], tasks: Iterator[Task], total_bytes: int
) -> Iterator[Answer]:
    """The answers of a function that no content can kill, in order; large jobs in parallel."""
    if total_bytes < ALONE_BYTES:
        yield from map(function, tasks)
    else:
        yield from child_processes.parallel(function, function, tasks, os.cpu_count() or 1)


def extract_in_parallel(batch: Batch, meanwhile: Callable[[], None]) -> list[FactColumns]:
    """The harvests of a batch by language, of two parts at the same time if that pays.

    `meanwhile` is called while the children are at work.
    """
    budget = _Budget()
    whole = partial(_within, BATCH_SECONDS, extract_columns)
    parts = _parts(batch) if (os.cpu_count() or 1) > 1 else [batch]
    started = [child_processes.started(whole, part) for part in parts]
    meanwhile()
    answers = [child_processes.ended(*child)[0] for child in started]
    return [answer or _retried(part, budget) for answer, part in zip(answers, parts, strict=True)]


def extract_isolated(batch: Batch) -> FactColumns:
    """One harvest in a child process: no content takes this process down with it."""
    return next(extracted(batch, 0), None) or extract_columns([])


def _parts(batch: Batch) -> list[Batch]:
    """A batch by language, cut in two where the slower part is quickest, or whole.

    Each part prepares the queries of its languages, which often takes longer than all the rest.
    """
    ordered = sorted(batch, key=lambda one: one[0].hint)
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
    """The harvest of a batch that a child did not survive: files that fail are cut by lines."""
    before = budget.left
    answers = _one_by_one(partial(_each, _parses), batch, budget)
    fatal = frozenset(
        key.oid for (key, _), answer in zip(batch, answers, strict=True) if answer is None
    )
    # those that passed take as long once more, together
    seconds = BATCH_SECONDS + ceil(before - budget.left)
    again = partial(_within, seconds, partial(extract_columns, unparsed=fatal))
    found, spent = child_processes.ended(*child_processes.started(again, batch))
    budget.left -= spent
    return found or extract_columns(batch, frozenset(key.oid for key, _ in batch))


def _parses(key: BlobKey, data: bytes) -> bool:
    """True, of a file over which no process dies."""
    extract_columns([(key, data)])
    return True


def _one_by_one(
    function: Callable[[Batch], list[Answer | None]], batch: Batch, budget: _Budget
) -> list[Answer | None]:
    """A function's answer for each file, in a child of its own; None where that dies.

    And for all that are left once the budget is spent.
    """
    answers: list[Answer | None] = []
    for blob in batch:
        found = None
        if budget.left > 0:
            found, seconds = child_processes.ended(
                *child_processes.started(partial(_within, FILE_SECONDS, function), [blob])
            )
            budget.left -= seconds
        answers += found or [None]
    return answers


def _within(seconds: int, function: Callable[[Batch], Answer], batch: Batch) -> Answer:
    """Call a function in a child, with so many seconds for each BATCH_BYTES begun."""
    pieces = 1 + sum(len(data) for _, data in batch) // BATCH_BYTES
    child_processes.limit(seconds * pieces)
    return function(batch)
