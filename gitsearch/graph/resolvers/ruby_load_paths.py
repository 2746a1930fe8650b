"""Where the files of Ruby programs are looked for: load paths, and folders that name constants."""

from __future__ import annotations

import re
from itertools import takewhile
from posixpath import join
from typing import TYPE_CHECKING

from gitsearch.graph.tree_paths import inside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project

# A folder with one of these, or with a gemspec, is a project of its own.
_MARKS = ("Gemfile", "Rakefile", "config.ru")
# Folders on the load path of a project, of its tests too.
_LIBRARIES = ("lib",)
_TESTS = ("test", "spec")
# Folders in `app` whose files define no constants.
_NO_CODE = frozenset({"assets", "javascript", "javascripts", "views"})
# What says that `app` is one of a web framework whose constants are loaded by their names.
_APPLICATION = ("config/application.rb", "config/environment.rb", "config/routes.rb")

_REQUIRE_PATHS = re.compile(r"\brequire_paths?\s*=\s*(?:%w)?[\[({]?([^\])}\n;]*)")
_WORDS = re.compile(r"[\w./-]+")
_LIB_LOADED = re.compile(r"\bautoload_lib\b")
_PATHS_LOADED = re.compile(r"\b(?:autoload|eager_load)_paths\b")
_LISTED = 500  # characters of a list of them that are looked at
_BETWEEN = re.compile(r"""["']\s*,\s*["']|\#\{[^}\n]*+(?:\}/?)?+""")

_TEXT = r"""(?:"([^"#\\]*)"|'([^'\\]*)')"""
_ARGUMENT = re.compile(_TEXT)
_EXPAND = re.compile(rf"File\.expand_path\({_TEXT},(__dir__|__FILE__)\)")
_JOIN = re.compile(rf"File\.join\(__dir__((?:,{_TEXT})+)\)")
_RAILS = re.compile(rf"Rails\.root\.join\(({_TEXT}(?:,{_TEXT})*)\)(?:\.to_s)?")
_PLUS = re.compile(rf"__dir__\+{_TEXT}")
_OUTER = re.compile(r"File\.expand_path\((.*)\)")
_HERE = re.compile(r"File\.dirname\(__FILE__\)")
_SPACE = re.compile(r"""("[^"]*"|'[^']*')|\s+""")
_MOST = 400  # characters of an expression


def projects(project: Project) -> dict[str, tuple[list[str], list[str]]]:
    """For each folder that is a project, its load paths: of what it offers, and of its tests."""
    found: dict[str, set[str]] = {"": set()}
    for name in _MARKS:
        for file in project.by_name.get(name, ()):
            found.setdefault(project.paths[file].rpartition("/")[0], set())
    for path in gemspecs(project):
        folder = path.rpartition("/")[0]
        named = (_WORDS.findall(line) for line in _REQUIRE_PATHS.findall(project.text(path) or ""))
        found.setdefault(folder, set()).update(word for words in named for word in words)
    known = project.folders
    return {
        folder: (
            [
                place
                for one in (*_LIBRARIES, *sorted(extra))
                if (place := join(folder, one)) in known
            ],
            [place for one in _TESTS if (place := join(folder, one)) in known],
        )
        for folder, extra in found.items()
    }


def gemspecs(project: Project) -> list[str]:
    """The paths of all descriptions of gems."""
    names = (name for name in project.by_name if name.endswith(".gemspec"))
    return sorted(project.paths[file] for name in names for file in project.by_name[name])


def constant_roots(project: Project, folders: list[str]) -> Iterator[tuple[str, str]]:
    """Projects and their folders below which the path of a file says which constant it defines."""
    specified = {path.rpartition("/")[0] for path in gemspecs(project)}
    apps = _folders_of_apps(project)
    for folder in folders:
        settings = [join(folder, name) for name in _APPLICATION]
        if folder in specified or any(path in project.number for path in settings):
            for one in apps.get(join(folder, "app"), ()):
                yield folder, one
        lib = join(folder, "lib")
        text = project.text(settings[0]) or ""
        if lib in project.folders and (_LIB_LOADED.search(text) or _loads(project, lib)):
            yield folder, lib
        for written in _lists_of_paths(text):
            # The parts of one path look like those of a list: "app", "other".
            words = {*_WORDS.findall(written), *_WORDS.findall(_BETWEEN.sub("/", written))}
            for word in sorted(words):
                place = inside(folder, word.strip("/")) if word.strip("/.") else None
                if place in project.folders:
                    yield folder, place


def _lists_of_paths(text: str) -> Iterator[str]:
    """What stands behind the name of a list of paths: the rest of its line, or the lines of it."""
    for name in _PATHS_LOADED.finditer(text):
        first, *lines = text[name.end() : name.end() + _LISTED].split("\n")
        if first.rstrip().endswith(("(", "[")):
            inner = takewhile(lambda line: not line.strip().startswith((")", "]")), lines)
            yield "\n".join(inner)
        else:
            yield first


def _folders_of_apps(project: Project) -> dict[str, list[str]]:
    """The folders in each folder called `app`, and what several of them share in `concerns`."""
    found: dict[str, list[str]] = {}
    for folder in project.folders:
        place, _, name = folder.rpartition("/")
        if name == "concerns":
            place = place.rpartition("/")[0]
        if place.rpartition("/")[2] == "app" and name not in _NO_CODE:
            found.setdefault(place, []).append(folder)
    return found


def _loads(project: Project, lib: str) -> bool:
    """Whether a file directly in `lib` starts a loader of constants by their names."""
    return any("Zeitwerk" in project.facts(file).names for file in project.folders[lib])


def written_path(text: str, path: str, application: str) -> str | None:
    """The path that an expression in a file stands for; None where it is not written down."""
    if len(text) > _MOST:
        return None
    text = text.replace("::File.", "File.")
    plain = _HERE.sub("__dir__", _SPACE.sub(lambda found: found[1] or "", text))
    folder = path.rpartition("/")[0]
    if found := _EXPAND.fullmatch(plain):
        return join(folder if found[3] == "__dir__" else path, found[1] or found[2] or "")
    if outer := _OUTER.fullmatch(plain):
        plain = outer[1]
    if found := _PLUS.fullmatch(plain):
        return (folder + (found[1] or found[2] or "")).lstrip("/")
    for pattern, base in ((_JOIN, folder), (_RAILS, application)):
        if found := pattern.fullmatch(plain):
            parts = [one or other for one, other in _ARGUMENT.findall(found[1])]
            return "/".join([base, *parts]).lstrip("/")
    return None
