"""The operations of a cluster: start it, index a list, answer, tell how it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.cluster import indexing, ray_tasks
from gitsearch.cluster.catalog import Catalog, Entry, shown, sources_in
from gitsearch.commands.scattered_answer import scattered_search
from gitsearch.errors import NoCluster, SearchError
from gitsearch.git import mirror
from gitsearch.index.session import Session
from gitsearch.store import lock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gitsearch.cluster.indexing import Fetched, Indexed
    from gitsearch.commands.tree_selection import SessionOpener
    from gitsearch.reports.search import SearchReport
    from gitsearch.settings import Progress, SearchRequest


class Outcome(NamedTuple):
    """The outcome of an index: files extracted and known, and a line for what failed.

    seconds: processor time of the index of each repository.
    """

    repositories: int
    extracted: int
    known: int
    chunks: int
    said: tuple[str, ...]
    seconds: tuple[float, ...]


def up(folder: Path, address: str | None) -> int:
    """Connect to a cluster, or start one of this machine; returns the number of shards."""
    try:
        ray_tasks.connect(address)
    except NoCluster:
        if address is not None:
            raise
        ray_tasks.start()
        ray_tasks.connect(None)
    shards = ray_tasks.RayShards(folder, Catalog.read(folder).shards)
    shards.processes()
    return len(shards)


def index(folder: Path, file: Path, count: int | None, tell: Callable[[str], None]) -> Outcome:
    """Fetch and index the repositories of a list; the catalog says which ones are done.

    count: the number of shards; None for as many as the cluster has processors, at first.
    """
    sources = sources_in(file)
    folder.mkdir(parents=True, exist_ok=True)
    with lock.of_file(folder / "catalog.lock", 0.0):
        return _index(folder, sources, count, tell)


def _index(
    folder: Path, sources: Sequence[str], count: int | None, tell: Callable[[str], None]
) -> Outcome:
    catalog, said = Catalog.read(folder).listing(sources)
    catalog = catalog.with_shards(count or catalog.shards or ray_tasks.processors())
    catalog.write()
    mirror.sweep(catalog.clones)
    fetched = _fetched(catalog, said, tell)
    common = _common(catalog, fetched, said, tell)
    done = _indexed(catalog, fetched, common, said, tell)
    every = [*common.values(), *done]
    return Outcome(
        len(done),
        sum(one.extracted for one in every),
        sum(one.known for one in done),
        sum(one.chunks for one in done),
        tuple(said),
        tuple(one.seconds for one in every),
    )


def _fetched(catalog: Catalog, said: list[str], tell: Callable[[str], None]) -> dict[str, Fetched]:
    """Bring all clones up to date, by name; those that cannot be are left out."""
    tasks = [
        ray_tasks.fetched.remote(catalog.clone(one.name), one.source) for one in catalog.entries
    ]
    done: dict[str, Fetched] = {}
    for place, one in ray_tasks.in_order_of_end(tasks):
        entry = catalog.entries[place]
        reason = one.message if isinstance(one, SearchError) else one.reason
        if reason:
            said.append(f"'{shown(entry.source)}': {reason}")
            _note(catalog.folder, replace(entry, reason=reason))
        else:
            done[entry.name] = one
            tell(f"fetched {len(done)} of {len(catalog.entries)}")
    return {entry.name: done[entry.name] for entry in catalog.entries if entry.name in done}


def _common(
    catalog: Catalog, fetched: dict[str, Fetched], said: list[str], tell: Callable[[str], None]
) -> dict[int, Indexed]:
    """Index what several clones have, by the number of the part."""
    parts = indexing.shared_blobs(fetched.values(), ray_tasks.processors())
    folder = catalog.folder / "common"
    tasks = {
        number: ray_tasks.indexed_common.remote(
            folder / str(number), blobs, [catalog.clone(name) for name in names]
        )
        for number, (blobs, names) in enumerate(parts)
        if blobs
    }
    done: dict[int, Indexed] = {}
    numbers = list(tasks)
    for place, one in ray_tasks.in_order_of_end(list(tasks.values())):
        if isinstance(one, SearchError) or one.reason:
            reason = one.message if isinstance(one, SearchError) else one.reason
            said.append(f"blobs of several repositories: {reason}")
        else:
            done[numbers[place]] = one
            tell(f"indexed what several repositories have: {len(done)} of {len(tasks)}")
    return done


def _indexed(
    catalog: Catalog,
    fetched: dict[str, Fetched],
    common: dict[int, Indexed],
    said: list[str],
    tell: Callable[[str], None],
) -> list[Indexed]:
    """Index the clones; each is in a shard as soon as it is done."""
    beside = [catalog.folder / "common" / str(number) for number in common]
    # the largest first, so that none is left alone at the end
    sizes = {name: len(one.blobs) for name, one in fetched.items()}
    entries = {one.name: one for one in catalog.entries}
    known = {one.name: one.shard for one in catalog.entries if one.shard is not None}
    shards = indexing.shards_of(sizes, known, catalog.shards)
    names = sorted(sizes, key=lambda name: -sizes[name])
    tasks = [ray_tasks.indexed.remote(catalog.clone(name), beside) for name in names]
    done: list[Indexed] = []
    for place, one in ray_tasks.in_order_of_end(tasks):
        entry = entries[names[place]]
        reason = one.message if isinstance(one, SearchError) else one.reason
        if reason:
            said.append(f"'{shown(entry.source)}': {reason}")
            _note(catalog.folder, replace(entry, reason=reason))
            continue
        done.append(one)
        tell(f"indexed {len(done)} of {len(names)}")
        made = replace(entry, shard=shards[entry.name], chunks=one.chunks, reason="")
        _note(catalog.folder, made)
    return done


def _note(folder: Path, made: Entry) -> None:
    """Replace an entry of the catalog."""
    catalog = Catalog.read(folder)
    entries = tuple(made if one.name == made.name else one for one in catalog.entries)
    replace(catalog, entries=entries).write()


def opener(folder: Path) -> SessionOpener:
    """Return a function that opens a session whose searches the shards of a folder answer."""
    catalog = Catalog.read(folder)
    shards = ray_tasks.RayShards(folder, catalog.shards)

    def ask(session: Session, request: SearchRequest) -> SearchReport:
        left_out = Catalog.read(folder).unsearched()
        return scattered_search(shards, left_out, session, request)

    def opened(cwd: Path, progress: Progress) -> Session:
        session = Session(cwd, progress)
        session.elsewhere = ask
        return session

    return opened


class ShardStatus(NamedTuple):
    """A shard: its number, its process, how many repositories and chunks; "" or what is wrong."""

    number: int
    process: int
    repositories: int
    chunks: int
    reason: str


def status(folder: Path) -> tuple[list[ShardStatus], list[str]]:
    """Return how the shards are, and a line for each repository that is in none or is not new."""
    catalog = Catalog.read(folder)
    processes = ray_tasks.RayShards(folder, catalog.shards).processes()
    counts = Counter(one.shard for one in catalog.entries)
    chunks: Counter[int | None] = Counter()
    for one in catalog.entries:
        chunks[one.shard] += one.chunks
    shards = [
        ShardStatus(
            number,
            0 if isinstance(process, SearchError) else process,
            counts[number],
            chunks[number],
            process.message if isinstance(process, SearchError) else "",
        )
        for number, process in enumerate(processes)
    ]
    said = [f"'{one.folder}': {one.reason}" for one in catalog.unsearched()]
    said += [
        f"'{shown(one.source)}' is as it was: {one.reason}"
        for one in catalog.entries
        if one.reason and one.shard is not None
    ]
    return shards, said
