"""Trees read as objects: the entries at some paths, and the differences of two trees.

`git diff-tree` and `git ls-tree` answer the same questions with a process each; tree objects come
from the process that stays for the contents of blobs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.errors import GitFailed
from gitsearch.git.blobs import read_objects
from gitsearch.git_conventions import (
    MODE_EXECUTABLE,
    MODE_FILE,
    MODE_SUBMODULE,
    MODE_SYMLINK,
    is_object_id,
)
from gitsearch.records import TreeChange, TreeEntry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from gitsearch.git.repo import Repo

# Folders within folders that are followed; git's own limit is 2048 (core.maxTreeDepth).
MAX_DEPTH = 2048

# The bits of a mode that tell the type, and the types; git keeps nothing else of other bits than
# whether the owner may execute a file.
_TYPE, _FOLDER, _FILE, _LINK = 0o170000, 0o040000, 0o100000, 0o120000
_EXECUTABLE = 0o100


class Folder(NamedTuple):
    """The entries of a folder by name; a name has several trees only where git made none of it.

    A tree that names an entry twice is damaged (git fsck reports it), but can be read: as in the
    index and the working tree after a checkout, the last entry counts.
    """

    files: dict[bytes, tuple[int, str]]
    folders: dict[bytes, tuple[str, ...]]


_NOTHING = Folder({}, {})


def entries_at(repo: Repo, tree: str, paths: Collection[bytes]) -> dict[bytes, TreeEntry]:
    """Return the entries of those paths that a tree or the tree of a commit has.

    Folders are no entries. Raises GitFailed.
    """
    entries: dict[bytes, TreeEntry] = {}
    level = {_root(tree): [(path, path) for path in paths]} if paths else {}
    while level:
        below: dict[tuple[str, ...], list[tuple[bytes, bytes]]] = {}
        folders = _read(repo, level)
        for trees, wanted in level.items():
            folder = folders[trees]
            for path, rest in wanted:
                name, separator, inner = rest.partition(b"/")
                if not separator and name in folder.files:
                    mode, oid = folder.files[name]
                    entries[path] = TreeEntry(path, oid, mode)
                elif separator and name in folder.folders:
                    below.setdefault(folder.folders[name], []).append((path, inner))
        level = below
    return entries


def diff_trees(repo: Repo, old: str, new: str) -> list[TreeChange]:
    """Return the paths that differ between two trees, in git's order, each once.

    Raises GitFailed.
    """
    changes: list[TreeChange] = []
    level = [(b"", _root(old), _root(new))] if old != new else []
    for _ in range(MAX_DEPTH):
        folders = _read(repo, [side for _, *sides in level for side in sides])
        below = []
        for prefix, *sides in level:
            before, after = (folders[side] for side in sides)
            for name in before.files.keys() | after.files.keys():
                pair = before.files.get(name), after.files.get(name)
                if pair[0] != pair[1]:
                    path = prefix + name
                    changes.append(TreeChange(path, *(_entry(path, side) for side in pair)))
            for name in before.folders.keys() | after.folders.keys():
                trees = before.folders.get(name, ()), after.folders.get(name, ())
                if trees[0] != trees[1]:
                    below.append((b"%s%s/" % (prefix, name), *trees))
        if not below:
            return sorted(changes, key=lambda change: change.path)
        level = below
    raise GitFailed(f"folders are nested deeper than {MAX_DEPTH} in the tree {new} or {old}")


def _root(oid: str) -> tuple[str, ...]:
    """The name of the tree of a commit or tree, as git is asked for it."""
    if not is_object_id(oid):
        raise GitFailed(f"'{oid}' is not the id of an object")
    return (f"{oid}^{{tree}}",)


def _entry(path: bytes, side: tuple[int, str] | None) -> TreeEntry | None:
    return TreeEntry(path, side[1], side[0]) if side else None


def _read(repo: Repo, folders: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], Folder]:
    """The entries of folders by their trees; of a name in several trees the last entry counts."""
    wanted = set(folders)
    names = sorted({name for trees in wanted for name in trees})
    objects = {}
    for name, data in read_objects(repo, names, "tree"):
        if data is None:
            raise _unreadable(repo, name.removesuffix("^{tree}"))
        objects[name] = data
    return {trees: _parsed([objects[name] for name in trees], repo.hexsz) for trees in wanted}


def _parsed(objects: Sequence[bytes], hexsz: int) -> Folder:
    """The entries of tree objects: "<octal mode> <name>", NUL and the bytes of an id each."""
    folder = Folder({}, {}) if objects else _NOTHING
    size = hexsz // 2
    for data in objects:
        position = 0
        while position < len(data):
            end = data.find(b"\0", position)
            mode, separator, name = data[position:end].partition(b" ")
            position = end + 1 + size
            octal = mode and not mode.strip(b"01234567")
            if end < 0 or position > len(data) or not (separator and name and octal):
                raise GitFailed("a tree object is damaged", "run git fsck")
            oid = data[end + 1 : position].hex()
            kind = int(mode, 8)
            if kind & _TYPE == _FOLDER:
                folder.folders[name] = (*folder.folders.get(name, ()), oid)
            else:
                folder.files[name] = _canonical(kind), oid
    return folder


def _canonical(mode: int) -> int:
    """The mode that git shows: old versions wrote others."""
    if mode & _TYPE == _FILE:
        return MODE_EXECUTABLE if mode & _EXECUTABLE else MODE_FILE
    return MODE_SYMLINK if mode & _TYPE == _LINK else MODE_SUBMODULE


def _unreadable(repo: Repo, tree: str) -> GitFailed:
    if repo.partial:
        return lacks_tree(tree)
    return GitFailed(f"the tree {tree} cannot be read", "run git fsck")


def lacks_tree(tree: str) -> GitFailed:
    """The error for a partial clone without some tree; git's own is about a fetch, forbidden."""
    return GitFailed(
        f"this partial clone lacks a part of the tree {tree}",
        f"`git ls-tree -r {tree}` fetches it",
    )
