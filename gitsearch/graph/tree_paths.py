"""Paths and folders relative to the root of a tree; "" is the root itself."""

from __future__ import annotations

from posixpath import join, normpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def folder_of(path: str) -> str:
    """Return the folder that contains a path."""
    return path.rpartition("/")[0]


def joined(folder: str, rest: str) -> str:
    """Join a folder and a relative path, either of which may be empty."""
    return f"{folder}/{rest}" if folder and rest else folder or rest


def upwards(folder: str) -> Iterator[str]:
    """Iterate over a folder and its ancestors, up to the root."""
    yield folder
    while folder:
        folder = folder_of(folder)
        yield folder


def inside(folder: str, written: str) -> str | None:
    """Resolve a path written in a file of `folder`; None if it leads out of the tree."""
    path = normpath(join(folder, written)) if not written.startswith("/") else ".."
    if path.startswith(".."):
        return None
    return "" if path == "." else path


def relative(folder: str, written: str) -> str:
    """Resolve a path relative to a folder; a result outside of the tree is the path of no file."""
    path = normpath(f"{folder or '.'}/{written}")
    return "" if path == "." else path
