"""A table of token vectors as a Model2Vec folder: rows of 8 bits, a step a token, a tokeniser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
from model2vec.persistence import save_pretrained
from safetensors.numpy import load_file
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from training.bags import CONTINUED, LONGEST

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from model2vec.types import StaticModelConfig
    from scipy import sparse

UNKNOWN = "[UNK]"
STEPS = 127  # of a row's largest component, a side

# How much the directions in which texts differ most are flattened: they are common to all texts.
FLATTEN = 0.3

# Rounds of `turned`; the authors of the method take as many, and later ones change little.
_TURNS = 50


def narrowed(
    table: np.ndarray, bags: sparse.csr_matrix, dims: int, flatten: float = FLATTEN
) -> np.ndarray:
    """The table in the directions in which texts differ most, the largest ones made smaller.

    Without `flatten` products of vectors are kept as well as so many directions can; with 1 all
    directions would have the same share.
    """
    units = _units(table, bags)
    sizes, directions = np.linalg.eigh(units.T @ units)
    sizes, directions = sizes[::-1][:dims], directions[:, ::-1][:, :dims]
    # the sign of a direction is an accident of the library
    directions = directions * np.sign(directions[np.abs(directions).argmax(axis=0), range(dims)])
    shares = (np.maximum(sizes, 1e-12) / sizes[0]) ** (-flatten / 2)
    return np.asarray(table @ (directions * shares), np.float32)


def turned(table: np.ndarray, bags: sparse.csr_matrix, seed: int) -> np.ndarray:
    """The table in axes along which texts have components of even size.

    Products of vectors stay as they are; what is kept of them in signs or in a few steps a
    component is nearest to them so (iterative quantisation: Gong and Lazebnik 2011).
    """
    units = _units(table, bags)
    drawn = np.random.default_rng(seed).normal(size=(units.shape[1], units.shape[1]))
    turn, upper = np.linalg.qr(drawn)
    turn = turn * np.sign(np.diag(upper))  # the sign of a column is an accident of the library
    for _ in range(_TURNS):
        signs = np.where(units @ turn >= 0, 1.0, -1.0)
        left, _, right = np.linalg.svd(units.T @ signs)
        turn = left @ right
    return np.asarray(table @ turn, np.float32)


def _units(table: np.ndarray, bags: sparse.csr_matrix) -> np.ndarray:
    """`bags.directions` in double precision: decompositions follow."""
    sums = np.asarray(bags @ table, np.float64)
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9))


def rounded(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of whole steps, int8 (tokens, dims), and the length of a step, float32 (tokens).

    A row of zeros has a step of 0: the largest step tells how large a component can be.
    """
    step = (np.abs(table).max(axis=1) / STEPS).astype(np.float32)
    divisor = np.where(step > 0, step, 1)[:, None]
    rows = np.clip(np.rint(table / divisor), -STEPS, STEPS).astype(np.int8)
    return rows, step


def tokeniser(tokens: Sequence[str]) -> Tokenizer:
    """Splits as `gitsearch.features.identifiers` does, then into the longest of these tokens."""
    vocabulary = {token: i for i, token in enumerate(tokens)}
    out = Tokenizer(
        models.WordPiece(
            vocabulary,
            unk_token=UNKNOWN,
            max_input_chars_per_word=LONGEST,
            continuing_subword_prefix=CONTINUED,
        )
    )
    out.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex("(?<=[a-z])(?=[A-Z])"), " "),
            normalizers.Replace(Regex("(?<=[A-Z])(?=[A-Z][a-z])"), " "),
            normalizers.Lowercase(),
        ]
    )
    out.pre_tokenizer = pre_tokenizers.Split(
        Regex(r"[a-z]+|[0-9]+|[^\x00-\x7f]+"), behavior="removed", invert=True
    )
    return out


def write(folder: Path, tokens: Sequence[str], table: np.ndarray) -> None:
    """Write the folder; the same table gives the same bytes. `tokens` begin with UNKNOWN."""
    rows, steps = rounded(table)
    config: StaticModelConfig = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "tokenizer_name": "code-words",
        "apply_pca": None,
        "sif_coefficient": None,
        "hidden_dim": table.shape[1],
        "seq_length": 1_000_000,
        "normalize": True,
        "max_length": None,
    }
    save_pretrained(
        folder, rows, tokeniser(tokens), config, create_model_card=False, weights=steps
    )


def read(folder: Path) -> tuple[list[str], np.ndarray]:
    """The tokens of a folder that was written so, but for UNKNOWN, and float32 (tokens, dims)."""
    tokens: dict[str, int] = json.loads((folder / "tokenizer.json").read_bytes())["model"]["vocab"]
    stored = load_file(folder / "model.safetensors")
    table = stored["embeddings"].astype(np.float32) * stored["weights"].astype(np.float32)[:, None]
    names = sorted(tokens, key=lambda token: tokens[token])
    return names[1:], table[1:]
