"""The files that are looked at for exact text: those that may have its words, or all."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gitsearch import trace
from gitsearch.commands.tree_selection import unmatched
from gitsearch.git import blobs, trees
from gitsearch.git.attributes import info_attributes
from gitsearch.git.index_flags import flagged_files
from gitsearch.git.line_grep import Place
from gitsearch.git.tree_objects import entries_at
from gitsearch.git_conventions import ATTRIBUTES_FILE
from gitsearch.index.open_view import ViewOpener
from gitsearch.index.stored_view import StoredView, stored_view
from gitsearch.index.view_store import ABSENT, LISTED
from gitsearch.reports.search import Coverage, TreeName
from gitsearch.retrieval.file_pruning import Words
from gitsearch.retrieval.required_words import NOTHING
from gitsearch.settings import BACKGROUND, SOON, WAIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.git.index_flags import FlaggedFile
    from gitsearch.git.repo import Repo
    from gitsearch.index.session import Session
    from gitsearch.index.view import Segment
    from gitsearch.records import DirtyFile, Revision, TreeEntry
    from gitsearch.retrieval.required_words import Requirement
    from gitsearch.settings import SearchRequest

# More files are not named to git one by one: to look at all of them takes less time. Of the index
# git compares each file with each name, in a tree it walks to each.
MOST_NAMED, _MOST_OF_INDEX, _MOST_OF_TREE = 1600, 400, 4000
_SHARE_OF_TREE = 16

# Trees that differ from the one of a view in more files get one of their own, in the background.
_FEW_CHANGES = 8

# Files that git has, too, but that `git grep -I` does not look at.
_NEVER_SEARCHED = ("binary", "symlink", "submodule")

# Attributes by which the text in the working tree is not the one that git stores. Git LFS keeps
# pointers, which are no text to the index either.
_CONVERTED = re.compile(rb"\s(?:filter=(?!lfs\b)\S|ident\b|working-tree-encoding=)")
# Attributes that decide which files are binary, and the one that makes any file text.
_BINARY, _TEXT = re.compile(rb"\s-?(?:binary|diff)\b"), re.compile(rb"\sdiff\b(?!=)")


@dataclass(frozen=True)
class FilesToSearch:
    """The place in which git looks for lines, and what is known of its files.

    stored: the nearest view, without edited files; words: of its segments. edited: files that
    differ from the tree, by path. reasons: why the index would skip each file ("": it would not),
    if no view tells it.
    """

    place: Place
    tree: TreeName
    coverage: Coverage
    stored: StoredView | None
    words: Sequence[Words]
    edited: Mapping[bytes, DirtyFile]
    reasons: Mapping[bytes, str]
    warnings: tuple[str, ...] = ()


def files_to_search(
    selection: TreeSelection, request: SearchRequest, required: Requirement
) -> FilesToSearch:
    """Choose the files; the index is made meanwhile where there is none.

    Raises SearchError.
    """
    refresh = request.refresh or selection.session.settings.refresh
    if refresh == WAIT:
        opened = selection.open()
        revision, dirty, rev = selection.revision, list(opened.dirty), opened.tree.rev
        known = _Known(selection, revision, required)
    else:
        known = _Known(selection, selection.revision, required)  # while git looks for edited files
        revision, dirty, rev = selection.chosen()
        if revision != known.revision:
            known = _Known(selection, revision, required)
    if refresh in (SOON, BACKGROUND) and known.is_far and revision is not None:
        opener = ViewOpener(selection.session, refresh)
        opener.make_meanwhile(revision.tree)
    name = TreeName(
        rev, revision.commit if revision else None, revision.tree if revision else None, len(dirty)
    )
    return known.files(request, dirty, name)


class _Known:
    """What the nearest view knows of a tree, and of the words that are required."""

    def __init__(
        self, selection: TreeSelection, revision: Revision | None, required: Requirement
    ) -> None:
        self.revision = revision
        self._selection = selection
        self._repo: Repo = selection.session.repo
        is_of_worktree = selection.at is None and not selection.cached
        self._flagged: Mapping[bytes, FlaggedFile] | None = None
        if is_of_worktree and self._repo.worktree is not None:
            self._flagged = flagged_files(self._repo)
        with trace.stage("view"):
            self._stored = stored_view(selection.session, revision.tree) if revision else None
        segments = self._stored.segments if self._stored else ()
        self._words: list[Words] = []
        self._may_have: list[np.ndarray] = []
        if required != NOTHING:
            with trace.stage("words"):
                self._words = [Words(segment) for segment in segments]
                self._may_have = [words.may_have(required) for words in self._words]

    @property
    def is_far(self) -> bool:
        """True if most questions would be answered sooner with a view of this tree."""
        return self._stored is None or len(self._stored.changes) > _FEW_CHANGES

    def files(
        self, request: SearchRequest, dirty: Sequence[DirtyFile], name: TreeName
    ) -> FilesToSearch:
        """Return the files to look at."""
        edited = {file.path: file for file in dirty}
        # other attributes may change what is said of files that did not change
        has_rules = any(path.endswith(ATTRIBUTES_FILE) for path in edited)
        stored = self._stored.without(edited) if self._stored and not has_rules else None
        place = self._place()
        paths: Sequence[bytes] | None = None
        if stored and self._may_have:
            paths = self._candidates(stored, edited, place)
        warnings: tuple[str, ...] = ()
        reasons = {} if stored else self._reasons(edited)
        coverage = self._coverage(stored, edited, reasons)
        if self._repo.partial and (paths is None or place.stored):
            place, lost = self._without_absent(place)
            if paths is None:
                paths = place.paths
                if lost:
                    warnings = (f"{lost} of {coverage.tracked} files are not in this clone",)
        if paths is None:
            place = place._replace(pathspecs=request.pathspecs)
        else:
            if request.pathspecs:
                allowed = matched(self._selection.session, place, request.pathspecs)
                paths = [path for path in paths if path in allowed]
            place = place._replace(paths=sorted(paths))
        return FilesToSearch(place, name, coverage, stored, self._words, edited, reasons, warnings)

    def _place(self) -> Place:
        selection = self._selection
        if self._flagged is not None:
            return Place(untracked=selection.untracked, stored=self._flagged)
        if selection.cached:
            return Place(cached=True)
        revision = self.revision
        # in a commit, and not in a tree, git looks at attributes
        return Place(tree=revision and (revision.commit or revision.tree))

    # ------------------------------------------------------------ files with the words

    def _candidates(
        self, stored: StoredView, edited: Mapping[bytes, DirtyFile], place: Place
    ) -> list[bytes] | None:
        """Return the files that may have the words; None if all are to be looked at."""
        never, revision = set(_NEVER_SEARCHED), self.revision
        if place.tree:
            never.add(ABSENT)
        rules = b"".join(self._rules(stored))
        if not place.tree and _CONVERTED.search(rules):
            return None
        by_tree = revision is not None and revision.commit is None
        if place.tree and by_tree and _BINARY.search(rules):
            return None
        if _TEXT.search(rules) or (place.tree and self._has_other_rules(stored, rules)):
            never.discard("binary")
        most = _MOST_OF_INDEX if place.cached else MOST_NAMED
        if place.tree:
            most = min(_MOST_OF_TREE, stored.files // _SHARE_OF_TREE)
        beside = [entry.path for entry in self._beside(stored, edited) if entry.regular]
        present = [file.path for file in edited.values() if file.data is not None or file.skip]
        paths = [*beside, *present]
        chosen = []
        for segment, live, may_have in zip(
            stored.segments, stored.live, self._may_have, strict=True
        ):
            names = segment.meta["reasons"]
            listed = np.asarray([name in LISTED or not name for name in names])
            unread = np.asarray([name not in (*never, *LISTED, "") for name in names])
            reason = segment["reason"]
            chosen.append(np.flatnonzero((may_have & listed[reason] | unread[reason]) & live))
        if len(paths) + sum(map(len, chosen)) > most:
            return None
        for segment, rows in zip(stored.segments, chosen, strict=True):
            paths += map(segment.path, rows.tolist())
        if sum(path in place.stored for path in paths) > _MOST_OF_INDEX:
            return None
        return paths

    def _beside(
        self, stored: StoredView, edited: Mapping[bytes, DirtyFile]
    ) -> Iterator[TreeEntry]:
        """Yield what the tree has in place of what the view has, as far as it is not edited."""
        for path, change in stored.changes.items():
            if change.new is not None and path not in edited:
                yield change.new

    def _rules(self, stored: StoredView) -> Iterable[bytes]:
        """Yield the attributes that are in force, as far as they are the repository's."""
        yield b"\n" + info_attributes(self._repo)
        oids = [
            segment.oid(row)
            for segment, live in zip(stored.segments, stored.live, strict=True)
            for row in _rows_named(segment, ATTRIBUTES_FILE)
            if live[row]
        ]
        for _, data in blobs.read_blobs(self._repo, oids):
            yield b"\n" + (data or b"")

    def _has_other_rules(self, stored: StoredView, rules: bytes) -> bool:
        """Return True if files that were binary in a tree may be text by today's attributes."""
        head, own = self._selection.head, self.revision
        if not _BINARY.search(rules) or head == own or head is None or own is None:
            return False
        paths = [
            segment.path(row)
            for segment in stored.segments
            for row in _rows_named(segment, ATTRIBUTES_FILE)
        ]
        return entries_at(self._repo, head.tree, paths) != entries_at(self._repo, own.tree, paths)

    # ------------------------------------------------------------ all files

    def _without_absent(self, place: Place) -> tuple[Place, int]:
        """Leave out the blobs that this clone lacks, at which git would end; with their number."""
        if place.tree:
            entries = trees.list_tree(self._repo, place.tree)
        elif place.cached:
            entries = trees.list_index(self._repo)
        else:
            entries = [file.entry for file in place.stored.values()]
        files = [entry for entry in entries if entry.regular]
        sizes = blobs.sizes(self._repo, [entry.oid for entry in files])
        present = [entry.path for entry in files if entry.oid in sizes]
        lost = len(files) - len(present)
        if lost and (place.tree or place.cached):
            place = place._replace(paths=present)
        elif lost:
            place = place._replace(stored={path: place.stored[path] for path in present})
        return place, lost

    def _reasons(self, edited: Mapping[bytes, DirtyFile]) -> dict[bytes, str]:
        """Return why the index would skip each file of the tree, as paths and attributes tell."""
        from gitsearch.index.file_selection import path_reasons  # loaded only without a view

        listed = trees.list_tree(self._repo, self.revision.tree) if self.revision else []
        entries = trees.with_edits(listed, edited.values())
        contents = {file.oid: file.data for file in edited.values() if file.data is not None}
        reasons = path_reasons(self._repo, entries.values(), contents)
        return reasons | {path: file.skip for path, file in edited.items() if file.skip}

    def _coverage(
        self,
        stored: StoredView | None,
        edited: Mapping[bytes, DirtyFile],
        reasons: Mapping[bytes, str],
    ) -> Coverage:
        """Count the files: those that the index skips are searched, if they are text and here."""
        counts: Counter[str] = Counter(reasons.values())
        if stored is not None:
            for segment, live in zip(stored.segments, stored.live, strict=True):
                sizes = np.bincount(segment["reason"][live], minlength=1).tolist()
                counts.update(dict(zip(segment.meta["reasons"], sizes, strict=False)))
            counts.update(entry.special for entry in self._beside(stored, edited))
            present = (file for file in edited.values() if file.data is not None or file.skip)
            counts.update(file.skip or "" for file in present)
        skipped = {
            reason: counts[reason] for reason in sorted((*_NEVER_SEARCHED, ABSENT, "unreadable"))
        }
        tracked = counts.total()
        return Coverage(tracked, tracked - sum(skipped.values()), skipped, 0)


def matched(session: Session, place: Place, pathspecs: Sequence[str]) -> set[bytes]:
    """Return the paths that pathspecs match. Raises BadPath if there are none."""
    if place.tree:
        paths = trees.match_paths(session.repo, place.tree, pathspecs)
    else:
        paths = trees.match_worktree(session.repo, pathspecs, untracked=place.untracked)
    if not paths:
        edited = not (place.tree or place.cached or place.untracked)
        raise unmatched(session, pathspecs, edited=edited)
    return paths


def _rows_named(segment: Segment, name: bytes) -> list[int]:
    """Return the files of a segment whose paths end with a name."""
    text, ends = segment["path_text"].tobytes(), segment["path_ends"].astype(np.int64)
    rows = []
    place = text.find(name)
    while place >= 0:
        row = int(np.searchsorted(ends, place, side="right")) - 1
        if int(ends[row + 1]) == place + len(name):
            rows.append(row)
        place = text.find(name, place + 1)
    return rows
