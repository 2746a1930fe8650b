"""Harvest many blobs in worker processes, in order; one bad file stops nobody."""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import signal
import sys
import warnings
from collections import deque
from functools import partial
from itertools import accumulate, islice, pairwise
from operator import add
from typing import TYPE_CHECKING, Any, TypeVar

from gitsearch.corpus.harvest import BlobKey, Harvest, harvest
from gitsearch.corpus.interrupts import held_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future, ProcessPoolExecutor

Batch = list[tuple[BlobKey, bytes]]
Task = TypeVar("Task")
Answer = TypeVar("Answer")


# Bytes of text a worker gets at once: large enough to hide the exchange, small enough that
# batches in flight stay below some tens of megabytes.
BATCH_BYTES = 1 << 20
BATCH_FILES = 512

# Address space of a child. Error recovery of tree-sitter needs memory quadratic in the nesting of
# hostile text (6 kB of `a=>` take 1.4 GB); real files stay below 300 MB.
MEMORY = 3 << 30

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


def harvests(blobs: Iterable[tuple[BlobKey, bytes]], total_bytes: int) -> Iterator[Harvest]:
    """The harvests of all blobs, in order; small jobs by one child, large ones by several."""
    yield from _answered(harvest, isolated, blobs, total_bytes)


def each(
    function: Callable[[BlobKey, bytes], Answer],
    blobs: Iterable[tuple[BlobKey, bytes]],
    total_bytes: int,
) -> Iterator[Answer | None]:
    """What a function says of each blob, in order; None where its process does not survive it."""
    task = partial(_each, function)
    for answers in _answered(task, partial(_each_isolated, task), blobs, total_bytes):
        yield from answers


def _each(function: Callable[[BlobKey, bytes], Answer], batch: Batch) -> list[Answer | None]:
    return [function(key, data) for key, data in batch]


def _each_isolated(
    task: Callable[[Batch], list[Answer | None]], batch: Batch
) -> list[Answer | None]:
    found = _forked(task, batch)
    if found is None:
        found = [one for blob in batch for one in _forked(task, [blob]) or [None]]
    return found


def _answered(
    function: Callable[[Batch], Answer],
    alone: Callable[[Batch], Answer],
    blobs: Iterable[tuple[BlobKey, bytes]],
    total_bytes: int,
) -> Iterator[Answer]:
    if total_bytes < ALONE_BYTES:
        yield from map(alone, list(batches(blobs)))
    else:
        yield from _parallel(function, alone, batches(blobs), os.cpu_count() or 1)


def mapped(
    function: Callable[[Task], Answer], tasks: Iterator[Task], total_bytes: int
) -> Iterator[Answer]:
    """The answers of a function that no content can kill, in order; large jobs in parallel."""
    if total_bytes < ALONE_BYTES:
        yield from map(function, tasks)
    else:
        yield from _parallel(function, function, tasks, os.cpu_count() or 1)


def shared_out(batch: Batch, meanwhile: Callable[[], None]) -> list[Harvest]:
    """The harvests of a batch by language, of two parts at the same time if that pays.

    `meanwhile` is called while the children are at work.
    """
    parts = _parts(batch) if (os.cpu_count() or 1) > 1 else [batch]
    started = [_started(harvest, part) for part in parts]
    meanwhile()
    found = [_ended(*child) for child in started]
    return [one or isolated(part) for one, part in zip(found, parts, strict=True)]


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


def isolated(batch: Batch) -> Harvest:
    """One harvest in a child process: no content takes this process down with it."""
    found = _forked(harvest, batch)
    if found is None:
        fatal = frozenset(key.oid for key, data in batch if not _forked(harvest, [(key, data)]))
        found = _forked(partial(harvest, unparsed=fatal), batch)
    return found or harvest(batch, frozenset(key.oid for key, _ in batch))


def _forked(function: Callable[[Batch], Answer], batch: Batch) -> Answer | None:
    """The answer of a forked child, None when the child died. 5 ms more than no child."""
    found: Answer | None = _ended(*_started(function, batch))
    return found


def _started(function: Callable[[Batch], Answer], batch: Batch) -> tuple[int, int]:
    """A child at work, and the end of the pipe from which its answer comes."""
    # a pipe and no more: to import multiprocessing takes longer than to extract a small file
    reader, writer = os.pipe()
    with _undisturbed():
        child = os.fork()
        if child == 0:
            # nothing that happens here, Ctrl-C included, may go on to the code of the parent
            try:
                _bounded()
                os.close(reader)  # or a child whose parent was killed would wait for it for ever
                with os.fdopen(writer, "wb") as out:
                    pickle.dump(function(batch), out, pickle.HIGHEST_PROTOCOL)
            finally:
                os._exit(0)
    os.close(writer)
    return child, reader


def _ended(child: int, reader: int) -> Any:
    """The answer of a child, None when it died."""
    try:
        with os.fdopen(reader, "rb") as file:
            found = pickle.load(file)
    except (EOFError, pickle.UnpicklingError):
        return None
    finally:
        os.waitpid(child, 0)
    return found


def _bounded() -> None:
    """Leave Ctrl-C to the main process, and memory beyond what any real text needs to others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(ValueError, OSError):  # where the system has no such limits
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))


def _parallel(
    function: Callable[[Task], Answer],
    alone: Callable[[Task], Answer],
    work: Iterator[Task],
    workers: int,
) -> Iterator[Answer]:
    """The answers in order; `alone` answers for a task that took its process down."""
    from concurrent.futures.process import BrokenProcessPool

    pool = _forked_pool(workers)
    waiting: deque[tuple[Task, Future[Answer]]] = deque()
    try:
        while True:
            for task in islice(work, workers + 2 - len(waiting)):
                waiting.append((task, _submitted(pool, function, task)))
            if not waiting:
                return
            task, future = waiting.popleft()
            try:
                yield future.result()
            except BrokenProcessPool:
                pool.shutdown(wait=False, cancel_futures=True)
                pool = _pool(workers)
                again = [(later, _submitted(pool, function, later)) for later, _ in waiting]
                waiting = deque(again)
                yield alone(task)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _submitted(
    pool: ProcessPoolExecutor, function: Callable[[Task], Answer], task: Task
) -> Future[Answer]:
    """The answer to come; a pool that has broken is noticed when its turn has come."""
    from concurrent.futures import Future
    from concurrent.futures.process import BrokenProcessPool

    try:
        return pool.submit(function, task)
    except BrokenProcessPool as broken:
        failed: Future[Answer] = Future()
        failed.set_exception(broken)
        return failed


def _forked_pool(workers: int) -> ProcessPoolExecutor:
    """Workers that are forked now, before a pipe of git or a thread of ours is open.

    They have our imports, which saves half a second against processes that start from nothing.
    """
    if sys.platform != "linux":
        return _pool(workers)
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(workers, context, initializer=_bounded)
    with _undisturbed():
        pool.submit(int)
    return pool


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Fork here: Ctrl-C comes later, not in the hooks around a fork, which would swallow it.

    Threads of this process are idle ones of numpy and git's pipes, which a child leaves be.
    """
    with held_back(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _pool(workers: int) -> ProcessPoolExecutor:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # forkserver: workers start from a process without threads, and import the parsers once
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["gitsearch.corpus.harvest"])
    return ProcessPoolExecutor(workers, context, initializer=_bounded)
