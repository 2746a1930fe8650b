"""Matches as columns, and results that are made of them when they are asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple, TypeVar, overload

import numpy as np

# Bytes of the digest of matches.
_DIGEST = 8

Item = TypeVar("Item")


class MadeOnDemand(Sequence[Item]):
    """A sequence whose items are made when they are asked for."""

    @abstractmethod
    def made(self, place: int) -> Item:
        """Return the item at a place, from 0."""

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        places = range(len(self))[place]
        return self.made(places) if isinstance(places, int) else list(map(self.made, places))


class Matches(NamedTuple):
    """Matches in the files of a repository, in their order there; int32 but for the scores.

    paths: of the files. place: the number of each match among all of the repository, from 0. file:
    the number of its path. start: its first line, from 1. counted: for how many matches of its
    file it counts. score: float64.
    """

    paths: tuple[str, ...]
    place: np.ndarray
    file: np.ndarray
    start: np.ndarray
    counted: np.ndarray
    score: np.ndarray

    def some(self, rows: np.ndarray) -> Matches:
        """Return some of the matches, with the paths of their files alone."""
        used, file = np.unique(self.file[rows], return_inverse=True)
        paths = tuple(self.paths[number] for number in used.tolist())
        others = (column[rows] for column in (self.start, self.counted, self.score))
        return Matches(paths, self.place[rows], file.astype(np.int32), *others)

    def order(self) -> str:
        """Return a digest of the matches in their order."""
        paths = "\0".join(self.paths).encode("utf-8", "surrogateescape")
        digest = blake2b(paths, digest_size=_DIGEST)
        for column in (self.place, self.file, self.start, self.counted, self.score):
            digest.update(column.tobytes())
        return digest.hexdigest()
