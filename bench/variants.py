"""The rows of the ablation table: every leg alone, every stage off, every constant moved."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from bench.evaluation import Variant
from gitsearch.retrieval.constants import DEFAULT, Ranking

if TYPE_CHECKING:
    from collections.abc import Iterator

# A constant that was removed or renamed makes `replace` below fail before anything is measured.
_WITHOUT: dict[str, dict[str, dict[str, Any]]] = {
    "without a leg": {
        "lexical weight 0": {"alpha_prose": 1.0, "alpha_symbol": 1.0},
        "dense weight 0": {"alpha_prose": 0.0, "alpha_symbol": 0.0},
        "names weight 0": {"names_symbol": 0.0, "names_prose": 0.0},
        "no path term": {"path_weight": 0.0},
        "no forms of words": {"form": 0.0},
    },
    "without a stage": {
        "no file coherence": {"coherence": 0.0},
        "no definition boost": {"definition": 0.0},
        "no stem boost": {"stem_boost": 0.0},
        "no coverage": {"coverage": 0.0, "in_definition": 0.0},
        "no links": {"link": 0.0},
        "no noise penalties": dict.fromkeys(
            (
                *("test", "example", "docs", "compat", "barrel", "declarations", "vendored"),
                *("prose", "config"),
            ),
            1.0,
        ),
        "no saturation": {"saturation": 1.0, "saturation_later": 1.0},
    },
}

# Constants that may pass 1; every other one up to 1 is a share, a probability or a penalty.
_UNBOUNDED = frozenset({"stem_boost", "path_weight", "names_symbol", "definition_stem"})


def ablation(base: Ranking = DEFAULT) -> list[Variant]:
    """The default first, then one change a row."""
    rows = [Variant("default", base)]
    for mode in ("lexical", "semantic", "symbol"):
        rows.append(Variant(f"{mode} leg alone", base, mode, group="one leg"))
        rows.append(Variant(f"{mode} leg alone, not reranked", base, mode, False, "one leg"))
    for group, changes in _WITHOUT.items():
        rows.extend(
            Variant(name, dataclasses.replace(base, **change), group=group)
            for name, change in changes.items()
        )
    rows.append(Variant("no reranking", base, rerank=False, group="without a stage"))
    for name, value in _neighbours(base):
        moved = dataclasses.replace(base, **{name: value})
        label = f"{name} {_short(getattr(base, name))} -> {_short(value)}"
        rows.append(Variant(label, moved, group="a constant moved"))
    return rows


def _neighbours(base: Ranking) -> Iterator[tuple[str, Any]]:
    """Each constant with a value below and one above, where there is one that means anything."""
    for one in dataclasses.fields(base):
        value = getattr(base, one.name)
        for moved in _moved(one.name, value):
            if moved != value:
                yield one.name, moved


def _moved(name: str, value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [max(1, value // 2), value * 2]
    if not isinstance(value, float):
        return []
    if value == 0.0:
        return [0.1, 0.3]
    above = round(value * 1.5, 4)
    if value <= 1.0 and name not in _UNBOUNDED:
        above = min(above, 1.0)
    return [round(value / 1.5, 4), above]


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def changed(specs: list[str], base: Ranking = DEFAULT) -> list[Variant]:
    """The default and rows of one's own.

    As `names=0,alpha_prose=0.6`, `mode=lexical`, `rerank=0` or `reader=1.5`.
    """
    rows = [Variant("default", base)]
    for spec in specs:
        row = Variant(spec, base, group="changes")
        for pair in spec.split(","):
            name, _, text = pair.partition("=")
            if name == "mode":
                row = dataclasses.replace(row, mode=text)
            elif name == "rerank":
                row = dataclasses.replace(row, rerank=text != "0")
            elif name == "reader":
                row = dataclasses.replace(row, reader=float(text))
            else:
                if not hasattr(base, name):
                    raise SystemExit(f"no constant is called '{name}'")
                value = type(getattr(base, name))(float(text))
                ranking = dataclasses.replace(row.ranking, **{name: value})
                row = dataclasses.replace(row, ranking=ranking)
        rows.append(row)
    return rows
