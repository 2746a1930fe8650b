"""Commits searched: the index of history opened for a question, and what git says of results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch import trace
from gitsearch.commands.living_lines import commit_of
from gitsearch.errors import Unwritable
from gitsearch.git.commit_changes import Bounds
from gitsearch.git.merge_bases import is_shallow, where_it_ends
from gitsearch.reports.history import CommitWindow
from gitsearch.settings import BACKGROUND, SOON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.git.commit_changes import CommitChange, Hunk
    from gitsearch.git.commit_records import CommitRecord
    from gitsearch.git.repo import Repo
    from gitsearch.index.session import Session
    from gitsearch.retrieval.commit_ranking import CommitRanking
    from gitsearch.retrieval.query import Query

# What is read of a commit that was found.
BOUNDS = Bounds(text=256 << 10, file=32 << 10, files=1000)

# Lines of a hunk that are shown.
SHOWN = 12
# Without filters by language, content and tests.
_ALL = ((), "all", "include")


class HistoryRequest(NamedTuple):
    """A query, the commit from which history is followed, and filters as those of `git log`.

    languages, content, tests: of the files whose hunks count, as in a search. edits: what is not
    committed counts too, if code is sought that was removed.
    """

    text: str
    pathspecs: tuple[str, ...] = ()
    at: str | None = None
    since: str | None = None
    until: str | None = None
    authors: tuple[str, ...] = ()
    most: int | None = None
    lines: int = SHOWN
    refresh: str | None = None
    languages: tuple[str, ...] = ()
    content: str = "all"
    tests: str = "include"
    edits: bool = False


class CommitSearch:
    """The history of a commit, opened for one question; `about`: what a report says of it.

    warnings: what is odd about the answer.
    """

    def __init__(self, session: Session, request: HistoryRequest) -> None:
        """Open it. Raises BadRevision, BadModel and GitFailed."""
        self._session = session
        self._request = request
        self.commit = commit_of(session, request.at)
        with trace.stage("imports"):
            from gitsearch.index.history_index import HistoryIndex

        when = request.refresh or session.settings.refresh
        opened = HistoryIndex(session).open(self.commit, when)
        self.warnings = list(opened.warnings)
        if opened.pending:
            self.warnings.append(_make_the_rest(session, self.commit, when, opened.pending))
        window = opened.window
        if window.cut:
            self.warnings.append(
                f"only the newest {window.limit:,} commits are searched: "
                "`git config search.historyDepth` says how many"
            )
        elif is_shallow(session.repo):
            self.warnings.append(where_it_ends(len(window.ids)))
        if opened.absent:
            self.warnings.append(without_change(session.repo, opened.absent))
        self._segments = opened.segments
        counts = CommitWindow(len(window.ids), window.limit, window.cut)
        complete = not opened.pending and not opened.absent
        self.about = request.at or "HEAD", self.commit, counts, opened.pending, complete

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the model of the vectors. Raises BadModel."""
        return self._session.store.fingerprint

    def ranking(self, query: Query, beside: Sequence[CommitSearch] = ()) -> CommitRanking:
        """The ranking of the commits for a query, together with those of other repositories.

        beside: with vectors of the same model. A commit that several have counts once.
        """
        with trace.stage("imports"):
            from gitsearch.retrieval.commit_ranking import CommitRanking, distinct

        segments = self._segments
        if beside:
            segments = tuple(distinct([one for own in (self, *beside) for one in own._segments]))
        return CommitRanking(segments, query, self._session.store.model)

    def window(self) -> set[str]:
        """The ids of the indexed commits that are searched."""
        from gitsearch.retrieval.commit_ranking import window_of

        return set().union(*map(window_of, self._segments))

    def allowed(self) -> set[str] | None:
        """The commits that pass the filters, as git has them; None without filters."""
        from gitsearch.git import commit_records

        asked = self._request
        options = [
            f"--{name}={value}"
            for name, values in (
                ("since", [asked.since]),
                ("until", [asked.until]),
                ("author", asked.authors),
            )
            for value in values
            if value is not None
        ]
        if not options and not asked.pathspecs:
            return None
        repo = self._session.repo
        return commit_records.matching_commits(repo, self.commit, options, asked.pathspecs)

    def changes(
        self, oids: Sequence[str]
    ) -> tuple[dict[str, CommitRecord], dict[str, CommitChange]]:
        """Return records and changes by id; no change of a commit where a shallow clone ends."""
        from gitsearch.git import commit_records
        from gitsearch.git.blame import shallow_commits
        from gitsearch.git.commit_changes import CommitChange, read_changes

        repo = self._session.repo
        records = commit_records.read_commits(repo, oids)
        ends = shallow_commits(repo)
        changes = {oid: CommitChange(oid) for oid in records}
        pairs = [(oid, (*one.parents, "")[0]) for oid, one in records.items() if oid not in ends]
        for change in read_changes(repo, pairs, BOUNDS):
            changes[change.oid] = change
        pathspecs = self._request.pathspecs
        if pathspecs:
            matching = commit_records.matching_paths(repo, records.values(), pathspecs)
            for change in changes.values():
                own = matching[change.oid]
                change.hunks = [one for one in change.hunks if not own.isdisjoint(_paths(one))]
        for change in changes.values():
            self._filter(change)
        return records, changes

    def edits(self) -> CommitChange:
        """Return what is edited or staged since HEAD, of files that pass the filters."""
        from gitsearch.git.commit_changes import read_edits

        edits = read_edits(self._session.repo, BOUNDS, self._request.pathspecs)
        self._filter(edits)
        return edits

    def _filter(self, change: CommitChange) -> None:
        """Leave out the hunks of files that do not pass by language, content and tests."""
        asked = self._request
        which = asked.languages, asked.content, asked.tests
        if which != _ALL:
            from gitsearch.retrieval import filters

            change.hunks = [
                hunk for hunk in change.hunks if filters.may_pass(hunk.old_path, *which)
            ]


def _paths(hunk: Hunk) -> tuple[bytes, bytes]:
    return hunk.path, hunk.old_path


def without_change(repo: Repo, absent: int) -> str:
    """One line about commits that are indexed without their change, and what to do about it."""
    them = f"files of the changes of {absent:,} commit{'s' * (absent != 1)}"
    if repo.partial:
        return f"this partial clone lacks {them}: `git log -p -m` fetches them"
    return f"git cannot read {them}: run git fsck"


def _make_the_rest(session: Session, commit: str, refresh: str, pending: int) -> str:
    """Let another process index the rest, if one may be left behind; returns what is said."""
    commits = "1 commit is" if pending == 1 else f"{pending:,} commits are"
    behind = f"{commits} not indexed yet"
    asked = refresh == BACKGROUND or session.settings.refresh_is_set
    if refresh not in (SOON, BACKGROUND) or (os.environ.get("CI") and not asked):
        return f"{behind}: git search index --history"
    from gitsearch.git import background_process
    from gitsearch.store import layout

    try:
        layout.prepare(session.store.folder)
    except Unwritable as error:
        return f"{behind}: {error.message}"
    background_process.start(session.repo, "index", "--history", "--background", "--at", commit)
    return f"{behind}; another process indexes them"
