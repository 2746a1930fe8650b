"""Watches of folders: the system tells that nothing was touched since some moment.

Linux queues an event before the call that touches a file returns, and the queue is read when a
question begins: what was edited before is seen. Where that does not hold, nothing is watched: file
systems that others may write to without this system, files with several names, mounts inside of a
work tree, systems without inotify. A queue that was too small counts as a change of everything.
"""

from __future__ import annotations

import errno
import os
import stat
import weakref
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gitsearch.git import regular_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from inotify_simple import Event, INotify

# Files that are looked at, each with its folder, for watches that one question sets up.
MOST_AT_ONCE = 20_000

# Of the folders that a user may watch one in so many is watched at most: other programs watch too.
_PART = 2
_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")
_NUMBER_BYTES = 32

# Numbers of errors for which no further folder can be watched, whichever it is.
_EXHAUSTED = frozenset({errno.ENOSPC, errno.ENOMEM, errno.EMFILE, errno.ENFILE})

# File systems of this machine alone (proc(5), /proc/pid/mountinfo).
_LOCAL = frozenset(
    {b"bcachefs", b"btrfs", b"ext2", b"ext3", b"ext4", b"f2fs", b"tmpfs", b"xfs", b"zfs"}
)
_MOUNTS = Path("/proc/self/mountinfo")
_MOUNTS_BYTES = 1 << 24
_MOUNT_POINT = 4


class WatchedTree:
    """A watched work tree, or some folders that are watched together.

    events: how often something was told of it. is_whole: False if folders may be unwatched.
    numbers: those of its watches.
    """

    __slots__ = ("events", "is_whole", "numbers")

    def __init__(self) -> None:
        self.events = 0
        self.is_whole = True
        self.numbers: list[int] = []


class Watches:
    """The watches of a process: folders of many work trees, with one queue of events."""

    def __init__(self) -> None:
        self._notify: INotify | None = None
        self._are_possible = True
        # by the number of a watch: a folder may be in several
        self._trees: dict[int, list[WatchedTree]] = {}
        self._mounts = b""
        self._most = 0
        self._left = 0

    def begin(self) -> None:
        """Begin a question: it may set up a few watches, and sees what was touched before it."""
        self._left = MOST_AT_ONCE
        if self._notify is not None:
            self._read(self._notify)
            mounts = _mounts()
            if mounts != self._mounts:
                self._lose_all()
                self._mounts = mounts

    @property
    def may_watch(self) -> bool:
        """True if one more tree may be watched from this question on."""
        return self._are_possible and self._left > 0

    def watch(self, top: Path, paths: Sequence[bytes]) -> WatchedTree | None:
        """Watch the folders of files; None if that would not tell of all changes.

        top: the top of the work tree. What is touched from the return on will be told of.
        """
        if not self._opened() or not _is_local(top, self._mounts):
            return None
        self._left -= len(paths)
        tree = WatchedTree()
        above = os.fsencode(top) + b"/"
        try:
            self._add(tree, above, _folders(paths))
        except OSError as error:  # one folder may be closed to us, which git may know how to pass
            self._are_possible = error.errno not in _EXHAUSTED
        else:
            if not any(_has_names(above + path) for path in paths):
                return tree
        self.forget(tree)
        return None

    def watch_folders(
        self, top: Path, folders: Sequence[str], files: Sequence[str]
    ) -> WatchedTree | None:
        """Watch what lies in some folders themselves; None if that would not tell of all changes.

        top: a folder around all of them. files: what is asked about, each in one of the folders.
        What is not there yet will be told of, if the folder around it is watched.
        """
        if not self._opened() or not _is_local(top, self._mounts):
            return None
        self._left -= len(folders) + len(files)
        tree = WatchedTree()
        try:
            self._add(tree, b"", map(os.fsencode, folders))
        except OSError as error:
            self._are_possible = error.errno not in _EXHAUSTED
        else:
            if all(map(_is_folder, folders)) and all(map(_has_one_name, files)):
                return tree
        self.forget(tree)
        return None

    def forget(self, tree: WatchedTree) -> None:
        """Watch a tree no more."""
        for number in tree.numbers:
            others = [other for other in self._trees.get(number, ()) if other is not tree]
            if others:
                self._trees[number] = others
            elif self._trees.pop(number, None) and self._notify is not None:
                with suppress(OSError):  # its folder is gone
                    self._notify.rm_watch(number)

    def _opened(self) -> bool:
        if self._notify is None and self._are_possible:
            try:
                from inotify_simple import INotify

                notify = INotify()
                weakref.finalize(self, notify.close)
                limit = int(regular_file.read(_LIMIT, _NUMBER_BYTES))
            except (ImportError, OSError, ValueError):
                self._are_possible = False
            else:
                self._notify = notify
                self._most = limit // _PART
                self._mounts = _mounts()
        return self._are_possible

    def _add(self, tree: WatchedTree, above: bytes, folders: Iterable[bytes]) -> None:
        from inotify_simple import flags

        mask = (
            *(flags.MODIFY, flags.ATTRIB, flags.CLOSE_WRITE, flags.CREATE, flags.DELETE),
            *(flags.MOVED_FROM, flags.MOVED_TO, flags.DELETE_SELF, flags.MOVE_SELF),
            *(flags.ONLYDIR, flags.DONT_FOLLOW),
        )
        every = sum(mask)
        assert self._notify is not None
        for folder in folders:
            if len(self._trees) >= self._most:
                raise OSError(errno.ENOSPC, "too many folders")
            # one that is not there, or is a link, is seen from the folder around it
            with suppress(FileNotFoundError, NotADirectoryError):
                number = self._notify.add_watch(above + folder, every)
                self._trees.setdefault(number, []).append(tree)
                tree.numbers.append(number)

    def _read(self, notify: INotify) -> None:
        try:
            self._count(notify.read(timeout=0))
        except BaseException:  # a question that is cancelled here has taken events from the queue
            self._lose_all()
            raise

    def _count(self, events: Iterable[Event]) -> None:
        from inotify_simple import flags

        structure = (
            flags.ISDIR | flags.DELETE_SELF | flags.MOVE_SELF | flags.IGNORED | flags.UNMOUNT
        )
        for event in events:
            if event.mask & flags.Q_OVERFLOW:
                self._lose_all()
            for tree in self._trees.get(event.wd, ()):
                tree.events += 1
                tree.is_whole &= not event.mask & structure
            if event.mask & flags.IGNORED:
                self._trees.pop(event.wd, None)

    def _lose_all(self) -> None:
        for trees in self._trees.values():
            for tree in trees:
                tree.events += 1
                tree.is_whole = False


def _mounts() -> bytes:
    """The list of mounts; nothing if it cannot be read, so that no file system is known."""
    try:
        return regular_file.read(_MOUNTS, _MOUNTS_BYTES)
    except OSError:
        return b""


def _is_local(top: Path, mounts: bytes) -> bool:
    """Return True if a folder and all below it lie on one file system of this machine alone."""
    around, kind = b"", b""
    own = _escaped(os.fsencode(top))
    for line in mounts.splitlines():
        before, _, after = line.partition(b" - ")
        point = before.split(b" ")[_MOUNT_POINT]
        if _is_inside(point, own) and point != own:
            return False
        # the last of those that are mounted at one place hides the others
        if _is_inside(own, point) and len(point) >= len(around):
            around, kind = point, after.split(b" ")[0]
    return kind in _LOCAL


def _is_inside(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _escaped(path: bytes) -> bytes:
    """Return a path as it is written in the list of mounts."""
    for one in b"\\ \t\n":
        path = path.replace(bytes([one]), b"\\%03o" % one)
    return path


def _folders(paths: Iterable[bytes]) -> Iterator[bytes]:
    """Yield each folder on the way to a file once, that around it first; b"" is the top."""
    seen = {b""}
    yield b""
    for path in paths:
        folder = path.rpartition(b"/")[0]
        new = []
        while folder not in seen:
            seen.add(folder)
            new.append(folder)
            folder = folder.rpartition(b"/")[0]
        yield from reversed(new)


def _has_names(path: bytes) -> bool:
    """Return True if a file has several names: by another one it is written to unseen."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode)  # as a submodule is


def _is_folder(path: str) -> bool:
    """Return True for a folder that is no link, and for one that is not there."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError as error:
        return error.errno == errno.ENOENT


def _has_one_name(path: str) -> bool:
    """Return True for a regular file without other names, a folder, and what is not there."""
    try:
        status = os.lstat(path)
    except OSError as error:
        return error.errno in (errno.ENOENT, errno.ENOTDIR)
    return stat.S_ISDIR(status.st_mode) or (stat.S_ISREG(status.st_mode) and status.st_nlink == 1)
