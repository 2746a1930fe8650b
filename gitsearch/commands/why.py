"""`git search why`: the commits that wrote some lines, and others that are likely about them."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.line_ranges import absent_lines, line_range, readings
from gitsearch.commands.living_lines import blamed_revision, commit_of
from gitsearch.commands.named_symbols import find_symbol
from gitsearch.commands.tree_selection import placed, select_tree
from gitsearch.errors import BadPath, GitFailed, UsageError, brief, typed
from gitsearch.features.issue_references import references
from gitsearch.git import blame, commit_records, trees
from gitsearch.git.index_flags import flagged_files
from gitsearch.git.tree_objects import entries_at
from gitsearch.git_conventions import MODE_SUBMODULE
from gitsearch.reports.history import BlamedLines, CommitShare, RelatedCommit, WhyReport

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.git.blame import Blame, RunningBlame
    from gitsearch.git.commit_records import CommitReader, CommitRecord
    from gitsearch.git.index_flags import FlaggedFile
    from gitsearch.git.repo import Repo
    from gitsearch.index.session import Session
    from gitsearch.reports.search import TreeName
    from gitsearch.retrieval.similar_messages import SplitMessages

# Related commits without -k, and the newest commits among which they are sought.
RELATED, WINDOW = 5, 2000
# Commits with the most lines whose subjects say what is sought.
_SUBJECTS = 3

# The setting of git that names files with revisions to ignore.
_IGNORED = "blame.ignorerevsfile"
# A message that has less of what is sought is not like it.
_LEAST_SHARE = 0.05

# What git says of lines that a file does not have.
_TOO_FEW = re.compile(r"has only (\d+) lines?")


class WhyRequest(NamedTuple):
    """`PATH`, `PATH:SYMBOL` or `PATH:LINES`, the tree, the number of related commits."""

    target: str
    at: str | None = None
    most: int | None = None


class _Place(NamedTuple):
    path: bytes
    lines: tuple[tuple[int, int], ...] = ()
    symbol: str | None = None


class _Asked(NamedTuple):
    """What git says of lines and of the newest commits."""

    place: _Place
    tree: TreeName
    blame: Blame
    newest: Sequence[CommitRecord]
    messages: SplitMessages
    reader: CommitReader
    warnings: tuple[str, ...]


def why(session: Session, request: WhyRequest) -> WhyReport:
    """The commits of the lines that a target means; raises BadPath and BadRevision."""
    place, tree, found, newest, messages, reader, warnings = _asked(session, request)
    counts = Counter(found.commits)
    uncommitted = counts.pop("", 0)
    records = {record.oid: record for record in newest}
    others = counts.keys() - records.keys()
    records.update(reader.read(sorted(others)))
    by_date = sorted(counts, key=lambda oid: -records[oid].seconds)
    by_share = [records[oid] for oid in sorted(by_date, key=lambda oid: -counts[oid])]
    cut = blame.shallow_commits(session.repo)
    exact = [
        CommitShare(
            record.oid,
            round(counts[record.oid] / len(found.commits), 6),
            counts[record.oid],
            record.date,
            record.author,
            record.subject,
            references(record.message),
            os.fsdecode(found.origins[record.oid]),
            record.oid in cut,
        )
        for record in by_share
    ]
    first = place.lines[0][0] if place.lines else 1
    last = first + len(found.commits) - 1
    return WhyReport(
        tree,
        BlamedLines(os.fsdecode(place.path), first, last, place.symbol),
        tuple(exact),
        tuple(_related(newest, messages, place, by_share, request.most or RELATED)),
        uncommitted,
        found.passed_over,
        (*warnings, *_warnings(found, exact)),
    )


def _asked(session: Session, request: WhyRequest) -> _Asked:
    """Ask git; it needs longer to blame than for all else, which is done meanwhile."""
    commit = commit_of(session, request.at)
    rev = blamed_revision(session, request.at, commit)
    flagged = flagged_files(session.repo) if rev is None else {}
    likely = _likely_place(session, request)
    running = None if likely is None else _start(session, likely, rev, flagged)
    try:
        place, tree = _find(session, request)
        if running is None or place != likely:
            if running is not None:
                running.cancel()
            running = _start(session, place, rev, flagged)
        newest = commit_records.newest_records(session.repo, commit, WINDOW)
        from gitsearch.retrieval import query
        from gitsearch.retrieval.similar_messages import SplitMessages

        del query  # it is needed when git is done
        messages = SplitMessages(record.message for record in newest)
        reader = commit_records.CommitReader(session.repo)
        try:
            found = _blamed(session.repo, running, place, rev)
            warnings = tuple(_flags(session, place, flagged))
            return _Asked(place, tree, found, newest, messages, reader, warnings)
        except BaseException:
            reader.cancel()
            raise
    finally:
        if running is not None:
            running.cancel()


def _readings(session: Session, target: str) -> list[tuple[bytes, str]]:
    """The paths from the top that a target may begin with, each with what follows."""
    return [(os.fsencode(placed(session.repo, path)), part) for path, part in readings(target)]


def _likely_place(session: Session, request: WhyRequest) -> _Place | None:
    """The lines that a target means unless it is odd; None if it names a symbol."""
    path, part = _readings(session, request.target)[-1]
    lines = _line_range(part)
    return _Place(path, lines) if lines or not part else None


def _find(session: Session, request: WhyRequest) -> tuple[_Place, TreeName]:
    """The lines that a target means, and the name of its tree; raises BadPath."""
    found = _readings(session, request.target)
    places = [_Place(path, _line_range(part)) for path, part in found]
    selection = select_tree(session, at=request.at)
    named, part = found[-1]
    if part and not places[-1].lines and not _is_file(selection, places[0].path):
        from gitsearch.commands.name_files import OneFile

        opened = selection.open(OneFile(named))
        match = opened.view.find(named)
        if match is None:
            every = (segment.path(file) for segment, file in opened.view.each_file())
            raise selection.absent(os.fsdecode(named), every)
        segment, file = match
        row = find_symbol(segment, file, part)
        symbol = segment.symbol(row)
        within = ((symbol.first, symbol.last),)
        return _Place(named, within, segment.qualified(row)), opened.tree
    files = selection.files({place.path for place in places})
    for place in places:
        if entry := files.entries.get(place.path):
            if entry.mode == MODE_SUBMODULE:
                raise BadPath(f"'{os.fsdecode(place.path)}' is a submodule", "ask in its folder")
            return place, files.tree
    tree = files.tree.tree
    listed = trees.list_tree(session.repo, tree) if tree is not None else ()
    listed_paths = (entry.path for entry in listed)
    raise selection.absent(os.fsdecode(named), [*files.entries, *listed_paths])


def _is_file(selection: TreeSelection, path: bytes) -> bool:
    revision = selection.revision
    assert revision is not None
    return bool(entries_at(selection.session.repo, revision.tree, [path]))


def _line_range(text: str) -> tuple[tuple[int, int], ...]:
    """The lines of `A`, `A-B` or `A,B`; none for what is no such text. Raises UsageError."""
    lines = line_range(text)
    if lines is None:
        return ()
    if lines[0] == 0:
        raise UsageError(f"'{brief(text)}' is no range of lines", "the first one is 1")
    return (lines,)


def _start(
    session: Session, place: _Place, rev: str | None, flagged: Mapping[bytes, FlaggedFile]
) -> RunningBlame:
    ignoring = any(session.config.get(_IGNORED, ()))
    return blame.start_blame(
        session.repo,
        place.path,
        rev=rev,
        lines=place.lines,
        ignoring=ignoring,
        flagged=flagged,
    )


def _blamed(repo: Repo, running: RunningBlame, place: _Place, rev: str | None) -> Blame:
    try:
        return running.result()
    except GitFailed as error:
        match = _TOO_FEW.search(error.message)
        shown = os.fsdecode(place.path)
        if match is not None:
            raise absent_lines(shown, int(match[1]), *place.lines[0]) from None
        if not repo.partial:
            raise
        # git's own message is about a fetch, which is forbidden here
        here = os.path.relpath(repo.top / shown, repo.top / repo.prefix)
        raise GitFailed(
            f"this partial clone lacks versions of '{shown}'",
            f"`git blame -w -C {rev or 'HEAD'} -- {typed(here)}` fetches them",
        ) from error


def _related(
    newest: Sequence[CommitRecord],
    messages: SplitMessages,
    place: _Place,
    records: Sequence[CommitRecord],
    most: int,
) -> Iterator[RelatedCommit]:
    """Commits whose messages are like those of the commits of the lines, and name their names."""
    from gitsearch.retrieval import query

    name = place.symbol or os.fsdecode(place.path).rpartition("/")[2].partition(".")[0]
    asked = query.parse(" ".join([name, *(record.subject for record in records[:_SUBJECTS])]))
    own = {record.oid for record in records}
    similar = messages.similar(asked, most + len(own))
    near = [(newest[one.number], one.share) for one in similar if one.share >= _LEAST_SHARE]
    for record, share in [one for one in near if one[0].oid not in own][:most]:
        yield RelatedCommit(
            record.oid,
            round(share, 6),
            record.date,
            record.author,
            record.subject,
            references(record.message),
        )


def _flags(session: Session, place: _Place, flagged: Mapping[bytes, FlaggedFile]) -> Iterator[str]:
    """Yield a line if there is a file with other lines, as git does not look for its edits."""
    shown = os.fsdecode(place.path)
    if place.path in flagged and os.path.lexists(session.repo.top / shown):
        flag = "skip-worktree" if flagged[place.path].skipped else "assume-unchanged"
        yield f"'{shown}' is looked at as in HEAD: in git's index it has the flag {flag}"


def _warnings(found: Blame, exact: Sequence[CommitShare]) -> Iterator[str]:
    """Yield a line for each thing that blame cannot tell."""
    if any(share.oldest for share in exact):
        yield "this clone is shallow: lines of its oldest commits may be older"
    if found.passed_over:
        yield f"commits of blame.ignoreRevsFile changed {found.passed_over} of these lines last"
