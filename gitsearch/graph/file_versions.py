"""The definitions of versions of files: their code, and the signatures that others may use."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.symbol_kinds import PLACES
from gitsearch.git import blobs
from gitsearch.graph.definition_graph import LANGUAGES
from gitsearch.graph.project import RESOLVER_OF
from gitsearch.index.child_processes import nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gitsearch.features.lexemes import Lexemes
    from gitsearch.git.repo import Repo
    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.records import Definition, TreeEntry

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")

# Languages in which the depth of a statement means something.
_INDENTED = frozenset({"python"})

# Kinds whose signature contains a value, which may change.
_VALUES = frozenset({"variable", "constant", "field", "property", "enumerator"})

# Languages of which something is told.
_TOLD = LANGUAGES.union(RESOLVER_OF)

# Digests of signatures and bodies by qualified name; "" for the code outside of all definitions.
Code = dict[str, list[tuple[bytes, bytes]]]

# The signatures of each exported qualified name.
Exports = dict[str, set[str]]


class FileVersion(NamedTuple):
    """The definitions of one version of a file.

    code: {} in languages whose definitions are not followed; exports: {} in those whose imports
    are not. Both are where the parser died of the content.
    """

    language: str
    code: Code
    exports: Exports


def file_versions(
    repo: Repo, entries: Iterable[TreeEntry], meanwhile: Callable[[], object] = nothing
) -> dict[TreeEntry, FileVersion]:
    """Return what the files among some entries define, of languages of which that is told.

    `meanwhile` is called while children parse them.
    """
    # parsers are loaded only where something must be parsed
    from gitsearch.extract.languages import hint, settled
    from gitsearch.index.extraction_pool import each
    from gitsearch.index.fact_columns import BlobKey

    # of some extensions the content tells the language
    keys = {one: (one.oid, hint(one.path)) for one in entries if one.regular}
    keys = {one: key for one, key in keys.items() if key[1] in _TOLD or key[1][:1] == "?"}
    read = dict(blobs.read_blobs(repo, sorted({oid for oid, _ in keys.values()})))
    texts = {key: text for key in sorted({*keys.values()}) if (text := read[key[0]]) is not None}
    languages = {key: settled(key[1], text) for key, text in texts.items()}
    told = [key for key, language in languages.items() if language in _TOLD]
    batch = [(BlobKey(key[0], languages[key], forced=True), texts[key]) for key in told]
    found = each(_version, batch, sum(len(text) for _, text in batch), meanwhile)
    versions = {
        key: version or FileVersion(languages[key], {}, {})
        for key, version in zip(told, found, strict=True)
    }
    return {one: versions[key] for one, key in keys.items() if key in versions}


def _version(blob: BlobKey, data: bytes) -> FileVersion:
    from gitsearch.index.fact_columns import defined

    found = defined(blob, data)
    code = _code(blob, data, found) if blob.hint in LANGUAGES else {}
    return FileVersion(blob.hint, code, _exported(found) if blob.hint in RESOLVER_OF else {})


def _exported(definitions: Sequence[Definition]) -> Exports:
    """Return those of a file's definitions that are not local to a function, with signatures."""
    out: Exports = {}
    is_container: list[bool] = []
    for one in definitions:
        exported = one.parent < 0 or is_container[one.parent]
        is_container.append(exported and one.kind in PLACES)
        if exported:
            shown = one.qualified if one.kind in _VALUES else one.signature
            out.setdefault(one.qualified, set()).add(shown)
    return out


def _code(blob: BlobKey, data: bytes, found: Sequence[Definition]) -> Code:
    """Return the digests of all definitions of a text, each without those that are in it."""
    inner: dict[int, list[Definition]] = {}
    for one in found:
        inner.setdefault(one.parent, []).append(one)
    outside = _without(data, 0, len(data), inner.get(-1, ()))
    code: Code = {"": [(b"", _digest(blob.hint, outside))]}
    for number, one in enumerate(found):
        signature = (data[one.start : one.signature_end],)
        body = _without(data, one.signature_end, one.end, inner.get(number, ()))
        digests = _digest(blob.hint, signature), _digest(blob.hint, body)
        code.setdefault(one.qualified, []).append(digests)
    return code


def _without(data: bytes, start: int, end: int, inner: Sequence[Definition]) -> tuple[bytes, ...]:
    """Return the parts of a range that lie in none of some definitions, which are in order."""
    parts = []
    for one in inner:
        parts.append(data[start : max(one.start, start)])
        start = max(start, one.end)
    return (*parts, data[start:end])


# Most definitions are alike in two versions of a file. A child ends, and with it what it kept.
@cache
def _digest(language: str, parts: tuple[bytes, ...]) -> bytes:
    from gitsearch.extract.languages import LANGUAGES as ROWS
    from gitsearch.features.lexemes import lexemes

    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        text = part.decode("utf-8", "replace")
        code = lexemes(text, ROWS[language].syntax)
        words = _indented(text, code) if language in _INDENTED else code.texts
        digest.update("\0".join(words).encode())
    return digest.digest()


def _indented(text: str, code: Lexemes) -> Iterator[str]:
    """Yield lexemes, and before each statement how many levels it is indented, as in Python."""
    lines = text.split("\n")
    levels = [0]
    brackets, last = 0, 1
    for lexeme, line in zip(code.texts, code.lines, strict=True):
        if line != last and brackets == 0:
            width = len(lines[line - 1]) - len(lines[line - 1].lstrip())
            while levels[-1] > width:
                levels.pop()
            levels += [width] * (levels[-1] < width)
            yield f"\n{len(levels)}"
        last = line
        brackets += (lexeme in _OPENING) - (lexeme in _CLOSING)
        yield lexeme
