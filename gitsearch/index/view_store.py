"""The views on disk: found by the tree they are of, made when missing, checked once.

A view file is a base (a whole tree) or a delta (what differs from a base). Its name says the tree
and the recipe: program versions, model and limits. All are disposable.
"""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.features.embedding import PACKAGED, PACKAGED_FINGERPRINT, Model
from gitsearch.git import blobs
from gitsearch.git.attributes import info_attributes
from gitsearch.index import segment_schema
from gitsearch.index.versions import FACTS_VERSION, VIEW_VERSION
from gitsearch.index.view import Layer, Segment, removals
from gitsearch.store import layout, sections, vector_file
from gitsearch.store.checksums import Checksums, file_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.git.repo import Repo
    from gitsearch.records import DirtyFile
    from gitsearch.settings import Settings
    from gitsearch.store.facts_db import FactsDb

SUFFIX = ".view"

# The reason to skip a blob that is not in this clone; it may end without a new tree.
ABSENT = "absent"

# The reason of a file that was left for later.
PENDING = "pending"

# No view has more segments: each is at most a quarter of the one below.
_MOST_LAYERS = 16

# The segments of a view, the lowest first.
Layers = list[Layer]


class BaseLayers(NamedTuple):
    """Segments of a view, and the files in which the tree that is asked for differs from it."""

    layers: Layers
    changed: Sequence[DirtyFile] = ()


# Views that are kept: a base is about as large as the text it covers, a delta as what changed.
_MOST_BASES = 3
_MOST_DELTAS = 32


@dataclass(frozen=True)
class ViewStore:
    """The index folder of one repository, read side."""

    folder: Path
    settings: Settings
    info_attributes: str = ""

    @cached_property
    def model(self) -> Model:
        """The model that the settings name; raises BadModel."""
        return Model(Path(self.settings.model) if self.settings.model else PACKAGED)

    @cached_property
    def fingerprint(self) -> str:
        """The model's fingerprint; raises BadModel.

        A model that has made no vectors here yet is read whole before it does.
        """
        if not self.settings.model:
            return PACKAGED_FINGERPRINT
        found = self.model.fingerprint()
        if not layout.matching(self.folder, layout.vectors_name(found, "*")):
            self.model.check()
        return found

    def require_model(self) -> None:
        """Raise BadModel if the model cannot be used: called before anything is written."""
        _ = self.fingerprint

    @cached_property
    def recipe(self) -> str:
        """A short hash of all that a view depends on besides its tree."""
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
        """Which files were checked."""
        return Checksums(self.folder)

    def name(self, tree: str) -> str:
        """The file of a tree's view, relative to the folder."""
        return f"{layout.VIEWS}/{tree}-{self.recipe}{SUFFIX}"

    def load(self, tree: str) -> Layers | None:
        """The segments of a tree's view, each with the file rows it takes from those before it.

        None when there is no view; raises Damaged when a file does not hold what it should.
        """
        files: list[sections.Sections] = []
        below: str | None = tree
        while below is not None:
            if len(files) == _MOST_LAYERS:
                raise Damaged(self.name(tree), "stands on too many others")
            try:
                files.append(self._open(below))
            except FileNotFoundError:
                return None
            below = files[-1].meta["base"]
        layers: Layers = []
        for file in reversed(files):
            removed = removals(file) if layers else []
            if layers:
                segment_schema.check_removals(file, layers)
            layers.append((self.segment(file.arrays, file.meta), removed))
        return layers

    def _open(self, tree: str) -> sections.Sections:
        """The view file of a tree, checked if it does not look as it did when it last was."""
        name = self.name(tree)
        seen = file_state(self.folder / name)
        found = sections.read(self.folder, name)
        trace.count("files mapped")
        trace.count("bytes mapped", found.size)
        segment_schema.check_view_meta(found, tree)
        if not self.checksums.holds(name):
            with trace.stage("check"):
                self.check_view(found)
            self.checksums.vouch(name, seen)
        return found

    def check_view(self, found: sections.Sections) -> None:
        """Compare a view file of this recipe with its checksums and itself; raises Damaged."""
        segment_schema.check_view_meta(found, self.tree(found.name))
        if layout.vectors_of(found.meta["vectors"])[0] != self.fingerprint:
            raise Damaged(found.name, "stands on vectors of another model")
        found.check()
        segment_schema.check_view(found, self.model)

    def segment(self, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> Segment:
        """A segment whose vectors lie in the file that its meta names."""
        name, count = str(meta["vectors"]), int(meta["rows"])
        return Segment(arrays, meta, lambda: self.rows(name, count))

    def rows(self, name: str, count: int) -> np.ndarray:
        """The mapped vector file; raises Damaged when it is missing or one of `count` rows is bad.

        Rows beyond belong to a writer that is at work or has died; nobody refers to them.
        """
        found: np.ndarray | None = self._mapped.get(name)
        if found is None or len(found) < count:
            seen = file_state(self.folder / name)
            try:
                found = vector_file.open_rows(self.folder, name, self.model.dims)
            except FileNotFoundError:
                raise Damaged(name, "is missing") from None
            if len(found) < count:
                raise Damaged(name, f"{len(found)} rows instead of {count}")
            if not self.checksums.holds(name):
                recorded = self.recorded(name)
                vector_file.check(found[: max(count, recorded)], name)
                if len(found) <= max(count, recorded):
                    self.checksums.vouch(name, seen)
            trace.count("files mapped")
            trace.count("bytes mapped", found.nbytes)
            self._mapped[name] = found
        return found

    @cached_property
    def _mapped(self) -> dict[str, np.ndarray]:
        return {}

    def _record(self, wait: float | None = None) -> FactsDb:
        # a search of a tree with a view does without
        from gitsearch.store.facts_db import FactsDb

        return FactsDb(self.folder / layout.RECORD, wait=wait)

    def check_record(self) -> None:
        """Read all of a record that looks otherwise than when it last was; raises as Record."""
        if self.checksums.holds(layout.RECORD):
            return
        seen = file_state(self.folder / layout.RECORD)
        with self._record(wait=0.0) as record:
            record.check()
            for wrong in record.contradictions():
                raise Damaged(layout.RECORD, wrong)
        self.checksums.vouch(layout.RECORD, seen)

    def recorded(self, name: str) -> int:
        """How many rows of a vector file the record refers to; 0 if it is another record's."""
        try:
            # a writer at work knows better than we do which rows are whole
            with self._record(wait=0.0) as record:
                meta = record.meta()
                current = layout.vectors_name(meta["model"], meta["generation"])
                return record.next_id("chunk") if name == current else 0
        except (Damaged, Busy, Unwritable, KeyError, FileNotFoundError):
            return 0

    def current_vectors(self) -> str:
        """The vector file by the chunk ids of the record; raises as Record does."""
        with self._record() as record:
            meta = record.meta()
        return layout.vectors_name(meta.get("model", ""), meta.get("generation", ""))

    def referred(self) -> dict[str, int]:
        """Vector files that views of any recipe stand on, and how many rows of each they need."""
        found: dict[str, int] = {}
        for path in layout.matching(self.folder / layout.VIEWS, f"*{SUFFIX}"):
            try:
                meta = self._meta(path.name)
            except (Damaged, FileNotFoundError):
                continue
            found[meta["vectors"]] = max(meta["rows"], found.get(meta["vectors"], 0))
        return found

    def _meta(self, file: str) -> dict[str, Any]:
        """The meta of a view file of any recipe; raises FileNotFoundError or Damaged."""
        found = sections.read(self.folder, f"{layout.VIEWS}/{file}")
        segment_schema.check_view_meta(found, file.partition("-")[0])
        return found.meta

    def publish(self, tree: str, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
        """Write a view file; a reader sees it whole or not at all."""
        name = self.name(tree)
        sections.write(self.folder, name, arrays, {**meta, "tree": tree})
        self.checksums.add(name)

    def prune(self) -> None:
        """Drop the views that were made longest ago; what those that stay stand on is kept."""
        found = self._found("*")
        bases = [name for name, base in found.items() if base is None]
        deltas = [name for name, base in found.items() if base is not None]
        kept = {*bases[:_MOST_BASES], *deltas[:_MOST_DELTAS]}
        for name in [*kept]:
            below = found[name]
            while below is not None and below not in kept:
                kept.add(below)
                below = found.get(below)
        old = [name for name in found if name not in kept]
        if old:
            self.checksums.forget(*old)
        for name in old:
            with contextlib.suppress(OSError):  # the next writer drops it
                layout.remove(self.folder / name)

    def _found(self, recipe: str) -> dict[str, str | None]:
        """Files of views, the newest first, each with the file that its delta stands on."""
        found: list[tuple[int, str, str | None]] = []
        for path in layout.matching(self.folder / layout.VIEWS, f"*-{recipe}{SUFFIX}"):
            try:
                base = self._meta(path.name)["base"]
                end = path.name[path.name.index("-") :]
                below = None if base is None else f"{layout.VIEWS}/{base}{end}"
                found.append((path.lstat().st_mtime_ns, f"{layout.VIEWS}/{path.name}", below))
            except (Damaged, OSError):
                continue
        found.sort(key=lambda one: one[:2], reverse=True)
        return {name: below for _, name, below in found}

    def holds(self, oids: Sequence[str]) -> bool:
        """Whether some view has one of these blobs, as far as 8 bytes of their ids tell."""
        wanted = np.frombuffer(b"".join(bytes.fromhex(oid)[:8] for oid in oids), np.uint64)
        for name in self._found(self.recipe):
            try:
                ids = self._open(self.tree(name))["oid"]
            except (Damaged, FileNotFoundError):
                continue
            heads = np.ascontiguousarray(ids[:, :8]).view(np.uint64)
            if np.isin(heads, wanted).any():
                return True
        return False

    def files(self) -> list[tuple[str, int]]:
        """All files of the folder with their sizes."""
        return layout.files(self.folder)

    def views(self) -> list[tuple[str, int]]:
        """Trees with a view of this recipe, and the bytes of each."""
        end = f"-{self.recipe}{SUFFIX}"
        return [
            (self.tree(name), size)
            for name, size in self.files()
            if layout.is_kept(name) and name.endswith(end)
        ]

    def foundations(self) -> list[str]:
        """Trees whose views another may stand on: the newest, those below it, all bases."""
        found = self._found(self.recipe)
        names = list(found)[:1]
        while names and (below := found.get(names[-1])) is not None and below not in names:
            names.append(below)
        names += [name for name, base in found.items() if base is None and name not in names]
        return [self.tree(name) for name in names if name in found]

    def tree(self, name: str) -> str:
        """The tree of a view file of this recipe."""
        return name.removeprefix(f"{layout.VIEWS}/").removesuffix(f"-{self.recipe}{SUFFIX}")


def arrived(repo: Repo, layers: Layers) -> bool:
    """Whether objects that were absent when a view was made have been fetched since."""
    absent = [
        segment.oid(file)
        for segment, _ in layers
        for file in np.flatnonzero(segment.skipped(ABSENT)).tolist()
    ]
    return bool(absent and blobs.sizes(repo, absent))


def open_view_store(repo: Repo, settings: Settings) -> ViewStore:
    """The shelf of a repository; nothing is read or made yet."""
    text = info_attributes(repo)
    mark = hashlib.blake2b(text, digest_size=4).hexdigest() if text.strip() else ""
    return ViewStore(repo.common_dir / layout.FOLDER, settings, mark)
