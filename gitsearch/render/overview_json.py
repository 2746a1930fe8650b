"""The map and the architecture of a code base as JSON, schema 1."""

from __future__ import annotations

from gitsearch.render.json_document import SCHEMA, Json, coverage_fields, path_fields, tree_fields
from gitsearch.reports.overview import ArchitectureReport, MapReport


def code_map(report: MapReport) -> Json:
    """The map of a code base."""
    return {
        "schema": SCHEMA,
        "query": {"text": report.query, "paths": report.paths},
        "tree": tree_fields(report.tree),
        "coverage": coverage_fields(report.coverage),
        "budget": report.budget,
        "tokens": report.tokens,
        "files": report.files,
        "modules": [
            {
                **path_fields(one.path),
                "language": one.language,
                "tier": one.tier,
                "rank": one.rank,
                "doc": one.doc,
                "signatures": [{"line": line, "text": text} for line, text in one.signatures],
            }
            for one in report.modules
        ],
        "left_out": report.left_out,
        "too_large": report.too_large,
        "warnings": report.warnings,
    }


def architecture(report: ArchitectureReport) -> Json:
    """Components, roles and circles."""
    return {
        "schema": SCHEMA,
        "tree": tree_fields(report.tree),
        "coverage": coverage_fields(report.coverage),
        "components": [
            {
                "name": one.name,
                "size": one.size,
                "layer": one.layer,
                "core": one.core,
                "needs": [{"name": name, "edges": edges} for name, edges in one.needs],
            }
            for one in report.components
        ],
        "files": [
            {
                **path_fields(one.path),
                "role": one.role,
                "component": one.component,
                "imported_by": one.into,
                "imports": one.out,
            }
            for one in report.files
        ],
        "cycles": report.cycles,
        "aside": report.aside,
        "warnings": report.warnings,
    }
