"""What one file of compiler settings says: aliases, included files, outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.ecmascript.config_reading import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

Glob = tuple[str, ...]


class Alias(NamedTuple):
    """One pattern of `paths` (without `*`: the text is all of it) and where it leads."""

    before: str
    star: bool
    after: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TsConfig:
    """The settings of one file with all it extends, every path from the root of the repository."""

    path: str
    folder: str
    base: str | None = None
    aliases: tuple[Alias, ...] = ()
    roots: tuple[str, ...] = ()
    outputs: tuple[tuple[str, str | None], ...] = ()  # a folder of outputs and that of sources
    suffixes: tuple[str, ...] = ()  # of files for one platform each
    conditions: frozenset[str] = frozenset({"types", "default", "module", "source", "node"})
    files: frozenset[str] = frozenset()
    included: tuple[Glob, ...] = ()
    starts: tuple[str, ...] = ()  # one of them starts what is included
    excluded: tuple[Glob, ...] = ()
    references: tuple[str, ...] = ()

    def includes(self, path: str) -> bool:
        """Whether the compiler starts from a file."""
        if path in self.files:
            return True
        if not path.startswith(self.starts):
            return False
        parts = path.split("/")
        return any(matches(parts, one) for one in self.included) and not any(
            matches(parts, one) for one in self.excluded
        )

    def mapped(self, specifier: str) -> Iterator[str]:
        """The paths that an alias stands for; those of the most special pattern that fits."""
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
