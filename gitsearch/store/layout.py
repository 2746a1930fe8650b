"""Names under .git/search/, and how a file there is replaced."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from gitsearch.errors import Unwritable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FOLDER = "search"
RECORD = "index.duckdb"
VIEWS = "views"
VECTORS = "vectors-"
GRAPH = ".graph"
SHAPE = ".shape"
LOCK = "lock"
SEAL = "seal"
PENDING = "pending"
WORKER = "worker.lock"
LOG = "worker.log"
TEMPORARY = ".tmp"
# What is made of nothing and does not matter to an answer.
BESIDE = frozenset({"README", "CACHEDIR.TAG", LOCK, SEAL})

_README = """\
The index of `git search`: derived from the repository, safe to delete, rebuilt when missing.
index.duckdb  facts of each blob (readable with DuckDB: git search sql)
vectors-*     one vector a chunk, 8 bits a dimension
views/        arrays compiled for one tree each, who imports whom there, and ranks of that
seal          which files were checked, and how they looked then
lock          held by the one writer
pending       a hook has asked for a run in the background; worker.lock is held by it
worker.log    what such runs did
"""

# https://bford.info/cachedir/
_CACHEDIR = "Signature: 8a477f597d28d172789f06886806bc55\n# git search index, safe to delete\n"


def vectors_name(fingerprint: str, generation: str) -> str:
    """The file with the vectors of one model, by the chunk ids of one record."""
    return f"{VECTORS}{fingerprint}-{generation}.i8"


def prepare(folder: Path) -> None:
    """Make the folder with the files that explain it; raises Unwritable."""
    try:
        if (folder / VIEWS).is_file():
            (folder / VIEWS).unlink()
        (folder / VIEWS).mkdir(parents=True, exist_ok=True)
        for name, text in (("README", _README), ("CACHEDIR.TAG", _CACHEDIR)):
            if not (folder / name).exists():
                (folder / name).write_text(text)
    except OSError as error:
        raise Unwritable(f"cannot write '{folder}': {error.strerror}") from error


def replace(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a file under a temporary name, flush it to disk and rename it into place.

    A crash leaves the old file or the new one. Raises Unwritable.
    """
    temporary = path.with_name(f"{path.name}.{os.urandom(4).hex()}{TEMPORARY}")
    try:
        with temporary.open("xb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise Unwritable(f"cannot write '{path}': {error.strerror}") from error


def files(folder: Path) -> list[tuple[str, int]]:
    """Names relative to the folder and sizes in bytes of all files there, sorted."""
    found = []
    for parent, _, names in os.walk(folder):  # passes over what another process has just removed
        for name in names:
            path = Path(parent, name)
            with contextlib.suppress(OSError):
                found.append((path.relative_to(folder).as_posix(), path.stat().st_size))
    return sorted(found)


def remove(path: Path) -> None:
    """Remove what stands under one of our names, whatever it is; raises OSError."""
    if path.is_dir() and not path.is_symlink():
        from shutil import rmtree  # with its compressors it would take 3 ms of each search

        rmtree(path)
    else:
        path.unlink(missing_ok=True)


def leftovers(folder: Path) -> list[Path]:
    """What a killed writer left: files and folders on their way, also those of DuckDB beside."""
    return sorted([*folder.glob(f"*{TEMPORARY}*"), *(folder / VIEWS).glob(f"*{TEMPORARY}")])


def sweep(folder: Path) -> None:
    """Remove what a killed writer left; the caller holds the lock. Raises Unwritable."""
    try:
        for path in leftovers(folder):
            remove(path)
    except OSError as error:
        raise Unwritable(f"cannot write '{folder}': {error.strerror}") from error


@contextlib.contextmanager
def swept(folder: Path) -> Iterator[None]:
    """Leave nothing that is only half made, neither of others nor of this block."""
    sweep(folder)
    try:
        yield
    finally:
        with contextlib.suppress(Unwritable):
            sweep(folder)


def adopt(source: Path, target: Path) -> None:
    """Rename a file that was made elsewhere into its place; raises Unwritable."""
    try:
        if target.is_dir():
            remove(target)
        source.replace(target)
    except OSError as error:
        raise Unwritable(f"cannot write '{target}': {error.strerror}") from error
