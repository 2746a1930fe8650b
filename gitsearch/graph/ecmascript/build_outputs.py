"""The sources of compiled files, which are imported but not tracked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.ecmascript.tsconfig import is_config_name
from gitsearch.graph.settings_values import string_or_empty
from gitsearch.graph.tree_paths import path_in_tree, relative_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.ecmascript.module_files import Files, ModuleFiles
    from gitsearch.graph.ecmascript.tsconfig import TsConfigs
    from gitsearch.graph.ecmascript.tsconfig_file import TsConfig

# Names of output folders, and of folders in them for one output format each.
_OUTPUT_FOLDER = re.compile(
    r"[._]?(dist|lib|build|built|out|output|compiled|es|esm|cjs|umd|types|typings|commonjs"
    r"|bundles?)([-_.].*)?"
)
_FORMAT_FOLDER = re.compile(
    r"(es|esm|cjs|umd|mjs|es\d+|esm\d+|fesm\d+|ecma\w*|modern|legacy|types|typings|dts|module|modules"
    r"|commonjs|import|require|node|browser|web|prod|production|dev|development|bundles|js|ts"
    r"|_?esm\w*|_?cjs\w*)"
)
_SOURCE_FOLDERS = ("src", "source", "sources", "lib", "app", "")
# Variants of one file, as in `index.esm.min.js`.
_VARIANT = re.compile(
    r"[.-](min|esm|cjs|umd|iife|amd|es|mjs|global|prod|dev|production|development|browser|bundler"
    r"|node|module|common|runtime|legacy|modern|bundle|esm-browser|esm-bundler)(?=\.|$)"
)
_EXTENSION = re.compile(r"(\.d)?\.[cm]?[jt]sx?$")


class BuildOutput(NamedTuple):
    """The sources of a compiled file; if not `certain`, they are a guess."""

    files: Files = ()
    certain: bool = False


class BuildOutputs:
    """The compiled files of a project."""

    def __init__(self, files: ModuleFiles, configs: TsConfigs) -> None:
        self.files = files
        self.configs = configs
        self._outputs: dict[tuple[str, str], BuildOutput] = {}
        self._configs: dict[str, list[TsConfig]] = {}

    def sources(self, package: str, path: str) -> BuildOutput:
        """Return the sources of a path in a package that does not exist in the tree."""
        key = package, path
        if key not in self._outputs:
            self._outputs[key] = self._by_config(package, path) or self._by_convention(
                package, path
            )
        return self._outputs[key]

    def entry(self, package: str) -> BuildOutput:
        """Return the most probable entry point of a package that declares none."""
        for folder in ("src", "lib", ""):
            files = self.files.source_of(path_in_tree(package, f"{folder}/index") or "")
            if files:
                return BuildOutput(files)
        return BuildOutput()

    def _by_config(self, package: str, path: str) -> BuildOutput | None:
        """Map a path from the output folder to the source folder of the compiler settings."""
        for config in self._package_configs(package):
            for out, root in config.outputs:
                rest = relative_to(path, out)
                if rest is None or out == config.folder:
                    continue
                roots = [root] if root is not None else [f"{config.folder}/src", config.folder]
                for source_root in roots:
                    files = self.files.source_of(f"{source_root}/{rest}".strip("/"))
                    if files:
                        return BuildOutput(files, certain=True)
        return None

    def _package_configs(self, package: str) -> list[TsConfig]:
        """Return the compiler settings in the folder of a package, of any file name."""
        if package not in self._configs:
            paths = self.files.project.paths
            in_folder = [paths[file] for file in self.files.project.folders.get(package, ())]
            self._configs[package] = [
                self.configs.load(path)
                for path in in_folder
                if is_config_name(path.rpartition("/")[2])
            ]
        return self._configs[package]

    def _by_convention(self, package: str, path: str) -> BuildOutput:
        """Map a path by the conventional names of output folders and source folders."""
        inner = relative_to(path, package)
        if inner is None:
            return BuildOutput()
        for rest in _without_output_folders(inner):
            for root in _SOURCE_FOLDERS:
                files = self.files.source_of(path_in_tree(package, f"{root}/{rest}") or "")
                if files:
                    return BuildOutput(files, certain=True)
        output, _, rest = inner.partition("/")
        stem = _VARIANT.sub("", _EXTENSION.sub("", rest.rpartition("/")[2]))
        name = string_or_empty(self.files.manifest(package).get("name")).rpartition("/")[2]
        # A bundle has the name of its package.
        is_named_like_package = stem and stem in (name, name.replace("-", "."))
        if is_named_like_package and _OUTPUT_FOLDER.fullmatch(output):
            return self.entry(package)._replace(certain=True)
        return BuildOutput()


def _without_output_folders(inner: str) -> Iterator[str]:
    """Yield a path in a package without its leading output folders."""
    parts = inner.split("/")
    if len(parts) < 2 or not _OUTPUT_FOLDER.fullmatch(parts[0]):
        return
    start = 1
    while start < len(parts):
        rest = "/".join(parts[start:])
        yield rest
        folder, _, name = rest.rpartition("/")
        base_name = _VARIANT.sub("", _EXTENSION.sub("", name))
        if base_name and base_name != _EXTENSION.sub("", name):
            yield f"{folder}/{base_name}".strip("/")
        if start + 1 >= len(parts) or not _FORMAT_FOLDER.fullmatch(parts[start]):
            return
        start += 1
