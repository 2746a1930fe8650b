"""Pages of an answer: a token names the question and the results that the pages before gave."""

from __future__ import annotations

import re
from collections.abc import Collection
from hashlib import blake2b
from typing import NamedTuple

from gitsearch.errors import BadContinuation
from gitsearch.settings import MOST_SHOWN, whole_number

# Bytes of the digest of a question.
_DIGEST = 5
_TOKEN = re.compile(r"([0-9a-f]{10})-(\d+)-(\d+)((?:-\d+)*)", re.ASCII)

# The most results that are left out by one page for the next.
MOST_LEFT = 200
_LONGEST = 8 * MOST_LEFT


class Page(NamedTuple):
    """Where a page of an answer begins; results are known by their ranks, from 1.

    first: how many results the first page was ranked for. before: the highest rank of the pages
    before; left: the ranks up to there that no page has had.
    """

    question: str
    first: int
    before: int = 0
    left: tuple[int, ...] = ()

    def after(self, passed: Collection[int]) -> str:
        """Return the token for the page after one that gave, or passed over, these ranks."""
        before = max(passed, default=self.before)
        ranks = (*self.left, *range(self.before + 1, before + 1))
        left = [rank for rank in ranks if rank not in passed][:MOST_LEFT]
        return "-".join([self.question, *map(str, (self.first, before, *left))])


def question_digest(state: object) -> str:
    """Return the digest of all that an answer depends on; it has the same repr in each process."""
    data = repr(state).encode("utf-8", "surrogateescape")
    return blake2b(data, digest_size=_DIGEST).hexdigest()


def continued(question: str, token: str) -> Page:
    """Return the page of a token; raises BadContinuation for one of another question."""
    match = _TOKEN.fullmatch(token[:_LONGEST])
    texts = (match[2], match[3], *match[4].split("-")[1:]) if match else ()
    numbers = [whole_number(text, 1, MOST_SHOWN) for text in texts]
    if match is None or None in numbers:
        raise BadContinuation("--continue: this is no token of an answer", "ask without it")
    if match[1] != question:
        raise BadContinuation(
            "--continue: the token belongs to an answer to another question, about another tree, "
            "from an index that has grown since, or of another version",
            "ask without it",
        )
    first, before, *left = (number or 0 for number in numbers)
    return Page(question, first, before, tuple(left))
