"""Removed code: `--removed` without a range, of a search, of `history` and of `def`."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.commands.commit_search import CommitSearch, HistoryRequest
from gitsearch.features.issue_references import references
from gitsearch.reports.history import RemovedCode, RemovedReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitsearch.commands.answering_hunks import AnsweringHunks, Removal
    from gitsearch.commands.defining_lines import DefiningLines
    from gitsearch.git.commit_changes import CommitChange
    from gitsearch.git.commit_records import CommitRecord
    from gitsearch.index.session import Session

# What stands between the parts of a qualified name.
_SEPARATORS = re.compile(r"[.:#/]+|->")

# Commits that are looked at. One that removes much is about many things, and those that wrote the
# code come before it.
_LOOKED_AT = 400
# The newest commits with a name that are looked at, and how many of them are read at once.
_WITH_NAME, _AT_ONCE = 500, 50
# Lines of removed code that are shown.
SHOWN = 40


def removed_code(session: Session, request: HistoryRequest) -> RemovedReport:
    """The commits that took away what a query means, the best first; raises BadRevision."""
    search = CommitSearch(session, request)
    from gitsearch.commands.answering_hunks import AnsweringHunks
    from gitsearch.retrieval import query

    parsed = query.parse(request.text)
    ranking = search.ranking(parsed)
    with trace.stage("ranking"):
        scores = ranking.changing(_LOOKED_AT, search.allowed())
    with trace.stage("text"):
        records, changes = search.changes([*scores])
        hunks = AnsweringHunks(ranking.rarity)
        found: list[tuple[float, CommitRecord, Removal]] = []
        if request.edits and (gone := _edited_away(session, search, hunks)):
            # nobody has said what it is about: it counts like the best commit
            best = max(scores.values(), default=1.0)
            found.append((best * gone.share, _uncommitted(search.commit), gone))
        for oid, score in scores.items():
            # a merge takes away what the commits that it brings have taken away
            if len(records[oid].parents) == 1 and (gone := hunks.removal(changes[oid])):
                found.append((score * gone.share, records[oid], gone))
    found.sort(key=lambda one: -one[0])
    most = request.most or session.settings.max_count
    results = [
        _told(rank, record, score, gone, request.lines)
        for rank, (score, record, gone) in enumerate(found[:most], 1)
    ]
    said = (*search.warnings, *parsed.warnings)
    return RemovedReport(request.text, *search.about, tuple(results), parsed.words, said)


def _edited_away(session: Session, search: CommitSearch, hunks: AnsweringHunks) -> Removal | None:
    """Return the best removal among edits that are not committed; None if there is none."""
    from gitsearch.git.worktree import has_index

    repo = session.repo
    if repo.worktree is None or not has_index(repo):
        return None  # without a checkout nothing is edited
    return hunks.removal(search.edits())


def removed_definitions(session: Session, name: str, at: str | None) -> RemovedReport:
    """The commits that took away a definition of a name, the newest first; raises BadRevision."""
    request = HistoryRequest(name, at=at)
    search = CommitSearch(session, request)
    from gitsearch.commands.defining_lines import DefiningLines
    from gitsearch.retrieval import query

    last = _SEPARATORS.split(name)[-1] or name
    ranking = search.ranking(query.parse(last))
    most = session.settings.max_count
    defining = DefiningLines(session, last)
    results: list[RemovedCode] = []
    with trace.stage("text"):
        oids = ranking.with_all_terms()[:_WITH_NAME]
        for start in range(0, len(oids), _AT_ONCE):
            records, changes = search.changes(oids[start : start + _AT_ONCE])
            for record, gone in _definitions(defining, records.values(), changes):
                if len(results) < most:
                    results.append(_told(len(results) + 1, record, 1.0, gone, SHOWN))
            if len(results) == most:
                break
    said = [*search.warnings]
    if defining.unparsed:
        said.append(
            f"files of old commits that were not parsed: {defining.unparsed:,}; in these "
            "definitions are told by words such as `class` only"
        )
    return RemovedReport(name, *search.about, tuple(results), (last,), tuple(said))


def _definitions(
    defining: DefiningLines, records: Iterable[CommitRecord], changes: dict[str, CommitChange]
) -> Iterator[tuple[CommitRecord, Removal]]:
    """The commits that remove a line that defines a name, and add none in the same file."""
    from gitsearch.commands.answering_hunks import Removal

    single = [record for record in records if len(record.parents) == 1]
    signs = defining.signs([(changes[record.oid], record.parents[0]) for record in single])
    for record, of_hunks in zip(single, signs, strict=True):
        hunks = changes[record.oid].hunks
        of_files: dict[bytes, set[bytes]] = {}
        for hunk, own in zip(hunks, of_hunks, strict=True):
            if own:
                of_files.setdefault(hunk.path, set()).update(own)
        new = [path for path, own in of_files.items() if own == {b"+"}]
        for hunk, own in zip(hunks, of_hunks, strict=True):
            if own and of_files[hunk.path] == {b"-"}:
                yield record, Removal(hunk, 1.0, new[0] if new else None)
                break


def _uncommitted(tip: str) -> CommitRecord:
    """A commit that nobody has made yet, without an id."""
    from gitsearch.git.commit_records import CommitRecord

    return CommitRecord("", (tip,), "", "", "", 0, "")


def _told(rank: int, record: CommitRecord, score: float, gone: Removal, shown: int) -> RemovedCode:
    hunk, replaced = gone.hunk, gone.replaced_by
    lines = [line[1:] for line in hunk.lines if line.startswith(b"-")][:shown]
    return RemovedCode(
        rank,
        record.oid or None,
        record.date,
        record.author,
        record.subject,
        references(record.message),
        os.fsdecode(hunk.old_path),
        hunk.old_first,
        hunk.old_first + hunk.removed - 1,
        record.parents[0],
        None if replaced is None else os.fsdecode(replaced),
        round(score, 6),
        _text(lines),
    )


def _text(lines: Sequence[bytes]) -> str:
    return b"\n".join(lines).decode("utf-8", "surrogateescape")
