"""Packages of the repository by name, and which of them a file means."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.ecmascript.config_reading import (
    below,
    joined,
    matches,
    settings,
    table,
    word,
    words,
)
from gitsearch.graph.ecmascript.module_files import DEPENDENCIES
from gitsearch.graph.tree_paths import upwards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.ecmascript.module_files import ModuleFiles

_LOCAL = ("file:", "link:", "portal:", "workspace:.")
_ALIAS = re.compile(r"workspace:(@?[^@/]+(?:/[^@]+)?)@")
# `packages:` of pnpm-workspace.yaml: a list in lines or in brackets.
_PACKAGES = re.compile(r"^packages:[ \t]*", re.MULTILINE)
_LISTED = re.compile(r"\[([^\]]*)\]|((?:#[^\n]*)?\n(?:[ \t]*(?:-[^\n]*|#[^\n]*)?\n)*)")
_ITEM = re.compile(r"""^[ \t]*-[ \t]+(?:'([^'\n]*)'|"([^"\n]*)"|([^\s#]+))""", re.M)
_BRACES = re.compile(r"\{([^{}]*)\}")
_MOST_PATTERNS = 1000
_LONGEST = 1000


class NamedPackage(NamedTuple):
    """Folders of packages that a name may mean; not certain: perhaps none of them."""

    folders: tuple[str, ...] = ()
    certain: bool = False


class Workspaces:
    """The packages of a project."""

    def __init__(self, files: ModuleFiles) -> None:
        self.files = files
        self.project = files.project
        self._held: dict[tuple[str, str], bool] = {}

    @cached_property
    def folders_by_name(self) -> dict[str, list[str]]:
        """The folders of the packages of each name."""
        found: dict[str, list[str]] = {}
        for number in self.project.by_name.get("package.json", ()):
            folder = self.project.paths[number].rpartition("/")[0]
            name = word(self.files.manifest(folder).get("name"))
            if name and "node_modules" not in folder.split("/"):
                found.setdefault(name, []).append(folder)
        return found

    def named(self, name: str, folder: str) -> NamedPackage:
        """The packages of a name for an importer in a folder."""
        around = self.files.packages(folder)
        if around and word(self.files.manifest(around[0]).get("name")) == name:
            return NamedPackage((around[0],), certain=True)
        inside, wanted = self._declared(name, around)
        if wanted.startswith(_LOCAL):
            target = joined(inside, wanted.partition(":")[2])
            known = target is not None and target in self.project.folders
            return NamedPackage((target,) if target is not None and known else (), certain=True)
        if wanted.startswith("npm:"):
            return NamedPackage()
        alias = _ALIAS.match(wanted)
        if alias:
            name = alias[1]
        return self._chosen(name, around, inside, wanted, folder)

    def _chosen(
        self, name: str, around: list[str], inside: str, wanted: str, folder: str
    ) -> NamedPackage:
        everywhere = self.folders_by_name.get(name, [])
        if not everywhere:
            return NamedPackage()
        registry = bool(wanted) and not wanted.startswith("workspace:")
        for root in upwards(folder):
            members = [one for one in everywhere if self._holds(root, one)]
            # Who is no member and asks for a version gets a published one.
            if members and not (registry and not self._holds(root, inside)):
                return NamedPackage(tuple(members), certain=len(members) == 1)
        enclosing = [one for one in around if one in everywhere]
        if enclosing:
            return NamedPackage((enclosing[0],), certain=not registry)
        return NamedPackage() if registry else NamedPackage(tuple(everywhere))

    def _declared(self, name: str, around: list[str]) -> tuple[str, str]:
        """The package that declares a dependency, and what it says of its version."""
        for folder in around:
            manifest = self.files.manifest(folder)
            for field in DEPENDENCIES:
                wanted = word(table(manifest.get(field)).get(name))
                if wanted:
                    return folder, wanted
        return "", ""

    def _holds(self, root: str, folder: str) -> bool:
        """Whether a workspace has a package as a member; the last pattern that fits decides."""
        if root not in self._roots:
            return False
        key = root, folder
        if key not in self._held:
            inner = below(folder, root) if folder != root else ""
            held = inner == ""
            for pattern in self._roots[root] if inner else ():
                positive = pattern.lstrip("!")
                if matches((inner or "").split("/"), positive.split("/")):
                    held = positive == pattern
            self._held[key] = held
        return self._held[key]

    def said(self) -> Iterator[str]:
        """What is read in manifests and lists of packages; the rest may change freely."""
        for number in self.project.by_name.get("package.json", ()):
            path = self.project.paths[number]
            manifest = dict(self.files.manifest(path.rpartition("/")[0]))
            for field in DEPENDENCIES:
                manifest[field] = [
                    (name, wanted)
                    for name, wanted in table(manifest.get(field)).items()
                    if name in self.folders_by_name or ":" in word(wanted)
                ]
            try:
                yield f"{path}\n{manifest!r}"
            except RecursionError:
                yield f"{path}\n{self.project.text(path)}"
        yield repr(self._roots)

    @cached_property
    def _roots(self) -> dict[str, list[str]]:
        """The patterns of each folder that declares a workspace."""
        found: dict[str, list[str]] = {}
        for name in ("package.json", "lerna.json", "rush.json", "pnpm-workspace.yaml"):
            for number in self.project.by_name.get(name, ()):
                path = self.project.paths[number]
                folder = path.rpartition("/")[0]
                patterns = self._patterns(path, folder, name)
                if patterns:
                    found.setdefault(folder, []).extend(patterns)
        return found

    def _patterns(self, path: str, folder: str, name: str) -> list[str]:
        text = self.project.text(path)
        if name == "pnpm-workspace.yaml":
            return [one for item in _listed(text or "") for one in _plain(item)]
        if name == "package.json":
            declared = self.files.manifest(folder).get("workspaces")
            listed = words(declared) or words(table(declared).get("packages"))
        elif name == "lerna.json":
            listed = words(settings(text).get("packages"))
        else:
            projects = settings(text).get("projects")
            listed = [
                word(table(one).get("projectFolder"))
                for one in (projects if isinstance(projects, list) else ())
            ]
        return [one for item in listed if item for one in _plain(item)]


def _listed(text: str) -> Iterator[str]:
    """The packages that a pnpm-workspace.yaml lists."""
    text = text.replace("\r\n", "\n") + "\n"
    start = _PACKAGES.search(text)
    match = _LISTED.match(text, start.end()) if start else None
    if not match:
        return
    if match[1] is not None:
        yield from (item.strip(" \t\n'\"") for item in match[1].split(","))
    else:
        yield from (one[1] or one[2] or one[3] or "" for one in _ITEM.finditer(match[2]))


def _plain(pattern: str) -> list[str]:
    """The globs without braces that one stands for, without dots and slashes around."""
    todo = [pattern] if len(pattern) <= _LONGEST else []
    found: list[str] = []
    while todo and len(todo) + len(found) < _MOST_PATTERNS:
        one = todo.pop()
        match = _BRACES.search(one)
        if match:
            todo += [
                one[: match.start()] + part + one[match.end() :] for part in match[1].split(",")
            ]
        else:
            negated = "!" * one.startswith("!")
            found.append(negated + (joined("", one.lstrip("!")) or ""))
    return found
