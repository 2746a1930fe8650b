"""Search folders of Ruby programs: load paths, and folders whose file names define constants."""

from __future__ import annotations

import re
from itertools import takewhile
from posixpath import join
from typing import TYPE_CHECKING

from gitsearch.graph.tree_paths import folder_of, relative_path_in_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.project import Project

# A folder with one of these files, or with a gemspec, is a project.
_PROJECT_FILES = ("Gemfile", "Rakefile", "config.ru")
# Folders on the load path of a project, and on that of its tests.
_LIBRARY_FOLDERS = ("lib",)
_TEST_FOLDERS = ("test", "spec")
# Folders in `app` whose files are not autoloaded.
_NO_CONSTANTS = frozenset({"assets", "javascript", "javascripts", "views"})
# Files that show that `app` belongs to Rails, which autoloads constants by file name.
_RAILS_FILES = ("config/application.rb", "config/environment.rb", "config/routes.rb")

_REQUIRE_PATHS = re.compile(r"\brequire_paths?\s*=\s*(?:%w)?[\[({]?([^\])}\n;]*)")
_WORDS = re.compile(r"[\w./-]+")
_LIB_LOADED = re.compile(r"\bautoload_lib\b")
_PATHS_LOADED = re.compile(r"\b(?:autoload|eager_load)_paths\b")
_MAX_LIST_LENGTH = 500  # characters of a list of paths that are read
_SEPARATOR = re.compile(r"""["']\s*,\s*["']|\#\{[^}\n]*+(?:\}/?)?+""")

_LITERAL = r"""(?:"([^"#\\]*)"|'([^'\\]*)')"""
_ARGUMENT = re.compile(_LITERAL)
_EXPAND = re.compile(rf"File\.expand_path\({_LITERAL},(__dir__|__FILE__)\)")
_JOIN = re.compile(rf"File\.join\(__dir__((?:,{_LITERAL})+)\)")
_RAILS = re.compile(rf"Rails\.root\.join\(({_LITERAL}(?:,{_LITERAL})*)\)(?:\.to_s)?")
_PLUS = re.compile(rf"__dir__\+{_LITERAL}")
_OUTER = re.compile(r"File\.expand_path\((.*)\)")
_HERE = re.compile(r"File\.dirname\(__FILE__\)")
_SPACE = re.compile(r"""("[^"]*"|'[^']*')|\s+""")
_MAX_LENGTH = 400  # characters of an expression


def load_paths(project: Project) -> dict[str, tuple[list[str], list[str]]]:
    """Return the load paths of each project by its folder: of its library, and of its tests."""
    require_paths: dict[str, set[str]] = {"": set()}
    for name in _PROJECT_FILES:
        for file in project.by_name.get(name, ()):
            require_paths.setdefault(folder_of(project.paths[file]), set())
    for path in gemspecs(project):
        folder = folder_of(path)
        lines = (_WORDS.findall(line) for line in _REQUIRE_PATHS.findall(project.text(path) or ""))
        require_paths.setdefault(folder, set()).update(word for line in lines for word in line)
    return {
        folder: (
            _existing(project, folder, (*_LIBRARY_FOLDERS, *sorted(declared))),
            _existing(project, folder, _TEST_FOLDERS),
        )
        for folder, declared in require_paths.items()
    }


def _existing(project: Project, folder: str, names: Iterable[str]) -> list[str]:
    """Return the paths of the subfolders that exist."""
    return [path for name in names if (path := join(folder, name)) in project.folders]


def gemspecs(project: Project) -> list[str]:
    """Return the paths of all gemspecs."""
    names = (name for name in project.by_name if name.endswith(".gemspec"))
    return sorted(project.paths[file] for name in names for file in project.by_name[name])


def constant_roots(project: Project, folders: list[str]) -> Iterator[tuple[str, str]]:
    """Yield projects and their autoload roots.

    The path of a file below an autoload root names the constant that it defines.
    """
    gems = {folder_of(path) for path in gemspecs(project)}
    apps = _app_folders(project)
    for folder in folders:
        settings = [join(folder, name) for name in _RAILS_FILES]
        if folder in gems or any(path in project.number for path in settings):
            for root in apps.get(join(folder, "app"), ()):
                yield folder, root
        lib = join(folder, "lib")
        text = project.text(settings[0]) or ""
        if lib in project.folders and (_LIB_LOADED.search(text) or _uses_zeitwerk(project, lib)):
            yield folder, lib
        for listed in _path_lists(text):
            # The arguments of one path look like the items of a list: "app", "other".
            words = {*_WORDS.findall(listed), *_WORDS.findall(_SEPARATOR.sub("/", listed))}
            for word in sorted(words):
                path = relative_path_in_tree(folder, word.strip("/")) if word.strip("/.") else None
                if path in project.folders:
                    yield folder, path


def _path_lists(text: str) -> Iterator[str]:
    """Yield the text of each list of autoload paths: the rest of its line, or its lines."""
    for name in _PATHS_LOADED.finditer(text):
        first, *lines = text[name.end() : name.end() + _MAX_LIST_LENGTH].split("\n")
        if first.rstrip().endswith(("(", "[")):
            items = takewhile(lambda line: not line.strip().startswith((")", "]")), lines)
            yield "\n".join(items)
        else:
            yield first


def _app_folders(project: Project) -> dict[str, list[str]]:
    """Return the subfolders of each folder called `app`, and those of `concerns` in these."""
    subfolders: dict[str, list[str]] = {}
    for folder in project.folders:
        parent, _, name = folder.rpartition("/")
        if name == "concerns":
            parent = parent.rpartition("/")[0]
        if parent.rpartition("/")[2] == "app" and name not in _NO_CONSTANTS:
            subfolders.setdefault(parent, []).append(folder)
    return subfolders


def _uses_zeitwerk(project: Project, lib: str) -> bool:
    """Return True if a file directly in `lib` refers to the autoloader Zeitwerk."""
    return any("Zeitwerk" in project.facts(file).names for file in project.folders[lib])


def evaluate_path(text: str, path: str, application: str) -> str | None:
    """Return the path that an expression in a file evaluates to, None if it is not constant."""
    if len(text) > _MAX_LENGTH:
        return None
    text = text.replace("::File.", "File.")
    plain = _HERE.sub("__dir__", _SPACE.sub(lambda match: match[1] or "", text))
    folder = folder_of(path)
    if match := _EXPAND.fullmatch(plain):
        return join(folder if match[3] == "__dir__" else path, match[1] or match[2] or "")
    if outer := _OUTER.fullmatch(plain):
        plain = outer[1]
    if match := _PLUS.fullmatch(plain):
        return (folder + (match[1] or match[2] or "")).lstrip("/")
    for pattern, base in ((_JOIN, folder), (_RAILS, application)):
        if match := pattern.fullmatch(plain):
            parts = [
                double_quoted or single_quoted
                for double_quoted, single_quoted in _ARGUMENT.findall(match[1])
            ]
            return "/".join([base, *parts]).lstrip("/")
    return None
