"""Repositories on disk: those in and below a folder, and the submodules that a tree names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.git import trees
from gitsearch.git_conventions import MODE_SUBMODULE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.git.repo import Repo

# Folders that are looked into for repositories: more are a home folder or a whole disk.
MOST_FOLDERS = 50_000

# What a bare repository consists of.
_BARE = ("HEAD", "objects", "refs")


class Submodule(NamedTuple):
    """A submodule: its path from the top of the superproject, and the commit that is named."""

    path: str
    commit: str


class FolderLimitError(Exception):
    """There are more than `MOST_FOLDERS` folders below one."""


def is_repository(folder: Path) -> bool:
    """Return True if a folder has the files of a repository; git decides if it is one."""
    return os.path.lexists(folder / ".git") or all((folder / name).exists() for name in _BARE)


def repositories_in(folder: Path) -> Iterator[Path]:
    """Yield a folder that is a repository, else the repositories below it, by name.

    Repositories inside of others, hidden folders and links are left out. Raises FolderLimitError.
    """
    todo, seen = [folder], 0
    while todo:
        seen += 1
        if seen > MOST_FOLDERS:
            raise FolderLimitError
        current = todo.pop()
        if is_repository(current):
            yield current
        else:
            todo += sorted(_folders(current), reverse=True)


def _folders(folder: Path) -> Iterator[Path]:
    """The folders in a folder; none if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    yield folder / entry.name
    except OSError:
        return


def submodules(repo: Repo, tree: str | None) -> list[Submodule]:
    """Return the submodules that a tree names, or the index (None), by path."""
    entries = trees.list_index(repo) if tree is None else trees.list_tree(repo, tree)
    return [
        Submodule(os.fsdecode(entry.path), entry.oid)
        for entry in entries
        if entry.mode == MODE_SUBMODULE
    ]
