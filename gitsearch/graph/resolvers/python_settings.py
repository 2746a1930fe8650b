"""What the settings files of Python projects say: where imports start, and what they depend on."""

from __future__ import annotations

import re
from posixpath import join
from typing import TYPE_CHECKING, Any

from gitsearch.graph.resolvers.toml_ini import ini, toml
from gitsearch.graph.tree_paths import inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.project import Project

# Files of a project that can be installed, so that others find its modules.
_INSTALLED = ("pyproject.toml", "setup.cfg", "setup.py")
# A folder with one of these is where the imports of a project start, or its `src`.
MARKS = frozenset(
    {*_INSTALLED, "manage.py", "Pipfile", "requirements.txt", "pytest.ini", "tox.ini", "mypy.ini"}
)
SETTINGS = MARKS | {"conftest.py"} - {"manage.py"}
_READ = SETTINGS - {"conftest.py", "requirements.txt"}

# Keys of pyproject.toml whose values name folders, or packages by their folders ("*": any key).
_FOLDERS = (
    "tool.setuptools.package-dir.",
    "tool.setuptools.packages.find.where",
    "tool.poetry.packages.from",
    "tool.hatch.build.sources",
    "tool.hatch.build.dev-mode-dirs",
    "tool.hatch.build.targets.*.sources",
    "tool.pdm.build.package-dir",
    "tool.uv.build-backend.module-root",
    "tool.maturin.python-source",
    "tool.pytest.ini_options.pythonpath",
    "tool.pytest.pythonpath",
    "tool.mypy.mypy_path",
    "tool.pyright.extraPaths",
    "tool.basedpyright.extraPaths",
    "tool.ruff.src",
)
_PACKAGES = (
    "tool.hatch.build.packages",
    "tool.hatch.build.targets.*.packages",
    "tool.scikit-build.wheel.packages",
    "tool.briefcase.app.*.sources",
)
_REQUIRED = (
    "project.dependencies",
    "project.optional-dependencies.*",
    "dependency-groups.*",
    "build-system.requires",
)
_POETRY = ("tool.poetry.dependencies", "tool.poetry.group.*.dependencies", "packages")

# Sections and options of the settings in the format of INI files.
_OPTIONS = (
    ("options.packages.find", "where"),
    ("tool:pytest", "pythonpath"),
    ("pytest", "pythonpath"),
    ("mypy", "mypy_path"),
)
_INI = frozenset({"options", *(section for section, _ in _OPTIONS)})
_PATHS = re.compile(r"[\s,:]+")
_PACKAGE_DIR = re.compile(r"""["']{2}\s*:\s*["']([^"'\n]+)["']""")
_FIND = re.compile(r"""find_(?:namespace_)?packages\(\s*(?:where\s*=\s*)?["']([^"'\n]+)["']""")
_SEPARATOR = re.compile(r"[-.]")
_DISTRIBUTION = re.compile(r"[A-Za-z0-9][\w.-]*")


def import_roots(project: Project) -> dict[str, list[str]]:
    """For each folder with settings, and the root of the tree, the folders where imports start."""
    found: dict[str, list[str]] = {"": ["", "src"]}
    for name in sorted(MARKS):
        for file in project.by_name.get(name, ()):
            folder = project.paths[file].rpartition("/")[0]
            # A package may have a module called setup or manage.
            if join(folder, "__init__.py") not in project.number:
                found.setdefault(folder, [folder, join(folder, "src")])
    for path in _settings_paths(project):
        folder = path.rpartition("/")[0]
        if path.endswith(".py") and folder not in found:
            continue
        for value in _declared(path, project.text(path) or ""):
            place = inside(folder, value)
            if place is not None:
                found.setdefault(folder, []).append(place)
    known = project.folders
    return {
        folder: [place for place in dict.fromkeys(places) if place in known]
        for folder, places in found.items()
    }


def offered_roots(project: Project, roots: dict[str, list[str]]) -> frozenset[str]:
    """Those of the roots by folder that belong to a project that can be installed."""
    return frozenset(
        root
        for folder, places in roots.items()
        if any(join(folder, name) in project.number for name in _INSTALLED)
        for root in places
    )


def requirements(project: Project) -> frozenset[str]:
    """What the projects depend on, as it is imported where nothing else is known of it."""
    found: set[str] = set()
    for path in _settings_paths(project):
        if path.endswith((".toml", "Pipfile")):
            found.update(_required(toml(project.text(path))))
        elif path.endswith("setup.cfg"):
            found.update(ini(project.text(path), _INI).get(("options", "install_requires"), ()))
    for file in project.of(frozenset({"requirements"})):
        found.update((project.text(project.paths[file]) or "").splitlines())
    names = (_DISTRIBUTION.match(line.strip()) for line in found)
    return frozenset(_SEPARATOR.sub("_", name[0]).lower() for name in names if name)


def _settings_paths(project: Project) -> Iterator[str]:
    for name in sorted(_READ):
        for file in project.by_name.get(name, ()):
            yield project.paths[file]


def _declared(path: str, text: str) -> Iterable[str]:
    """The folders that one settings file names, relative to its own."""
    if path.endswith(".toml"):
        return _of_toml(toml(text))
    if path.endswith("setup.py"):
        return [*_PACKAGE_DIR.findall(text), *_FIND.findall(text)]
    return _of_ini(ini(text, _INI))


def _of_toml(settings: dict[str, Any]) -> Iterator[str]:
    for key in _FOLDERS:
        for text in _texts(settings, key.split(".")):
            for part in text.split(":") if key.endswith("mypy_path") else [text]:
                yield part.replace("$MYPY_CONFIG_FILE_DIR", ".")
    for key in _PACKAGES:
        for text in _texts(settings, key.split(".")):
            yield text.rpartition("/")[0] or "."


def _texts(value: Any, keys: list[str]) -> Iterator[str]:
    """All texts at a path of keys: lists are looked through; of a map at its end, the keys."""
    if isinstance(value, list):
        for one in value:
            yield from _texts(one, keys) if not isinstance(one, list) else ()
    elif isinstance(value, dict):
        if not keys:
            yield from value
        elif keys[0] == "*":
            for one in value.values():
                yield from _texts(one, keys[1:])
        elif keys[0] in value:
            yield from _texts(value[keys[0]], keys[1:])
    elif isinstance(value, str) and not keys:
        yield value


def _required(settings: dict[str, Any]) -> Iterator[str]:
    for key in (*_REQUIRED, *_POETRY):
        yield from _texts(settings, key.split("."))


def _of_ini(settings: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    for place in _OPTIONS:
        for line in settings.get(place, ()):
            yield from filter(None, _PATHS.split(line))
    for line in settings.get(("options", "package_dir"), ()):
        package, _, folder = line.partition("=")
        if not package.strip():
            yield folder.strip() or "."
