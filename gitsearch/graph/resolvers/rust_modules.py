"""The modules of Rust crates, and what the files of a crate declare and import, by module."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.resolvers.cargo import Cargo, CargoPackage
from gitsearch.graph.resolvers.tables import imports_of_kind, memoized
from gitsearch.graph.tree_paths import folder_of, joined, nearest, normalized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import FileFacts, Project
    from gitsearch.records import Import

# The path of inline modules (`mod a { ... }`) around an item of a file.
InlinePath = tuple[str, ...]

_RUST = frozenset({"rust"})
_TOKENS = re.compile(r"::|[{},*]|(?:r#)?[^\W\d]\w*")
_CRATE_FILES = ("lib.rs", "main.rs")
_QUOTED = re.compile(r'"([^"]*)"')
# Deeper trees of names and longer paths are not written by people.
_MAX_DEPTH = 64
_MAX_PATH_LENGTH = 256


class ImportedPath(NamedTuple):
    """One imported path, and the name that it is bound to; "*" for a glob import."""

    path: tuple[str, ...]
    name: str


class RustModule:
    """A module of a crate.

    parts: the files, or inline modules in files, that hold its text; there are several where
    conditional compilation chooses among them.
    """

    __slots__ = ("children", "package", "parent", "parts", "root")

    def __init__(self, parent: RustModule | None, package: CargoPackage | None) -> None:
        self.parent = parent
        self.package = package
        self.root: RustModule = parent.root if parent else self
        self.parts: dict[tuple[int, InlinePath], None] = {}
        self.children: dict[str, RustModule] = {}

    def files(self) -> frozenset[int]:
        """Return the files that hold the text of the module."""
        return frozenset(file for file, _ in self.parts)

    def child(self, name: str) -> RustModule:
        """Return a child module; it is created if it does not exist."""
        if name not in self.children:
            self.children[name] = RustModule(self, self.package)
        return self.children[name]


class ModuleSource:
    """The imports, declarations and definitions of one file, by inline module.

    inline_path: the inline module of each import; modules: the `mod` declarations; calls: the
    macro calls that may declare modules; inline: all inline modules; defined: the qualified names
    that the file defines; macros: the macros that it defines.
    """

    def __init__(self, facts: FileFacts) -> None:
        self.inline_path: dict[Import, InlinePath] = {}
        self.modules: list[tuple[InlinePath, Import]] = []
        self.calls: list[tuple[InlinePath, str]] = []
        self.inline: list[InlinePath] = []
        self._named: dict[tuple[InlinePath, str], list[tuple[str, ...]]] = {}
        self.defined = {qualified for qualified, _ in facts.definitions}
        self.macros = [name for name, kind in facts.definitions if kind == "macro"]
        current: InlinePath = ()
        for imported in facts.imports:
            self.inline_path[imported] = current
            if imported.kind == "enter":
                current = (*current, without_raw_prefix(imported.specifier))
                self.inline.append(current)
            elif imported.kind == "leave":
                current = current[:-1]
            elif imported.kind == "mod":
                self.modules.append((current, imported))
            elif imported.kind == "call":
                self.calls.append((current, imported.specifier))
            elif imported.kind != "brought":
                for path, name in imported_paths(imported):
                    self._named.setdefault((current, name), []).append(path)

    def named(self, inline_path: InlinePath, name: str) -> list[tuple[str, ...]]:
        """Return the paths that are imported under a name in an inline module of the file."""
        return self._named.get((inline_path, name), [])


class ModuleTree:
    """The module trees of all crates of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._modules_at: dict[tuple[int, InlinePath], list[RustModule]] = {}
        self._roots: dict[int, RustModule] = {}
        self.cargo = Cargo(project)
        self._build()

    @memoized
    def source(self, file: int) -> ModuleSource:
        """Return the parsed facts of a file."""
        return ModuleSource(self._project.facts(file))

    def modules_at(self, file: int, inline_path: InlinePath) -> list[RustModule]:
        """Return the modules with this text, one for each crate that includes the file."""
        return self._modules_at.get((file, inline_path), [])

    def library(self, folder: str) -> RustModule | None:
        """Return the root module of the library of the package in a folder, or None."""
        package = self.cargo.packages.get(folder)
        number = self._project.number.get(package.lib if package else "")
        return None if number is None else self._roots.get(number)

    @cached_property
    def macros(self) -> dict[RustModule, dict[str, set[int]]]:
        """The files that define each macro, by crate root: most can be named there."""
        by_crate: dict[RustModule, dict[str, set[int]]] = {}
        for (file, _), modules in self._modules_at.items():
            for name in self.source(file).macros:
                for module in modules:
                    crate = by_crate.setdefault(module.root, {})
                    crate.setdefault(name.rpartition(".")[2], set()).add(file)
        return by_crate

    def modules_of_macro(self, file: int, macro: str) -> list[Import]:
        """Return the modules that a macro declares where a file calls it.

        If several files define the macro, the definition in the file itself counts, else those in
        the same package.
        """
        definitions = self._macro_modules.get(macro, {})
        if file in definitions:
            return definitions[file]
        package = self._package_of(file)
        others = (other for other in definitions if self._package_of(other) is package)
        return [module for other in others for module in definitions[other]]

    @cached_property
    def _macro_modules(self) -> dict[str, dict[int, list[Import]]]:
        """The modules that macros declare, by macro and by the file that defines it."""
        modules: dict[str, dict[int, list[Import]]] = {}
        for file, imported in imports_of_kind(self._project, _RUST, "brought"):
            definitions = modules.setdefault(imported.names, {})
            definitions.setdefault(file, []).append(imported._replace(names=""))
        return modules

    def _build(self) -> None:
        for package in self.cargo.packages.values():
            for root in package.roots:
                self._add_crate(self._project.number[root], package)
        undeclared = [i for i in self._project.of(_RUST) if (i, ()) not in self._modules_at]
        for file in sorted(undeclared, key=self._undeclared_order):
            if (file, ()) not in self._modules_at:
                self._add_undeclared_file(file)

    def _add_crate(self, file: int, package: CargoPackage | None) -> None:
        module = RustModule(None, package)
        self._roots[file] = module
        self._add_file(module, file, owns_folder=True)

    def _add_file(self, module: RustModule, file: int, *, owns_folder: bool) -> None:
        """Make a file the text of a module, and add the modules that it declares, recursively."""
        todo = [(module, file, owns_folder)]
        added = set()
        while todo:
            module, file, owns_folder = todo.pop()
            if (module.root, file) in added or self._project.languages[file] != "rust":
                continue
            added.add((module.root, file))
            self._add_part(module, file, ())
            source = self.source(file)
            for inline_path in source.inline:
                self._add_part(_descendant(module, inline_path), file, inline_path)
            macro_declarations = [
                (inline_path, declaration)
                for inline_path, name in source.calls
                for declaration in self.modules_of_macro(file, name)
            ]
            for inline_path, declaration in [*source.modules, *macro_declarations]:
                name = without_raw_prefix(declaration.specifier)
                child = _descendant(module, inline_path).child(name)
                targets = self._files_of_declaration(
                    file, inline_path, declaration, owns_folder=owns_folder
                )
                todo += [(child, target, is_owner) for target, is_owner in targets]

    def _add_part(self, module: RustModule, file: int, inline_path: InlinePath) -> None:
        if (file, inline_path) not in module.parts:
            module.parts[file, inline_path] = None
            self._modules_at.setdefault((file, inline_path), []).append(module)

    def _files_of_declaration(
        self, file: int, inline_path: InlinePath, declaration: Import, *, owns_folder: bool
    ) -> Iterator[tuple[int, bool]]:
        """Yield the files that `mod name;` may mean, and True if they own their folders."""
        path = self._project.paths[file]
        folder, _, name = path.rpartition("/")
        own_folder = [] if owns_folder else [name.removesuffix(".rs")]
        module_folder = "/".join([folder, *own_folder, *inline_path])
        for attribute_path in _QUOTED.findall(declaration.names):
            start = (module_folder if inline_path else folder).lstrip("/")
            target = normalized(start, attribute_path)
            if target in self._project.number:
                yield self._project.number[target], True
        base = f"{module_folder}/{without_raw_prefix(declaration.specifier)}".lstrip("/")
        for target, target_owns_folder in ((f"{base}.rs", False), (f"{base}/mod.rs", True)):
            if target in self._project.number:
                yield self._project.number[target], target_owns_folder

    def _undeclared_order(self, file: int) -> tuple[int, bool, str]:
        """Sort key: outer folders first, and in a folder the files that own it first."""
        path = self._project.paths[file]
        name = path.rpartition("/")[2]
        return path.count("/"), name not in (*_CRATE_FILES, "mod.rs"), path

    def _add_undeclared_file(self, file: int) -> None:
        """Place a file by its path, as a macro may declare it; else make it a crate of its own."""
        folder, _, name = self._project.paths[file].rpartition("/")
        stems = [] if name in _CRATE_FILES else [name.removesuffix(".rs")]
        module_path: list[str] = [] if name == "mod.rs" else stems
        while stems:
            root = self._crate_root(folder)
            if root is not None:
                module = _descendant(root, tuple(module_path))
                if not module.parts:
                    self._add_file(module, file, owns_folder=name == "mod.rs")
                    return
            if not folder or folder in self.cargo.packages:
                break
            folder, _, folder_name = folder.rpartition("/")
            module_path.insert(0, folder_name)
        self._add_crate(file, self._package_of(file))

    def _crate_root(self, folder: str) -> RustModule | None:
        """Return the root module of a crate with its root file directly in a folder, or None."""
        numbers = (self._project.number.get(joined(folder, name)) for name in _CRATE_FILES)
        return next((self._roots[number] for number in numbers if number in self._roots), None)

    def _package_of(self, file: int) -> CargoPackage | None:
        folder = nearest(folder_of(self._project.paths[file]), self.cargo.packages)
        return None if folder is None else self.cargo.packages[folder]


def without_raw_prefix(name: str) -> str:
    """Return an identifier without the prefix `r#` of raw identifiers."""
    return name.removeprefix("r#")


@lru_cache(1 << 14)
def imported_paths(imported: Import) -> tuple[ImportedPath, ...]:
    """Return the paths that a `use` or `extern crate` imports."""
    if imported.kind == "extern":
        return (ImportedPath(("", imported.specifier), imported.names or imported.specifier),)
    if imported.kind not in ("use", "alias"):
        return ()
    if imported.kind == "alias":
        return tuple(
            ImportedPath(path, without_raw_prefix(imported.names))
            for path, _ in _expand_use_tree(imported.specifier)
        )
    text = imported.specifier
    if imported.names:
        text += f"::{imported.names}" if imported.names[0] in "{*" else f"::{{{imported.names}}}"
    return tuple(_expand_use_tree(text))


def _expand_use_tree(text: str) -> Iterator[ImportedPath]:
    """Yield the paths of a use tree: `a::{self, b as c, d::*}`."""
    path: list[str] = [""] if text.startswith("::") else []
    starts: list[int] = []
    name = ""
    for token in [*_TOKENS.findall(text), ","]:
        if token == "{":
            starts.append(len(path))
            if len(starts) > _MAX_DEPTH or len(path) > _MAX_PATH_LENGTH:
                return
        elif token in (",", "}"):
            start = starts[-1] if starts else 0
            if start < len(path) <= _MAX_PATH_LENGTH:
                names = path[:-1] if len(path) > 1 and path[-1] == "self" else path
                yield ImportedPath(tuple(names), name or names[-1])
            del path[start:]
            name = ""
            if token == "}" and starts:
                # The prefix of the group ends with the group.
                starts.pop()
                del path[starts[-1] if starts else 0 :]
        elif path and path[-1] == "as":
            name = path.pop() and without_raw_prefix(token)
        elif token != "::":
            path.append(without_raw_prefix(token))


def _descendant(module: RustModule, names: InlinePath) -> RustModule:
    """Return the module at a path below another; missing ones are created."""
    for name in names:
        module = module.child(name)
    return module
