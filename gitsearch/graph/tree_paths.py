"""Paths relative to the root of a tree; "" is the root folder."""

from __future__ import annotations

from posixpath import normpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterator


def folder_of(path: str) -> str:
    """Return the folder that directly contains a path."""
    return path.rpartition("/")[0]


def joined(folder: str, rest: str) -> str:
    """Join a folder and a path below it, either of which may be empty; nothing is normalised."""
    return f"{folder}/{rest}" if folder and rest else folder or rest


def enclosing_folders(folder: str) -> Iterator[str]:
    """Yield a folder and its ancestors, innermost first; the last one is the root."""
    yield folder
    while folder:
        folder = folder_of(folder)
        yield folder


def nearest(folder: str, known: Container[str]) -> str | None:
    """Return the innermost of a folder and its ancestors that is in `known`, or None."""
    return next((ancestor for ancestor in enclosing_folders(folder) if ancestor in known), None)


def is_within(folder: str, outer: str) -> bool:
    """Return True if `folder` is `outer` or one of its descendants."""
    return not outer or folder == outer or folder.startswith(outer + "/")


def relative_to(path: str, folder: str) -> str | None:
    """Return the rest of a path below a folder, or None if it is not below it."""
    if not folder:
        return path
    return path[len(folder) + 1 :] if path.startswith(folder + "/") else None


def normalized(folder: str, path: str) -> str:
    """Resolve a path against a folder, taking an absolute path for a relative one.

    The result starts with ".." if it is outside the tree, so it is then the path of no file.
    """
    result = normpath(f"{folder or '.'}/{path}")
    return "" if result == "." else result


def path_in_tree(folder: str, path: str) -> str | None:
    """Like `normalized`, but return None for a path outside the tree."""
    result = normalized(folder, path)
    return None if result == ".." or result.startswith("../") else result


def relative_path_in_tree(folder: str, path: str) -> str | None:
    """Like `path_in_tree`, but return None for an absolute path too."""
    return None if path.startswith("/") else path_in_tree(folder, path)
