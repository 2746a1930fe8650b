"""Rankings, kept on disk for the same question about the same tree with the same edits.

The name of each is a hash of all that the ranking depends on; the text of the results is not kept.
"""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from gitsearch import __version__, trace
from gitsearch.errors import Damaged
from gitsearch.index.overlay_cache import digest_of
from gitsearch.retrieval.engine import Ranked
from gitsearch.settings import SOON, WAIT
from gitsearch.store import cache_files, layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.open_view import OpenView
    from gitsearch.retrieval.engine import Options
    from gitsearch.settings import SearchRequest
    from gitsearch.store.sections import Sections

SUFFIX = ".answer"

# Of fewer chunks the ranking takes no longer than writing it down.
_MANY = 1 << 15

# The most rankings that are kept.
_MOST = 64

_LEGS = ("lexical", "dense", "symbol")


class AnswerCache:
    """The kept rankings of one question, by the options of the engine.

    reader: what the order of the reader depends on; "" without it.
    """

    def __init__(self, request: SearchRequest, opened: OpenView, reader: str) -> None:
        self._opened = opened
        session = opened.session
        below = [segment.meta.get("tree") for segment in opened.view.segments]
        said = [words and words.digest for words in opened.view.described]
        # pathspecs are relative to the folder
        self._state = (__version__, request.question, session.repo.prefix, below, said, reader)
        refresh = request.refresh or session.settings.refresh
        self._used = (
            refresh in (WAIT, SOON)
            and opened.view.starts[-1] >= _MANY
            and not opened.view.rest.files
            and bool(opened.tree.tree)
            and not request.explain
            # the names of branches say another thing tomorrow
            and request.changed is None
            and request.removed is None
        )

    def load(self, options: Options) -> list[Ranked] | None:
        """Return a kept ranking; None if there is none, or a damaged one."""
        if not self._used:
            return None
        folder = self._opened.session.store.folder
        kept = cache_files.load(folder, self._name(options), self._check)
        if kept is None:
            return None
        trace.count("answers from the cache")
        ranks = kept["rank"].reshape(-1, len(_LEGS)).tolist()
        columns = zip(
            kept["row"].tolist(),
            kept["score"].tolist(),
            kept["symbol"].tolist(),
            kept["fit"].tolist(),
            kept["support"].tolist(),
            kept["read"].tolist(),
            ranks,
            strict=True,
        )
        return [
            Ranked(
                row,
                score,
                _legs(places),
                {},
                None if symbol < 0 else symbol,
                _known(fit),
                support,
                read or None,
            )
            for row, score, symbol, fit, support, read, places in columns
        ]

    def keep(self, options: Options, hits: Sequence[Ranked]) -> None:
        """Keep a ranking, if that is possible at once."""
        if not self._used:
            return
        ranks = [hit.legs[leg] or 0 for hit in hits for leg in _LEGS]
        arrays = {
            "row": np.asarray([hit.row for hit in hits], np.int64),
            "score": np.asarray([hit.score for hit in hits], np.float64),
            "symbol": np.asarray(
                [-1 if hit.symbol is None else hit.symbol for hit in hits], np.int64
            ),
            "fit": np.asarray([hit.fit for hit in hits], np.float64),
            "support": np.asarray([hit.support for hit in hits], np.int64),
            "read": np.asarray([hit.read or 0 for hit in hits], np.int64),
            "rank": np.asarray(ranks, np.int64),
        }
        folder = self._opened.session.store.folder
        cache_files.keep(folder, self._name(options), arrays, {}, f"*{SUFFIX}", _MOST)

    def _name(self, options: Options) -> str:
        question = repr((self._state, options))
        digest = blake2b(question.encode("utf-8", "surrogateescape"), digest_size=20).hexdigest()
        name = digest_of(digest, self._opened.dirty)
        return f"{layout.VIEWS}/{name}-{self._opened.session.store.recipe}{SUFFIX}"

    def _check(self, kept: Sections) -> None:
        """Raise Damaged unless a file holds a ranking of rows of the view."""
        count = len(kept.arrays.get("row", ()))
        shapes = dict.fromkeys(("row", "score", "symbol", "fit", "support", "read"), count)
        shapes["rank"] = count * len(_LEGS)
        sound = all(
            name in kept.arrays
            and kept[name].shape == (size,)
            and kept[name].dtype == (np.float64 if name in ("score", "fit") else np.int64)
            for name, size in shapes.items()
        )
        live = self._opened.view.live
        if not sound or not all(
            0 <= row < len(live) and live[row] for row in kept["row"].tolist()
        ):
            raise Damaged(kept.name, "holds no ranking")
        for row, symbol in zip(kept["row"].tolist(), kept["symbol"].tolist(), strict=True):
            segment, _ = self._opened.view.locate(row)
            if not -1 <= symbol < len(segment["symbol_file"]):
                raise Damaged(kept.name, "refers to a definition that is not there")


def _known(fit: float) -> float | None:
    # not a number stands for none
    return None if math.isnan(fit) else fit


def _legs(places: Sequence[int]) -> dict[str, int | None]:
    return {leg: place or None for leg, place in zip(_LEGS, places, strict=True)}
