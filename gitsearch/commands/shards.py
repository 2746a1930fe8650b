"""Calls to shards, whatever is between them and this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from gitsearch.errors import NoCluster

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# How often a question is begun, if repositories are updated meanwhile.
_TIMES = 5

Answer = TypeVar("Answer")


class Stale(NoCluster):
    """A shard is not what it was when the question began, which may be asked anew."""


class Shards(Protocol):
    """Calls methods of `ShardAnswers`."""

    def __len__(self) -> int:
        """Return the number of shards."""

    def call(self, calls: Sequence[tuple[int, str, tuple[Any, ...]]]) -> list[Any]:
        """Return the answers to calls, each a shard's number, a method and its arguments.

        What cannot be reached answers with a SearchError.
        """


def of_one_state(question: Callable[[], Answer]) -> Answer:
    """Return the answer to a question, which begins anew if a repository is updated meanwhile."""
    for _ in range(_TIMES):
        try:
            return question()
        except Stale as error:
            stale = error
    raise stale
