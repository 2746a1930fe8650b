"""`git search refs NAME`: where a name is used, and which definition is meant."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.commands.asking import ask
from gitsearch.reports import ReferenceLine, ReferenceReport

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gitsearch.commands.scene import Scene
    from gitsearch.corpus.view import Segment
    from gitsearch.graph.backwards import Names
    from gitsearch.settings import Progress

# How sure it is which definition is meant: one file of those that define the name is reached by
# imports, several are, or nothing but the name says so.
RESOLVED, AMBIGUOUS, BY_NAME = "resolved", "ambiguous", "by-name"


def references(cwd: Path, name: str, at: str | None, progress: Progress) -> ReferenceReport:
    """The uses of a name, qualified or not, by path and line."""
    asking = ask(cwd, progress, at=at)
    from gitsearch.commands.scene import open_scene
    from gitsearch.graph.backwards import names_of
    from gitsearch.retrieval import names

    scene = open_scene(asking)
    defined = names.defined(scene.opened.view, name)
    meant = _meant(scene, defined)
    found = [one for used in names_of(name).used for one in scene.uses_of(used)]
    texts = scene.lines({(file, line) for file, line, _ in found})
    shown = []
    for file, line, kind in found:
        targets = meant.get(file, [])
        label = RESOLVED if len(targets) == 1 else AMBIGUOUS if targets else BY_NAME
        target = targets[0] if label == RESOLVED else None
        path = os.fsdecode(scene.graph.path(file))
        shown.append(ReferenceLine(path, line, kind, label, target, texts[file, line]))
    return ReferenceReport(
        name,
        scene.opened.tree,
        scene.opened.view.coverage(),
        tuple(shown),
        scene.opened.warnings,
    )


def _meant(
    scene: Scene, defined: Sequence[tuple[Segment, int]]
) -> dict[int, list[tuple[str, int]]]:
    """By file, the definitions (path, first line) that a name may mean there.

    Those of the file itself; where it has none, those of files that it imports the name from.
    """
    from gitsearch.graph.backwards import direct_users, names_of

    own: dict[int, tuple[str, int]] = {}
    names: dict[int, Names] = {}
    for segment, symbol in defined:
        path = segment.path(int(segment["symbol_file"][symbol]))
        file = scene.graph.file(path)
        own.setdefault(file, (os.fsdecode(path), int(segment["symbol_first"][symbol])))
        names.setdefault(file, names_of(segment.qualified(symbol)))
    found = {file: [place] for file, place in own.items()}
    for file, place in own.items():
        for user in direct_users(scene.graph, file, names[file], scene.users):
            if user not in own:
                found.setdefault(user, []).append(place)
    return found
