"""`git search history`: commits found by what they say and change."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.commands.commit_search import CommitSearch, HistoryRequest
from gitsearch.commands.living_lines import commit_of
from gitsearch.errors import Busy
from gitsearch.features.issue_references import references
from gitsearch.index.session import settings_of
from gitsearch.reports.history import (
    CommitWindow,
    FoundCommit,
    HistoryIndexReport,
    HistoryReport,
    SearchedHistory,
)
from gitsearch.settings import OFF, WAIT

if TYPE_CHECKING:
    from gitsearch.commands.repositories import Repository
    from gitsearch.git.commit_changes import Hunk
    from gitsearch.git.commit_records import CommitRecord
    from gitsearch.index.session import Session
    from gitsearch.retrieval.commit_ranking import RankedCommit
    from gitsearch.settings import RepositoryNames


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
    search = CommitSearch(session, request)
    with trace.stage("imports"):
        from gitsearch.commands.answering_hunks import AnsweringHunks
        from gitsearch.retrieval import query

    parsed = query.parse(request.text)
    ranking = search.ranking(parsed)
    with trace.stage("ranking"):
        most = request.most or session.settings.max_count
        found = ranking.best(most, search.allowed())
    with trace.stage("text"):
        records, changes = search.changes([one.oid for one in found])
        hunks = AnsweringHunks(ranking.rarity)
    results = [
        _result(rank, one, records[one.oid], hunks.best(changes[one.oid]), request)
        for rank, one in enumerate(found, 1)
        if one.oid in records
    ]
    return HistoryReport(
        request.text,
        *search.about,
        tuple(results),
        parsed.words,
        (*search.warnings, *parsed.warnings),
    )


def history_in(session: Session, names: RepositoryNames, request: HistoryRequest) -> HistoryReport:
    """The commits that a query finds in many repositories, by score, then by repository.

    Each repository ranks its own commits; their scores are of the same kind.
    """
    from gitsearch.commands import repositories, repository_answers

    def ask(one: Repository) -> HistoryReport:
        return history(one.session, request._replace(at=one.at))

    answers = repositories.each(session, names, request.at, ask)
    found = [
        (-commit.score, one.name, commit.rank, commit)
        for one, report in answers.answers
        for commit in report.results
    ]
    found.sort(key=lambda each: each[:3])
    most = request.most or settings_of(session.own_config).max_count
    reports = [report for _, report in answers.answers]
    return HistoryReport(
        request.text,
        request.at or "HEAD",
        "",
        CommitWindow(
            sum(report.window.commits for report in reports),
            sum(report.window.limit for report in reports),
            any(report.window.cut for report in reports),
        ),
        sum(report.commits_behind for report in reports),
        all(report.complete for report in reports),
        tuple(
            commit._replace(rank=rank, repository=name)
            for rank, (_, name, _, commit) in enumerate(found[:most], 1)
        ),
        tuple(dict.fromkeys(word for report in reports for word in report.words)),
        repository_answers.warnings(
            answers.unsearched,
            answers.said,
            [(one.name, report.warnings) for one, report in answers.answers],
        ),
        tuple(
            SearchedHistory(one.name, str(one.session.cwd), report.commit)
            for one, report in answers.answers
        ),
        answers.unsearched,
    )


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
