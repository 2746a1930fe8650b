"""Rankings for tests: nothing but ranks, or one stage alone."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from gitsearch.retrieval.constants import Ranking

# What each constant is where its stage does nothing.
_NOTHING = {
    "path_weight": 0.0, "coherence": 0.0, "group": 0.0, "definition": 0.0, "definition_stem": 1.0,
    "stem_boost": 0.0, "file": 0.0, "coverage": 0.0, "in_definition": 0.0, "link": 0.0,
    "test": 1.0, "example": 1.0, "docs": 1.0, "compat": 1.0, "barrel": 1.0,
    "declarations": 1.0, "vendored": 1.0, "prose": 1.0,
    "config": 1.0, "saturation": 1.0, "saturation_how": 1.0, "saturation_later": 1.0,
    "guide": 1.0, "definition_used": 1.0, "unnamed": 1.0, "floor": -9.0, "twin": 1.0,
}  # fmt: skip


def alone(**stage: Any) -> Ranking:
    """A ranking in which only these constants have an effect after fusion."""
    known = {field.name for field in fields(Ranking)}
    nothing = {name: value for name, value in _NOTHING.items() if name in known}
    return replace(Ranking(), **{**nothing, "rrf_k": 60, **stage})
