"""Pages of an answer: a token names the question and the results that were given."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.errors import BadContinuation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.reports.search import Result

# Bytes of a token: the digest of the question, how many results of an ordered list were given,
# and the digest of each result of a ranking that was given.
_QUESTION, _START, _RESULT = 8, 4, 4

# The most results of a ranking that all pages together have: a token names each of them.
MOST_RANKED = 1000


class Page(NamedTuple):
    """What the pages before gave: the first results of an ordered list, or some of a ranking.

    The order of a ranking depends on how many results are asked for, so that a place in it says
    nothing about the next page.
    """

    question: bytes
    start: int = 0
    given: frozenset[bytes] = frozenset()

    def rest(self, results: Sequence[Result]) -> list[Result]:
        """Return the results that no page before this one had."""
        left = results[self.start :]
        return [result for result in left if not self.given or _digest(result) not in self.given]

    def after(self, results: Sequence[Result], *, ordered: bool) -> str | None:
        """Return the token for the page after these results; None if there can be none."""
        if ordered:
            return _token(self.question, self.start + len(results), frozenset())
        given = self.given.union(map(_digest, results))
        return _token(self.question, 0, given) if len(given) < MOST_RANKED else None


def question_digest(state: object) -> bytes:
    """Return the digest of all that an answer depends on; it has the same repr in each process."""
    data = repr(state).encode("utf-8", "surrogateescape")
    return blake2b(data, digest_size=_QUESTION).digest()


def continued(question: bytes, token: str) -> Page:
    """Return the page of a token; raises BadContinuation for one of another question."""
    try:
        data = urlsafe_b64decode(token.encode() + b"=" * (-len(token) % 4))
    except ValueError:
        data = b""
    known = _QUESTION + _START
    count, odd = divmod(len(data) - known, _RESULT)
    if odd or not 0 <= count < MOST_RANKED:
        raise BadContinuation("--continue: this is no token of an answer", "ask without it")
    if data[:_QUESTION] != question:
        raise BadContinuation(
            "--continue: the answer that this token belongs to was to another question, or about "
            "another tree, or by another version",
            "ask without it",
        )
    starts = range(known, len(data), _RESULT)
    given = frozenset(data[at : at + _RESULT] for at in starts)
    return Page(question, int.from_bytes(data[_QUESTION:known]), given)


def _token(question: bytes, start: int, given: frozenset[bytes]) -> str:
    data = b"".join((question, start.to_bytes(_START), *sorted(given)))
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _digest(result: Result) -> bytes:
    """What tells a result from the others: chance confuses two of a thousand in 4 million."""
    place = f"{result.path}\0{result.start}\0{result.end}\0{result.symbol}"
    return blake2b(place.encode("utf-8", "surrogateescape"), digest_size=_RESULT).digest()
