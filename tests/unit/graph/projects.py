"""Projects from texts: what is imported is found by the real extraction."""

from __future__ import annotations

from textwrap import dedent

from gitsearch.extract.facts import structure
from gitsearch.extract.languages import hint, settled
from gitsearch.graph.project import RESOLVER_OF, Project, Resolver, SourceFile, resolver_class


def project(files: dict[str, str]) -> Project:
    """A tree with these files."""
    contents = {path: dedent(text).encode() for path, text in files.items()}
    paths = sorted(contents, key=str.encode)
    languages = [settled(hint(path.encode()), contents[path]) for path in paths]

    def of(file: int) -> SourceFile:
        found = structure(contents[paths[file]], languages[file])
        return SourceFile(
            found.imports,
            frozenset(one.name for one in found.references),
            tuple((one.qualified, one.kind) for one in found.definitions),
        )

    return Project(paths, languages, of, contents.get)


def edges(files: dict[str, str], path: str) -> dict[str, str]:
    """Return the label of each path that a file imports or uses, and unresolved imports.

    Labels are resolved, ambiguous, used (resolved by `uses`); the label of the specifier of an
    unresolved import is its reason.
    """
    tree = project(files)
    file = tree.number[path]
    one: Resolver = resolver_class(RESOLVER_OF[tree.languages[file]])(tree)
    found: dict[str, str] = {}
    used = one.uses(file)
    for number in used.resolved:
        found[tree.paths[number]] = "used"
    for number in used.ambiguous:
        found[tree.paths[number]] = "ambiguous use"
    for imported in tree.facts(file).imports:
        outcome = one.resolve(file, imported)
        for number in outcome.ambiguous:
            found.setdefault(tree.paths[number], "ambiguous")
        for number in outcome.resolved:
            found[tree.paths[number]] = "resolved"
        if outcome.unresolved:
            found[imported.specifier] = outcome.unresolved
    found.pop(path, None)
    return found
