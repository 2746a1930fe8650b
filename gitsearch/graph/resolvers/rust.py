"""Rust: paths lead through the modules of crates, and on through what modules import again."""

from __future__ import annotations

from functools import cached_property
from posixpath import normpath
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.rust_modules import Leaf, ModuleTree, RustModule, leaves, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

_Path = tuple[str, ...]

# What has been asked for on the way, a module, a name and what follows, with the answer. More than
# so many are not followed.
_Asked = dict[tuple[int, str, _Path], "_Hit | None"]
_LONGEST = 100


# Crates that come with the compiler, whatever a package in the tree is called.
_TOOLCHAIN = frozenset({"std", "core", "alloc", "proc_macro", "test"})


class _Hit(NamedTuple):
    """Where a path leads: the files of the module that has the name, and those that define it.

    module: where it is a module itself.
    """

    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()
    module: RustModule | None = None
    certain: bool = True


_MISS = _Hit()

# The answer to what is being asked for, where a circle of imports comes back to it.
_OPEN = _Hit(certain=False)


class Rust(Resolver):
    """Modules are files that others declare; a path leads to the module it goes to last.

    Where that module only imports the name again, it leads to the file of the definition too.
    """

    languages = frozenset({"rust"})
    settings = frozenset({"Cargo.toml"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._globs: dict[RustModule, list[RustModule]] = {}

    @cached_property
    def _tree(self) -> ModuleTree:
        return ModuleTree(self.project)

    def resolve(self, file: int, imported: Import) -> Resolution:
        """The files of a module that is declared, or those that paths lead to."""
        if imported.kind == "include":
            return self._included(file, imported.specifier)
        here = self._tree.source(file).place.get(imported, ())
        hits: list[_Hit] = []
        for module in self._tree.at(file, here):
            for name in self._declared(file, imported):
                child = module.children.get(plain(name))
                if child is not None:
                    hits.append(_Hit(frozenset(child.files())))
            hits += [self._leaf(module, leaf) for leaf in leaves(imported)]
        resolved = {i for hit in hits if hit.certain for i in (*hit.first, *hit.last)}
        ambiguous = {i for hit in hits if not hit.certain for i in (*hit.first, *hit.last)}
        return Resolution(tuple(sorted(resolved)), tuple(sorted(ambiguous - resolved)))

    def _declared(self, file: int, imported: Import) -> list[str]:
        """The modules that an item declares: itself, or by a macro that it calls."""
        if imported.kind == "call":
            return [one.specifier for one in self._tree.brought(file, imported.specifier)]
        return [imported.specifier] if imported.kind == "mod" else []

    def depends_on(self) -> Iterator[str]:
        """Also what files define, declare and import: paths lead through them."""
        yield from super().depends_on()
        for file in self.project.of(self.languages):
            facts = self.project.facts(file)
            yield from (f"{one.specifier} {one.kind} {one.names}" for one in facts.imports)
            yield from (f"{kind} {name}" for name, kind in facts.definitions)

    def _included(self, file: int, written: str) -> Resolution:
        folder = self.project.paths[file].rpartition("/")[0]
        number = self.project.number.get(normpath(f"{folder or '.'}/{written}"))
        return EXTERNAL if number is None else Resolution((number,))

    # ------------------------------------------------------------ paths

    def _leaf(self, module: RustModule, leaf: Leaf) -> _Hit:
        path = leaf.path[:-1] if leaf.name == "*" else leaf.path
        return self._path(module, path, {})

    def _path(self, module: RustModule, path: _Path, asked: _Asked) -> _Hit:
        """Where a path leads that stands in a module."""
        at: RustModule | None = module
        for i, name in enumerate(path):
            if name == "crate":
                at = module.root
            elif name == "super":
                at = at.parent if at else None
            elif name == "":
                return self._from_extern(module, path[i + 1 :], asked)
            elif name != "self":
                return self._relative(at, path[i:], asked, leading=i == 0)
            if at is None:
                return _MISS
        return _Hit(frozenset(at.files()), module=at) if at and path else _MISS

    def _relative(
        self, at: RustModule | None, path: _Path, asked: _Asked, *, leading: bool
    ) -> _Hit:
        if at is None:
            return _MISS
        if not leading:
            return self._descend(at, path, asked)
        if at.package and at.package.edition == "2015":
            at = at.root
        if path[0] in at.children:
            return self._descend(at, path, asked)
        if path[0] not in _TOOLCHAIN:
            found = self._member(at, path[0], path[1:], asked)
            if found is not None and found is not _OPEN:
                return found
        return self._from_extern(at, path, asked)

    def _descend(self, at: RustModule, path: _Path, asked: _Asked) -> _Hit:
        """Where a path leads that starts inside a module."""
        for i, name in enumerate(path):
            inner = at.children.get(name)
            if inner is None:
                files = frozenset(at.files())
                rest = path[i + 1 :]
                found = self._member(at, name, rest, asked)
                if found is _OPEN:
                    return _MISS
                if found is None:
                    macros = self._tree.macros.get(at, {}) if at.parent is None else {}
                    return _Hit(files, frozenset(macros.get(name, files)))
                # A path through a module by another name goes on there.
                first = found.first if rest else files
                return _Hit(first, found.last or found.first, found.module, found.certain)
            at = inner
        return _Hit(frozenset(at.files()), module=at)

    def _member(self, at: RustModule, name: str, rest: _Path, asked: _Asked) -> _Hit | None:
        """Where a name in a module leads that is no module declared there; None: not known."""
        key = (id(at), name, rest)
        if key not in asked:
            asked[key] = _OPEN
            few = len(asked) < _LONGEST
            asked[key] = self._looked_up(at, name, rest, asked) if few else None
        return asked[key]

    def _looked_up(self, at: RustModule, name: str, rest: _Path, asked: _Asked) -> _Hit | None:
        found = self._by_name(at, name, rest, asked)
        if found:
            # Under other conditions, another of them has the name.
            return _Hit(
                frozenset().union(*(hit.first for hit in found)),
                frozenset().union(*(hit.last or hit.first for hit in found)),
                found[0].module,
                all(hit.certain for hit in found),
            )
        for inner in self._all_of(at, asked):
            if name in inner.children:
                return self._descend(inner, (name, *rest), asked)
            found_there = self._member(inner, name, rest, asked)
            if found_there is not None and found_there is not _OPEN:
                return found_there
        return None

    def _by_name(self, at: RustModule, name: str, rest: _Path, asked: _Asked) -> list[_Hit]:
        """Where a name leads that a module defines or imports."""
        found = []
        for file, here in at.parts:
            source = self._tree.source(file)
            if ".".join((*here, name)) in source.defined:
                found.append(_Hit(frozenset({file}), frozenset({file})))
            for path in source.named(here, name):
                # `use a::a` names a crate.
                follow = self._from_extern if path[0] == name else self._path
                found.append(follow(at, path + rest, asked))
        return [hit for hit in found if hit != _MISS]

    def _all_of(self, at: RustModule, asked: _Asked) -> list[RustModule]:
        """The modules that a module imports all of."""
        if at not in self._globs:
            self._globs[at] = []  # what is asked for on the way does without
            for file, here in at.parts:
                for path in self._tree.source(file).named(here, "*")[:_LONGEST]:
                    inner = self._path(at, path[:-1], dict(asked)).module
                    if inner is not None and inner is not at:
                        self._globs[at].append(inner)
        return self._globs[at]

    # ------------------------------------------------------------ crates

    def _from_extern(self, module: RustModule, path: _Path, asked: _Asked) -> _Hit:
        """Where a path leads that starts with the name of a crate."""
        if not path:
            return _MISS
        crate = self._extern(module, path[0])
        if crate.module is None or len(path) == 1:
            return crate
        found = self._descend(crate.module, path[1:], asked)
        return found._replace(certain=found.certain and crate.certain)

    def _extern(self, module: RustModule, name: str) -> _Hit:
        """The root of a crate by the name that a module has for it."""
        package = module.package
        certain = True
        folders: list[str] = []
        if package is not None:
            known = self._tree.cargo.externs(package).get(name)
            if known is not None:
                folders, certain = [known.folder], known.certain
            elif name == package.library:
                folders = [package.folder]
        if not folders and name not in _TOOLCHAIN:
            folders = self._tree.cargo.by_library.get(name, [])
            certain = False
        if len(folders) != 1:
            return _MISS
        root = self._tree.library(folders[0])
        if root is None:
            return _MISS
        return _Hit(frozenset(root.files()), module=root, certain=certain)
