"""The session: one question to one repository, each part of it read when it is first needed."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.errors import BadRevision, NotARepository, bad_setting
from gitsearch.git import repo as repository
from gitsearch.git.worktree import StartedStatus
from gitsearch.git_conventions import boolean
from gitsearch.index import compared_index
from gitsearch.settings import (
    LARGEST_FILE,
    MODES,
    MOST_SHOWN,
    READERS,
    REFRESH,
    Settings,
    Silent,
    whole_number,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsearch.git.common_settings import CommonSettings
    from gitsearch.git.repo import Repo
    from gitsearch.git.worktree import Status
    from gitsearch.index.kept_open import KeptOpen
    from gitsearch.index.view import View
    from gitsearch.index.view_store import ViewStore
    from gitsearch.records import Revision
    from gitsearch.reports.search import SearchReport
    from gitsearch.settings import Progress, SearchRequest

# Processes that one question leaves behind to make indexes: each takes a processor and memory.
_MOST_BACKGROUND = 2

# Values of color.search, beside those of a boolean, for which git takes numbers, too.
_COLOURS = ("auto", "always", "never")
_INTEGER = re.compile(r"[+-]?[0-9]+[kmg]?")

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


class Allowance:
    """A number of times that something may be done."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self) -> bool:
        """Return True if it may be done once more."""
        self._left -= 1
        return self._left >= 0


class Session:
    """The repository of a folder: layout, HEAD, configuration, settings, views and revisions.

    One is made for each question and handed on; what cannot change meanwhile is read once.
    Properties raise NotARepository where there is none, and UsageError for a setting that makes no
    sense.

    kept: what earlier sessions of this process have left open. background: how many processes it
    may leave behind, with the sessions beside it. sharing: of so many trees without a view some
    files are read for the same answer. siblings: index folders of clones of the question.
    elsewhere: who answers searches in place of the repositories here. apart: the repository is one
    of many, and that of the folder itself.
    """

    def __init__(
        self, cwd: Path, progress: Progress | None = None, kept: KeptOpen | None = None
    ) -> None:
        self.cwd = cwd
        self.background = Allowance(_MOST_BACKGROUND)
        self.sharing = 1
        self.siblings: Sequence[Path] = ()
        self.elsewhere: Callable[[Session, SearchRequest], SearchReport] | None = None
        self._kept = kept
        self.apart = False
        self.progress: Progress = progress or Silent()
        self._revisions: dict[str, Revision] = {}
        self._top: Path | None = None

    @classmethod
    def of(cls, repo: Repo, top: Path) -> Session:
        """A silent session with a repository that is open already, and no HEAD.

        top: where relative paths in settings begin.
        """
        session = cls(top)
        session._top = top
        session.__dict__["_repo_and_head"] = repo, None
        return session

    def beside(self, folder: Path) -> Session:
        """A session of the repository in another folder, for the same question.

        It is that of the folder itself, and not of one above it. Raises NotARepository.
        """
        kept = None if self._kept is None else self._kept.beside(folder)
        session = Session(folder, self.progress, kept)
        session.background = self.background
        session.apart = True
        return session

    @property
    def is_kept(self) -> bool:
        """True if the repository was open before, so that it is most likely found without git."""
        return self._kept is not None and self._kept.is_open

    @property
    def is_lasting(self) -> bool:
        """True if this process answers further questions."""
        return self._kept is not None

    def joined(self, views: Sequence[View]) -> View:
        """One view of those of several repositories."""
        if self._kept is not None:
            return self._kept.joined(views)
        from gitsearch.index.view import View

        return View.joined(views)

    def find(self) -> None:
        """Find the repository; other sessions may do so at the same time."""
        # of a cached property Python 3.11 computes one value at a time, of all objects together
        if not self._is_found:
            self.__dict__["_repo_and_head"] = self._find()

    def found_without_git(self) -> bool:
        """Find the repository if that takes no process of git; returns True if it is found."""
        if self._kept is None and not self._is_found:
            with trace.stage("repository"), suppress(NotARepository):
                found = repository.open_without_git(self.cwd, apart=self.apart)
                if found is not None:
                    self.__dict__["_repo_and_head"] = found
        return self._is_found

    @property
    def _is_found(self) -> bool:
        return "_repo_and_head" in self.__dict__

    def read_settings(self, config: dict[str, list[str]] | None = None) -> None:
        """Read the settings, of git if they are not known; others may do so at the same time."""
        self.__dict__["config"] = self._read_config() if config is None else config
        self.settings  # noqa: B018

    @cached_property
    def _repo_and_head(self) -> tuple[Repo, Revision | None]:
        return self._find()

    def _find(self) -> tuple[Repo, Revision | None]:
        with trace.stage("repository"):
            if self._kept is not None:
                return self._kept.repository(self.cwd, apart=self.apart)
            return repository.open_at_head(self.cwd, apart=self.apart)

    @property
    def repo(self) -> Repo:
        """The repository that git finds from the folder."""
        return self._repo_and_head[0]

    @property
    def head(self) -> Revision | None:
        """HEAD as it was when the repository was opened; None while it is unborn."""
        return self._repo_and_head[1]

    @cached_property
    def config(self) -> dict[str, list[str]]:
        """The settings of git that concern us: all values of each key, in git's order."""
        return self._read_config()

    def _read_config(self) -> dict[str, list[str]]:
        repo = self.repo
        return repository.config(repo) if self._kept is None else self._kept.config(repo)

    def start_status(self, *, untracked: bool) -> Status:
        """Start git's look at the working tree, if it is not known to be as it was."""
        if self._kept is None or untracked:
            compared = compared_index.of(self.repo)
            return StartedStatus(self.repo, untracked=untracked, compared=compared)
        self.config  # noqa: B018  the state depends on the files that it is read from
        return self._kept.start_status(self.repo, self.head)

    @cached_property
    def settings(self) -> Settings:
        """Our own settings, with defaults filled in."""
        return settings_of(self.config, self._top or self.repo.top)

    @property
    def hooks_enabled(self) -> bool:
        """False if the settings say that hooks start nothing; a search does not depend on it."""
        key = "search.hooks"
        text = self.config.get(key, ["true"])[-1]
        enabled = boolean(text)
        if enabled is None:
            raise bad_setting(key, text, "true or false")
        return enabled

    @cached_property
    def common_settings(self) -> CommonSettings:
        """The settings that all repositories have; git begins to read them at the first use."""
        from gitsearch.git.common_settings import CommonSettings

        return CommonSettings()

    @cached_property
    def own_config(self) -> dict[str, list[str]]:
        """The settings of the current folder, which need not be in a repository."""
        known = None if self._kept is None else self._kept.known_config_at(self.cwd)
        if known is not None:
            return known
        if self._kept is None and repository.is_outside(self.cwd):
            alone = self.common_settings.alone
            return repository.config_at(self.cwd) if alone is None else alone
        try:
            return self.config
        except NotARepository:
            if self._kept is not None:
                return self._kept.config_at(self.cwd)
            return repository.config_at(self.cwd)

    @cached_property
    def store(self) -> ViewStore:
        """The index folder of the repository."""
        from gitsearch.index.view_store import open_view_store

        files = None if self._kept is None else self._kept.files
        return open_view_store(self.repo, self.settings, files)

    def reopened_store(self) -> ViewStore:
        """The index folder, looked at anew: a writer has changed it."""
        self.__dict__.pop("store", None)
        return self.store

    def resolve(self, rev: str) -> Revision:
        """The commit and tree that a revision names.

        Raises BadRevision; in a shallow clone its hint says how to fetch what is missing.
        """
        known = self._revisions
        if rev not in known:
            if self.head is not None and rev in ("HEAD", self.head.commit):
                known[rev] = self.head._replace(rev=rev)
            else:
                try:
                    known[rev] = repository.resolve(self.repo, rev)
                except BadRevision as error:
                    from gitsearch.git import merge_bases

                    raise merge_bases.absent(self.repo, rev, error) from None
        return known[rev]


def settings_of(config: dict[str, list[str]], top: Path = Path()) -> Settings:
    """The settings of git config; raises UsageError for a value that makes no sense.

    top: where a relative path begins, as that of a hook does in git: the top of the working tree.
    """
    last = {key.lower(): values[-1] for key, values in config.items() if values}
    default = Settings()
    _check_colour(last)
    return Settings(
        max_count=_number(last, "search.maxcount", default.max_count, MOST_SHOWN),
        mode=_one_of(last, "search.mode", MODES, default.mode),
        reader=_one_of(last, "search.reader", READERS, default.reader),
        model=_folder(last.get("search.model", ""), top),
        max_file_size=_number(last, "search.maxfilesize", default.max_file_size, LARGEST_FILE),
        refresh=_one_of(last, "search.refresh", REFRESH, default.refresh),
        history_depth=_number(last, "search.historydepth", default.history_depth, MOST_SHOWN),
        describe_command=last.get("search.describecommand", "").strip(),
        refresh_is_set="search.refresh" in last,
        max_count_is_set="search.maxcount" in last,
    )


def _check_colour(last: dict[str, str]) -> None:
    """Raise UsageError for a value of color.search that git would not take; it is read later."""
    text = last.get("color.search", "auto").lower()
    if text not in _COLOURS and boolean(text) is None and not _INTEGER.fullmatch(text):
        raise bad_setting("color.search", text, f"one of {', '.join(_COLOURS)}")


def _folder(text: str, top: Path) -> str:
    """A folder by its whole path; "" is none."""
    return str(top / os.path.expanduser(text)) if text else ""  # noqa: PTH111  ~unknown is no bug


def _number(last: dict[str, str], key: str, default: int, most: int) -> int:
    text = last.get(key)
    if text is None:
        return default
    digits = text.lower().rstrip("kmg")
    unit = _UNITS.get(text.lower()[len(digits) :])
    number = whole_number(digits, 1, most)
    if number is None or unit is None or number * unit > most:
        raise bad_setting(key, text, f"a number from 1 to {most}")
    return number * unit


def _one_of(last: dict[str, str], key: str, allowed: tuple[str, ...], default: str) -> str:
    text = last.get(key, default)
    if text not in allowed:
        raise bad_setting(key, text, f"one of {', '.join(allowed)}")
    return text
