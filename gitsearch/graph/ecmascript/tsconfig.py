"""The settings of the TypeScript compiler: tsconfig.json, jsconfig.json and what they extend."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch.graph.ecmascript.config_reading import parse_json_object
from gitsearch.graph.ecmascript.package_exports import split_specifier, targets
from gitsearch.graph.ecmascript.tsconfig_file import NO_CONFIG, Alias, TsConfig
from gitsearch.graph.settings_values import object_or_empty, string_or_empty, strings_in
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, joined, path_in_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.ecmascript.tsconfig_file import Glob
    from gitsearch.graph.ecmascript.workspaces import Workspaces

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


class TsConfigs:
    """The compiler settings of a project."""

    def __init__(self, workspaces: Workspaces) -> None:
        self.workspaces = workspaces
        self.project = workspaces.project
        self.read: set[str] = set()  # paths of all files that were read
        self._loaded: dict[str, TsConfig] = {}
        self._referenced: dict[str, list[TsConfig]] = {}
        self._configs_by_folder: dict[str, list[TsConfig]] = {}
        self._raw: dict[str, dict[str, Any]] = {}
        self._merges: dict[tuple[str, str], dict[str, Any]] = {}

    def of(self, path: str) -> TsConfig:
        """Return the settings of a file: the nearest that include it, else the nearest."""
        configs = self._enclosing_configs(folder_of(path))
        for config in configs:
            including = self._including_config(config, path)
            if including is not None:
                return including
        return configs[0] if configs else NO_CONFIG

    def load_all(self) -> list[TsConfig]:
        """Return all settings that resolution may depend on."""
        for name, numbers in self.project.by_name.items():
            if is_config_name(name):
                for number in numbers:
                    self._with_references(self.load(self.project.paths[number]))
        return [self._loaded[path] for path in sorted(self._loaded)]

    def load(self, path: str) -> TsConfig:
        """Return the settings of one file, with all that it extends."""
        if path not in self._loaded:
            folder = folder_of(path)
            self._loaded[path] = self._config(path, self._merged(path, folder))
        return self._loaded[path]

    def _enclosing_configs(self, folder: str) -> list[TsConfig]:
        """Return the settings in a folder and its ancestors, innermost first."""
        if folder not in self._configs_by_folder:
            candidates = (
                [joined(ancestor, name) for name in _NAMES]
                for ancestor in enclosing_folders(folder)
            )
            existing = (
                [path for path in paths if path in self.project.number] for paths in candidates
            )
            self._configs_by_folder[folder] = [self.load(paths[0]) for paths in existing if paths]
        return self._configs_by_folder[folder]

    def _including_config(self, config: TsConfig, path: str) -> TsConfig | None:
        if config.path not in self._referenced:
            self._referenced[config.path] = self._with_references(config)
        configs = self._referenced[config.path]
        return next((referenced for referenced in configs if referenced.includes(path)), None)

    def _with_references(self, config: TsConfig) -> list[TsConfig]:
        """Return the settings and all that they reference, transitively."""
        configs, seen = [config], {config.path}
        for current in configs:
            for path in current.references if len(configs) < _MAX_REFERENCES else ():
                if path not in seen:
                    seen.add(path)
                    configs.append(self.load(path))
        return configs

    # ------------------------------------------------------------ reading

    def _parsed(self, path: str) -> dict[str, Any]:
        if path not in self._raw:
            self.read.add(path)
            self._raw[path] = parse_json_object(self.project.text(path))
        return self._raw[path]

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
            if other is not None:
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
        paths = []
        for item in value if isinstance(value, list) else ():
            path = path_in_tree(folder, string_or_empty(object_or_empty(item).get("path")))
            if path is not None:
                paths += [path, joined(path, "tsconfig.json")]
        return tuple(path for path in paths if path in self.project.number)

    def _extended_path(self, specifier: str, folder: str) -> str | None:
        """Return the path of an extended file, which is relative or in a package, or None."""
        if specifier.startswith("."):
            return self._existing(path_in_tree(folder, specifier))
        name, subpath = split_specifier(specifier)
        for package in self.workspaces.named(name, folder).folders:
            manifest = self.workspaces.files.manifest(package)
            key = f"./{subpath}" if subpath else "."
            exported = targets(manifest.get("exports"), key, frozenset({"default", "require"}))
            candidates = [
                *exported.active,
                subpath or string_or_empty(manifest.get("tsconfig")) or "tsconfig.json",
            ]
            for candidate in candidates:
                path = self._existing(path_in_tree(package, candidate))
                if path is not None:
                    return path
        return None

    def _existing(self, path: str | None) -> str | None:
        if path is None:
            return None
        paths = (path, f"{path}.json", f"{path}/tsconfig.json")
        return next((existing for existing in paths if existing in self.project.number), None)

    def _config(self, path: str, merged: dict[str, Any]) -> TsConfig:
        options = merged["options"]
        folder = folder_of(path)
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


def is_config_name(name: str) -> bool:
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
