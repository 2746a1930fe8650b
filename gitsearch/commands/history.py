"""`git search history`: commits found by what they say and change."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch import trace
from gitsearch.commands.living_lines import commit_of
from gitsearch.errors import Busy, Unwritable
from gitsearch.features.issue_references import references
from gitsearch.git.commit_changes import Bounds
from gitsearch.reports.history import (
    CommitWindow,
    FoundCommit,
    HistoryIndexReport,
    HistoryReport,
)
from gitsearch.settings import BACKGROUND, OFF, SOON, WAIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from gitsearch.git.commit_changes import CommitChange, Hunk
    from gitsearch.git.commit_records import CommitRecord
    from gitsearch.index.session import Session
    from gitsearch.retrieval.commit_ranking import RankedCommit

# Lines of a hunk that are shown, hunks of a commit among which the one that answers is chosen, and
# what is read of it.
SHOWN, _HUNKS = 12, 1000
_BOUNDS = Bounds(text=256 << 10, file=32 << 10, files=1000)


class HistoryRequest(NamedTuple):
    """A query, the commit from which history is followed, and filters as those of `git log`."""

    text: str
    pathspecs: tuple[str, ...] = ()
    at: str | None = None
    since: str | None = None
    until: str | None = None
    authors: tuple[str, ...] = ()
    most: int | None = None
    lines: int = SHOWN
    refresh: str | None = None


def index_history(session: Session, at: str | None) -> HistoryIndexReport:
    """Index the history of a commit; raises BadRevision."""
    from gitsearch.index.history_index import HistoryIndex

    commit = commit_of(session, at)
    index = HistoryIndex(session)
    behind = index.open(commit, OFF).pending
    opened = index.open(commit, WAIT)
    window = CommitWindow(len(opened.window.ids), opened.window.limit, opened.window.cut)
    return HistoryIndexReport(commit, window, behind - opened.pending, opened.warnings)


def index_history_in_background(session: Session, at: str | None) -> None:
    """Index the history of a commit, unless a process that was left behind is at work."""
    from gitsearch.index import background_update
    from gitsearch.index.history_index import HistoryIndex
    from gitsearch.store import layout

    folder = session.repo.common_dir / layout.FOLDER
    with (
        contextlib.suppress(Busy),
        background_update.only_one(folder),
        background_update.logged(folder),
    ):
        HistoryIndex(session).open(commit_of(session, at), WAIT)


def history(session: Session, request: HistoryRequest) -> HistoryReport:
    """The commits that a query finds, the best first; raises BadRevision and GitFailed."""
    commit = commit_of(session, request.at)
    with trace.stage("imports"):
        from gitsearch.git import commit_records
        from gitsearch.index.history_index import HistoryIndex
        from gitsearch.retrieval import query
        from gitsearch.retrieval.commit_ranking import CommitRanking

    parsed = query.parse(request.text)
    refresh = request.refresh or session.settings.refresh
    opened = HistoryIndex(session).open(commit, refresh)
    warnings = [*opened.warnings, *parsed.warnings]
    if opened.pending:
        warnings.append(_make_the_rest(session, commit, refresh, opened.pending))
    window = opened.window
    if window.cut:
        warnings.append(
            f"only the newest {window.limit:,} commits are searched: "
            "`git config search.historyDepth` says how many"
        )
    ranking = CommitRanking(opened.segments, parsed, session.store.model)
    with trace.stage("ranking"):
        most = request.most or session.settings.max_count
        found = ranking.best(most, _allowed(session, commit, request))
    with trace.stage("text"):
        records = commit_records.read_commits(session.repo, [one.oid for one in found])
        changes = _changes(session, records)
    results = [
        _result(rank, one, records[one.oid], _answering(changes[one.oid], ranking.rarity), request)
        for rank, one in enumerate(found, 1)
        if one.oid in records
    ]
    return HistoryReport(
        request.text,
        request.at or "HEAD",
        commit,
        CommitWindow(len(window.ids), window.limit, window.cut),
        opened.pending,
        not opened.pending,
        tuple(results),
        parsed.words,
        tuple(warnings),
    )


def _make_the_rest(session: Session, commit: str, refresh: str, pending: int) -> str:
    """Let another process index the rest, if one may be left behind; returns what is said."""
    behind = f"{pending:,} commits are not indexed yet"
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


def _allowed(session: Session, commit: str, request: HistoryRequest) -> set[str] | None:
    """The commits that pass the filters, as git has them; None without filters."""
    from gitsearch.git import commit_records

    options = [
        f"--{name}={value}"
        for name, values in (
            ("since", [request.since]),
            ("until", [request.until]),
            ("author", request.authors),
        )
        for value in values
        if value is not None
    ]
    if not options and not request.pathspecs:
        return None
    return commit_records.matching_commits(session.repo, commit, options, request.pathspecs)


def _changes(session: Session, records: Mapping[str, CommitRecord]) -> dict[str, CommitChange]:
    """What the commits change; nothing of one at which a shallow clone ends."""
    from gitsearch.git.blame import shallow_commits
    from gitsearch.git.commit_changes import CommitChange, read_changes

    ends = shallow_commits(session.repo)
    changes = {oid: CommitChange(oid) for oid in records}
    pairs = [(oid, (*one.parents, "")[0]) for oid, one in records.items() if oid not in ends]
    for change in read_changes(session.repo, pairs, _BOUNDS):
        changes[change.oid] = change
    return changes


def _answering(change: CommitChange, rarity: Mapping[str, float]) -> Hunk | None:
    """The hunk with the rarest words of the query; the first one of several that are alike."""
    from gitsearch.features import identifiers

    best: tuple[float, Hunk] | None = None
    for hunk in change.hunks[:_HUNKS]:
        text = b"\n".join((hunk.path, hunk.around, *hunk.lines)).decode("utf-8", "replace")
        words = set(identifiers.parts_of(identifiers.identifiers(text)))
        score = sum(rare for term, rare in rarity.items() if term in words or _form(term, words))
        if best is None or score > best[0]:
            best = score, hunk
    return None if best is None else best[1]


def _form(term: str, words: Set[str]) -> bool:
    from gitsearch.retrieval.query import inflected

    return not words.isdisjoint(inflected(term))


def _result(
    rank: int,
    found: RankedCommit,
    record: CommitRecord,
    hunk: Hunk | None,
    request: HistoryRequest,
) -> FoundCommit:
    start = end = 0
    path, text = None, ""
    if hunk is not None:
        path = os.fsdecode(hunk.path)
        start, end = hunk.first, hunk.first + max(hunk.added - 1, 0)
        lines = (line.decode("utf-8", "surrogateescape") for line in hunk.lines[: request.lines])
        text = "\n".join(lines)
    return FoundCommit(
        rank,
        found.oid,
        record.date,
        record.author,
        record.subject,
        references(record.message),
        path,
        start,
        end,
        round(found.score, 6),
        found.legs,
        text,
    )
