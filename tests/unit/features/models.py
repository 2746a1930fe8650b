"""Small Model2Vec folders whose vectors are a function of the words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from gitsearch.features import ragged

UNKNOWN = "[UNK]"
DIMS = 96


def word_vector(word: str, dims: int = DIMS) -> np.ndarray:
    """A direction that depends on the word alone; different words are nearly orthogonal."""
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng(seed).normal(size=dims).astype(np.float32)


def tokenizer_of(words: Iterable[str]) -> Tokenizer:
    """A tokeniser that knows these words, in lower case, and nothing else."""
    vocabulary = {UNKNOWN: 0} | {word: i + 1 for i, word in enumerate(dict.fromkeys(words))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def write_model(folder: Path, groups: Iterable[str], dims: int = DIMS) -> Path:
    """A model folder; the words of one group ("pause wait delay") mean the same."""
    listed = [group.split() for group in groups]
    words = [word for group in listed for word in group]
    meaning = {word: group[0] for group in listed for word in group}
    rows = [word_vector(UNKNOWN, dims), *(word_vector(meaning[word], dims) for word in words)]
    save(folder, {"embeddings": np.stack(rows)}, tokenizer_of(words))
    return folder


def save(folder: Path, tensors: dict[str, np.ndarray], tokenizer: Tokenizer) -> None:
    """Write the files of a Model2Vec folder."""
    folder.mkdir(parents=True)
    save_file(tensors, folder / "model.safetensors")
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {"normalize": True, "max_length": None, "embedding_dtype": "float32"}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


def csr_of(lists: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """The offsets (int64) and the values (uint32) of a list of lists of numbers."""
    values = [value for numbers in lists for value in numbers]
    return ragged.offsets([len(numbers) for numbers in lists]), np.asarray(values, np.uint32)
