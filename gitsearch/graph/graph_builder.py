"""Make the graph of a tree: what an earlier graph says still is taken from it.

A file is resolved again only when what it imports changed, or anything else that the resolution
of its language looks at.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.features.ragged import joined, narrowed
from gitsearch.git import blobs
from gitsearch.graph import fact_loading
from gitsearch.graph.file_facts import RUNS, FactRow, FactTable, WordTable, merged, table_of
from gitsearch.graph.graph import EDGE, UNSEEN, USED, Graph
from gitsearch.graph.project import Project
from gitsearch.graph.resolver_registry import RESOLVER_OF, resolver_class, resolvers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gitsearch.git.repo import Repo
    from gitsearch.graph.project import Resolution, Resolver
    from gitsearch.index.view import View


# Bytes of a settings file that is still read.
_LARGEST = 1 << 20

# How much a graph's words may grow until it is made from nothing.
_GROWTH = 2


class Node(NamedTuple):
    """A tracked file; `searched` is whether its content is looked at."""

    path: bytes
    oid: str
    language: str
    searched: bool


def nodes(view: View) -> list[Node]:
    """All files of a view by path, those that are skipped included."""
    found = []
    for segment, file in view.each_file():
        searched = not segment.reason(file)
        found.append(Node(segment.path(file), segment.oid(file), segment.language(file), searched))
    return found


class FactSource:
    """Where facts of files come from: the record in `folder`, git, and what git does not store."""

    def __init__(self, repo: Repo, folder: Path, contents: Mapping[str, bytes]) -> None:
        self.repo = repo
        self.folder = folder
        self.contents = contents

    def texts(self, oids: Sequence[str]) -> dict[str, bytes]:
        """The contents of some small files by object id, without those that are large or gone."""
        stored = [oid for oid in dict.fromkeys(oids) if oid not in self.contents]
        sizes = blobs.sizes(self.repo, stored) if stored else {}
        small = [oid for oid, size in sizes.items() if size <= _LARGEST]
        found = {oid: data for oid, data in blobs.read_blobs(self.repo, small) if data is not None}
        return {**found, **{oid: self.contents[oid] for oid in oids if oid in self.contents}}


class SettingsFiles:
    """The files that a project reads: who reads one of a name mostly reads all of that name."""

    def __init__(self, files: Sequence[Node], paths: Sequence[str], source: FactSource) -> None:
        self._oid = {path: one.oid for path, one in zip(paths, files, strict=True)}
        families = resolvers_of({one.language for one in files})
        self._first = frozenset[str]().union(*(resolver_class(name).settings for name in families))
        self._source = source
        self._asked: set[str] = set()
        self._texts: dict[str, bytes] = {}

    @cached_property
    def _named(self) -> dict[str, list[str]]:
        """The object ids of the files of each name."""
        found: dict[str, list[str]] = {}
        for path, oid in self._oid.items():
            found.setdefault(path.rpartition("/")[2], []).append(oid)
        return found

    def read(self, path: str) -> bytes | None:
        """The content of a file of the tree, None where it is too large or gone."""
        name = path.rpartition("/")[2]
        if name not in self._asked:
            # each question is two processes of git: with the first go all names of settings
            names = {name} if self._asked else {name, *self._first}
            self._texts.update(
                self._source.texts([oid for one in names for oid in self._named.get(one, ())])
            )
            self._asked |= names
        return self._texts.get(self._oid[path])


def build(
    files: Sequence[Node],
    source: FactSource,
    before: Graph | None,
    among: frozenset[bytes] | None = None,
) -> Graph:
    """The graph of these files; meta["resolved"] counts those whose imports were resolved.

    meta["words"] is how many words the last graph had that was made from nothing.

    among: where much would have to be found out anew it is so only of these paths. The others have
    the edges that they had before, and meta["near"] says so.
    """
    # words are only ever added: one that is mostly made of what is gone is no good beginning
    if before is not None and before.table.words > _GROWTH * before.meta["words"]:
        before = None
    old = _Old(before, files) if before is not None else None
    with trace.stage("facts"):
        table = _table(files, source, old)
    languages = [one.language for one in files]
    paths = [one.path.decode("utf-8", "surrogateescape") for one in files]
    settings = SettingsFiles(files, paths, source)
    project = Project(paths, languages, lambda file: FactRow(table, file), settings.read)
    with trace.stage("resolve"):
        edges = _Edges(project, table, old)
        chosen = None if among is None else np.asarray([one.path in among for one in files], bool)
        edges.fill(chosen)
    arrays = {**_file_arrays(files), **edges.arrays(), **table.arrays}
    stored = {
        name: narrowed(array) if array.ndim == 1 and array.dtype.kind in "iu" else array
        for name, array in arrays.items()
    }
    words = table.words if before is None else before.meta["words"]
    meta = {**edges.meta(), "languages": sorted(set(languages)), "words": words}
    return Graph(stored, meta)


def _file_arrays(files: Sequence[Node]) -> dict[str, np.ndarray]:
    number = {name: i for i, name in enumerate(sorted({one.language for one in files}))}
    path_text, path_ends = joined([one.path for one in files])
    width = max((len(one.oid) for one in files), default=40) // 2
    oids = b"".join(bytes.fromhex(one.oid).ljust(width, b"\0") for one in files)
    return {
        "path_text": path_text,
        "path_ends": path_ends,
        "oid": np.frombuffer(oids, np.uint8).reshape(len(files), width),
        "language": np.asarray([number[one.language] for one in files], np.int64),
        "searched": np.asarray([one.searched for one in files], np.uint8),
    }


class _Old:
    """An earlier graph, and which of its files are which of these.

    place: the number that a file had, or -1; same: whether its content is the same; node: the
    number that an old file has now, or -1.
    """

    def __init__(self, graph: Graph, files: Sequence[Node]) -> None:
        self.graph = graph
        numbers = {graph.path(i): i for i in range(graph.files)}
        self.place = np.asarray([numbers.get(one.path, -1) for one in files], np.int64)
        self.same = np.zeros(len(files), bool)
        for i, (place, one) in enumerate(zip(self.place.tolist(), files, strict=True)):
            self.same[i] = place >= 0 and self._is(place, one)
        self.node = np.full(graph.files, -1, np.int64)
        kept = np.flatnonzero(self.place >= 0)
        self.node[self.place[kept]] = kept

    def _is(self, place: int, one: Node) -> bool:
        arrays = self.graph.arrays
        known = self.graph.oid(place), self.graph.language(place)
        return (*known, bool(arrays["searched"][place])) == one[1:]


def _table(files: Sequence[Node], source: FactSource, old: _Old | None) -> FactTable:
    """What the files say: of those that an earlier graph has, what it has."""
    fresh = np.arange(len(files)) if old is None else np.flatnonzero(~old.same)
    wanted: list[fact_loading.WantedFile] = []
    rows: list[int] = []
    for i, file in enumerate(fresh.tolist()):
        if files[file].searched and files[file].language in RESOLVER_OF:
            wanted.append(fact_loading.WantedFile(files[file].oid, files[file].language))
            rows.append(i)
    words = WordTable.none() if old is None else WordTable.of(old.graph.table)
    found = fact_loading.load_facts(source.repo, source.folder, wanted, source.contents)
    for run in RUNS:
        found[run]["row"] = np.asarray(rows, np.int64)[found[run]["row"].astype(np.int64)]
    new = table_of(len(fresh), words, found)
    if old is None:
        return new
    place = old.place.copy()
    place[fresh] = ~np.arange(len(fresh))
    return merged(old.graph.table, new, place)


class _Edges:
    """Edges and what is unseen, in columns."""

    def __init__(self, project: Project, table: FactTable, old: _Old | None) -> None:
        self._project = project
        self._table = table
        self._old = old
        self._edges: list[tuple[int, int, int, int]] = []
        self._unseen: list[tuple[int, int, str]] = []
        self._resolved = 0
        self._digests: dict[str, str] = {}
        self._read = frozenset[str]()
        self._families: dict[str, Resolver] = {}
        self._named = resolvers_of(set(project.languages))
        self._near = False
        # of which files imports and uses are found out anew
        self._imports = np.ones(len(project.paths), bool)
        self._uses = np.ones(len(project.paths), bool)

    def fill(self, among: np.ndarray | None) -> None:
        """Resolve what must be, copy the rest; `among`: a mask of what may be."""
        if self._old is None:
            for name in self._named:
                self._digests[name] = _digest(self._family(name))
        else:
            self._compare(self._old, among)
        for file in np.flatnonzero(self._imports | self._uses).tolist():
            spoken = self._project.languages[file]
            if spoken in RESOLVER_OF:
                self._one(self._family(RESOLVER_OF[spoken]), file)

    def _family(self, name: str) -> Resolver:
        """The resolver of a family, made when it is first needed."""
        if name not in self._families:
            self._families[name] = resolver_class(name)(self._project)
        return self._families[name]

    def _compare(self, old: _Old, among: np.ndarray | None) -> None:
        """Find the files of which something must be found out anew."""
        said, defined, used = self._changed(old)
        self._imports, self._uses = said, said | used
        if not self._unsettled(old, said | defined):
            self._digests = old.graph.meta["digests"]
            self._read = frozenset(old.graph.meta["read"])
        elif among is not None:
            self._imports = self._uses = among
            self._near = True
        else:
            self._widen(old, defined)

    def _unsettled(self, old: _Old, changed: np.ndarray) -> bool:
        """Whether there may be another answer for files that say the same."""
        moved = bool((old.node < 0).any() or (old.place < 0).any() or changed.any())
        known = frozenset(old.graph.meta["read"])
        fresh = (self._project.paths[file] for file in np.flatnonzero(~old.same).tolist())
        return moved or any(path.rpartition("/")[2] in known for path in fresh)

    def _widen(self, old: _Old, defined: np.ndarray) -> None:
        """Add all files of each family that sees another project than before."""
        before: dict[str, str] = old.graph.meta["digests"]
        language = np.asarray(self._project.languages)
        for name in self._named:
            self._digests[name] = _digest(self._family(name))
            own = np.isin(language, sorted(resolver_class(name).languages))
            if self._digests[name] != before.get(name):
                self._imports |= own
                self._uses |= own
            elif (defined & own).any():
                self._uses |= own

    def _changed(self, old: _Old) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of which files imports, definitions and used names are not what they were."""
        found = [np.zeros(len(old.same), bool) for _ in RUNS]
        for file in np.flatnonzero(~old.same).tolist():
            place = int(old.place[file])
            known = place >= 0 and old.graph.language(place) == self._project.languages[file]
            for run, changed in zip(("import", "definition", "name"), found, strict=True):
                table = old.graph.table
                changed[file] = not (known and self._table.same(run, file, table, place))
        return found[0], found[1], found[2]

    def _one(self, resolver: Resolver, file: int) -> None:
        if self._uses[file]:
            self._add(file, USED, resolver.uses(file))
        if self._imports[file]:
            self._resolved += 1
            for place, imported in enumerate(self._project.facts(file).imports):
                self._add(file, place, resolver.resolve(file, imported))

    def _add(self, file: int, place: int, found: Resolution) -> None:
        self._edges += [(file, target, place, 0) for target in found.resolved if target != file]
        self._edges += [(file, target, place, 1) for target in found.ambiguous if target != file]
        if found.unseen:
            self._unseen.append((file, place, found.unseen))

    def meta(self) -> dict[str, Any]:
        """What a graph says besides its arrays."""
        return {
            "digests": self._digests,
            "read": sorted(self._project.read | self._read),
            "resolved": self._resolved,
            "reasons": self._reasons,
            **({"near": True} if self._near else {}),
        }

    @cached_property
    def _reasons(self) -> list[str]:
        before = self._old.graph.meta["reasons"] if self._old else []
        return sorted({*before, *(reason for _, _, reason in self._unseen)})

    def arrays(self) -> dict[str, np.ndarray]:
        """The edges by source, target and import, and what is unseen."""
        own = np.asarray(self._edges, np.int64).reshape(-1, 4)
        number = {reason: i for i, reason in enumerate(self._reasons)}
        dark = [(file, place, number[reason]) for file, place, reason in self._unseen]
        unseen = np.asarray(dark, np.int64).reshape(-1, 3)
        if self._old is not None:
            own = np.concatenate([own, self._copied(self._old, EDGE)])
            unseen = np.concatenate([unseen, self._copied(self._old, UNSEEN)])
        # resolved before ambiguous, an import before a use
        order = np.lexsort((own[:, 2].astype(np.uint64), own[:, 3], own[:, 1], own[:, 0]))
        own = own[order]
        first = np.ones(len(own), bool)
        first[1:] = (own[1:] != own[:-1]).any(axis=1)
        unseen = unseen[np.lexsort((unseen[:, 1], unseen[:, 0]))]
        return {
            **{name: own[first, i] for i, name in enumerate(EDGE)},
            **{name: unseen[:, i] for i, name in enumerate(UNSEEN)},
        }

    def _copied(self, old: _Old, names: Sequence[str]) -> np.ndarray:
        """Rows of the earlier graph of files of which nothing was found out anew."""
        found = np.stack([old.graph.arrays[name].astype(np.int64) for name in names], axis=1)
        found[:, 0] = old.node[found[:, 0]]
        found = found[found[:, 0] >= 0]
        place = found[:, names.index("edge_place") if names is EDGE else 1]
        anew = np.where(place == USED, self._uses[found[:, 0]], self._imports[found[:, 0]])
        found = found[~anew]
        if names is EDGE:
            found[:, 1] = old.node[found[:, 1]]
            return found[found[:, 1] >= 0]
        renumbered = [self._reasons.index(reason) for reason in old.graph.meta["reasons"]]
        found[:, 2] = np.asarray(renumbered, np.int64)[found[:, 2]] if len(found) else 0
        return found


def _digest(one: Resolver) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for text in one.depends_on():
        digest.update(text.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()
