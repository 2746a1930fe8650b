"""The reader: a sentence encoder that reads the first results of a question in words again."""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from gitsearch import trace
from gitsearch.errors import BadReader
from gitsearch.features import sentence_encoder
from gitsearch.features.sentence_encoder import SentenceEncoder
from gitsearch.retrieval import reading
from gitsearch.settings import AUTO, HYBRID, OFF

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsearch.commands.searched_trees import SearchedTrees
    from gitsearch.git.blob_cache import BlobCache
    from gitsearch.index.view import ChunkRow, Segment
    from gitsearch.retrieval.engine import Ranked
    from gitsearch.retrieval.query import Query
    from gitsearch.settings import SearchRequest

# Chunks up to which a search and the reader together take about half a second, on two
# processors: bench/read_results.py.
_MOST_CHUNKS = 1 << 17
_PROCESSORS = 2

# Characters of a line that are looked at: with any indentation more than the encoder reads.
_LINE = 4096


def reader_for(
    request: SearchRequest, wanted: str, trees: SearchedTrees, query: Query, *, lasting: bool
) -> Reader | None:
    """Return the reader for a question; None if its results stay in their order.

    wanted: what the settings say; lasting: further questions will be asked of this process. What
    decides does not depend on how busy the machine is: the same question has the same answer.
    """
    wanted = request.reader or wanted
    if wanted == OFF or request.mode != HYBRID or not request.rerank:
        return None
    if query.symbol or query.uses:  # the words tell, and what they name reads like the question
        return None
    if wanted == AUTO:
        if request.of_many or not sentence_encoder.is_installed():
            return None
        quick = int(trees.view.starts[-1]) <= _MOST_CHUNKS and _processors() >= _PROCESSORS
        if not (quick or lasting):
            return None
    return Reader(trees, query, explain=request.explain)


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1


@cache
def _loaded() -> SentenceEncoder | BadReader:
    """The encoder, or why there is none: another question of the process would find no other."""
    try:
        return SentenceEncoder()
    except BadReader as error:
        return error


def _encoder() -> SentenceEncoder:
    loaded = _loaded()
    if isinstance(loaded, BadReader):
        raise loaded
    return loaded


class Reader:
    """Orders the first results of one question by what it reads in them.

    fingerprint: what the order depends on; most: how many results it reads.
    """

    most = reading.READ

    def __init__(self, trees: SearchedTrees, query: Query, *, explain: bool) -> None:
        self._trees = trees
        self._query = query
        self._explain = explain
        constants = reading.READ, reading.WEIGHT, reading.POWER
        self.fingerprint = f"{sentence_encoder.fingerprint()} {constants}"

    def ordered(self, search: Callable[[], list[Ranked]]) -> list[Ranked]:
        """Return what a search finds, in this order; the encoder is loaded meanwhile.

        A question that the encoder does not know keeps its order: no result is read. Raises
        BadReader.
        """
        loading = threading.Thread(target=_loaded, daemon=True)
        loading.start()
        try:
            hits = search()
        finally:
            # native code in a thread must not outlive the process, nor meet a fork
            loading.join()
        question = self._query.text
        if not hits or not _encoder().knows(question):
            return hits
        first = hits[: self.most]
        with trace.stage("reader"):
            nearness = _encoder().scores(question, self._texts(first))
        files = self._trees.view.files(np.asarray([hit.row for hit in first], np.int64))
        spread = reading.spread_of(self._query)
        return reading.reordered(hits, nearness, files, spread=spread, explain=self._explain)

    def _texts(self, hits: Sequence[Ranked]) -> list[str]:
        places = self._trees.places(hit.row for hit in hits)
        return [
            text_of(place.segment, place.chunk, hit.symbol, place.tree.opened.texts)
            for hit, place in zip(hits, places, strict=True)
        ]


def text_of(segment: Segment, chunk: ChunkRow, symbol: int | None, texts: BlobCache) -> str:
    """The path, the definition and the lines of a chunk, without indentation.

    symbol: the definition that a query names there, if any.
    """
    symbol = chunk.symbol if symbol is None else symbol
    name = segment.qualified(symbol) if symbol >= 0 else ""
    lines = texts.lines(segment.oid(chunk.file))[chunk.first - 1 : chunk.last]
    body = "\n".join(line[:_LINE].strip() for line in lines)
    return f"{segment.path(chunk.file).decode('utf-8', 'replace')} {name}\n{body}"
