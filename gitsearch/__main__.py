"""`git search`, also as `python -m gitsearch`."""

from __future__ import annotations

import signal
import sys

_INTERRUPTED = 130


def _interrupt(*_: object) -> None:
    """The first Ctrl-C ends the work in order; git passes it on, so that it comes twice."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _insist(swallowed: sys.UnraisableHookArgs) -> None:
    """Interrupt again in a moment: a callback of a weak reference, say, drops exceptions."""
    if isinstance(swallowed.exc_value, KeyboardInterrupt):
        signal.signal(signal.SIGALRM, _interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.01)
    else:
        sys.__unraisablehook__(swallowed)


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupt)
            sys.unraisablehook = _insist
        from gitsearch.cli.application import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = _INTERRUPTED
    sys.exit(code)


if __name__ == "__main__":
    main()
