"""The packages of the repository by name, and the one that an importer means."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.resolvers.javascript_modules import DEPENDENCY_FIELDS
from gitsearch.graph.resolvers.settings_files import (
    glob_matches,
    parse_commented_json,
    paths_named,
)
from gitsearch.graph.resolvers.tables import grouped, memoized
from gitsearch.graph.settings_values import object_or_empty, string_or_empty, strings_in
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, path_in_tree, relative_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.resolvers.javascript_modules import ModuleFiles

_WORKSPACE_FILES = ("package.json", "lerna.json", "rush.json", "pnpm-workspace.yaml")
_LOCAL_PROTOCOLS = ("file:", "link:", "portal:", "workspace:.")
_ALIAS = re.compile(r"workspace:(@?[^@/]+(?:/[^@]+)?)@")
# `packages:` of pnpm-workspace.yaml: a block list or a flow list.
_PACKAGES = re.compile(r"^packages:[ \t]*", re.MULTILINE)
_PACKAGE_LIST = re.compile(r"\[([^\]]*)\]|((?:#[^\n]*)?\n(?:[ \t]*(?:-[^\n]*|#[^\n]*)?\n)*)")
_ITEM = re.compile(r"""^[ \t]*-[ \t]+(?:'([^'\n]*)'|"([^"\n]*)"|([^\s#]+))""", re.M)
_BRACES = re.compile(r"\{([^{}]*)\}")
_MAX_PATTERNS = 1000
_MAX_LENGTH = 1000


class Workspaces:
    """The packages of a project and the workspaces that they are members of."""

    def __init__(self, files: ModuleFiles) -> None:
        self.files = files
        self.project = files.project

    @cached_property
    def folders_by_name(self) -> dict[str, list[str]]:
        """The folders of the packages by name."""
        folders = map(folder_of, paths_named(self.project, "package.json"))
        return grouped(
            (name, folder)
            for folder in folders
            if "node_modules" not in folder.split("/")
            and (name := string_or_empty(self.files.manifest(folder).get("name")))
        )

    def named(self, name: str, folder: str) -> tuple[list[str], bool]:
        """Return the folders of the packages that a name may mean for an importer in a folder.

        The second value is False if it possibly means none of them.
        """
        enclosing = self.files.enclosing_packages(folder)
        if enclosing and string_or_empty(self.files.manifest(enclosing[0]).get("name")) == name:
            return enclosing[:1], True
        dependent, version = self._declaration(name, enclosing)
        if version.startswith(_LOCAL_PROTOCOLS):
            target = path_in_tree(dependent, version.partition(":")[2])
            exists = target is not None and target in self.project.folders
            return [target] if target is not None and exists else [], True
        if version.startswith("npm:"):
            return [], False
        alias = _ALIAS.match(version)
        packages = self.folders_by_name.get(alias[1] if alias else name, [])
        if not packages:
            return [], False
        is_published = bool(version) and not version.startswith("workspace:")
        roots = (outer for outer in enclosing_folders(folder) if outer in self._patterns_by_root)
        for root in roots:
            members = [package for package in packages if self._is_member(root, package)]
            # A package that is no member and asks for a version gets a published package.
            if members and not (is_published and not self._is_member(root, dependent)):
                return members, len(members) == 1
        containing = [package for package in enclosing if package in packages]
        if containing:
            return containing[:1], not is_published
        return [] if is_published else packages, False

    def _declaration(self, name: str, enclosing: list[str]) -> tuple[str, str]:
        """Return the innermost package that declares a dependency, and the requested version."""
        for folder in enclosing:
            manifest = self.files.manifest(folder)
            for field in DEPENDENCY_FIELDS:
                version = string_or_empty(object_or_empty(manifest.get(field)).get(name))
                if version:
                    return folder, version
        return "", ""

    @memoized
    def _is_member(self, root: str, folder: str) -> bool:
        """Return True if a package is in a workspace; the last matching pattern decides."""
        if folder == root:
            return True
        parts = (relative_to(folder, root) or "").split("/")
        is_member = False
        for pattern in self._patterns_by_root[root] if any(parts) else ():
            positive = pattern.lstrip("!")
            if glob_matches(parts, positive.split("/")):
                is_member = positive == pattern
        return is_member

    def fingerprint(self) -> Iterator[str]:
        """Yield everything that is read in manifests and lists of packages."""
        for path in paths_named(self.project, "package.json"):
            manifest = dict(self.files.manifest(folder_of(path)))
            for field in DEPENDENCY_FIELDS:
                manifest[field] = [
                    (name, version)
                    for name, version in object_or_empty(manifest.get(field)).items()
                    if name in self.folders_by_name or ":" in string_or_empty(version)
                ]
            try:
                yield f"{path}\n{manifest!r}"
            except RecursionError:
                yield f"{path}\n{self.project.text(path)}"
        yield repr(self._patterns_by_root)

    @cached_property
    def _patterns_by_root(self) -> dict[str, list[str]]:
        """The patterns of the members by folder of the workspace."""
        patterns_by_root: dict[str, list[str]] = {}
        for path in paths_named(self.project, *_WORKSPACE_FILES):
            patterns = [glob for item in self._listed(path) for glob in _expand_braces(item)]
            if patterns:
                patterns_by_root.setdefault(folder_of(path), []).extend(patterns)
        return patterns_by_root

    def _listed(self, path: str) -> Iterable[str]:
        """Return the patterns that a file lists."""
        text = self.project.text(path)
        folder, _, name = path.rpartition("/")
        if name == "pnpm-workspace.yaml":
            return _pnpm_packages(text or "")
        if name == "package.json":
            declared = self.files.manifest(folder).get("workspaces")
            listed = strings_in(declared) or strings_in(object_or_empty(declared).get("packages"))
        elif name == "lerna.json":
            listed = strings_in(parse_commented_json(text).get("packages"))
        else:
            projects = parse_commented_json(text).get("projects")
            listed = [
                string_or_empty(object_or_empty(project).get("projectFolder"))
                for project in (projects if isinstance(projects, list) else ())
            ]
        return filter(None, listed)


def _pnpm_packages(text: str) -> Iterator[str]:
    """Yield the patterns that a pnpm-workspace.yaml lists."""
    text = text.replace("\r\n", "\n") + "\n"
    start = _PACKAGES.search(text)
    match = _PACKAGE_LIST.match(text, start.end()) if start else None
    if not match:
        return
    if match[1] is not None:
        yield from (item.strip(" \t\n'\"") for item in match[1].split(","))
    else:
        yield from (item[1] or item[2] or item[3] or "" for item in _ITEM.finditer(match[2]))


def _expand_braces(pattern: str) -> list[str]:
    """Return the globs without braces that a pattern stands for, as normalised paths."""
    todo = [pattern] if len(pattern) <= _MAX_LENGTH else []
    globs: list[str] = []
    while todo and len(todo) + len(globs) < _MAX_PATTERNS:
        current = todo.pop()
        match = _BRACES.search(current)
        if match:
            todo += [
                current[: match.start()] + part + current[match.end() :]
                for part in match[1].split(",")
            ]
        else:
            negated = "!" * current.startswith("!")
            globs.append(negated + (path_in_tree("", current.lstrip("!")) or ""))
    return globs
