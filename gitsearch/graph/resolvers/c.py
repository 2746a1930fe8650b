"""C, C++ and Objective-C: the targets of #include and of module imports.

A quoted include is searched in its file's own folder first. Otherwise the include path that the
build passes to the compiler decides, which is inferred from the includes themselves (see
`c_include_paths`).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.c_include_paths import (
    GENERATED,
    SETTINGS,
    Include,
    IncludePaths,
    parse_include,
)
from gitsearch.graph.resolvers.c_system_headers import is_system_header
from gitsearch.graph.resolvers.nearest_path import (
    MAX_CANDIDATES,
    TOO_MANY,
    Candidate,
    nearest_candidates,
)
from gitsearch.graph.resolvers.resolutions import one_of
from gitsearch.graph.tree_paths import folder_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.graph.project import Project
    from gitsearch.records import Import


class C(Resolver):
    """Resolves the includes and modules of C, C++ and Objective-C."""

    languages = frozenset({"c", "cpp", "objc"})
    settings = SETTINGS

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._resolutions: dict[tuple[str, str, bool], Resolution] = {}
        self._frameworks: dict[str, Resolution] = {}

    @cached_property
    def _include_paths(self) -> IncludePaths:
        return IncludePaths(self.project, self.project.of(self.languages))

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the header of an include, or the files that declare an imported module."""
        if imported.kind == "include":
            folder = folder_of(self.project.paths[file])
            framework = self.project.languages[file] == "objc"
            key = (folder, imported.specifier, framework)
            if key not in self._resolutions:
                self._resolutions[key] = self._include(*key)
            return self._resolutions[key]
        if imported.kind == "dynamic":
            return Resolution(unresolved="computed-include")
        if imported.kind in ("import", "partition"):
            return self._module(file, imported)
        return EXTERNAL

    def depends_on(self) -> Iterator[str]:
        """Yield all paths of the tree, the inferred include paths, and the declared modules."""
        yield from self.project.paths
        for folder, roots in sorted(self._include_paths.needs.items()):
            yield "\n".join([folder, *sorted(roots)])
        yield "\n".join(sorted(self._include_paths.shared_roots))
        yield "\n".join(sorted(self._include_paths.generated))
        for module, files in sorted(self._modules.items()):
            yield f"{module}\n{files}"

    def _include(self, folder: str, specifier: str, framework: bool) -> Resolution:  # noqa: FBT001
        include = parse_include(specifier)
        if include is None:
            return EXTERNAL
        include_paths = self._include_paths
        sibling = include_paths.at(folder, include.path) if include.quoted else None
        if sibling is not None:
            return _resolution([sibling])
        if len(include_paths.candidates(include.path)) > MAX_CANDIDATES:
            return TOO_MANY
        candidates = self._candidates(folder, include)
        if not candidates and framework:
            if include.path not in self._frameworks:
                self._frameworks[include.path] = self._framework(include.path)
            return self._frameworks[include.path]
        return _resolution(
            [
                candidate.number
                for candidate in nearest_candidates(folder, candidates, include_paths.needed_below)
            ]
        )

    def _candidates(self, folder: str, include: Include) -> Sequence[Candidate]:
        """Return the files that an include may mean.

        In angle brackets, only those below folders that are known to be on the include path.
        """
        include_paths = self._include_paths
        needed = include_paths.needs.get(folder, ())
        if include.path.startswith("../"):
            numbers = ((root, include_paths.at(root, include.path)) for root in sorted(needed))
            return [Candidate(root, number) for root, number in numbers if number is not None]
        candidates = include_paths.candidates(include.path)
        if include.quoted:
            return candidates
        is_project_header = not is_system_header(include.path)
        return [
            candidate
            for candidate in candidates
            if candidate.root in needed
            or (is_project_header and include_paths.is_include_folder(candidate.root))
        ]

    def _framework(self, path: str) -> Resolution:
        """Resolve `<Framework/Header.h>`: the folders of its sources are not in the name."""
        framework, _, name = path.partition("/")
        if not name or "/" in name:
            return EXTERNAL
        paths = self.project.paths
        files = self.project.by_name.get(name, ())
        return _resolution([file for file in files if framework in paths[file].split("/")[:-1]])

    def _module(self, file: int, imported: Import) -> Resolution:
        """Resolve a module of C++20, or a partition of the module that the file belongs to."""
        name = imported.specifier
        if imported.kind == "partition":
            modules = [
                declaration.specifier.partition(":")[0]
                for declaration in self.project.facts(file).imports
                if declaration.kind in ("package", "import")
            ]
            names = [f"{module}:{name}" for module in dict.fromkeys(modules)]
        else:
            names = [name]
        files = (other for module in names for other in self._modules.get(module, ()))
        return _resolution([other for other in files if other != file])

    @cached_property
    def _modules(self) -> dict[str, list[int]]:
        """The files that declare each module or partition."""
        declaring: dict[str, list[int]] = {}
        for file in self.project.of(frozenset({"cpp"})):
            for imported in self.project.facts(file).imports:
                if imported.kind == "package":
                    declaring.setdefault(imported.specifier, []).append(file)
        return declaring


def _resolution(numbers: Sequence[int]) -> Resolution:
    """Like `one_of`, but a header that the build generates is in no tree, so it is left out."""
    if len(numbers) == 1:
        return EXTERNAL if numbers[0] == GENERATED else one_of(numbers)
    return Resolution(ambiguous=tuple(number for number in numbers if number != GENERATED))
