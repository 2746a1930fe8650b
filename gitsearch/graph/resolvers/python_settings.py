"""Settings files of Python projects: the roots of their imports, and their requirements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gitsearch.graph.resolvers.settings_files import paths_named
from gitsearch.graph.resolvers.toml_ini import ini, toml
from gitsearch.graph.tree_paths import folder_of, joined, relative_path_in_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.project import Project

# Files of an installable project, whose modules other projects can import.
_INSTALLABLE = ("pyproject.toml", "setup.cfg", "setup.py")
# A folder with one of these files is an import root, and so is its subfolder `src`.
_PARSED = frozenset({*_INSTALLABLE, "Pipfile", "pytest.ini", "tox.ini", "mypy.ini"})
_PROJECT_FILES = _PARSED | {"manage.py", "requirements.txt"}
SETTINGS = _PARSED | {"conftest.py", "requirements.txt"}

# Keys of pyproject.toml whose values name folders, or folders of packages ("*": any key).
_FOLDER_KEYS = (
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
_PACKAGE_KEYS = (
    "tool.hatch.build.packages",
    "tool.hatch.build.targets.*.packages",
    "tool.scikit-build.wheel.packages",
    "tool.briefcase.app.*.sources",
)
_REQUIREMENT_KEYS = (
    "project.dependencies",
    "project.optional-dependencies.*",
    "dependency-groups.*",
    "build-system.requires",
    "tool.poetry.dependencies",
    "tool.poetry.group.*.dependencies",
    "packages",
)

# Sections and options of INI files that name folders.
_INI_OPTIONS = (
    ("options.packages.find", "where"),
    ("tool:pytest", "pythonpath"),
    ("pytest", "pythonpath"),
    ("mypy", "mypy_path"),
)
_INI_SECTIONS = frozenset({"options", *(section for section, _ in _INI_OPTIONS)})
_LIST_SEPARATOR = re.compile(r"[\s,:]+")
_PACKAGE_DIR = re.compile(r"""["']{2}\s*:\s*["']([^"'\n]+)["']""")
_FIND = re.compile(r"""find_(?:namespace_)?packages\(\s*(?:where\s*=\s*)?["']([^"'\n]+)["']""")
_SEPARATOR = re.compile(r"[-.]")
_DISTRIBUTION = re.compile(r"[A-Za-z0-9][\w.-]*")


def import_roots(project: Project) -> dict[str, list[str]]:
    """Return the import roots of each folder with settings, and of the root of the tree."""
    roots: dict[str, list[str]] = {"": ["", "src"]}
    for folder in map(folder_of, paths_named(project, *sorted(_PROJECT_FILES))):
        # A package may have a module called setup or manage.
        if joined(folder, "__init__.py") not in project.number:
            roots.setdefault(folder, [folder, joined(folder, "src")])
    for path in paths_named(project, *sorted(_PARSED)):
        folder = folder_of(path)
        if path.endswith(".py") and folder not in roots:
            continue
        for value in _declared_folders(path, project.text(path) or ""):
            root = relative_path_in_tree(folder, value)
            if root is not None:
                roots.setdefault(folder, []).append(root)
    folders = project.folders
    return {
        folder: [root for root in dict.fromkeys(listed) if root in folders]
        for folder, listed in roots.items()
    }


def installable_roots(project: Project, roots: dict[str, list[str]]) -> frozenset[str]:
    """Return those of the roots by folder that belong to an installable project."""
    return frozenset(
        root
        for folder, listed in roots.items()
        if any(joined(folder, name) in project.number for name in _INSTALLABLE)
        for root in listed
    )


def requirements(project: Project) -> frozenset[str]:
    """Return the names of all requirements in lower case, with underscores for dashes and dots.

    An import name that is not known otherwise is compared with them.
    """
    lines: set[str] = set()
    for path in paths_named(project, "Pipfile", "pyproject.toml"):
        settings = toml(project.text(path))
        for key in _REQUIREMENT_KEYS:
            lines.update(_strings_at(settings, key.split(".")))
    for path in paths_named(project, "setup.cfg"):
        sections = ini(project.text(path), _INI_SECTIONS)
        lines.update(sections.get(("options", "install_requires"), ()))
    for file in project.of(frozenset({"requirements"})):
        lines.update((project.text(project.paths[file]) or "").splitlines())
    names = (_DISTRIBUTION.match(line.strip()) for line in lines)
    return frozenset(_SEPARATOR.sub("_", name[0]).lower() for name in names if name)


def _declared_folders(path: str, text: str) -> Iterable[str]:
    """Return the folders that a settings file names, relative to its own folder."""
    if path.endswith(".toml"):
        return _toml_folders(toml(text))
    if path.endswith("setup.py"):
        return [*_PACKAGE_DIR.findall(text), *_FIND.findall(text)]
    return _ini_folders(ini(text, _INI_SECTIONS))


def _toml_folders(settings: dict[str, Any]) -> Iterator[str]:
    for key in _FOLDER_KEYS:
        for text in _strings_at(settings, key.split(".")):
            for part in text.split(":") if key.endswith("mypy_path") else [text]:
                yield part.replace("$MYPY_CONFIG_FILE_DIR", ".")
    for key in _PACKAGE_KEYS:
        for text in _strings_at(settings, key.split(".")):
            yield text.rpartition("/")[0] or "."


def _strings_at(value: Any, keys: list[str]) -> Iterator[str]:
    """Yield the strings at a path of keys: those in lists, and the keys of a table at its end."""
    if isinstance(value, list):
        for item in value:
            yield from _strings_at(item, keys) if not isinstance(item, list) else ()
    elif isinstance(value, dict):
        if not keys:
            yield from value
        elif keys[0] == "*":
            for item in value.values():
                yield from _strings_at(item, keys[1:])
        elif keys[0] in value:
            yield from _strings_at(value[keys[0]], keys[1:])
    elif isinstance(value, str) and not keys:
        yield value


def _ini_folders(settings: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    for key in _INI_OPTIONS:
        for line in settings.get(key, ()):
            yield from filter(None, _LIST_SEPARATOR.split(line))
    for line in settings.get(("options", "package_dir"), ()):
        package, _, folder = line.partition("=")
        if not package.strip():
            yield folder.strip() or "."
