"""Reports and refusals as JSON, schema 1."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Iterable
from typing import Any

from gitsearch.errors import SearchError
from gitsearch.render.convention_summary import cut
from gitsearch.render.escape import json_safe, lossy, raw
from gitsearch.render.presentation import Presentation
from gitsearch.render.search_text import distinct_paths
from gitsearch.reports.lookup import (
    ConventionFile,
    ConventionsReport,
    ExistsReport,
    GraphChanges,
    ImpactReport,
    ReferenceReport,
    SymbolLine,
    SymbolReport,
    WordProof,
)
from gitsearch.reports.maintenance import (
    GcReport,
    HooksReport,
    HookState,
    IndexReport,
    SqlReport,
    StatusReport,
    VerifyReport,
)
from gitsearch.reports.search import Coverage, Result, SearchReport, TreeName

SCHEMA = 1
# Enough to tell two scores apart, and the same digits on every machine.
_DIGITS = 6

Json = dict[str, Any]


def dump(document: Json, *, indent: bool = False) -> str:
    """One line of JSON, or an indented document; ends with a line feed."""
    text = json.dumps(
        _valid(document), ensure_ascii=False, allow_nan=False, indent=2 if indent else None
    )
    return json_safe(text) + "\n"


def _valid(value: Any) -> Any:
    """`value` with what JSON cannot hold replaced: invalid Unicode, NaN, bytes, dates."""
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
    return lossy(str(value))


def path_fields(path: str) -> Json:
    """A path, and its bytes where it is no UTF-8."""
    shown = lossy(path)
    if shown == path:
        return {"path": path}
    return {"path": shown, "path_b64": b64encode(raw(path)).decode("ascii")}


def tree_fields(tree: TreeName) -> Json:
    """The tree that an answer is for."""
    return {"rev": tree.rev, "commit": tree.commit, "tree": tree.tree, "dirty": tree.dirty}


def coverage_fields(coverage: Coverage) -> Json:
    """How much of it is searchable."""
    return {
        "tracked": coverage.tracked,
        "searchable": coverage.searchable,
        "skipped": coverage.skipped,
        "pending": coverage.pending,
    }


def search(report: SearchReport, look: Presentation) -> Json:
    """The answer to a query as one document."""
    files = {} if look.only == "results" else {"files": _files(report, look)}
    chosen = report.results if look.only == "results" else ()
    return {
        "schema": SCHEMA,
        "query": {"text": report.text, "mode": report.mode, **_respelt(report)},
        "tree": tree_fields(report.tree),
        "coverage": coverage_fields(report.coverage),
        "results": [_result(result, look) for result in chosen],
        **files,
        "next": None,
        "warnings": report.warnings,
    }


def _respelt(report: SearchReport) -> Json:
    """Words that were searched for in place of others, where there are any."""
    return {"respelt": [one._asdict() for one in report.respelt]} if report.respelt else {}


def impact(report: ImpactReport) -> Json:
    """What depends on what."""
    return {
        "schema": SCHEMA,
        "tree": tree_fields(report.tree),
        "coverage": coverage_fields(report.coverage),
        "targets": [{**path_fields(path), "symbol": symbol} for path, symbol in report.targets],
        "dependents": [
            {
                **path_fields(one.path),
                "hops": one.hops,
                "via": one.via,
                "label": one.label,
                "kind": one.kind,
                "line": one.line,
                "test": one.test,
                "owners": one.owners,
            }
            for one in report.dependents
        ],
        "tests": report.tests,
        "unseen": [
            {"reason": one.reason, **path_fields(one.path), "line": one.line}
            for one in report.unresolved
        ],
        "truncated": report.truncated or False,
        **({"delta": _delta(report.delta)} if report.delta else {}),
        "warnings": report.warnings,
    }


def references(report: ReferenceReport) -> Json:
    """Where a name is used."""
    return {
        "schema": SCHEMA,
        "name": report.name,
        "tree": tree_fields(report.tree),
        "coverage": coverage_fields(report.coverage),
        "references": [
            {
                **path_fields(one.path),
                "line": one.line,
                "kind": one.kind,
                "label": one.label,
                "target": {**path_fields(one.target[0]), "line": one.target[1]}
                if one.target
                else None,
                "text": one.text,
            }
            for one in report.references
        ],
        "warnings": report.warnings,
    }


def _delta(delta: GraphChanges) -> Json:
    """What a change does to the graph."""
    return {
        "added": [{"from": source, "to": target} for source, target in delta.added],
        "removed": [{"from": source, "to": target} for source, target in delta.removed],
        "gained": delta.gained,
        "lost": delta.lost,
        "cycles": delta.cycles,
        "dangling": [
            {**path_fields(path), "line": line, "specifier": specifier, "target": target}
            for path, line, specifier, target in delta.dangling
        ],
        "exports": [
            {
                **path_fields(one.path),
                "symbol": one.symbol,
                "change": "changed" if one.after else "removed",
                "before": one.before,
                "after": one.after or None,
                "users": [{**path_fields(path), "line": line} for path, line in one.users],
            }
            for one in delta.exports
        ],
    }


def search_lines(report: SearchReport, look: Presentation) -> list[Json]:
    """The answer to a query as one object a line."""
    if look.only != "results":
        return _files(report, look)
    return [_result(result, look) for result in report.results]


def _files(report: SearchReport, look: Presentation) -> list[Json]:
    if look.only == "files":
        return [path_fields(path) for path in distinct_paths(report)]
    return [{**path_fields(path), "count": count} for path, count in report.counts]


def _result(result: Result, look: Presentation) -> Json:
    document: Json = {
        "rank": result.rank,
        **path_fields(result.path),
        "start": result.start,
        "end": result.end,
        "blob": result.blob,
        "language": result.language,
        "kind": result.kind,
        "symbol": result.symbol,
        "score": round(result.score, _DIGITS),
        "legs": result.legs,
        "confidence": result.confidence,
        "text": result.text,
    }
    if result.first_shown and result.first_shown != result.start:
        document["text_start"] = result.first_shown
    if result.context:
        line, text = result.context
        document["context"] = {"line": line, "text": text}
    if look.explain:
        document["explain"] = {k: round(v, _DIGITS) for k, v in result.explain.items()}
    return document


def symbols(report: SymbolReport) -> Json:
    """The answer of `def` and `outline`."""
    return {
        "schema": SCHEMA,
        "query": {"text": report.asked},
        "tree": tree_fields(report.tree),
        "coverage": coverage_fields(report.coverage),
        "symbols": [_symbol(symbol) for symbol in report.symbols],
        "warnings": report.warnings,
    }


def _symbol(symbol: SymbolLine) -> Json:
    fields = symbol._asdict()
    return path_fields(fields.pop("path")) | fields


def existence(report: ExistsReport) -> Json:
    """The answer of `exists`."""
    return {
        "schema": SCHEMA,
        "tree": tree_fields(report.tree),
        "coverage": coverage_fields(report.coverage),
        "words": [_word(word) for word in report.words],
        "unseen": report.unseen,
        "warnings": report.warnings,
    }


def _word(word: WordProof) -> Json:
    place = {"path": None} if word.path is None else path_fields(word.path)
    return {
        "word": word.word,
        "exists": word.exists,
        "proof": word.proof,
        **place,
        "line": word.line,
    }


def conventions(report: ConventionsReport, budget: int) -> Json:
    """The answer of `conventions`, with at most so many bytes of text: the first files first."""
    files = []
    for file in report.files:
        shown = None if file.text is None else cut(lossy(file.text), budget)
        budget -= len((shown or "").encode())
        files.append(_rules(file, shown))
    asked = {"path": None} if report.asked is None else path_fields(report.asked)
    return {
        "schema": SCHEMA,
        "query": asked,
        "tree": tree_fields(report.tree),
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


def indexed(report: IndexReport) -> Json:
    """What `index` did or would do."""
    return {
        "schema": SCHEMA,
        "tree": tree_fields(report.tree),
        "coverage": coverage_fields(report.coverage),
        "files_parsed": report.files_parsed,
        "terms_embedded": report.terms_embedded,
        "bytes_read": report.bytes_read,
        "chunks": report.chunks,
        "seconds": round(report.seconds, _DIGITS),
        "dry_run": report.dry_run,
        "warnings": report.warnings,
    }


def status(report: StatusReport, *, skipped: bool) -> Json:
    """The state of the index."""
    listed = [path_fields(path) | {"reason": reason} for path, reason in report.skipped]
    return {
        "schema": SCHEMA,
        "tree": tree_fields(report.tree),
        "coverage": coverage_fields(report.coverage),
        "folder": report.folder,
        "current": report.current,
        "files": [{"name": name, "bytes": count} for name, count in report.files],
        "blobs": report.blobs,
        "chunks": report.chunks,
        "terms": report.terms,
        "symbols": report.symbols,
        "views": [
            {"tree": tree, "bytes": count, "names": names} for tree, count, names in report.views
        ],
        "model": report.model,
        **({"skipped": listed} if skipped else {}),
        "hooks": _hooks(report.hooks),
        "warnings": report.warnings,
    }


def verified(report: VerifyReport) -> Json:
    """Each file under .git/search, and what is wrong."""
    return {
        "schema": SCHEMA,
        "sound": not report.problems,
        "checked": [{"name": name, "bytes": count} for name, count in report.checked],
        "problems": [{"name": name, "problem": problem} for name, problem in report.problems],
    }


def collected(report: GcReport) -> Json:
    """What `gc` dropped."""
    return {"schema": SCHEMA, **report._asdict()}


def hooks(report: HooksReport) -> Json:
    """Where the hooks are, and what they did."""
    return {"schema": SCHEMA, **report._asdict(), "hooks": _hooks(report.hooks)}


def _hooks(states: Iterable[HookState]) -> list[Json]:
    return [{"event": one.event, "state": one.state, "where": one.where} for one in states]


def sql(report: SqlReport) -> Json:
    """Columns and rows."""
    return {"schema": SCHEMA, "columns": report.columns, "rows": report.rows}


def refusal(error: SearchError) -> Json:
    """Why nothing was done; stands on stdout in place of the answer."""
    details = {"code": error.code, "message": error.message, "hint": error.hint}
    return {"schema": SCHEMA, "error": details}
