"""The files that are read for a question about a name or a path before there is an index.

What defines a name has the name in it: git says which files do, and no other file matters.
"""

from __future__ import annotations

import re
from itertools import chain as chained
from typing import TYPE_CHECKING

from gitsearch.features import identifiers
from gitsearch.git import blobs
from gitsearch.index.tree_files import Choice
from gitsearch.retrieval.symbol_leg import chain, is_spelt, name_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.index.tree_files import TreeFiles

_WORD = re.compile(r"\w+")


class OneFile:
    """Chooses one path; no file, if it is None."""

    def __init__(self, path: bytes | None) -> None:
        self._path = path

    def choose(self, files: TreeFiles) -> Choice:
        """Return the file of the path."""
        return Choice(files.numbers(() if self._path is None else (self._path,)), enough=True)


def defining_files(*names: str) -> DefiningFiles | None:
    """Return the choice of the files that define names; None if nobody can tell them.

    So it is of a name without a word, such as an operator: git looks for words.
    """
    if all(_WORD.search(name_parts(name)[-1]) for name in names):
        return DefiningFiles(*names)
    return None


class DefiningFiles:
    """Chooses the files with definitions of some names, as `symbol_leg.defined` finds them."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def choose(self, files: TreeFiles) -> Choice:
        """Return files that define a name as it is spelt; without any, in another spelling."""
        found = (self._defining(files, name) for name in self._names)
        return Choice(list(dict.fromkeys(chained.from_iterable(found))), enough=True)

    def _defining(self, files: TreeFiles, name: str) -> list[int]:
        last = name_parts(name)[-1]
        longest = max(_WORD.findall(last), key=len)
        found = _with_definition(files, files.with_word(longest), lambda own: is_spelt(own, name))
        if not found:
            compound = identifiers.compound(last)
            found = _with_definition(
                files,
                _with_spelling(files, identifiers.compound(longest)),
                lambda own: identifiers.compound(own[-1]) == compound,
            )
        return found


def _with_spelling(files: TreeFiles, folded: str) -> list[int]:
    """The files with a word in any case, and with underscores anywhere."""
    pattern = "_*".join(map(re.escape, folded))
    bordered = rf"(?<![A-Za-z0-9]){pattern}_*(?![A-Za-z0-9])"
    return list(dict.fromkeys(number for number, _ in files.matches(bordered, pattern)))


def _with_definition(
    files: TreeFiles, among: Sequence[int], fits: Callable[[Sequence[str]], bool]
) -> list[int]:
    """Those of some files that define what has a fitting chain of names."""
    from gitsearch.index import extraction_pool
    from gitsearch.index.file_selection import select_some

    sizes = files.sizes(among)
    entries = [files.entry(number) for number, size in zip(among, sizes, strict=True) if size >= 0]
    selected = select_some(files.repo, entries, files.rules, files.rule_texts)
    searched = [file for file in selected if not file.reason]
    texts = blobs.read_blobs(files.repo, [file.key.oid for file in searched])
    pairs = ((file.key, data or b"") for file, (_, data) in zip(searched, texts, strict=True))
    answers = extraction_pool.each(_defined, pairs, int(sizes[sizes >= 0].sum()))
    return files.numbers(
        file.path
        for file, chains in zip(searched, answers, strict=True)
        if any(map(fits, chains or ()))
    )


def _defined(key: BlobKey, data: bytes) -> list[list[str]]:
    """The chains of names of the definitions of a file, each once."""
    from gitsearch.index.fact_columns import defined

    names = dict.fromkeys((one.qualified, one.name) for one in defined(key, data))
    return [chain(*both) for both in names]
