"""The commits that wrote the lines of a file, by `git blame`."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gitsearch.errors import GitFailed, UsageError, brief
from gitsearch.git.hunks import unquoted
from gitsearch.git.regular_file import read
from gitsearch.git.repo import Repo, Running
from gitsearch.git_conventions import OBJECT_ID

# A change of white space alone writes no line. Of a moved or copied line (-C) the commit is sought
# that wrote it first, among the files that the commit which moved it has changed.
_ALIKE = ("-w", "--no-textconv")
_FOLLOWED = "-C"
_MARKED = ("-c", "blame.markIgnoredLines=true", "-c", "blame.markUnblamableLines=true")
# What git says of a file of ignored revisions that it cannot read.
_NO_LIST = "object name list: "

_HEADER = re.compile(rb"(%b) \d+ \d+" % OBJECT_ID.encode())
_MARKS = re.compile(rb"\^?([?*]*)")
# The most bytes of the list of commits at which a shallow clone ends.
_MOST_SHALLOW = 16 << 20


class Blame(NamedTuple):
    """The commit of each of some lines, in order; "" for a line that is not committed.

    origins: by commit, the path of the file in which it wrote the first of them. passed_over: the
    number of lines of which an ignored commit was the last to change them. binary:
    the lines have a NUL.
    """

    commits: tuple[str, ...]
    origins: dict[str, bytes]
    passed_over: int = 0
    binary: bool = False


@dataclass(frozen=True, slots=True)
class RunningBlame:
    """A blame that git is at work on; `result` waits for it, `cancel` ends it.

    marked: the same with marks for ignored commits, which the porcelain format has not.
    """

    _running: Running
    _marked: Running | None

    def result(self) -> Blame:
        """Return it. Raises GitFailed, also for lines that the file does not have.

        Raises UsageError if `blame.ignoreRevsFile` names what cannot be read.
        """
        try:
            found = _parsed(self._running.result())
        except GitFailed as error:
            self.cancel()
            _, bad, file = error.message.partition(_NO_LIST)
            if not bad:
                raise
            what = f"git config blame.ignoreRevsFile: '{brief(file)}' is no list"
            raise UsageError(what) from None
        if self._marked is None:
            return found
        return found._replace(passed_over=_marks(self._marked.result()))

    def cancel(self) -> None:
        """End the processes."""
        self._running.cancel()
        if self._marked is not None:
            self._marked.cancel()


def start_blame(
    repo: Repo,
    path: bytes,
    *,
    rev: str | None = None,
    lines: Sequence[tuple[int, int]] = (),
    followed: bool = True,
    ignoring: bool = False,
    flagged: Container[bytes] = (),
) -> RunningBlame:
    """Start to seek the commits of lines of a file of a commit, or of the working tree.

    lines: 1-based ranges; all, if none are given. followed: lines that were moved or copied from
    other files have the commit that wrote them there. ignoring: `blame.ignoreRevsFile` is set.

    flagged: files that git takes to be as in its index. They are as in HEAD, and so is what a
    sparse checkout leaves out.
    """
    if rev is None and (path in flagged or not os.path.lexists(repo.top / os.fsdecode(path))):
        rev = "HEAD"
    ranges = [f"-L{first},{last}" for first, last in lines]
    wanted = (*_ALIKE, *([_FOLLOWED] * followed), *ranges, *([rev] if rev else []))
    which = (*wanted, "--", path.decode("utf-8", "surrogateescape"))
    found = _start(repo, "blame", "--porcelain", *which)
    marked = _start(repo, *_MARKED, "blame", "-l", "-s", *which) if ignoring else None
    return RunningBlame(found, marked)


def shallow_commits(repo: Repo) -> frozenset[str]:
    """The commits at which this clone ends; git takes them for the authors of all before them."""
    try:
        text = read(repo.common_dir / "shallow", _MOST_SHALLOW)
    except OSError:
        return frozenset()
    return frozenset(text.decode("ascii", "replace").split())


def _start(repo: Repo, *args: str) -> Running:
    return Running(repo.pipe(*args, stdin=False, stderr=True), args, ok=(0,))


def _parsed(out: bytes) -> Blame:
    """Parse the porcelain format: the text of a line stands behind a tab, after its header."""
    commits: list[str] = []
    origins: dict[str, bytes] = {}
    commit = ""
    for line in out.split(b"\n"):
        if line.startswith(b"\t"):
            commits.append(commit)
        elif header := _HEADER.match(line):
            oid = header[1].decode("ascii")
            commit = oid if oid.strip("0") else ""
        elif line.startswith(b"filename "):
            origins.setdefault(commit, unquoted(line.removeprefix(b"filename ")))
    return Blame(tuple(commits), origins, binary=b"\0" in out)


def _marks(out: bytes) -> int:
    """The number of lines with the mark of an ignored commit."""
    starts = (_MARKS.match(line) for line in out.split(b"\n"))
    return sum(bool(start and start[1]) for start in starts)
