"""Examples whose others are what the encoder itself takes for the answer.

The chunks of all pairs of a repository stand beside each other. Those that are near to a question
by the encoder and by the embedding, but not as near as its answer, are its others (ANCE, Xiong and
others 2021). What is about as near as the answer may be one, too, and is left out (NV-Retriever,
Moreira and others 2024), as is the rest of the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.features.sentence_encoder import LONGEST, LONGEST_QUESTION
from gitsearch.features.term_counts import TermCounter
from training.examples import as_read, by_embedding
from training.tuning import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gitsearch.features.embedding import Model
    from training.examples import Example
    from training.mining import Pair
    from training.tuning import Recipe, Tokens

# Pairs that are drawn of a kind and repository, at most.
_MOST = {"documentation": 150, "commit": 170, "remark": 40, "prose": 80, "file": 6, "name": 6}
# Kinds whose words were taken out of the comments of their chunk: what lacks its comment would be
# told by that from chunks that have theirs.
_FROM_COMMENTS = ("documentation", "remark", "file")
# Kinds whose words are most like those of a question.
_ASKED = ("commit", "prose", "documentation")

# Chunks that others are drawn from, the nearest more often: the share of their number is the 1.5th
# power of a random one. A repository with fewer chunks than the second has none.
_FIRST = 48
_SKEW = 1.5
_FEWEST = 60
# Cosines that another must be below that of the answer.
_BELOW = 0.03

# Groups of a step that are of written questions, and of mined pairs.
_WRITTEN_GROUPS, _MINED_GROUPS = 3, 5
# Share of the steps of questions and chunks together after which not all kinds of pairs take part
# any more.
_ALL = 0.3


class Asked(NamedTuple):
    """A question: numbers of its answer and of its own others among the chunks of its group."""

    query: str
    kind: str
    answer: int
    given: list[int]
    written: bool


class Group(NamedTuple):
    """Questions about one repository, and all their chunks as the reader sees them."""

    asked: list[Asked]
    chunks: list[str]

    def files(self) -> list[str]:
        """The path of each chunk."""
        return [text.partition("\n")[0].rpartition(" ")[0] for text in self.chunks]


def groups(
    pairs: Mapping[str, Sequence[Pair]],
    written: Mapping[str, Sequence[Example]],
    order: np.random.Generator,
) -> list[Group]:
    """Two groups of each repository: chunks with their comments, and those of comments."""
    found = []
    for name in sorted({*pairs, *written}):
        both = _Growing(), _Growing()
        for kind, most in _MOST.items():
            own = [one for one in pairs.get(name, ()) if one.kind == kind]
            for i in order.permutation(len(own))[:most]:
                both[kind in _FROM_COMMENTS].add(kind, own[i].query, text_of(own[i]), ())
        for one in written.get(name, ()):
            both[0].add(one.kind, one.query, one.answer, one.others, written=True)
        found += [Group(one.asked, list(one.numbers)) for one in both if one.asked]
    return found


def text_of(pair: Pair) -> str:
    """The chunk of a pair as the reader sees one: path, definition, lines without indentation."""
    return as_read(pair.path, ".".join(reversed(pair.scope)), pair.text)


class _Growing:
    """A group that more is added to."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.numbers: dict[str, int] = {}

    def add(
        self, kind: str, query: str, answer: str, others: Iterable[str], *, written: bool = False
    ) -> None:
        given = [self._number(text) for text in others]
        self.asked.append(Asked(query, kind, self._number(answer), given, written))

    def _number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


class Mistaken:
    """Steps of a training, whose others are those of the encoder as it is when it is asked.

    vectors: of length 1, float32 (texts, width), by the encoder.
    """

    def __init__(
        self,
        groups: Sequence[Group],
        vectors: Callable[[Sequence[str]], np.ndarray],
        tokens: Tokens,
        model: Model,
    ) -> None:
        self._groups = groups
        self._vectors = vectors
        self._tokens = tokens
        self._files = [group.files() for group in groups]
        self._embedded = [_embedded(group, model) for group in groups]
        self._others: list[list[np.ndarray]] = []

    def look(self) -> None:
        """Find the others of all questions anew."""
        self._others = [
            near(group, files, self._vectors, own)
            for group, files, own in zip(self._groups, self._files, self._embedded, strict=True)
        ]

    def suffices(self) -> bool:
        """Return True if questions of both sorts, which steps are made of, have others."""
        return bool(self._places(lambda one: one.written) and self._places(_asked))

    def alone(self, recipe: Recipe) -> Iterator[Step]:
        """Steps of groups of several repositories; others are looked for twice on the way."""
        order = np.random.default_rng(recipe.seed)
        written = self._pieces(recipe, order, lambda one: one.written)
        mined = self._pieces(recipe, order, _asked)
        for at in range(recipe.steps):
            if at and at % -(-recipe.steps // 3) == 0:
                self.look()
            some = [next(written) for _ in range(_WRITTEN_GROUPS)]
            some += [next(mined) for _ in range(_MINED_GROUPS)]
            yield self._step([(g, i) for g, own in some for i in own], recipe, order)

    def _pieces(
        self, recipe: Recipe, order: np.random.Generator, fit: Callable[[Asked], bool]
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Without end, a group and so many of its questions that fit."""
        while True:
            by_group: dict[int, list[int]] = {}
            for g, i in self._places(fit):
                by_group.setdefault(g, []).append(i)
            pieces = []
            for g, own in by_group.items():
                mixed = order.permutation(own)
                pieces += [
                    (g, mixed[at : at + recipe.batch]) for at in range(0, len(mixed), recipe.batch)
                ]
            for i in order.permutation(len(pieces)):
                yield pieces[i]

    def together(self, recipe: Recipe) -> Iterator[Step]:
        """Steps of single questions with their others, drawn from everywhere."""
        order = np.random.default_rng(recipe.seed)
        self.look()
        written = self._places(lambda one: one.written)
        mined = self._places(lambda one: not one.written)
        asked = self._places(_asked)
        for step in range(recipe.steps):
            share = step / recipe.steps
            count = int(recipe.batch * recipe.written)
            beside = asked if share > _ALL else mined
            drawn = [written[i] for i in order.integers(0, len(written), count)]
            drawn += [beside[i] for i in order.integers(0, len(beside), recipe.batch - count)]
            yield self._step(drawn, recipe, order)

    def _places(self, fit: Callable[[Asked], bool]) -> list[tuple[int, int]]:
        """Group and number of each question that fits and has others."""
        return [
            (g, i)
            for g, group in enumerate(self._groups)
            for i, one in enumerate(group.asked)
            if fit(one) and len(self._others[g][i])
        ]

    def _step(
        self, places: Sequence[tuple[int, int]], recipe: Recipe, order: np.random.Generator
    ) -> Step:
        queries, answers, others = [], [], []
        for g, i in places:
            one, near_by = self._groups[g].asked[i], self._others[g][i]
            given = order.permutation(one.given)[: recipe.given].astype(np.int64)
            first = (order.random(recipe.others) ** _SKEW * len(near_by)).astype(np.int64)
            chosen = np.concatenate([given, near_by[first]])[: recipe.others]
            queries.append(one.query)
            answers.append((g, one.answer))
            others += [(g, int(number)) for number in chosen]
        chunks = [self._groups[g].chunks[number] for g, number in (*answers, *others)]
        tokens = self._tokens(chunks, LONGEST)
        return Step(
            self._tokens(queries, LONGEST_QUESTION),
            tokens[: len(answers)],
            tokens[len(answers) :],
            [f"{g} {self._files[g][number]}" for g, number in (*answers, *others)],
        )


def _asked(one: Asked) -> bool:
    return not one.written and one.kind in _ASKED


def near(
    group: Group,
    files: Sequence[str],
    vectors: Callable[[Sequence[str]], np.ndarray],
    static: tuple[np.ndarray, np.ndarray],
) -> list[np.ndarray]:
    """For each question numbers of chunks that are mistaken for its answer, the nearest first.

    static: unit vectors of questions and chunks by the embedding, float32 (texts, dims).
    """
    if len(group.chunks) < _FEWEST:
        return [np.zeros(0, np.int64) for _ in group.asked]
    by_reader = vectors([one.query for one in group.asked]) @ vectors(group.chunks).T
    both = _shares(by_reader) + _shares(static[0] @ static[1].T)
    path = np.asarray(files)
    found = []
    for own, scores, cosines in zip(group.asked, both, by_reader, strict=True):
        fit = (path != files[own.answer]) & (cosines <= cosines[own.answer] - _BELOW)
        first = np.argsort(-np.where(fit, scores, -np.inf), kind="stable")[:_FIRST]
        found.append(first[fit[first]])
    return found


def _shares(scores: np.ndarray) -> np.ndarray:
    """Scores of each question as shares of its best one."""
    shares: np.ndarray = scores / np.maximum(scores.max(axis=1, keepdims=True), 1e-6)
    return shares


def _embedded(group: Group, model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors of the questions and of the chunks of a group by the embedding."""
    counter = TermCounter()
    for one in group.asked:
        counter.add(one.query, ())
    for text in group.chunks:
        head, _, body = text.partition("\n")
        name = head.rpartition(" ")[2]
        counter.add(body, tuple(reversed(name.replace("::", ".").split("."))) if name else ())
    rows = by_embedding(counter.counts(), model)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
    return rows[: len(group.asked)], rows[len(group.asked) :]
