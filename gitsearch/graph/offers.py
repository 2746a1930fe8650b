"""What files no longer offer, or offer otherwise, and who uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.corpus.harvest import BlobKey
from gitsearch.corpus.workers import harvests
from gitsearch.extract.facts import hint
from gitsearch.extract.kinds import PLACES
from gitsearch.git import blobs
from gitsearch.graph.backwards import direct_users, names_of
from gitsearch.graph.registry import FAMILY_OF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.corpus.harvest import Harvest
    from gitsearch.git.repo import Repo
    from gitsearch.graph.backwards import Users
    from gitsearch.graph.graph import Graph
    from gitsearch.records import Change, TreeEntry

# Kinds whose signature shows a value, which may change.
_VALUES = frozenset({"variable", "constant", "field", "property", "enumerator"})

# The signatures of each qualified name.
Offered = dict[str, set[str]]


class Export(NamedTuple):
    """A definition that is gone (`after` is empty) or has another signature now.

    users: files of the later graph that use its name, each with the name.
    """

    path: bytes
    symbol: str
    before: str
    after: str
    users: tuple[tuple[int, str], ...]


def changed_exports(
    repo: Repo, changes: Sequence[Change], old: Graph, new: Graph, users: Users
) -> list[Export]:
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
                found.append(Export(change.path, symbol, was, is_now, using))
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
    wanted = [one for one in entries if hint(one.path) in FAMILY_OF]
    texts = dict(blobs.read_blobs(repo, list(dict.fromkeys(one.oid for one in wanted))))
    batch = [
        (BlobKey(str(place), hint(one.path), forced=True), text)
        for place, one in enumerate(wanted)
        if (text := texts[one.oid]) is not None
    ]
    found = {}
    for harvest in harvests(batch, sum(len(text) for _, text in batch)):
        for key, own in zip(harvest.keys, _by_blob(harvest), strict=True):
            one = wanted[int(key.oid)]
            found[one.oid, one.path] = own
    return found


def _by_blob(harvest: Harvest) -> list[Offered]:
    """The definitions of each blob that are not local to another, with their signatures."""
    out: list[Offered] = [{} for _ in harvest.keys]
    symbols = harvest.symbols
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
