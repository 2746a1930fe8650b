"""`git search`, also as `python -m gitsearch`."""

# compiled into Python, so that nothing is loaded before Ctrl-C is dealt with
import _signal  # type: ignore[import-not-found]


def main() -> None:
    """Run the command line and leave with its exit code.

    Until there is work to end in order, Ctrl-C ends the process by the signal, without a word.
    """
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    from gitsearch.process import run

    run()


if __name__ == "__main__":
    main()
