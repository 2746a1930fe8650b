"""`git search related`: the code that is most like a file, or like some lines of it.

Files that changed together with a file are related to it too.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.line_ranges import line_range, readings
from gitsearch.commands.named_symbols import count_lines
from gitsearch.commands.tree_selection import select_tree
from gitsearch.index.session import settings_of
from gitsearch.reports.change import Place, RelatedReport

if TYPE_CHECKING:
    from gitsearch.commands.repositories import Repository
    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.reports.change import Similar
    from gitsearch.settings import RepositoryNames


# The weight of what changed together against what is similar, and the similar files among which
# that may change the order.
_CHANGES, _POOL = 0.2, 100


class RelatedRequest(NamedTuple):
    """`PATH` or `PATH:LINES`, the tree, and the number and kind of results."""

    target: str
    at: str | None = None
    cached: bool = False
    most: int | None = None
    tests: str = "include"


def related(session: Session, request: RelatedRequest) -> RelatedReport:
    """The code that is most related to a file, or most like a place in it; raises BadPath."""
    selection = select_tree(session, at=request.at, cached=request.cached)
    from gitsearch.commands import similar_code

    opened = selection.open()
    place, whole = _target(selection, opened, request.target)
    count = request.most or session.settings.max_count
    if whole:
        similar = similar_code.related_to(opened, [place], max(count, _POOL), request.tests)
        similar = _with_changes(opened, place, similar, request.tests)[:count]
    else:
        similar = similar_code.like(opened, place, count, request.tests)
    coverage = opened.view.coverage()
    return RelatedReport(opened.tree, coverage, place, tuple(similar), opened.warnings)


def _with_changes(
    opened: OpenView, place: Place, similar: list[Similar], tests: str, own: str | None = None
) -> list[Similar]:
    """Similar files, and those that changed together with a file, by both scores.

    own: the name of the repository of the file, where there are several.
    """
    from gitsearch.commands.file_cochange import changed_with
    from gitsearch.commands.similar_code import first_chunk
    from gitsearch.index.change_history import change_history

    history = change_history(opened.session, opened.tree.commit)
    together = changed_with(history, {os.fsencode(place.path)}).files
    near = {os.fsencode(one.path) for one in similar if one.repository == own}
    chunks = [first_chunk(opened.view, path, tests) for path in together.keys() - near]
    others = [replace(one, repository=own) for one in chunks if one is not None]
    found = []
    for one in (*similar, *others):
        score = (1 - _CHANGES) * one.score
        why = one.why
        path = os.fsencode(one.path)
        if one.repository == own and path in together:
            score += _CHANGES * together[path].score
            why = {**why, "changes": round(together[path].score, 4)}
        found.append(replace(one, score=round(score, 4), why=why))
    return sorted(found, key=lambda one: (-one.score, one.path, one.repository or ""))


def related_in(session: Session, names: RepositoryNames, request: RelatedRequest) -> RelatedReport:
    """The same in many repositories, ranked as one; the target is a file in one of them.

    Raises BadPath if it is in none.
    """
    from gitsearch.commands import repositories, similar_code
    from gitsearch.commands.repository_answers import OpenedTree

    selections: dict[str, TreeSelection] = {}

    def open_tree(one: Repository) -> OpenedTree:
        cached = request.cached and one.at is None
        selections[one.name] = select_tree(one.session, at=one.at, cached=cached)
        return OpenedTree.of(selections[one.name].open())

    answers = repositories.each(session, names, request.at, open_tree)
    own, path = repositories.holding(session, answers, request.target)
    first = next(report for one, report in answers.answers if one is own)
    others = [
        (one, report)
        for one, report in answers.answers
        if one is not own and one.session.store.fingerprint == own.session.store.fingerprint
    ]
    place, whole = _target(selections[own.name], first.opened, path)
    views = [first.opened.view, *(report.opened.view for _, report in others)]
    every = replace(first.opened, view=session.joined(views))
    count = request.most or settings_of(session.own_config).max_count
    searched = [own.name, *(one.name for one, _ in others)]
    if whole:
        pool = max(count, _POOL)
        similar = similar_code.related_to(every, [place], pool, request.tests, searched)
        similar = _with_changes(first.opened, place, similar, request.tests, own.name)[:count]
    else:
        similar = similar_code.like(every, place, count, request.tests, searched)
    return RelatedReport(target=place, results=tuple(similar), **repositories.merged(answers))


def _target(selection: TreeSelection, opened: OpenView, text: str) -> tuple[Place, bool]:
    """The place that `PATH` or `PATH:LINES` means, and whether it is a whole file."""
    from gitsearch.commands import similar_code

    name, lines, match = "", None, None
    for path, part in readings(text):
        lines = line_range(part)
        if part and lines is None:
            # no symbols here: what looks like one is part of a path
            continue
        name = selection.placed(path)
        if match := opened.view.find(os.fsencode(name)):
            break
    if match is None:
        every = (segment.path(file) for segment, file in opened.view.each_file())
        raise selection.absent(name, every)
    segment, file = match
    last = count_lines(opened, segment, file, lines)
    if lines is None:
        return Place(name, 1, max(last, 1), None), True
    return similar_code.around(opened.view, segment, file, *lines), False
