"""Questions to a repository in this process, and what was said on the way."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gitsearch.commands.index import index
from gitsearch.commands.search import search
from gitsearch.commands.tree_selection import select_tree
from gitsearch.extract.languages import hint
from gitsearch.index.fact_columns import BlobKey, extract_columns
from gitsearch.index.open_view import OpenView
from gitsearch.index.session import Session
from gitsearch.reports.maintenance import IndexReport
from gitsearch.reports.search import Result, SearchReport
from gitsearch.settings import SearchRequest
from tests.builder import RepoBuilder

# What the sample repository and programs of random edits are written in.
EXTENSIONS = [
    "py",
    "md",
    "go",
    "ts",
    "js",
    "rs",
    "c",
    "h",
    "java",
    "rb",
    "sql",
    "toml",
    "yaml",
    "proto",
    "html",
    "css",
    "sh",
    "json",
    "mod",
    "cpp",
    "cs",
    "kt",
    "php",
]

# Words, names and parts of names of the sample repository, for every leg and stage.
QUERIES = (
    "pause before a failed request is sent again",
    "RetryPolicy",
    "compute_delay",
    "test of the login session",
    "max",
)


@functools.cache
def warm_parsers() -> None:
    """Load every parser that the sample repository needs, once and not in each child process."""
    extract_columns([(BlobKey("", hint(f"x.{name}".encode())), b"x = 1\n") for name in EXTENSIONS])


class Listener:
    """Hears the progress of an operation."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.updates: list[tuple[str, int, int, int]] = []
        self.closed = 0

    def update(self, stage: str, done: int, total: int, data: int) -> None:
        self.updates.append((stage, done, total, data))

    def note(self, line: str) -> None:
        self.notes.append(line)

    def close(self) -> None:
        self.closed += 1


def session(path: Path, listener: Listener | None = None) -> Session:
    """A session of a folder; who listens hears its progress."""
    return Session(path, listener or Listener())


def searched(
    repo: RepoBuilder,
    text: str,
    listener: Listener | None = None,
    folder: str = "",
    **options: Any,
) -> SearchReport:
    """The report of one search."""
    warm_parsers()
    request = SearchRequest(text, **{"max_count": 20, "explain": True, **options})
    return search(session(repo.path / folder, listener), request)


def answers(
    repo: RepoBuilder, queries: tuple[str, ...] = QUERIES, **options: Any
) -> list[Sequence[Result]]:
    """The results of several searches, whole: paths, lines, scores, legs and factors."""
    found = [searched(repo, text, **options).results for text in queries]
    assert any(found), "nothing was found at all, so there is nothing to compare"
    return found


def quiet_answers(repo: RepoBuilder, **options: Any) -> list[Sequence[Result]]:
    """The same, and nothing was said."""
    listener = Listener()
    found = answers(repo, listener=listener, **options)
    assert listener.notes == [], listener.notes
    return found


def fresh_answers(repo: RepoBuilder, **options: Any) -> list[Sequence[Result]]:
    """The same from an index that is built for it; the repository's own stays as it is."""
    with Aside(repo):
        return answers(repo, **options)


class Aside:
    """Puts the index of a repository aside for a while."""

    def __init__(self, repo: RepoBuilder) -> None:
        self._index = repo.index_dir
        self._kept = self._index.with_name("search-aside")

    def __enter__(self) -> Path:
        if self._index.exists():
            self._index.rename(self._kept)
        return self._index

    def __exit__(self, *_: object) -> None:
        if self._index.is_dir():
            shutil.rmtree(self._index)
        if self._kept.exists():
            self._kept.rename(self._index)


def indexed(repo: RepoBuilder, **options: Any) -> IndexReport:
    """Bring the index up to date."""
    warm_parsers()
    listener = options.pop("progress", None)
    arguments = {"at": None, "rebuild": False, "dry_run": False, **options}
    return index(session(repo.path, listener), **arguments)


def indexed_each(folder: Path, files: Mapping[str, Mapping[str, str | bytes]]) -> Path:
    """Make an indexed repository of each of these names in a folder, and return the folder."""
    for name, own in files.items():
        indexed(RepoBuilder(folder / name).having(own))
    return folder


def opened(repo: RepoBuilder, **options: Any) -> OpenView:
    """The view that a question with these options would be answered from."""
    warm_parsers()
    return select_tree(session(repo.path), **options).open()


def recorded(repo: RepoBuilder, **options: Any) -> OpenView:
    """The same, of a tree whose view is made even where little has changed since another."""
    warm_parsers()
    selection = select_tree(session(repo.path), **options)
    selection.must_write = True
    return selection.open()


def meta_of(repo: RepoBuilder, **options: Any) -> list[dict[str, Any]]:
    """The meta of each segment of a view."""
    return [segment.meta for segment in recorded(repo, **options).view.segments]
