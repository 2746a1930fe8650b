"""The definitions whose code differs between two versions of files: not comments or formatting."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.definition_graph import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitsearch.graph.file_versions import Code, FileVersion
    from gitsearch.records import TreeEntry

# Languages in which nothing runs outside of definitions.
_DEFINITIONS_ONLY = frozenset({"go", "java"})

# How a definition changed.
NEW, REMOVED, SIGNATURE, BODY = "new", "removed", "signature", "body"


class CodeChanges(NamedTuple):
    """The changed definitions of a file by qualified name, each with how it changed.

    outside: the code outside of all definitions changed, too.
    """

    definitions: Mapping[str, str]
    outside: bool


def code_changes(
    versions: Mapping[TreeEntry, FileVersion],
    pairs: Sequence[tuple[bytes, TreeEntry | None, TreeEntry | None]],
) -> dict[bytes, CodeChanges]:
    """Return what changed in files, by path, of languages whose definitions are followed.

    pairs: path, the earlier version and the later one, either of which may be missing.
    """
    changes = {}
    for path, *both in pairs:
        sides = [versions.get(one) if one else None for one in both]
        languages = {side.language for side in sides if side} & LANGUAGES
        if languages:
            before, after = (side.code if side else {} for side in sides)
            runs_outside = not languages <= _DEFINITIONS_ONLY
            changes[path] = _compared(before, after, runs_outside=runs_outside)
    return changes


def _compared(before: Code, after: Code, *, runs_outside: bool) -> CodeChanges:
    changes: dict[str, str] = {}
    for name in sorted({*before, *after} - {""}):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if old is None or new is None:
            changes[name] = NEW if old is None else REMOVED
        else:
            same = [each[0] for each in old] == [each[0] for each in new]
            changes[name] = BODY if same else SIGNATURE
    return CodeChanges(changes, runs_outside and before.get("") != after.get(""))
