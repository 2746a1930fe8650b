"""From files that a build writes, which no tree has, to what they are made from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.ecmascript.config_reading import below, joined, word
from gitsearch.graph.ecmascript.tsconfig import is_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.ecmascript.module_files import ModuleFiles, Numbers
    from gitsearch.graph.ecmascript.tsconfig import TsConfigs
    from gitsearch.graph.ecmascript.tsconfig_file import TsConfig

# Where builds write to, and folders in there for one kind of output each.
_OUTPUT = re.compile(
    r"[._]?(dist|lib|build|built|out|output|compiled|es|esm|cjs|umd|types|typings|commonjs"
    r"|bundles?)([-_.].*)?"
)
_KIND = re.compile(
    r"(es|esm|cjs|umd|mjs|es\d+|esm\d+|fesm\d+|ecma\w*|modern|legacy|types|typings|dts|module|modules"
    r"|commonjs|import|require|node|browser|web|prod|production|dev|development|bundles|js|ts"
    r"|_?esm\w*|_?cjs\w*)"
)
_SOURCES = ("src", "source", "sources", "lib", "app", "")
# `index.esm.min.js`: variants of one file.
_VARIANT = re.compile(
    r"[.-](min|esm|cjs|umd|iife|amd|es|mjs|global|prod|dev|production|development|browser|bundler"
    r"|node|module|common|runtime|legacy|modern|bundle|esm-browser|esm-bundler)(?=\.|$)"
)
_EXTENSION = re.compile(r"(\.d)?\.[cm]?[jt]sx?$")


class BuildOutput(NamedTuple):
    """The sources of a built file; not certain: perhaps."""

    files: Numbers = ()
    certain: bool = False


class BuildOutputs:
    """What is built in a project."""

    def __init__(self, files: ModuleFiles, configs: TsConfigs) -> None:
        self.files = files
        self.configs = configs
        self._known: dict[tuple[str, str], BuildOutput] = {}
        self._near: dict[str, list[TsConfig]] = {}

    def sources(self, package: str, path: str) -> BuildOutput:
        """What a path is built from that belongs to a package and is not there."""
        key = package, path
        if key not in self._known:
            self._known[key] = self._by_settings(package, path) or self._by_custom(package, path)
        return self._known[key]

    def entry(self, package: str) -> BuildOutput:
        """What a package without a word on it most probably starts from."""
        found = [
            self.files.source(joined(package, f"{one}/index") or "") for one in ("src", "lib", "")
        ]
        numbers = next((one for one in found if one), ())
        return BuildOutput(numbers)

    def _by_settings(self, package: str, path: str) -> BuildOutput | None:
        """By the folders of sources and of outputs that the compiler is told."""
        for config in self._settings(package):
            for out, root in config.outputs:
                rest = below(path, out)
                if rest is None or out == config.folder:
                    continue
                tries = [root] if root is not None else [f"{config.folder}/src", config.folder]
                for one in tries:
                    found = self.files.source(f"{one}/{rest}".strip("/"))
                    if found:
                        return BuildOutput(found, certain=True)
        return None

    def _settings(self, package: str) -> list[TsConfig]:
        """The settings in the folder of a package, whatever they are called."""
        if package not in self._near:
            paths = self.files.project.paths
            here = [paths[one] for one in self.files.project.folders.get(package, ())]
            self._near[package] = [
                self.configs.load(path) for path in here if is_settings(path.rpartition("/")[2])
            ]
        return self._near[package]

    def _by_custom(self, package: str, path: str) -> BuildOutput:
        """By what people call the folders of sources and of outputs."""
        inner = below(path, package)
        if inner is None:
            return BuildOutput()
        for rest in _without_outputs(inner):
            for root in _SOURCES:
                found = self.files.source(joined(package, f"{root}/{rest}") or "")
                if found:
                    return BuildOutput(found, certain=True)
        output, _, rest = inner.partition("/")
        stem = _VARIANT.sub("", _EXTENSION.sub("", rest.rpartition("/")[2]))
        name = word(self.files.manifest(package).get("name")).rpartition("/")[2]
        # A bundle is called like its package.
        called = stem and stem in (name, name.replace("-", "."))
        if called and _OUTPUT.fullmatch(output):
            return self.entry(package)._replace(certain=True)
        return BuildOutput()


def _without_outputs(inner: str) -> Iterator[str]:
    """A path in a package without the folders of outputs that it starts with."""
    parts = inner.split("/")
    if len(parts) < 2 or not _OUTPUT.fullmatch(parts[0]):
        return
    start = 1
    while start < len(parts):
        rest = "/".join(parts[start:])
        yield rest
        folder, _, name = rest.rpartition("/")
        plain = _VARIANT.sub("", _EXTENSION.sub("", name))
        if plain and plain != _EXTENSION.sub("", name):
            yield f"{folder}/{plain}".strip("/")
        if start + 1 >= len(parts) or not _KIND.fullmatch(parts[start]):
            return
        start += 1
