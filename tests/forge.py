"""A process with everything imported that forks a child for each run: hundreds of runs in seconds.

The child is a real process with its own locks and files; it may be killed, and calls of its C
library may fail (see faults.c). Run as `python -m tests.forge` it reads orders from its input.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
QUERIES = ("pause before a failed request is sent again", "RetryPolicy", "max")

# Names of the calls that break_own has counted.
calls: list[str] = []


# ---------------------------------------------------------------- in the process that forks


def perform(order: dict[str, Any]) -> dict[str, Any]:
    """Do what a child is asked for, and say how it went."""
    from gitsearch.commands.gc import collect
    from gitsearch.commands.index import index
    from gitsearch.commands.search import search
    from gitsearch.commands.share import import_
    from gitsearch.commands.verify import verify
    from gitsearch.errors import SearchError
    from gitsearch.settings import SearchRequest
    from tests.unit.commands.asked import Listener, session

    path, at, listener = Path(order["path"]), order.get("at"), Listener()
    said: dict[str, Any] = {}
    try:
        if order["verb"] in ("index", "rebuild"):
            rebuild = order["verb"] == "rebuild"
            index(session(path, listener), at, rebuild=rebuild, dry_run=False)
        elif order["verb"] == "import":
            said["imported"] = import_(session(path, listener), order["file"])._asdict()
        elif order["verb"] == "gc":
            collect(session(path, listener))
        elif order["verb"] == "verify":
            said["problems"] = [list(one) for one in verify(session(path)).problems]
        else:
            said |= {"warnings": [], "each": []}
            for text in QUERIES:
                request = SearchRequest(text, max_count=20, at=at, explain=True)
                report = search(session(path, listener), request)
                digest = hashlib.blake2b(repr(report.results).encode(), digest_size=8).hexdigest()
                said["warnings"].extend(report.warnings)
                said["each"].append([report.tree.tree, report.tree.dirty, digest])
                said["coverage"] = repr(report.coverage)
                said["pending"] = report.coverage.pending
            said["tree"] = said["each"][-1][0]
            said["digest"] = " ".join(digest for _, _, digest in said["each"])
    except SearchError as error:
        said["error"] = [error.code, error.message]
    return {**said, "notes": listener.notes}


def tell(said: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


def small_steps() -> None:
    """Let few files fill a transaction, so that a small repository takes several."""
    from gitsearch.index import extraction_pool, facts_writer

    extraction_pool.BATCH_FILES, facts_writer._FLUSH_MOST = 8, 1


def child(order: dict[str, Any]) -> None:
    fault = order.get("fault")
    library = ctypes.CDLL(None) if fault else None
    if order.get("small_steps"):
        small_steps()
    if fault and library:
        library.fault_arm(os.fsencode(fault["folder"]), *fault["how"])
    if order.get("broken"):
        break_own(*order["broken"])
    said = perform(order)
    if library:
        # nothing may fail in what the test itself does
        said["calls"] = library.fault_count()
        library.fault_arm(b"/nowhere", 0, 0, 0)
    if order.get("broken"):
        said["calls"] = len(calls)
    tell(said)


def break_own(number: int, error: int) -> None:
    """Let one call of our own file operations fail, or end the process (error -1)."""
    from gitsearch.errors import Unwritable
    from gitsearch.store import sections, vector_file
    from gitsearch.store.facts_db import FactsDb

    calls[:] = []

    def breaking(original: Callable[..., Any], refusal: type[Exception]) -> Callable[..., Any]:
        @functools.wraps(original)
        def call(*args: Any, **options: Any) -> Any:
            calls.append(original.__name__)
            if len(calls) != number:
                return original(*args, **options)
            if error < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            said = (error,) if refusal is OSError else ()
            raise refusal(*said, f"cannot write: {os.strerror(error)}")

        return call

    places: list[tuple[Any, str, type[Exception]]] = [
        *((os, "fsync", OSError), (Path, "replace", OSError), (Path, "unlink", OSError)),
        *((FactsDb, "insert", Unwritable), (FactsDb, "set_meta", Unwritable)),
        *((vector_file, "append", Unwritable), (sections, "write", Unwritable)),
    ]
    for owner, name, refusal in places:
        setattr(owner, name, breaking(getattr(owner, name), refusal))


def main() -> None:
    """Fork for each order; a line with the end of the child follows what it said itself."""
    from tests.unit.commands.asked import warm_parsers

    warm_parsers()
    import duckdb  # noqa: F401

    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            code = 70
            try:
                os.chdir(order["path"])
                child(order)
                code = 0
            finally:
                if code:
                    import traceback

                    traceback.print_exc()
                os._exit(code)
        if "kill_after" in order:
            time.sleep(order["kill_after"])
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        tell({"end": os.waitstatus_to_exitcode(status)})


# ---------------------------------------------------------------- in the test


class Forge:
    """Gives orders to the process that forks."""

    def __init__(self, *, preload: Path | None = None) -> None:
        self._errors = os.memfd_create("errors")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.forge"],
            cwd=ROOT,
            env={**os.environ, **({"LD_PRELOAD": str(preload)} if preload else {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def run(self, verb: str, path: Path, **order: Any) -> dict[str, Any]:
        """One run; "end" is 0, or the negative number of the signal that ended it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"verb": verb, "path": str(path), **order}) + "\n")
        self._process.stdin.flush()
        said: dict[str, Any] = {}
        while "end" not in said:
            line = self._process.stdout.readline()
            assert line, self._complaints()
            # a child that was killed may have left half a line
            said |= json.loads(line[max(line.rfind('{"end"'), 0) :])
        assert said["end"] in (0, -signal.SIGKILL), self._complaints()
        return said

    def _complaints(self) -> str:
        size = os.fstat(self._errors).st_size
        return os.pread(self._errors, 4000, max(size - 4000, 0)).decode(errors="replace")

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()
        os.close(self._errors)


@contextmanager
def forging(*, preload: Path | None = None) -> Iterator[Forge]:
    """A forge for a while."""
    forge = Forge(preload=preload)
    try:
        yield forge
    finally:
        forge.close()


def compiled_shim(folder: Path) -> Path:
    """The library of faults.c; the test is skipped where there is no compiler."""
    library = folder / "faults.so"
    command: Sequence[str | Path] = (
        *("cc", "-shared", "-fPIC", "-o", library),
        *(ROOT / "tests" / "faults.c", "-ldl", "-lpthread"),
    )
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no C compiler")
    if done.returncode or sys.platform != "linux":
        pytest.skip(f"the faults cannot be compiled: {done.stderr[-200:]}")
    return library


if __name__ == "__main__":
    main()
