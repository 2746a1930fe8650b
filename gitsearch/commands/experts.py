"""`git search experts`: who knows some code, by the lines that are alive and recent commits."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.living_lines import blamed_revision, commit_of, living_lines
from gitsearch.commands.tree_selection import placed, select_tree
from gitsearch.errors import brief
from gitsearch.reports.history import Expert, ExpertsReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitsearch.git.commit_records import AuthoredChange
    from gitsearch.index.session import Session
    from gitsearch.reports.search import TreeName

# Files whose lines are looked at: in a folder those that were changed last.
BLAMED = 40
# The newest commits, without merges, that are looked at, and results of a search.
WINDOW, _FOUND = 2000, 20
# A result with less than this share of the best score is about something else.
_LIKE = 0.5


class ExpertsRequest(NamedTuple):
    """One word that is a file or folder of the tree, or a query; the number of authors."""

    words: tuple[str, ...]
    at: str | None = None
    most: int | None = None


class _Places(NamedTuple):
    """Ranges of lines by file (none: all lines), and what they are the answer to."""

    tree: TreeName
    ranges: Mapping[bytes, Sequence[tuple[int, int]]]
    query: str | None = None
    path: str | None = None
    warnings: tuple[str, ...] = ()


def experts(session: Session, request: ExpertsRequest) -> ExpertsReport:
    """The authors who know a file, a folder, or what a query finds; raises BadRevision."""
    commit = commit_of(session, request.at)
    from gitsearch.git.commit_records import authored_changes

    places = _of_path(session, request)
    if places is None:
        places = _of_query(session, request)
        word = request.words[0]
        if len(request.words) == 1 and "/" in word:
            said = f"no file or folder is '{brief(word)}': these know what its words find"
            places = places._replace(warnings=(*places.warnings, said))
    changes = authored_changes(session.repo, commit, WINDOW)
    recent = [one for one in changes if not places.ranges.keys().isdisjoint(one.paths)]
    chosen = _last_changed(places.ranges, recent)
    lines = living_lines(
        session.repo,
        blamed_revision(session, request.at, commit),
        {path: places.ranges[path] for path in chosen},
    )
    ranked = _ranked(lines.authors, recent)
    most = request.most or session.settings.max_count
    return ExpertsReport(
        places.query,
        places.path,
        places.tree,
        tuple(ranked[:most]),
        len(places.ranges),
        lines.files,
        lines.authors.total(),
        len(recent),
        len(changes),
        places.warnings,
    )


def _of_path(session: Session, request: ExpertsRequest) -> _Places | None:
    """The file, or the files of the folder, that one word means; None if it means none."""
    if len(request.words) != 1 or any(map(str.isspace, request.words[0])):
        return None
    path = placed(session.repo, request.words[0])
    files = select_tree(session, at=request.at).files()
    under = [name for name, entry in files.entries.items() if entry.regular and _in(name, path)]
    if not under:
        return None
    return _Places(files.tree, dict.fromkeys(under, ()), path=path)


def _in(name: bytes, path: str) -> bool:
    """Return True if a path is a file or lies in it, a folder; "" is the top."""
    folder = os.fsencode(path)
    return not folder or name == folder or name.startswith(folder + b"/")


def _of_query(session: Session, request: ExpertsRequest) -> _Places:
    """The chunks that a search finds."""
    selection = select_tree(session, at=request.at)
    from gitsearch.commands.context_items import chunk_span
    from gitsearch.commands.file_candidates import FileCandidates
    from gitsearch.retrieval import engine, filters, query

    parsed = query.parse(" ".join(request.words))

    def passes(path: bytes) -> bool:
        return filters.may_pass(path, (), "all", "include")

    opened = selection.open(FileCandidates(selection, parsed, lambda _: passes, lambda _: None))
    mask = filters.by_file(opened.view)
    hits = engine.search(opened.view, parsed, mask, engine.Options(count=_FOUND, deeper=2))
    ranges: dict[bytes, list[tuple[int, int]]] = {}
    for hit in hits:
        if hit.score < _LIKE * hits[0].score:
            continue
        span = chunk_span(opened.view, hit)
        ranges.setdefault(span.path, []).append((span.first, span.last))
    return _Places(
        opened.tree,
        {path: sorted(found) for path, found in ranges.items()},
        query=parsed.text,
        warnings=(*opened.warnings, *parsed.warnings),
    )


def _last_changed(paths: Iterable[bytes], changes: Iterable[AuthoredChange]) -> list[bytes]:
    """Return at most `BLAMED` paths: those that were changed last, then the others by name."""
    wanted = dict.fromkeys(paths)
    latest = dict.fromkeys(path for one in changes for path in one.paths if path in wanted)
    return list(dict.fromkeys((*latest, *sorted(wanted))))[:BLAMED]


def _ranked(lines: Counter[tuple[str, str]], recent: Sequence[AuthoredChange]) -> list[Expert]:
    commits = Counter((one.author, one.email) for one in recent)
    # the newest comes first
    last = {(one.author, one.email): one.date for one in reversed(recent)}
    found = [
        Expert(
            name,
            email,
            round(_share(lines, who) / 2 + _share(commits, who) / 2, 6),
            lines[who],
            commits[who],
            last.get(who),
        )
        for who in lines | commits
        for name, email in (who,)
    ]
    return sorted(found, key=lambda one: (-one.score, one.author, one.email))


def _share(counts: Counter[tuple[str, str]], who: tuple[str, str]) -> float:
    return counts[who] / max(counts.total(), 1)
