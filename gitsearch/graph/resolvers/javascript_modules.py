"""The files of a module whose extension is omitted, and the manifests of packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitsearch.graph.resolvers.settings_files import parse_commented_json
from gitsearch.graph.resolvers.tables import memoized
from gitsearch.graph.settings_values import string_or_empty
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, joined, path_in_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

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
DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
# The fields of a manifest that name the entry point of a package, types first.
ENTRY_FIELDS = ("types", "typings", "main", "module", "jsnext:main", "browser", "svelte")
# The fields of a manifest that list dependencies.
DEPENDENCY_FIELDS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
# Resolution reads these fields, too; the rest of a manifest is dropped.
_OTHER_FIELDS = ("name", "exports", "imports", "source", "tsconfig", "workspaces")
_READ_FIELDS = frozenset({*_OTHER_FIELDS, *ENTRY_FIELDS, *DEPENDENCY_FIELDS})

_MANIFEST = "package.json"
Files = tuple[int, ...]
_MAX_DEPTH = 50
_MAX_LENGTH = 1000  # each `*` is replaced, so that a text of stars would grow without bounds
_BOTH = frozenset({"import", "require"})


class ModuleFiles:
    """The modules of a project by path."""

    def __init__(self, project: Project) -> None:
        self.project = project

    @memoized
    def manifest(self, folder: str) -> dict[str, Any]:
        """Return the fields that resolution reads of the `package.json` of a folder."""
        fields = parse_commented_json(self.project.text(joined(folder, _MANIFEST)))
        return {key: fields[key] for key in fields if key in _READ_FIELDS}

    @memoized
    def enclosing_packages(self, folder: str) -> list[str]:
        """Return the folder and its ancestors that have a `package.json`, innermost first."""
        number = self.project.number
        return [each for each in enclosing_folders(folder) if joined(each, _MANIFEST) in number]

    def exact(self, path: str) -> Files:
        """Return the file of exactly this path, and its implementation if it is a declaration."""
        number = self.project.number
        if path not in number:
            return ()
        stem, _, extension = path.rpartition(".")
        extensions = _IMPLEMENTATION_EXTENSIONS.get(extension, ()) if stem.endswith(".d") else ()
        paths = (f"{stem.removesuffix('.d')}.{each}" for each in extensions)
        implementations = [number[other] for other in paths if other in number]
        # An importer of a declaration depends on both.
        return (number[path], *implementations[:1])

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
        for field in ENTRY_FIELDS[:3] if manifest else ():
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
        return self.project.paths[number].endswith(DECLARATIONS)

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
        return next((self.exact(path) for path in paths if path in self.project.number), ())


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
