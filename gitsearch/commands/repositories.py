"""Many repositories: those that `--in` and `--recurse-submodules` name, opened, each with a name.

A repository is known by the end of its path that no other one has: the same ones have the same
names and the same order, however they were asked for.
"""

from __future__ import annotations

import glob
import os
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from gitsearch.commands import repository_answers
from gitsearch.errors import (
    BadPath,
    BadPattern,
    NotARepository,
    SearchError,
    Unwritable,
    UsageError,
    brief,
)
from gitsearch.git import clones, regular_file
from gitsearch.git.repo import is_outside, without_links
from gitsearch.reports.search import SearchedRepository, UnsearchedRepository
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gitsearch.commands.repository_answers import Report
    from gitsearch.index.session import Session
    from gitsearch.settings import RepositoryNames, SearchRequest


Answer = TypeVar("Answer")
OneReport = TypeVar("OneReport", bound="Report")

# The most repositories of one question: each takes memory and a process of git.
MOST = 1000

# What ends a question to many repositories, whichever of them refuses it.
FINAL = (UsageError, Unwritable)

# The setting that names a list, and the most bytes of a list in a file.
_SETTING = "search.repos"
_LIST_BYTES = 1 << 20

# Repositories that are opened at the same time: git is waited for.
_THREADS = 8

# Of so many repositories git reads the settings one by one: at once takes two processes. And so
# many are waited for.
_FEW = 2

# Folders that git has in a repository in the middle of a rebase.
_REBASING = ("rebase-merge", "rebase-apply")

# Other clones whose indexes are asked for facts: to look into each takes 20 ms.
_SIBLINGS = 100

# Repositories that one line names.
_NAMED = 5


class Repository(NamedTuple):
    """A repository to search, by its name; of a submodule the commit `at` is searched."""

    name: str
    session: Session
    at: str | None = None

    def question(self, request: SearchRequest) -> SearchRequest:
        """The question as it is asked here: of a submodule about the commit that is named.

        Raises SearchError in a submodule for a range, whose ends are the superproject's.
        """
        if self.at in (None, request.at):
            return request
        for option, value in (("--changed", request.changed), ("--removed", request.removed)):
            if ".." in (value or ""):
                raise SearchError(
                    f"{option}={brief(value or '')} is a range of the superproject, and this is a "
                    "submodule: ask in its folder"
                )
        return replace(request, at=self.at, cached=False, untracked=False)


class Oddity(NamedTuple):
    """What may be odd about a repository: where it came from, and if a rebase is under way."""

    name: str
    origin: str
    is_rebased: bool


class Repositories(NamedTuple):
    """The repositories in order, what was named and is none, and what is odd, a line each."""

    found: tuple[Repository, ...]
    unsearched: tuple[UnsearchedRepository, ...]
    said: tuple[str, ...]


class Answers(NamedTuple, Generic[Answer]):
    """The answers of repositories, each with its own, and what a report says of all."""

    answers: tuple[tuple[Repository, Answer], ...]
    unsearched: tuple[UnsearchedRepository, ...]
    said: tuple[str, ...]


def named(
    session: Session,
    names: RepositoryNames,
    at: str | None,
    meanwhile: Callable[[], None] = lambda: None,
) -> Repositories:
    """The repositories that are named, each once; without names that of the current folder.

    at: the tree that names submodules; None for the index. meanwhile: is called while processes of
    git open repositories, if it takes many. Raises UsageError for a list that is not there,
    NotARepository if there is no repository at all.
    """
    left_out: list[UnsearchedRepository] = []
    values = names.values
    folders = list(_folders(session, values, left_out) if values else [_real(session.repo.top)])
    distinct = sorted(dict.fromkeys(folders))
    if len(distinct) > MOST:
        raise UsageError(f"{len(distinct):,} repositories are named; the most are {MOST:,}")
    opened = _opened(session, distinct, left_out, meanwhile)
    short = names_of([one.session.cwd for one in opened])
    found = [one._replace(name=short[one.session.cwd]) for one in opened]
    if names.submodules:
        found += _submodules(found, at, left_out)
    found.sort(key=lambda one: one.name)
    odd = list(map(oddity, found))
    _introduce(found, [one.origin for one in odd])
    if not found:
        raise repository_answers.nothing_left(left_out) or NotARepository(
            f"no repository is in or below '{brief(' '.join(values))}'",
            "name folders with clones in them",
        )
    twice = len(folders) - len(distinct)
    said = [f"{twice} repositories were named more than once"] if twice > 1 else []
    said += ["1 repository was named more than once"] if twice == 1 else []
    unsearched = repository_answers.in_order(left_out)
    return Repositories(tuple(found), unsearched, (*said, *oddities(odd)))


def known(session: Session, names: Mapping[Path, str]) -> Repositories:
    """The repositories in some folders, whose names are known; what is odd is not said."""
    left_out: list[UnsearchedRepository] = []
    opened = _opened(session, sorted(names), left_out, lambda: None)
    found = [one._replace(name=names[one.session.cwd]) for one in opened]
    found.sort(key=lambda one: one.name)
    return Repositories(tuple(found), repository_answers.in_order(left_out), ())


def each(
    session: Session,
    names: RepositoryNames,
    at: str | None,
    question: Callable[[Repository], Answer],
) -> Answers[Answer]:
    """Ask each repository; one that refuses to answer is left out. Raises as `named`.

    question: takes a repository, with the revision to ask about. What it raises of `FINAL` is
    raised on.
    """
    found = named(session, names, at)
    asked: Asked[Answer] = Asked(at, question)
    for one in found.found:
        asked.ask(one)
        if asked.refused and not names:
            raise asked.refused[0][1]
    left_out = repository_answers.in_order([*found.unsearched, *asked.unsearched])
    if not asked.answers:
        raise unanswered([error for _, error in asked.missed], left_out)
    return Answers(tuple(asked.answers), left_out, found.said)


class Asked(Generic[Answer]):
    """Repositories that are asked one after another: their answers and their refusals.

    missed: the errors of what others may have: files that match the pathspecs, or a language in
    which a text is a pattern.
    """

    def __init__(self, at: str | None, question: Callable[[Repository], Answer]) -> None:
        """at, question: as those of `each`."""
        self._at = at
        self._question = question
        self.answers: list[tuple[Repository, Answer]] = []
        self.missed: list[tuple[Repository, SearchError]] = []
        self.refused: list[tuple[Repository, SearchError]] = []

    def ask(self, one: Repository) -> None:
        """Ask a repository. Raises one of `FINAL`."""
        try:
            answer = self._question(one._replace(at=one.at or self._at))
        except BadPattern as error:
            self.missed.append((one, error))
            self.refused.append((one, error))
        except FINAL:
            raise
        except BadPath as error:
            self.missed.append((one, error))
        except SearchError as error:
            self.refused.append((one, error))
        else:
            self.answers.append((one, answer))
        one.session.repo.end_idle()

    @property
    def unsearched(self) -> list[UnsearchedRepository]:
        """The repositories that refused."""
        return [
            repository_answers.unsearched(one.session, error.message)
            for one, error in self.refused
        ]


def unanswered(
    misses: Sequence[SearchError], left_out: Sequence[UnsearchedRepository]
) -> SearchError:
    """The error for repositories of which none has answered."""
    if misses:
        return misses[0]
    return repository_answers.nothing_left(left_out) or NotARepository("none was asked")


def holding(session: Session, answers: Answers[Answer], path: str) -> tuple[Repository, str]:
    """Return the repository that a path from the current folder is in, and the path there.

    Raises BadPath if it is in none.
    """
    target = without_links(os.path.join(session.cwd, path))  # noqa: PTH118
    around = [
        one
        for one, _ in answers.answers
        if os.path.commonpath((one.session.cwd, target)) == str(one.session.cwd)
    ]
    if not around:
        raise BadPath(
            f"'{brief(path)}' is in none of the repositories",
            "the path of a file in one of them, from the current folder",
        )
    # the innermost one, for a submodule lies in its superproject
    own = max(around, key=lambda one: len(str(one.session.cwd)))
    return own, os.path.relpath(target, own.session.cwd)


def merged(answers: Answers[OneReport]) -> dict[str, Any]:
    """Return the fields of one report that say what the reports of many repositories say."""
    each = [(searched(one, report), report.warnings) for one, report in answers.answers]
    return repository_answers.merged(each, answers.unsearched, answers.said)


def searched(one: Repository, report: Report) -> SearchedRepository:
    """Return what is said of a repository that has answered."""
    return repository_answers.searched(one.name, one.session, report.tree, report.coverage)


def _real(folder: Path) -> Path:
    return Path(os.path.realpath(folder))


# ---------------------------------------------------------------- what is named


def _folders(
    session: Session, values_of: Iterable[str], left_out: list[UnsearchedRepository]
) -> Iterator[Path]:
    """The folders of repositories that the values of `--in` mean, without links on the way."""
    for value in values_of:
        if not value:
            raise UsageError(
                "--in wants a folder, a pattern or @<name>, not ''",
                "--in . means the current folder",
            )
        if value.startswith("@"):
            base, values = _list(session, value[1:])
        else:
            base, values = session.cwd, [value]
        for one in values:
            yield from _matching(base, one, left_out)


def _list(session: Session, name: str) -> tuple[Path, list[str]]:
    """The values of a list, by its name in git's configuration, else those of a file."""
    values = session.own_config.get(f"{_SETTING}.{name.lower()}")
    if values:
        return _top(session), values
    path = session.cwd / os.path.expanduser(name)  # noqa: PTH111  ~unknown is no bug
    try:
        text = os.fsdecode(regular_file.read(path, _LIST_BYTES))
    except (OSError, ValueError):
        raise UsageError(
            f"'@{brief(name)}' is neither the setting {_SETTING}.{brief(name)} nor a file",
            f"git config --global --add {_SETTING}.NAME FOLDER",
        ) from None
    lines = (line.strip() for line in text.splitlines())
    return path.parent, [line for line in lines if line and not line.startswith("#")]


def _top(session: Session) -> Path:
    """The top of the repository around the current folder; without one the folder itself."""
    if not is_outside(session.cwd):
        with suppress(NotARepository):
            return session.repo.top
    return session.cwd


def _matching(base: Path, value: str, left_out: list[UnsearchedRepository]) -> Iterator[Path]:
    """The repositories in and below a folder, or below each that a pattern matches."""
    pattern = base / os.path.expanduser(value)  # noqa: PTH111
    folders = [pattern]
    if "\0" in value or not pattern.is_dir():
        with suppress(ValueError):  # a NUL, or a pattern that is none
            folders = sorted(map(Path, glob.glob(str(pattern))))  # noqa: PTH207
        if not folders or "\0" in value:
            left_out.append(UnsearchedRepository(value, "there is no such folder"))
            return
    for folder in folders:
        if not folder.is_dir():
            if len(folders) == 1:
                left_out.append(UnsearchedRepository(str(folder), "it is no folder"))
            continue
        try:
            # below it links are left out
            found = list(clones.repositories_in(_real(folder)))
        except clones.FolderLimitError:
            reason = f"it has more than {clones.MOST_FOLDERS:,} folders"
            left_out.append(UnsearchedRepository(str(folder), reason))
            continue
        if not found:
            left_out.append(UnsearchedRepository(str(folder), "no repository is below it"))
        yield from found


def names_of(folders: Sequence[Path]) -> dict[Path, str]:
    """Return the shortest end of each path, of whole names, that no other one has."""
    names: dict[Path, str] = {}
    size, left = 1, list(folders)
    while left:
        ends: dict[tuple[str, ...], list[Path]] = defaultdict(list)
        for folder in left:
            ends[folder.parts[-size:]].append(folder)
        for end, own in ends.items():
            if len(own) == 1:
                names[own[0]] = "/".join(end).replace("//", "/")
        left = [folder for own in ends.values() if len(own) > 1 for folder in own]
        size += 1
    return names


# ---------------------------------------------------------------- opened


def _opened(
    session: Session,
    folders: Sequence[Path],
    left_out: list[UnsearchedRepository],
    meanwhile: Callable[[], None],
) -> list[Repository]:
    """The repositories of these folders, each once."""
    sessions = [session.beside(folder) for folder in folders]
    known: dict[Path, Repository] = {}
    new = [own for own in sessions if not own.is_kept]
    refusals = _open_new(session, new, meanwhile) if new else {}
    for own in sessions:
        refusal = refusals[own.cwd] if own.cwd in refusals else _open(own)
        if refusal:
            left_out.append(UnsearchedRepository(str(own.cwd), refusal))
        else:
            known.setdefault(own.repo.git_dir, Repository("", own))
    return list(known.values())


def _open_new(
    session: Session, sessions: Sequence[Session], meanwhile: Callable[[], None]
) -> dict[Path, str]:
    """Open repositories that were not open before, some at a time; returns what `_open` does.

    A process that answers one question reads the settings of many at once, if that can be.
    """
    at_once = len(sessions) > _FEW and not session.is_lasting
    common = session.common_settings if at_once else None
    # one after another: threads that only read files would wait for each other
    left = sum(not own.found_without_git() for own in sessions)
    same = common is not None and common.are_the_same
    with ThreadPoolExecutor(_THREADS) as pool:

        def find(own: Session) -> str:
            return _refusal(own.find) if same else _open(own)

        finding = pool.map(find, sessions)
        # git looks for edited files beside what is done meanwhile, if it need not wait for that
        if left > _FEW:
            meanwhile()
        refusals = dict(zip((own.cwd for own in sessions), finding, strict=True))
        if common is not None and same:
            found = [own for own in sessions if not refusals[own.cwd]]
            known = common.of([own.repo for own in found])
            reading = pool.map(_read_settings, found, known)
            refusals.update(zip((own.cwd for own in found), reading, strict=True))
    return refusals


def _open(session: Session) -> str:
    """Open a repository and read its settings; returns why that fails, else nothing."""
    return _refusal(session.find) or _refusal(session.read_settings)


def _read_settings(session: Session, config: dict[str, list[str]] | None) -> str:
    return _refusal(partial(session.read_settings, config))


def _refusal(work: Callable[[], None]) -> str:
    """Return why something fails and what to do about it, else nothing."""
    try:
        work()
    except SearchError as error:
        return error.line
    return ""


def _submodules(
    found: Sequence[Repository], asked: str | None, left_out: list[UnsearchedRepository]
) -> list[Repository]:
    """The submodules of repositories, and theirs, at the commits that are named."""
    todo = list(found)
    out: list[Repository] = []
    while todo:
        above = todo.pop()
        session, at = above.session, above.at or asked
        try:
            tree = session.resolve(at).tree if at else None
            own = clones.submodules(session.repo, tree)
        except SearchError:
            continue  # it is said where the repository is searched
        for path, commit in own:
            folder = session.repo.top / path
            reason = _unfit(session.repo.top, folder)
            beside = session.beside(_real(folder))
            reason = reason or _open(beside)
            if reason:
                left_out.append(UnsearchedRepository(str(folder), reason))
            elif len(found) + len(out) < MOST:
                todo.append(Repository(f"{above.name}/{path}", beside, commit))
                out.append(todo[-1])
    return out


def _unfit(top: Path, folder: Path) -> str:
    """The reason why the folder of a submodule is not opened, or nothing."""
    if not _real(folder).is_relative_to(_real(top)):
        return "its folder is outside of the superproject"
    if not clones.is_repository(folder):
        return "this submodule is not checked out: git submodule update --init"
    return ""


def _introduce(found: Sequence[Repository], origins: Sequence[str]) -> None:
    """Tell each session the index folders of others: first those of clones of its repository.

    origins: where each of them came from.
    """
    folders = [one.session.repo.common_dir / layout.FOLDER for one in found]
    alike: dict[str, list[tuple[Session, Path]]] = defaultdict(list)
    for one, origin, folder in zip(found, origins, folders, strict=True):
        alike[origin].append((one.session, folder))
    for clones_of_one in alike.values():
        # a repository is among its own siblings
        own = (folder for _, folder in clones_of_one)
        siblings = list(dict.fromkeys([*own, *folders[: _SIBLINGS + 1]]))
        for session, _ in clones_of_one:
            session.siblings = siblings[: _SIBLINGS + 1]


# ---------------------------------------------------------------- what is odd


def oddity(one: Repository) -> Oddity:
    """Return what may be odd about a repository."""
    git_dir = one.session.repo.git_dir
    folders = (f"{git_dir}/{folder}" for folder in _REBASING)
    rebased = one.at is None and any(map(os.path.isdir, folders))
    return Oddity(one.name, _origin(one), rebased)


def oddities(each: Iterable[Oddity]) -> Iterator[str]:
    """Yield a line for each oddity of repositories that the answer depends on."""
    clones_of: dict[str, list[str]] = defaultdict(list)
    for name, origin, is_rebased in each:
        if is_rebased:
            yield f"'{name}' is in the middle of a rebase; its HEAD is searched"
        clones_of[origin].append(name)
    several = [
        "'" + "', '".join(names[:_NAMED]) + "'" for names in clones_of.values() if len(names) > 1
    ]
    if several:
        yield f"clones of one repository are searched each: {'; '.join(sorted(several)[:_NAMED])}"


def _origin(one: Repository) -> str:
    """Return the address that a clone was made from, which clones of one repository share."""
    address = (one.session.config.get("remote.origin.url") or [""])[-1]
    if os.path.isdir(address):  # noqa: PTH112  as texts such questions are quick
        address = os.path.realpath(address)
    text = address or str(one.session.repo.common_dir)
    return text.rstrip("/").removesuffix(".git").rstrip("/")
