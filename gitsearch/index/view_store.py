"""The views on disk, by their trees; each is checked once.

A view file is a base (a whole tree) or a delta (what differs from a base); until there is one, a
tree may have parts of it. The name of a file says the tree and the recipe: program versions, model
and limits. All are disposable.
"""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.features import embedding
from gitsearch.features.embedding import PACKAGED, PACKAGED_FINGERPRINT, packed_size
from gitsearch.git import blobs
from gitsearch.git.attributes import info_attributes
from gitsearch.git_conventions import ATTRIBUTES_FILE, MODE_FILE
from gitsearch.index import segment_schema
from gitsearch.index.kept_files import KeptFiles
from gitsearch.index.versions import FACTS_VERSION, VIEW_VERSION
from gitsearch.index.view import NO_REST, Layer, Rest, Segment, live_masks, removals
from gitsearch.records import TreeEntry
from gitsearch.store import layout, sections, vector_file
from gitsearch.store.checksums import Checksums, file_state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsearch.features.embedding import Model
    from gitsearch.git.repo import Repo
    from gitsearch.index.view import View
    from gitsearch.records import DirtyFile
    from gitsearch.settings import Settings
    from gitsearch.store.facts_db import FactsDb

SUFFIX = ".view"

# A number follows.
PART = ".part"

# The reasons to skip a blob that is not in this clone, which may change without a new tree, and a
# file that was left for later.
ABSENT = "absent"
PENDING = "pending"

# The reasons to skip a text whose words a view lists, for those who look for exact text.
LISTED = frozenset({"generated", "vendored", "excluded", "too-large"})

# No view has more segments: each is at most a quarter of the one below.
_MOST_LAYERS = 16

# At most so many parts of a view are read. None has more: each is at least half of those before.
_MOST_PARTS = 32

# The segments of a view, the lowest first.
Layers = list[Layer]


class BaseLayers(NamedTuple):
    """Segments of a view, and the files in which the tree that is asked for differs from it.

    rest: the files that are in neither; said: why some are pending, for the user.
    """

    layers: Layers
    changed: Sequence[DirtyFile] = ()
    rest: Rest = NO_REST
    said: str = ""


# Views that are kept: a base is about as large as the text it covers, a delta as what changed.
_MOST_BASES = 3
_MOST_DELTAS = 32


@dataclass(frozen=True)
class ViewStore:
    """The index folder of one repository: its views, vectors and settings.

    kept: what stays mapped from one question to the next.
    """

    folder: Path
    settings: Settings
    info_attributes: str = ""
    kept: KeptFiles = field(default_factory=KeptFiles, compare=False, repr=False)

    @cached_property
    def model(self) -> Model:
        """Return the model that the settings name. Raises BadModel."""
        folder = self._model_folder
        return embedding.opened(folder, embedding.states(folder))

    @property
    def _model_folder(self) -> Path:
        return Path(self.settings.model) if self.settings.model else PACKAGED

    @cached_property
    def fingerprint(self) -> str:
        """Return the model's fingerprint. Raises BadModel."""
        if not self.settings.model:
            return PACKAGED_FINGERPRINT
        folder = self._model_folder
        state = embedding.states(folder)
        fingerprint = self.kept.take(("fingerprint", folder), state, self.model.fingerprint)
        # a model is read whole once, before it makes its first vectors here
        if not layout.matching(self.folder, layout.vectors_name(fingerprint, "*")):
            self.model.check()
        return fingerprint

    def require_model(self) -> None:
        """Raise BadModel if the model cannot be used; call it before anything is written."""
        _ = self.fingerprint

    @cached_property
    def recipe(self) -> str:
        """Return a short hash of all that a view depends on besides its tree."""
        parts = (
            FACTS_VERSION,
            str(VIEW_VERSION),
            self.fingerprint,
            str(self.settings.max_file_size),
            self.info_attributes,
        )
        return hashlib.blake2b("\n".join(parts).encode(), digest_size=4).hexdigest()

    @cached_property
    def checksums(self) -> Checksums:
        """Return the record of the files that were checked."""
        return Checksums(self.folder)

    def name(self, tree: str) -> str:
        """Return the name of a tree's view, relative to the folder."""
        return f"{layout.VIEWS}/{tree}-{self.recipe}{SUFFIX}"

    def load(self, tree: str) -> Layers | None:
        """Return the segments of a tree's view, each with the file rows it takes from those below.

        None if there is no view. Raises Damaged for a file that is not as it should be.
        """
        files: list[sections.Sections] = []
        below: str | None = tree
        while below is not None:
            if len(files) == _MOST_LAYERS:
                raise Damaged(self.name(tree), "stands on too many others")
            try:
                files.append(self._open(self.name(below)))
            except FileNotFoundError:
                return None
            below = files[-1].meta["base"]
        layers: Layers = []
        for file in reversed(files):
            removed = removals(file) if layers else []
            if layers:
                segment_schema.check_removals(file, layers)
            layers.append((self._segment(file), removed))
        return layers

    def kept_view(self, tree: str) -> View | None:
        """Return the view of a tree that `keep_view` kept, if all files are as they were."""
        # the name of a view depends on the model, which may have to be read for it
        kept = self.kept.views.get(self.name(tree)) if self.kept.views else None
        if kept is None:
            return None
        states, view = kept
        if self.kept.looks.holds(self.name(tree)):
            return view
        folder = str(self.folder)
        if all(file_state(f"{folder}/{name}") == state for name, state in states.items()):
            self.kept.looks.looked_at(self.name(tree))
            return view
        del self.kept.views[self.name(tree)]
        return None

    def keep_view(self, tree: str, view: View) -> None:
        """Keep a view of sound files for the next question, with their states."""
        metas = [segment.meta for segment in view.segments]
        if not all("tree" in meta and "vectors" in meta for meta in metas):
            return  # not all of it is in files
        used = {self.name(str(meta["tree"])) for meta in metas}
        used |= {str(meta["vectors"]) for meta in metas if meta["chunks"]}
        names = {layout.SEAL, *self.checksums.names()}
        # what is not vouched for is checked again by each reader
        if used <= names:
            states = {name: file_state(self.folder / name) for name in names}
            self.kept.keep_view(self.name(tree), states, view)

    def has_view(self, tree: str) -> bool:
        """Return True if there is a file for the view of a tree, whatever is in it."""
        return self.kept.looks.holds(self.name(tree)) or self._exists(self.name(tree))

    def load_parts(self, tree: str) -> Layers:
        """Return the sound parts of a tree's view, none of them with a file of another."""
        layers: Layers = []
        done: set[bytes] = set()
        for name in self._parts(f"{tree}-{self.recipe}")[:_MOST_PARTS]:
            # it is as if the files of another were not indexed yet
            with contextlib.suppress(Damaged, FileNotFoundError):
                file = self._open(name)
                segment = self._segment(file)
                segment.ready()
                paths = segment.paths()
                if file.meta["base"] is not None or not done.isdisjoint(paths):
                    raise Damaged(name, "is no part beside the others")
                done.update(paths)
                layers.append((segment, []))
        return layers

    def _parts(self, whole: str) -> list[str]:
        """The names of parts, by number; `whole`: a pattern of names without ending."""
        paths = layout.matching(self.folder / layout.VIEWS, f"{whole}{PART}*")
        numbers = {path.name: path.name.rpartition(PART)[2] for path in paths}
        names = [name for name, number in numbers.items() if number.isdecimal()]
        return [f"{layout.VIEWS}/{n}" for n in sorted(names, key=lambda n: int(numbers[n]))]

    def _open(self, name: str) -> sections.Sections:
        """Map a view file or a part; it is checked if it has changed since it last was."""
        seen = file_state(self.folder / name)
        file = self.kept.take(name, seen, partial(self._map, name))
        trace.count("files mapped")
        trace.count("bytes mapped", file.size)
        segment_schema.check_view_meta(file, self.tree(name))
        if not self.checksums.holds(name):
            with trace.stage("check"):
                self.check_view(file)
            self.checksums.vouch(name, seen)
        return file

    def _map(self, name: str) -> sections.Sections:
        # where there is a new file others may be gone, and take space as long as they are mapped
        self.kept.forget(lambda name: isinstance(name, str) and not self._exists(name))
        return sections.read(self.folder, name)

    def _exists(self, name: str) -> bool:
        return layout.exists(f"{self.folder}/{name}")

    def check_view(self, file: sections.Sections) -> None:
        """Compare a view file or a part of this recipe with its checksums and itself.

        Raises Damaged.
        """
        segment_schema.check_view_meta(file, self.tree(file.name))
        if layout.vectors_of(file.meta["vectors"])[0] != self.fingerprint:
            raise Damaged(file.name, "stands on vectors of another model")
        file.check()
        segment_schema.check_view(file, self.model)

    def _segment(self, file: sections.Sections) -> Segment:
        """Return the segment of a mapped file: the same one as long as the file stays mapped."""
        if file not in self.kept.segments:
            self.kept.segments[file] = self.segment(file.arrays, file.meta)
        segment = self.kept.segments[file]
        segment.read_vectors(self._rows_of(file.meta))
        return segment

    def segment(self, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> Segment:
        """Return a segment whose vectors lie in the file that its meta names."""
        return Segment(arrays, meta, self._rows_of(meta))

    def _rows_of(self, meta: dict[str, Any]) -> Callable[[], np.ndarray]:
        return partial(self.rows, str(meta["vectors"]), int(meta["rows"]))

    def rows(self, name: str, count: int) -> np.ndarray:
        """Map a vector file. Raises Damaged if it is missing or one of `count` rows is bad.

        Rows beyond belong to a writer that is at work or has died; nothing refers to them.
        """
        rows: np.ndarray | None = self._mapped.get(name)
        if rows is None or len(rows) < count:
            seen = file_state(self.folder / name)
            try:
                rows = self.kept.take(name, seen, partial(self._map_rows, name))
            except FileNotFoundError:
                raise Damaged(name, "is missing") from None
            if len(rows) < count:
                raise Damaged(name, f"{len(rows)} rows instead of {count}")
            if not self.checksums.holds(name):
                needed = max(count, self.recorded(name))
                vector_file.check(rows[:needed], name)
                if len(rows) <= needed:
                    self.checksums.vouch(name, seen)
            trace.count("files mapped")
            trace.count("bytes mapped", rows.nbytes)
            self._mapped[name] = rows
        return rows

    def _map_rows(self, name: str) -> np.ndarray:
        return vector_file.open_rows(self.folder, name, packed_size(self.model.dims))

    @cached_property
    def _mapped(self) -> dict[str, np.ndarray]:
        return {}

    def _record(self, wait: float | None = None) -> FactsDb:
        # a search of a tree with a view does without
        from gitsearch.store.facts_db import FactsDb

        return FactsDb(self.folder / layout.RECORD, wait=wait)

    def check_record(self) -> None:
        """Read all of a record that has changed since it last was. Raises as FactsDb."""
        if self.checksums.holds(layout.RECORD):
            return
        seen = file_state(self.folder / layout.RECORD)
        with self._record(wait=0.0) as record:
            record.check()
            for wrong in record.contradictions():
                raise Damaged(layout.RECORD, wrong)
        self.checksums.vouch(layout.RECORD, seen)

    def recorded(self, name: str) -> int:
        """Return the number of rows that the record has in a vector file; 0 if it is another's."""
        try:
            # a writer at work knows better than we do which rows are whole
            with self._record(wait=0.0) as record:
                meta = record.meta()
                current = layout.vectors_name(meta["model"], meta["generation"])
                return record.next_id("chunk") if name == current else 0
        except (Damaged, Busy, Unwritable, KeyError, FileNotFoundError):
            return 0

    def current_vectors(self) -> str:
        """Return the vector file by the chunk ids of the record. Raises as FactsDb."""
        with self._record() as record:
            meta = record.meta()
        return layout.vectors_name(meta.get("model", ""), meta.get("generation", ""))

    def referred(self) -> dict[str, int]:
        """Return the vector files that views of any recipe use, and the rows they need of each."""
        needed: dict[str, int] = {}
        for meta in [*self._metas("*").values(), *self._metas("*", f"{PART}*").values()]:
            needed[meta["vectors"]] = max(meta["rows"], needed.get(meta["vectors"], 0))
        return needed

    def _metas(self, recipe: str, ending: str = SUFFIX) -> dict[str, dict[str, Any]]:
        """Return the meta of the sound views of a recipe ("*": of any) by name, newest first."""
        views: list[tuple[int, str, dict[str, Any]]] = []
        for path in layout.matching(self.folder / layout.VIEWS, f"*-{recipe}{ending}"):
            with contextlib.suppress(Damaged, OSError):
                file = sections.read(self.folder, f"{layout.VIEWS}/{path.name}")
                segment_schema.check_view_meta(file, path.name.partition("-")[0])
                views.append((path.lstat().st_mtime_ns, file.name, file.meta))
        views.sort(key=lambda view: view[:2], reverse=True)
        return {name: meta for _, name, meta in views}

    def publish(self, tree: str, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
        """Write a view file; a reader sees it whole or not at all."""
        name = self.name(tree)
        sections.write(self.folder, name, arrays, {**meta, "tree": tree})
        self.checksums.add(name)

    def publish_part(self, tree: str, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
        """Write one more part of a tree's view, as `publish` does."""
        whole = f"{tree}-{self.recipe}"
        last = [int(name.rpartition(PART)[2]) for name in self._parts(whole)[-1:]]
        name = f"{layout.VIEWS}/{whole}{PART}{sum(last) + 1}"
        sections.write(self.folder, name, arrays, {**meta, "tree": tree})
        self.checksums.add(name)

    def prune(self) -> None:
        """Drop the views that were made longest ago, except those that others stand on.

        All parts go too: those of another tree are of a run that died, and a view was published.
        """
        metas = self._metas("*")
        bases = [name for name, meta in metas.items() if meta["base"] is None]
        deltas = [name for name in metas if name not in bases]
        kept = {*bases[:_MOST_BASES], *deltas[:_MOST_DELTAS]}
        for name in [*kept]:
            while name in metas and (base := metas[name]["base"]) is not None:
                name = f"{layout.VIEWS}/{base}{name[name.index('-') :]}"
                if name in kept:
                    break
                kept.add(name)
        old = [*(name for name in metas if name not in kept), *self._parts("*")]
        if old:
            self.checksums.forget(*old)
        for name in old:
            with contextlib.suppress(OSError):  # the next writer drops it
                layout.remove(self.folder / name)

    def drop(self, *names: str) -> None:
        """Remove files. Raises Unwritable."""
        # forgotten first: a reader must not take them for lost
        self.checksums.forget(*names)
        for name in names:
            with layout.writing(self.folder / name):
                layout.remove(self.folder / name)

    def holds(self, oids: Sequence[str]) -> bool:
        """Return True if a view has one of these blobs, as far as 8 bytes of their ids tell."""
        wanted = np.frombuffer(b"".join(bytes.fromhex(oid)[:8] for oid in oids), np.uint64)
        for name in self._metas(self.recipe):
            with contextlib.suppress(Damaged, FileNotFoundError):
                ids = self._open(name)["oid"]
                if np.isin(np.ascontiguousarray(ids[:, :8]).view(np.uint64), wanted).any():
                    return True
        return False

    def files(self) -> list[tuple[str, int]]:
        """Return all files of the folder with their sizes in bytes."""
        return layout.files(self.folder)

    def views(self) -> list[tuple[str, int]]:
        """Return the trees with a view of this recipe, and its size in bytes."""
        end = f"-{self.recipe}{SUFFIX}"
        return [
            (self.tree(name), size)
            for name, size in self.files()
            if layout.is_kept(name) and name.endswith(end)
        ]

    def foundations(self) -> list[str]:
        """Return trees whose views another may stand on: the newest, those below it, all bases."""
        bases = {self.tree(name): meta["base"] for name, meta in self._metas(self.recipe).items()}
        trees = list(bases)[:1]
        while trees and (base := bases.get(trees[-1])) is not None and base not in trees:
            trees.append(base)
        trees += [tree for tree, base in bases.items() if base is None and tree not in trees]
        return [tree for tree in trees if tree in bases]

    def tree(self, name: str) -> str:
        """Return the tree of a view file or a part."""
        return name.removeprefix(f"{layout.VIEWS}/").partition("-")[0]


def arrived(repo: Repo, layers: Layers) -> bool:
    """Return True if objects that were absent when a view was made have been fetched since."""
    absent = [
        segment.oid(file)
        for segment, _ in layers
        for file in np.flatnonzero(segment.skipped(ABSENT)).tolist()
    ]
    return bool(absent and blobs.sizes(repo, absent))


def open_view_store(repo: Repo, settings: Settings, kept: KeptFiles | None = None) -> ViewStore:
    """Return the index folder of a repository; nothing is read or made yet.

    kept: what earlier ones of the same folder have mapped.
    """
    text = info_attributes(repo)
    mark = hashlib.blake2b(text, digest_size=4).hexdigest() if text.strip() else ""
    return ViewStore(repo.common_dir / layout.FOLDER, settings, mark, kept or KeptFiles())


def attribute_files(layers: Layers) -> list[TreeEntry]:
    """Return the .gitattributes files of a view, as entries."""
    entries: list[TreeEntry] = []
    for (segment, _), live in zip(layers, live_masks(layers), strict=True):
        if ATTRIBUTES_FILE not in segment["path_text"].tobytes():
            continue
        for row in np.flatnonzero(live).tolist():
            path = segment.path(row)
            if path.endswith(ATTRIBUTES_FILE):
                entries.append(TreeEntry(path, segment.oid(row), MODE_FILE))
    return entries
