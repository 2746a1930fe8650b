"""`git search` with a command made up for a test: `program.py <behaviour> <words>...`."""

import os
import signal
import sys
import time
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType

from gitsearch.__main__ import main
from tests.unit.render.reports import RETRY, found


def few(*_):
    return found(RETRY)


def many(*_):
    return found(*(RETRY._replace(rank=n, path=f"file{n}.py") for n in range(1, 50_001)))


def nothing(*_):
    return found()


def bug(*_):
    return {"present": 1}["missing"]


def waits(session, _):
    session.progress.update("indexing", 1, 10, 100)
    time.sleep(0.4)
    session.progress.update("indexing", 2, 10, 200)
    os.write(1, b"waiting\n")
    time.sleep(60)


def interrupted(*_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)


def importing(*_):
    """Import a module that an interrupt would leave half loaded."""
    Path("half_loaded.py").write_text(
        "import os, signal\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "for _ in range(1000):\n"
        "    pass\n"
        "os.write(1, b'loaded whole')\n"
    )
    import_module("half_loaded")
    nothing: SimpleQueue[None] = SimpleQueue()
    nothing.get()


def modules(*_):
    """Print what has been imported until the command is called."""
    os.write(1, "\n".join(sorted(sys.modules)).encode())
    return found()


if __name__ == "__main__":
    stand_in = ModuleType("stand_in")
    vars(stand_in)["search"] = globals()[sys.argv.pop(1)]
    sys.modules["gitsearch.commands.search"] = stand_in
    main()
