"""Exported definitions that a change removes or gives another signature, and their users."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.facts import hint
from gitsearch.extract.symbol_kinds import PLACES
from gitsearch.git import blobs
from gitsearch.graph.dependents import direct_users, names_of
from gitsearch.graph.resolver_registry import RESOLVER_OF
from gitsearch.index.extraction_pool import extracted
from gitsearch.index.fact_columns import BlobKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.git.repo import Repo
    from gitsearch.graph.dependents import Users
    from gitsearch.graph.graph import Graph
    from gitsearch.index.fact_columns import FactColumns
    from gitsearch.records import TreeChange, TreeEntry

# Kinds whose signature contains a value, which may change.
_VALUES = frozenset({"variable", "constant", "field", "property", "enumerator"})

# The signatures of each exported qualified name.
Offered = dict[str, set[str]]


class ExportChange(NamedTuple):
    """A definition that is removed (`after` is empty) or has another signature.

    users: files of the later graph that use its name, each with the name.
    """

    path: bytes
    symbol: str
    before: str
    after: str
    users: tuple[tuple[int, str], ...]


def changed_exports(
    repo: Repo, changes: Sequence[TreeChange], old: Graph, new: Graph, users: Users
) -> list[ExportChange]:
    """Return the definitions that changes remove or give another signature, by path and name.

    A definition whose name begins with an underscore is left out unless it is used.
    """
    entries = [side for change in changes for side in (change.old, change.new) if side]
    exports = _exports(repo, [entry for entry in entries if entry.regular])
    changed = []
    for change in changes:
        if change.old is None:
            continue
        before = exports.get((change.old.oid, change.path), {})
        after = exports.get((change.new.oid, change.path), {}) if change.new else {}
        for symbol in sorted(before):
            now = after.get(symbol, set())
            if before[symbol] <= now:
                continue
            name = symbol.rpartition(".")[2]
            using = _users(old, new, change.path, symbol, users)
            if using or not name.startswith("_"):
                was, is_now = (" ".join(sorted(texts)) for texts in (before[symbol], now))
                changed.append(ExportChange(change.path, symbol, was, is_now, using))
    return changed


def _users(
    old: Graph, new: Graph, path: bytes, symbol: str, users: Users
) -> tuple[tuple[int, str], ...]:
    """Return the users of a name of a file, each with the name.

    For a removed file these are the files that imported it and still contain the name.
    """
    names = names_of(symbol)
    (name,) = names.used
    file = new.file(path)
    if file >= 0:
        return tuple((user, name) for user in direct_users(new, file, names, users))
    importing = {new.file(old.path(edge.source)) for edge in old.in_edges(old.file(path))}
    return tuple((user, name) for user in sorted(users(importing - {-1}, names.used)))


def _exports(repo: Repo, entries: Sequence[TreeEntry]) -> dict[tuple[str, bytes], Offered]:
    """Extract the exported definitions of files, by object id and path."""
    wanted = [entry for entry in entries if hint(entry.path) in RESOLVER_OF]
    texts = dict(blobs.read_blobs(repo, list(dict.fromkeys(entry.oid for entry in wanted))))
    batch = [
        (BlobKey(str(place), hint(entry.path), forced=True), text)
        for place, entry in enumerate(wanted)
        if (text := texts[entry.oid]) is not None
    ]
    exports = {}
    for fact_columns in extracted(batch, sum(len(text) for _, text in batch)):
        for key, definitions in zip(fact_columns.keys, _by_blob(fact_columns), strict=True):
            entry = wanted[int(key.oid)]
            exports[entry.oid, entry.path] = definitions
    return exports


def _by_blob(fact_columns: FactColumns) -> list[Offered]:
    """Return the definitions of each blob that are not local to a function, with signatures."""
    out: list[Offered] = [{} for _ in fact_columns.keys]
    symbols = fact_columns.symbols
    columns = [symbols[name].tolist() for name in ("blob", "qualified", "kind", "signature")]
    is_container: list[bool] = []
    first = 0
    for row, (blob, qualified, kind, signature) in enumerate(zip(*columns, strict=True)):
        if row and blob != columns[0][row - 1]:
            first = row
        parent = int(symbols["parent"][row])
        exported = parent < 0 or is_container[first + parent]
        is_container.append(exported and kind in PLACES)
        if exported:
            shown = qualified if kind in _VALUES else signature
            out[blob].setdefault(qualified, set()).add(shown)
    return out
