"""Forked children: one for a single answer, or several that answer in parallel; any may die.

A child is forked and never started as a program of its own: a new interpreter looks for modules
in the current folder first, and that is the repository.
"""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import resource
import signal
import threading
import warnings
from collections import deque
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gitsearch.settings import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

Task = TypeVar("Task")
Answer = TypeVar("Answer")

# Address space, in bytes, that a child may take for a task beyond what it has. Real files stay
# below 300 MB, and hostile ones below 500 where they are parsed at all.
MEMORY = 1 << 30

# The variable of the environment that says how many processors a part of a larger work has.
PROCESSORS = "SEARCH_INDEX_PROCESSORS"

# More than any machine has.
_MOST_PROCESSORS = 4096

# The program says Ctrl-C again with an alarm, see gitsearch/process.py.
_HELD_BACK = (signal.SIGINT, signal.SIGALRM)


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Hold Ctrl-C back until the end of the block; threads other than the main one get none.

    A blocked signal would not do: the kernel gives it to another thread, and Python to this one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: dict[int, None] = {}
    before = [
        signal.signal(number, lambda number, _: came.setdefault(number)) for number in _HELD_BACK
    ]
    try:
        yield
    finally:
        for number, handler in zip(_HELD_BACK, before, strict=True):
            signal.signal(number, handler)
        for signal_number in came:
            signal.raise_signal(signal_number)


def limit(seconds: int) -> None:
    """End this child if it takes more memory than any real text, or more processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime) + seconds)
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
    except OSError:
        pages = 0  # the system does not say how much address space a process has
    _lower(resource.RLIMIT_AS, pages * resource.getpagesize() + MEMORY)


def _lower(kind: int, limit: int) -> None:
    """Set the soft limit of this process, as far as the hard one and the system let it."""
    with contextlib.suppress(ValueError, OSError):
        hard = resource.getrlimit(kind)[1]
        unlimited = hard == resource.RLIM_INFINITY
        resource.setrlimit(kind, (limit if unlimited else min(limit, hard), hard))


# ---------------------------------------------------------------- one child


def forked(function: Callable[[Task], Answer], task: Task) -> tuple[Answer | None, float]:
    """Call a function in a forked child, which takes 5 ms more; returns what `ended` does."""
    return ended(*started(function, task))


def started(function: Callable[[Task], Answer], task: Task) -> tuple[int, int]:
    """Start a child; returns its id, and the end of the pipe from which its answer comes."""
    # a pipe and no more: to import multiprocessing takes longer than to extract a small file
    reader, writer = os.pipe()

    def work() -> None:
        os.close(reader)  # or a child whose parent was killed would wait for it for ever
        with os.fdopen(writer, "wb") as out:
            pickle.dump(function(task), out, pickle.HIGHEST_PROTOCOL)

    child = _fork(work)
    os.close(writer)
    return child, reader


def ended(child: int, reader: int) -> tuple[Any, float]:
    """Return a child's answer, None if it died, and the processor time it took, in seconds."""
    answer = None
    try:
        with (
            os.fdopen(reader, "rb") as file,
            contextlib.suppress(EOFError, pickle.UnpicklingError),
        ):
            answer = pickle.load(file)
    finally:
        used = os.wait4(child, 0)[2]
    return answer, used.ru_utime + used.ru_stime


def _fork(work: Callable[[], None]) -> int:
    """Fork a child that does some work, says nothing on stderr, and ends; returns its id.

    A native parser that gives up would write a message of a C library there. Ctrl-C comes after
    the fork, not in the hooks around it, which would swallow it. Other threads of this process are
    those of numpy, of git's pipes, of DuckDB and of the pool below; a child uses nothing that one
    of them may have locked.
    """
    with held_back(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
        if child == 0:
            # nothing that happens here, Ctrl-C included, may go on to the code of the parent
            try:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                _lower(resource.RLIMIT_CORE, 0)
                os.dup2(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC), 2)
                work()
            finally:
                os._exit(0)
    return child


# ---------------------------------------------------------------- several children


class _Worker(Generic[Task, Answer]):
    """A child that answers one task after the other, until its pipe is closed."""

    def __init__(
        self, function: Callable[[Task], Answer], others: Sequence[_Worker[Task, Answer]]
    ) -> None:
        """`others` are workers whose pipes the child must not keep open."""
        tasks_out, tasks_in = os.pipe()
        answers_out, answers_in = os.pipe()
        self._tasks = os.fdopen(tasks_in, "wb")
        self._answers = os.fdopen(answers_out, "rb")
        self.dead = False

        def work() -> None:
            # by number: to close the files would write what a thread of the parent has begun
            for worker in (self, *others):
                os.close(worker._tasks.fileno())
                os.close(worker._answers.fileno())
            with os.fdopen(tasks_out, "rb") as tasks, os.fdopen(answers_in, "wb") as out:
                while True:
                    pickle.dump(function(pickle.load(tasks)), out, pickle.HIGHEST_PROTOCOL)
                    out.flush()

        self._child = _fork(work)
        os.close(tasks_out)
        os.close(answers_in)

    def ask(self, task: Task) -> Answer | None:
        """Return the answer to a task; None if the child did not survive it."""
        answer: Answer | None = None
        try:
            pickle.dump(task, self._tasks, pickle.HIGHEST_PROTOCOL)
            self._tasks.flush()
            answer = pickle.load(self._answers)
        except (OSError, EOFError, pickle.UnpicklingError):
            self.dead = True
        return answer

    def kill(self) -> None:
        """Stop the child, whatever it is doing."""
        os.kill(self._child, signal.SIGKILL)

    def end(self) -> None:
        """Wait for the child, which was stopped; no thread may ask it any more."""
        os.waitpid(self._child, 0)
        for pipe in (self._tasks, self._answers):
            with contextlib.suppress(OSError):  # what is still to be written has no reader
                pipe.close()


class _Pool(Generic[Task, Answer]):
    """Workers that are forked now, before a pipe of git or a thread of ours is open.

    Each is asked by one thread at a time; only the caller's thread forks.
    """

    def __init__(self, function: Callable[[Task], Answer], size: int) -> None:
        from concurrent.futures import ThreadPoolExecutor
        from queue import SimpleQueue

        self._function = function
        self._workers: list[_Worker[Task, Answer]] = []
        self._idle: SimpleQueue[_Worker[Task, Answer]] = SimpleQueue()
        self._over = False
        for _ in range(size):
            self._add()
        self._threads = ThreadPoolExecutor(size)

    def submit(self, task: Task) -> Future[Answer | None]:
        """Return the future answer, which is None if its worker does not survive the task."""
        return self._threads.submit(self._ask, task)

    def replace(self) -> None:
        """Fork new workers for those that have died."""
        dead = [worker for worker in self._workers if worker.dead]
        self._workers = [worker for worker in self._workers if not worker.dead]
        for worker in dead:
            worker.kill()
            worker.end()
            self._add()

    def end(self) -> None:
        """End all workers, whatever they are doing."""
        self._over = True
        for worker in self._workers:
            worker.kill()
            self._idle.put(worker)  # for a thread that waits for one
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.end()

    def _add(self) -> None:
        worker = _Worker(self._function, self._workers)
        self._workers.append(worker)
        self._idle.put(worker)

    def _ask(self, task: Task) -> Answer | None:
        worker = self._idle.get()
        answer = worker.ask(task)
        if self._over or not worker.dead:
            self._idle.put(worker)
        return answer


def processors() -> int:
    """Return how many children may work at once, on the processors that this task may use."""
    asked = whole_number(os.environ.get(PROCESSORS) or "0", 1, _MOST_PROCESSORS)
    return min(asked or _MOST_PROCESSORS, os.cpu_count() or 1)


def nothing() -> None:
    """Do nothing else while children are at work."""


def parallel(
    function: Callable[[Task], Answer],
    retried: Callable[[Task], Answer],
    work: Iterator[Task],
    meanwhile: Callable[[], object] = nothing,
) -> Iterator[Answer]:
    """Yield the answers in order; `retried` answers for a task that took its process down.

    meanwhile: called once, while the children do their first tasks.
    """
    workers = processors()
    pool = _Pool(function, workers)
    waiting: deque[tuple[Task, Future[Answer | None]]] = deque()

    def submit() -> None:
        for task in islice(work, workers + 2 - len(waiting)):
            waiting.append((task, pool.submit(task)))

    try:
        submit()
        meanwhile()
        while waiting:
            task, future = waiting.popleft()
            answer = future.result()
            if answer is None:
                pool.replace()
                answer = retried(task)
            yield answer
            submit()
    finally:
        pool.end()
