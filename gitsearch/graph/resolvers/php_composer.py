"""The autoload settings of every composer.json of a tree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch.graph.tree_paths import folder_of, relative_path_in_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project

SETTINGS_NAME = "composer.json"


class Autoload(NamedTuple):
    """Autoload rules.

    psr4 and psr0: folders by namespace prefix; files: files that are always loaded; declared: True
    if the tree has any composer.json.
    """

    psr4: dict[str, list[str]]
    psr0: dict[str, list[str]]
    files: frozenset[str]
    declared: bool


def autoload(project: Project) -> Autoload:
    """Return the combined autoload rules of all composer.json files of a project."""
    psr4: dict[str, dict[str, None]] = {}
    psr0: dict[str, dict[str, None]] = {}
    files: set[str] = set()
    settings_files = project.by_name.get(SETTINGS_NAME, ())
    for file in settings_files:
        path = project.paths[file]
        folder = folder_of(path)
        for section in _sections(project.text(path) or ""):
            _add_prefixes(psr4, section.get("psr-4"), folder)
            _add_prefixes(psr0, section.get("psr-0"), folder)
            files.update(_paths_in_tree(folder, section.get("files")))
    return Autoload(_as_lists(psr4), _as_lists(psr0), frozenset(files), bool(settings_files))


def _sections(text: str) -> Iterator[dict[str, Any]]:
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError):
        return
    for key in ("autoload", "autoload-dev"):
        section = settings.get(key) if isinstance(settings, dict) else None
        if isinstance(section, dict):
            yield section


def _add_prefixes(folders: dict[str, dict[str, None]], prefixes: Any, folder: str) -> None:
    if not isinstance(prefixes, dict):
        return
    for prefix, value in prefixes.items():
        folders.setdefault(prefix.strip("\\"), {}).update(
            dict.fromkeys(_paths_in_tree(folder, value))
        )


def _as_lists(folders: dict[str, dict[str, None]]) -> dict[str, list[str]]:
    return {prefix: list(paths) for prefix, paths in folders.items()}


def _paths_in_tree(folder: str, value: Any) -> Iterator[str]:
    """Yield the paths in a value, a string or a list of strings, that are inside the tree."""
    for item in value if isinstance(value, list) else [value]:
        path = relative_path_in_tree(folder, item) if isinstance(item, str) else None
        if path is not None:
            yield path
