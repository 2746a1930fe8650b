"""Differences between HEAD and the working tree, each file as the blob that git would store."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from gitsearch.errors import GitFailed
from gitsearch.git import regular_file
from gitsearch.git.attributes import temporary_index, values_by_path
from gitsearch.git.blobs import read_blobs, sizes
from gitsearch.git.repo import Repo, Running
from gitsearch.git.trees import EMPTY_TREE, PRIVATE, diff_index
from gitsearch.git_conventions import (
    ATTRIBUTES_FILE,
    MODE_EXECUTABLE,
    MODE_FILE,
    MODE_SUBMODULE,
    MODE_SYMLINK,
)
from gitsearch.records import DirtyFile, TreeChange, TreeEntry

# Explicit options in place of the user's status.* settings; -u is added.
STATUS = (
    *("status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames"),
    # the state inside a submodule is not needed, and git would be run there
    "--ignore-submodules=all",
)
TRACKED_ONLY = "--untracked-files=no"
UNBORN = b"(initial)"

# The mode of a path that does not exist.
GONE = 0

# Attributes by which the blob of a file without CR LF can differ from its bytes.
CONVERSIONS = ("filter", "ident", "working-tree-encoding")
UNSET = ("unspecified", "unset")
# Line endings that would not survive a round trip are no error.
UNSAFE = ("-c", "core.safecrlf=false")
SHA1_HEX_SIZE = 40
# Why a file is not read, by the number of the error.
REASONS = {errno.ELOOP: "symlink", errno.EFBIG: "too-large"}


@dataclass(frozen=True, slots=True)
class WorktreeState:
    """The commit of HEAD (None if unborn), and the files that differ from it."""

    head: str | None
    dirty: list[DirtyFile]


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line of git status: the state of a path in HEAD, the index and the working tree.

    clean: the working tree has the content of the index.
    """

    path: bytes
    head_mode: int
    head_oid: str
    index_mode: int
    index_oid: str
    mode: int
    clean: bool


def staged(repo: Repo, head_tree: str | None) -> list[TreeChange]:
    """Return the paths that differ between a tree (None: the empty one) and the index."""
    return diff_index(repo, head_tree or EMPTY_TREE[repo.hexsz])


# ---------------------------------------------------------------- status


def start_status(repo: Repo, *, untracked: bool, compared: Path | None = None) -> Running:
    """Start git status in the background; `read_status` reads its output.

    compared: a copy of git's index that is read in its place.
    """
    env = {} if compared is None else {"GIT_INDEX_FILE": str(compared)}
    which = "--untracked-files=all" if untracked else TRACKED_ONLY
    return repo.start(*STATUS, which, env=env)


def read_status(repo: Repo, running: Started, max_size: int) -> WorktreeState:
    """Wait for git status and read the files that it lists, each at most `max_size` bytes.

    A file is dirty if the blob that git would store differs from HEAD's; a changed mode alone is
    no difference. Files with a Git LFS filter are not read, and symbolic links are not followed.
    If nothing was ever checked out, files of HEAD do not count as deleted.
    """
    head, entries = _parse(running.result())
    # `git clone --no-checkout` writes none, and then git reports every file of HEAD as deleted
    if not has_index(repo):
        entries = [entry for entry in entries if entry.mode != GONE]
    files = _Files(repo, max_size)
    for entry in entries:
        files.add(entry)
    dirty = sorted(files.read(), key=lambda file: file.path)
    return WorktreeState(head, dirty)


def has_index(repo: Repo) -> bool:
    """Return False if nothing was ever checked out or staged."""
    return repo.index_file.exists()


def untracked(repo: Repo) -> set[bytes]:
    """Return the paths of untracked files that are not ignored; of nested repositories folders."""
    out = repo.run("ls-files", "-z", "--others", "--exclude-standard")
    return set(out.split(b"\0")[:-1])


def is_untracked(repo: Repo, path: bytes) -> bool:
    """Return True for a file of the working tree that git does not track, ignored or not."""
    if repo.worktree is None or not path:
        return False
    args = ("--literal-pathspecs", "ls-files", "-z", "--others", "--", os.fsdecode(path))
    # git refuses what is inside of a submodule
    return repo.run(*args, ok=(0, 128)) == path + b"\0"


class Started(Protocol):
    """git status at work, as far as its output."""

    def result(self) -> bytes:
        """Return what git prints. Raises GitFailed."""
        ...


class Status(Protocol):
    """The state of a working tree, which git may still be looking at."""

    def read(self, max_size: int, /) -> WorktreeState:
        """Return the state, with edited files of at most `max_size` bytes. Raises SearchError."""
        ...

    def cancel(self) -> None:
        """Ask no more."""
        ...


class StartedStatus:
    """git status at work.

    compared: as for `start_status`; git's own index is read if it is gone or cannot be read.
    """

    def __init__(self, repo: Repo, *, untracked: bool, compared: Path | None = None) -> None:
        self._repo = repo
        self._untracked = untracked
        self._compared = compared
        self._running = start_status(repo, untracked=untracked, compared=compared)

    def read(self, max_size: int, /) -> WorktreeState:
        """As `Status`."""
        return read_status(self._repo, self, max_size)

    def result(self) -> bytes:
        """Return what git prints. Raises GitFailed."""
        if self._compared is None:
            return self._running.result()
        with suppress(GitFailed):
            out = self._running.result()
            # git takes an index that is not there for an empty one
            if self._compared.exists():
                return out
        return start_status(self._repo, untracked=self._untracked).result()

    def cancel(self) -> None:
        """End git."""
        self._running.cancel()


def _parse(out: bytes) -> tuple[str | None, list[_Entry]]:
    head = None
    entries: dict[bytes, _Entry] = {}
    for line in out.split(b"\0")[:-1]:
        kind, _, rest = line.partition(b" ")
        if kind == b"#" and rest.startswith(b"branch.oid "):
            oid = rest.split(b" ")[1]
            head = None if oid == UNBORN else oid.decode("ascii")
        elif kind == b"1":
            # XY, submodule state, modes of HEAD, index and working tree, ids of HEAD and index
            *fields, path = rest.split(b" ", 7)
            clean = fields[0].endswith(b".")
            entries[path] = _entry(path, fields[2:5], fields[5:7], clean=clean)
        elif kind == b"u":
            # XY, submodule state, modes of the three stages and the working tree, their ids;
            # "ours" takes the place of the index, and is also in HEAD
            *fields, path = rest.split(b" ", 9)
            modes, oids = (fields[3], fields[3], fields[5]), (fields[7], fields[7])
            entries[path] = _entry(path, modes, oids, clean=False)
        elif kind == b"?" and not rest.endswith(b"/"):
            # a path with a slash is a nested repository; a known path was only removed from the
            # index, so that its entry in HEAD still counts
            known = entries.get(rest, _Entry(rest, GONE, "", GONE, "", GONE, clean=False))
            entries[rest] = replace(known, mode=MODE_FILE, clean=False)
    return head, list(entries.values())


def _entry(path: bytes, modes: Sequence[bytes], oids: Sequence[bytes], *, clean: bool) -> _Entry:
    head, index, worktree = (int(mode, 8) for mode in modes)
    head_oid, index_oid = (oid.decode("ascii") for oid in oids)
    return _Entry(path, head, head_oid, index, index_oid, worktree, clean)


# ---------------------------------------------------------------- files


class _Files:
    """Collects the dirty files among the entries of one git status."""

    def __init__(self, repo: Repo, max_size: int) -> None:
        self.repo = repo
        self.max_size = max_size
        self.done: list[DirtyFile] = []
        self.stored: list[_Entry] = []
        self.to_read: list[_Entry] = []
        self.lost_attributes: list[_Entry] = []

    def add(self, entry: _Entry) -> None:
        """Classify an entry by its modes: gone, skipped, stored in the index, or to be read."""
        if entry.mode in (GONE, MODE_SUBMODULE):
            self.gone(entry)
            if entry.index_mode and entry.path.rpartition(b"/")[2] == ATTRIBUTES_FILE:
                # git uses the attributes file of the index if the working tree has none
                self.lost_attributes.append(entry)
        elif entry.mode == MODE_SYMLINK:
            self.skip(entry, "symlink")
        elif entry.clean:
            self.stored.append(entry)
        else:
            self.to_read.append(entry)

    def gone(self, entry: _Entry) -> None:
        """Record a file that is missing in the working tree, if HEAD has it."""
        if entry.head_mode not in (GONE, MODE_SUBMODULE):
            self.done.append(DirtyFile(entry.path, "", entry.head_mode, None))

    def skip(self, entry: _Entry, reason: str) -> None:
        """Record a file that differs but is not read, with the reason."""
        self.done.append(DirtyFile(entry.path, "", entry.mode, None, reason))

    def keep(self, entry: _Entry, oid: str, data: bytes) -> None:
        """Record a file that was read, unless it equals HEAD's."""
        if oid != entry.head_oid or entry.head_mode not in (MODE_FILE, MODE_EXECUTABLE):
            self.done.append(DirtyFile(entry.path, oid, entry.mode, data))

    def read(self) -> list[DirtyFile]:
        """Read the files that have to be read, and return all dirty files, unordered."""
        attributes = self._conversions()
        to_convert = []
        for entry in self.to_read:
            conversions = attributes.get(entry.path, {})
            if conversions.get("filter") == "lfs":
                self.skip(entry, "lfs")
                continue
            try:
                mode, data = _read_file(self.repo, entry, self.max_size)
            except (FileNotFoundError, NotADirectoryError):
                self.gone(entry)
            except OSError as error:
                self.skip(entry, REASONS.get(error.errno or 0, "unreadable"))
            else:
                read = replace(entry, mode=mode)
                if conversions or b"\r\n" in data:
                    to_convert.append(read)
                else:
                    self.keep(read, _blob_id(data, self.repo.hexsz), data)
        if to_convert:
            self._convert(to_convert)
        self._read_blobs(self.stored, None)
        return self.done

    def _conversions(self) -> dict[bytes, dict[str, str]]:
        if not self.to_read:
            return {}
        paths = b"".join(entry.path + b"\0" for entry in self.to_read)
        out = self.repo.run("check-attr", "-z", "--stdin", *CONVERSIONS, stdin=paths)
        return values_by_path(out, CONVERSIONS, UNSET)

    def _convert(self, entries: list[_Entry]) -> None:
        # Only git can tell what it would store: line endings depend on attributes, settings and
        # the blob in the index. It writes the blobs into a temporary folder.
        staged = [
            TreeEntry(entry.path, entry.index_oid, entry.index_mode)
            for entry in (*entries, *self.lost_attributes)
            if entry.index_mode != GONE
        ]
        with ExitStack() as stack:
            try:
                _, env = stack.enter_context(temporary_index(self.repo, staged))
            except (OSError, GitFailed):
                # no room for temporary files
                for entry in entries:
                    self.skip(entry, "unreadable")
                return
            refused = _store(self.repo, env, [entry.path for entry in entries])
            records = self.repo.run("ls-files", "-s", "-z", env=env).split(b"\0")[:-1]
            # "100644 <id> 0TAB<path>"
            staged_ids = (record.split(b"\t", 1) for record in records)
            ids = {path: meta.split(b" ")[1].decode("ascii") for meta, path in staged_ids}
            converted = []
            for entry in entries:
                if entry.path in refused:
                    self.skip(entry, "unreadable")
                elif entry.path in ids:
                    converted.append(replace(entry, index_oid=ids[entry.path]))
                else:
                    self.gone(entry)
            self._read_blobs(converted, env)

    def _read_blobs(self, entries: list[_Entry], env: Mapping[str, str] | None) -> None:
        size_of = sizes(self.repo, [entry.index_oid for entry in entries], env)
        small = []
        for entry in entries:
            if entry.index_oid not in size_of:
                self.skip(entry, "absent")
            elif size_of[entry.index_oid] > self.max_size:
                self.skip(entry, "too-large")
            else:
                small.append(entry)
        blobs = read_blobs(self.repo, [entry.index_oid for entry in small], env)
        for entry, (oid, data) in zip(small, blobs, strict=True):
            if data is None:
                self.skip(entry, "unreadable")
            else:
                self.keep(entry, oid, data)


def _read_file(repo: Repo, entry: _Entry, max_size: int) -> tuple[int, bytes]:
    """Return mode and content of a file now; it may have changed since git status.

    Raises OSError, with a number of REASONS if it is a link or too large.
    """
    path = repo.top / os.fsdecode(entry.path)
    if path.parent.resolve() != path.parent:
        raise OSError(errno.ELOOP, "it is behind a link", str(path))
    data, mode = regular_file.read_with_mode(path, max_size, follow=False)
    if entry.index_mode != GONE:
        return entry.mode, data
    # git status does not tell the mode of an untracked file
    return MODE_EXECUTABLE if mode & stat.S_IXUSR else MODE_FILE, data


def _blob_id(data: bytes, hexsz: int) -> str:
    from hashlib import new

    algorithm = "sha1" if hexsz == SHA1_HEX_SIZE else "sha256"
    return new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _store(repo: Repo, env: Mapping[str, str], paths: list[bytes]) -> set[bytes]:
    """Let git store files in the index; return the paths that it refuses, found by bisection."""
    stdin = b"".join(path + b"\0" for path in paths)
    try:
        repo.run(
            *(*PRIVATE, *UNSAFE, "update-index", "--add", "--remove", "-z", "--stdin"),
            stdin=stdin,
            env=env,
        )
    except GitFailed:
        if len(paths) == 1:
            return set(paths)
        half = len(paths) // 2
        return _store(repo, env, paths[:half]) | _store(repo, env, paths[half:])
    return set()
