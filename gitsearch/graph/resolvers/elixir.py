"""Elixir: modules by name, whichever file defines them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from gitsearch.graph.project import Resolution, Resolver
from gitsearch.graph.resolvers.qualified_names import joined, shared_folders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

_MODULES = frozenset({"module", "interface"})
_OWN = "__MODULE__"
# `alias A.B, as: C` has "as: C" for its names.
_AS = "as:"


class Elixir(Resolver):
    """A module can be named anywhere; `alias` only makes its name shorter."""

    languages: ClassVar[frozenset[str]] = frozenset({"elixir"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._aliases: dict[int, dict[str, set[str]]] = {}

    @cached_property
    def modules(self) -> dict[str, list[int]]:
        """The files that define each module."""
        found: dict[str, list[int]] = {}
        for file in self.project.of(self.languages):
            for name in self._defined(file):
                files = found.setdefault(name, [])
                if not files or files[-1] != file:
                    files.append(file)
        return found

    def resolve(self, file: int, imported: Import) -> Resolution:
        """To the modules that are named."""
        return joined(
            self._meant(file, whole)
            for name in _named(imported)
            for whole in self._whole(file, name) or [name]
        )

    def uses(self, file: int) -> Resolution:
        """To the modules that the code names, by a whole name or an alias."""
        names = sorted(name for name in self.project.facts(file).names if name[:1].isupper())
        return joined(
            self._meant(file, whole) for name in names for whole in self._whole(file, name)
        )

    def depends_on(self) -> Iterator[str]:
        """Which modules the files define, and in which applications."""
        yield from super().depends_on()
        for name, files in self.modules.items():
            yield from (f"{self.project.paths[file]}\n{name}" for file in files)

    def _defined(self, file: int) -> list[str]:
        """The modules that a file defines, in order."""
        return [name for name, kind in self.project.facts(file).definitions if kind in _MODULES]

    def _whole(self, file: int, name: str) -> list[str]:
        """The modules that a name may stand for where a file says it."""
        first, dot, rest = name.removeprefix("Elixir.").partition(".")
        own = self._defined(file)
        if first == _OWN:
            names = [one + dot + rest for one in own]
        elif first in self._bound(file):
            names = [one + dot + rest for one in sorted(self._bound(file)[first])]
        else:
            # A module is also known by its last name in the one around it.
            inner = [one + dot + rest for one in own if one.endswith(f".{first}")]
            names = [one for one in inner if one in self.modules] or [first + dot + rest]
        return [one for one in names if one in self.modules]

    def _bound(self, file: int) -> dict[str, set[str]]:
        """The names that a file makes up for others, and what they stand for."""
        if file not in self._aliases:
            found = self._aliases[file] = {}
            own = self._defined(file)[:1]
            for one in self.project.facts(file).imports:
                short = one.names.removeprefix(_AS).strip() if one.names.startswith(_AS) else ""
                for name in _named(one) if short or one.kind == "alias" else ():
                    whole = name.replace(_OWN, own[0], 1) if own else name
                    first, dot, rest = whole.partition(".")
                    grown = {each + dot + rest for each in found.get(first, ())}
                    last = short or whole.rpartition(".")[2]
                    known = {each for each in grown if each in self.modules}
                    found.setdefault(last, set()).update(known or {whole})
        return self._aliases[file]

    def _meant(self, file: int, module: str) -> Resolution:
        """The file that defines a module; of several that of the same application."""
        files = self.modules.get(module, [])
        if file in files:
            return Resolution()
        if len(files) < 2:
            return Resolution(tuple(files))
        path, paths = self.project.paths[file], self.project.paths
        home = [one for one in files if self._application(paths[one]) == self._application(path)]
        shared = {one: shared_folders(path, paths[one]) for one in home or files}
        best = [one for one in shared if shared[one] == max(shared.values())]
        return (
            Resolution(tuple(best))
            if home and len(best) == 1
            else Resolution(ambiguous=tuple(best))
        )

    def _application(self, path: str) -> str:
        """The nearest folder above a file with a mix.exs."""
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/mix.exs" not in self.project.number:
            folder = folder.rpartition("/")[0]
        return folder


def _named(imported: Import) -> list[str]:
    """The modules that one statement names."""
    path = "".join(imported.specifier.split())
    if not imported.names or imported.names.startswith(_AS):
        return [path]
    return [f"{path}.{''.join(name.split())}" for name in imported.names.split(",")]
