"""The hunk of a commit that answers a query, and the one that took away what is looked for."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.features import identifiers
from gitsearch.git.hunks import wordy
from gitsearch.index.commit_documents import defined_names
from gitsearch.retrieval.query import inflected

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Set

    from gitsearch.git.commit_changes import CommitChange, Hunk

# Hunks of a commit that are looked at.
_MOST = 1000
# What a term counts that the hunk removes and adds again.
_KEPT = 0.3
# What a hunk counts at least that adds as many lines as it removes.
_CHANGED = 0.3
# The share of the removed lines that must be in another file for that to have taken their place.
_MOVED = 0.5


class Removal(NamedTuple):
    """A hunk that removes what is looked for, its share of that, 0..1, and where it went."""

    hunk: Hunk
    share: float
    replaced_by: bytes | None


class AnsweringHunks:
    """Compares hunks with a query, by the rarity of the query's terms and their forms."""

    def __init__(self, rarity: Mapping[str, float]) -> None:
        self._rarity = rarity
        self._whole = sum(rarity.values()) or 1.0
        forms = {form: term for term in rarity for form in inflected(term)}
        self._term = {**forms, **{term: term for term in rarity}}
        self._terms: dict[str, frozenset[str]] = {}

    def best(self, change: CommitChange) -> Hunk | None:
        """The hunk with the rarest terms; the first one of several that are alike."""
        hunks = change.hunks[:_MOST]
        return max(hunks, key=self._score) if hunks else None

    def removal(self, change: CommitChange) -> Removal | None:
        """The hunk that takes away the most of what is looked for.

        Lines that only move within their file do not count.
        """
        hunks = change.hunks[:_MOST]
        added: dict[bytes, set[bytes]] = {}
        for one in hunks:
            lines = (line[1:].strip() for line in one.lines if _adds(line))
            added.setdefault(one.path, set()).update(lines)
        shares = [self._removed(hunk, added[hunk.path]) for hunk in hunks]
        best = max(shares, default=0.0)
        if not best:
            return None
        hunk = hunks[shares.index(best)]
        return Removal(hunk, best, _replacement(hunk, hunks))

    def _score(self, hunk: Hunk) -> float:
        return self._sum(self._found((hunk.path, hunk.around, *hunk.lines)))

    def _removed(self, hunk: Hunk, added: Set[bytes]) -> float:
        gone = [
            line[1:]
            for line in hunk.lines
            if not _adds(line) and line[1:].strip() not in added and wordy(line[1:])
        ]
        if not gone:
            return 0.0
        terms = self._found(gone)
        new = [line[1:] for line in hunk.lines if _adds(line)]
        kept = terms & self._found(new)
        share = (self._sum(terms - kept) + _KEPT * self._sum(kept)) / self._whole
        # where as many lines were written, code was rather changed than removed
        return share * max(_CHANGED, 1 - len(new) / len(hunk.lines) * 2)

    def _sum(self, terms: Iterable[str]) -> float:
        # in the order of the query, so that sums are the same each time
        wanted = frozenset(terms)
        return sum(rare for term, rare in self._rarity.items() if term in wanted)

    def _found(self, lines: Iterable[bytes]) -> set[str]:
        """The terms of the query that are in some lines."""
        found: set[str] = set()
        text = b"\n".join(lines).decode("utf-8", "replace")
        for word in set(identifiers.identifiers(text)):
            if word not in self._terms:
                parts = map(self._term.get, chain(*identifiers.terms(word)))
                self._terms[word] = frozenset(filter(None, parts))
            found |= self._terms[word]
        return found


def _adds(line: bytes) -> bool:
    return line.startswith(b"+")


def _replacement(hunk: Hunk, hunks: Iterable[Hunk]) -> bytes | None:
    """The file to which lines of a hunk went, or that now defines a name which they defined.

    Else the file itself, if other lines stand in their place.
    """
    gone = {line[1:].strip() for line in hunk.lines if not _adds(line) and wordy(line[1:])}
    names = {name for line in gone for name in defined_names(line)}
    elsewhere: Counter[bytes] = Counter()
    defining: Counter[bytes] = Counter()
    for one in hunks:
        lines = {line[1:].strip() for line in one.lines if _adds(line)}
        elsewhere[one.path] += len(gone & lines)
        defining[one.path] += sum(name in names for line in lines for name in defined_names(line))
    for path, count in elsewhere.most_common(1):
        if gone and count >= _MOVED * len(gone):
            return path
    for path, count in defining.most_common(1):
        if count:
            return path
    return hunk.path if any(map(_adds, hunk.lines)) else None
