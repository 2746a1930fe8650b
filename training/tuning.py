"""Training of the reader's layers: the question nearer to its chunk than to those beside it.

First each text is read alone, which learns fast from few examples; then question and chunk are
read together, from the layers that came of it.

The table of tokens is rounded as it is in the wheel all the time, so the layers learn to work with
that; read together, its rows are trained as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch.features.embedding import LEVELS
from gitsearch.features.sentence_encoder import LONGEST, LONGEST_QUESTION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    import torch

    from training.examples import Example

Weights = dict[str, np.ndarray]

# Gives the tokens of texts, up to so many of each.
Tokens = Callable[[Sequence[str], int], list[list[int]]]

# Vectors of tokens before they are rounded, and what is added for the place of a token.
ROWS = "rows"
PLACES = "places"

# Of a question and a chunk that are read together: what attention between the two is lowered by,
# and the weights of their product.
GATES = "gates"
PRODUCT = "product"

# What it is lowered by at first: 128 tokens of a chunk count as 6 of the question then. These
# numbers are few and have far to go, at a rate of their own.
_GATE = -3.0
_NEW_RATE = 1e-2
# The score of what may answer, too, and is not compared: below all others.
_NEVER = -1e4


@dataclass(frozen=True)
class Recipe:
    """Constants of the training.

    steps: batches; batch: examples of one repository in each; others: chunks of each that do not
    answer; given: so many of them are its own at most, where the encoder finds the rest; written:
    share of the questions of a step that are written; rate: the highest of Adam's learning rates,
    reached after the share `warming` of the steps and falling to 0 in a straight line; decay: of
    weights, as in AdamW; scale: of cosines in the softmax; dropout: share of the components that a
    step leaves out after each part of a layer (Srivastava and others 2014).
    """

    seed: int
    steps: int = 1000
    batch: int = 16
    others: int = 2
    given: int = 0
    written: float = 0.5
    rate: float = 4e-5
    warming: float = 0.06
    decay: float = 0.01
    scale: float = 20.0
    dropout: float = 0.0
    # Texts of about one length that are computed at once, so that few places are empty.
    together: int = 20
    kept_every: int = 50


class Layers:
    """BERT's layers (Devlin and others 2018) over the vectors of tokens, as they are deployed."""

    def __init__(self, weights: Weights, steps: np.ndarray, heads: int, depth: int) -> None:
        """steps: float32 (tokens,), what the components of a row are odd multiples of."""
        import torch

        self._torch = torch
        self.heads, self.depth = heads, depth
        self.dropout = 0.0
        self._steps = torch.tensor(steps)[:, None]
        self._rows = torch.tensor(weights[ROWS])
        self._places = torch.tensor(weights[PLACES])
        names = [name for name in weights if name.startswith(("encoder.", "embeddings.LayerNorm"))]
        self.weights = {name: torch.tensor(weights[name]) for name in names}
        for one in self.weights.values():
            one.requires_grad_()

    def numbers(self) -> Weights:
        """The trained weights, by the names that they had: float32."""
        return {name: one.detach().cpu().numpy() for name, one in self.weights.items()}

    def groups(self, rate: float) -> list[dict[str, Any]]:
        """The trained weights as AdamW takes them, with the highest rate of each group."""
        return [{"params": list(self.weights.values()), "lr": rate}]

    def loss(self, step: Step, recipe: Recipe) -> torch.Tensor:
        """InfoNCE (van den Oord and others 2018), from questions to chunks and back.

        It is the cross entropy of each question over all chunks of its batch, and of each answer
        over the questions, half of each. Chunks of the file of the answer are left out, but for
        its own others.
        """
        torch = self._torch
        count = len(step.queries)
        found = self.vectors([*step.queries, *step.answers, *step.others], recipe.together)
        queries, chunks = found[:count], found[count:]
        scores = recipe.scale * queries @ chunks.T
        scores = scores.masked_fill(torch.tensor(_alike(step)), float("-inf"))
        right = torch.arange(count)
        entropy = torch.nn.functional.cross_entropy
        return (entropy(scores, right) + entropy(scores[:, :count].T, right)) / 2

    def own(self, step: Step, together: int) -> torch.Tensor:
        """The cosines of each question with its answer, and with its own others: float32."""
        count = len(step.queries)
        found = self.vectors([*step.queries, *step.answers, *step.others], together)
        queries, answers, others = found[:count], found[count : 2 * count], found[2 * count :]
        chunks = self._torch.cat(
            [answers[:, None], others.view(count, -1, others.shape[-1])], dim=1
        )
        return (queries[:, None] * chunks).sum(2)

    def vectors(self, ids: Sequence[Sequence[int]], together: int) -> torch.Tensor:
        """A vector of length 1 for each text, given as tokens: float32 (texts, width)."""
        return self._by_length(
            list(map(len, ids)), together, lambda at: self._of([ids[i] for i in at])
        )

    def _by_length(
        self, lengths: Sequence[int], together: int, of: Callable[[list[int]], torch.Tensor]
    ) -> torch.Tensor:
        """Join what `of` returns for positions of about one length, in order of positions."""
        order = sorted(range(len(lengths)), key=lambda i: lengths[i])
        groups = [order[at : at + together] for at in range(0, len(order), together)]
        found = self._torch.cat([of(some) for some in groups])
        back = self._torch.empty(len(order), dtype=self._torch.long)
        back[self._torch.tensor(order)] = self._torch.arange(len(order))
        return found[back]

    def _vectors(self, tokens: torch.Tensor) -> torch.Tensor:
        """The rows of tokens, rounded; what is learned moves them as if they were not."""
        rows, steps = self._rows[tokens], self._steps[tokens]
        odd = 2 * self._torch.floor(rows / steps / 2) + 1
        return rows + (odd.clamp(-LEVELS, LEVELS) * steps - rows).detach()

    def _of(self, ids: Sequence[Sequence[int]]) -> torch.Tensor:
        functional = self._torch.nn.functional
        tokens, there = self._padded(ids)
        places = self._places[: tokens.shape[1]]
        unread = there.float().log()[:, None, None, :]
        states = self._states(self._vectors(tokens) + places, lambda _: unread)
        share = there[..., None].float()
        return functional.normalize((states * share).sum(1) / share.sum(1), dim=1)

    def _padded(self, ids: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Tokens of texts, and which of them are there: long and bool (texts, length)."""
        torch = self._torch
        longest = max(map(len, ids))
        tokens = torch.zeros((len(ids), longest), dtype=torch.long)
        there = torch.zeros((len(ids), longest), dtype=torch.bool)
        for row, own in enumerate(ids):
            tokens[row, : len(own)] = torch.tensor(own)
            there[row, : len(own)] = True
        return tokens, there

    def _states(self, vectors: torch.Tensor, added: Callable[[int], torch.Tensor]) -> torch.Tensor:
        """States of the last layer. added: by the number of a layer, what its attention gains."""
        functional = self._torch.nn.functional
        states = self._dropped(self._normal(vectors, "embeddings.LayerNorm"))
        for number in range(self.depth):
            layer = f"encoder.layer.{number}"
            mixed = self._linear(
                self._mixed(states, added(number), layer), f"{layer}.attention.output.dense"
            )
            states = self._normal(
                states + self._dropped(mixed), f"{layer}.attention.output.LayerNorm"
            )
            inner = functional.gelu(self._linear(states, f"{layer}.intermediate.dense"))
            inner = self._linear(inner, f"{layer}.output.dense")
            states = self._normal(states + self._dropped(inner), f"{layer}.output.LayerNorm")
        return states

    def _dropped(self, states: torch.Tensor) -> torch.Tensor:
        """The states with some components left out, where they are trained."""
        torch = self._torch
        return torch.nn.functional.dropout(states, self.dropout, torch.is_grad_enabled())

    def _mixed(self, states: torch.Tensor, added: torch.Tensor, layer: str) -> torch.Tensor:
        texts, longest, width = states.shape
        split = (texts, longest, self.heads, width // self.heads)
        query, key, value = (
            self._linear(states, f"{layer}.attention.self.{of}").view(split).transpose(1, 2)
            for of in ("query", "key", "value")
        )
        mixed = self._torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=added
        )
        return mixed.transpose(1, 2).reshape(texts, longest, width)

    def _linear(self, states: torch.Tensor, name: str) -> torch.Tensor:
        weights = self.weights
        return self._torch.nn.functional.linear(
            states, weights[f"{name}.weight"], weights[f"{name}.bias"]
        )

    def _normal(self, states: torch.Tensor, name: str) -> torch.Tensor:
        weights = self.weights
        return self._torch.nn.functional.layer_norm(
            states,
            states.shape[-1:],
            weights[f"{name}.weight"],
            weights[f"{name}.bias"],
            1e-12,
        )


def whole(rows: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Return rows as odd whole numbers of their steps, up to LEVELS: int8."""
    odd = 2 * np.floor(rows / steps[:, None] / 2) + 1
    found: np.ndarray = np.clip(odd, -LEVELS, LEVELS).astype(np.int8)
    return found


def first_pairing(width: int, heads: int, depth: int) -> Weights:
    """Return the weights that PairLayers adds to Layers, before their training."""
    return {
        GATES: np.full((depth, 2, heads), _GATE, np.float32),
        PRODUCT: np.ones(width, np.float32),
    }


class PairLayers(Layers):
    """The same layers over a question and a chunk that stand one after the other.

    Each has its own places and its own mean at the end; the score is the product of these, each
    component by a weight of its own. What tokens of the one take from those of the other is
    lowered by a number for each layer, direction and head, so that at first the two are read
    nearly alone, as the layers have learned it. Vectors of tokens and places are trained, too.
    """

    def __init__(self, weights: Weights, steps: np.ndarray, heads: int, depth: int) -> None:
        super().__init__(weights, steps, heads, depth)
        for name in (GATES, PRODUCT):
            self.weights[name] = self._torch.tensor(weights[name]).requires_grad_()
        self.weights[ROWS] = self._rows.requires_grad_()
        self.weights[PLACES] = self._places.requires_grad_()

    def groups(self, rate: float) -> list[dict[str, Any]]:
        """The layers, the vectors, and what is new at a rate of its own."""
        new, vectors = (GATES, PRODUCT), (ROWS, PLACES)
        layers = [one for name, one in self.weights.items() if name not in (*new, *vectors)]
        return [
            {"params": layers, "lr": rate},
            {"params": [self.weights[name] for name in vectors], "lr": rate, "weight_decay": 0.0},
            {"params": [self.weights[name] for name in new], "lr": _NEW_RATE, "weight_decay": 0.0},
        ]

    def loss(self, step: Step, recipe: Recipe) -> torch.Tensor:
        """The cross entropy of each question over its answer and its own others."""
        torch = self._torch
        scores = recipe.scale * self.own(step, recipe.together)
        count = len(scores)
        others = np.reshape(_alike(step)[:, count:], (count, count, -1))
        own = others[np.arange(count), np.arange(count)]
        alike = np.concatenate([np.zeros((count, 1), bool), own], axis=1)
        scores = scores.masked_fill(torch.tensor(alike), _NEVER)
        return torch.nn.functional.cross_entropy(scores, torch.zeros(count, dtype=torch.long))

    def own(self, step: Step, together: int) -> torch.Tensor:
        """The score of each question with its answer, and with its own others."""
        count = len(step.queries)
        others = len(step.others) // count
        pairs = [
            (query, chunk)
            for i, query in enumerate(step.queries)
            for chunk in (step.answers[i], *step.others[i * others : (i + 1) * others])
        ]
        lengths = [sum(map(len, pair)) for pair in pairs]
        found = self._by_length(lengths, together, lambda at: self._scores([pairs[i] for i in at]))
        return found.view(count, 1 + others)

    def _scores(self, pairs: Sequence[tuple[list[int], list[int]]]) -> torch.Tensor:
        tokens, there = self._padded([[*query, *chunk] for query, chunk in pairs])
        length = self._torch.arange(tokens.shape[1])
        ends = self._torch.tensor([[len(query)] for query, _ in pairs])
        asked = length < ends
        places = self._places[self._torch.where(asked, length, length - ends) * there]
        unread = there.float().log()[:, None, None, :]
        of_question = asked.float()
        of_chunk = there.float() - of_question
        to_chunk = (of_question[:, :, None] * of_chunk[:, None, :])[:, None]
        to_question = (of_chunk[:, :, None] * of_question[:, None, :])[:, None]

        def added(number: int) -> torch.Tensor:
            gates = self.weights[GATES][number][:, None, :, None, None]
            return unread + to_chunk * gates[0] + to_question * gates[1]

        states = self._states(self._vectors(tokens) + places, added)
        question, chunk = (
            self._torch.nn.functional.normalize((states * part[..., None]).sum(1), dim=1)
            for part in (of_question, of_chunk)
        )
        return (question * chunk * self.weights[PRODUCT]).sum(1)


class Step(NamedTuple):
    """The input of a step: tokens of questions, of their answers and of other chunks.

    files: of each answer and each other, what it shares with chunks that may answer, too.
    """

    queries: list[list[int]]
    answers: list[list[int]]
    others: list[list[int]]
    files: list[str]


def _alike(step: Step) -> np.ndarray:
    """Chunks that are not wrong for a question, its answer aside: bool (questions, chunks)."""
    files = np.asarray(step.files)
    count = len(step.queries)
    alike: np.ndarray = files[:count, None] == files
    chunks = [*step.answers, *step.others]
    own = len(step.others) // count
    for i, answer in enumerate(step.answers):
        for at in range(count + i * own, count + (i + 1) * own):
            alike[i, at] = chunks[at] == answer
        alike[i, i] = False
    return alike


def batches(
    repositories: Sequence[Sequence[Example]],
    tokens: Tokens,
    recipe: Recipe,
) -> Iterator[Step]:
    """Batches without end, each of one repository, in an order that only the seed decides."""
    order = np.random.default_rng(recipe.seed)
    while True:
        chosen = []
        for number, own in enumerate(repositories):
            places = order.permutation(len(own))
            whole = len(own) // recipe.batch * recipe.batch
            chosen += [(number, some) for some in places[:whole].reshape(-1, recipe.batch)]
        for at in order.permutation(len(chosen)):
            number, places = chosen[at]
            some = [repositories[number][i] for i in places]
            others = [
                one.others[i]
                for one in some
                for i in order.permutation(len(one.others))[: recipe.others]
            ]
            answers = [one.answer for one in some]
            yield Step(
                tokens([one.query for one in some], LONGEST_QUESTION),
                tokens(answers, LONGEST),
                tokens(others, LONGEST),
                [*answers, *others],
            )


def train(
    layers: Layers,
    steps: Iterator[Step],
    recipe: Recipe,
    kept: Path,
    report: Callable[[int, float], None],
) -> None:
    """Train the layers; what `kept` has of an earlier run is gone on with."""
    import torch

    optimiser = torch.optim.AdamW(layers.groups(recipe.rate), weight_decay=recipe.decay)
    warming = max(1, int(recipe.warming * recipe.steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser,
        lambda at: min((at + 1) / warming, (recipe.steps - at) / max(1, recipe.steps - warming)),
    )
    first = _restored(layers, optimiser, schedule, kept)
    layers.dropout = recipe.dropout
    loss = 0.0
    for at in range(recipe.steps):
        step = next(steps)
        if at < first:
            continue
        with half():
            value = layers.loss(step, recipe)
        optimiser.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(list(layers.weights.values()), 1.0)
        optimiser.step()
        schedule.step()
        loss += (value.item() - loss) * (0.02 if at > first else 1.0)
        if (at + 1) % recipe.kept_every == 0 or at + 1 == recipe.steps:
            _keep(layers, optimiser, schedule, at + 1, kept)
            report(at + 1, loss)


def half() -> AbstractContextManager[Any]:
    """Products of 16 bits where a GPU has them, which is what makes it fast."""
    import torch

    kind = torch.get_default_device().type
    found: AbstractContextManager[Any] = torch.autocast(
        kind, dtype=torch.bfloat16, enabled=kind != "cpu"
    )
    return found


def _keep(layers: Layers, optimiser: Any, schedule: Any, step: int, kept: Path) -> None:
    import torch

    state = {
        "step": step,
        "weights": {name: one.detach() for name, one in layers.weights.items()},
        "optimiser": optimiser.state_dict(),
        "schedule": schedule.state_dict(),
    }
    written = kept.with_suffix(".part")
    torch.save(state, written)
    written.replace(kept)


def _restored(layers: Layers, optimiser: Any, schedule: Any, kept: Path) -> int:
    """Take up what an earlier run kept, and return how many steps it had done."""
    import torch

    if not kept.is_file():
        return 0
    state = torch.load(kept, weights_only=True)
    with torch.no_grad():
        for name, one in state["weights"].items():
            layers.weights[name].copy_(one)
    optimiser.load_state_dict(state["optimiser"])
    schedule.load_state_dict(state["schedule"])
    return int(state["step"])


def reciprocal(layers: Layers, steps: Sequence[Step], together: int) -> float:
    """Mean reciprocal rank of the answers among their own others, over examples."""
    import torch

    total, count = 0.0, 0
    with torch.inference_mode(), half():
        for step in steps:
            scores = layers.own(step, together).float()
            above = (scores[:, 1:] > scores[:, :1]).sum(1)
            total += float((1 / (1 + above)).sum())
            count += len(step.queries)
    return total / max(count, 1)
