"""`git search history`: commits found by what they say and change."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.commands.commit_search import CommitSearch, HistoryRequest, without_change
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
    from collections.abc import Mapping, Sequence

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
    before = index.open(commit, OFF)
    opened = index.open(commit, WAIT, again=True)
    window = CommitWindow(len(opened.window.ids), opened.window.limit, opened.window.cut)
    added = before.pending + before.absent - opened.pending - opened.absent
    lacking = [without_change(session.repo, opened.absent)] if opened.absent else []
    return HistoryIndexReport(commit, window, added, (*opened.warnings, *lacking))


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
        from gitsearch.retrieval import query

    parsed = query.parse(request.text)
    ranking = search.ranking(parsed)
    with trace.stage("ranking"):
        most = request.most or session.settings.max_count
        found = ranking.best(most, search.allowed())
    results = _results(found, ranking.rarity, [(None, search)], request)
    return HistoryReport(
        request.text,
        *search.about,
        results,
        parsed.words,
        (*search.warnings, *parsed.warnings),
    )


def history_in(session: Session, names: RepositoryNames, request: HistoryRequest) -> HistoryReport:
    """The commits that a query finds in many repositories, ranked as those of one.

    A commit that several of them have is one of the first by name.
    """
    from gitsearch.commands import repositories, repository_answers
    from gitsearch.commands.searched_trees import other_model
    from gitsearch.retrieval import query

    def opened(one: Repository) -> CommitSearch:
        return CommitSearch(one.session, request._replace(at=one.at))

    answers = repositories.each(session, names, request.at, opened)
    first, model = answers.answers[0][0].name, answers.answers[0][1].fingerprint
    own = [(one, search) for one, search in answers.answers if search.fingerprint == model]
    others = [
        repository_answers.unsearched(one.session, other_model(first))
        for one, search in answers.answers
        if search.fingerprint != model
    ]
    unsearched = repository_answers.in_order([*answers.unsearched, *others])
    parsed = query.parse(request.text)
    searches = [search for _, search in own]
    ranking = searches[0].ranking(parsed, searches[1:])
    allowed = [search.allowed() for search in searches]
    passing = None if None in allowed else set().union(*filter(None, allowed))
    most = request.most or settings_of(session.own_config).max_count
    found = ranking.best(most, passing)
    named = [(one.name, search) for one, search in own]
    about = [search.about for search in searches]
    windows = [window for _, _, window, _, _ in about]
    warnings = repository_answers.warnings(
        unsearched, answers.said, [(name, search.warnings) for name, search in named]
    )
    return HistoryReport(
        request.text,
        request.at or "HEAD",
        None,
        CommitWindow(
            sum(window.commits for window in windows),
            sum(window.limit for window in windows),
            any(window.cut for window in windows),
        ),
        sum(pending for *_, pending, _ in about),
        all(complete for *_, complete in about),
        _results(found, ranking.rarity, named, request),
        parsed.words,
        (*warnings, *parsed.warnings),
        tuple(
            SearchedHistory(one.name, str(one.session.cwd), search.commit) for one, search in own
        ),
        unsearched,
    )


def _results(
    found: Sequence[RankedCommit],
    rarity: Mapping[str, float],
    searches: Sequence[tuple[str | None, CommitSearch]],
    request: HistoryRequest,
) -> tuple[FoundCommit, ...]:
    """The commits with what git says of them; each is of the first repository that has it.

    searches: of each repository, with its name; None for that of the current folder.
    """
    with trace.stage("imports"):
        from gitsearch.commands.answering_hunks import AnsweringHunks

    hunks = AnsweringHunks(rarity)
    results: dict[str, FoundCommit] = {}
    left = {one.oid for one in found}
    with trace.stage("text"):
        for name, search in searches:
            own = left if len(searches) == 1 else left & search.window()
            left = left - own
            records, changes = search.changes([one.oid for one in found if one.oid in own])
            for rank, one in enumerate(found, 1):
                if one.oid in records:
                    hunk = hunks.best(changes[one.oid])
                    made = _result(rank, one, records[one.oid], hunk, request)
                    results[one.oid] = made._replace(repository=name)
    return tuple(results[one.oid] for one in found if one.oid in results)


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
