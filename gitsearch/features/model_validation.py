"""What is wrong with a model folder, in one line that names it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitsearch.errors import BadModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_WANTED = "search.model wants a folder with model.safetensors and tokenizer.json"
_WITHOUT = "`git config --unset search.model` goes back to the packaged one"

# How the file begins that stands for another one where Git LFS has not fetched that.
_POINTER = b"version https://git-lfs.github.com/spec/"


# What a library that is written in Rust raises for an assertion of its own; no Exception.
_PANIC = "PanicException"


@contextmanager
def failing(refusal: Callable[[BaseException], BadModel]) -> Iterator[None]:
    """Turn whatever `tokenizers` raises, which is bare Exception and worse, into a refusal."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
            raise
        raise refusal(error) from error


def unusable(folder: Path, reason: str, hint: str = _WITHOUT) -> BadModel:
    """The refusal of a folder: one line that names it and says why."""
    return BadModel(f"the model in '{folder}' cannot be used: {' '.join(reason.split())}", hint)


def incomplete(folder: Path, files: tuple[str, str]) -> BadModel:
    """Why a folder has not the files of a model, which are the last two to be looked for."""
    try:
        there = {path.name for path in folder.iterdir()}
        nested = (folder / files[0]).parent
        top = nested if nested.name in there else folder
        names = [name.rpartition("/")[2] for name in files]
        lacking = [name for name in names if not (top / name).is_file()]
    except FileNotFoundError:
        return unusable(folder, "there is no such folder", _WANTED)
    except NotADirectoryError:
        return unusable(folder, "it is not a folder", _WANTED)
    except OSError as error:
        return unusable(folder, error.strerror or str(error))
    return unusable(folder, f"it has no {' and no '.join(lacking)}", _WANTED)


def unreadable(folder: Path, file: Path, error: BaseException) -> BadModel:
    """Why a file of a model cannot be read."""
    try:
        with file.open("rb") as opened:
            begins = opened.read(len(_POINTER))
    except OSError as denied:
        return unusable(folder, f"{file.name}: {denied.strerror}")
    if begins == _POINTER:
        reason = f"{file.name} is a Git LFS pointer, not the file itself"
        return unusable(folder, reason, "`git lfs pull` in its repository fetches it")
    if not begins:
        return unusable(folder, f"{file.name} is empty")
    return unusable(folder, f"{file.name} is damaged or cut short: {error}")
