"""Names under .git/search/, and how a file there is opened, replaced and removed.

The folder may have been handed over by a stranger: under each of our names may stand anything that
a file system knows. Only regular files are opened, no link is followed, nothing is waited for.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from gitsearch.errors import Damaged, Unwritable

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
BACKGROUND = "background.lock"
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
background.lock  held by the one process that a search has left behind to update the index
"""

# https://bford.info/cachedir/
_CACHEDIR = "Signature: 8a477f597d28d172789f06886806bc55\n# git search index, safe to delete\n"


# Without O_NONBLOCK opening a pipe waits for its other end.
_CAREFULLY = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK

# How many hexadecimal digits an object id, a recipe, a fingerprint and a generation have.
_OID, _RECIPE, _FINGERPRINT, _GENERATION = (40, 64), 8, 16, 8
_DIGITS = frozenset("0123456789abcdef")


def vectors_name(fingerprint: str, generation: str) -> str:
    """The file with the vectors of one model, by the chunk ids of one record."""
    return f"{VECTORS}{fingerprint}-{generation}.i8"


def is_hex(text: str, *lengths: int) -> bool:
    """Whether a text is one of so many lower-case hexadecimal digits."""
    return len(text) in lengths and _DIGITS.issuperset(text)


def is_oid(text: str) -> bool:
    """Whether a text is a whole object id."""
    return is_hex(text, *_OID)


def is_kept(name: str) -> bool:
    """Whether a name is one that the program gives to a file below the folder of views."""
    folder, _, file = name.partition("/")
    digest, _, rest = file.partition("-")
    recipe, _, kind = rest.partition(".")
    return folder == VIEWS and is_oid(digest) and is_hex(recipe, _RECIPE) and kind.isalnum()


def is_vectors(name: str) -> bool:
    """Whether a name is one that `vectors_name` gives."""
    fingerprint, _, generation = name[len(VECTORS) :].removesuffix(".i8").partition("-")
    marks = is_hex(fingerprint, _FINGERPRINT) and is_hex(generation, _GENERATION)
    return marks and name == vectors_name(fingerprint, generation)


def vectors_of(name: str) -> tuple[str, str]:
    """Fingerprint and generation in the name of a vector file; raises Damaged for another name."""
    if not is_vectors(name):
        raise Damaged(name, "is not the name of a vector file")
    fingerprint, _, generation = name[len(VECTORS) :].removesuffix(".i8").partition("-")
    return fingerprint, generation


def open_file(path: Path, flags: int) -> int:
    """The descriptor of one of our files, a new one of mode 0644; raises OSError.

    Also where something stands under the name that is no regular file.
    """
    try:
        descriptor = os.open(path, flags | _CAREFULLY, 0o644)
    except OSError as error:
        if error.errno in _NO_FILE:
            raise OSError(error.errno, _WRONG_KIND) from error
        raise
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, _WRONG_KIND)


# What the system says to opening a link, a folder and a socket.
_NO_FILE = (errno.ELOOP, errno.EISDIR, errno.ENXIO)
_WRONG_KIND = "not a regular file"


def obstructed(path: Path) -> bool:
    """Whether something else than a regular file has the name of one."""
    try:
        return not stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def reader(path: Path, name: str) -> BinaryIO:
    """One of our files to be read, called `name` in messages.

    Raises FileNotFoundError, and Damaged for what is no regular file or may not be read.
    """
    try:
        return os.fdopen(open_file(path, os.O_RDONLY), "rb")
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise Damaged(name, f"cannot be read: {error.strerror}") from error


def content(path: Path, name: str, most: int) -> bytes:
    """All of a small file; raises as `reader`, and Damaged for one of more than `most` bytes."""
    with reader(path, name) as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise Damaged(name, f"has more than {most} bytes")
    return found


def matching(folder: Path, pattern: str) -> list[Path]:
    """What has a name of this pattern in a folder; nothing where that cannot be read."""
    try:
        return [path for path in folder.iterdir() if fnmatch.fnmatchcase(path.name, pattern)]
    except OSError:
        return []


def exists(path: Path) -> bool:
    """Whether anything has a name; a folder that may not be looked into has nothing."""
    return os.path.lexists(path)


def guard(folder: Path) -> None:
    """Make sure that what is written below the folder stays there; raises Unwritable.

    A link or file in place of the folder itself may be somebody's intention and is left alone.
    """
    try:
        if not stat.S_ISDIR(folder.lstat().st_mode):
            raise Unwritable(f"cannot write '{folder}': it is not a folder")
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISDIR((folder / VIEWS).lstat().st_mode):
                (folder / VIEWS).unlink()
    except FileNotFoundError:
        return
    except OSError as error:
        raise Unwritable(f"cannot write '{folder}': {error.strerror}") from error


def prepare(folder: Path) -> None:
    """Make the folder with the files that explain it; raises Unwritable."""
    guard(folder)
    try:
        (folder / VIEWS).mkdir(parents=True, exist_ok=True)
        for name, text in (("README", _README), ("CACHEDIR.TAG", _CACHEDIR)):
            if not exists(folder / name):
                with (folder / name).open("x", encoding="utf-8") as file:
                    file.write(text)
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
        adopt(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise Unwritable(f"cannot write '{path}': {error.strerror}") from error


def append(path: Path, text: str, most: int) -> None:
    """Append to a log, which is renamed first when it has more than `most` bytes; silent if not.

    What stands in place of a log and is none is removed.
    """
    try:
        guard(path.parent)
        if obstructed(path):
            remove(path)
        if exists(path) and path.stat().st_size > most:
            adopt(path, path.with_name(f"{path.name}.1"))
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        with os.fdopen(open_file(path, flags), "ab") as file:
            file.write(text.encode())
    except (OSError, Unwritable):
        return


def clear(path: Path) -> None:
    """Remove what has one of our names, if that is possible."""
    with contextlib.suppress(OSError, Unwritable):
        guard(path.parent)
        remove(path)


def files(folder: Path) -> list[tuple[str, int]]:
    """Names relative to the folder and sizes in bytes of all files there, sorted.

    What is neither a file nor a folder is among them, links included.
    """
    found = []
    # passes over what another process has just removed
    for parent, folders, names in os.walk(folder):
        for name in (*names, *(one for one in folders if Path(parent, one).is_symlink())):
            path = Path(parent, name)
            with contextlib.suppress(OSError):
                found.append((path.relative_to(folder).as_posix(), path.lstat().st_size))
    return sorted(found)


def names(folder: Path) -> list[str]:
    """What should be files: all that lies in the folder and in that of the views, sorted."""
    inside = [path.name for path in matching(folder, "*") if path.name != VIEWS]
    return sorted(inside + [f"{VIEWS}/{path.name}" for path in matching(folder / VIEWS, "*")])


def unlistable(folder: Path) -> str:
    """Why a folder that exists cannot be listed, or is none; empty where it can be."""
    try:
        if not stat.S_ISDIR(folder.lstat().st_mode):
            return "is not a folder"
        next(folder.iterdir(), None)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return ""


def remove(path: Path) -> None:
    """Remove what stands under one of our names, whatever it is; raises OSError."""
    if path.is_dir() and not path.is_symlink():
        from shutil import rmtree  # with its compressors it would take 3 ms of each search

        rmtree(path)
    else:
        path.unlink(missing_ok=True)


def leftovers(folder: Path) -> list[Path]:
    """What a killed writer left: files and folders on their way, also those of DuckDB beside."""
    views = matching(folder / VIEWS, f"*{TEMPORARY}")
    return sorted([*matching(folder, f"*{TEMPORARY}*"), *views])


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
    """Rename a file into its place, whatever stands there; raises Unwritable."""
    try:
        if target.is_dir() and not target.is_symlink():
            remove(target)
        source.replace(target)
    except OSError as error:
        raise Unwritable(f"cannot write '{target}': {error.strerror}") from error
