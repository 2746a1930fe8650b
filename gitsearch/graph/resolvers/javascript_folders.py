"""Imports of JavaScript whose path is computed, but for the folder that it begins with.

    require('./plugins/' + name)            import(`./views/${name}.js`)
    require(path.join(__dirname, 'plugins', name))
    const folder = path.join(__dirname, 'plugins'); ... require(path.join(folder, name))

Each module directly in the folder may be meant, and the entry point of each folder in it.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.project import Resolution
from gitsearch.graph.resolvers.candidates import MAX_CANDIDATES, TOO_MANY
from gitsearch.graph.resolvers.tables import grouped, memoized
from gitsearch.graph.tree_paths import folder_of, path_in_tree

if TYPE_CHECKING:
    from gitsearch.graph.resolvers.javascript_modules import ModuleFiles

# A string or template that begins with the path of a folder; its quotes may be gone.
_RELATIVE = re.compile(r"""["'`]?(\.{1,2}/(?:[^"'`$\\\n]*/)?)""")
# `(__dirname, "plugins", name)`: the constant arguments behind the folder of the file.
_JOINED = re.compile(
    r"""(?:\w{1,20}\.)?(?:join|resolve)\(\s*+(?:__dirname|import\.meta\.dirname)"""
    r"""((?:\s*+,\s*+(?:'[^'\\\n]*+'|"[^"\\\n]*+"))*)"""
    r"""\s*+,(?!\s*+(?:'[^'\\\n]*+'|"[^"\\\n]*+"))"""
)
# `(__dirname, "..", "src/cli.ts")`: arguments of `path.join` and `path.resolve`, all constant.
_PATH_ARGUMENTS = re.compile(
    r"""\(\s*+[\w.]++((?:\s*+,\s*+(?:'[^'\\\n]*+'|"[^"\\\n]*+"))+)\s*+(?:,\s*+)?\)"""
)
_LITERAL = re.compile(r"""["']([^"'\n]*)["']""")
_CODE = frozenset({"js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte"})
_NOT_KNOWN = Resolution(unresolved="dynamic-import")


def constant_path(arguments: str) -> str | None:
    """Return the path below the folder of the file that arguments say, if all are constant."""
    match = _PATH_ARGUMENTS.fullmatch(arguments)
    return _constant(match[1]) if match else None


def _constant(arguments: str) -> str:
    return "/".join(part.lstrip("/") for part in _LITERAL.findall(arguments))


class ComputedImports:
    """Resolves imports whose paths are computed to the modules of folders."""

    def __init__(self, files: ModuleFiles) -> None:
        self._files = files
        self._project = files.project

    def resolve(self, file: int, computed: str) -> Resolution:
        """Return the files that an expression may lead to in a file.

        Where the expression names no folder, it may be of one to which another path of the file
        leads; then something else may be meant as well.
        """
        folder = folder_of(self._project.paths[file])
        if found := _RELATIVE.match(computed):
            return self._modules(path_in_tree(folder, found[1]))
        if found := _JOINED.match(computed):
            return self._modules(path_in_tree(folder, _constant(found[1])))
        return self._named_elsewhere(file)

    @memoized
    def _named_elsewhere(self, file: int) -> Resolution:
        """Return the modules of the folders that constant paths of a file name."""
        folder = folder_of(self._project.paths[file])
        modules: dict[int, None] = {}
        for other in self._project.facts(file).imports:
            path = constant_path(other.specifier) if other.kind == "path" else None
            if path and len(modules) < MAX_CANDIDATES:
                modules.update(dict.fromkeys(self._modules(path_in_tree(folder, path)).ambiguous))
        return _NOT_KNOWN._replace(ambiguous=tuple(modules)[:MAX_CANDIDATES])

    @memoized
    def _modules(self, folder: str | None) -> Resolution:
        """Return the modules directly in a folder and the entry points of the folders in it."""
        if folder is None or folder not in self._project.folders:
            return _NOT_KNOWN
        paths = self._project.paths
        found: dict[int, None] = {
            number: None
            for number in self._project.folders[folder]
            if paths[number].rpartition(".")[2] in _CODE
        }
        for inner in self._folders_in.get(folder, ()):
            found.update(dict.fromkeys(self._files.folder(inner)))
        if not found:
            return _NOT_KNOWN
        return Resolution(ambiguous=tuple(found)) if len(found) <= MAX_CANDIDATES else TOO_MANY

    @cached_property
    def _folders_in(self) -> dict[str, list[str]]:
        return grouped((folder_of(folder), folder) for folder in self._project.folders if folder)
