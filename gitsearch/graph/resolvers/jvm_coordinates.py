"""Group and artifact of a module of Maven or Gradle, as its build file gives them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitsearch.graph.tree_paths import enclosing_folders, folder_of, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitsearch.graph.project import Project

# The parts of a POM that hold the coordinates of others.
_OTHERS = re.compile(
    r"<(?:dependencies|dependencyManagement|build|profiles|modules|reporting|properties)>"
)
_GROUP = re.compile(r"<groupId>\s*+([\w.-]++)\s*+</groupId>")
_ARTIFACT = re.compile(r"<artifactId>\s*+([\w.-]++)\s*+</artifactId>")
_GRADLE_FILES = ("build.gradle.kts", "build.gradle", "gradle.properties")
_GRADLE_GROUP = re.compile(
    r"""^[ \t]*+group(?:[ \t]*+=[ \t]*+|[ \t]++)["']?([\w.-]++)""", re.MULTILINE
)
_GRADLE_NAME = re.compile(r"""^rootProject\.name[ \t]*+=[ \t]*+["']([\w.-]++)""", re.MULTILINE)


def coordinates(project: Project, build_file: str) -> str:
    """Return "group:artifact" of the module of a build file; "" if it gives none."""
    if build_file.endswith("pom.xml"):
        return _of_maven(project.text(build_file) or "")
    if build_file.endswith(_GRADLE_FILES):
        return _of_gradle(project, folder_of(build_file))
    return ""


def _of_maven(text: str) -> str:
    """Return those of a POM; the group may be that of its parent."""
    before, _, rest = text.partition("<parent>")
    parent, _, after = rest.partition("</parent>")
    own = before + after
    if others := _OTHERS.search(own):
        own = own[: others.start()]
    group, artifact = _GROUP.search(own) or _GROUP.search(parent), _ARTIFACT.search(own)
    return f"{group[1]}:{artifact[1]}" if group and artifact else ""


def _of_gradle(project: Project, folder: str) -> str:
    """Return the group that the nearest build file gives, and the name of the project."""
    folders = enclosing_folders(folder)
    group = _first(project, _GRADLE_GROUP, folders, _GRADLE_FILES)
    settings = ("settings.gradle.kts", "settings.gradle")
    artifact = _first(project, _GRADLE_NAME, [folder], settings) or folder.rpartition("/")[2]
    return f"{group}:{artifact}" if group and artifact else ""


def _first(
    project: Project, pattern: re.Pattern[str], folders: Iterable[str], names: Sequence[str]
) -> str:
    paths = (joined(folder, name) for folder in folders for name in names)
    matches = (pattern.search(project.text(path) or "") for path in paths)
    return next((match[1] for match in matches if match), "")
