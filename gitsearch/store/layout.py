"""Names of the files under .git/search/, and safe opening, replacing and removing of them.

The folder may have come from a stranger, with any kind of file under each of our names. Only
regular files are opened, no link is followed, and no call blocks.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from gitsearch.errors import Damaged, Unwritable
from gitsearch.git_conventions import is_object_id

FOLDER = "search"
RECORD = "index.duckdb"
VIEWS = "views"
VECTORS = "vectors-"
GRAPH = ".graph"
SHAPE = ".shape"
DEFINITIONS = ".definitions"
USES = ".uses"
LANDINGS = ".landings"
LOCK = "lock"
SEAL = "seal"
PENDING = "pending"
WORKER = "worker.lock"
BACKGROUND = "background.lock"
LOG = "worker.log"
DESCRIPTIONS = "descriptions"
COMPARED = "compared-"
DESCRIBER = "describe.lock"
TEMPORARY = ".tmp"
# Files that depend on no data and do not influence results.
BESIDE = frozenset({"README", "CACHEDIR.TAG", LOCK, SEAL})

_README = """\
The index of `git search`: derived from the repository, safe to delete, rebuilt when missing.
index.duckdb  facts of each blob (readable with DuckDB: git search sql)
vectors-*     one vector a chunk
views/        arrays compiled for one tree each, who imports and uses whom there, and ranks of that
seal          which files were checked, and how they looked then
lock          held by the one writer
pending       a hook has asked for a run in the background; worker.lock is held by it
worker.log    what such runs did
background.lock  held by the one process that a search has left behind to update the index
compared-*    git's own index, written anew so that git need not read files that it has compared
descriptions  what the command of search.describeCommand has said of chunks of code
describe.lock held by the one process that runs it
"""

# https://bford.info/cachedir/
_CACHEDIR = "Signature: 8a477f597d28d172789f06886806bc55\n# git search index, safe to delete\n"

# Without O_NONBLOCK, opening a pipe waits for its other end.
_OPEN_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK

# Errors of opening a link, a folder and a socket.
_NO_FILE = (errno.ELOOP, errno.EISDIR, errno.ENXIO)
_WRONG_KIND = "not a regular file"

_DIGITS = frozenset("0123456789abcdef")


def vectors_name(fingerprint: str, generation: str) -> str:
    """Return the name of the file with the vectors of one model for the chunks of one record."""
    return f"{VECTORS}{fingerprint}-{generation}.i4"


def _is_hex(text: str, length: int) -> bool:
    # patterns would take 0.3 ms of each search to compile
    return len(text) == length and _DIGITS.issuperset(text)


def is_kept(name: str) -> bool:
    """Return True if a name is that of a file that the program writes in the folder of views."""
    folder, _, file = name.partition("/")
    digest, _, rest = file.partition("-")
    recipe, _, kind = rest.partition(".")
    return folder == VIEWS and is_object_id(digest) and _is_hex(recipe, 8) and kind.isalnum()


def is_vectors(name: str) -> bool:
    """Return True if a name is that of a vector file."""
    with contextlib.suppress(Damaged):
        return bool(vectors_of(name))
    return False


def vectors_of(name: str) -> tuple[str, str]:
    """Return fingerprint and generation in a vector file's name. Raises Damaged for another."""
    fingerprint, _, generation = name[len(VECTORS) :].removesuffix(".i4").partition("-")
    sound = _is_hex(fingerprint, 16) and _is_hex(generation, 8)
    if not sound or name != vectors_name(fingerprint, generation):
        raise Damaged(name, "is not the name of a vector file")
    return fingerprint, generation


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise Unwritable, with this path, for an OSError in the block."""
    try:
        yield
    except OSError as error:
        raise Unwritable(f"cannot write '{path}': {error.strerror}") from error


def open_file(path: Path, flags: int) -> int:
    """Open one of our files, created with mode 0644 if the flags ask, and return its descriptor.

    Raises OSError, also if the name is that of anything but a regular file.
    """
    try:
        descriptor = os.open(path, flags | _OPEN_FLAGS, 0o644)
    except OSError as error:
        if error.errno in _NO_FILE:
            raise OSError(error.errno, _WRONG_KIND) from error
        raise
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, _WRONG_KIND)


def obstructed(path: Path) -> bool:
    """Return True if a path exists and is not a regular file."""
    with contextlib.suppress(OSError):
        return not stat.S_ISREG(path.lstat().st_mode)
    return False


def reader(path: Path, name: str) -> BinaryIO:
    """Open one of our files for reading; messages call it `name`.

    Raises FileNotFoundError, and Damaged if it is not a regular file or not readable.
    """
    try:
        return os.fdopen(open_file(path, os.O_RDONLY), "rb")
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise Damaged(name, f"cannot be read: {error.strerror}") from error


def content(path: Path, name: str, most: int) -> bytes:
    """Read a small file. Raises as `reader`, and Damaged if it has more than `most` bytes."""
    with reader(path, name) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise Damaged(name, f"has more than {most} bytes")
    return data


def matching(folder: Path, pattern: str) -> list[Path]:
    """Return the paths in a folder whose name matches a pattern; [] if it cannot be read."""
    with contextlib.suppress(OSError):
        return [path for path in folder.iterdir() if fnmatch.fnmatchcase(path.name, pattern)]
    return []


def exists(path: Path | str) -> bool:
    """Return True if a path exists, also as a dangling link; False if that cannot be told."""
    return os.path.lexists(path)


def guard(folder: Path) -> None:
    """Ensure that writes below the folder do not leave it. Raises Unwritable.

    A link or file in place of the folder itself may be intended and is not removed.
    """
    with writing(folder), contextlib.suppress(FileNotFoundError):
        if not stat.S_ISDIR(folder.lstat().st_mode):
            raise Unwritable(f"cannot write '{folder}': it is not a folder")
        if not stat.S_ISDIR((folder / VIEWS).lstat().st_mode):
            (folder / VIEWS).unlink()


def prepare(folder: Path) -> None:
    """Create the folder with its README and cache tag. Raises Unwritable."""
    guard(folder)
    with writing(folder):
        (folder / VIEWS).mkdir(parents=True, exist_ok=True)
        for name, text in (("README", _README), ("CACHEDIR.TAG", _CACHEDIR)):
            if not exists(folder / name):
                with (folder / name).open("x", encoding="utf-8") as file:
                    file.write(text)


def replace(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Replace a file atomically: write a temporary file, flush it to disk, and rename it.

    A crash leaves the old file or the new one. Raises Unwritable.
    """
    temporary = path.with_name(f"{path.name}.{os.urandom(4).hex()}{TEMPORARY}")
    with writing(path):
        try:
            with temporary.open("xb") as file:
                for piece in pieces:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            adopt(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise


def append(path: Path, text: str, most: int) -> None:
    """Append to a log, which is rotated first if it has more than `most` bytes.

    Anything but a regular file in its place is removed. Errors are ignored.
    """
    with contextlib.suppress(OSError, Unwritable):
        if exists(path) and not obstructed(path) and path.stat().st_size > most:
            adopt(path, path.with_name(f"{path.name}.1"))
        add(path, text.encode())


def add(path: Path, data: bytes) -> None:
    """Append to a file, which is made if it is missing. Raises Unwritable.

    Anything but a regular file in its place is removed.
    """
    guard(path.parent)
    with writing(path):
        if obstructed(path):
            remove(path)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        with os.fdopen(open_file(path, flags), "ab") as file:
            file.write(data)


def clear(path: Path) -> None:
    """Remove a file of ours if possible; errors are ignored."""
    with contextlib.suppress(OSError, Unwritable):
        guard(path.parent)
        remove(path)


def files(folder: Path) -> list[tuple[str, int]]:
    """Return names and sizes in bytes of all files and links below a folder, sorted by name."""
    sizes = []
    for parent, subfolders, names in os.walk(folder):
        links = [name for name in subfolders if Path(parent, name).is_symlink()]
        for name in (*names, *links):
            path = Path(parent, name)
            # another process may have removed it just now
            with contextlib.suppress(OSError):
                sizes.append((path.relative_to(folder).as_posix(), path.lstat().st_size))
    return sorted(sizes)


def names(folder: Path) -> list[str]:
    """Return the names of everything in the folder and in that of the views, sorted."""
    inside = [path.name for path in matching(folder, "*") if path.name != VIEWS]
    return sorted(inside + [f"{VIEWS}/{path.name}" for path in matching(folder / VIEWS, "*")])


def unlistable(folder: Path) -> str:
    """Return the reason why an existing path cannot be listed; "" if it can or is missing."""
    try:
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISDIR(folder.lstat().st_mode):
                return "is not a folder"
            next(folder.iterdir(), None)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return ""


def remove(path: Path) -> None:
    """Remove a file, link or whole folder. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        # imported here: with its compressors it would take 3 ms of each search
        from shutil import rmtree

        rmtree(path)
    else:
        path.unlink(missing_ok=True)


def leftovers(folder: Path) -> list[Path]:
    """Return the temporary files and folders of a killed writer, also those of DuckDB, sorted."""
    views = matching(folder / VIEWS, f"*{TEMPORARY}")
    return sorted([*matching(folder, f"*{TEMPORARY}*"), *views])


def sweep(folder: Path) -> None:
    """Remove the temporary files of killed writers; call with the lock. Raises Unwritable."""
    with writing(folder):
        for path in leftovers(folder):
            remove(path)


@contextlib.contextmanager
def swept(folder: Path) -> Iterator[None]:
    """Sweep before and after a block, so that no temporary files remain."""
    sweep(folder)
    try:
        yield
    finally:
        with contextlib.suppress(Unwritable):
            sweep(folder)


def adopt(source: Path, target: Path) -> None:
    """Rename a file to `target`, and replace whatever is there. Raises Unwritable."""
    with writing(target):
        if target.is_dir() and not target.is_symlink():
            remove(target)
        source.replace(target)
