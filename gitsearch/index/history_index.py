"""The index of history: which commits matter, which of them are indexed, and the rest of them.

What is kept of a commit depends on that commit alone, and all statistics are taken over the
commits that matter to a question, so that answers do not depend on how the index came about. A
commit whose files a partial clone lacks is kept by its message, and read again once they are here.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.features.embedding import packed_size
from gitsearch.git import commit_changes, commit_records
from gitsearch.git.blame import shallow_commits
from gitsearch.git.commit_changes import CommitChange
from gitsearch.git.regular_file import read
from gitsearch.index import history_segment
from gitsearch.index.history_segment import keys
from gitsearch.index.versions import HISTORY_VERSION, TOKEN_VERSION
from gitsearch.settings import OFF, SOON, WAIT
from gitsearch.store import cache_files, layout, lock, sections
from gitsearch.store.checksums import file_state
from gitsearch.store.section_schema import Array, check_arrays, check_meta

if TYPE_CHECKING:
    from gitsearch.index.history_segment import CommitFacts
    from gitsearch.index.session import Session
    from gitsearch.index.view_store import ViewStore
    from gitsearch.store.sections import Sections

# The commits that matter to a question, kept by the newest of them.
WINDOW_SUFFIX = ".commits"
WINDOW_ARRAYS = {
    "commit": Array("uint8", "N x id"),
    "place": Array("uint", "N", below="N"),
}

# Commits of a segment that is not merged any more, and small segments that are.
SEGMENT = 2000
_MOST_SMALL = 8
# Commits whose text is in memory at once, and seconds that a question waits for new ones.
_BATCH = 100
PATIENCE = 1.5
# Seconds for which a writer waits for another one.
_WAIT = 10.0
_MOST_GRAFTS = 1 << 20


class Window(NamedTuple):
    """The newest commits that one reaches, at most `limit`.

    ids: uint8 (N, bytes), sorted; place: the position of each, the newest is 0; cut: there are
    older ones.
    """

    ids: np.ndarray
    place: np.ndarray
    limit: int
    cut: bool


class IndexedCommits(NamedTuple):
    """The arrays of a segment, and which of its commits are in the window: bool (N)."""

    arrays: Sections
    in_window: np.ndarray


class OpenHistory(NamedTuple):
    """The indexed commits of a window.

    pending: how many commits of the window are not indexed; absent: how many are without their
    change, as git could not tell it.
    """

    window: Window
    segments: tuple[IndexedCommits, ...]
    pending: int
    absent: int
    warnings: tuple[str, ...] = ()


def recipe_of(store: ViewStore) -> str:
    """Return a short hash of all that is kept of a commit besides the commit itself.

    With grafts, and where a shallow clone ends, commits have other parents. Raises BadModel.
    """
    parts = [f"{HISTORY_VERSION}.{TOKEN_VERSION}", store.fingerprint]
    for name in ("shallow", "info/grafts"):
        with contextlib.suppress(OSError):
            # the folder lies in that of the repository
            parts.append(read(store.folder.parent / name, _MOST_GRAFTS).decode("latin-1"))
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=4).hexdigest()


def segment_names(store: ViewStore, recipe: str) -> list[str]:
    """Return the names of the segments of a recipe, sorted."""
    found = layout.matching(store.folder / layout.VIEWS, f"*-{recipe}{history_segment.SUFFIX}")
    names = (f"{layout.VIEWS}/{path.name}" for path in found)
    return sorted(name for name in names if layout.is_kept(name))


def checks(store: ViewStore) -> dict[str, Callable[[Sections], None]]:
    """Return the functions that check the arrays of files, by the end of their names."""
    width = packed_size(store.model.dims)
    recipe = recipe_of(store)
    return {
        f"-{recipe}{history_segment.SUFFIX}": lambda file: history_segment.check(file, width),
        f"-{recipe}{WINDOW_SUFFIX}": check_window,
    }


class HistoryIndex:
    """The segments of one repository."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._repo = session.repo
        self._store = session.store
        self._recipe = recipe_of(session.store)
        self._memory: list[Sections] = []

    @cached_property
    def _width(self) -> int:
        return packed_size(self._store.model.dims)

    # ------------------------------------------------------------ reading

    def open(self, commit: str, refresh: str, *, again: bool = False) -> OpenHistory:
        """Open the index for the commits that one reaches; what it lacks is added as asked for.

        refresh: as for a search. again: all commits without their change are read again, else only
        if some of it has arrived. Raises BadModel and GitFailed.
        """
        window = self.window(commit, keep=refresh != OFF)
        with trace.stage("history"):
            opened, missing, absent = self._opened(window)
        if refresh not in (WAIT, SOON):
            return opened
        if len(absent) and not again and not self._arrived(absent):
            absent = absent[:0]
        wanted = np.concatenate([missing, absent])
        if not len(wanted):
            return opened
        deadline = None if refresh == WAIT else time.monotonic() + PATIENCE
        with trace.stage("commits"):
            said, done = self.add(wanted, deadline)
        opened, *_ = self._opened(window)
        # the missing ones came first
        late = min(len(wanted) - done, len(absent))
        return opened._replace(
            pending=opened.pending + late, absent=opened.absent - late, warnings=said
        )

    def _arrived(self, absent: np.ndarray) -> bool:
        """True if git can tell the change of one of the newest, middle and oldest commits.

        To look at all of them would cost each question seconds in a large partial clone.
        """
        few = {absent[place].tobytes().hex() for place in (0, len(absent) // 2, -1)}
        records = commit_records.read_commits(self._repo, few)
        pairs = [(one.oid, (*one.parents, "")[0]) for one in records.values()]
        nothing = commit_changes.Bounds(0, 0, 0)
        with contextlib.closing(
            commit_changes.read_changes(self._repo, pairs, nothing)
        ) as changes:
            return any(not change.absent for change in changes)

    def window(self, commit: str, *, keep: bool) -> Window:
        """The commits that matter: the newest that a commit reaches, by their dates."""
        limit = self._session.settings.history_depth
        digest = hashlib.blake2b(f"{commit} {limit}".encode(), digest_size=20).hexdigest()
        name = f"{layout.VIEWS}/{digest}-{self._recipe}{WINDOW_SUFFIX}"
        kept = cache_files.load(self._store.folder, name, check_window)
        if kept is not None:
            cut = len(kept["commit"]) > limit
            return _limited(kept["commit"], kept["place"].astype(np.int64), limit, cut=cut)
        found = commit_records.newest_commits(self._repo, commit, limit + 1)
        ids = np.frombuffer(bytes.fromhex("".join(found)), np.uint8).reshape(len(found), -1)
        order = np.argsort(keys(ids), kind="stable")
        if keep and self.exists():
            arrays: dict[str, np.ndarray] = {
                "commit": ids[order],
                "place": order.astype(np.uint32),
            }
            kind = f"*{WINDOW_SUFFIX}"
            cache_files.keep(self._store.folder, name, arrays, {}, kind)
        return _limited(ids[order], order, limit, cut=len(found) > limit)

    def exists(self) -> bool:
        """Return True if some commits are indexed."""
        return bool(segment_names(self._store, self._recipe))

    def _segments(self) -> Iterator[Sections]:
        for name in segment_names(self._store, self._recipe):
            # what is damaged is made anew, as what is missing
            with contextlib.suppress(Damaged, FileNotFoundError):
                seen = file_state(self._store.folder / name)
                file = sections.read(self._store.folder, name)
                if not self._store.checksums.holds(name):
                    file.check()
                    history_segment.check(file, self._width)
                    self._store.checksums.vouch(name, seen)
                trace.count("files mapped")
                trace.count("bytes mapped", file.size)
                yield file
        yield from self._memory

    def _opened(self, window: Window) -> tuple[OpenHistory, np.ndarray, np.ndarray]:
        """The segments with commits of the window, and ids of others, the newest first.

        They are those that no segment has, and those that no segment has with their change.
        """
        wanted = keys(window.ids)
        files = [file for file in self._segments() if keys(file["commit"]).dtype == wanted.dtype]
        seen = np.zeros(len(wanted), bool)
        found = [self._unseen(file, wanted, seen, file["absent"] == 0) for file in files]
        whole = seen.copy()
        for file, own in zip(files, found, strict=True):
            own |= self._unseen(file, wanted, seen, file["absent"] != 0)
        segments = tuple(
            IndexedCommits(file, own) for file, own in zip(files, found, strict=True) if own.any()
        )
        missing, absent = (
            window.ids[places[np.argsort(window.place[places])]]
            for places in (np.flatnonzero(~seen), np.flatnonzero(seen & ~whole))
        )
        return OpenHistory(window, segments, len(missing), len(absent)), missing, absent

    @staticmethod
    def _unseen(
        file: Sections, wanted: np.ndarray, seen: np.ndarray, which: np.ndarray
    ) -> np.ndarray:
        """Return the wanted commits of a file that are not seen yet, bool (N), and mark them."""
        own = keys(file["commit"])
        at = np.minimum(np.searchsorted(wanted, own), max(len(wanted) - 1, 0))
        found: np.ndarray = (wanted[at] == own) & ~seen[at] & which
        seen[at[found]] = True
        return found

    # ------------------------------------------------------------ writing

    def add(self, missing: np.ndarray, deadline: float | None) -> tuple[tuple[str, ...], int]:
        """Index commits, given by their ids, in order until a time of the monotonic clock.

        Returns what is to be said, and how many commits are done. What was done when the process
        is killed is lost up to the last segment.
        """
        said: dict[str, None] = {}
        done = 0
        waiting: list[CommitFacts] = []
        for facts in self._facts(missing, deadline):
            waiting.append(facts)
            done += len(facts.ids)
            if sum(len(part.ids) for part in waiting) >= SEGMENT:
                said.update(dict.fromkeys(self._write(waiting)))
                waiting = []
        if waiting:
            said.update(dict.fromkeys(self._write(waiting)))
        return tuple(said), done

    def _facts(self, missing: np.ndarray, deadline: float | None) -> Iterator[CommitFacts]:
        # who only reads does without these
        from gitsearch.index import commit_documents
        from gitsearch.index.segment_input import Dictionary

        model = self._store.model
        dictionary = Dictionary(model.tokens)
        oids = [row.tobytes().hex() for row in missing]
        ends = shallow_commits(self._repo)
        progress = self._session.progress
        try:
            for start in range(0, len(oids), SEGMENT):
                part = oids[start : start + SEGMENT]
                records = commit_records.read_commits(self._repo, part)
                known = [records[oid] for oid in part if oid in records]
                # the change of a commit at which a shallow clone ends is not known
                whole = [one for one in known if one.oid not in ends]
                pairs = [(one.oid, (*one.parents, "")[0]) for one in whole]
                bounds = commit_documents.BOUNDS
                with contextlib.closing(
                    commit_changes.read_changes(self._repo, pairs, bounds)
                ) as changes:
                    documents = (
                        commit_documents.document(
                            one.oid,
                            one.seconds,
                            one.message,
                            CommitChange(one.oid) if one.oid in ends else next(changes),
                            merge=len(one.parents) > 1,
                        )
                        for one in known
                    )
                    done = start
                    while batch := list(islice(documents, _BATCH)):
                        yield history_segment.facts_of(batch, model, dictionary)
                        done += len(batch)
                        progress.update("commits", done, len(oids), 0)
                        if deadline is not None and time.monotonic() > deadline:
                            return
        finally:
            progress.close()

    def _write(self, parts: Sequence[CommitFacts]) -> Iterator[str]:
        """Write a segment, with small ones that are there; in memory if that is not possible."""
        facts = history_segment.joined_facts(parts)
        try:
            layout.prepare(self._store.folder)
            with lock.writer(self._store.folder, _WAIT):
                self._publish(facts)
        except (Busy, Unwritable, OSError) as error:
            arrays = history_segment.arrays_of(facts)
            self._memory.append(sections.Sections(arrays, {}, "a segment in memory"))
            reason = error.message if isinstance(error, Unwritable | Busy) else str(error)
            yield f"{reason}; commits are indexed in memory"

    def _publish(self, facts: CommitFacts) -> None:
        small = [file for file in self._segments() if file.size and len(file["commit"]) < SEGMENT]
        merged = [file.name for file in small] if len(small) >= _MOST_SMALL else []
        if merged:
            parts = [facts, *(history_segment.facts_in(file) for file in small)]
            facts = history_segment.joined_facts(parts)
        written = []
        for start in range(0, len(facts.ids), SEGMENT):
            count = min(SEGMENT, len(facts.ids) - start)
            part = history_segment.chosen(facts, np.arange(start, start + count))
            name = history_segment.name_of(part.ids, self._recipe)
            sections.write(self._store.folder, name, history_segment.arrays_of(part), {})
            written.append(name)
        self._store.checksums.add(*written)
        self._store.drop(*(name for name in merged if name not in written))


def _limited(ids: np.ndarray, place: np.ndarray, limit: int, *, cut: bool) -> Window:
    """A window without the commit that only shows that there are more."""
    kept = place < limit
    return Window(ids[kept], place[kept], limit, cut)


def check_window(file: Sections) -> None:
    """Raise Damaged unless a file holds commits, each once and each with its place."""
    check_meta(file.meta, {}, file.name)
    check_arrays(file, WINDOW_ARRAYS, {})
    places = np.bincount(file["place"], minlength=1)
    own = keys(file["commit"])
    if (len(own) and (places != 1).any()) or (own[1:] <= own[:-1]).any():
        raise Damaged(file.name, "section 'place' does not order commits")
