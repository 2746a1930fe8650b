"""Training of the reader's layers: the question nearer to its chunk than to those beside it.

The table of tokens stays as it is rounded for the wheel, so the layers learn to work with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import torch

    from training.examples import Example

Weights = dict[str, np.ndarray]


@dataclass(frozen=True)
class Recipe:
    """Constants of the training.

    steps: batches; batch: examples of one repository in each; others: chunks of each that do not
    answer; rate: the highest of Adam's learning rates, reached after the share `warming` of the
    steps and falling to 0 in a straight line; scale: of cosines in the softmax.
    """

    seed: int
    steps: int = 1000
    batch: int = 16
    others: int = 2
    rate: float = 4e-5
    warming: float = 0.06
    decay: float = 0.01
    scale: float = 20.0
    # Texts of about one length that are computed at once, so that few places are empty.
    together: int = 20
    kept_every: int = 50


class Layers:
    """BERT's layers (Devlin and others 2018) over the vectors of tokens, as they are deployed."""

    def __init__(
        self, weights: Weights, table: np.ndarray, places: np.ndarray, heads: int, depth: int
    ) -> None:
        import torch

        self._torch = torch
        self.heads, self.depth = heads, depth
        self._table = torch.from_numpy(table)
        self._places = torch.from_numpy(places)
        names = [name for name in weights if name.startswith(("encoder.", "embeddings.LayerNorm"))]
        self.weights = {name: torch.from_numpy(weights[name].copy()) for name in names}
        for one in self.weights.values():
            one.requires_grad_()

    def numbers(self) -> Weights:
        """The trained weights, by the names that they had: float32."""
        return {name: one.detach().numpy() for name, one in self.weights.items()}

    def vectors(self, ids: Sequence[Sequence[int]], together: int) -> torch.Tensor:
        """A vector of length 1 for each text, given as tokens: float32 (texts, width)."""
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        groups = [order[at : at + together] for at in range(0, len(order), together)]
        found = self._torch.cat([self._of([ids[i] for i in some]) for some in groups])
        back = self._torch.empty(len(order), dtype=self._torch.long)
        back[self._torch.tensor(order)] = self._torch.arange(len(order))
        return found[back]

    def _of(self, ids: Sequence[Sequence[int]]) -> torch.Tensor:
        torch, functional = self._torch, self._torch.nn.functional
        longest = max(map(len, ids))
        tokens = torch.zeros((len(ids), longest), dtype=torch.long)
        there = torch.zeros((len(ids), longest), dtype=torch.bool)
        for row, own in enumerate(ids):
            tokens[row, : len(own)] = torch.tensor(own)
            there[row, : len(own)] = True
        states = self._normal(self._table[tokens] + self._places[:longest], "embeddings.LayerNorm")
        for number in range(self.depth):
            layer = f"encoder.layer.{number}"
            mixed = self._linear(
                self._mixed(states, there, layer), f"{layer}.attention.output.dense"
            )
            states = self._normal(states + mixed, f"{layer}.attention.output.LayerNorm")
            inner = functional.gelu(self._linear(states, f"{layer}.intermediate.dense"))
            inner = self._linear(inner, f"{layer}.output.dense")
            states = self._normal(states + inner, f"{layer}.output.LayerNorm")
        share = there[..., None].float()
        return functional.normalize((states * share).sum(1) / share.sum(1), dim=1)

    def _mixed(self, states: torch.Tensor, there: torch.Tensor, layer: str) -> torch.Tensor:
        texts, longest, width = states.shape
        split = (texts, longest, self.heads, width // self.heads)
        query, key, value = (
            self._linear(states, f"{layer}.attention.self.{of}").view(split).transpose(1, 2)
            for of in ("query", "key", "value")
        )
        mixed = self._torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=there[:, None, None, :]
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


class Step(NamedTuple):
    """The input of a step: tokens of questions, of their answers and of other chunks."""

    queries: list[list[int]]
    answers: list[list[int]]
    others: list[list[int]]


def batches(
    repositories: Sequence[Sequence[Example]],
    tokens: Callable[[list[str]], list[list[int]]],
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
            yield Step(
                tokens([one.query for one in some]),
                tokens([one.answer for one in some]),
                tokens(others),
            )


def train(
    layers: Layers,
    steps: Iterator[Step],
    recipe: Recipe,
    kept: Path,
    report: Callable[[int, float], None],
) -> None:
    """Train the layers; what `kept` has of an earlier run is gone on with.

    The loss is the cross entropy of each question over all chunks of its batch, and of each
    answer over the questions (InfoNCE, van den Oord and others 2018), half of each.
    """
    import torch

    optimiser = torch.optim.AdamW(
        layers.weights.values(), lr=recipe.rate, weight_decay=recipe.decay
    )
    warming = max(1, int(recipe.warming * recipe.steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser,
        lambda at: min((at + 1) / warming, (recipe.steps - at) / (recipe.steps - warming)),
    )
    first = _restored(layers, optimiser, schedule, kept)
    loss = 0.0
    for at in range(recipe.steps):
        step = next(steps)
        if at < first:
            continue
        value = _loss(layers, step, recipe)
        optimiser.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(list(layers.weights.values()), 1.0)
        optimiser.step()
        schedule.step()
        loss += (value.item() - loss) * (0.02 if at > first else 1.0)
        if (at + 1) % recipe.kept_every == 0 or at + 1 == recipe.steps:
            _keep(layers, optimiser, schedule, at + 1, kept)
            report(at + 1, loss)


def _loss(layers: Layers, step: Step, recipe: Recipe) -> torch.Tensor:
    import torch

    count = len(step.queries)
    found = layers.vectors([*step.queries, *step.answers, *step.others], recipe.together)
    queries, chunks = found[:count], found[count:]
    scores = recipe.scale * queries @ chunks.T
    alike = torch.tensor([[a == b for b in (*step.answers, *step.others)] for a in step.answers])
    alike[torch.arange(count), torch.arange(count)] = False
    scores = scores.masked_fill(alike, float("-inf"))
    right = torch.arange(count)
    entropy = torch.nn.functional.cross_entropy
    return (entropy(scores, right) + entropy(scores[:, :count].T, right)) / 2


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
    with torch.inference_mode():
        for step in steps:
            own = len(step.queries)
            found = layers.vectors([*step.queries, *step.answers, *step.others], together)
            queries, answers, others = found[:own], found[own : 2 * own], found[2 * own :]
            right = (queries * answers).sum(1)
            wrong = (queries[:, None] * others.view(own, -1, others.shape[-1])).sum(2)
            total += float((1 / (1 + (wrong > right[:, None]).sum(1))).sum())
            count += own
    return total / max(count, 1)
