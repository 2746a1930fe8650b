"""C, C++ and Objective-C: what an #include or a module import leads to.

A quoted include is looked for in its file's own folder first. All else depends on the folders
that the build names, which are learned from the includes themselves (see `c_roots`).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.c_include_paths import GENERATED, SETTINGS, Include, Roots, written
from gitsearch.graph.resolvers.c_system_headers import of_system
from gitsearch.graph.resolvers.nearest_path import MANY, TOO_MANY, Candidate, narrowed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.graph.project import Project
    from gitsearch.records import Import


class C(Resolver):
    """Resolves the includes and modules of the languages that C is part of."""

    languages = frozenset({"c", "cpp", "objc"})
    settings = SETTINGS

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._kept: dict[tuple[str, str, bool], Resolution] = {}
        self._frameworks: dict[str, Resolution] = {}

    @cached_property
    def _roots(self) -> Roots:
        return Roots(self.project, self.project.of(self.languages))

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Where an import of a file leads."""
        if imported.kind == "include":
            folder = self.project.paths[file].rpartition("/")[0]
            framework = self.project.languages[file] == "objc"
            key = (folder, imported.specifier, framework)
            if key not in self._kept:
                self._kept[key] = self._include(*key)
            return self._kept[key]
        if imported.kind == "dynamic":
            return Resolution(unseen="computed-include")
        if imported.kind in ("import", "partition"):
            return self._module(file, imported)
        return EXTERNAL

    def depends_on(self) -> Iterator[str]:
        """Paths of the whole tree, the folders that are included from, and the modules."""
        yield from self.project.paths
        for folder, roots in sorted(self._roots.needs.items()):
            yield "\n".join([folder, *sorted(roots)])
        yield "\n".join(sorted(self._roots.known))
        yield "\n".join(sorted(self._roots.generated))
        for module, files in sorted(self._modules.items()):
            yield f"{module}\n{files}"

    def _include(self, folder: str, specifier: str, framework: bool) -> Resolution:  # noqa: FBT001
        include = written(specifier)
        if include is None:
            return EXTERNAL
        roots = self._roots
        own = roots.at(folder, include.path) if include.quoted else None
        if own is not None:
            return _found([own])
        if len(roots.candidates(include.path)) > MANY:
            return TOO_MANY
        candidates = self._allowed(folder, include)
        if not candidates and framework:
            if include.path not in self._frameworks:
                self._frameworks[include.path] = self._framework(include.path)
            return self._frameworks[include.path]
        return _found([one.number for one in narrowed(folder, candidates, roots.within)])

    def _allowed(self, folder: str, include: Include) -> Sequence[Candidate]:
        """The files that an include may mean; in angles, only from folders known for it."""
        roots = self._roots
        needed = roots.needs.get(folder, ())
        if include.path.startswith("../"):
            found = ((root, roots.at(root, include.path)) for root in sorted(needed))
            return [Candidate(root, number) for root, number in found if number is not None]
        candidates = roots.candidates(include.path)
        if include.quoted:
            return candidates
        named = not of_system(include.path)
        return [
            one for one in candidates if one.root in needed or (named and roots.is_known(one.root))
        ]

    def _framework(self, path: str) -> Resolution:
        """`<Framework/Header.h>`: the folders that its sources lie in are not in the name."""
        framework, _, name = path.partition("/")
        if not name or "/" in name:
            return EXTERNAL
        paths = self.project.paths
        numbers = self.project.by_name.get(name, ())
        return _found([i for i in numbers if framework in paths[i].split("/")[:-1]])

    def _module(self, file: int, imported: Import) -> Resolution:
        """A module of C++20, or a partition of the module that the file belongs to."""
        name = imported.specifier
        if imported.kind == "partition":
            own = [
                one.specifier.partition(":")[0]
                for one in self.project.facts(file).imports
                if one.kind in ("package", "import")
            ]
            named = [f"{module}:{name}" for module in dict.fromkeys(own)]
        else:
            named = [name]
        return _found([i for one in named for i in self._modules.get(one, ()) if i != file])

    @cached_property
    def _modules(self) -> dict[str, list[int]]:
        """The files that declare each module or partition."""
        found: dict[str, list[int]] = {}
        for file in self.project.of(frozenset({"cpp"})):
            for imported in self.project.facts(file).imports:
                if imported.kind == "package":
                    found.setdefault(imported.specifier, []).append(file)
        return found


def _found(numbers: Sequence[int]) -> Resolution:
    """One file is meant, or one of several; what the build makes is nowhere."""
    if len(numbers) == 1:
        return EXTERNAL if numbers[0] == GENERATED else Resolution(resolved=(numbers[0],))
    return Resolution(ambiguous=tuple(number for number in numbers if number != GENERATED))
