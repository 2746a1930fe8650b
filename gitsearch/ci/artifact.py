"""The report as it is handed from the run that makes it to the run that posts it.

Who opens a pull request from a fork can change the first of the two, and put into the file what
he likes. So nothing in it is believed to be short, of the right kind, or a path: it is data of
these types, within these bounds, and what our own reports always are, or it is refused as a whole
before anything is made of it. Of a key that stands twice, the last is checked and shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import msgspec

from gitsearch.ci.event import decoded, read_at_most
from gitsearch.commands.report import MOST
from gitsearch.errors import SearchError, Unfit
from gitsearch.git_conventions import is_object_id
from gitsearch.render import report_json
from gitsearch.render.escape import lossy
from gitsearch.render.json_document import SCHEMA, dump
from gitsearch.reports.change import ChangeReport

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A report names at most a few thousand places, each by paths of some hundred characters.
_BYTES = 4 << 20
_LONGEST = 1 << 16
_MOST = 10_000
_NUMBERS = 1 << 31
# Weights and shares that say why something is similar.
_LARGEST_FACTOR = 1000.0

# Stands beside a path that is no UTF-8.
_BYTES_OF_PATH = "path_b64"
_STATUSES = frozenset({"added", "modified", "deleted", "renamed"})
# What is shown as a word of ours is one.
_WORD = re.compile("[A-Za-z][A-Za-z0-9 -]{0,40}")
_RECIPE = re.compile(r"[0-9A-Za-z.+-]{1,100}")
# Of what git has as a path, nothing is one of these.
_NO_PART = frozenset({"", ".", ".."})


def encode(report: ChangeReport) -> bytes:
    """The document of `git search report --json`."""
    return dump(report_json.report(report)).encode()


def read(path: Path) -> ChangeReport:
    """The report in a file; raises Unfit."""
    try:
        document = decoded(read_at_most(path, _BYTES), dict[str, Any], path.name)
        if document.pop("schema", None) != SCHEMA:
            raise Unfit(f"{path.name}: not a report of this version")
        report = msgspec.convert(_arranged(document, ChangeReport), ChangeReport, strict=True)
    except (SearchError, msgspec.MsgspecError, RecursionError) as error:
        raise Unfit(f"{path.name}: {error}") from error
    for problem in _problems(report):
        raise Unfit(f"{path.name}: {problem}")
    return report


def _arranged(value: Any, kind: Any) -> Any:
    """The value with objects that stand for named tuples in the order of their fields.

    Raises Unfit where an object has other fields than those of its type.
    """
    if isinstance(value, list) and get_origin(kind) is tuple:
        return [_arranged(item, get_args(kind)[0]) for item in value]
    names = getattr(kind, "_fields", getattr(kind, "__dataclass_fields__", None))
    if names is None or not isinstance(value, dict):
        return value
    if {*value} - {_BYTES_OF_PATH} != {*names}:
        raise Unfit(f"a {kind.__name__} has other fields")
    hints = get_type_hints(kind)
    found = {name: _arranged(value[name], hints[name]) for name in names}
    return [*found.values()] if issubclass(kind, tuple) else found


def _problems(report: ChangeReport) -> Iterator[str]:
    """What no report of ours has."""
    yield from _unbounded(msgspec.to_builtins(report))
    for side in (report.base, report.head):
        if not all(one is None or is_object_id(one) for one in (side.commit, side.tree)):
            yield "an id is no id of git"
    if not _RECIPE.fullmatch(report.recipe):
        yield "the recipe is none"
    if not {one.status for one in report.changes} <= _STATUSES:
        yield "a change has no status of ours"
    if not all(map(_WORD.fullmatch, _words(report))):
        yield "a word is none of ours"
    if not all(map(_is_path, _paths(report))):
        yield "a path is none of git"
    yield from _incoherent(report)


def _incoherent(report: ChangeReport) -> Iterator[str]:
    """Values that contradict themselves: a cycle without files, a ratio of zero occasions."""
    similar = (*report.related, *(copy.existing for copy in report.copies))
    if not all(0 <= one.score <= 1 for one in similar):
        yield "a score is not between 0 and 1"
    places = (*(one.place for one in similar), *(copy.new for copy in report.copies))
    if not all(1 <= place.start <= place.end for place in places):
        yield "a place has no lines"
    if not all(report.cycles):
        yield "a cycle has no files"
    if not all(one.users for one in report.exports):
        yield "a changed definition has no users"
    if not all(one.hops and len(one.via) > 1 for one in report.dependents):
        yield "a file depends on nothing"
    if not all(0 < one.together <= one.times for one in report.habits):
        yield "a habit has no occasions"
    if not {*report.truncated} <= {*MOST}:
        yield "what was left out is no part of a report"


def _unbounded(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) > _LONGEST or lossy(value) != value:
            yield "a text is too long, or no Unicode"
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int):
        if not 0 <= value < _NUMBERS:
            yield "a number is out of range"
    elif isinstance(value, float):
        if not abs(value) <= _LARGEST_FACTOR:
            yield "a number is out of range"
    else:
        items = [*value.items()] if isinstance(value, dict) else value
        if len(items) > _MOST:
            yield "a list is too long"
        for item in items:
            yield from _unbounded(item)


def _paths(report: ChangeReport) -> Iterator[str]:
    """Every path, for they become parts of addresses."""
    yield from report.tests
    yield from report.components
    for change in report.changes:
        yield change.path
        yield from () if change.old is None else (change.old,)
    for broken in report.dangling:
        yield from (broken.path, broken.target)
    for lost in report.exports:
        yield from (lost.path, *(path for path, _ in lost.users))
    for one in report.dependents:
        yield from (one.path, *one.via)
    for cycle in report.cycles:
        yield from cycle
    for copy in report.copies:
        yield from (copy.new.path, copy.existing.place.path)
    for similar in report.related:
        yield similar.place.path
    for habit in report.habits:
        yield from (habit.path, habit.changed)
    for unresolved in report.unseen:
        yield unresolved.path


def _words(report: ChangeReport) -> Iterator[str]:
    """What is said of places in words of ours."""
    yield from report.notes
    yield from report.truncated
    yield from report.coverage.skipped
    for one in report.dependents:
        yield from (one.label, one.kind)
    for unresolved in report.unseen:
        yield unresolved.reason
    for similar in (*report.related, *(copy.existing for copy in report.copies)):
        yield from similar.why


def _is_path(path: str) -> bool:
    return "\0" not in path and _NO_PART.isdisjoint(path.split("/"))
