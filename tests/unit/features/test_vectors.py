"""Chunks are embedded as the model's own library embeds their words, exactly and in any order."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model2vec import StaticModel

from gitsearch.corpus.segment import csr_of, embedded
from gitsearch.errors import BadModel
from gitsearch.features import vectors
from gitsearch.features.counting import TermCounter
from gitsearch.features.tokens import identifiers, parts
from gitsearch.features.vectors import PACKAGED, PACKAGED_FINGERPRINT, Model
from tests.unit.features.models import save, tokenizer_of, word_vector, write_model

TEXTS = [
    (Path(__file__).parents[3] / "tests" / "templates" / name).read_text(encoding="utf-8")
    for name in ("python.txt", "go.txt", "typescript.txt", "markdown.txt", "rust.txt")
] + ["retry", "parseHTTPResponse2 = utf8", "größe 名前 x", "if (a[i] >>= 1) { return !b; }"]


@pytest.fixture(scope="module")
def packaged():
    return Model(PACKAGED)


def counts_of(*texts):
    counter = TermCounter()
    for text in texts:
        counter.add(text, ())
    return counter.counts()


def embed(model, *texts):
    """Unit vectors of texts, as the index makes them: float64 (texts, dims)."""
    counts = counts_of(*texts)
    ends, token = csr_of(model.tokens(counts.terms))
    rows, scales = embedded(model, counts.indptr, counts.term, counts.weight, ends, token)
    return rows.astype(np.float64) * scales[:, None]


def cosine(left, right):
    norms = np.linalg.norm(left, axis=-1) * np.linalg.norm(right, axis=-1)
    return (left * right).sum(axis=-1) / norms


# ---------------------------------------------------------------- the packaged model


def test_the_fingerprint_of_the_packaged_model_is_written_down(packaged):
    assert packaged.fingerprint() == PACKAGED_FINGERPRINT


def test_chunks_are_embedded_as_the_models_library_embeds_them(packaged):
    reference = StaticModel.from_pretrained(PACKAGED).encode(TEXTS, max_length=None)
    assert (cosine(embed(packaged, *TEXTS), reference.astype(np.float64)) > 0.9998).all()


def test_a_vector_has_length_one(packaged):
    assert np.linalg.norm(embed(packaged, *TEXTS), axis=1) == pytest.approx(1, abs=0.01)


def test_the_packaged_tokeniser_sees_the_same_words_as_we(packaged):
    tokens = packaged.tokens(TEXTS)
    ours = [[part for word in identifiers(text) for part in parts(word)] for text in TEXTS]
    spelt = [[i for one in packaged.tokens(words) for i in one] for words in ours]
    assert [sorted(one) for one in tokens] == [sorted(one) for one in spelt]


def test_near_words_are_near(packaged):
    retry, again, bread = embed(packaged, "retry request", "repeat request", "bake bread")
    assert retry @ again > retry @ bread


def test_a_few_rows_are_those_of_the_table(packaged):
    ids = [5, 0, 5, 20_000]
    few = packaged.rows(ids)
    fresh = Model(PACKAGED)
    table = fresh.rows(range(fresh.count))
    assert (few == table[ids]).all()
    assert (fresh.rows(ids) == few).all()


def test_no_rows_are_asked_for(packaged):
    assert packaged.rows([]).shape == (0, packaged.dims)
    assert packaged.tokens([]) == []


def test_a_token_that_the_model_has_not_is_refused(packaged):
    for wrong in (10**7, -1):
        with pytest.raises(BadModel):
            Model(PACKAGED).rows([0, wrong])


# ---------------------------------------------------------------- exactness


def test_a_vector_does_not_depend_on_the_order_in_which_terms_became_known(packaged):
    counts = counts_of(*TEXTS)
    spelt = packaged.tokens(counts.terms)
    ends, token = csr_of(spelt)
    table = packaged.rows(range(packaged.count))
    right = vectors.chunk_vectors(counts.indptr, counts.term, counts.weight, ends, token, table)
    rng = np.random.default_rng(7)
    for _ in range(3):
        order = rng.permutation(len(spelt))
        place = np.argsort(order)
        ends, token = csr_of([spelt[i] for i in order])
        terms = place[counts.term]
        shuffled = np.concatenate(
            [
                start + rng.permutation(end - start)
                for start, end in zip(counts.indptr, counts.indptr[1:], strict=False)
            ]
        )
        found = vectors.chunk_vectors(
            counts.indptr, terms[shuffled], counts.weight[shuffled], ends, token, table
        )
        assert (found[0] == right[0]).all()
        assert (found[1] == right[1]).all()


def test_a_chunk_has_the_same_vector_alone_and_among_others(packaged):
    together = embed(packaged, *TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        assert (embed(packaged, text)[0] == vector).all()


def test_a_chunk_without_a_known_word_is_a_row_of_zeros(packaged):
    assert not embed(packaged, "{ } ( ) ;", "").any()


def test_a_word_is_weighed_by_how_often_it_occurs(tmp_path):
    model = Model(write_model(tmp_path / "m", ["left", "right"]))
    (found,) = embed(model, "left left left right")
    expected = 3 * word_vector("left") + word_vector("right")
    assert cosine(found, expected.astype(np.float64)) > 0.9999


def test_long_chunks_of_long_vectors_do_not_overflow(tmp_path):
    folder = tmp_path / "m"
    rows = np.stack([word_vector("[UNK]"), word_vector("x") * 60])
    save(folder, {"embeddings": rows}, tokenizer_of(["x"]))
    # as many as a chunk can hold at all: one letter and a blank in twice the budget
    (found,) = embed(Model(folder), "x " * 1200)
    assert cosine(found, word_vector("x").astype(np.float64)) > 0.9999


# ---------------------------------------------------------------- all shapes of a model


WORDS = ["retry", "policy", "delay", "cache", "evict", "token"]


def table(rows):
    return np.stack([word_vector(str(i)) for i in range(rows)])


LAYOUTS = {
    "plain": {"embeddings": table(7)},
    "sentence-transformers": {"embedding.weight": table(7)},
    "weights": {"embeddings": table(7), "weights": np.linspace(0.1, 2, 7, dtype=np.float32)},
    "half": {"embeddings": table(7).astype(np.float16)},
    "int8": {
        "embeddings": np.rint(table(7) * 30).astype(np.int8),
        "weights": np.linspace(0.01, 0.1, 7, dtype=np.float32),
    },
    "mapping": {
        "embeddings": table(3),
        "mapping": np.asarray([0, 2, 1, 1, 0, 2, 2], np.int64),
        "weights": np.linspace(0.5, 1, 7, dtype=np.float32),
    },
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("whole", [False, True])
def test_every_kind_of_model_is_embedded_as_by_its_library(tmp_path, layout, whole):
    tensors = LAYOUTS[layout]
    save(tmp_path / "m", tensors, tokenizer_of(WORDS))
    text = "retry retry delay evict token cache policy token unknown"
    reference = StaticModel(
        next(iter(tensors.values())),
        tokenizer_of(WORDS),
        weights=tensors.get("weights"),
        token_mapping=tensors.get("mapping"),
    ).encode([text])
    model = Model(tmp_path / "m")
    if whole:
        model.rows(range(model.count))
    assert cosine(embed(model, text), reference.astype(np.float64)) > 0.9999


def test_the_library_can_load_what_these_tests_write(tmp_path):
    folder = write_model(tmp_path / "m", ["retry again", "bread"])
    found = StaticModel.from_pretrained(folder).encode(["retry", "again", "bread"])
    assert cosine(found[0], found[1]) > 0.9999
    assert cosine(found[0], found[2]) < 0.5


def test_a_model_of_sentence_transformers_lies_in_a_subfolder(tmp_path):
    save(tmp_path / "0_StaticEmbedding", {"embedding.weight": table(7)}, tokenizer_of(WORDS))
    assert Model(tmp_path).dims == table(7).shape[1]


def test_the_fingerprint_tells_models_apart(tmp_path):
    save(tmp_path / "a", {"embeddings": table(7)}, tokenizer_of(WORDS))
    shutil.copytree(tmp_path / "a", tmp_path / "copy")
    save(tmp_path / "other-table", {"embeddings": table(8)[1:]}, tokenizer_of(WORDS))
    save(tmp_path / "other-words", {"embeddings": table(7)}, tokenizer_of(WORDS[::-1]))
    marks = {name: Model(tmp_path / name).fingerprint() for name in ("a", "copy")}
    assert marks["a"] == marks["copy"]
    others = [Model(tmp_path / f"other-{what}").fingerprint() for what in ("table", "words")]
    assert len({marks["a"], *others}) == 3


# ---------------------------------------------------------------- bad models


def truncated(folder):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:200])


def without_table(folder):
    shutil.rmtree(folder)
    save(folder, {"something": table(7)}, tokenizer_of(WORDS))


def three_dimensional(folder):
    shutil.rmtree(folder)
    save(folder, {"embeddings": table(7)[None]}, tokenizer_of(WORDS))


def one_dimensional(folder):
    shutil.rmtree(folder)
    save(folder, {"embeddings": table(7)[0]}, tokenizer_of(WORDS))


BAD: dict[str, Any] = {
    "missing": shutil.rmtree,
    "empty": lambda folder: [file.unlink() for file in folder.iterdir()],
    "no table": lambda folder: (folder / "model.safetensors").unlink(),
    "no tokeniser": lambda folder: (folder / "tokenizer.json").unlink(),
    "truncated table": truncated,
    "empty table": lambda folder: (folder / "model.safetensors").write_bytes(b""),
    "something else": lambda folder: (folder / "model.safetensors").write_bytes(b"x" * 999),
    "not of Model2Vec": without_table,
    "a cube": three_dimensional,
    "a line": one_dimensional,
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_folder_is_refused_by_name(tmp_path, fault):
    folder = write_model(tmp_path / "m", WORDS)
    BAD[fault](folder)
    with pytest.raises(BadModel, match="/m'"):
        Model(folder)


@pytest.mark.parametrize("content", [b"", b"{}", b"no JSON", b"\xff\xfe", b'{"model": null}'])
def test_a_bad_tokeniser_is_refused_when_it_is_needed(tmp_path, content):
    folder = write_model(tmp_path / "m", WORDS)
    (folder / "tokenizer.json").write_bytes(content)
    with pytest.raises(BadModel, match="/m'"):
        Model(folder).tokens(["retry"])


def test_a_tokeniser_that_knows_more_than_the_table_is_refused(tmp_path):
    folder = tmp_path / "m"
    save(folder, {"embeddings": table(3)}, tokenizer_of(WORDS))
    model = Model(folder)
    with pytest.raises(BadModel):
        embed(model, "cache evict token")


# ---------------------------------------------------------------- codes


def test_quantised_rows_are_near_the_unit_vectors(packaged):
    sums = np.random.default_rng(3).normal(size=(50, 256)) * 1e6
    rows, scales = vectors.quantised(sums)
    unit = sums / np.linalg.norm(sums, axis=1)[:, None]
    assert np.abs(rows).max() == 127
    assert np.abs(rows * scales[:, None] - unit).max() < 0.002


@pytest.mark.parametrize("dims", [1, 63, 64, 65, 96, 256])
def test_sign_codes_hold_one_bit_a_dimension(dims):
    rows = np.random.default_rng(dims).integers(-2, 3, (9, dims)).astype(np.int8)
    codes = vectors.sign_codes(rows)
    assert codes.shape == (-(-dims // 64), 9)
    for row in range(9):
        bits = [int(codes[d // 64, row]) >> (d % 64) & 1 for d in range(codes.shape[0] * 64)]
        assert bits == [int(value > 0) for value in rows[row]] + [0] * (len(bits) - dims)


def test_a_query_vector_is_the_unit_vector_in_whole_steps():
    sums = np.asarray([3, -4, 0])
    found = vectors.query_vector(sums)
    assert found.tolist() == [
        round(0.6 * vectors.QUERY_STEPS),
        -round(0.8 * vectors.QUERY_STEPS),
        0,
    ]
    assert not vectors.query_vector(np.zeros(3)).any()
