"""Calls that the main thread answers one after the other, and that other threads can cancel.

Only on the main thread does Python let a signal end what runs, and only from there does the index
fork. A call that is cancelled while it is answered ends as a command does at Ctrl-C.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

from gitsearch.interrupts import importing

if TYPE_CHECKING:
    from types import FrameType

Answer = TypeVar("Answer")


class Call(Generic[Answer]):
    """A call that waits for its answer; of one that ends without, that is CancelledError.

    work: makes the answer, on the main thread.
    """

    def __init__(self, work: Callable[[], Answer]) -> None:
        self.work = work
        self.answer: Future[Answer] = Future()
        self.is_cancelled = False


class Calls(Generic[Answer]):
    """The calls of one server, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[Call[Answer] | None] = SimpleQueue()
        self._running: Call[Answer] | None = None
        # calls for which the main thread has been sent a signal that it has not handled yet
        self._signalled: deque[Call[Answer]] = deque()

    # ------------------------------------------------------------ the main thread

    @contextmanager
    def cancelling(self) -> Iterator[None]:
        """Let the interrupts that are sent for a call end that call, and others the program."""
        before = signal.getsignal(signal.SIGINT)

        def interrupt(number: int, frame: FrameType | None) -> None:
            signalled = []
            with suppress(IndexError):
                while True:
                    signalled.append(self._signalled.popleft())
            if not signalled:
                if callable(before):
                    before(number, frame)
            elif self._running in signalled and not importing(frame):
                raise KeyboardInterrupt

        signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            if signal.getsignal(signal.SIGINT) is interrupt:
                signal.signal(signal.SIGINT, before)

    def answer(self) -> None:
        """Answer calls until `end`. Raises what `work` of a call raises that is not cancelled."""
        while (call := self._waiting.get()) is not None:
            if call.answer.set_running_or_notify_cancel():
                self._answer(call)

    def _answer(self, call: Call[Answer]) -> None:
        try:
            self._running = call
            answer = call.work()
            self._running = None
        except BaseException as error:
            self._running = None
            call.answer.set_exception(asyncio.CancelledError())
            if not (call.is_cancelled and isinstance(error, KeyboardInterrupt)):
                raise
        else:
            call.answer.set_result(answer)

    # ------------------------------------------------------------ any thread

    def add(self, work: Callable[[], Answer]) -> Call[Answer]:
        """Have a call answered when those before it are."""
        call = Call(work)
        self._waiting.put(call)
        return call

    def cancel(self, call: Call[Answer]) -> None:
        """End a call, if it is answered now; one that still waits is not begun."""
        call.is_cancelled = True
        if not call.answer.cancel() and self._running is call:
            self._signalled.append(call)
            main = threading.main_thread().ident
            assert main is not None
            signal.pthread_kill(main, signal.SIGINT)

    def end(self) -> None:
        """Let `answer` return, whatever it is doing."""
        self._waiting.put(None)
        if (call := self._running) is not None:
            self.cancel(call)
