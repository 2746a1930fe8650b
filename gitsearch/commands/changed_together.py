"""`git search related --by change`: what changes together with a file or a definition."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.file_cochange import changed_with
from gitsearch.commands.line_ranges import readings
from gitsearch.commands.living_lines import commit_of
from gitsearch.commands.tree_selection import placed, select_tree
from gitsearch.errors import BadPath
from gitsearch.extract import path_kinds
from gitsearch.reports.history import ChangedTogether, TogetherReport

if TYPE_CHECKING:
    from gitsearch.commands.tree_selection import TreeFiles, TreeSelection
    from gitsearch.git.cochange import History
    from gitsearch.index.session import Session
    from gitsearch.index.view import Segment

_DECIMALS = 6

# Of a definition, the files in which others are sought: its own, and those that changed most often
# with that; and the newest landings of theirs that are read, a few milliseconds each.
_FILES, _LANDINGS = 30, 600


class ChangedTogetherRequest(NamedTuple):
    """A file, folder or definitions of a file, the commit whose history is asked, the results."""

    path: str
    at: str | None = None
    most: int | None = None
    tests: str = "include"


def changed_together(session: Session, request: ChangedTogetherRequest) -> TogetherReport:
    """Return what changed most often with a file, folder or definition, and seldom without.

    Raises BadRevision, BadPath and GitFailed.
    """
    commit = commit_of(session, request.at)
    selection = select_tree(session, at=request.at)
    files = selection.files()
    path, own = "", set[bytes]()
    for written, part in readings(request.path):
        path = placed(session.repo, written)
        own = _below(files, path)
        if own and part:
            return _definitions(session, request, selection, path, part)
        if own:
            break
    if not own:
        raise selection.absent(path, files.entries)
    from gitsearch.git.cochange import read_history

    history = read_history(session.repo, commit)
    cochange = changed_with(history, own)
    found = [
        ChangedTogether(os.fsdecode(other), round(one.score, _DECIMALS), one.together, one.changes)
        for other, one in cochange.files.items()
        if other in files.entries and _wanted(other, request.tests)
    ]
    return TogetherReport(
        files.tree,
        path,
        cochange.occasions,
        _best(session, request, found),
        len(history.landings),
        _warnings(history),
    )


def _definitions(
    session: Session,
    request: ChangedTogetherRequest,
    selection: TreeSelection,
    path: str,
    asked: str,
) -> TogetherReport:
    """The definitions that changed together with some, in files that changed together."""
    from gitsearch.commands import definition_cochange
    from gitsearch.commands.named_symbols import find_symbols
    from gitsearch.git.cochange import LARGEST
    from gitsearch.index.change_history import change_history

    opened = selection.open()
    name = os.fsencode(path)
    match = opened.view.find(name)
    if match is None or match[0].reason(match[1]):
        raise BadPath(f"'{path}' is not searched", "`git search status --skipped`")
    segment, file = match
    rows = find_symbols(opened, segment, file, asked)
    if not rows:
        raise BadPath(f"'{path}:{asked}' is in no definition")
    history = change_history(session, opened.tree.commit)
    files = changed_with(history, {name}).files
    likely = sorted(files, key=lambda other: (-files[other].score, other))[:_FILES]
    every = {
        other: _names(*place)
        for other in (name, *likely)
        if (place := opened.view.find(other)) is not None
    }
    landings = [
        (number, definition_cochange.Landing(oid, landing))
        for number, (oid, landing) in enumerate(
            zip(history.commits, history.landings, strict=True), 1
        )
        if len(landing) <= LARGEST and not every.keys().isdisjoint(landing)
    ][:_LANDINGS]
    changed = definition_cochange.changed_definitions(
        session.repo, [one for _, one in landings], {one: set(of) for one, of in every.items()}
    )
    own = {
        (name, segment.name(inner).encode())
        for whole in map(segment.symbol, rows)
        for inner in segment.symbols_of(file)
        if whole.first <= segment.symbol(inner).first and segment.symbol(inner).last <= whole.last
    }
    cochange = definition_cochange.changed_with(changed, own)
    found = [
        ChangedTogether(
            os.fsdecode(other),
            round(one.score, _DECIMALS),
            one.together,
            one.changes,
            every[other][defined],
        )
        for (other, defined), one in cochange.definitions.items()
        if _wanted(other, request.tests)
    ]
    return TogetherReport(
        opened.tree,
        path,
        cochange.occasions,
        _best(session, request, found),
        landings[-1][0] if len(landings) == _LANDINGS else len(history.landings),
        (*opened.warnings, *_warnings(history)),
        ", ".join(map(segment.qualified, rows)),
    )


def _below(files: TreeFiles, path: str) -> set[bytes]:
    """The file at a path, or those below it; "" is the top."""
    name = os.fsencode(path)
    return {one for one in files.entries if not name or one == name or one.startswith(name + b"/")}


def _names(segment: Segment, file: int) -> dict[bytes, str]:
    """The qualified names of the definitions of a file, by their last parts; the first of each."""
    rows = reversed(segment.symbols_of(file))
    return {segment.name(row).encode(): segment.qualified(row) for row in rows}


def _best(
    session: Session, request: ChangedTogetherRequest, found: list[ChangedTogether]
) -> tuple[ChangedTogether, ...]:
    found.sort(key=lambda one: (-one.score, -one.together, one.path, one.symbol or ""))
    return tuple(found[: request.most or session.settings.max_count])


def _warnings(history: History) -> tuple[str, ...]:
    cut = history.where_it_is_cut()
    return () if cut is None else (cut,)


def _wanted(path: bytes, tests: str) -> bool:
    return tests == "include" or path_kinds.is_test(path) == (tests == "only")
