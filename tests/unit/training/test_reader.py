"""The encoder of the reader is written from a larger one: fewer tokens, fewer bits."""

import numpy as np

from gitsearch.features.embedding import LEVELS, packed, unpacked
from training import reader

TOKENS = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[", "the", "ü", "名", "##s"]
NUMBERS = {token: i for i, token in enumerate(TOKENS)}


def test_the_first_tokens_in_ascii_are_kept():
    kept = [*reader.SPECIAL, "[", "the"]
    assert reader.vocabulary(NUMBERS, 2) == kept
    assert reader.vocabulary(NUMBERS, 99) == [*kept, "##s"]


def test_the_tokeniser_numbers_them_anew():
    kept = reader.vocabulary(NUMBERS, 2)
    special = {"[CLS]": {"id": "[CLS]", "ids": [3], "tokens": ["[CLS]"]}}
    described = {
        "truncation": {"max_length": 128},
        "padding": {},
        "added_tokens": [{"id": 3, "content": "[CLS]"}, {"id": 5, "content": "[MASK]"}],
        "post_processor": {"type": "TemplateProcessing", "special_tokens": special},
        "model": {"type": "WordPiece", "vocab": NUMBERS},
    }
    found = reader.narrowed(described, kept)
    assert found["model"] == {"type": "WordPiece", "vocab": {t: i for i, t in enumerate(kept)}}
    assert found["added_tokens"] == [{"id": 2, "content": "[CLS]"}]
    assert found["post_processor"]["special_tokens"]["[CLS]"]["ids"] == [2]
    assert (found["truncation"], found["padding"]) == (None, None)


def test_rows_are_rounded_to_the_nearest_of_several_steps():
    table = np.random.default_rng(1).normal(size=(50, 384)).astype(np.float32)
    rows, steps = reader.rounded(table)
    assert set(np.unique(np.abs(rows))) <= set(range(1, LEVELS + 1, 2))
    assert np.array_equal(unpacked(packed(rows)), rows)
    error = np.linalg.norm(rows * steps[:, None] - table) / np.linalg.norm(table)
    largest = np.abs(table).max(axis=1, keepdims=True) / LEVELS
    plain = (2 * np.floor(table / largest / 2) + 1).clip(-LEVELS, LEVELS) * largest
    assert error < np.linalg.norm(plain - table) / np.linalg.norm(table)
    assert error < 0.12
