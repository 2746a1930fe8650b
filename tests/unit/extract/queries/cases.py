"""The check of a language's queries: one small source, and all that is found in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import pytest

from gitsearch.extract import symbols, syntax
from gitsearch.records import Structure


@dataclass(frozen=True)
class Case:
    """A source and all that its queries capture, one definition or import a line.

    A definition is written as `first-last kind qualified | signature | doc`, an import as
    `line kind specifier names`, and a reference as `name:line`.
    """

    language: str
    source: str
    definitions: str
    imports: str
    calls: str
    types: str = ""
    names: str = ""


def structure(source: str, language: str) -> Structure:
    """Extract the definitions, imports and references of a source, syntax errors allowed."""
    data = source.encode()
    tree = syntax.parse(data, language)
    assert tree is not None
    return symbols.structure(tree.root_node, data, language)


def definition_names(source: str, language: str) -> list[str]:
    """Return `kind qualified` of each definition."""
    return [f"{d.kind} {d.qualified}" for d in structure(source, language).definitions]


def lines(text: str) -> list[str]:
    """Return the lines of a text that are not blank, without indentation."""
    return [line.strip() for line in text.splitlines() if line.strip()]


class CaseChecks:
    """The tests of one language; a subclass names the case."""

    case: ClassVar[Case]

    def extracted(self) -> Structure:
        """Extract from the source of the case."""
        return structure(self.case.source, self.case.language)

    def test_the_source_has_no_syntax_error(self):
        tree = syntax.parse(self.case.source.encode(), self.case.language)
        assert tree is not None
        assert not tree.root_node.has_error

    def test_definitions(self):
        got = []
        for d in self.extracted().definitions:
            parts = [f"{d.first_line}-{d.last_line} {d.kind} {d.qualified}", d.signature, d.doc]
            got.append(" | ".join(filter(None, parts)))
        assert got == lines(self.case.definitions)

    def test_definitions_are_the_same_when_nothing_else_is_asked_for(self):
        data = self.case.source.encode()
        tree = syntax.parse(data, self.case.language)
        assert tree is not None
        ask = partial(symbols.definitions, tree.root_node, data, self.case.language)
        expected = self.extracted().definitions
        assert ask(described=True) == expected
        assert ask(described=False) == tuple(d._replace(signature="", doc="") for d in expected)

    def test_imports(self):
        imports = self.extracted().imports
        got = [f"{i.line} {i.kind} {i.specifier} {i.names}".rstrip() for i in imports]
        assert got == lines(self.case.imports)

    @pytest.mark.parametrize("kind", ["call", "type", "name"])
    def test_references(self, kind):
        got = [f"{r.name}:{r.line}" for r in self.extracted().references if r.kind == kind]
        assert got == getattr(self.case, f"{kind}s").split()

    def test_ranges_lie_in_each_other_and_in_the_text(self):
        data = self.case.source.encode()
        definitions = self.extracted().definitions
        assert list(definitions) == sorted(definitions, key=lambda d: d.start)
        for d in definitions:
            assert 0 <= d.start < d.signature_end <= d.end <= len(data)
            assert d.first_line == data.count(b"\n", 0, d.start) + 1
            assert d.name.encode() in data[d.start : d.end]
            if d.parent >= 0:
                assert definitions[d.parent].start <= d.start
                assert d.end <= definitions[d.parent].end

    def test_a_name_is_qualified_by_its_parent(self):
        definitions = self.extracted().definitions
        for d in definitions:
            if d.parent >= 0:
                assert d.qualified.startswith(definitions[d.parent].qualified + ".")
