"""`git search refs NAME`: where a name is used, and which definition is meant."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.file_filter import EVERY_FILE, FileFilter, left_out
from gitsearch.commands.tree_selection import select_tree
from gitsearch.reports.lookup import PathLine, ReferenceLine, ReferenceReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence, Set

    from gitsearch.commands.code_graph import CodeGraph
    from gitsearch.commands.linked_repositories import LinkedRepositories
    from gitsearch.commands.repositories import Repository
    from gitsearch.graph.name_resolution import NameResolver, ResolvedName
    from gitsearch.graph.unindexed_files import UnindexedFiles
    from gitsearch.index.session import Session
    from gitsearch.index.view import Segment
    from gitsearch.records import Use
    from gitsearch.reports.search import Coverage, TreeName
    from gitsearch.settings import RepositoryNames

    Uses = list[tuple[int, Use]]

# How sure it is which definition is meant: one of those that define the name is reached by
# imports, several are, or nothing but the name says so.
RESOLVED, AMBIGUOUS, BY_NAME = "resolved", "ambiguous", "by-name"


def references(
    session: Session, name: str, at: str | None, which: FileFilter = EVERY_FILE
) -> ReferenceReport:
    """The uses of a name, qualified or not, by path and line."""
    found = _found(session, name, at, which)
    found = found.with_imports(_languages([found]))
    lines, more = which.first(list(_lines([(None, found)])))
    warnings = found.warnings
    if not found.uses and not which.lets_all_pass:
        from gitsearch.retrieval.symbol_leg import name_parts

        others = found.code_graph.users.code_with(name_parts(name)[-1])
        warnings += left_out(len(others), "file with the word", "files with the word")
    elif not lines and not found.defined:
        # what it takes is loaded for a miss only
        from gitsearch.commands.missing_names import misspelt

        warnings += misspelt(found.code_graph.opened.view, name)
    return ReferenceReport(name, found.tree, found.coverage, lines, warnings, more)


def references_in(
    session: Session,
    names: RepositoryNames,
    name: str,
    at: str | None,
    which: FileFilter = EVERY_FILE,
) -> ReferenceReport:
    """The uses of a name in many repositories, of definitions in any that they import."""
    from gitsearch.commands import repositories

    def ask(one: Repository) -> _Found:
        return _found(one.session, name, one.at, which)

    answers = repositories.each(session, names, at, ask)
    known = [
        (one.name, found)
        for one, found in answers.answers
        if found.uses or found.defined or found.others
    ]
    languages = _languages([found for _, found in known])
    parts = [(repository, found.with_imports(languages)) for repository, found in known]
    lines, more = which.first(list(_lines(parts)))
    merged = repositories.merged(answers)
    return ReferenceReport(name=name, references=lines, truncated=more, **merged)


class _Found(NamedTuple):
    """The uses of a name in one tree, and the definitions that the tree has.

    defined: those that the name means; others: those of its last part besides, which its uses may
    mean as well. files: of a tree whose view has only files that define the name; their imports
    are not known.
    """

    code_graph: CodeGraph
    defined: Sequence[tuple[Segment, int]]
    others: Sequence[tuple[Segment, int]]
    uses: Uses
    files: UnindexedFiles | None

    @property
    def tree(self) -> TreeName:
        """The tree."""
        return self.code_graph.opened.tree

    @property
    def coverage(self) -> Coverage:
        """Its files."""
        return self.code_graph.opened.view.coverage()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the tree."""
        return self.code_graph.opened.warnings

    def languages(self) -> set[str]:
        """Return the languages of uses whose meaning imports tell."""
        from gitsearch.graph.name_resolution import needs_imports

        graph = self.code_graph.graph
        own: dict[int, list[ResolvedName]] = defaultdict(list)
        for meaning in self.meanings():
            own[meaning.file].append(meaning)
        return {
            graph.language(file)
            for file, use in self.uses
            if needs_imports(graph.language(file), own[file], use)
        }

    def with_imports(self, languages: Iterable[str]) -> _Found:
        """Return the same with the imports of some languages, where they are not known yet."""
        from gitsearch.graph.project import resolvers_of

        families = frozenset(resolvers_of(languages))
        if self.files is None or not families:
            return self
        graph = self.files.graph(families)
        return self._replace(code_graph=replace(self.code_graph, graph=graph))

    def meanings(self) -> dict[ResolvedName, bool]:
        """The definitions that uses may mean, each with True if the name means it.

        A qualified name that a file defines twice counts once.
        """
        from gitsearch.graph.name_resolution import ResolvedName

        meanings: dict[tuple[int, str], tuple[ResolvedName, bool]] = {}
        for place, (segment, symbol) in enumerate([*self.defined, *self.others]):
            row = segment.symbol(symbol)
            file = self.code_graph.graph.file(segment.path(row.file))
            qualified = segment.qualified(symbol)
            meaning = ResolvedName(file, row.first, qualified, segment.kind(symbol))
            meanings.setdefault((file, qualified), (meaning, place < len(self.defined)))
        return dict(meanings.values())


def _found(session: Session, name: str, at: str | None, which: FileFilter) -> _Found:
    from gitsearch.commands.code_graph import CodeGraph, whole_code_graph
    from gitsearch.commands.name_files import defining_files
    from gitsearch.graph.unindexed_files import UnindexedFiles
    from gitsearch.retrieval import symbol_leg

    selection = select_tree(session, at=at)
    wanted = symbol_leg.name_parts(name)
    last = wanted[-1:] if len(wanted) > 1 else []
    opened = selection.open(defining_files(name, *last))
    defined = symbol_leg.defined(opened.view, name)
    others = [one for own in last for one in symbol_leg.defined(opened.view, own)]
    files = None
    if opened.view.rest.files:
        files = UnindexedFiles(opened)
        # their contents may decide on their languages, of which the graph tells
        files.paths_with(wanted[-1])
        code_graph = CodeGraph(selection, opened, files.graph(frozenset()), files)
    else:
        code_graph = whole_code_graph(selection, opened)
    passes = which.in_tree(selection, opened.tree.tree)
    uses = code_graph.users.uses_of(wanted[-1], passes)
    return _Found(code_graph, defined, others, uses, files)


def _languages(trees: Sequence[_Found]) -> set[str]:
    """Return the languages whose imports are needed: none if no tree defines the name."""
    if not any(found.defined for found in trees):
        return set()
    return set[str]().union(*(found.languages() for found in trees))


def _lines(parts: Sequence[tuple[str | None, _Found]]) -> Iterable[ReferenceLine]:
    """The uses in some repositories, each once, in order of the repositories."""
    from gitsearch.commands.linked_repositories import LinkedRepositories
    from gitsearch.graph.linked_graphs import FileOf
    from gitsearch.graph.name_resolution import NameResolver

    if not parts:
        return ()
    repositories = LinkedRepositories([(name, found.code_graph) for name, found in parts])
    linked = repositories.linked
    publishing = [i for i, (_, found) in enumerate(parts) if found.defined or found.others]
    for i, (_, found) in enumerate(parts):
        repositories.links += linked.links(i, publishing, {file for file, _ in found.uses})
    meanings = {
        meaning._replace(file=linked.number(FileOf(i, meaning.file))): is_asked
        for i, (_, found) in enumerate(parts)
        for meaning, is_asked in found.meanings().items()
    }
    asked = {meaning for meaning, is_asked in meanings.items() if is_asked}
    known = list(meanings) if asked else []
    resolver = NameResolver(repositories.graph, known, repositories.users)
    return dict.fromkeys(_each_line(parts, repositories, resolver, asked))


def _each_line(
    parts: Sequence[tuple[str | None, _Found]],
    repositories: LinkedRepositories,
    resolver: NameResolver,
    asked: Set[ResolvedName],
) -> Iterator[ReferenceLine]:
    """Yield the uses, but those that mean other definitions than those that are asked for."""
    from gitsearch.graph.linked_graphs import FileOf
    from gitsearch.graph.type_bases import TypeBases

    bases = TypeBases(repositories.graph, repositories.texts)
    for i, (name, found) in enumerate(parts):
        texts = found.code_graph.texts.lines({(file, use.line) for file, use in found.uses})
        for file, use in found.uses:
            source = FileOf(i, file)
            targets, is_open = resolver.of(repositories.linked.number(source), use)
            if targets and asked.isdisjoint(targets):
                related = bases.related(asked, targets) if is_open else []
                if not related:
                    continue
                targets += related
            # `exports.run = function run() {}` is one definition that has two names
            lines = {(one.file, one.line) for one in targets}
            label = RESOLVED if len(lines) == 1 else AMBIGUOUS if lines else BY_NAME
            places = [repositories.linked.place(one.file) for one in targets]
            target = package = None
            if label == RESOLVED:
                target = PathLine(repositories.path(places[0]), targets[0].line)
            if places and all(place.repository != i for place in places):
                package = repositories.package(source, places[0].repository)
            path, text = found.code_graph.path(file), texts[file, use.line]
            yield ReferenceLine(path, use.line, use.kind, label, target, text, name, package)
