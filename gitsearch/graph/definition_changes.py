"""The definitions whose code differs between two versions of files: not comments or formatting."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.git import blobs
from gitsearch.graph.definition_graph import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitsearch.features.lexemes import Lexemes
    from gitsearch.git.repo import Repo
    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.records import Definition, TreeEntry

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")

# Languages in which the depth of a statement means something.
_INDENTED = frozenset({"python"})

# Languages in which nothing runs outside of definitions.
_DEFINITIONS_ONLY = frozenset({"go", "java"})

# How a definition changed.
NEW, REMOVED, SIGNATURE, BODY = "new", "removed", "signature", "body"

# Digests of signatures and bodies by qualified name; "" for the code outside of all definitions.
_Code = dict[str, list[tuple[bytes, bytes]]]


class CodeChanges(NamedTuple):
    """The changed definitions of a file by qualified name, each with how it changed.

    outside: the code outside of all definitions changed, too.
    """

    definitions: Mapping[str, str]
    outside: bool


def code_changes(
    repo: Repo, pairs: Sequence[tuple[bytes, TreeEntry | None, TreeEntry | None]]
) -> dict[bytes, CodeChanges]:
    """Return what changed in files, by path, of languages whose definitions are followed.

    pairs: path, the earlier version and the later one, either of which may be missing.
    """
    # parsers are loaded only where something must be parsed
    from gitsearch.extract.languages import hint, settled
    from gitsearch.index.extraction_pool import each
    from gitsearch.index.fact_columns import BlobKey

    # of some extensions the content tells the language
    hints = {path: hint(path) for path, *_ in pairs}
    pairs = [pair for pair in pairs if hints[pair[0]] in LANGUAGES or hints[pair[0]][:1] == "?"]
    sides = {(entry.oid, hints[path]) for path, *both in pairs for entry in both if entry}
    read = dict(blobs.read_blobs(repo, sorted({oid for oid, _ in sides})))
    texts = [(key, text) for key in sorted(sides) if (text := read[key[0]]) is not None]
    languages = {key: settled(key[1], text) for key, text in texts}
    texts = [(key, text) for key, text in texts if languages[key] in LANGUAGES]
    batch = [(BlobKey(key[0], languages[key], forced=True), text) for key, text in texts]
    found = each(_code, batch, sum(len(text) for _, text in texts))
    code = {key: one or {} for (key, _), one in zip(texts, found, strict=True)}
    changes = {}
    for path, *both in pairs:
        keys = [(entry.oid, hints[path]) for entry in both if entry]
        known = {languages[key] for key in keys if key in code}
        if known:
            before, after = (code.get((one.oid, hints[path]), {}) if one else {} for one in both)
            runs_outside = not known <= _DEFINITIONS_ONLY
            changes[path] = _compared(before, after, runs_outside=runs_outside)
    return changes


def _compared(before: _Code, after: _Code, *, runs_outside: bool) -> CodeChanges:
    changes: dict[str, str] = {}
    for name in sorted({*before, *after} - {""}):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if old is None or new is None:
            changes[name] = NEW if old is None else REMOVED
        else:
            same = [each[0] for each in old] == [each[0] for each in new]
            changes[name] = BODY if same else SIGNATURE
    return CodeChanges(changes, runs_outside and before.get("") != after.get(""))


def _code(blob: BlobKey, data: bytes) -> _Code:
    """Return the digests of all definitions of a text, each without those that are in it."""
    from gitsearch.index.fact_columns import defined

    found = defined(blob, data)
    inner: dict[int, list[Definition]] = {}
    for one in found:
        inner.setdefault(one.parent, []).append(one)
    code: _Code = {"": [(b"", _digest(blob, _without(data, 0, len(data), inner.get(-1, ()))))]}
    for number, one in enumerate(found):
        signature = data[one.start : one.signature_end]
        body = _without(data, one.signature_end, one.end, inner.get(number, ()))
        digests = _digest(blob, [signature]), _digest(blob, body)
        code.setdefault(one.qualified, []).append(digests)
    return code


def _without(data: bytes, start: int, end: int, inner: Sequence[Definition]) -> list[bytes]:
    """Return the parts of a range that lie in none of some definitions, which are in order."""
    parts = []
    for one in inner:
        parts.append(data[start : max(one.start, start)])
        start = max(start, one.end)
    return [*parts, data[start:end]]


def _digest(blob: BlobKey, parts: Sequence[bytes]) -> bytes:
    from gitsearch.extract.languages import LANGUAGES as ROWS
    from gitsearch.features.lexemes import lexemes

    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        text = part.decode("utf-8", "replace")
        code = lexemes(text, ROWS[blob.hint].syntax)
        words = _indented(text, code) if blob.hint in _INDENTED else code.texts
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
