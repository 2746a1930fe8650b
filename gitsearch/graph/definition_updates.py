"""What changed between two trees that resolution reads: the questions with other answers.

Only files that changed are looked at, those whose imports lead elsewhere, and classes.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.graph.definition_lookup import digest_of
from gitsearch.graph.definition_rules import INCLUDED, PACKAGE, REACHING, USED
from gitsearch.graph.definition_table import member_key, package_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from gitsearch.graph.definition_hierarchy import Hierarchy
    from gitsearch.graph.definition_lookup import DefinitionTree, Question
    from gitsearch.graph.definition_table import Definitions

# Answers by the texts of their questions.
_Answers = dict[str, object]


class Changes:
    """The changes from one tree to another.

    files, definitions: the new number of each old one, int64, -1 where it is gone. changed: the
    new files with facts whose content is new. questions: the digests of those with other answers.
    """

    def __init__(self, old: DefinitionTree, new: DefinitionTree) -> None:
        self._old, self._new = old, new
        numbers = {new.graph.path(file): file for file in range(new.graph.files)}
        paths = map(old.graph.path, range(old.graph.files))
        self.files = np.asarray([numbers.get(path, -1) for path in paths], np.int64)
        kept = np.flatnonzero(self.files >= 0)
        # the old file of each new one, or -1
        self._before = np.full(new.graph.files, -1, np.int64)
        self._before[self.files[kept]] = kept
        self.changed = self._changed()
        self.definitions = self._definitions()
        self.questions: set[int] = set()
        self._compare_paths()
        self._compare_packages()
        for file in sorted(self._relinked()):
            before = self._old_with_facts(file)
            links = partial(_of_links, names=self._names(before, file))
            self._compare(_answers(old, links, before), _answers(new, links, file))

    def _changed(self) -> set[int]:
        old, new = self._old.graph, self._new.graph
        return {
            file
            for file in self._new.rows.files
            if (before := self._old_with_facts(file)) < 0
            or old.oid(before) != new.oid(file)
            or old.language(before) != new.language(file)
        }

    def _old_with_facts(self, file: int) -> int:
        """Return the old number of a file, -1 where it had no facts."""
        before = int(self._before[file])
        return before if before in self._old.rows.row else -1

    @cached_property
    def _gone(self) -> list[int]:
        """The old files that had facts and have none now."""
        rows = self._new.rows.row
        return [file for file in self._old.rows.files if int(self.files[file]) not in rows]

    def _definitions(self) -> np.ndarray:
        old, new = self._old.definitions, self._new.definitions
        numbers = np.full(len(old), -1, np.int64)
        for file in self._new.rows.files:
            before = self._old_with_facts(file)
            if before < 0:
                continue
            here, there = new.of_file(file), old.of_file(before)
            if file not in self.changed:
                numbers[there.start : there.stop] = np.arange(here.start, here.stop)
                continue
            known = {self._new.identity(number): number for number in here}
            for number in there:
                numbers[number] = known.get(self._old.identity(number), -1)
        return numbers

    # ---------------------------------------------------------------- answers

    def _compare(self, old: _Answers, new: _Answers) -> None:
        for text in old.keys() | new.keys():
            if old.get(text) != new.get(text):
                self.questions.add(digest_of(text))

    def _compare_paths(self) -> None:
        """Compare which files there are, their languages, and whether they have facts."""
        old, new = self._old, self._new
        gone = np.flatnonzero(self.files < 0).tolist()
        fresh = np.flatnonzero(self._before < 0).tolist()
        for tree, files in ((old, gone), (new, fresh)):
            for file in files:
                self.questions.add(tree.digest(("path", -1, tree.path(file))))
                self.questions.add(tree.digest(("language", file, "")))
        if gone or fresh:
            self._compare(_top_modules(old), _top_modules(new))
        for before, file in enumerate(self.files.tolist()):
            if file >= 0 and _language(old, before) != _language(new, file):
                self.questions.add(new.digest(("language", file, "")))

    def _compare_packages(self) -> None:
        """Compare the packages of all files that changed."""
        before = [file for file in map(self._old_with_facts, self.changed) if file >= 0]
        old = _packages(self._old, [*before, *self._gone])
        new = _packages(self._new, self.changed)
        # a package of which one tree has no changed file may be there all the same
        for tree, own, other in ((self._old, old, new), (self._new, new, old)):
            if lacking := other.keys() - own.keys():
                own.update((key, file) for key, file in tree.packages() if key in lacking)
        for key in sorted(old.keys() | new.keys()):
            self._compare(
                _answers(self._old, _of_package, old.get(key, -1)),
                _answers(self._new, _of_package, new.get(key, -1)),
            )

    def _relinked(self) -> set[int]:
        """Return the files whose links may be others."""
        found = self.changed | self._with_other_edges()
        others = [
            file
            for file in self.changed
            if (before := self._old_with_facts(file)) < 0
            or _provided(self._old, before) != _provided(self._new, file)
        ]
        others += [number for file in self._gone if (number := int(self.files[file])) >= 0]
        self._others = set(others)
        found |= self._leading(others)
        # what includes a file sees what this one leads to
        fresh = {file for file in found if self._includes(file)}
        while fresh := {file for file in self._leading(fresh) - found if self._includes(file)}:
            found |= fresh
        return found & self._new.rows.row.keys()

    def _includes(self, file: int) -> bool:
        own = self._new.definitions
        return file in own.space and own.rules(file).scope == INCLUDED

    def _leading(self, files: Iterable[int]) -> set[int]:
        """Return the files that lead to some files."""
        graph = self._new.graph
        edges = graph.in_edge_numbers(np.asarray(sorted(files), np.int64))
        return set(graph.arrays["edge_source"][edges].tolist())

    def _names(self, before: int, file: int) -> set[str]:
        """Return the names whose files, of those that a file leads to, may be others now."""
        old, new = self._old, self._new
        there = old.reached.files(before) if before >= 0 else frozenset()
        here = new.reached.files(file)
        kept = {int(self.files[one]) for one in there}
        names: set[str] = set()
        for one in there:
            number = int(self.files[one])
            if number not in here or number in self._others:
                names.update(old.definitions.tops_of(one))
        for one in here:
            if one not in kept or one in self._others:
                names.update(new.definitions.tops_of(one))
        return names

    def _with_other_edges(self) -> set[int]:
        """Return the files that do not lead to the same files by the same imports."""
        files = self._new.graph.files
        keys: list[np.ndarray] = []
        for tree, numbers in ((self._old, self.files), (self._new, np.arange(files))):
            columns = ("edge_source", "edge_target", "edge_place")
            source, target, place = (tree.graph.arrays[name].astype(np.int64) for name in columns)
            source, target = numbers[source], numbers[target]
            # a target that is gone is one after the last
            target = np.where(target < 0, files, target)
            key = ((source * (files + 1) + target) << _PLACE_BITS) + place + 1
            keys.append(key[source >= 0])
        others = np.setxor1d(keys[0], keys[1]) >> _PLACE_BITS
        return set((others // (files + 1)).tolist())

    # ---------------------------------------------------------------- classes

    def compare_classes(self, old: Hierarchy, new: Hierarchy) -> None:
        """Compare what lies above and below each class."""
        numbers = np.append(self.definitions, -1).tolist()

        def note(kind: str, before: dict[int, Any], after: dict[int, Any]) -> None:
            for number in before.keys() | after.keys():
                if number >= 0 and before.get(number) != after.get(number):
                    self.questions.add(self._new.digest((kind, number, "")))

        def mapped(own: Sequence[int]) -> list[int]:
            return [numbers[number] for number in own]

        definitions = {*new.bases, *(numbers[number] for number in old.bases)} - {-1}
        inverse = {after: before for before, after in enumerate(numbers)}
        note(
            "above",
            {
                number: (mapped(old.mro(before)[0]), old.mro(before)[1])
                for number in definitions
                if (before := inverse.get(number, -1)) >= 0
            },
            {number: (list(new.mro(number)[0]), new.mro(number)[1]) for number in definitions},
        )
        below = {numbers[number]: mapped(own) for number, own in old.below.items()}
        note("below", below, new.below)
        outside = {numbers[number]: mapped(own) for number, own in old.outside.items()}
        note("outside", outside, new.outside)


# Where names are used without an import.
_USING = REACHING | {USED}

# More bits than a file has imports.
_PLACE_BITS = 20


def _packages(tree: DefinitionTree, files: Iterable[int]) -> dict[str, int]:
    """Return the first file of each package of some files."""
    firsts = {tree.definitions.space[file] for file in files}
    return {tree.package(file): file for file in firsts}


def _answers(
    tree: DefinitionTree,
    answers: Callable[[DefinitionTree, int], Iterable[tuple[Question, object]]],
    file: int,
) -> _Answers:
    """Return the answers that a file of a tree gives; none if it is -1."""
    given = answers(tree, file) if file >= 0 else ()
    return {tree.text(question): answer for question, answer in given}


def _top_modules(tree: DefinitionTree) -> _Answers:
    """Return the modules and packages that are in no other package, by their questions."""
    return {
        tree.text(("top module", -1, name)): [
            tree.path(file) for files in own.values() for file in files
        ]
        for name, own in tree.top_modules.items()
    }


def _language(tree: DefinitionTree, file: int) -> tuple[str, bool]:
    return tree.graph.language(file), file in tree.rows.row


def _of_package(tree: DefinitionTree, space: int) -> Iterator[tuple[Question, object]]:
    """Yield the answers that the files of a package, or one file, give by themselves."""
    facts = tree.space(space)
    yield from _of_definitions(tree, space)
    for (file, number, variable), values in facts.hints.items():
        kind, about = ("hint", number) if number >= 0 else ("hint of file", file)
        yield (kind, about, variable), values
    for (number, name), attributes in facts.attributes.items():
        scopes = [tree.identity(one.scope) if one.scope >= 0 else None for one in attributes]
        said = [(tree.path(one.file), one.value) for one in attributes]
        yield ("attribute", number, name), (scopes, said)
    for number, text in facts.types.items():
        if number >= 0:
            yield ("type", number, ""), text
    for number, texts in facts.bases.items():
        if number >= 0:
            yield ("text", number, ""), texts
    for (file, name), numbers in facts.fixtures.items():
        yield ("fixture", file, name), _known(tree, numbers)


def _of_definitions(tree: DefinitionTree, space: int) -> Iterator[tuple[Question, object]]:
    """Yield what the definitions of a package are, and which of them have a name."""
    definitions, properties = tree.definitions, tree.space(space).properties
    named: dict[Question, list[object]] = {}
    for file in definitions.together[space]:
        for number in definitions.of_file(file):
            parent, is_place = definitions.parent[number], definitions.is_place(number)
            around = tree.identity(parent) if parent >= 0 else None
            takes = definitions.takes[number]
            own = definitions.kind[number], around, is_place, number in properties, takes
            yield ("definition", number, ""), own
            for name, members in definitions.children_of(number).items():
                yield ("child", number, name), _known(tree, members)
            if definitions.rules(file).submodules and is_place:
                yield ("children", number, ""), list(definitions.children_of(number))
            if definitions.rules(file).declares and (fields := tree.fields(number))[0]:
                yield ("fields", number, ""), (_known(tree, fields[0]), fields[1])
            for question in _of_all(definitions, number):
                named.setdefault(question, []).append(tree.identity(number))
    yield from named.items()
    tops = definitions.tops_of(space)
    yield ("tops", space, ""), [_known(tree, numbers) for numbers in tops.values()]
    for name, numbers in tops.items():
        yield ("top", space, name), _known(tree, numbers)


def _of_all(definitions: Definitions, number: int) -> Iterator[Question]:
    """Yield the questions to the whole tree that a definition is an answer to."""
    if definitions.is_namesake(number):
        yield "namesake", -1, definitions.name[number].lower()
    if definitions.is_apart(number):
        yield "apart", -1, member_key(definitions.qualified[number])
    if definitions.is_global(number):
        yield "global", -1, definitions.name[number]
    if definitions.is_linked(number):
        yield "linked", -1, definitions.name[number]


def _known(tree: DefinitionTree, numbers: Iterable[int]) -> list[object]:
    return [(tree.identity(number), tree.definitions.kind[number]) for number in numbers]


def _of_links(
    tree: DefinitionTree, file: int, names: Collection[str]
) -> Iterator[tuple[Question, object]]:
    """Yield the answers that depend on where the imports of a file lead.

    names: those of which files that see all that they reach are asked.
    """
    links = tree.links(file)

    def paths(files: Iterable[int]) -> list[str]:
        return list(map(tree.path, files))

    if tree.definitions.rules(file).scope == PACKAGE:
        yield ("package", file, ""), tree.package(file)
    bound = {
        name: [(one.original, one.specifier, paths(one.targets)) for one in places]
        for name, places in links.bound.items()
    }
    yield ("all bound", file, ""), bound
    for name, places in bound.items():
        yield ("bound", file, name), places
    for kind, targets in (("used", links.used(names)), ("module", links.modules)):
        for name, files in targets.items():
            yield (kind, file, name), paths(files)
    yield ("fixtures", file, ""), paths(links.fixtures)


def _provided(tree: DefinitionTree, file: int) -> object:
    """Return what the links of files that lead to a file depend on."""
    scope = tree.definitions.rules(file).scope
    tops = list(tree.definitions.tops_of(file)) if scope in _USING else []
    package = package_of(tree.graph, file) if scope == PACKAGE else ""
    return tops, package, file in tree.having_fixtures
