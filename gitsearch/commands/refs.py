"""`git search refs NAME`: where a name is used, and which definition is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.answers import ReferenceLine, ReferenceReport
from gitsearch.commands.asking import ask

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gitsearch.commands.scene import Scene
    from gitsearch.corpus.view import Segment
    from gitsearch.graph.meanings import Meanings
    from gitsearch.settings import Progress

# How sure it is which definition is meant: one of those that define the name is reached by
# imports, several are, or nothing but the name says so.
RESOLVED, AMBIGUOUS, BY_NAME = "resolved", "ambiguous", "by-name"


def references(cwd: Path, name: str, at: str | None, progress: Progress) -> ReferenceReport:
    """The uses of a name, qualified or not, by path and line."""
    asking = ask(cwd, progress, at=at)
    from gitsearch.commands.scene import open_scene
    from gitsearch.graph.backwards import names_of
    from gitsearch.retrieval import names

    scene = open_scene(asking)
    meanings = _meanings(scene, names.defined(scene.opened.view, name))
    found = [one for used in names_of(name).used for one in scene.uses_of(used)]
    texts = scene.lines({(file, use.line) for file, use in found})
    shown = []
    for file, use in found:
        targets = meanings.of(file, use)
        label = RESOLVED if len(targets) == 1 else AMBIGUOUS if targets else BY_NAME
        target = None
        if label == RESOLVED:
            target = (scene.path(targets[0].file), targets[0].line)
        line = ReferenceLine(
            scene.path(file), use.line, use.kind, label, target, texts[file, use.line]
        )
        shown.append(line)
    return ReferenceReport(
        name,
        scene.opened.tree,
        scene.opened.view.coverage(),
        tuple(dict.fromkeys(shown)),
        scene.opened.warnings,
    )


def _meanings(scene: Scene, defined: Sequence[tuple[Segment, int]]) -> Meanings:
    """What the name may mean: the definitions that carry it, a qualified name of a file once."""
    from gitsearch.graph.meanings import Meaning, Meanings

    found: dict[tuple[int, str], Meaning] = {}
    for segment, symbol in defined:
        file = scene.graph.file(segment.path(int(segment["symbol_file"][symbol])))
        qualified = segment.qualified(symbol)
        line = int(segment["symbol_first"][symbol])
        one = Meaning(file, line, qualified, segment.kind(symbol))
        found.setdefault((file, qualified), one)
    return Meanings(scene.graph, list(found.values()), scene.users)
