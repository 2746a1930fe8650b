"""Queries are compiled once in the tests' process, not in each child that it forks."""

from __future__ import annotations

from gitsearch.extract import syntax
from gitsearch.extract.captures import REFERENCES, REMARKS
from gitsearch.extract.languages import hint, settled

# Languages of files that were written; True: the queries are compiled.
_languages: dict[str, bool] = {}


def expect(path: bytes, content: bytes) -> None:
    """Remember the language of a file that a child may have to parse."""
    _languages.setdefault(settled(hint(path), content), False)


def prepare() -> None:
    """Compile the queries of the languages that are new; called before each fork."""
    for language in [one for one, compiled in _languages.items() if not compiled]:
        _languages[language] = True
        for kinds in (("tags", "imports"), ("locals", "uses"), ("tags", "imports", "locals")):
            syntax.grammar_query(language, *kinds)
        for without in (REFERENCES, REFERENCES | REMARKS):
            syntax.grammar_query(language, "tags", without=without)
