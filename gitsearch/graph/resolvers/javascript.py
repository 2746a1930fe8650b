"""JavaScript and TypeScript, and the components that hold scripts in them.

An import is resolved as the TypeScript compiler and the bundlers do it: aliases of the compiler's
settings, packages of the repository with their `exports`, extensions that may be left out. What is
imported in a form that only a build writes is taken for what it is built from.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitsearch.graph.ecmascript.config_reading import below, joined
from gitsearch.graph.ecmascript.module_files import ModuleFiles
from gitsearch.graph.ecmascript.packages import Packages
from gitsearch.graph.ecmascript.tsconfig import TsConfigs
from gitsearch.graph.ecmascript.workspaces import Workspaces
from gitsearch.graph.project import EXTERNAL, Project, Resolution, Resolver
from gitsearch.graph.tree_paths import upwards

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.ecmascript.tsconfig_file import TsConfig
    from gitsearch.records import Import

_REFERENCE = re.compile(r"""\b(path|types)[ \t]*=[ \t]*["']([^"'\n]+)["']""")
# `(__dirname, "..", "src/cli.ts")`: what `path.join` and `path.resolve` are given, all constant.
_BESIDE = re.compile(
    r"""\(\s*+[\w.]++((?:\s*+,\s*+(?:'[^'\\\n]*+'|"[^"\\\n]*+"))++)\s*+(?:,\s*+)?\)"""
)
_CONSTANT = re.compile(r"""["']([^"'\n]*)["']""")
# What is never in the repository: `node:fs`, `https://...`, a glob of a declaration.
_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]+:|.*\*", re.IGNORECASE)
# Aliases that frameworks and templates agree on without saying so in a file that is tracked.
_CUSTOM = re.compile(r"(?:@@?|~~?)/+(.+)")
_CUSTOM_FOLDERS = ("src", "app", "")
_IMPORTED = frozenset({"import"})
# How a package is asked for by a call; what test runners replace may be imported either way.
_ASKED = {
    "require": frozenset({"require"}),
    "mock": frozenset({"import", "require"}),
}
_SVELTE_KIT = ("svelte.config.js", "svelte.config.ts", "svelte.config.mjs")


class JavaScript(Resolver):
    """Modules by path, by package, by alias."""

    languages = frozenset({"javascript", "typescript", "tsx", "vue", "svelte"})
    settings = frozenset({"package.json", "pnpm-workspace.yaml", "lerna.json", "rush.json"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self.files = ModuleFiles(project)
        self.workspaces = Workspaces(self.files)
        self.configs = TsConfigs(self.workspaces)
        self.packages = Packages(self.files, self.workspaces, self.configs)
        self._config: dict[int, TsConfig] = {}
        self._known: dict[tuple[str, str, str, str], Resolution] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Where an import of a file leads."""
        if imported.kind == "computed":
            return Resolution(unseen="dynamic-import")
        path = self.project.paths[file]
        folder = path.rpartition("/")[0]
        if imported.kind == "reference":
            return self._reference(file, folder, imported.specifier)
        if imported.kind == "path":
            return self._beside(folder, imported.specifier)
        if file not in self._config:
            self._config[file] = self.configs.of(path)
        config = self._config[file]
        key = folder, config.path, imported.kind, imported.specifier
        if key not in self._known:
            asked = _ASKED.get(imported.kind, _IMPORTED)
            self._known[key] = self._found(folder, config, _plain(imported), asked)
        found = self._known[key]
        if imported.kind == "augment" and not self._adds(file, imported.specifier):
            return Resolution((), found.resolved or found.ambiguous)
        return found

    def _adds(self, file: int, specifier: str) -> bool:
        """Whether `declare module "x"` certainly adds to the module, and does not stand for it."""
        if specifier.startswith("."):
            return True
        others = self.project.facts(file).imports
        # Imports in a declaration may stand inside of `declare module`.
        is_module = any(one.kind in ("import", "export") for one in others)
        return is_module and not self.files.is_declaration(file)

    def depends_on(self) -> Iterator[str]:
        """Every path, because anything may be imported, and the texts of settings."""
        yield from self.project.paths
        yield from self.settings_texts()

    def settings_texts(self) -> Iterable[str]:
        """What packages and workspaces say, and all settings of the compiler."""
        yield from self.workspaces.said()
        configs = TsConfigs(self.workspaces)
        configs.load_all()
        for path in sorted(configs.read):
            yield f"{path}\n{self.project.text(path)}"

    def _reference(self, file: int, folder: str, comment: str) -> Resolution:
        """Where `/// <reference path="..." />` or `types="..."` leads."""
        match = _REFERENCE.search(comment)
        if match is None:
            return EXTERNAL
        if match[1] == "path" or match[2].startswith("."):
            path = joined(folder, match[2])
            return (
                Resolution(self.files.exact(path) or self.files.file(path)) if path else EXTERNAL
            )
        config = self.configs.of(self.project.paths[file])
        return self._bare(folder, config, match[2], config.conditions | _IMPORTED)

    def _beside(self, folder: str, arguments: str) -> Resolution:
        """The file that a path from the folder of the one that names it leads to."""
        match = _BESIDE.fullmatch(arguments)
        if match is None:
            return EXTERNAL
        path = joined(folder, "/".join(part.lstrip("/") for part in _CONSTANT.findall(match[1])))
        return Resolution(self.files.exact(path)) if path else EXTERNAL

    def _found(
        self, folder: str, config: TsConfig, specifier: str, asked: frozenset[str]
    ) -> Resolution:
        if not specifier or _OUTSIDE.match(specifier):
            return EXTERNAL
        if specifier.startswith("."):
            return self._relative(folder, config, specifier)
        if specifier.startswith("/"):
            return self._rooted(folder, specifier)
        return self._bare(folder, config, specifier, config.conditions | asked)

    # ------------------------------------------------------------ paths

    def _relative(self, folder: str, config: TsConfig, specifier: str) -> Resolution:
        path = joined(folder, specifier)
        if path is None:
            return EXTERNAL
        found = self._at(path, specifier)
        if not found:
            others = (self._at(one, specifier) for one in _elsewhere(path, config.roots))
            found = next((one for one in others if one), ())
        return self._on_platforms(found, config) if found else self._built(path, folder)

    def _on_platforms(self, found: tuple[int, ...], config: TsConfig) -> Resolution:
        """The first of the files that the settings allow for platforms; perhaps another one."""
        if not config.suffixes or len(found) > 1:
            return Resolution(found)
        variants = self.files.variants(found[0], config.suffixes) or found
        return Resolution(variants[:1], variants[1:])

    def _at(self, path: str, specifier: str) -> tuple[int, ...]:
        if specifier.endswith(("/", "/.", "/..")) or specifier in (".", ".."):
            return self.files.folder(path)
        return self.files.module(path)

    def _built(self, path: str, folder: str) -> Resolution:
        """What a path that is not there is built from."""
        around = self.files.packages(path.rpartition("/")[0])
        package = around[0] if around else ""
        made = self.packages.built.sources(package, path)
        output = (below(path, package) or "").partition("/")[0]
        beside = (below(folder, package) or "").partition("/")[0]
        # Who imports from where it lies itself is not outside of what is built.
        return (
            Resolution(made.files)
            if made.certain and output != beside
            else Resolution((), made.files)
        )

    def _rooted(self, folder: str, specifier: str) -> Resolution:
        """A path from the root that a server shows."""
        for package in (*self.files.packages(folder), ""):
            path = joined(package, specifier)
            found = self.files.module(path) if path else ()
            if found:
                return Resolution((), found)
        return EXTERNAL

    # ------------------------------------------------------------ names

    def _bare(
        self, folder: str, config: TsConfig, specifier: str, conditions: frozenset[str]
    ) -> Resolution:
        """A name: an alias, something below the base, a package, or what looks like an alias."""
        aliased = self._aliased(config, specifier)
        if aliased and not all(self.files.is_declaration(one) for one in aliased):
            return self._on_platforms(aliased, config)
        if specifier.startswith("#"):
            found = self.packages.internal(specifier, folder, conditions)
        else:
            found = self.packages.named(specifier, folder, conditions)
        if aliased:  # to a declaration: the compiler alone takes it for the package
            held = (one for one in found.resolved if not self.files.is_declaration(one))
            return Resolution(tuple(dict.fromkeys((*aliased, *held))))
        return found if found != EXTERNAL else self._by_custom(folder, config, specifier)

    def _aliased(self, config: TsConfig, specifier: str) -> tuple[int, ...]:
        """The files that an alias stands for, or that lie below the base."""
        based = None if config.base is None else joined(config.base, specifier)
        for path in (*config.mapped(specifier), *([based] if based else [])):
            found = self.files.exact(path) or self.files.module(path)
            if found:
                return found
        return ()

    def _by_custom(self, folder: str, config: TsConfig, specifier: str) -> Resolution:
        """What is meant by a name that only a build knows."""
        if specifier == "$lib" or specifier.startswith("$lib/"):
            return self._library(folder, specifier)
        for path in config.mapped(specifier):
            found = self._built(path, folder)
            if found != EXTERNAL:
                return found
        match = _CUSTOM.fullmatch(specifier)
        for package in (*self.files.packages(folder), "") if match else ():
            tries = (joined(package, f"{one}/{match[1]}") for one in _CUSTOM_FOLDERS if match)
            numbers = [number for one in tries if one for number in self.files.module(one)]
            if numbers:
                return Resolution((), tuple(dict.fromkeys(numbers)))
        return EXTERNAL

    def _library(self, folder: str, specifier: str) -> Resolution:
        """`$lib`, which SvelteKit defines wherever it is used."""
        for around in upwards(folder):
            inside = f"{around}/" if around else ""
            if any(f"{inside}{name}" in self.project.number for name in _SVELTE_KIT):
                return Resolution(self.files.module(f"{inside}src/lib{specifier[4:]}"))
        return EXTERNAL


def _plain(imported: Import) -> str:
    """A specifier without loaders before it and a query behind it."""
    plain = imported.specifier.rpartition("!")[2]
    plain = plain.partition("?")[0] or plain
    is_name = plain[:1].isalnum() and ":" not in plain
    return f"./{plain}" if imported.kind == "url" and is_name else plain


def _elsewhere(path: str, roots: tuple[str, ...]) -> Iterator[str]:
    """The same path below the other folders that count as one."""
    inner = [(len(root), below(path, root)) for root in roots]
    longest = max(((size, one) for size, one in inner if one is not None), default=None)
    if longest is not None:
        for root in roots:
            yield f"{root}/{longest[1]}".strip("/")
