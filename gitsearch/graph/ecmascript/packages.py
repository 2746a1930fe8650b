"""From the name of a package, and what is wanted of it, to files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.ecmascript.build_outputs import BuildOutput, BuildOutputs
from gitsearch.graph.ecmascript.config_reading import below, joined, word
from gitsearch.graph.ecmascript.module_files import DECLARATIONS, ENTRIES
from gitsearch.graph.ecmascript.package_exports import Targets, targets
from gitsearch.graph.project import EXTERNAL, Resolution
from gitsearch.graph.tree_paths import upwards

if TYPE_CHECKING:
    from gitsearch.graph.ecmascript.module_files import ModuleFiles
    from gitsearch.graph.ecmascript.tsconfig import TsConfigs
    from gitsearch.graph.ecmascript.tsconfig_file import TsConfig
    from gitsearch.graph.ecmascript.workspaces import Workspaces


class Packages:
    """The packages of a project, as importers see them."""

    def __init__(self, files: ModuleFiles, workspaces: Workspaces, configs: TsConfigs) -> None:
        self.files = files
        self.workspaces = workspaces
        self.configs = configs
        self.built = BuildOutputs(files, configs)
        self._entries: dict[tuple[str, str, frozenset[str]], Resolution] = {}
        marker = "/node_modules"
        self._kept = {
            one[: -len(marker)]
            for one in (f"/{folder}" for folder in files.project.folders)
            if one.endswith(marker)
        }

    def named(self, specifier: str, folder: str, conditions: frozenset[str]) -> Resolution:
        """The files that a name of a package, with what follows it, means in a folder."""
        parts = specifier.split("/")
        depth = 2 if specifier.startswith("@") else 1
        name, inner = "/".join(parts[:depth]), "/".join(parts[depth:])
        for around in upwards(folder) if self._kept else ():
            if f"/{around}".rstrip("/") in self._kept:
                kept = joined(around, f"node_modules/{name}") or ""
                if kept in self.files.project.folders:
                    return self.entry(kept, inner, conditions)
        meant = self.workspaces.named(name, folder)
        found = [self._entered(one, specifier, inner, conditions) for one in meant.folders]
        if meant.certain and len(found) == 1:
            return found[0]
        numbers = (number for one in found for number in (*one.resolved, *one.ambiguous))
        return Resolution((), tuple(dict.fromkeys(numbers)))

    def internal(self, specifier: str, folder: str, conditions: frozenset[str]) -> Resolution:
        """The files that a name starting with `#` means in a folder."""
        for package in self.files.packages(folder):
            declared = self.files.manifest(package).get("imports")
            if declared is not None:
                listed = targets(declared, specifier, conditions)
                outside = [one for one in listed.wanted if not one.startswith((".", "#"))]
                found = self._listed(package, listed)
                if found == EXTERNAL and outside:
                    return self.named(outside[0], folder, conditions)
                return found
        return EXTERNAL

    def entry(self, package: str, inner: str, conditions: frozenset[str]) -> Resolution:
        """The files that a package has under a subpath, or by itself ("")."""
        key = package, inner, conditions
        if key not in self._entries:
            self._entries[key] = self._entry(package, inner, conditions)
        return self._entries[key]

    def _entered(
        self, package: str, specifier: str, inner: str, conditions: frozenset[str]
    ) -> Resolution:
        """What a package says, or what the settings of other folders say of its sources."""
        found = self.entry(package, inner, conditions)
        if found.resolved:
            return found
        for config in self._aliasing:
            for path in config.mapped(specifier):
                numbers = self.files.module(path) if below(path, package) is not None else ()
                if numbers:
                    return Resolution(numbers)
        return found

    @cached_property
    def _aliasing(self) -> list[TsConfig]:
        """One of the compiler's settings for each set of aliases."""
        return list({config.aliases: config for config in self.configs.load_all()}.values())

    def _entry(self, package: str, inner: str, conditions: frozenset[str]) -> Resolution:
        manifest = self.files.manifest(package)
        exported = manifest.get("exports")
        if exported is not None:
            listed = targets(exported, f"./{inner}" if inner else ".", conditions)
            found = self._listed(package, listed)
            if found != EXTERNAL:
                return found
        if inner:
            found = self._inside(package, inner)
            hidden = exported is not None
            return Resolution((), found.resolved) if hidden and found.resolved else found
        return self._main(package)

    def _listed(self, package: str, listed: Targets) -> Resolution:
        """What a package says: under other conditions it may be something else."""
        found = self._first(package, [one for one in listed.wanted if one.startswith(".")])
        if found != EXTERNAL:
            return found
        other = self._first(package, [one for one in listed.others if one.startswith(".")])
        return Resolution((), other.resolved or other.ambiguous)

    def _main(self, package: str) -> Resolution:
        """What a package without `exports` starts from."""
        manifest = self.files.manifest(package)
        listed = [word(manifest.get(one)) for one in (*ENTRIES, "source")]
        found = self._first(package, [one for one in listed if one])
        if found == EXTERNAL:
            found = Resolution(self.files.module(joined(package, "index") or ""))
        return found if found != EXTERNAL else Resolution((), self.built.entry(package).files)

    def _inside(self, package: str, inner: str) -> Resolution:
        """What lies under a subpath that the package says nothing of."""
        path = joined(package, inner)
        if path is None:
            return EXTERNAL
        found = self.files.module(path)
        if found:
            return Resolution(found)
        made = self.built.sources(package, path)
        if made.files:
            return _told(made)
        guessed = joined(package, f"src/{inner}")
        return Resolution((), self.files.source(guessed) if guessed else ())

    def _first(self, package: str, listed: list[str]) -> Resolution:
        """The first of some targets that is there, or is built from what is there.

        Behind a declaration, what it declares is meant too.
        """
        declared: tuple[int, ...] = ()
        perhaps = EXTERNAL
        for target in listed:
            path = joined(package, target)
            declares = target.endswith(DECLARATIONS)
            if path is None or (declared and declares):
                continue
            found = Resolution(self.files.exact(path) or self.files.module(path))
            if not found.resolved:
                found = _told(self.built.sources(package, path))
            if found.resolved and not declares:
                return Resolution(tuple(dict.fromkeys((*declared, *found.resolved))))
            declared = declared or found.resolved
            perhaps = found if perhaps == EXTERNAL else perhaps
        return Resolution(declared) if declared else perhaps


def _told(made: BuildOutput) -> Resolution:
    return Resolution(made.files) if made.certain else Resolution((), made.files)
