"""The files that are read for a question about a name or a path before there is an index.

What defines a name has the name in it: git says which files do, and no other file matters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features import identifiers
from gitsearch.git import blobs, word_grep
from gitsearch.index.tree_files import Choice
from gitsearch.retrieval.symbol_leg import name_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.index.tree_files import TreeFiles

_WORD = re.compile(r"\w+")


class OneFile:
    """Chooses one path; no file, if it is None."""

    def __init__(self, path: bytes | None) -> None:
        self._path = path

    def choose(self, files: TreeFiles) -> Choice:
        """Return the file of the path."""
        own = [number for number, path in enumerate(files.paths) if path == self._path]
        return Choice(own, enough=True)


class DefiningFiles:
    """Chooses the files with definitions of a name, as `symbol_leg.defined` finds them."""

    def __init__(self, name: str) -> None:
        self._parts = name_parts(name)

    def choose(self, files: TreeFiles) -> Choice:
        """Return files that define the name as it is spelt; without any, in another spelling."""
        words = _WORD.findall(self._parts[-1]) if self._parts else []
        if not words:
            return Choice([], enough=True)
        wanted = self._parts
        longest = max(words, key=len)
        own = _with_definition(
            files,
            _with_word(files, longest),
            lambda qualified: qualified.split(".")[-len(wanted) :] == wanted,
        )
        if not own:
            compound = identifiers.compound(wanted[-1])
            own = _with_definition(
                files,
                _with_spelling(files, identifiers.compound(longest)),
                lambda qualified: identifiers.compound(qualified.rpartition(".")[2]) == compound,
            )
        return Choice(own, enough=True)


def _with_word(files: TreeFiles, word: str) -> list[int]:
    """The files with a word, as it is spelt."""
    wanted = word.encode("utf-8", "surrogateescape")
    if not files.repo.partial:
        return _numbers(files, word_grep.in_tree(files.repo, files.tree, wanted))
    # git would end at the first blob that is not here
    here = np.flatnonzero(files.sizes(range(len(files))) >= 0).tolist()
    oids = sorted({files.entry(number).oid for number in here})
    found = set(word_grep.in_blobs(files.repo, oids, wanted))
    return [number for number in here if files.entry(number).oid in found]


def _with_spelling(files: TreeFiles, folded: str) -> list[int]:
    """The files with a word in any case, and with underscores anywhere."""
    pattern = "_*".join(map(re.escape, folded))
    bordered = rf"(?<![A-Za-z0-9]){pattern}_*(?![A-Za-z0-9])"
    found = word_grep.matches(files.repo, files.tree, bordered, pattern)
    return _numbers(files, (path for path, _ in found))


def _numbers(files: TreeFiles, paths: Iterable[bytes]) -> list[int]:
    """The numbers of files by their paths."""
    known = {path: number for number, path in enumerate(files.paths)}
    return [known[path] for path in dict.fromkeys(paths) if path in known]


def _with_definition(
    files: TreeFiles, among: Sequence[int], fits: Callable[[str], bool]
) -> list[int]:
    """Those of some files that define what has a fitting qualified name."""
    from gitsearch.extract.languages import hint
    from gitsearch.index import extraction_pool
    from gitsearch.index.fact_columns import BlobKey

    sizes = files.sizes(among)
    among = [number for number, size in zip(among, sizes.tolist(), strict=True) if size >= 0]
    entries = [files.entry(number) for number in among]
    keys = [BlobKey(entry.oid, hint(entry.path)) for entry in entries]
    texts = blobs.read_blobs(files.repo, [key.oid for key in keys])
    pairs = ((key, data or b"") for key, (_, data) in zip(keys, texts, strict=True))
    answers = extraction_pool.each(_defined, pairs, int(sizes[sizes >= 0].sum()))
    return [
        number for number, names in zip(among, answers, strict=True) if any(map(fits, names or ()))
    ]


def _defined(key: BlobKey, data: bytes) -> list[str]:
    """The distinct qualified names that a file defines."""
    from gitsearch.extract.facts import definitions
    from gitsearch.extract.languages import settled

    found = definitions(data, settled(key.hint, data))
    return list(dict.fromkeys(definition.qualified for definition in found))
