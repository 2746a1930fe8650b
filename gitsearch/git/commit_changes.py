"""Changes of commits: the hunks of each against its first parent, from one process of git."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import IO, NamedTuple

from gitsearch.errors import GitFailed
from gitsearch.git.hunks import ENVIRONMENT, unquoted
from gitsearch.git.repo import Repo, end
from gitsearch.git.trees import absent_objects
from gitsearch.git_conventions import OBJECT_ID

# Independent of the user's settings, and of attributes: a file larger than a megabyte is binary,
# and renames are sought among 200 files at most.
_SETTINGS = ("-c", "core.bigFileThreshold=1m", "-c", "core.quotePath=true")
_PATCH = (
    *("-p", "-U0", "-M", "-l200"),
    *("--diff-algorithm=myers", "--inter-hunk-context=0", "--no-indent-heuristic", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=all"),
    *("--full-index", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/"),
)
_DIFF_TREE = ("diff-tree", "--stdin", "--root", "-r", "--format=%x00%H")
_COMMAND = (*_DIFF_TREE, *_PATCH, "--always")
# Which files change, without a look into them: `:<mode> <mode> <old id> <new id> <status>`.
_RAW = (*_DIFF_TREE, "--raw", "--no-abbrev", "--no-renames", "--no-relative")
_GIT_FAILED = 128
# Which lines enclose a hunk, by language, with their indentation: definitions, and what begins a
# line. Git has drivers for that, but none for JavaScript, and for Python one that passes over
# statements of the module.
_DRIVERS = (
    *("-c", f"core.attributesFile={Path(__file__).with_name('diff_drivers.attributes')}"),
    *("-c", "diff.python.xfuncname=^([ \t]*(class|def|async[ \t]+def)[ \t].*|[A-Za-z_].*)$"),
    "-c",
    "diff.javascript.xfuncname=!^[ \t]*(if|for|while|switch|catch|else|return|do)[ \t({]\n"
    "^([ \t]*((export|default|async|static|public|private|protected|abstract|override)[ \t]+)*"
    "((function|class|interface|enum|namespace)[ \t*].*|(const|let|var)[ \t].*(=>|function).*"
    "|((get|set)[ \t]+)?[A-Za-z_$][A-Za-z0-9_$]*[(][^;]*[{])[ \t]*|[A-Za-z_$].*)$",
)
# The edits of the working tree; git would warn of line endings that do not survive a round trip.
_EDITS = (
    *(*_SETTINGS, "-c", "core.safecrlf=false", "diff-index", "--ita-invisible-in-index"),
    *(*_PATCH, "HEAD", "--"),
)
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_COMMIT = re.compile(rb"\0(%b)\n" % OBJECT_ID.encode())
_PAIR = b"diff --git "
# git prints a line that names no commit as it is: what comes before it is whole.
_WHOLE = b"whole\n"

# Bytes of a line that are kept.
_LINE = 400

# Commits at which git may fail before the others are not asked about: each costs a process.
_MOST_FAILURES = 16


class Bounds(NamedTuple):
    """The most that is kept of a commit: bytes of lines, of one file's lines, and files."""

    text: int
    file: int
    files: int


class Hunk(NamedTuple):
    """Neighbouring lines that a commit removes and adds, each with its sign.

    first, added: 1-based lines of the new side; of a hunk that only removes, the line before it,
    and 0. around: the line above that git shows for the place, such as the start of a function.
    old_path, old_first, removed: the same of the old side.
    """

    path: bytes
    first: int
    added: int
    around: bytes
    lines: tuple[bytes, ...]
    old_path: bytes
    old_first: int
    removed: int


@dataclass(slots=True)
class CommitChange:
    """The files and hunks of a commit, up to bounds.

    paths: of each file, its path and the one before; cut: there is more; absent: git cannot tell.
    """

    oid: str
    paths: list[tuple[bytes, bytes]] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)
    cut: bool = False
    absent: bool = False


def read_changes(
    repo: Repo,
    commits: Sequence[tuple[str, str]],
    bounds: Bounds,
    *,
    by_language: bool = False,
) -> Generator[CommitChange, None, None]:
    """Yield what commits change, each given with its first parent ("": none), in order.

    by_language: the line around a hunk is that of the innermost definition, also in a class.
    A commit that git fails at, for an object is missing or damaged, has no hunks and is `absent`.
    """
    many = len(commits) > _MOST_FAILURES
    incomplete = _incomplete(repo, commits) if repo.partial and many else frozenset()
    whole = [pair for pair in commits if pair[0] not in incomplete]
    with closing(_readable(repo, whole, bounds, _DRIVERS if by_language else ())) as changes:
        for oid, _ in commits:
            yield CommitChange(oid, absent=True) if oid in incomplete else next(changes)


def _incomplete(repo: Repo, commits: Sequence[tuple[str, str]]) -> frozenset[str]:
    """The commits that change files whose contents a partial clone lacks, before or after.

    Without those after one whose folders it lacks, too.
    """
    roots = dict.fromkeys(oid for pair in commits for oid in pair if oid)
    try:
        absent = absent_objects(repo, *roots)
    except GitFailed:
        return frozenset()  # an object is damaged, and each commit is tried
    if not absent:
        return frozenset()
    asked = "".join(f"{commit} {parent}\n" for commit, parent in commits)
    found = set()
    commit = ""
    out = repo.run(*_RAW, stdin=asked.encode("ascii"), ok=(0, _GIT_FAILED))
    for line in out.decode("utf-8", "replace").split("\n"):
        if line.startswith("\0"):
            commit = line[1:]
        elif line.startswith(":") and not absent.isdisjoint(line.split(" ", 4)[2:4]):
            found.add(commit)
    return frozenset(found)


def _readable(
    repo: Repo, commits: Sequence[tuple[str, str]], bounds: Bounds, settings: Sequence[str]
) -> Generator[CommitChange, None, None]:
    """Yield what commits change; those at which git fails are absent, and in the end the rest."""
    left = list(commits)
    for _ in range(_MOST_FAILURES):
        if not left:
            return
        done = 0
        for change in _until_failure(repo, left, bounds, settings):
            yield change
            done += 1
        left = left[done:]
        if left:
            yield CommitChange(left[0][0], absent=True)
            left = left[1:]
    for oid, _ in left:
        yield CommitChange(oid, absent=True)


def read_edits(repo: Repo, bounds: Bounds, pathspecs: Sequence[str] = ()) -> CommitChange:
    """Return what is edited or staged since HEAD, as of a commit without an id.

    pathspecs are relative to the folder in which the user is.
    """
    folder = str(repo.top / repo.prefix)
    process = repo.pipe("-C", folder, *_EDITS, *pathspecs, env=ENVIRONMENT, stdin=False)
    assert process.stdout is not None
    edits = CommitChange("")
    try:
        reader = _FileReader(bounds)
        reader.begin(edits)
        lines = iter(process.stdout)
        for line in lines:
            reader.read(line, lines)
        # of a file that cannot be read git says no more
        edits.absent = process.wait() != 0
    finally:
        end(process)
    return edits


def _until_failure(
    repo: Repo, commits: Sequence[tuple[str, str]], bounds: Bounds, settings: Sequence[str]
) -> Iterator[CommitChange]:
    """Yield the changes up to the one at which git fails."""
    settings = (*_SETTINGS, *settings)
    process = repo.pipe("-C", str(repo.git_dir), *settings, *_COMMAND, env=_environment(repo))
    assert process.stdin is not None
    assert process.stdout is not None
    feeder = Thread(target=_feed, args=(process.stdin, commits))
    feeder.start()
    try:
        yield from _parsed(process.stdout, commits, bounds)
    finally:
        process.kill()
        feeder.join()
        end(process)


def _environment(repo: Repo) -> dict[str, str]:
    """No attributes are read of a working tree or an index: they say how files are now."""
    nowhere = repo.git_dir / "no-index"
    return {**ENVIRONMENT, "GIT_WORK_TREE": str(repo.git_dir), "GIT_INDEX_FILE": str(nowhere)}


def _feed(pipe: IO[bytes], commits: Iterable[tuple[str, str]]) -> None:
    try:
        for commit, parent in commits:
            pipe.write(f"{commit} {parent}\n".encode("ascii") + _WHOLE)
        pipe.close()
    except (BrokenPipeError, ValueError):
        return  # git ended, or nobody reads any more


def _parsed(
    lines: Iterable[bytes], commits: Sequence[tuple[str, str]], bounds: Bounds
) -> Iterator[CommitChange]:
    """Parse patches without context, of each whole commit.

    Lines of files are counted, so none is taken for a header.
    """
    oids = (oid for oid, _ in commits)
    change: CommitChange | None = None
    reader = _FileReader(bounds)
    lines = iter(lines)
    for line in lines:
        if line.startswith(b"\0"):
            if match := _COMMIT.match(line):
                change = CommitChange(match[1].decode("ascii"))
                reader.begin(change)
        elif line == _WHOLE:
            oid = next(oids)
            # git says nothing of a commit that is missing, and goes on
            yield CommitChange(oid, absent=True) if change is None else change
            change = None
        elif change is not None:
            reader.read(line, lines)


class _FileReader:
    """Reads the files of one commit after another, up to bounds."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds

    def begin(self, change: CommitChange) -> None:
        self._change = change
        self._left = self._bounds.text
        self._of_file = 0
        self._old = self._path = b""

    def read(self, line: bytes, lines: Iterator[bytes]) -> None:
        """Take a line of a header, and the lines of the hunk that it begins."""
        if line.startswith(b"@@ "):
            if match := _HUNK.match(line):
                self._hunk(match, lines)
        elif line.startswith(_PAIR):
            self._file(line)
        elif line.startswith((b"rename from ", b"copy from ")):
            self._old = unquoted(line.partition(b" from ")[2].rstrip(b"\n"))
        elif line.startswith((b"rename to ", b"copy to ")):
            self._path = unquoted(line.partition(b" to ")[2].rstrip(b"\n"))
            if self._change.paths and self._of_file >= 0:
                self._change.paths[-1] = self._path, self._old

    def _file(self, line: bytes) -> None:
        # both paths are the same but for a rename, which is told next
        pair = line[len(_PAIR) :].rstrip(b"\n")
        self._old = self._path = unquoted(pair[len(pair) // 2 + 1 :])[2:]
        if len(self._change.paths) < self._bounds.files:
            self._change.paths.append((self._path, self._path))
            self._of_file = self._bounds.file
        else:
            self._change.cut = True
            self._of_file = -1

    def _hunk(self, match: re.Match[bytes], lines: Iterator[bytes]) -> None:
        """Read so many removed and added lines; a note on a missing line feed is none of them."""
        removed, added = (int(match[i]) if match[i] else 1 for i in (2, 4))
        old_first, first = int(match[1]), int(match[3])
        kept: list[bytes] = []
        missing = removed + added
        while missing:
            line = next(lines, b"")
            if not line:
                break
            if line.startswith(b"\\"):
                continue
            missing -= 1
            room = min(self._left, self._of_file)
            if room > 0:
                text = line[:_LINE].rstrip(b"\r\n")
                kept.append(text)
                self._left -= len(text)
                self._of_file -= len(text)
            else:
                self._change.cut = True
        if kept:
            around = match[5][:_LINE]
            old = self._old, old_first, removed
            self._change.hunks.append(Hunk(self._path, first, added, around, tuple(kept), *old))
