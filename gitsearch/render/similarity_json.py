"""Related code and copies as JSON, schema 1."""

from __future__ import annotations

from gitsearch.render.json_document import SCHEMA, Json, coverage_fields, path_fields, tree_fields
from gitsearch.reports.change import Copy, DupReport, Place, RelatedReport, Similar


def related(report: RelatedReport) -> Json:
    """What is like a place."""
    return {
        "schema": SCHEMA,
        "tree": tree_fields(report.tree),
        "coverage": coverage_fields(report.coverage),
        "target": place_fields(report.target),
        "results": [similar_fields(one) for one in report.results],
        "warnings": report.warnings,
    }


def dup(report: DupReport) -> Json:
    """What is new and exists already."""
    return {
        "schema": SCHEMA,
        "tree": tree_fields(report.tree),
        "coverage": coverage_fields(report.coverage),
        "looked": report.looked,
        "copies": [copy_fields(one) for one in report.copies],
        "warnings": report.warnings,
    }


def place_fields(place: Place) -> Json:
    """Lines of a file, and their definition."""
    return {
        **path_fields(place.path),
        "start": place.start,
        "end": place.end,
        "symbol": place.symbol,
    }


def similar_fields(one: Similar) -> Json:
    """A place with its score and what that is made of."""
    return {**place_fields(one.place), "score": one.score, "why": one.why}


def copy_fields(one: Copy) -> Json:
    """New code, and what it repeats."""
    return {"new": place_fields(one.new), "existing": similar_fields(one.existing)}
