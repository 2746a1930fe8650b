"""Reports and refusals as JSON: records as objects, whose keys are the names of the fields."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from gitsearch.errors import SearchError
from gitsearch.render import next_actions
from gitsearch.render.escape import json_safe, lossy, raw
from gitsearch.render.presentation import Presentation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitsearch.reports.change import ChangeReport
    from gitsearch.reports.code_match import CodeMatch
    from gitsearch.reports.context import ContextItem, ContextReport
    from gitsearch.reports.lookup import (
        ConventionFile,
        ConventionsReport,
        ExistsReport,
        ImpactReport,
        ReferenceReport,
        SymbolReport,
    )
    from gitsearch.reports.maintenance import StatusReport, VerifyReport
    from gitsearch.reports.overview import MapReport
    from gitsearch.reports.search import Action, ChangedLines, FileCount, Result, SearchReport

SCHEMA = 1
# Schema 1 of the report on a change had other shapes of users and of similar places.
CHANGE_SCHEMA = 3
# Enough to tell two scores apart, and the same digits on every machine.
_DIGITS = 6

# Fields of a report that say something of many repositories.
_OF_MANY = ("repositories", "unsearched")

# Fields of an entry that are there where several repositories are asked.
_OF_ENTRY = ("repository", "package")

# The legs of a result, and the reasons to skip a file, that stand in every answer.
_LEGS: dict[str, int | None] = dict.fromkeys(("lexical", "dense", "symbol"))
_SKIPPED = dict.fromkeys(("binary", "generated", "too-large", "unreadable", "absent"), 0)

# What most fields are, and JSON has, too.
_ATOMS = frozenset({str, int, float, bool, type(None)})

Json = dict[str, Any]


def dump(document: Json, *, indent: bool = False) -> str:
    """One line of JSON, or an indented document; ends with a line feed.

    Values of the document may be records, and tuples of records.
    """
    try:
        text = _encoded(document, indent=indent)
        if not text.isascii():
            text.encode("utf-8")
    except (TypeError, ValueError):
        text = _encoded(_valid(_deep(document)), indent=indent)
    return json_safe(text) + "\n"


def _encoded(document: Json, *, indent: bool) -> str:
    """A document as JSON; raises TypeError or ValueError for what JSON cannot hold."""
    if indent:
        return json.dumps(_deep(document), ensure_ascii=False, allow_nan=False, indent=2)
    pairs = [f"{_text(key)}: {_texts([value])[0]}" for key, value in document.items()]
    return f"{{{', '.join(pairs)}}}"


def _text(value: Any) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)


def _texts(values: Sequence[Any]) -> list[str]:
    """Each value on one line; raises TypeError or ValueError as `_encoded`.

    Records are written a field at a time for all of them, and one that is there many times once:
    a report may have tens of thousands.
    """
    kinds = set(map(type, values))
    if values and kinds <= _ATOMS:
        # a line feed stands in no text of JSON
        separators = ("\n", ": ")
        lines = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=separators)
        return lines[1:-1].split("\n")
    if kinds == {tuple}:
        inner = iter(_texts(list(chain.from_iterable(values))))
        return [f"[{', '.join(islice(inner, len(value)))}]" for value in values]
    if len(kinds) == 1 and all(hasattr(kind, "_fields") for kind in kinds):
        distinct = {id(value): value for value in values}
        written = dict(zip(distinct, _records(list(distinct.values())), strict=True))
        return [written[id(value)] for value in values]
    return list(map(_text, values))


def _records(records: Sequence[Any]) -> list[str]:
    """Each of some records of one type."""
    names = _names(type(records[0]))
    columns = dict(zip(names, zip(*records, strict=True), strict=True))
    for name in _OF_ENTRY:
        if name in columns and all(value is None for value in columns[name]):
            del columns[name]
    odd = [value for name in _OF_ENTRY for value in columns.get(name, ()) if value is None]
    uneven = odd or not _are_ascii(columns.get("path", ()))
    if uneven or "repositories" in columns or "skipped" in columns:
        # not all have the same keys, or a value is written otherwise than it is
        return list(map(_text, records))
    template = f"{{{', '.join(f'{_text(name)}: %s' for name in columns)}}}"
    return [template % row for row in zip(*map(_texts, columns.values()), strict=True)]


def _are_ascii(paths: Iterable[str | None]) -> bool:
    return all(path is None or path.isascii() for path in paths)


def _valid(value: Any) -> Any:
    """`value` with what JSON cannot hold replaced: invalid Unicode, NaN, bytes, dates.

    A decimal is a number where the nearest float is written with the same digits, else a text.
    """
    if isinstance(value, str):
        return lossy(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {lossy(str(key)): _valid(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_valid(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    from decimal import Decimal  # only rows of SQL have other types than these

    if isinstance(value, Decimal) and Decimal(repr(float(value))) == value:
        return float(value)
    return lossy(str(value))


def path_fields(path: str) -> Json:
    """A path, and its bytes where it is no UTF-8."""
    shown = lossy(path)
    if shown == path:
        return {"path": path}
    return {"path": shown, "path_b64": b64encode(raw(path)).decode("ascii")}


def fields(record: Any) -> Json:
    """A record as an object: its fields by name, those of records in it as objects, too."""
    return _deep(_shallow(record))


def _deep(document: Json) -> Json:
    """An object with all records in it as objects."""
    return {key: _plain(value) for key, value in document.items()}


def _shallow(record: Any) -> Json:
    """A record as an object whose values may be records."""
    document: Json = {}
    alone = getattr(record, "repositories", ()) is None
    for name in _names(type(record)):
        value = getattr(record, name)
        if (name in _OF_ENTRY and value is None) or (alone and name in _OF_MANY):
            continue  # one repository is asked
        if name == "path" and value is not None:
            document |= path_fields(value)
        elif name == "skipped" and isinstance(value, dict):
            document[name] = dict(sorted({**_SKIPPED, **value}.items()))
        else:
            document[name] = value
    return document


def _field_names(record: type) -> tuple[str, ...]:
    """The names of the fields of a named tuple or a dataclass; none of other types."""
    return tuple(getattr(record, "_fields", ()) or getattr(record, "__dataclass_fields__", ()))


_names: Callable[[type], tuple[str, ...]] = cache(_field_names)


def _plain(value: Any) -> Any:
    if type(value) in _ATOMS:
        return value
    if _names(type(value)):
        return fields(value)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def document(report: Any, **changes: Any) -> Json:
    """A report as one document; `changes` replace and add fields."""
    return {"schema": SCHEMA, **fields(report), **changes}


def change_report(report: ChangeReport) -> Json:
    """The answer of `report`, which the Action also reads."""
    return document(report, schema=CHANGE_SCHEMA)


def search(report: SearchReport, look: Presentation) -> Json:
    """The answer to a query as one document."""
    files = {} if look.only == "results" else {"files": _files(report, look)}
    budget = {} if look.budget is None else {"budget": _budget(report, look.budget)}
    chosen = report.results if look.only == "results" else ()
    return {
        "schema": SCHEMA,
        "query": _query(report),
        "tree": fields(report.tree),
        **_changed(report.changed),
        "coverage": fields(report.coverage),
        "complete": not report.coverage.pending,
        **_repositories(report),
        "results": [_result(result, look) for result in chosen],
        **files,
        **budget,
        "next": report.next,
        "actions": _actions(next_actions.after_search(report)),
        "warnings": report.warnings,
    }


def _repositories(report: SearchReport) -> Json:
    """The repositories, where several are searched."""
    if report.repositories is None:
        return {}
    return {
        "repositories": list(map(fields, report.repositories)),
        "unsearched": list(map(fields, report.unsearched)),
    }


def _changed(lines: ChangedLines | None) -> Json:
    """The change to whose lines the answer is restricted."""
    if lines is None:
        return {}
    sides = {"from": lines.old, "to": lines.new, "removed": lines.removed}
    return {"changed": {**sides, "files": lines.files, "lines": lines.lines}}


def _actions(actions: Iterable[Action]) -> list[Json]:
    """What may be asked next: the words after `git search`, and why."""
    return [{"argv": list(argv), "reason": reason} for argv, reason in actions]


def _query(report: SearchReport) -> Json:
    """The query, its mode and why, and words that were searched for in place of others."""
    query: Json = {"text": report.text, "mode": report.mode}
    if report.reason:
        query["reason"] = report.reason
    if report.read:
        query["reader"] = True
    if report.respelt:
        query["respelt"] = [word._asdict() for word in report.respelt]
    return query


def _budget(report: SearchReport, tokens: int) -> Json:
    return {"tokens": tokens, "left_out": report.left_out}


def impact(report: ImpactReport) -> Json:
    """The answer of `impact`; its records stay such, since there may be very many."""
    answer = {"schema": SCHEMA, **_shallow(report), "truncated": report.truncated or False}
    if report.recorded is None:
        del answer["recorded"]
    if report.delta is None:
        del answer["delta"]
    else:
        answer["delta"] = fields(report.delta)
        for name in ("added", "removed"):
            edges = getattr(report.delta, name)
            answer["delta"][name] = [{"from": source, "to": target} for source, target in edges]
    return answer


def search_lines(report: SearchReport, look: Presentation) -> list[Json]:
    """The answer to a query as one object a line."""
    if look.only != "results":
        return _files(report, look)
    return [_result(result, look) for result in report.results]


def _files(report: SearchReport, look: Presentation) -> list[Json]:
    if look.only == "files":
        return [_place(file) for file in report.counts]
    return [{**_place(file), "count": file.results} for file in report.counts]


def _place(file: Result | FileCount) -> Json:
    """The path of a file, and its repository where several are searched."""
    repository = {} if file.repository is None else {"repository": file.repository}
    return {**repository, **path_fields(file.path)}


def _result(result: Result, look: Presentation) -> Json:
    document: Json = {
        "rank": result.rank,
        **_place(result),
        "start": result.start,
        "end": result.end,
        "blob": result.blob,
        "language": result.language,
        "kind": result.kind,
        "symbol": result.symbol,
        "score": round(result.score, _DIGITS),
        "legs": {**_LEGS, **result.legs},
        "confidence": result.confidence,
        "text": result.text,
    }
    if result.match is not None:
        document |= _code_match(result.match)
    if result.first_shown and result.first_shown != result.start:
        document["text_start"] = result.first_shown
    if result.context:
        line, text = result.context
        document["context"] = {"line": line, "text": text}
    if result.copies:
        document["copies"] = list(map(fields, result.copies))
    if look.explain:
        document["explain"] = {k: round(v, _DIGITS) for k, v in result.explain.items()}
    return document


def _code_match(match: CodeMatch) -> Json:
    """The columns of a match, and what its metavariables stand for."""
    captures = {
        name: fields(capture) if _names(type(capture)) else list(map(fields, capture))
        for name, capture in match.captures.items()
    }
    return {
        "start_column": match.start_column,
        "end_column": match.end_column,
        "captures": captures,
    }


def definitions(report: SymbolReport) -> Json:
    """The answer of `def`."""
    actions = _actions(next_actions.after_definitions(report))
    return symbols(report) | {"truncated": report.truncated or False, "actions": actions}


def references(report: ReferenceReport) -> Json:
    """The answer of `refs`."""
    actions = _actions(next_actions.after_references(report))
    return document(report, truncated=report.truncated or False, actions=actions)


def words(report: ExistsReport) -> Json:
    """The answer of `exists`."""
    return document(report, actions=_actions(next_actions.after_words(report)))


def symbols(report: SymbolReport) -> Json:
    """The answer of `outline`."""
    answer = _asked(report, {"text": report.asked}, "asked")
    del answer["truncated"]
    return answer


def code_map(report: MapReport) -> Json:
    """The answer of `map`."""
    return _asked(report, {"text": report.query, "paths": report.paths}, "paths")


def context(report: ContextReport) -> Json:
    """The answer of `context`."""
    items = [_context_item(item) for item in report.items]
    return document(report, items=items, next=None)


def _context_item(item: ContextItem) -> Json:
    """An item; what is around its lines only where there is something."""
    shown = fields(item)
    within = shown.pop("within")
    if within:
        shown["context"] = {"line": within[0], "text": within[1]}
    return shown


def _asked(report: Any, query: Json, field: str) -> Json:
    """A document with the query in place of the field that holds it."""
    answer = document(report, query=query)
    del answer[field]
    return answer


def conventions(report: ConventionsReport, budget: int) -> Json:
    """The answer of `conventions`, with at most so many bytes of text: the first files first."""
    from gitsearch.render.convention_summary import cut

    files = []
    for file in report.files:
        shown = None if file.text is None else cut(lossy(file.text), budget)
        budget -= len((shown or "").encode())
        files.append(_rules(file, shown))
    asked = {"path": None} if report.asked is None else path_fields(report.asked)
    return {
        "schema": SCHEMA,
        "query": asked,
        "tree": fields(report.tree),
        "owners": report.owners,
        "files": files,
        "cut": any(file["cut"] for file in files),
        "warnings": report.warnings,
    }


def _rules(file: ConventionFile, shown: str | None) -> Json:
    return {
        **path_fields(file.path),
        "kind": file.kind,
        "tool": file.tool,
        "scope": file.scope,
        "bytes": file.size,
        "link": file.link,
        "text": shown,
        "cut": shown is not None and shown != lossy(file.text or ""),
    }


def status(report: StatusReport, *, skipped: bool) -> Json:
    """The answer of `status`, with the list of skipped files only if asked for."""
    answer = document(report)
    if not skipped:
        del answer["skipped"]
    return answer


def verified(report: VerifyReport) -> Json:
    """The answer of `verify`."""
    return document(report, sound=not report.problems)


def refusal(error: SearchError) -> Json:
    """An error, in place of the answer."""
    details = {"code": error.code, "message": error.message, "hint": error.hint}
    return {"schema": SCHEMA, "error": details}
