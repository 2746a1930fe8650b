"""Metadata of commits: author, date and message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gitsearch.git.repo import Repo, Running

# Author and address by .mailmap; the date of the author, and the seconds of the committer.
_FORMAT = "%H%x00%P%x00%aN%x00%aE%x00%aI%x00%ct%x00%B%x00"
_FIELDS = 7
_AUTHORS = "%x00%H%x00%aN%x00%aE%x00%aI%x00"
_AUTHOR_FIELDS = 4
# Seconds that fit into 64 bits; git prints what a damaged commit says.
_SECONDS = re.compile(rb"-?[0-9]{1,18}")


class CommitRecord(NamedTuple):
    """A commit: names by .mailmap, the author's date in ISO 8601, the committer's in seconds."""

    oid: str
    parents: tuple[str, ...]
    author: str
    email: str
    date: str
    seconds: int
    message: str

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0]


class AuthoredChange(NamedTuple):
    """The author of a commit and the paths that it changes."""

    author: str
    email: str
    date: str
    paths: tuple[bytes, ...]


def newest_commits(repo: Repo, commit: str, most: int) -> list[str]:
    """Return the ids of the newest commits that a commit reaches, up to a number."""
    out = repo.run("rev-list", f"--max-count={most}", "--end-of-options", commit)
    return out.decode("ascii").split()


def commits_between(repo: Repo, base: str, head: str, most: int) -> list[str]:
    """Return the ids of the newest commits that one reaches and another does not."""
    out = repo.run("rev-list", f"--max-count={most}", "--end-of-options", head, f"^{base}")
    return out.decode("ascii").split()


def newest_records(repo: Repo, commit: str, most: int) -> list[CommitRecord]:
    """Return what the newest commits say that a commit reaches, up to a number."""
    options = (f"--max-count={most}", "--encoding=UTF-8", f"--format={_FORMAT}")
    return list(_records(repo.run("rev-list", *options, "--end-of-options", commit)))


def matching_commits(
    repo: Repo, commit: str, options: Sequence[str], pathspecs: Sequence[str]
) -> set[str]:
    """Return the ids that `git rev-list` gives from a commit with these options and pathspecs.

    Raises GitFailed.
    """
    # pathspecs are relative to the folder in which the user is
    folder = str(repo.top / repo.prefix)
    args = ("rev-list", *options, "--end-of-options", commit, "--", *pathspecs)
    return set(repo.run("-C", folder, *args).decode("ascii").split())


def matching_paths(
    repo: Repo, records: Iterable[CommitRecord], pathspecs: Sequence[str]
) -> dict[str, set[bytes]]:
    """Return the paths that match pathspecs, of those that each commit changes, by its id.

    They are relative to the folder in which the user is. Raises GitFailed.
    """
    parents = {record.oid: (*record.parents, "")[0] for record in records}
    folder = str(repo.top / repo.prefix)
    options = ("--stdin", "--root", "-r", "-z", "--name-only", "--no-renames", "--no-relative")
    args = ("-C", folder, "diff-tree", *options, "--", *pathspecs)
    asked = "".join(f"{commit} {parent}\n" for commit, parent in parents.items())
    found: dict[str, set[bytes]] = {oid: set() for oid in parents}
    paths: set[bytes] = set()
    for field in repo.run(*args, stdin=asked.encode("ascii")).split(b"\0")[:-1]:
        oid = field.decode("utf-8", "replace")
        if oid in found:
            paths = found[oid]
        else:
            paths.add(field)
    return found


class CommitReader:
    """A process of git that waits for ids of commits and tells what they say, once."""

    def __init__(self, repo: Repo) -> None:
        options = ("--no-walk=unsorted", "--encoding=UTF-8", f"--format={_FORMAT}", "--stdin")
        args = ("rev-list", *options)
        self._running = Running(repo.pipe(*args, stderr=True), args, ok=(0,))

    def read(self, commits: Iterable[str]) -> dict[str, CommitRecord]:
        """Return what commits say, by id. Raises GitFailed."""
        asked = "".join(f"{commit}\n" for commit in commits).encode("ascii")
        if not asked:
            self.cancel()  # it would fail without any
            return {}
        return {record.oid: record for record in _records(self._running.result(asked))}

    def cancel(self) -> None:
        """End the process."""
        self._running.cancel()


def read_commits(repo: Repo, commits: Iterable[str]) -> dict[str, CommitRecord]:
    """Return what commits say, by id. Raises GitFailed."""
    asked = list(commits)
    return CommitReader(repo).read(asked) if asked else {}


def _records(out: bytes) -> Iterator[CommitRecord]:
    fields = out.split(b"\0")
    for start in range(0, len(fields) - _FIELDS, _FIELDS):
        # before the first field stands the line of rev-list with the id
        oid, parents, author, email, date, seconds, message = fields[start : start + _FIELDS]
        yield CommitRecord(
            oid.rpartition(b"\n")[2].decode("ascii"),
            tuple(parents.decode("ascii").split()),
            author.decode("utf-8", "replace"),
            email.decode("utf-8", "replace"),
            date.decode("ascii", "replace"),
            int(seconds) if _SECONDS.fullmatch(seconds) else 0,
            message.decode("utf-8", "replace").strip(),
        )


def authored_changes(repo: Repo, commit: str, most: int) -> list[AuthoredChange]:
    """Return the newest commits that are no merges, up to a number, with their authors.

    Raises GitFailed.
    """
    out = repo.run(
        *("log", "--no-merges", f"--max-count={most}", "--encoding=UTF-8", f"--format={_AUTHORS}"),
        *("--name-only", "-z", "--no-renames", "--no-show-signature", "--end-of-options", commit),
    )
    return list(_changes(out.split(b"\0")))


def _changes(fields: Sequence[bytes]) -> Iterator[AuthoredChange]:
    """Parse commits, each behind an empty field: the author's, an empty one, and the paths."""
    position = 1
    while position + _AUTHOR_FIELDS < len(fields):
        _, author, email, date = fields[position : position + _AUTHOR_FIELDS]
        position += _AUTHOR_FIELDS + 1
        end = fields.index(b"", position)
        paths = fields[position:end]
        yield AuthoredChange(
            author.decode("utf-8", "replace"),
            email.decode("utf-8", "replace"),
            date.decode("ascii", "replace"),
            (*(path.removeprefix(b"\n") for path in paths[:1]), *paths[1:]),
        )
        position = end + 1
