"""The modules of Rust crates, and what the files of a crate declare and import, by module."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from posixpath import normpath
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.resolvers.cargo import Cargo, CargoPackage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

# The modules, written in place, around something in a file.
Inline = tuple[str, ...]

_TOKENS = re.compile(r"::|[{},*]|(?:r#)?[^\W\d]\w*")
_QUOTED = re.compile(r'"([^"]*)"')

# Deeper trees of names and longer paths are not written by people.
_DEEPEST = 64
_LONGEST = 256


class Leaf(NamedTuple):
    """One imported path, and the name that it gets; "*" stands for all that is there."""

    path: tuple[str, ...]
    name: str


class RustModule:
    """A module of a crate; by conditions, several files or places in files may be its text."""

    __slots__ = ("children", "package", "parent", "parts", "root")

    def __init__(self, parent: RustModule | None, package: CargoPackage | None) -> None:
        self.parent = parent
        self.package = package
        self.root: RustModule = parent.root if parent else self
        self.parts: dict[tuple[int, Inline], None] = {}
        self.children: dict[str, RustModule] = {}

    def files(self) -> set[int]:
        """The files with the text of the module."""
        return {file for file, _ in self.parts}

    def child(self, name: str) -> RustModule:
        """A module inside, made if there is none."""
        if name not in self.children:
            self.children[name] = RustModule(self, self.package)
        return self.children[name]


class Source:
    """What one file has in each of its modules, written in place or not."""

    def __init__(
        self, imports: tuple[Import, ...], definitions: tuple[tuple[str, str], ...]
    ) -> None:
        self.place: dict[Import, Inline] = {}
        self.modules: list[tuple[Inline, Import]] = []
        self.calls: list[tuple[Inline, str]] = []
        self.inline: list[Inline] = []
        self._named: dict[Inline, dict[str, list[tuple[str, ...]]]] = {}
        self.defined = {qualified for qualified, _ in definitions}
        self.macros = [name for name, kind in definitions if kind == "macro"]
        here: Inline = ()
        for one in imports:
            self.place[one] = here
            if one.kind == "enter":
                here = (*here, plain(one.specifier))
                self.inline.append(here)
            elif one.kind == "leave":
                here = here[:-1]
            elif one.kind == "mod":
                self.modules.append((here, one))
            elif one.kind == "call":
                self.calls.append((here, one.specifier))
            elif one.kind != "brought":
                named = self._named.setdefault(here, {})
                for leaf in leaves(one):
                    named.setdefault(leaf.name, []).append(leaf.path)

    def named(self, here: Inline, name: str) -> list[tuple[str, ...]]:
        """The paths that are imported as a name in a module of the file."""
        return self._named.get(here, {}).get(name, [])


class ModuleTree:
    """The crates of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._sources: dict[int, Source] = {}
        self._at: dict[tuple[int, Inline], list[RustModule]] = {}
        self._roots: dict[int, RustModule] = {}
        self.cargo = Cargo(project)
        self._grow()

    def source(self, file: int) -> Source:
        """What a file has."""
        if file not in self._sources:
            facts = self._project.facts(file)
            self._sources[file] = Source(facts.imports, facts.definitions)
        return self._sources[file]

    def at(self, file: int, here: Inline) -> list[RustModule]:
        """The modules whose text is here, one in each crate that has the file."""
        return self._at.get((file, here), [])

    def library(self, folder: str) -> RustModule | None:
        """The root module of the library of the package in a folder."""
        package = self.cargo.packages.get(folder)
        return (
            self._roots.get(self._project.number[package.lib]) if package and package.lib else None
        )

    @cached_property
    def macros(self) -> dict[RustModule, dict[str, set[int]]]:
        """The files that define each macro in a crate: most can be named at its root."""
        found: dict[RustModule, dict[str, set[int]]] = {}
        for (file, _), modules in self._at.items():
            for name in self.source(file).macros:
                for module in modules:
                    crate = found.setdefault(module.root, {})
                    crate.setdefault(name.rpartition(".")[2], set()).add(file)
        return found

    def brought(self, file: int, macro: str) -> list[Import]:
        """The modules that a macro declares where a file calls it.

        If several files define the macro, that one is meant, or those of its package.
        """
        places = self._bringing.get(macro, {})
        if file not in places:
            package = self._package_around(file)
            near = [one for one in places if self._package_around(one) is package]
            return [module for one in near for module in places[one]]
        return places[file]

    @cached_property
    def _bringing(self) -> dict[str, dict[int, list[Import]]]:
        """The modules that macros declare, by macro and the file that defines it."""
        found: dict[str, dict[int, list[Import]]] = {}
        for file in self._project.of(frozenset({"rust"})):
            for one in self._project.facts(file).imports:
                if one.kind == "brought":
                    places = found.setdefault(one.names, {})
                    places.setdefault(file, []).append(one._replace(names=""))
        return found

    # ------------------------------------------------------------ growing

    def _grow(self) -> None:
        for package in self.cargo.packages.values():
            for root in package.roots:
                self._root(self._project.number[root], package)
        rust = frozenset({"rust"})
        left = [i for i in self._project.of(rust) if (i, ()) not in self._at]
        for file in sorted(left, key=self._orphan_order):
            if (file, ()) not in self._at:
                self._orphan(file)

    def _root(self, file: int, package: CargoPackage | None) -> None:
        module = RustModule(None, package)
        self._roots[file] = module
        self._take(module, file, owns_folder=True)

    def _take(self, module: RustModule, file: int, *, owns_folder: bool) -> None:
        """Make a file the text of a module, with all that it declares."""
        todo = [(module, file, owns_folder)]
        taken = set()
        while todo:
            module, file, owns_folder = todo.pop()
            if (module.root, file) in taken or self._project.languages[file] != "rust":
                continue
            taken.add((module.root, file))
            self._part(module, file, ())
            source = self.source(file)
            for here in source.inline:
                self._part(_below(module, here), file, here)
            called = [
                (here, one) for here, name in source.calls for one in self.brought(file, name)
            ]
            for here, one in [*source.modules, *called]:
                child = _below(module, here).child(plain(one.specifier))
                for other, owns in self._declared(file, here, one, owns_folder=owns_folder):
                    todo.append((child, other, owns))

    def _part(self, module: RustModule, file: int, here: Inline) -> None:
        if (file, here) not in module.parts:
            module.parts[file, here] = None
            self._at.setdefault((file, here), []).append(module)

    def _declared(
        self, file: int, here: Inline, one: Import, *, owns_folder: bool
    ) -> Iterator[tuple[int, bool]]:
        """The files that `mod name;` may mean, and whether their modules lie beside them."""
        path = self._project.paths[file]
        folder, _, name = path.rpartition("/")
        inner = "/".join([folder, *([] if owns_folder else [name.removesuffix(".rs")]), *here])
        for written in _QUOTED.findall(one.names):
            target = normpath(f"{(inner if here else folder) or '.'}/{written}".lstrip("/"))
            if target in self._project.number:
                yield self._project.number[target], True
        base = f"{inner}/{plain(one.specifier)}".lstrip("/")
        for target, owns in ((f"{base}.rs", False), (f"{base}/mod.rs", True)):
            if target in self._project.number:
                yield self._project.number[target], owns

    # ------------------------------------------------------------ files that no module declares

    def _orphan_order(self, file: int) -> tuple[int, bool, str]:
        path = self._project.paths[file]
        name = path.rpartition("/")[2]
        return path.count("/"), name not in ("lib.rs", "main.rs", "mod.rs"), path

    def _orphan(self, file: int) -> None:
        """A file that a macro declares is where its path says, else a crate of its own."""
        folder, _, name = self._project.paths[file].rpartition("/")
        names = [] if name in ("lib.rs", "main.rs") else [name.removesuffix(".rs")]
        below: list[str] = [] if name == "mod.rs" else names
        while names:
            root = self._root_in(folder)
            if root is not None:
                module = _below(root, tuple(below))
                if not module.parts:
                    self._take(module, file, owns_folder=name == "mod.rs")
                    return
            if not folder or folder in self.cargo.packages:
                break
            folder, _, inner = folder.rpartition("/")
            below.insert(0, inner)
        self._root(file, self._package_around(file))

    def _root_in(self, folder: str) -> RustModule | None:
        for name in ("lib.rs", "main.rs"):
            number = self._project.number.get(f"{folder}/{name}" if folder else name)
            if number in self._roots:
                return self._roots[number]
        return None

    def _package_around(self, file: int) -> CargoPackage | None:
        folder = self._project.paths[file]
        while folder:
            folder = folder.rpartition("/")[0]
            if folder in self.cargo.packages:
                return self.cargo.packages[folder]
        return None


def plain(name: str) -> str:
    """A name without the mark that it is none of the language."""
    return name.removeprefix("r#")


@lru_cache(1 << 14)
def leaves(one: Import) -> tuple[Leaf, ...]:
    """The paths that a `use` or `extern crate` imports."""
    if one.kind == "extern":
        return (Leaf(("", one.specifier), one.names or one.specifier),)
    if one.kind not in ("use", "alias"):
        return ()
    if one.kind == "alias":
        return tuple(Leaf(path, plain(one.names)) for path, _ in _expanded(one.specifier))
    text = one.specifier
    if one.names:
        text += f"::{one.names}" if one.names[0] in "{*" else f"::{{{one.names}}}"
    return tuple(_expanded(text))


def _expanded(text: str) -> Iterator[Leaf]:
    """The leaves of a tree of names as written: `a::{self, b as c, d::*}`."""
    path: list[str] = [""] if text.startswith("::") else []
    starts: list[int] = []
    name = ""
    for token in [*_TOKENS.findall(text), ","]:
        if token == "{":
            starts.append(len(path))
            if len(starts) > _DEEPEST or len(path) > _LONGEST:
                return
        elif token in (",", "}"):
            start = starts[-1] if starts else 0
            if start < len(path) <= _LONGEST:
                yield _leaf(path, name)
            del path[start:]
            name = ""
            if token == "}" and starts:
                # What stands in front of the bracket goes with it.
                starts.pop()
                del path[starts[-1] if starts else 0 :]
        elif path and path[-1] == "as":
            name = path.pop() and plain(token)
        elif token != "::":
            path.append(plain(token))


def _leaf(path: list[str], name: str) -> Leaf:
    if len(path) > 1 and path[-1] == "self":
        path = path[:-1]
    return Leaf(tuple(path), name or path[-1])


def _below(module: RustModule, names: Inline) -> RustModule:
    for name in names:
        module = module.child(name)
    return module
