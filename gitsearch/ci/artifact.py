"""The report as a file, which one run of the Action writes and another one reads and posts.

Who opens a pull request from a fork can change the first run, and write anything into the file. So
nothing in it is trusted to be short, of the right type, or a path: it is data of these types,
within these bounds, and as our own reports always are, or it is refused as a whole before anything
is made of it. Of a key that stands twice, the last is checked and shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import msgspec

from gitsearch.ci.runner import decoded, read_at_most
from gitsearch.commands.report import MOST
from gitsearch.errors import SearchError, Unfit
from gitsearch.git_conventions import is_object_id
from gitsearch.render.escape import lossy
from gitsearch.render.json_document import CHANGE_SCHEMA, change_report, dump
from gitsearch.reports.change import ChangeReport

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A report names at most a few thousand places, each by paths of some hundred characters.
_MAX_BYTES = 4 << 20
_MAX_TEXT = 1 << 16
_MAX_ITEMS = 10_000
_MAX_INTEGER = 1 << 31
# Weights and shares that say why something is similar.
_MAX_FACTOR = 1000.0

# Stands beside a path that is no UTF-8.
_BYTES_OF_PATH = "path_b64"
# Fields of answers about many repositories, which a report is not.
_LEFT_OUT = frozenset({"repository", "package"})
_STATUSES = frozenset({"added", "modified", "deleted", "renamed"})
# The fields with paths, which become parts of URLs.
_PATHS = frozenset({"path", "old", "target", "via", "tests", "cycles", "changed", "components"})
# The fields with labels, which git search itself chooses, and the form of a label.
_LABELS = frozenset(
    {"change", "label", "resolution", "kind", "reason", "why", "notes", "truncated", "skipped"}
)
_LABEL = re.compile("[A-Za-z][A-Za-z0-9 -]{0,40}")
_RECIPE = re.compile(r"[0-9A-Za-z.+-]{1,100}")
# No component of a path in git is one of these.
_NO_COMPONENT = frozenset({"", ".", ".."})


def encode(report: ChangeReport) -> bytes:
    """Return the document of `git search report --json`."""
    return dump(change_report(report)).encode()


def read(path: Path) -> ChangeReport:
    """Return the report in a file; raises Unfit if it is not one of ours."""
    try:
        document = decoded(read_at_most(path, _MAX_BYTES), dict[str, Any], path.name)
        if document.pop("schema", None) != CHANGE_SCHEMA:
            raise Unfit(f"{path.name}: not a report of this version of git search")
        report = msgspec.convert(_arranged(document, ChangeReport), ChangeReport, strict=True)
    except (SearchError, msgspec.MsgspecError, RecursionError) as error:
        raise Unfit(f"{path.name}: {error}") from error
    for problem in _problems(report):
        raise Unfit(f"{path.name}: {problem}")
    return report


def _arranged(value: Any, kind: Any) -> Any:
    """Return the value with lists in place of named tuples; raises Unfit for other fields."""
    if isinstance(value, list) and get_origin(kind) is tuple:
        return [_arranged(item, get_args(kind)[0]) for item in value]
    names = getattr(kind, "_fields", getattr(kind, "__dataclass_fields__", None))
    if names is None or not isinstance(value, dict):
        return value
    written = [name for name in names if name not in _LEFT_OUT]
    if {*value} - {_BYTES_OF_PATH} != {*written}:
        raise Unfit(f"a {kind.__name__} has missing or unknown fields")
    hints = get_type_hints(kind)
    fields = {name: _arranged(value[name], hints[name]) for name in written}
    return [*fields.values()] if issubclass(kind, tuple) else fields


def _problems(report: ChangeReport) -> Iterator[str]:
    yield from _unbounded(msgspec.to_builtins(report))
    similar = (*report.related, *(copy.existing for copy in report.copies))
    places = (*(each for each in similar), *(copy.new for copy in report.copies))
    ids = [oid for side in (report.base, report.head) for oid in (side.commit, side.tree)]
    valid = {
        "an object id is malformed": all(oid is None or is_object_id(oid) for oid in ids),
        "the recipe is malformed": _RECIPE.fullmatch(report.recipe),
        "a change has an unknown status": {each.status for each in report.changes} <= _STATUSES,
        "a label is malformed": all(map(_LABEL.fullmatch, _texts(report, _LABELS))),
        "a path is not one that git allows": all(map(_is_path, _texts(report, _PATHS))),
        "a score is not between 0 and 1": all(0 <= each.score <= 1 for each in similar),
        "a range of lines is empty": all(1 <= place.start <= place.end for place in places),
        "a cycle has no files": all(report.cycles),
        "a changed definition has no users": all(each.users for each in report.exports),
        "a dependent has no path to the change": all(
            each.hops and len(each.via) > 1 for each in report.dependents
        ),
        "a likelihood is not between 0 and 1": all(
            0 <= each.likelihood <= 1 for each in report.dependents
        ),
        "a count of common changes is out of range": all(
            0 < each.together <= each.times for each in report.habits
        ),
        "a share is not between 0 and 1": all(0 <= each.score <= 1 for each in report.reviewers),
        "an unknown part of the report was truncated": {*report.truncated} <= {*MOST},
    }
    yield from (problem for problem, holds in valid.items() if not holds)


def _unbounded(value: Any) -> Iterator[str]:
    """Yield the bounds that a value, or one inside it, exceeds."""
    if isinstance(value, str):
        if len(value) > _MAX_TEXT or lossy(value) != value:
            yield "a text is too long or not Unicode"
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int):
        if not 0 <= value < _MAX_INTEGER:
            yield "a number is out of range"
    elif isinstance(value, float):
        if not abs(value) <= _MAX_FACTOR:
            yield "a number is out of range"
    else:
        items = [*value.items()] if isinstance(value, dict) else value
        if len(items) > _MAX_ITEMS:
            yield "a list is too long"
        for item in items:
            yield from _unbounded(item)


def _texts(value: Any, names: frozenset[str], *, named: bool = False) -> Iterator[str]:
    """Yield the texts in all fields with one of some names, and the keys of maps in these."""
    fields = getattr(value, "_fields", getattr(value, "__dataclass_fields__", ()))
    for name in fields:
        yield from _texts(getattr(value, name), names, named=name in names)
    if named and isinstance(value, str):
        yield value
    elif named and isinstance(value, dict):
        yield from value
    elif isinstance(value, tuple) and not fields:
        for item in value:
            yield from _texts(item, names, named=named)


def _is_path(path: str) -> bool:
    return "\0" not in path and _NO_COMPONENT.isdisjoint(path.split("/"))
