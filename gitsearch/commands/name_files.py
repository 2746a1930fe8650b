"""The files that are read for a question about a name or a path before there is an index.

What defines a name has the name in it: git says which files do, and no other file matters.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from gitsearch.features import identifiers
from gitsearch.git import blobs
from gitsearch.index.tree_files import Choice
from gitsearch.retrieval.symbol_leg import name_parts

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


class DefiningFiles:
    """Chooses the files with definitions of some names, as `symbol_leg.defined` finds them."""

    def __init__(self, *names: str) -> None:
        self._names = list(map(name_parts, names))

    def choose(self, files: TreeFiles) -> Choice:
        """Return files that define a name as it is spelt; without any, in another spelling."""
        found = (self._defining(files, name) for name in self._names)
        return Choice(list(dict.fromkeys(chain.from_iterable(found))), enough=True)

    def _defining(self, files: TreeFiles, wanted: list[str]) -> list[int]:
        words = _WORD.findall(wanted[-1]) if wanted else []
        if not words:
            return []
        longest = max(words, key=len)
        own = _with_definition(
            files,
            files.with_word(longest),
            lambda qualified: qualified.split(".")[-len(wanted) :] == wanted,
        )
        if not own:
            compound = identifiers.compound(wanted[-1])
            own = _with_definition(
                files,
                _with_spelling(files, identifiers.compound(longest)),
                lambda qualified: identifiers.compound(qualified.rpartition(".")[2]) == compound,
            )
        return own


def _with_spelling(files: TreeFiles, folded: str) -> list[int]:
    """The files with a word in any case, and with underscores anywhere."""
    pattern = "_*".join(map(re.escape, folded))
    bordered = rf"(?<![A-Za-z0-9]){pattern}_*(?![A-Za-z0-9])"
    return list(dict.fromkeys(number for number, _ in files.matches(bordered, pattern)))


def _with_definition(
    files: TreeFiles, among: Sequence[int], fits: Callable[[str], bool]
) -> list[int]:
    """Those of some files that define what has a fitting qualified name."""
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
        for file, names in zip(searched, answers, strict=True)
        if any(map(fits, names or ()))
    )


def _defined(key: BlobKey, data: bytes) -> list[str]:
    """The distinct qualified names that a file defines."""
    from gitsearch.index.fact_columns import defined

    return list(dict.fromkeys(definition.qualified for definition in defined(key, data)))
