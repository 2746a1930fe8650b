"""Folders and paths from the top of a tree; "" is the top itself."""

from __future__ import annotations

from posixpath import join, normpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def folder_of(path: str) -> str:
    """The folder that a path lies in."""
    return path.rpartition("/")[0]


def joined(folder: str, rest: str) -> str:
    """A path below a folder, either of which may be empty."""
    return f"{folder}/{rest}" if folder and rest else folder or rest


def upwards(folder: str) -> Iterator[str]:
    """A folder and those around it, up to the root."""
    yield folder
    while folder:
        folder = folder_of(folder)
        yield folder


def inside(folder: str, written: str) -> str | None:
    """A path as a file in a folder writes it; None where it leads out of the tree."""
    place = normpath(join(folder, written)) if not written.startswith("/") else ".."
    if place.startswith(".."):
        return None
    return "" if place == "." else place


def relative(folder: str, written: str) -> str:
    """A path relative to a folder; one out of the tree is that of no file."""
    path = normpath(f"{folder or '.'}/{written}")
    return "" if path == "." else path
