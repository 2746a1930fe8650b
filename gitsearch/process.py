"""The process of `git search`: how Ctrl-C ends it, and how it leaves."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from gitsearch.interrupts import importing

_INTERRUPTED = 130
# Seconds after which an interrupt that did not end the program comes again.
_AGAIN = 0.1
# New objects after which Python looks for garbage: a search makes 32,000, 700 is the usual number.
_YOUNG = 50_000


def _interrupt(_: int, frame: FrameType | None) -> None:
    """End the work in order; git passes Ctrl-C on, so that it comes twice."""
    # not SIG_IGN: of a second one that is under way already Python would say that it was ignored
    signal.signal(signal.SIGINT, _pass)
    signal.signal(signal.SIGALRM, _insist)
    signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
    _raise(frame)


def _pass(*_: object) -> None:
    """One interrupt is enough."""


def _insist(_: int, frame: FrameType | None) -> None:
    """Interrupt again where C code or a callback has dropped the exception, or after an import."""
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return  # it is on its way: what was done is being kept
        error = error.__context__
    _raise(frame)


def _raise(frame: FrameType | None) -> None:
    """Raise the interrupt; in an import wait until it comes again."""
    if not importing(frame):
        # not before: an alarm has to end a wait, but not what writes down the work that was done
        signal.siginterrupt(signal.SIGALRM, False)
        raise KeyboardInterrupt


def _unraisable(dropped: sys.UnraisableHookArgs) -> None:
    if not isinstance(dropped.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)


def run() -> None:
    """Run the command line and leave with its exit code.

    Ctrl-C is taken over where it would end the process: whoever ignores it goes on ignoring it.
    """
    try:
        if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
            signal.signal(signal.SIGINT, _interrupt)
            sys.unraisablehook = _unraisable
        import gc  # here, where a Ctrl-C is caught

        # modules are tens of thousands of objects, none of which becomes garbage
        gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
        # numpy would start a thread for each core, for products that take microseconds
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from gitsearch.cli import application

        code = application.run(sys.argv[1:])
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)
        code = _INTERRUPTED
    _leave(code)


def _leave(code: int) -> None:
    """End the process, if nothing else is at work in it, without freeing one object after another.

    That would take 40 ms after a search. A profiler or a debugger prints what it has at the end.
    """
    import atexit
    import threading
    from contextlib import suppress

    main = threading.main_thread()
    at_work = any(one is not main and not one.daemon for one in threading.enumerate())
    if at_work or sys.gettrace() or sys.getprofile():
        sys.exit(code)
    if signal.getsignal(signal.SIGINT) is _interrupt:
        signal.signal(signal.SIGINT, _pass)  # there is nothing left to interrupt
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        # closed, or never open
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)
