"""The report on a change as JSON."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from gitsearch.render.json_document import SCHEMA, path_fields

if TYPE_CHECKING:
    from gitsearch.render.json_document import Json
    from gitsearch.reports.change import ChangeReport


def report(one: ChangeReport) -> Json:
    """The report as one document: its fields and theirs, by name."""
    return {"schema": SCHEMA, **_plain(one)}


def _plain(value: Any) -> Any:
    """Records as objects, in which a path that is no UTF-8 has its bytes beside it."""
    names: tuple[str, ...] = getattr(value, "_fields", ())
    if is_dataclass(value):
        names = tuple(field.name for field in fields(value))
    if names:
        found: Json = {}
        for name in names:
            held = getattr(value, name)
            found |= path_fields(held) if name == "path" else {name: _plain(held)}
        return found
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value
