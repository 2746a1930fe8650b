"""Lines about a name that no definition has: that files use it, or the names nearest to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.errors import nearest, typed
from gitsearch.features import identifiers
from gitsearch.retrieval.symbol_leg import name_parts

if TYPE_CHECKING:
    from gitsearch.index.view import View

# Nearly each shorter name is one edit from some other.
_MIN_LETTERS = 4


def undefined(view: View, name: str) -> tuple[str, ...]:
    """A line for a name that nothing defines: that files use it, else what may be meant."""
    from gitsearch.graph.name_users import IndexedWords, is_code

    last = name_parts(name)[-1]
    if not name.endswith(last) or not last.isidentifier():
        # nobody can tell by words alone
        return misspelt(view, name)
    places = map(view.find, IndexedWords(view).paths_with(last))
    count = sum(is_code(place[0].language(place[1])) for place in places if place)
    if not count:
        return misspelt(view, name)
    files = "1 file of code has" if count == 1 else f"{count} files of code have"
    return (f"nothing defines '{name}', but {files} the word: `git search refs {typed(name)}`",)


def misspelt(view: View, name: str) -> tuple[str, ...]:
    """A line with the names of definitions that differ by one letter; none without such names."""
    from gitsearch.retrieval.spelling import ViewVocabulary

    last = name_parts(name)[-1]
    folded = identifiers.compound(last)
    if len(folded) < _MIN_LETTERS or not folded.isascii():
        return ()
    near = ViewVocabulary(view).near(folded).values()
    hint = nearest(last, {one.first.name for one in near if one.first})
    return (f"nothing is named '{name}': {hint}",) if hint else ()
