"""Errors for an unusable model folder: one line with the folder and the reason."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitsearch.errors import BadModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_WANTED = "search.model wants a folder with model.safetensors and tokenizer.json"
_WITHOUT = "`git config --unset search.model` goes back to the packaged one"

# The start of a Git LFS pointer, which is in place of a file that has not been fetched.
_POINTER = b"version https://git-lfs.github.com/spec/"


# The type that a library in Rust raises when it panics; it is not an Exception.
_PANIC = "PanicException"


@contextmanager
def failing(refusal: Callable[[BaseException], BadModel]) -> Iterator[None]:
    """Convert whatever `tokenizers` raises, which is bare Exception or a panic, to BadModel."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
            raise
        raise refusal(error) from error


def unusable(folder: Path, reason: str, hint: str = _WITHOUT) -> BadModel:
    """Return the error for a folder, with the reason and a hint."""
    return BadModel(f"the model in '{folder}' cannot be used: {' '.join(reason.split())}", hint)


def incomplete(folder: Path, files: tuple[str, str]) -> BadModel:
    """Return the error for a folder without the files of a model.

    `files` are the paths of the layout that was tried last, relative to the folder.
    """
    try:
        present = {path.name for path in folder.iterdir()}
        nested = (folder / files[0]).parent
        top = nested if nested.name in present else folder
        names = [name.rpartition("/")[2] for name in files]
        missing = [name for name in names if not (top / name).is_file()]
    except FileNotFoundError:
        return unusable(folder, "there is no such folder", _WANTED)
    except NotADirectoryError:
        return unusable(folder, "it is not a folder", _WANTED)
    except OSError as error:
        return unusable(folder, error.strerror or str(error))
    return unusable(folder, f"it has no {' and no '.join(missing)}", _WANTED)


def unreadable(folder: Path, file: Path, error: BaseException) -> BadModel:
    """Return the error for a file of a model that cannot be read."""
    try:
        with file.open("rb") as opened:
            head = opened.read(len(_POINTER))
    except OSError as denied:
        return unusable(folder, f"{file.name}: {denied.strerror}")
    if head == _POINTER:
        reason = f"{file.name} is a Git LFS pointer, not the file itself"
        return unusable(folder, reason, "`git lfs pull` in its repository fetches it")
    if not head:
        return unusable(folder, f"{file.name} is empty")
    return unusable(folder, f"{file.name} is damaged or cut short: {error}")
