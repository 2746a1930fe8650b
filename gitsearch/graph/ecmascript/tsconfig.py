"""The settings of the TypeScript compiler: tsconfig.json, jsconfig.json and what they extend."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch.graph.ecmascript.config_reading import joined, settings, table, word, words
from gitsearch.graph.ecmascript.package_exports import targets
from gitsearch.graph.ecmascript.tsconfig_file import NO_CONFIG, Alias, TsConfig
from gitsearch.graph.tree_paths import upwards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.ecmascript.tsconfig_file import Glob
    from gitsearch.graph.ecmascript.workspaces import Workspaces

_NAMES = ("tsconfig.json", "jsconfig.json")
_DEEPEST = 50  # of extends and references
_MOST_REFERENCES = 1000
_MOST_SUFFIXES = 20
_HOME = "${configDir}"
# Options that hold a path or paths.
_FOLDERS = ("baseUrl", "rootDir", "outDir", "declarationDir")
_EXCLUDED = tuple(
    ("**", one, "**") for one in ("node_modules", "bower_components", "jspm_packages")
)


class TsConfigs:
    """The compiler settings of a project."""

    def __init__(self, workspaces: Workspaces) -> None:
        self.workspaces = workspaces
        self.project = workspaces.project
        self.read: set[str] = set()  # paths of all that has been looked at
        self._loaded: dict[str, TsConfig] = {}
        self._reached: dict[str, list[TsConfig]] = {}
        self._chains: dict[str, list[TsConfig]] = {}
        self._raw: dict[str, dict[str, Any]] = {}
        self._merges: dict[tuple[str, str], dict[str, Any]] = {}

    def of(self, path: str) -> TsConfig:
        """The settings that hold for a file: the nearest that include it, else the nearest."""
        chain = self._chain(path.rpartition("/")[0])
        for config in chain:
            found = self._including(config, path)
            if found is not None:
                return found
        return chain[0] if chain else NO_CONFIG

    def load_all(self) -> list[TsConfig]:
        """All settings that anything may depend on."""
        for name, numbers in self.project.by_name.items():
            if is_settings(name):
                for number in numbers:
                    self._reachable(self.load(self.project.paths[number]))
        return [self._loaded[path] for path in sorted(self._loaded)]

    def load(self, path: str) -> TsConfig:
        """The settings of one file, with all that it extends."""
        if path not in self._loaded:
            folder = path.rpartition("/")[0]
            self._loaded[path] = self._config(path, self._merged(path, folder))
        return self._loaded[path]

    def _chain(self, folder: str) -> list[TsConfig]:
        """The settings of the folders from this one to the root."""
        if folder not in self._chains:
            own = [
                [f"{one}/{name}" if one else name for name in _NAMES] for one in upwards(folder)
            ]
            known = ([path for path in paths if path in self.project.number] for paths in own)
            self._chains[folder] = [self.load(paths[0]) for paths in known if paths]
        return self._chains[folder]

    def _including(self, config: TsConfig, path: str) -> TsConfig | None:
        if config.path not in self._reached:
            self._reached[config.path] = self._reachable(config)
        return next((one for one in self._reached[config.path] if one.includes(path)), None)

    def _reachable(self, config: TsConfig) -> list[TsConfig]:
        """The settings and all that they refer to."""
        found, seen = [config], {config.path}
        for one in found:
            for path in one.references if len(found) < _MOST_REFERENCES else ():
                if path not in seen:
                    seen.add(path)
                    found.append(self.load(path))
        return found

    # ------------------------------------------------------------ reading

    def _parsed(self, path: str) -> dict[str, Any]:
        if path not in self._raw:
            self.read.add(path)
            self._raw[path] = settings(self.project.text(path))
        return self._raw[path]

    def _merged(self, path: str, home: str, depth: int = 0) -> dict[str, Any]:
        """Options and globs of a file and what it extends, paths from the root."""
        if (path, home) in self._merges:
            return self._merges[path, home]
        found: dict[str, Any] = {"options": {}}
        self._merges[path, home] = found  # all that there is for those that it extends
        raw = self._parsed(path)
        folder = path.rpartition("/")[0]
        for extended in words(raw.get("extends")) if depth < _DEEPEST else ():
            other = self._extended(extended, folder)
            if other is not None:
                base = self._merged(other, home, depth + 1)
                options = {**found["options"], **base["options"]}
                found = {**found, **base, "options": options}
        places = _Places(folder, home)
        found["options"].update(_placed(table(raw.get("compilerOptions")), places))
        for name in ("files", "include", "exclude"):
            if isinstance(raw.get(name), list):
                listed = [places.at(one) for one in words(raw[name])]
                found[name] = [one for one in listed if one is not None]
        found["references"] = self._references(raw.get("references"), folder)
        self._merges[path, home] = found
        return found

    def _references(self, value: object, folder: str) -> tuple[str, ...]:
        paths = []
        for one in value if isinstance(value, list) else ():
            path = joined(folder, word(table(one).get("path")))
            if path is not None:
                paths += [path, f"{path}/tsconfig.json" if path else "tsconfig.json"]
        return tuple(path for path in paths if path in self.project.number)

    def _extended(self, wanted: str, folder: str) -> str | None:
        """The path of a file that is extended: a relative one or one in a package."""
        if wanted.startswith("."):
            return self._existing(joined(folder, wanted))
        parts = wanted.split("/", 2 if wanted.startswith("@") else 1)
        depth = 2 if wanted.startswith("@") else 1
        name, rest = "/".join(parts[:depth]), "/".join(parts[depth:])
        for package in self.workspaces.named(name, folder).folders:
            manifest = self.workspaces.files.manifest(package)
            key = f"./{rest}" if rest else "."
            exported = targets(manifest.get("exports"), key, frozenset({"default", "require"}))
            tries = [*exported.wanted, rest or word(manifest.get("tsconfig")) or "tsconfig.json"]
            for one in tries:
                path = self._existing(joined(package, one))
                if path is not None:
                    return path
        return None

    def _existing(self, path: str | None) -> str | None:
        if path is None:
            return None
        tries = (path, f"{path}.json", f"{path}/tsconfig.json")
        return next((one for one in tries if one in self.project.number), None)

    def _config(self, path: str, merged: dict[str, Any]) -> TsConfig:
        options = merged["options"]
        folder = path.rpartition("/")[0]
        base = options.get("baseUrl")
        outputs = dict.fromkeys(options.get(one) for one in ("outDir", "declarationDir"))
        bundler = word(options.get("moduleResolution")).lower() == "bundler"
        conditions = {*NO_CONFIG.conditions, *words(options.get("customConditions"))}
        files = frozenset(merged.get("files", ()))
        included = tuple(_glob(one) for one in merged.get("include", ()))
        if "include" not in merged and (files or "files" not in merged):
            # A list of files alone stands for all that they import.
            included = ((*_glob(folder), "**"),)
        excluded = merged.get("exclude", [one for one in outputs if one])
        not_source = () if "exclude" in merged else _EXCLUDED
        return TsConfig(
            path,
            folder,
            base,
            tuple(_aliases(options, base)),
            tuple(options.get("rootDirs", ())),
            tuple((out, options.get("rootDir")) for out in outputs if out),
            tuple(words(options.get("moduleSuffixes"))[:_MOST_SUFFIXES]),
            frozenset(conditions - {"node"} if bundler else conditions),
            files,
            included,
            tuple(dict.fromkeys(_start(glob) for glob in included)),
            (*not_source, *((*_glob(one), "**") for one in excluded)),
            merged["references"],
        )


class _Places(NamedTuple):
    """Where relative paths of a settings file start: at itself, or at the one that extends it."""

    folder: str
    home: str

    def at(self, path: str) -> str | None:
        if path.startswith(_HOME):
            return joined(self.home, path[len(_HOME) :].lstrip("/"))
        return None if path.startswith("/") else joined(self.folder, path)


def is_settings(name: str) -> bool:
    """Whether a file of this name, such as tsconfig.build.json, holds settings of the compiler."""
    return name.startswith(("tsconfig", "jsconfig")) and name.endswith(".json")


def _placed(options: dict[str, Any], places: _Places) -> dict[str, Any]:
    """The options that matter, with paths from the root."""
    found: dict[str, Any] = {}
    for name in _FOLDERS:
        if name in options:
            found[name] = places.at(word(options[name])) if word(options[name]) else None
    if "rootDirs" in options:
        listed = [places.at(one) for one in words(options["rootDirs"])]
        found["rootDirs"] = [one for one in listed if one is not None]
    if "paths" in options:
        found["paths"] = table(options["paths"]), places
    for name in ("moduleResolution", "customConditions", "moduleSuffixes"):
        if name in options:
            found[name] = options[name]
    return found


def _aliases(options: dict[str, Any], base: str | None) -> Iterator[Alias]:
    patterns, places = options.get("paths", ({}, None))
    if places is None:
        return
    start = places if base is None else _Places(base, places.home)
    for pattern, value in patterns.items():
        before, star, after = pattern.partition("*")
        listed = [start.at(one) for one in words(value)]
        yield Alias(before, bool(star), after, tuple(one for one in listed if one is not None))


def _start(glob: Glob) -> str:
    """The text before the first part with a wildcard."""
    plain = takewhile(lambda part: not any(one in part for one in "*?"), glob[:-1])
    return "".join(f"{part}/" for part in plain)


def _glob(path: str) -> Glob:
    """The parts of a pattern; a folder stands for all that lies in it."""
    parts = path.split("/") if path else []
    last = parts[-1] if parts else ""
    return tuple(parts) if any(one in last for one in "*?.") else (*parts, "**")
