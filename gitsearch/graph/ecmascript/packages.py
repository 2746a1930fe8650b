"""The files of a path or package that a specifier names, and the sources of compiled files."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gitsearch.graph.project import EXTERNAL, Resolution
from gitsearch.graph.resolvers.settings_files import parse_commented_json
from gitsearch.graph.resolvers.tables import memoized
from gitsearch.graph.settings_values import string_or_empty
from gitsearch.graph.tree_paths import (
    enclosing_folders,
    folder_of,
    joined,
    path_in_tree,
    relative_to,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.ecmascript.tsconfig import TsConfig, TsConfigs
    from gitsearch.graph.ecmascript.workspaces import Workspaces
    from gitsearch.graph.project import Project

# An import of `x.js` often means the source `x.ts`, or the declaration `x.d.ts` alone.
_ALTERNATIVE_EXTENSIONS = {
    "ts": ("ts", "d.ts", "js"),
    "tsx": ("tsx", "d.ts", "jsx"),
    "js": ("ts", "tsx", "d.ts"),
    "jsx": ("tsx", "ts", "d.ts"),
    "mjs": ("mts", "d.mts"),
    "cjs": ("cts", "d.cts"),
}
# Extensions that may be omitted: first those that the compiler tries, then those of bundlers,
# then those of one file for each platform.
_COMPILER_EXTENSIONS = ("ts", "tsx", "d.ts", "js", "jsx")
_BUNDLER_EXTENSIONS = ("mjs", "mts", "cjs", "cts", "json", "vue", "svelte")
_PLATFORMS = ("ios", "android", "native", "web", "macos", "windows")
# By extension of a declaration, the extensions of the file that implements it.
_IMPLEMENTATION_EXTENSIONS = {"ts": ("js", "jsx"), "mts": ("mjs",), "cts": ("cjs",)}
# Extensions of the sources of compiled files.
_SOURCE_EXTENSIONS = ("ts", "tsx", "js", "jsx", "vue", "svelte")
_COMPILED_EXTENSIONS: dict[str, tuple[str, ...]] = {
    ".d.ts": _SOURCE_EXTENSIONS,
    ".d.mts": ("mts", *_SOURCE_EXTENSIONS, "mjs"),
    ".d.cts": ("cts", *_SOURCE_EXTENSIONS, "cjs"),
    ".mjs": ("mts", *_SOURCE_EXTENSIONS, "mjs"),
    ".cjs": ("cts", *_SOURCE_EXTENSIONS, "cjs"),
    ".js": (*_SOURCE_EXTENSIONS, "mts", "mjs"),
    ".jsx": _SOURCE_EXTENSIONS,
    "": _SOURCE_EXTENSIONS,
}
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
# The fields of a manifest that name the entry point of a package, types first.
_ENTRY_FIELDS = ("types", "typings", "main", "module", "jsnext:main", "browser", "svelte")
# The fields of a manifest that list dependencies.
DEPENDENCY_FIELDS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
# Resolution reads these fields, too; the rest of a manifest is dropped.
_OTHER_FIELDS = ("name", "exports", "imports", "source", "tsconfig", "workspaces")
_READ_FIELDS = frozenset({*_OTHER_FIELDS, *_ENTRY_FIELDS, *DEPENDENCY_FIELDS})

_MANIFEST = "package.json"

Files = tuple[int, ...]
# Names of output folders, and of folders in them for one output format each.
_OUTPUT_FOLDER = re.compile(
    r"[._]?(dist|lib|build|built|out|output|compiled|es|esm|cjs|umd|types|typings|commonjs"
    r"|bundles?)([-_.].*)?"
)
_FORMAT_FOLDER = re.compile(
    r"(es|esm|cjs|umd|mjs|es\d+|esm\d+|fesm\d+|ecma\w*|modern|legacy|types|typings|dts|module|modules"
    r"|commonjs|import|require|node|browser|web|prod|production|dev|development|bundles|js|ts"
    r"|_?esm\w*|_?cjs\w*)"
)
_SOURCE_FOLDERS = ("src", "source", "sources", "lib", "app", "")
# Variants of one file, as in `index.esm.min.js`.
_VARIANT = re.compile(
    r"[.-](min|esm|cjs|umd|iife|amd|es|mjs|global|prod|dev|production|development|browser|bundler"
    r"|node|module|common|runtime|legacy|modern|bundle|esm-browser|esm-bundler)(?=\.|$)"
)
_EXTENSION = re.compile(r"(\.d)?\.[cm]?[jt]sx?$")

_MAX_DEPTH = 50
_MAX_LENGTH = 1000  # each `*` is replaced, so that a text of stars would grow without bounds
_BOTH = frozenset({"import", "require"})


def split_specifier(specifier: str) -> tuple[str, str]:
    """Split a specifier into the name of a package, which may have a scope, and the subpath."""
    parts = specifier.split("/")
    depth = 2 if specifier.startswith("@") else 1
    return "/".join(parts[:depth]), "/".join(parts[depth:])


def targets(exported: object, key: str, conditions: frozenset[str]) -> tuple[list[str], list[str]]:
    """Return the targets of a subpath (`.`, `./x`) or of a name (`#x`), most probable first.

    The second list has those under conditions that do not hold.
    """
    if isinstance(exported, dict) and any(name[:1] in (".", "#") for name in exported):
        value, star = _entry(exported, key)
    else:
        value, star = exported if key == "." else None, ""
    active = list(_leaves(value, conditions)) or list(_leaves(value, conditions | _BOTH))
    inactive = [leaf for leaf in _leaves(value, None) if leaf not in active]
    if star:
        active = [leaf.replace("*", star) for leaf in active]
        inactive = [leaf.replace("*", star) for leaf in inactive]
    return active, inactive


def _entry(exported: dict[str, Any], key: str) -> tuple[object, str]:
    """Return the value of a key or of its most specific matching pattern, and the text of `*`."""
    if key in exported and "*" not in key:
        return exported[key], ""
    best, best_length = "", -1
    for pattern in exported:
        before, star, after = pattern.partition("*")
        matches = key.startswith(before) and key.endswith(after) and (star or before[-1:] == "/")
        is_long_enough = len(key) >= len(before) + len(after) + bool(star)
        if matches and is_long_enough and len(before) > best_length:
            best, best_length = pattern, len(before)
    before, _, after = best.partition("*")
    rest = key[len(before) : len(key) - len(after)]
    value = exported.get(best) if best_length >= 0 else None
    if "*" not in best and isinstance(value, str):  # a folder, by the obsolete syntax
        return value + rest, ""
    return value, rest


def _leaves(value: object, conditions: frozenset[str] | None, depth: int = 0) -> Iterator[str]:
    """Yield the strings that a value leads to under some conditions, or under any (None)."""
    if isinstance(value, str):
        if len(value) <= _MAX_LENGTH:
            yield value
    elif depth > _MAX_DEPTH:
        return
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, conditions, depth + 1)
    elif isinstance(value, dict):
        for name, item in value.items():
            if conditions is None or name.partition("@")[0] in conditions or name in conditions:
                yield from _leaves(item, conditions, depth + 1)


class ModuleFiles:
    """The modules of a project by path."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._file_numbers = project.number

    @memoized
    def manifest(self, folder: str) -> dict[str, Any]:
        """Return the fields that resolution reads of the `package.json` of a folder."""
        fields = parse_commented_json(self.project.text(joined(folder, _MANIFEST)))
        return {key: fields[key] for key in fields if key in _READ_FIELDS}

    @memoized
    def enclosing_packages(self, folder: str) -> list[str]:
        """Return the folder and its ancestors that have a `package.json`, innermost first."""
        number = self._file_numbers
        return [each for each in enclosing_folders(folder) if joined(each, _MANIFEST) in number]

    def exact(self, path: str) -> Files:
        """Return the file of exactly this path, and its implementation if it is a declaration."""
        number = self._file_numbers.get(path)
        if number is None:
            return ()
        stem, _, extension = path.rpartition(".")
        if extension in _IMPLEMENTATION_EXTENSIONS and stem.endswith(".d"):
            # An importer of a declaration depends on both.
            for implementation_extension in _IMPLEMENTATION_EXTENSIONS[extension]:
                implementation = self._file_numbers.get(f"{stem[:-2]}.{implementation_extension}")
                if implementation is not None:
                    return (number, implementation)
        return (number,)

    @memoized
    def module(self, path: str) -> Files:
        """Return the files of a path: of a file or a folder, with or without an extension."""
        return self.file(path) or self.folder(path)

    def file(self, path: str) -> Files:
        """Return the files of a path to a file, with or without an extension."""
        if not path:
            return ()
        stem, _, extension = path.rpartition(".")
        alternatives = _ALTERNATIVE_EXTENSIONS.get(extension, ())
        files = (
            self._first_existing(stem, alternatives)
            or self.exact(path)
            or self._compiled(path)
            or self._first_existing(path, _BUNDLER_EXTENSIONS)
        )
        if files or folder_of(path) not in self.project.folders:
            return files
        stems = (f"{path}.{platform}" for platform in _PLATFORMS)
        return tuple(file for stem in stems for file in self._compiled(stem))

    def folder(self, path: str) -> Files:
        """Return the files of the entry point of a folder."""
        if path not in self.project.folders:
            return ()
        manifest = self.manifest(path)
        for field in _ENTRY_FIELDS[:3] if manifest else ():
            target = path_in_tree(path, string_or_empty(manifest.get(field)))
            if target and target != path:
                files = self.file(target) or self.file(f"{target}/index")
                if files:
                    return files
        return self.file(joined(path, "index"))

    def platform_variants(self, number: int, suffixes: tuple[str, ...]) -> Files:
        """Return the platform-specific variants of a file, by the suffixes of their names."""
        stem = self.project.paths[number].rpartition(".")[0]
        files = (file for suffix in suffixes for file in self._compiled(stem + suffix))
        return tuple(dict.fromkeys(files))

    def is_declaration(self, number: int) -> bool:
        """Return True if a file only declares what another file implements."""
        return self.project.paths[number].endswith(_DECLARATIONS)

    def source_of(self, path: str) -> Files:
        """Return the source of a compiled file, given its path without the output folder."""
        extension = next(filter(path.endswith, _COMPILED_EXTENSIONS), "")
        stem, sources = path.removesuffix(extension), _COMPILED_EXTENSIONS[extension]
        return (
            self._first_existing(stem, sources)
            or self._first_existing(f"{stem}/index", sources)
            or self.exact(path)  # copied unchanged, such as a style sheet
        )

    def _compiled(self, stem: str) -> Files:
        return self._first_existing(stem, _COMPILER_EXTENSIONS)

    def _first_existing(self, stem: str, extensions: tuple[str, ...]) -> Files:
        paths = (f"{stem}.{extension}" for extension in extensions)
        return next((self.exact(path) for path in paths if path in self._file_numbers), ())


class Packages:
    """The packages of a project, as importers see them."""

    def __init__(self, files: ModuleFiles, workspaces: Workspaces, configs: TsConfigs) -> None:
        self.files = files
        self.workspaces = workspaces
        self.configs = configs
        self._vendoring_folders = {
            folder_of(f"/{folder}")
            for folder in files.project.folders
            if f"/{folder}".endswith("/node_modules")
        }

    def named(self, specifier: str, folder: str, conditions: frozenset[str]) -> Resolution:
        """Return the files that a package name with a subpath means for a file in a folder."""
        name, subpath = split_specifier(specifier)
        for ancestor in enclosing_folders(folder) if self._vendoring_folders else ():
            if f"/{ancestor}".rstrip("/") in self._vendoring_folders:
                vendored = path_in_tree(ancestor, f"node_modules/{name}") or ""
                if vendored in self.files.project.folders:
                    return self.entry(vendored, subpath, conditions)
        packages, certain = self.workspaces.named(name, folder)
        resolutions = [
            self._entry_or_alias(package, specifier, subpath, conditions) for package in packages
        ]
        if certain and len(resolutions) == 1:
            return resolutions[0]
        files = (file for part in resolutions for file in (*part.resolved, *part.ambiguous))
        return Resolution((), tuple(dict.fromkeys(files)))

    def internal(self, specifier: str, folder: str, conditions: frozenset[str]) -> Resolution:
        """Return the files that a name starting with `#` means for an importer in a folder."""
        for package in self.files.enclosing_packages(folder):
            declared = self.files.manifest(package).get("imports")
            if declared is not None:
                exported = targets(declared, specifier, conditions)
                external = [name for name in exported[0] if not name.startswith((".", "#"))]
                resolution = self._from_targets(package, exported)
                if resolution == EXTERNAL and external:
                    return self.named(external[0], folder, conditions)
                return resolution
        return EXTERNAL

    def _entry_or_alias(
        self, package: str, specifier: str, subpath: str, conditions: frozenset[str]
    ) -> Resolution:
        """Return the files of a package, or those of an alias in any settings for its sources."""
        entry = self.entry(package, subpath, conditions)
        if entry.resolved:
            return entry
        for config in self._configs_with_aliases:
            for path in config.mapped(specifier):
                files = self.files.module(path) if relative_to(path, package) is not None else ()
                if files:
                    return Resolution(files)
        return entry

    @cached_property
    def _configs_with_aliases(self) -> list[TsConfig]:
        """One of the compiler settings for each distinct set of aliases."""
        return list({config.aliases: config for config in self.configs.load_all()}.values())

    @memoized
    def entry(self, package: str, subpath: str, conditions: frozenset[str]) -> Resolution:
        """Return the files of a subpath of a package, or of its entry point ("")."""
        manifest = self.files.manifest(package)
        declared = manifest.get("exports")
        if declared is not None:
            exported = targets(declared, f"./{subpath}" if subpath else ".", conditions)
            resolution = self._from_targets(package, exported)
            if resolution != EXTERNAL:
                return resolution
        if subpath:
            resolution = self._subpath(package, subpath)
            is_hidden = declared is not None and resolution.resolved
            return Resolution((), resolution.resolved) if is_hidden else resolution
        return self._main(package)

    def _from_targets(self, package: str, exported: tuple[list[str], list[str]]) -> Resolution:
        """Return the file of the targets of a package; ambiguous under inactive conditions."""
        for i, listed in enumerate(exported):
            files = self._first_existing(package, [path for path in listed if path[:1] == "."])
            if files:
                return Resolution((), files) if i else Resolution(files)
        return EXTERNAL

    def _main(self, package: str) -> Resolution:
        """Return the entry point of a package without `exports`."""
        manifest = self.files.manifest(package)
        entries = [string_or_empty(manifest.get(field)) for field in (*_ENTRY_FIELDS, "source")]
        files = self._first_existing(package, [entry for entry in entries if entry])
        files = files or self.files.module(path_in_tree(package, "index") or "")
        return Resolution(files, () if files else self._probable_main(package))

    def _subpath(self, package: str, subpath: str) -> Resolution:
        """Return the files of a subpath that the package does not declare."""
        path = path_in_tree(package, subpath)
        if path is None:
            return EXTERNAL
        files = self.files.module(path) or self.sources(package, path)
        if files:
            return Resolution(files)
        source = path_in_tree(package, f"src/{subpath}")
        return Resolution((), self.files.source_of(source) if source else ())

    def _first_existing(self, package: str, listed: list[str]) -> Files:
        """Return the first of some targets that exists, or is compiled from existing sources.

        A declaration is followed by its implementation.
        """
        declared: Files = ()
        for target in listed:
            path = path_in_tree(package, target)
            is_declaration = target.endswith(_DECLARATIONS)
            if path is None or (declared and is_declaration):
                continue
            files = self.files.exact(path) or self.files.module(path)
            files = files or self.sources(package, path)
            if files and not is_declaration:
                return tuple(dict.fromkeys((*declared, *files)))
            declared = declared or files
        return declared

    @memoized
    def sources(self, package: str, path: str) -> Files:
        """Return the sources of a path in a package that does not exist in the tree."""
        paths = (*self._sources_by_config(package, path), *_conventional_sources(package, path))
        files = next(filter(None, map(self.files.source_of, paths)), ())
        return files or (self._probable_main(package) if self._is_bundle(package, path) else ())

    def _sources_by_config(self, package: str, path: str) -> Iterator[str]:
        """Yield a path with the output folder of the compiler settings replaced by the source."""
        for config in self.configs.in_folder(package):
            for out, root in config.outputs:
                rest = relative_to(path, out)
                if rest is not None and out != config.folder:
                    roots = [f"{config.folder}/src", config.folder] if root is None else [root]
                    yield from (f"{source_root}/{rest}".strip("/") for source_root in roots)

    def _is_bundle(self, package: str, path: str) -> bool:
        """Return True for a path in an output folder with the name of its package."""
        output, _, rest = (relative_to(path, package) or "").partition("/")
        stem = _VARIANT.sub("", _EXTENSION.sub("", rest.rpartition("/")[2]))
        name = string_or_empty(self.files.manifest(package).get("name")).rpartition("/")[2]
        is_named_like_package = stem and stem in (name, name.replace("-", "."))
        return bool(is_named_like_package and _OUTPUT_FOLDER.fullmatch(output))

    def _probable_main(self, package: str) -> Files:
        """Return the most probable entry point of a package that declares none."""
        paths = (path_in_tree(package, f"{folder}/index") or "" for folder in ("src", "lib", ""))
        return next(filter(None, map(self.files.source_of, paths)), ())


def _conventional_sources(package: str, path: str) -> Iterator[str]:
    """Yield a path with its conventional output folders replaced by source folders."""
    parts = (relative_to(path, package) or "").split("/")
    for start in range(1, len(parts)) if _OUTPUT_FOLDER.fullmatch(parts[0]) else ():
        stem = _EXTENSION.sub("", parts[-1])
        base_name = _VARIANT.sub("", stem)
        names = [parts[-1], base_name] if base_name and base_name != stem else [parts[-1]]
        for name in names:
            rest = "/".join([*parts[start:-1], name])
            yield from (path_in_tree(package, f"{root}/{rest}") or "" for root in _SOURCE_FOLDERS)
        if not _FORMAT_FOLDER.fullmatch(parts[start]):
            return
