"""`git search exists WORD...`: whether a word is anywhere in the tree, with a proof."""

from __future__ import annotations

import os
import stat
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.commands.tree_selection import select_tree
from gitsearch.errors import UsageError
from gitsearch.features import whole_words
from gitsearch.git import blobs, trees, word_grep
from gitsearch.git.tree_objects import entries_at
from gitsearch.reports.lookup import ExistsReport, WordProof

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.index.word_filter import WordFilter
    from gitsearch.settings import RepositoryNames

# Edited files whose contents nobody has read yet, which git can look at where they lie.
_READABLE = ("too-large", "lfs")
# How a word is proved, the cheapest first.
_PROOFS = ("filter", "search", "none")

_ABSENT, _TOO_LARGE = "absent", "too-large"


def exists(
    session: Session,
    words: tuple[str, ...],
    at: str | None,
    *,
    cached: bool = False,
    quick: bool = False,
) -> ExistsReport:
    """The proof for each word; with `quick` no text is searched for it."""
    wanted = [_checked(word) for word in words]
    selection = select_tree(session, at=at, cached=cached)
    from gitsearch.commands.name_files import OneFile
    from gitsearch.index import word_filter

    opened = selection.open(OneFile(None))
    known = None
    if opened.tree.tree and not opened.view.rest.files:
        known = word_filter.word_filter_of(session, opened.tree.tree)
    inquiry = _Inquiry(opened, known, quick=quick)
    proofs = tuple(map(inquiry.proof, words, wanted))
    unseen = inquiry.unseen() if any(not proof.exists for proof in proofs) else {}
    return ExistsReport(opened.tree, opened.view.coverage(), proofs, unseen, opened.warnings)


def exists_in(
    session: Session,
    names: RepositoryNames,
    words: tuple[str, ...],
    at: str | None,
    *,
    cached: bool = False,
    quick: bool = False,
) -> ExistsReport:
    """The proofs of many repositories: of each that has a word, else of one that lacks it."""
    from gitsearch.commands import repositories

    for word in words:
        _checked(word)
    answers = repositories.each(
        session,
        names,
        at,
        lambda one: exists(
            one.session, words, one.at, cached=cached and one.at is None, quick=quick
        ),
    )
    proofs: list[WordProof] = []
    unseen: Counter[str] = Counter()
    for number, word in enumerate(words):
        own = [(one.name, report.words[number]) for one, report in answers.answers]
        having = [proof._replace(repository=name) for name, proof in own if proof.exists]
        # a filter proves it if that of each repository does
        how = {proof.proof for _, proof in own}
        lacking = WordProof(word, exists=False, proof=max(how, key=_PROOFS.index))
        proofs += having or [lacking]
    for _, report in answers.answers:
        unseen.update(report.unseen)
    return ExistsReport(
        words=tuple(proofs), unseen=dict(sorted(unseen.items())), **repositories.merged(answers)
    )


def _checked(word: str) -> bytes:
    if not word:
        raise UsageError("an empty word is nowhere and everywhere")
    if "\n" in word or "\0" in word:
        raise UsageError("a word cannot hold a line feed or a NUL")
    try:
        return os.fsencode(word)
    except UnicodeEncodeError:
        raise UsageError("a word cannot hold half a character") from None


class _Inquiry:
    """The places where a word can stand in one tree; what is cheap is looked at first."""

    def __init__(self, opened: OpenView, known: WordFilter | None, *, quick: bool) -> None:
        self._repo = opened.session.repo
        self._opened = opened
        self._filter = known
        self._quick = quick and known is not None
        self._edited = {file.path for file in opened.dirty}
        skipped = [
            file
            for file in opened.dirty
            if file.skip not in (None, "symlink") and stat.S_ISREG(file.mode)
        ]
        self._staged = {f.oid: f.path for f in skipped if f.oid and f.skip != _ABSENT}
        self._lying = [f.path for f in skipped if not f.oid and f.skip in _READABLE]
        self._lost = len(skipped) - len(self._staged) - len(self._lying)

    def proof(self, word: str, wanted: bytes) -> WordProof:
        """The proof that a word exists or not, and a place of it."""
        for path, data in self._in_memory():
            at = whole_words.place(data, wanted)
            if at is not None:
                return _at(word, path, whole_words.line_of(data, at))
        maybe = self._may_be_in_tree(wanted)
        if self._quick:
            sure = not maybe and not self.unseen()
            return WordProof(word, maybe, "filter" if sure else "none")
        for path, oid in self._in_git(wanted, maybe=maybe):
            return _at(word, path, self._line(oid, wanted))
        return WordProof(word, exists=False, proof="search" if maybe else "filter")

    def unseen(self) -> dict[str, int]:
        """Files that nobody looked at, by reason."""
        counts = Counter(self._unread_counts() if self._quick else {})
        counts[_ABSENT] = len(self._absent)
        counts["unreadable"] = self._lost
        return {reason: count for reason, count in sorted(counts.items()) if count}

    def _may_be_in_tree(self, wanted: bytes) -> bool:
        if self._opened.tree.tree is None:
            return False
        return self._filter is None or self._filter.may_hold(wanted)

    def _in_memory(self) -> Iterator[tuple[bytes, bytes]]:
        """Edited files, and those that the filter knows nothing of."""
        beside = self._filter.beside if self._filter else ()
        others = (file for file in beside if file.path not in self._edited)
        for file in (*self._opened.dirty, *others):
            if file.data is not None:
                yield file.path, file.data

    def _in_git(self, wanted: bytes, *, maybe: bool) -> Iterator[tuple[bytes, str | None]]:
        """Files that hold a word, each with its blob: of the tree, and edited ones unread yet."""
        if maybe:
            yield from self._in_tree(wanted)
        elif self._unread:
            yield from self._in_blobs(self._unread, wanted)
        if self._staged:
            for oid in word_grep.in_blobs(self._repo, list(self._staged), wanted):
                yield self._staged[oid], oid
        if self._lying:
            for path in word_grep.in_worktree(self._repo, self._lying, wanted):
                yield path, None

    def _in_tree(self, wanted: bytes) -> Iterator[tuple[bytes, str | None]]:
        tree = self._opened.tree.tree
        assert tree is not None
        if self._absent:
            # git would end at the first blob that is not here
            here = [oid for oid in self._listed if oid not in self._absent]
            yield from self._in_blobs(here, wanted)
            return
        for path in word_grep.in_tree(self._repo, tree, wanted):
            if path not in self._edited:
                yield path, self._oid(tree, path)

    def _oid(self, tree: str, path: bytes) -> str | None:
        place = self._opened.view.find(path)
        if place is not None:
            return place[0].oid(place[1])
        entry = entries_at(self._repo, tree, [path]).get(path)
        return entry.oid if entry else None

    def _in_blobs(self, oids: Sequence[str], wanted: bytes) -> Iterator[tuple[bytes, str | None]]:
        for oid in word_grep.in_blobs(self._repo, oids, wanted):
            for path in self._listed.get(oid, ()):
                yield path, oid

    def _line(self, oid: str | None, wanted: bytes) -> int | None:
        data = blobs.read_one(self._repo, oid) if oid else None
        at = None if data is None else whole_words.place(data, wanted)
        return None if data is None or at is None else whole_words.line_of(data, at)

    @cached_property
    def _unread(self) -> list[str]:
        """Blobs that the filter knows nothing of and that are here."""
        every = self._filter.unread.values() if self._filter else ()
        return list(blobs.sizes(self._repo, [oid for oids in every for oid in oids]))

    def _unread_counts(self) -> dict[str, int]:
        unread = self._filter.unread if self._filter else {}
        counts = {reason: len(oids) for reason, oids in unread.items() if reason != _ABSENT}
        edited = len(self._staged) + len(self._lying)
        return {**counts, _TOO_LARGE: counts.get(_TOO_LARGE, 0) + edited}

    @cached_property
    def _listed(self) -> dict[str, list[bytes]]:
        """The paths in the tree, but edited ones, by blob."""
        listed: dict[str, list[bytes]] = {}
        tree = self._opened.tree.tree
        for entry in trees.list_tree(self._repo, tree) if tree else ():
            if entry.regular and entry.path not in self._edited:
                listed.setdefault(entry.oid, []).append(entry.path)
        return listed

    @cached_property
    def _absent(self) -> set[str]:
        """Blobs of the tree that this clone does not have, whether or not they are searched."""
        view = self._opened.view
        said = any(_ABSENT in one.meta["reasons"] for one in view.segments)
        if not (self._repo.partial or said or view.rest.files):
            return set()
        return set(self._listed) - blobs.sizes(self._repo, list(self._listed)).keys()


def _at(word: str, path: bytes, line: int | None) -> WordProof:
    return WordProof(word, True, "search", path.decode("utf-8", "surrogateescape"), line)
