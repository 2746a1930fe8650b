"""Incremental construction of the dependency graph of a tree from an earlier graph.

The facts of files are those of the earlier graph where a file is the same. Else they are extracted
now, for nothing but the graph needs them. The imports of a file are resolved again only if they
changed, or if another input of the resolver of its language did.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.extract.skip_reasons import skip_reason
from gitsearch.extract.symbol_kinds import PLACES
from gitsearch.features.ragged import joined, narrowed
from gitsearch.git import blobs
from gitsearch.graph.graph import (
    EDGE,
    RUNS,
    UNRESOLVED,
    USED,
    FactRow,
    FactTable,
    Graph,
    WordTable,
    merged,
    table_of,
)
from gitsearch.graph.project import (
    RESOLVER_OF,
    Project,
    SourceFile,
    resolver_class,
    resolvers_of,
)
from gitsearch.index.fact_columns import BlobKey, text_column

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from gitsearch.git.repo import Repo
    from gitsearch.graph.graph import Fresh
    from gitsearch.graph.project import Resolution, Resolver
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import View
    from gitsearch.settings import Progress

# The fields of an import that are texts.
_TEXTS = ("specifier", "kind", "names")

# The maximum size of a settings file, in bytes; larger ones are not read.
_MAX_SETTINGS_BYTES = 1 << 20

# The names of all resolvers.
RESOLVERS = frozenset(RESOLVER_OF.values())

# The factor by which the words of a graph may grow before it is built from scratch.
_MAX_GROWTH = 2


class Node(NamedTuple):
    """A tracked file; `searched` is True if its content is indexed.

    Of a file that is not in the index the content may have to decide: `language` begins with "?"
    if it does, and `searched` becomes False if it is a reason to skip the file. `forced` is as in
    a BlobKey.
    """

    path: bytes
    oid: str
    language: str
    searched: bool
    forced: bool = True

    @property
    def key(self) -> BlobKey:
        """All that the facts of the file depend on."""
        return BlobKey(self.oid, self.language, self.forced)


class ReadFile(NamedTuple):
    """The language of a file by its content, whether it is searched, and its facts."""

    language: str
    searched: bool
    facts: SourceFile


class FactSource(NamedTuple):
    """Sources of texts: git, and `contents` by id that git does not store."""

    repo: Repo
    contents: Mapping[str, bytes]
    progress: Progress


def source_of(opened: OpenView) -> FactSource:
    """Return where the texts of an open view's files come from."""
    return FactSource(opened.session.repo, opened.texts.edited, opened.session.progress)


def nodes(view: View) -> list[Node]:
    """Return all files of a view by path, including skipped ones."""
    return [
        Node(
            segment.path(file), segment.oid(file), segment.language(file), not segment.reason(file)
        )
        for segment, file in view.each_file()
    ]


def project_of(graph: Graph, source: FactSource) -> Project:
    """Return the input of import resolution of a tree whose graph is there."""
    files = [
        Node(graph.path(file), graph.oid(file), graph.language(file), searched=True)
        for file in range(graph.files)
    ]
    return _project(files, graph.table, source)


def _project(files: Sequence[Node], table: FactTable, source: FactSource) -> Project:
    settings = _SettingsFiles(files, source)
    project = Project(
        [file.path.decode("utf-8", "surrogateescape") for file in files],
        [file.language for file in files],
        lambda file: FactRow(table, file),
        lambda path: settings.read(project, path),
    )
    return project


class _SettingsFiles:
    """Settings files, read in batches by base name: mostly all files of a name are needed."""

    def __init__(self, files: Sequence[Node], source: FactSource) -> None:
        self._files = files
        self._source = source
        self._names_read: set[str] = set()
        self._texts: dict[str, bytes] = {}

    def read(self, project: Project, path: str) -> bytes | None:
        """Return the content of a file of the tree, or None if it is too large or missing."""
        name = path.rpartition("/")[2]
        if name not in self._names_read:
            names = {name}
            if not self._names_read:
                # each batch takes two git processes: the first one has all settings files
                resolvers = map(resolver_class, resolvers_of(set(project.languages)))
                names.update(*(resolver.settings for resolver in resolvers))
            numbers = [file for each in names for file in project.by_name.get(each, ())]
            self._names_read |= names
            repo, contents = self._source.repo, self._source.contents
            oids = {self._files[file].oid for file in numbers}
            self._texts.update({oid: contents[oid] for oid in oids & contents.keys()})
            if stored := sorted(oids - contents.keys()):
                sizes = blobs.sizes(repo, stored)
                small = [oid for oid, size in sizes.items() if size <= _MAX_SETTINGS_BYTES]
                read = dict(blobs.read_blobs(repo, small))
                self._texts.update({oid: data for oid, data in read.items() if data is not None})
        return self._texts.get(self._files[project.number[path]].oid)


def build(
    files: Sequence[Node],
    source: FactSource,
    before: Graph | None,
    among: frozenset[bytes] | None = None,
    families: frozenset[str] = RESOLVERS,
) -> Graph:
    """Build the graph of `files`, reusing `before` where its results are still valid.

    meta["resolved"] is the number of files whose imports were resolved; meta["words"] is the
    number of words of the last graph that was built from scratch.

    among: if all files of a language would have to be resolved again, resolve only these paths.
    The others keep the edges that they have in `before`, and meta["near"] is set.

    families: the resolvers that are asked; files in other languages have no facts and no edges.
    """
    # words are only ever added, so a graph with mostly unused words is not a good start
    if before is not None and before.table.words > _MAX_GROWTH * before.meta["words"]:
        before = None
    old = None if before is None else _Old(before, files)
    with trace.stage("facts"):
        table, files = _table(files, source, old, families)
    project = _project(files, table, source)
    with trace.stage("resolve"):
        edges = _Edges(project, table, old, families)
        mask = None if among is None else np.asarray([file.path in among for file in files], bool)
        edges.fill(mask)
    arrays = {**_file_arrays(files), **edges.arrays(), **table.arrays}
    for name, array in arrays.items():
        if array.ndim == 1 and array.dtype.kind in "iu":
            arrays[name] = narrowed(array)
    words = table.words if before is None else before.meta["words"]
    languages = sorted(set(project.languages))
    return Graph(arrays, {**edges.meta(), "languages": languages, "words": words})


def _file_arrays(files: Sequence[Node]) -> dict[str, np.ndarray]:
    number = {name: i for i, name in enumerate(sorted({file.language for file in files}))}
    path_text, path_ends = joined([file.path for file in files])
    width = max((len(file.oid) for file in files), default=40) // 2
    oids = b"".join(bytes.fromhex(file.oid).ljust(width, b"\0") for file in files)
    return {
        "path_text": path_text,
        "path_ends": path_ends,
        "oid": np.frombuffer(oids, np.uint8).reshape(len(files), width),
        "language": np.asarray([number[file.language] for file in files], np.int64),
        "searched": np.asarray([file.searched for file in files], np.uint8),
    }


class _Old:
    """An earlier graph, with its files matched by path to those of the new one.

    place: the old number of each new file, int64, or -1; same: a mask of the new files with
    unchanged content; node: the new number of each old file, int64, or -1.
    """

    def __init__(self, graph: Graph, files: Sequence[Node]) -> None:
        self.graph = graph
        numbers = {graph.path(i): i for i in range(graph.files)}
        self.place = np.asarray([numbers.get(file.path, -1) for file in files], np.int64)
        searched = graph.arrays["searched"]
        self.same = np.zeros(len(files), bool)
        for i, place in enumerate(self.place.tolist()):
            if place >= 0:
                known = graph.oid(place), graph.language(place), bool(searched[place])
                self.same[i] = known == files[i][1:4]
        self.node = np.full(graph.files, -1, np.int64)
        kept = np.flatnonzero(self.place >= 0)
        self.node[self.place[kept]] = kept


def _table(
    files: Sequence[Node], source: FactSource, old: _Old | None, families: frozenset[str]
) -> tuple[FactTable, list[Node]]:
    """Return the facts of the files, and the files as their contents have it.

    The facts of unchanged files come from the earlier graph.
    """
    fresh = np.arange(len(files)) if old is None else np.flatnonzero(~old.same)
    wanted = {
        row: files[file].key
        for row, file in enumerate(fresh.tolist())
        if files[file].searched and _may_be_of(files[file].language, families)
    }
    found = _extracted(source, dict.fromkeys(wanted.values()))
    settled = list(files)
    facts: dict[int, SourceFile] = {}
    for row, key in wanted.items():
        if (read := found.get(key)) is not None:
            facts[row] = read.facts
            file = int(fresh[row])
            settled[file] = files[file]._replace(language=read.language, searched=read.searched)
    words = WordTable(None if old is None else old.graph.table)
    new = table_of(len(fresh), words, _columns(facts))
    if old is None:
        return new, settled
    place = old.place.copy()
    place[fresh] = ~np.arange(len(fresh))
    return merged(old.graph.table, new, place), settled


def _may_be_of(language: str, families: frozenset[str]) -> bool:
    """Return True if a language, or what the content may decide on, is one of some resolvers."""
    return RESOLVER_OF.get(language) in families or (bool(families) and language[:1] == "?")


def _columns(facts: Mapping[int, SourceFile]) -> Fresh:
    """Return facts by row, which ascend, as columns."""
    imports = [(row, each) for row, own in facts.items() for each in own.imports]
    names = [(row, name) for row, own in facts.items() for name in sorted(own.names)]
    definitions = [(row, *each) for row, own in facts.items() for each in own.definitions]
    texts = {f"import_{field}": [getattr(each, field) for _, each in imports] for field in _TEXTS}
    return {
        "import": {
            "row": _numbers([row for row, _ in imports]),
            **{column: text_column(values) for column, values in texts.items()},
            "import_line": _numbers([each.line for _, each in imports]),
        },
        "name": {
            "row": _numbers([row for row, _ in names]),
            "name": text_column([name for _, name in names]),
        },
        "definition": {
            "row": _numbers([row for row, *_ in definitions]),
            "definition": text_column([qualified for _, qualified, _ in definitions]),
            "definition_kind": text_column([kind for *_, kind in definitions]),
        },
    }


def _numbers(values: Sequence[int]) -> np.ndarray:
    return np.asarray(values, np.int64)


def _extracted(source: FactSource, wanted: Collection[BlobKey]) -> dict[BlobKey, ReadFile]:
    """Extract the facts of contents in child processes; nothing of those that are not here."""
    # parsers are loaded only where something must be parsed
    from gitsearch.index.extraction_pool import each

    contents = source.contents
    sizes = blobs.sizes(source.repo, [key.oid for key in wanted if key.oid not in contents])
    sizes |= {oid: len(data) for oid, data in contents.items()}
    here = [key for key in wanted if key.oid in sizes]
    stored = [key.oid for key in here if key.oid not in contents]

    def texts() -> Iterator[tuple[BlobKey, bytes]]:
        # it may be a whole tree that is read: its texts are not kept
        read = blobs.read_blobs(source.repo, stored)
        size = 0
        for number, key in enumerate(here, 1):
            size += sizes[key.oid]
            source.progress.update("reading files", number, len(here), size)
            yield key, contents[key.oid] if key.oid in contents else next(read)[1] or b""
        source.progress.close()

    found = each(read_file, texts(), sum(sizes[key.oid] for key in here))
    return {key: read for key, read in zip(here, found, strict=True) if read is not None}


def read_file(key: BlobKey, data: bytes) -> ReadFile:
    """Return what resolution needs of a file: of members only containers, and each name once."""
    from gitsearch.extract.facts import structure
    from gitsearch.extract.languages import settled

    language = settled(key.hint, data)
    found = structure(data, language, searched=key.forced)
    facts = SourceFile(
        tuple(sorted(found.imports, key=lambda each: (each.line, *each))),
        frozenset(reference.name for reference in found.references),
        tuple(
            (each.qualified, each.kind)
            for each in found.definitions
            if each.parent < 0 or each.kind in PLACES
        ),
    )
    return ReadFile(language, not skip_reason(data, language, forced=key.forced), facts)


class _Edges:
    """Collects edges and unresolved imports, from resolvers and from the earlier graph."""

    def __init__(
        self, project: Project, table: FactTable, old: _Old | None, families: frozenset[str]
    ) -> None:
        self._project = project
        self._table = table
        self._old = old
        self._families = families
        self._edges: list[tuple[int, int, int, int]] = []
        self._unresolved: list[tuple[int, int, str]] = []
        self._resolved = 0
        self._digests: dict[str, str] = {}
        self._read = frozenset[str]()
        self._resolvers: dict[str, Resolver] = {}
        self._near = False

    def fill(self, among: np.ndarray | None) -> None:
        """Resolve the files that need it; `among`: a mask of the files that may be resolved."""
        old = self._old
        imported = defined = used = np.zeros(len(self._project.paths), bool)
        if old is not None:
            imported, defined, used = self._changed(old)
        # masks of the files whose imports and uses are resolved again
        self._imports, self._uses = imported.copy(), imported | used
        self._imports |= self._named(defined | used)
        if old is None:
            self._widen({}, defined)
        elif self._inputs_unchanged(old, imported | defined):
            self._digests = old.graph.meta["digests"]
            self._read = frozenset(old.graph.meta["read"])
        elif among is not None:
            self._imports = self._uses = among
            self._near = True
        else:
            self._widen(old.graph.meta["digests"], defined)
        for file in np.flatnonzero(self._imports | self._uses).tolist():
            name = RESOLVER_OF.get(self._project.languages[file])
            if name not in self._families:
                continue
            if self._uses[file]:
                self._add(file, USED, self._resolver(name).uses(file))
            if self._imports[file]:
                self._resolved += 1
                for place, statement in enumerate(self._project.facts(file).imports):
                    self._add(file, place, self._resolver(name).resolve(file, statement))

    def _named(self, changed: np.ndarray) -> np.ndarray:
        """Return which of some files have imports that lead to what the file names."""
        named = np.zeros(len(changed), bool)
        for file in np.flatnonzero(changed).tolist():
            name = RESOLVER_OF.get(self._project.languages[file])
            named[file] = name in self._families and resolver_class(name).reads_names
        return named

    def _resolver(self, name: str) -> Resolver:
        if name not in self._resolvers:
            self._resolvers[name] = resolver_class(name)(self._project)
        return self._resolvers[name]

    def _inputs_unchanged(self, old: _Old, changed: np.ndarray) -> bool:
        """Return True if files with the same facts certainly have the same edges."""
        moved = bool((old.node < 0).any() or (old.place < 0).any() or changed.any())
        known = frozenset(old.graph.meta["read"])
        fresh = (self._project.paths[file] for file in np.flatnonzero(~old.same).tolist())
        return not moved and all(path.rpartition("/")[2] not in known for path in fresh)

    def _widen(self, before: Mapping[str, str], defined: np.ndarray) -> None:
        """Add all files of each family whose resolver has other inputs than `before`."""
        language = np.asarray(self._project.languages)
        for name in resolvers_of(set(self._project.languages)):
            if name not in self._families:
                continue
            resolver = self._resolver(name)
            digest = hashlib.blake2b(digest_size=16)
            for text in resolver.depends_on():
                digest.update(text.encode("utf-8", "surrogateescape") + b"\0")
            self._digests[name] = digest.hexdigest()
            own = np.isin(language, sorted(resolver.languages))
            if self._digests[name] != before.get(name):
                self._imports |= own
                self._uses |= own
            elif (defined & own).any():
                self._uses |= own

    def _changed(self, old: _Old) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        imported, defined, used = (np.zeros(len(old.same), bool) for _ in RUNS)
        masks = {"import": imported, "definition": defined, "name": used}
        for file in np.flatnonzero(~old.same).tolist():
            place = int(old.place[file])
            known = place >= 0 and old.graph.language(place) == self._project.languages[file]
            for run, changed in masks.items():
                same = known and self._table.same(run, file, old.graph.table, place)
                changed[file] = not same
        return imported, defined, used

    def _add(self, file: int, place: int, targets: Resolution) -> None:
        self._edges += [(file, target, place, 0) for target in targets.resolved if target != file]
        self._edges += [(file, target, place, 1) for target in targets.ambiguous if target != file]
        if targets.unresolved:
            self._unresolved.append((file, place, targets.unresolved))

    def meta(self) -> dict[str, Any]:
        """Return the meta of the graph, except for the languages and the number of words."""
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
        return sorted({*before, *(reason for _, _, reason in self._unresolved)})

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the sorted, distinct edges and the unresolved imports, as columns."""
        edges = np.asarray(self._edges, np.int64).reshape(-1, 4)
        number = {reason: i for i, reason in enumerate(self._reasons)}
        rows = [(file, place, number[reason]) for file, place, reason in self._unresolved]
        unresolved = np.asarray(rows, np.int64).reshape(-1, 3)
        if (old := self._old) is not None:
            kept = self._kept(old, EDGE, place=2)
            kept[:, 1] = old.node[kept[:, 1]]
            edges = np.concatenate([edges, kept[kept[:, 1] >= 0]])
            kept = self._kept(old, UNRESOLVED, place=1)
            renumbered = [number[reason] for reason in old.graph.meta["reasons"]]
            kept[:, 2] = np.asarray(renumbered, np.int64)[kept[:, 2]]
            unresolved = np.concatenate([unresolved, kept])
        # resolved before ambiguous, an import before a use
        order = np.lexsort((edges[:, 2].astype(np.uint64), edges[:, 3], edges[:, 1], edges[:, 0]))
        edges = edges[order]
        first = np.ones(len(edges), bool)
        first[1:] = (edges[1:] != edges[:-1]).any(axis=1)
        unresolved = unresolved[np.lexsort((unresolved[:, 1], unresolved[:, 0]))]
        return {
            **{name: edges[first, i] for i, name in enumerate(EDGE)},
            **{name: unresolved[:, i] for i, name in enumerate(UNRESOLVED)},
        }

    def _kept(self, old: _Old, names: Sequence[str], place: int) -> np.ndarray:
        """Return the rows that were not resolved again; `place`: the column of import numbers."""
        rows = np.stack([old.graph.arrays[name].astype(np.int64) for name in names], axis=1)
        rows[:, 0] = old.node[rows[:, 0]]
        rows = rows[rows[:, 0] >= 0]
        uses, imports = self._uses[rows[:, 0]], self._imports[rows[:, 0]]
        return rows[~np.where(rows[:, place] == USED, uses, imports)]
