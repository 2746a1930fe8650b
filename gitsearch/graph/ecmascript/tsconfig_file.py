"""The parsed content of one file of compiler settings: aliases, included files, outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.ecmascript.config_reading import glob_matches

if TYPE_CHECKING:
    from collections.abc import Iterator

Glob = tuple[str, ...]


class Alias(NamedTuple):
    """One pattern of `paths` and its targets.

    before, after: the text around the `*`; without `star`, `before` is the whole pattern.
    """

    before: str
    star: bool
    after: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TsConfig:
    """The settings of one file with all it extends; paths are relative to the root of the tree."""

    path: str
    folder: str
    base: str | None = None
    aliases: tuple[Alias, ...] = ()
    root_folders: tuple[str, ...] = ()
    outputs: tuple[tuple[str, str | None], ...] = ()  # output folder and its source folder
    suffixes: tuple[str, ...] = ()  # of platform-specific files
    conditions: frozenset[str] = frozenset({"types", "default", "module", "source", "node"})
    files: frozenset[str] = frozenset()
    included: tuple[Glob, ...] = ()
    include_prefixes: tuple[str, ...] = ()  # every included path starts with one of them
    excluded: tuple[Glob, ...] = ()
    references: tuple[str, ...] = ()

    def includes(self, path: str) -> bool:
        """Return True if the compiler compiles a file as an input."""
        if path in self.files:
            return True
        if not path.startswith(self.include_prefixes):
            return False
        parts = path.split("/")
        return any(glob_matches(parts, glob) for glob in self.included) and not any(
            glob_matches(parts, glob) for glob in self.excluded
        )

    def mapped(self, specifier: str) -> Iterator[str]:
        """Yield the targets of the most specific alias that matches."""
        best: Alias | None = None
        for alias in self.aliases:
            if not alias.star:
                if specifier == alias.before:
                    yield from alias.targets
                    return
            elif (
                specifier.startswith(alias.before)
                and specifier.endswith(alias.after)
                and len(specifier) >= len(alias.before) + len(alias.after)
                and (best is None or len(alias.before) > len(best.before))
            ):
                best = alias
        if best is not None:
            rest = specifier[len(best.before) : len(specifier) - len(best.after)]
            for target in best.targets:
                yield target.replace("*", rest, 1)


NO_CONFIG = TsConfig("", "")
