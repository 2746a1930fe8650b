"""The repositories of a cluster: what is in its folder, and which shard each belongs to.

catalog.json        one entry for each repository of the list
repositories/NAME   bare clones, with their indexes
common/N            repositories of the blobs that several of them have
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitsearch.commands.repositories import names_of
from gitsearch.errors import Damaged, NotARepository, UsageError, brief
from gitsearch.git import regular_file
from gitsearch.reports.search import UnsearchedRepository

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FILE = "catalog.json"
_VERSION = 1

# The most bytes of a list or a catalog: a million repositories.
_MOST_BYTES = 1 << 28

# What the name of a clone keeps of an address.
_FOREIGN = re.compile(r"[^A-Za-z0-9._+-]+")
_LONGEST_NAME = 100

_USER = re.compile(r"(?<=://)[^/@]*@")

_CREATED = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class Entry:
    """A repository: the name of its clone, where it comes from, its shard, its size in chunks.

    shard: None until it is indexed. reason: why the last try to fetch or index it failed.
    """

    name: str
    source: str
    shard: int | None = None
    chunks: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Catalog:
    """The entries of a folder, in the order of the list, and the number of shards."""

    folder: Path
    shards: int = 0
    entries: tuple[Entry, ...] = ()

    @classmethod
    def read(cls, folder: Path) -> Catalog:
        """Return the catalog of a folder, which is empty at first. Raises Damaged."""
        try:
            document = json.loads(regular_file.read(folder / _FILE, _MOST_BYTES))
            if document["version"] != _VERSION:
                raise Damaged(_FILE, f"is of version {brief(str(document['version']))}")
            entries = tuple(Entry(**entry) for entry in document["entries"])
            return cls(folder, int(document["shards"]), entries)
        except FileNotFoundError:
            return cls(folder)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Damaged(_FILE, f"is no catalog: {error}") from error

    def write(self) -> None:
        """Replace the file at once, so that a reader sees the old one or the new one."""
        document: dict[str, Any] = {
            "version": _VERSION,
            "shards": self.shards,
            "entries": list(map(asdict, self.entries)),
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        # addresses may hold passwords
        made = os.open(made_at := self.folder / f"{_FILE}.tmp", _CREATED, 0o600)
        with os.fdopen(made, "w", encoding="utf-8") as file:
            file.write(json.dumps(document, indent=1))
        made_at.replace(self.folder / _FILE)

    def with_shards(self, count: int) -> Catalog:
        """Return the catalog with so many shards; each repository is in one of them."""
        entries = tuple(
            one if one.shard is None else replace(one, shard=one.shard % count)
            for one in self.entries
        )
        return replace(self, shards=count, entries=entries)

    @property
    def clones(self) -> Path:
        """Return the folder of the clones."""
        return self.folder / "repositories"

    def clone(self, name: str) -> Path:
        """Return the folder of a clone."""
        return self.clones / name

    @property
    def file(self) -> Path:
        """Return the file of this catalog."""
        return self.folder / _FILE

    def names(self, shard: int) -> dict[str, str]:
        """Return the names of the repositories of a shard in answers, by the folders of clones."""
        indexed = {self.clone(one.name): one for one in self.entries if one.shard is not None}
        shown = names_of(list(indexed))
        return {str(at): shown[at] for at, one in indexed.items() if one.shard == shard}

    def unsearched(self) -> list[UnsearchedRepository]:
        """Return the repositories of the list that are in no shard."""
        return [
            UnsearchedRepository(shown(one.source), one.reason or "it is not indexed yet")
            for one in self.entries
            if one.shard is None
        ]

    def listing(self, sources: Iterable[str]) -> tuple[Catalog, list[str]]:
        """Return the catalog of a list, each repository once, and a line for what is odd.

        What is known of those that are in it already stays as it is.
        """
        sources, said = list(sources), []
        by_end: dict[str, str] = {}
        for source in sources:
            by_end.setdefault(_end(source), source)
        distinct = list(by_end.values())
        known = {one.source: one for one in self.entries}
        taken = {one.name for one in self.entries if one.source in distinct}
        entries = []
        for source in distinct:
            entry = known.get(source) or Entry(_name(source, taken), source)
            taken.add(entry.name)
            entries.append(entry)
        if twice := len(sources) - len(distinct):
            said.append(f"named more than once: {twice}")
        return replace(self, entries=tuple(entries)), said


def sources_in(file: Path) -> list[str]:
    """Return the addresses and folders of a list: one a line, with `#` before a comment.

    Folders are relative to that of the list. Raises UsageError.
    """
    try:
        text = os.fsdecode(regular_file.read(file, _MOST_BYTES))
    except (OSError, ValueError) as error:
        raise UsageError(f"the list '{brief(str(file))}' cannot be read: {error}") from None
    lines = (line.strip() for line in text.splitlines())
    found = [_source(file.parent, line) for line in lines if line and not line.startswith("#")]
    if not found:
        raise NotARepository(f"the list '{brief(str(file))}' names no repository")
    return found


def shown(source: str) -> str:
    """Return an address without the user and the password in it."""
    return _USER.sub("", source)


def _end(source: str) -> str:
    """The part of an address that is the same in all ways to write it."""
    return source.rstrip("/").removesuffix("/.git").removesuffix(".git")


def _source(base: Path, line: str) -> str:
    """An address as it is, a folder by its real path: two ways to it are one repository."""
    folder = base / line
    return os.path.realpath(folder) if folder.exists() else line


def _name(source: str, taken: Sequence[str] | set[str]) -> str:
    """A name for a clone that no other one has: the end of the address."""
    parts = shown(source).replace(":", "/").split("/")
    parts = [part for part in parts if part not in ("", ".git")]
    last = parts[-2:] if "://" in source or "@" in source else parts[-1:]
    text = _FOREIGN.sub("-", "+".join(last)).removesuffix(".git").strip(".-") or "repository"
    name, number = text[:_LONGEST_NAME], 1
    while name in taken:
        number += 1
        name = f"{text[:_LONGEST_NAME]}-{number}"
    return name
