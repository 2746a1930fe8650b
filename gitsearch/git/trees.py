"""Trees and the index as entries, their differences, and what git matches or finds in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gitsearch.errors import BadPath, BadRevision, GitFailed, UsageError
from gitsearch.git.repo import Repo
from gitsearch.git.tree_objects import entries_at, lacks_tree
from gitsearch.git_conventions import MODE_EXECUTABLE, MODE_FILE, is_object_id
from gitsearch.records import DirtyFile, TreeChange, TreeEntry

# git knows the empty tree without holding it, by the id of either hash.
EMPTY_TREE = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
# The same differences whatever diff.* the user has set.
RAW = ("--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
# A file is another one under a new name if half of it is the same; of more files only those are
# found that are the same.
SIMILAR = ("-M50%", "-l1000")
ABSENT = b"000000"
UNMERGED = b"U"
OURS, THEIRS = b"2", b"3"

# `path NUL line NUL text`: the text may hold a NUL behind the part in which git looks for one.
GREP_LINE = re.compile(rb"([^\0]*)\0(\d+)\0[^\n]*\n")
# Binary files are left out, and none of the user's settings for grep apply.
GREP = (
    *("-c", "submodule.recurse=false", "-c", "core.attributesFile=/dev/null"),
    *("grep", "-n", "-z", "-E", "-I", "--no-color", "--no-column", "--full-name"),
)
# A pattern means characters, not bytes, in every locale.
GREP_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "LANGUAGE": "", "GIT_ATTR_NOSYSTEM": "1"}
# A private index: nothing is shared with the user's.
PRIVATE = ("-c", "core.splitIndex=false", "-c", "core.untrackedCache=false")
# Bytes of arguments that fit into one command line on every system.
ARGUMENT_BYTES = 64_000


# ---------------------------------------------------------------- arguments


def checked_ids(*ids: str) -> tuple[str, ...]:
    """Return the ids. Raises BadRevision for any other text, which git could take for an option.

    For commands that do not know --end-of-options, as `git grep` before 2.44.
    """
    for text in ids:
        if not is_object_id(text):
            raise BadRevision(f"'{text}' is not the id of an object")
    return ids


def batches(arguments: Iterable[str]) -> Iterator[list[str]]:
    """Split arguments into groups that fit into one command line each."""
    group: list[str] = []
    room = ARGUMENT_BYTES
    for argument in arguments:
        size = len(os.fsencode(argument)) + 1
        if group and size > room:
            yield group
            group, room = [], ARGUMENT_BYTES
        group.append(argument)
        room -= size
    if group:
        yield group


# ---------------------------------------------------------------- entries


def list_tree(repo: Repo, tree: str) -> list[TreeEntry]:
    """Return every entry of a tree, recursively and without trees, in git's order.

    A path has one entry. A tree that names one twice is damaged (git fsck reports it), but can be
    read: as in the index and the working tree after a checkout, the last one counts. Raises
    GitFailed.
    """
    try:
        out = repo.run("ls-tree", "-r", "-z", "--full-tree", "--end-of-options", tree)
    except GitFailed as error:
        if repo.partial:
            raise lacks_tree(tree) from error
        raise
    return list(_entries(out.split(b"\0")).values())


def _entries(records: list[bytes]) -> dict[bytes, TreeEntry]:
    # "100644 blob <id>TAB<path>"
    modes: dict[bytes, int] = {}
    entries = {}
    for record in records[:-1]:
        meta, _, path = record.partition(b"\t")
        mode, _, oid = meta.split(b" ")
        if mode not in modes:
            modes[mode] = int(mode, 8)
        entries[path] = TreeEntry(path, oid.decode("ascii"), modes[mode])
    return entries


def list_index(repo: Repo) -> list[TreeEntry]:
    """Return every entry of the index; of a conflict "ours", or "theirs" without "ours".

    Intent-to-add entries have no content and are left out.
    """
    changes = diff_index(repo, EMPTY_TREE[repo.hexsz])
    return [change.new for change in changes if change.new is not None]


def diff_index(repo: Repo, tree: str) -> list[TreeChange]:
    """Return the paths that differ between a tree and the index; conflicts as in `list_index`."""
    where = ("--cached", "--ita-invisible-in-index")
    out = repo.run("diff-index", *where, *RAW, "--end-of-options", tree)
    changes = list(_changes(out))
    after: dict[bytes, TreeEntry | None] = {}
    for change, _ in changes:
        # of a path that the tree names twice, one entry may have no counterpart
        after[change.path] = change.new or after.get(change.path)
    before = entries_at(repo, tree, after)
    if any(status == UNMERGED for _, status in changes):
        conflicts = _conflicts(repo)
        after |= {
            change.path: conflicts.get(change.path)
            for change, status in changes
            if status == UNMERGED
        }
    pairs = (TreeChange(path, before.get(path), new) for path, new in after.items())
    return [change for change in pairs if change.old != change.new]


def renames(repo: Repo, old: str, new: str | None) -> dict[bytes, bytes]:
    """Return the old path by new path of each file renamed in a tree (None: in the index).

    Empty if this clone lacks contents that have to be compared.
    """
    options = ("-r", "-z", "--name-status", "--diff-filter=R", *SIMILAR)
    command = ("diff-index", "--cached", *options) if new is None else ("diff-tree", *options)
    ends = (old,) if new is None else (old, new)
    try:
        fields = repo.run(*command, "--end-of-options", *ends).split(b"\0")
    except GitFailed:
        return {}
    return dict(zip(fields[2:-1:3], fields[1:-1:3], strict=True))


def _changes(out: bytes) -> Iterator[tuple[TreeChange, bytes]]:
    # each change: a colon, two modes, two ids and the status, then NUL, the path and NUL
    fields = out.split(b"\0")
    for meta, path in zip(fields[:-1:2], fields[1::2], strict=True):
        old_mode, new_mode, old, new, status = meta[1:].split(b" ")
        change = TreeChange(path, _side(path, old, old_mode), _side(path, new, new_mode))
        yield change, status


def _side(path: bytes, oid: bytes, mode: bytes) -> TreeEntry | None:
    return None if mode == ABSENT else TreeEntry(path, oid.decode("ascii"), int(mode, 8))


def _conflicts(repo: Repo) -> dict[bytes, TreeEntry]:
    chosen: dict[bytes, TreeEntry] = {}
    for record in repo.run("ls-files", "-u", "-z").split(b"\0")[:-1]:
        meta, _, path = record.partition(b"\t")
        mode, oid, stage = meta.split(b" ")
        # the stages of a path come in order, so "ours" is kept when "theirs" follows
        if stage in (OURS, THEIRS):
            chosen.setdefault(path, TreeEntry(path, oid.decode("ascii"), int(mode, 8)))
    return chosen


def absent_objects(repo: Repo, *roots: str) -> set[str]:
    """Return the ids of objects of trees, or commits, that this clone lacks; nothing is fetched.

    What an absent tree holds is not known, and not among them.
    """
    command = ("rev-list", "--objects", "--missing=print", "--no-object-names", "--no-walk")
    asked = "".join(f"{oid}\n" for oid in checked_ids(*roots))
    out = repo.run(*command, "--stdin", stdin=asked.encode("ascii"))
    return {line[1:].decode("ascii") for line in out.split(b"\n") if line.startswith(b"?")}


def private_index(repo: Repo, folder: Path, entries: Iterable[TreeEntry]) -> dict[str, str]:
    """Write an index with these entries into a folder; return the environment that selects it."""
    env = {"GIT_INDEX_FILE": str(folder / "index")}
    lines = b"".join(
        b"%o %s\t%s\0" % (entry.mode, entry.oid.encode("ascii"), entry.path) for entry in entries
    )
    repo.run(*PRIVATE, "update-index", "-z", "--index-info", stdin=lines, env=env)
    return env


def object_store(repo: Repo, folder: Path) -> dict[str, str]:
    """Create an object directory in a folder.

    Returns the environment with which git writes to it, and also reads the repository's objects.
    """
    folder.joinpath("objects").mkdir()
    return {
        "GIT_OBJECT_DIRECTORY": str(folder / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": _alternates(repo),
    }


def _alternates(repo: Repo) -> str:
    own = Path(os.environ.get("GIT_OBJECT_DIRECTORY") or repo.common_dir / "objects")
    # quoted as in C, because a colon would end the path
    text = str(repo.top / own).replace("\\", "\\\\").replace('"', '\\"')
    others = os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
    return f'"{text}"' + (f"{os.pathsep}{others}" if others else "")


# ---------------------------------------------------------------- pathspecs


def match_paths(repo: Repo, tree: str, pathspecs: Sequence[str]) -> set[bytes]:
    """Return the paths of a tree that pathspecs match, relative to the current folder."""
    empty = EMPTY_TREE[repo.hexsz]
    return _match(
        repo,
        *("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-relative"),
        *("--ignore-submodules=none", "--end-of-options", empty, tree, "--", *pathspecs),
    )


def match_worktree(repo: Repo, pathspecs: Sequence[str], *, untracked: bool) -> set[bytes]:
    """Return the paths of the index, and untracked ones if asked, that pathspecs match."""
    if repo.worktree is None:
        return set()
    others = ("--others", "--exclude-standard") if untracked else ()
    return _match(repo, "ls-files", "-z", "--full-name", "--cached", *others, "--", *pathspecs)


def _match(repo: Repo, *args: str) -> set[bytes]:
    try:
        return set(repo.run("-C", repo.prefix, *args).split(b"\0")[:-1])
    except GitFailed as error:
        # the tree is known to be valid, so git refuses a pathspec
        raise BadPath(error.message, error.hint) from error


# ---------------------------------------------------------------- grep


def grep_tree(repo: Repo, tree: str, regex: str) -> dict[bytes, list[int]]:
    """Return the 1-based lines of a tree that an extended regular expression matches, by path."""
    absent = absent_objects(repo, tree) if repo.partial else set()
    if absent:
        return _grep_present(repo, tree, regex, absent)
    skip = len(tree) + len(":")
    lines: dict[bytes, list[int]] = {}
    for name, line in _grep(repo, regex, repo.git_dir, tree):
        lines.setdefault(name[skip:], []).append(line)
    return lines


def _grep_present(repo: Repo, tree: str, regex: str, absent: set[str]) -> dict[bytes, list[int]]:
    # git grep ends at the first missing blob of a tree: blobs that are present are named instead
    paths: dict[str, list[bytes]] = {}
    for entry in list_tree(repo, tree):
        if entry.oid not in absent and entry.mode in (MODE_FILE, MODE_EXECUTABLE):
            paths.setdefault(entry.oid, []).append(entry.path)
    lines: dict[bytes, list[int]] = {}
    for batch in batches(paths):
        for name, line in _grep(repo, regex, repo.git_dir, *batch):
            for path in paths[name.decode("ascii")]:
                lines.setdefault(path, []).append(line)
    return lines


def grep_worktree(repo: Repo, regex: str, files: Iterable[DirtyFile]) -> dict[bytes, list[int]]:
    """Return the matching 1-based lines of edited files, as git would store them, by path.

    They are copied to a temporary folder and searched by `git grep`, as a tree is.
    """
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="git-search-") as folder:
        names: dict[bytes, bytes] = {}
        for number, file in enumerate(files):
            if file.data is not None:
                Path(folder, str(number)).write_bytes(file.data)
                names[b"%d" % number] = file.path
        lines: dict[bytes, list[int]] = {}
        if names:
            for name, line in _grep(repo, regex, Path(folder)):
                lines.setdefault(names[name], []).append(line)
        return lines


def _grep(repo: Repo, regex: str, folder: Path, *objects: str) -> Iterator[tuple[bytes, int]]:
    # Results for a tree must not depend on the working tree: told that `folder` is the working
    # tree, git finds no .gitattributes that would make a text file binary. Without objects the
    # folder is searched.
    targets = checked_ids(*objects) or ("--no-index",)
    if "\0" in regex:
        raise UsageError("a regular expression cannot hold a NUL")
    try:
        out = repo.run(
            *("-C", str(folder), *GREP, "-e", regex, *targets),
            ok=(0, 1),
            env={**GREP_ENVIRONMENT, "GIT_WORK_TREE": str(folder)},
        )
    except GitFailed as error:
        if error.message.startswith("-e option"):
            raise UsageError(error.message.removeprefix("-e option, "), error.hint) from error
        raise
    position = 0
    while (match := GREP_LINE.match(out, position)) is not None:
        position = match.end()
        yield match[1], int(match[2])


def with_edits(listed: Iterable[TreeEntry], dirty: Iterable[DirtyFile]) -> dict[bytes, TreeEntry]:
    """Return the entries of a tree by path, with edited files in their place; deleted ones go."""
    entries = {entry.path: entry for entry in listed}
    for file in dirty:
        entries.pop(file.path, None)
        if file.data is not None or file.skip:
            entries[file.path] = TreeEntry(file.path, file.oid, file.mode)
    return entries
