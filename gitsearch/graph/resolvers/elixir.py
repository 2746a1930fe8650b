"""Elixir: modules by name, in any file that defines them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.candidates import merged, most_shared_folders, one_of
from gitsearch.graph.resolvers.settings_files import paths_named
from gitsearch.graph.resolvers.tables import grouped, memoized
from gitsearch.graph.tree_paths import folder_of, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.records import Import

_MODULES = frozenset({"module", "interface"})
_CURRENT_MODULE = "__MODULE__"
# The names of the import `alias A.B, as: C` are "as: C".
_AS_OPTION = "as:"


class Elixir(Resolver):
    """A module can be named anywhere by its full name; `alias` only introduces a shorter one."""

    languages = frozenset({"elixir"})

    @cached_property
    def modules(self) -> dict[str, list[int]]:
        """The files by the modules that they define."""
        return grouped(
            (name, file)
            for file in self.project.of(self.languages)
            for name in dict.fromkeys(self._defined_modules(file))
        )

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files of the modules that a statement names."""
        return merged(
            self._resolve_module(file, module)
            for name in _named_modules(imported)
            for module in self._possible_modules(file, name) or [name]
        )

    def uses(self, file: int) -> Resolution:
        """Return the files of the modules that the code names, by full name or by alias."""
        names = sorted(name for name in self.project.facts(file).names if name[:1].isupper())
        return merged(
            self._resolve_module(file, module)
            for name in names
            for module in self._possible_modules(file, name)
        )

    def depends_on(self) -> Iterator[str]:
        """Also yield the modules that each file defines."""
        yield from super().depends_on()
        for name, files in self.modules.items():
            yield from (f"{self.project.paths[file]}\n{name}" for file in files)

    @cached_property
    def _applications(self) -> set[str]:
        """The folders with a mix.exs."""
        return set(map(folder_of, paths_named(self.project, "mix.exs")))

    def _defined_modules(self, file: int) -> list[str]:
        """Return the modules that a file defines, in order."""
        return [name for name, kind in self.project.facts(file).definitions if kind in _MODULES]

    def _possible_modules(self, file: int, name: str) -> list[str]:
        """Return the modules of the tree that a name may stand for in a file."""
        first, dot, rest = name.removeprefix("Elixir.").partition(".")
        defined = self._defined_modules(file)
        aliases = self._alias_table(file)
        if first == _CURRENT_MODULE:
            prefixes = defined
        elif first in aliases:
            prefixes = sorted(aliases[first])
        else:
            # A nested module can be named by its last part in the module around it.
            nested = [module for module in defined if module.endswith(f".{first}")]
            existing = [prefix for prefix in nested if prefix + dot + rest in self.modules]
            prefixes = existing or [first]
        modules = [prefix + dot + rest for prefix in prefixes]
        return [module for module in modules if module in self.modules]

    @memoized
    def _alias_table(self, file: int) -> dict[str, set[str]]:
        """Return the aliases of a file, and the modules that each may stand for."""
        aliases: dict[str, set[str]] = {}
        outermost = (*self._defined_modules(file), _CURRENT_MODULE)[0]
        for imported in self.project.facts(file).imports:
            has_option = imported.names.startswith(_AS_OPTION)
            option = imported.names.removeprefix(_AS_OPTION).strip() if has_option else ""
            for name in _named_modules(imported) if option or imported.kind == "alias" else ():
                qualified = name.replace(_CURRENT_MODULE, outermost, 1)
                first, dot, rest = qualified.partition(".")
                expanded = {module + dot + rest for module in aliases.get(first, ())}
                alias = option or qualified.rpartition(".")[2]
                existing = {module for module in expanded if module in self.modules}
                aliases.setdefault(alias, set()).update(existing or {qualified})
        return aliases

    def _resolve_module(self, file: int, module: str) -> Resolution:
        """Return the file of a module; of several, that of the same application."""
        files = self.modules.get(module, [])
        if file in files:
            return EXTERNAL
        if len(files) < 2:
            return Resolution(tuple(files))
        paths = self.project.paths
        application = self._application(paths[file])
        same = [other for other in files if self._application(paths[other]) == application]
        closest = most_shared_folders(paths[file], same or files, paths)
        return one_of(closest) if same else Resolution(ambiguous=tuple(closest))

    def _application(self, path: str) -> str:
        """Return the nearest enclosing folder of a file with a mix.exs, or "" without one."""
        return nearest(folder_of(path), self._applications) or ""


def _named_modules(imported: Import) -> list[str]:
    """Return the modules that one statement names."""
    path = "".join(imported.specifier.split())
    if not imported.names or imported.names.startswith(_AS_OPTION):
        return [path]
    return [f"{path}.{''.join(name.split())}" for name in imported.names.split(",")]
