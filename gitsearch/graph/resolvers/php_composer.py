"""What every composer.json of a tree says about where classes lie and what is always loaded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch.graph.tree_paths import inside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project

SETTING = "composer.json"


class Autoload(NamedTuple):
    """Folders by prefix, longest prefixes first, for either standard; files that are loaded."""

    psr4: dict[str, list[str]]
    psr0: dict[str, list[str]]
    files: frozenset[str]
    declared: bool


def autoload(project: Project) -> Autoload:
    """The settings of all composer.json together."""
    psr4: dict[str, dict[str, None]] = {}
    psr0: dict[str, dict[str, None]] = {}
    files: set[str] = set()
    found = project.by_name.get(SETTING, ())
    for file in found:
        path = project.paths[file]
        folder = path.rpartition("/")[0]
        for section in _sections(project.text(path) or ""):
            _add(psr4, section.get("psr-4"), folder)
            _add(psr0, section.get("psr-0"), folder)
            files.update(_places(folder, section.get("files")))
    return Autoload(_listed(psr4), _listed(psr0), frozenset(files), bool(found))


def _sections(text: str) -> Iterator[dict[str, Any]]:
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError):
        return
    for key in ("autoload", "autoload-dev"):
        section = settings.get(key) if isinstance(settings, dict) else None
        if isinstance(section, dict):
            yield section


def _add(known: dict[str, dict[str, None]], prefixes: Any, folder: str) -> None:
    if not isinstance(prefixes, dict):
        return
    for prefix, value in prefixes.items():
        known.setdefault(prefix.strip("\\"), {}).update(dict.fromkeys(_places(folder, value)))


def _listed(known: dict[str, dict[str, None]]) -> dict[str, list[str]]:
    return {prefix: list(places) for prefix, places in known.items()}


def _places(folder: str, value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        place = inside(folder, one) if isinstance(one, str) else None
        if place is not None:
            yield place
