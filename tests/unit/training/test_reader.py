"""The encoder of the reader is written from a larger one: fewer tokens, fewer bits."""

import numpy as np
from tokenizers import Tokenizer

from gitsearch.features import sentence_encoder
from gitsearch.features.embedding import LEVELS, packed, unpacked
from training import reader, tuning

TOKENS = [
    *("[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[", "s", "the", "of", "ü", "名"),
    *("##s", "##er", "##-"),
]
NUMBERS = {token: i for i, token in enumerate(TOKENS)}


def test_letters_and_the_most_common_tokens_in_ascii_are_kept():
    counts = {"of": 3, "##er": 2, "[": 9, "ü": 9, "the": 1}
    assert reader.vocabulary(NUMBERS, counts, 8) == [*reader.SPECIAL, "s", "of", "##s", "##er"]
    assert reader.vocabulary(NUMBERS, {}, 7) == [*reader.SPECIAL, "s", "the", "##s"]
    every = [*reader.SPECIAL, "s", "the", "of", "##s", "##er"]
    assert reader.vocabulary(NUMBERS, counts, 99) == every


def test_the_tokeniser_numbers_them_anew():
    kept = reader.vocabulary(NUMBERS, {}, 6)
    special = {"[CLS]": {"id": "[CLS]", "ids": [3], "tokens": ["[CLS]"]}}
    described = {
        "truncation": {"max_length": 128},
        "padding": {},
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "added_tokens": [{"id": 3, "content": "[CLS]"}, {"id": 5, "content": "[MASK]"}],
        "post_processor": {"type": "TemplateProcessing", "special_tokens": special},
        "model": {"type": "WordPiece", "vocab": NUMBERS},
    }
    found = reader.narrowed(described, kept)
    assert found["model"] == {"type": "WordPiece", "vocab": {t: i for i, t in enumerate(kept)}}
    assert found["added_tokens"] == []
    assert found["post_processor"]["special_tokens"]["[CLS]"]["ids"] == [2]
    assert (found["truncation"], found["padding"]) == (None, None)


def test_names_are_parted_and_what_is_between_words_is_left_out():
    tokenizer = Tokenizer.from_file(str(sentence_encoder.PACKAGED / sentence_encoder.TOKENIZER))
    read = tokenizer.encode("getHTTPResponse(time_limit, *args2) -> Über; // isn't done")
    words = "get http response time limit args 2 uber isn t done"
    assert "".join(read.tokens[1:-1]).replace("##", "") == words.replace(" ", "")
    for word in ("get", "http", "response", "time", "limit"):
        assert word in read.tokens
    assert tokenizer.encode("( ) -> {};").tokens == ["[CLS]", "[SEP]"]


def test_rows_are_rounded_to_the_nearest_of_several_steps():
    table = np.random.default_rng(1).normal(size=(50, 384)).astype(np.float32)
    steps = reader.steps_of(table)
    rows = tuning.whole(table, steps)
    assert set(np.unique(np.abs(rows))) <= set(range(1, LEVELS + 1, 2))
    assert np.array_equal(unpacked(packed(rows)), rows)
    error = np.linalg.norm(rows * steps[:, None] - table) / np.linalg.norm(table)
    largest = np.abs(table).max(axis=1, keepdims=True) / LEVELS
    plain = (2 * np.floor(table / largest / 2) + 1).clip(-LEVELS, LEVELS) * largest
    assert error < np.linalg.norm(plain - table) / np.linalg.norm(table)
    assert error < 0.12
