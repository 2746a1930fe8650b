"""The settings of the TypeScript compiler: tsconfig.json, jsconfig.json and what they extend."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch.graph.resolvers.javascript_modules import split_specifier, targets
from gitsearch.graph.resolvers.settings_files import (
    glob_matches,
    parse_commented_json,
    paths_named,
)
from gitsearch.graph.resolvers.tables import memoized
from gitsearch.graph.settings_values import object_or_empty, string_or_empty, strings_in
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, joined, path_in_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.resolvers.javascript_workspaces import Workspaces

_NAMES = ("tsconfig.json", "jsconfig.json")
_MAX_DEPTH = 50  # of extends and references
_MAX_REFERENCES = 1000
_MAX_SUFFIXES = 20
_CONFIG_DIR = "${configDir}"
# Options that hold a path or paths.
_FOLDER_OPTIONS = ("baseUrl", "rootDir", "outDir", "declarationDir")
_EXCLUDED_BY_DEFAULT = tuple(
    ("**", folder, "**") for folder in ("node_modules", "bower_components", "jspm_packages")
)


Glob = tuple[str, ...]


class Alias(NamedTuple):
    """One pattern of `paths` and its targets.

    before, after: the text around the `*`; without `star`, `before` is the whole pattern.
    """

    before: str
    star: bool
    after: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TsConfig:
    """The settings of one file with all it extends; paths are relative to the root of the tree."""

    path: str
    folder: str
    base: str | None = None
    aliases: tuple[Alias, ...] = ()
    root_folders: tuple[str, ...] = ()
    outputs: tuple[tuple[str, str | None], ...] = ()  # output folder and its source folder
    suffixes: tuple[str, ...] = ()  # of platform-specific files
    conditions: frozenset[str] = frozenset({"types", "default", "module", "source", "node"})
    files: frozenset[str] = frozenset()
    included: tuple[Glob, ...] = ()
    include_prefixes: tuple[str, ...] = ()  # every included path starts with one of them
    excluded: tuple[Glob, ...] = ()
    references: tuple[str, ...] = ()

    def includes(self, path: str) -> bool:
        """Return True if the compiler compiles a file as an input."""
        if path in self.files:
            return True
        if not path.startswith(self.include_prefixes):
            return False
        parts = path.split("/")
        return any(glob_matches(parts, glob) for glob in self.included) and not any(
            glob_matches(parts, glob) for glob in self.excluded
        )

    def mapped(self, specifier: str) -> Iterator[str]:
        """Yield the targets of the most specific alias that matches."""
        best: Alias | None = None
        for alias in self.aliases:
            before, star, after, targets = alias
            if not star:
                if specifier == before:
                    yield from targets
                    return
            elif (
                specifier.startswith(before)
                and specifier.endswith(after)
                and len(specifier) >= len(before) + len(after)
                and (best is None or len(before) > len(best.before))
            ):
                best = alias
        if best is not None:
            rest = specifier[len(best.before) : len(specifier) - len(best.after)]
            yield from (target.replace("*", rest, 1) for target in best.targets)


NO_CONFIG = TsConfig("", "")


class TsConfigs:
    """The compiler settings of a project."""

    def __init__(self, workspaces: Workspaces) -> None:
        self.workspaces = workspaces
        self.project = workspaces.project
        self.read: set[str] = set()  # paths of all files that were read
        self._merges: dict[tuple[str, str], dict[str, Any]] = {}

    @memoized
    def of(self, path: str) -> TsConfig:
        """Return the settings of a file: the nearest that include it, else the nearest."""
        configs = self._enclosing_configs(folder_of(path))
        for config in configs:
            for referenced in self._with_references(config.path):
                if referenced.includes(path):
                    return referenced
        return configs[0] if configs else NO_CONFIG

    def load_all(self) -> list[TsConfig]:
        """Return all settings that resolution may depend on."""
        names = [name for name in self.project.by_name if _is_config_name(name)]
        paths = dict.fromkeys(paths_named(self.project, *names))
        todo = list(paths)
        for path in todo:
            references = dict.fromkeys(self.load(path).references)
            todo += [other for other in references if other not in paths]
            paths |= references
        return [self.load(path) for path in sorted(paths)]

    @memoized
    def in_folder(self, folder: str) -> list[TsConfig]:
        """Return the settings in a folder, of any file name."""
        paths = [self.project.paths[file] for file in self.project.folders.get(folder, ())]
        return [self.load(path) for path in paths if _is_config_name(path.rpartition("/")[2])]

    @memoized
    def _enclosing_configs(self, folder: str) -> list[TsConfig]:
        """Return the settings in a folder and its ancestors, innermost first."""
        number = self.project.number
        first = (
            next((path for name in _NAMES if (path := joined(outer, name)) in number), None)
            for outer in enclosing_folders(folder)
        )
        return [self.load(path) for path in first if path]

    @memoized
    def _with_references(self, path: str) -> list[TsConfig]:
        """Return the settings of a file and all that they reference, transitively."""
        configs, seen = [self.load(path)], {path}
        for current in configs:
            for other in current.references if len(configs) < _MAX_REFERENCES else ():
                if other not in seen:
                    seen.add(other)
                    configs.append(self.load(other))
        return configs

    @memoized
    def _parsed(self, path: str) -> dict[str, Any]:
        self.read.add(path)
        return parse_commented_json(self.project.text(path))

    def _merged(self, path: str, config_folder: str, depth: int = 0) -> dict[str, Any]:
        """Return the options and globs of a file and all it extends; paths start at the root."""
        if (path, config_folder) in self._merges:
            return self._merges[path, config_folder]
        merged: dict[str, Any] = {"options": {}}
        self._merges[path, config_folder] = merged  # the value for a cycle of `extends`
        raw = self._parsed(path)
        folder = folder_of(path)
        for extended in strings_in(raw.get("extends")) if depth < _MAX_DEPTH else ():
            other = self._extended_path(extended, folder)
            if other:
                base = self._merged(other, config_folder, depth + 1)
                options = {**merged["options"], **base["options"]}
                merged = {**merged, **base, "options": options}
        path_base = _PathBase(folder, config_folder)
        merged["options"].update(
            _absolute_options(object_or_empty(raw.get("compilerOptions")), path_base)
        )
        for name in ("files", "include", "exclude"):
            if isinstance(raw.get(name), list):
                paths = [path_base.resolve(path) for path in strings_in(raw[name])]
                merged[name] = [path for path in paths if path is not None]
        merged["references"] = self._references(raw.get("references"), folder)
        self._merges[path, config_folder] = merged
        return merged

    def _references(self, value: object, folder: str) -> tuple[str, ...]:
        items = map(object_or_empty, value if isinstance(value, list) else ())
        bases = [path_in_tree(folder, string_or_empty(item.get("path"))) for item in items]
        paths = ((base, joined(base, "tsconfig.json")) for base in bases if base is not None)
        return tuple(path for pair in paths for path in pair if path in self.project.number)

    def _extended_path(self, specifier: str, folder: str) -> str | None:
        """Return the path of an extended file, which is relative or in a package, or None."""
        if specifier.startswith("."):
            return self._first_existing(folder, specifier)
        name, subpath = split_specifier(specifier)
        for package in self.workspaces.named(name, folder)[0]:
            manifest = self.workspaces.files.manifest(package)
            key = f"./{subpath}" if subpath else "."
            active, _ = targets(manifest.get("exports"), key, frozenset({"default", "require"}))
            main = subpath or string_or_empty(manifest.get("tsconfig")) or "tsconfig.json"
            path = self._first_existing(package, *active, main)
            if path is not None:
                return path
        return None

    def _first_existing(self, folder: str, *candidates: str) -> str | None:
        """Return the first existing of some paths of files without an extension, or of folders."""
        bases = [path_in_tree(folder, candidate) for candidate in candidates]
        suffixes = ("", ".json", "/tsconfig.json")
        paths = (base + suffix for base in bases if base is not None for suffix in suffixes)
        return next((path for path in paths if path in self.project.number), None)

    @memoized
    def load(self, path: str) -> TsConfig:
        """Return the settings of one file, with all that it extends."""
        folder = folder_of(path)
        merged = self._merged(path, folder)
        options = merged["options"]
        base = options.get("baseUrl")
        outputs = dict.fromkeys(options.get(name) for name in ("outDir", "declarationDir"))
        bundler = string_or_empty(options.get("moduleResolution")).lower() == "bundler"
        conditions = {*NO_CONFIG.conditions, *strings_in(options.get("customConditions"))}
        files = frozenset(merged.get("files", ()))
        included = tuple(_parse_glob(pattern) for pattern in merged.get("include", ()))
        if "include" not in merged and (files or "files" not in merged):
            # A list of files alone includes everything that they import.
            included = ((*_parse_glob(folder), "**"),)
        excluded = merged.get("exclude", [output for output in outputs if output])
        not_source = () if "exclude" in merged else _EXCLUDED_BY_DEFAULT
        return TsConfig(
            path,
            folder,
            base,
            tuple(_aliases(options, base)),
            tuple(options.get("rootDirs", ())),
            tuple((out, options.get("rootDir")) for out in outputs if out),
            tuple(strings_in(options.get("moduleSuffixes"))[:_MAX_SUFFIXES]),
            frozenset(conditions - {"node"} if bundler else conditions),
            files,
            included,
            tuple(dict.fromkeys(_literal_prefix(glob) for glob in included)),
            (*not_source, *((*_parse_glob(pattern), "**") for pattern in excluded)),
            merged["references"],
        )


class _PathBase(NamedTuple):
    """The start folders of relative paths in a file: its own, and that of `${configDir}`."""

    folder: str
    config_folder: str

    def resolve(self, path: str) -> str | None:
        """Return a path of the file relative to the root of the tree; None if it is outside."""
        if path.startswith(_CONFIG_DIR):
            return path_in_tree(self.config_folder, path[len(_CONFIG_DIR) :].lstrip("/"))
        return None if path.startswith("/") else path_in_tree(self.folder, path)


def _is_config_name(name: str) -> bool:
    """Return True if a file name, such as tsconfig.build.json, is that of compiler settings."""
    return name.startswith(("tsconfig", "jsconfig")) and name.endswith(".json")


def _absolute_options(options: dict[str, Any], path_base: _PathBase) -> dict[str, Any]:
    """Return the options that resolution reads, with paths relative to the root of the tree."""
    absolute: dict[str, Any] = {}
    for name in _FOLDER_OPTIONS:
        if name in options:
            path = string_or_empty(options[name])
            absolute[name] = path_base.resolve(path) if path else None
    if "rootDirs" in options:
        folders = [path_base.resolve(path) for path in strings_in(options["rootDirs"])]
        absolute["rootDirs"] = [folder for folder in folders if folder is not None]
    if "paths" in options:
        absolute["paths"] = object_or_empty(options["paths"]), path_base
    for name in ("moduleResolution", "customConditions", "moduleSuffixes"):
        if name in options:
            absolute[name] = options[name]
    return absolute


def _aliases(options: dict[str, Any], base: str | None) -> Iterator[Alias]:
    patterns, path_base = options.get("paths", ({}, None))
    if path_base is None:
        return
    start = path_base if base is None else _PathBase(base, path_base.config_folder)
    for pattern, value in patterns.items():
        before, star, after = pattern.partition("*")
        paths = [start.resolve(path) for path in strings_in(value)]
        yield Alias(before, bool(star), after, tuple(path for path in paths if path is not None))


def _literal_prefix(glob: Glob) -> str:
    """Return the folders before the first part with a wildcard, with a trailing slash."""
    plain = takewhile(lambda part: not any(wildcard in part for wildcard in "*?"), glob[:-1])
    return "".join(f"{part}/" for part in plain)


def _parse_glob(path: str) -> Glob:
    """Return the parts of a pattern; a folder matches everything below it."""
    parts = path.split("/") if path else []
    last = parts[-1] if parts else ""
    return tuple(parts) if any(character in last for character in "*?.") else (*parts, "**")
