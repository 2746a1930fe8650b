"""What files no longer offer, or offer otherwise, and who uses it."""

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

# Kinds whose signature shows a value, which may change.
_VALUES = frozenset({"variable", "constant", "field", "property", "enumerator"})

# The signatures of each qualified name.
Offered = dict[str, set[str]]


class ExportChange(NamedTuple):
    """A definition that is gone (`after` is empty) or has another signature now.

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
    """The definitions that changes take away or give another signature, by path and name.

    What begins with an underscore and is used by nobody is nobody's business.
    """
    entries = [side for change in changes for side in (change.old, change.new) if side]
    offered = _offered(repo, [one for one in entries if one.regular])
    found = []
    for change in changes:
        if change.old is None:
            continue
        before = offered.get((change.old.oid, change.path), {})
        after = offered.get((change.new.oid, change.path), {}) if change.new else {}
        for symbol in sorted(before):
            now = after.get(symbol, set())
            if before[symbol] <= now:
                continue
            name = symbol.rpartition(".")[2]
            using = _users(old, new, change.path, symbol, users)
            if using or not name.startswith("_"):
                was, is_now = (" ".join(sorted(one)) for one in (before[symbol], now))
                found.append(ExportChange(change.path, symbol, was, is_now, using))
    return found


def _users(
    old: Graph, new: Graph, path: bytes, symbol: str, users: Users
) -> tuple[tuple[int, str], ...]:
    """Who uses a name of a file; of one that is gone: who used it and still says it."""
    names = names_of(symbol)
    (name,) = names.used
    file = new.file(path)
    if file >= 0:
        return tuple((user, name) for user in direct_users(new, file, names, users))
    importing = {new.file(old.path(edge.source)) for edge in old.into(old.file(path))}
    return tuple((user, name) for user in sorted(users(importing - {-1}, names.used)))


def _offered(repo: Repo, entries: Sequence[TreeEntry]) -> dict[tuple[str, bytes], Offered]:
    """What contents offer, by object id and path."""
    wanted = [one for one in entries if hint(one.path) in RESOLVER_OF]
    texts = dict(blobs.read_blobs(repo, list(dict.fromkeys(one.oid for one in wanted))))
    batch = [
        (BlobKey(str(place), hint(one.path), forced=True), text)
        for place, one in enumerate(wanted)
        if (text := texts[one.oid]) is not None
    ]
    found = {}
    for fact_columns in extracted(batch, sum(len(text) for _, text in batch)):
        for key, own in zip(fact_columns.keys, _by_blob(fact_columns), strict=True):
            one = wanted[int(key.oid)]
            found[one.oid, one.path] = own
    return found


def _by_blob(fact_columns: FactColumns) -> list[Offered]:
    """The definitions of each blob that are not local to another, with their signatures."""
    out: list[Offered] = [{} for _ in fact_columns.keys]
    symbols = fact_columns.symbols
    columns = [symbols[name].tolist() for name in ("blob", "qualified", "kind", "signature")]
    open_ones: list[bool] = []
    first = 0
    for row, (blob, qualified, kind, signature) in enumerate(zip(*columns, strict=True)):
        if row and blob != columns[0][row - 1]:
            first = row
        parent = int(symbols["parent"][row])
        outside = parent < 0 or open_ones[first + parent]
        open_ones.append(outside and kind in PLACES)
        if outside:
            shown = qualified if kind in _VALUES else signature
            out[blob].setdefault(qualified, set()).add(shown)
    return out
