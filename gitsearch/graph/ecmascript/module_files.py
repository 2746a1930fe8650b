"""Files that stand for a module when its extension is left out, or names what it is built to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitsearch.graph.ecmascript.config_reading import joined, settings, word
from gitsearch.graph.tree_paths import upwards

if TYPE_CHECKING:
    from gitsearch.graph.project import Project

# What is imported as `x.js` is often written in `x.ts`, or declared in `x.d.ts` alone.
_WRITTEN = {
    "ts": ("ts", "d.ts", "js"),
    "tsx": ("tsx", "d.ts", "jsx"),
    "js": ("ts", "tsx", "d.ts"),
    "jsx": ("tsx", "ts", "d.ts"),
    "mjs": ("mts", "d.mts"),
    "cjs": ("cts", "d.cts"),
}
# Extensions that may be left out: first those that the compiler tries, then those of bundlers,
# then one file for each platform.
_LEFT_OUT = ("ts", "tsx", "d.ts", "js", "jsx")
_BUNDLED = ("mjs", "mts", "cjs", "cts", "json", "vue", "svelte")
_PLATFORMS = ("ios", "android", "native", "web", "macos", "windows")
# What a declaration declares lies in the file of the same name with one of these.
_DECLARED = {
    "ts": ("js", "jsx"),
    "mts": ("mjs",),
    "cts": ("cjs",),
}
# What a built file may have been written in.
_SOURCES = ("ts", "tsx", "js", "jsx", "vue", "svelte")
_BUILT: dict[str, tuple[str, ...]] = {
    ".d.ts": _SOURCES,
    ".d.mts": ("mts", *_SOURCES, "mjs"),
    ".d.cts": ("cts", *_SOURCES, "cjs"),
    ".mjs": ("mts", *_SOURCES, "mjs"),
    ".cjs": ("cts", *_SOURCES, "cjs"),
    ".js": (*_SOURCES, "mts", "mjs"),
    ".jsx": _SOURCES,
}
DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
# The fields of a manifest that name the entry of a package, the types before all.
ENTRIES = ("types", "typings", "main", "module", "jsnext:main", "browser", "svelte")
# Those that say what else a package needs.
DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
# All fields that resolution looks at; no other is shown to it.
_FIELDS = frozenset(
    {"name", "exports", "imports", "source", "tsconfig", "workspaces", *ENTRIES, *DEPENDENCIES}
)

Numbers = tuple[int, ...]


class ModuleFiles:
    """The modules of a project by path."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._number = project.number
        self._modules: dict[str, Numbers] = {}
        self._manifests: dict[str, dict[str, Any]] = {}

    def manifest(self, folder: str) -> dict[str, Any]:
        """What the `package.json` of a folder says that matters here."""
        if folder not in self._manifests:
            said = settings(self.project.text(_manifest(folder)))
            self._manifests[folder] = {key: said[key] for key in said if key in _FIELDS}
        return self._manifests[folder]

    def packages(self, folder: str) -> list[str]:
        """The folders around, from the inside out, that have a `package.json`."""
        return [one for one in upwards(folder) if _manifest(one) in self._number]

    def exact(self, path: str) -> Numbers:
        """The file of this very path, and what it declares."""
        number = self._number.get(path)
        return () if number is None else self._with_declared(path, number)

    def module(self, path: str) -> Numbers:
        """The files meant by a path: a file or a folder, with or without an extension."""
        found = self._modules.get(path)
        if found is None:
            found = self._modules[path] = self.file(path) or self.folder(path)
        return found

    def file(self, path: str) -> Numbers:
        """The file meant by a path, with or without an extension."""
        if not path:
            return ()
        stem, _, extension = path.rpartition(".")
        found = self._first(stem, _WRITTEN.get(extension, ())) or self.exact(path)
        found = found or self._first(path, _LEFT_OUT) or self._first(path, _BUNDLED)
        if found or path.rpartition("/")[0] not in self.project.folders:
            return found
        variants = [self._first(f"{path}.{one}", _LEFT_OUT) for one in _PLATFORMS]
        return tuple(number for variant in variants for number in variant)

    def folder(self, path: str) -> Numbers:
        """The file that a folder stands for."""
        if path not in self.project.folders:
            return ()
        manifest = self.manifest(path)
        for field in ENTRIES[:3] if manifest else ():
            target = joined(path, word(manifest.get(field)))
            if target and target != path:
                found = self.file(target) or self.file(f"{target}/index")
                if found:
                    return found
        return self.file(f"{path}/index" if path else "index")

    def variants(self, number: int, suffixes: tuple[str, ...]) -> Numbers:
        """The files that stand for one on some platform, by the suffixes of their names."""
        stem = self.project.paths[number].rpartition(".")[0]
        found = (self._first(stem + suffix, _LEFT_OUT) for suffix in suffixes)
        return tuple(dict.fromkeys(one for numbers in found for one in numbers))

    def is_declaration(self, number: int) -> bool:
        """Whether a file only declares what another one holds."""
        return self.project.paths[number].endswith(DECLARATIONS)

    def source(self, path: str) -> Numbers:
        """The file that a built one of this path is made from, wherever outputs go."""
        stem = path
        sources: tuple[str, ...] = _SOURCES
        for built in _BUILT:
            if path.endswith(built):
                stem, sources = path[: -len(built)], _BUILT[built]
                break
        found = self._first(stem, sources) or self._first(f"{stem}/index", sources)
        return found or self.exact(path)  # copied, such as a style sheet

    def _first(self, stem: str, extensions: tuple[str, ...]) -> Numbers:
        for extension in extensions:
            path = f"{stem}.{extension}"
            number = self._number.get(path)
            if number is not None:
                return self._with_declared(path, number)
        return ()

    def _with_declared(self, path: str, number: int) -> Numbers:
        """A file, and what it declares: an importer depends on both."""
        stem, _, extension = path.rpartition(".")
        if extension in _DECLARED and stem.endswith(".d"):
            for other in _DECLARED[extension]:
                declared = self._number.get(f"{stem[:-2]}.{other}")
                if declared is not None:
                    return (number, declared)
        return (number,)


def _manifest(folder: str) -> str:
    return f"{folder}/package.json" if folder else "package.json"
