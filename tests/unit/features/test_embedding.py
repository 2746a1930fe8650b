"""Chunks are embedded as the model's own library embeds their words, exactly and in any order."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from model2vec import StaticModel
from model2vec.model import quantize_model
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from gitsearch.errors import BadModel
from gitsearch.features import embedding
from gitsearch.features.embedding import PACKAGED, PACKAGED_FINGERPRINT, Model
from gitsearch.features.identifiers import identifiers, parts
from gitsearch.features.term_counts import TermCounter
from gitsearch.index.segment_input import Dictionary, embedded
from tests.unit.features.models import csr_of, save, tokenizer_of, word_vector, write_model

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


def steps_of(model, *texts):
    """Rows of texts, as the index makes them: int8 (texts, dims)."""
    counts = counts_of(*texts)
    dictionary = Dictionary(model.tokens)
    return embedded(model, counts, dictionary, dictionary.numbers(counts.terms))


def embed(model, *texts):
    """The same as unit vectors: float64 (texts, dims)."""
    rows = steps_of(model, *texts)
    return rows.astype(np.float64) * embedding.scales(rows)[:, None]


def assert_embedded(model, texts, expected):
    """Each component is in the middle of the step that the expected one is in, or the last."""
    values = np.atleast_2d(np.asarray(expected, np.float64))
    halves = 2 * values / (0.4201 * np.abs(values).mean(axis=1, keepdims=True))
    within = np.clip(halves, -embedding.LEVELS, embedding.LEVELS)
    # token vectors are rounded to fixed point before they are added
    assert np.abs(steps_of(model, *texts) - within).max() < 1 + 0.02


def cosine(left, right):
    norms = np.linalg.norm(left, axis=-1) * np.linalg.norm(right, axis=-1)
    return (left * right).sum(axis=-1) / norms


# ---------------------------------------------------------------- the packaged model


def test_the_fingerprint_of_the_packaged_model_is_written_down(packaged):
    assert packaged.fingerprint() == PACKAGED_FINGERPRINT


def test_chunks_are_embedded_as_the_models_library_embeds_them(packaged):
    reference = StaticModel.from_pretrained(PACKAGED).encode(TEXTS, max_length=None)
    assert_embedded(packaged, TEXTS, reference)
    near = cosine(embed(packaged, *TEXTS), reference.astype(np.float64))
    assert near.min() > 0.99


def test_a_vector_has_length_one(packaged):
    assert np.linalg.norm(embed(packaged, *TEXTS), axis=1) == pytest.approx(1, abs=1e-12)


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
    postings = counts.indptr, counts.term, counts.weight
    right = embedding.text_vectors(*postings, ends, token, table, embedding.quantised)
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
        postings = counts.indptr, terms[shuffled], counts.weight[shuffled]
        found = embedding.text_vectors(*postings, ends, token, table, embedding.quantised)
        assert (found == right).all()


def test_a_chunk_has_the_same_vector_alone_and_among_others(packaged):
    together = embed(packaged, *TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        assert (embed(packaged, text)[0] == vector).all()


def test_a_chunk_without_a_known_word_is_a_row_of_zeros(packaged):
    assert not embed(packaged, "{ } ( ) ;", "").any()


def test_a_word_is_weighed_by_how_often_it_occurs(tmp_path):
    model = Model(write_model(tmp_path / "m", ["left", "right"]))
    expected = 3 * word_vector("left") + word_vector("right")
    assert_embedded(model, ["left left left right"], expected)


def test_long_chunks_of_long_vectors_do_not_overflow(tmp_path):
    folder = tmp_path / "m"
    rows = np.stack([word_vector("[UNK]"), word_vector("x") * 60])
    save(folder, {"embeddings": rows}, tokenizer_of(["x"]))
    # as many as a chunk can hold at all: one letter and a blank in twice the budget
    assert_embedded(Model(folder), ["x " * 1200], word_vector("x"))


# ---------------------------------------------------------------- all shapes of a model


WORDS = ["retry", "policy", "delay", "cache", "evict", "token"]


def table(rows):
    return np.stack([word_vector(str(i)) for i in range(rows)])


LAYOUTS = {
    "plain": {"embeddings": table(7)},
    "sentence-transformers": {"embedding.weight": table(7)},
    "weights": {"embeddings": table(7), "weights": np.linspace(0.1, 2, 7, dtype=np.float32)},
    "half": {"embeddings": table(7).astype(np.float16)},
    "double": {"embeddings": table(7).astype(np.float64)},
    "very long": {"embeddings": table(7) * np.float32(1e30)},
    "very short": {"embeddings": table(7) * np.float32(1e-9)},
    "bare int8": {"embeddings": np.rint(table(7) * 30).astype(np.int8)},
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
    assert_embedded(model, [text], reference)


# A text of the words as they stand in it: after a blank.
SENTENCE = " retry delay evict cache token zzz policy retry"


def wordlevel():
    return tokenizer_of(WORDS)


def padded():
    found = tokenizer_of(WORDS)
    found.enable_padding(pad_id=1, pad_token="retry", length=20)
    return found


def truncated():
    found = tokenizer_of(WORDS)
    found.enable_truncation(1)
    return found


def unigram():
    pieces = ["<unk>", "\u2581", *(f"\u2581{word}" for word in WORDS[:4]), "to", "ken"]
    found = Tokenizer(models.Unigram([(piece, -1.0) for piece in pieces], unk_id=0))
    found.pre_tokenizer = pre_tokenizers.Metaspace()
    return found


def bytewise():
    found = Tokenizer(models.BPE())
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet)
    found.train_from_iterator([SENTENCE] * 9, trainer)
    return found


@pytest.mark.parametrize("make", [wordlevel, padded, truncated, unigram, bytewise])
def test_every_kind_of_tokeniser_is_used_as_by_its_library(tmp_path, make):
    rows = table(make().get_vocab_size())
    save(tmp_path / "m", {"embeddings": rows}, make())
    reference = StaticModel.from_pretrained(tmp_path / "m", max_length=None).encode([SENTENCE])
    model = Model(tmp_path / "m")
    model.check()
    assert_embedded(model, [SENTENCE], reference)


def nested(folder, model):
    inner = folder / "0_StaticEmbedding"
    save(inner, {"embedding.weight": model.embedding}, model.tokenizer)
    (folder / "config_sentence_transformers.json").write_text("{}", encoding="utf-8")


def saved(folder, model):
    model.save_pretrained(folder)


def of_eight_bits(folder, model):
    quantize_model(model, quantize_to="int8").save_pretrained(folder)


def of_fewer_rows(folder, model):
    # what quantising a vocabulary makes, without the clustering, which needs another library
    found = StaticModel(
        model.embedding[:4],
        model.tokenizer,
        weights=np.linspace(0.2, 1, 7),
        token_mapping=np.asarray([0, 1, 2, 3, 3, 2, 1], np.int32),
    )
    quantize_model(found, quantize_to="float16").save_pretrained(folder)


@pytest.mark.parametrize("write", [saved, nested, of_eight_bits, of_fewer_rows])
def test_what_the_library_writes_is_embedded_as_by_it(tmp_path, write):
    folder = tmp_path / "a model"
    write(folder, StaticModel(table(7), tokenizer_of(WORDS), normalize=True, max_length=None))
    found = Model(folder)
    found.check()
    assert_embedded(found, [SENTENCE], StaticModel.from_pretrained(folder).encode([SENTENCE]))


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


# ---------------------------------------------------------------- codes


@pytest.mark.parametrize("dims", [7, 96, 192, 256])
def test_quantised_rows_point_where_the_sums_point(dims):
    sums = np.random.default_rng(3).normal(size=(50, dims)) * 1e6
    rows = embedding.quantised(sums)
    assert rows.dtype == np.int8
    assert set(np.unique(rows)) <= set(range(-embedding.LEVELS, embedding.LEVELS + 1, 2))
    assert cosine(rows.astype(float), sums).mean() > 0.99


@pytest.mark.parametrize("dims", [1, 7, 128, 255])
def test_rows_are_kept_in_half_a_byte_a_component(dims):
    sums = np.random.default_rng(5).normal(size=(50, dims)) * 1e6
    sums[7] = 0
    sums[8] = -1
    rows = embedding.quantised(sums)
    kept = embedding.packed(rows)
    assert kept.shape == (50, embedding.packed_size(dims)) == (50, -(-dims // 2))
    assert np.array_equal(embedding.unpacked(kept)[:, :dims], rows)
    assert embedding.unpacked(kept[:0]).shape == (0, 2 * kept.shape[1])
    signs = embedding.sign_codes(embedding.unpacked(kept))
    assert np.array_equal(signs, embedding.sign_codes(rows))


def test_a_sum_of_any_length_gives_the_same_row():
    sums = np.rint(np.random.default_rng(4).normal(size=(20, 192)) * 1e5)
    assert (embedding.quantised(sums) == embedding.quantised(sums * 1000)).all()
    assert (embedding.quantised(-sums) == -embedding.quantised(sums)).all()


def test_a_sum_of_nothing_is_a_row_of_zeros():
    rows = embedding.quantised(np.zeros((2, 5), np.int32))
    assert not rows.any()
    assert embedding.scales(rows).tolist() == [0.0, 0.0]
    assert embedding.quantised(np.zeros((0, 5), np.int32)).shape == (0, 5)


def test_scales_make_unit_vectors_of_rows():
    rows = np.asarray([[7, 0, 0], [3, -4, 0], [1, 1, 1], [0, 0, 0]], np.int8)
    found = rows * embedding.scales(rows)[:, None]
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 1, 1, 0])


@pytest.mark.parametrize("dims", [1, 7, 192])
def test_sums_are_the_same_with_scipy_and_without(dims):
    rng = np.random.default_rng(dims)
    sizes = rng.integers(0, 9, 1300) * rng.integers(0, 2, 1300)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    column = rng.integers(0, 50, ends[-1])
    weight = rng.integers(0, 5, ends[-1]).astype(np.int32)
    words = rng.integers(-9000, 9000, (50, dims)).astype(np.int32)
    plain = np.zeros((len(sizes), dims), np.int64)
    row = np.repeat(np.arange(len(sizes)), sizes)
    np.add.at(plain, row, words[column].astype(int) * weight[:, None])
    assert (embedding._added(ends, column, weight, words) == plain).all()
    assert (embedding._multiplied(ends, column, weight, words) == plain).all()


@pytest.mark.parametrize("dims", [1, 63, 64, 65, 96, 256])
def test_sign_codes_hold_one_bit_a_dimension(dims):
    rows = np.random.default_rng(dims).integers(-2, 3, (9, dims)).astype(np.int8)
    codes = embedding.sign_codes(rows)
    assert codes.shape == (-(-dims // 64), 9)
    for row in range(9):
        bits = [int(codes[d // 64, row]) >> (d % 64) & 1 for d in range(codes.shape[0] * 64)]
        assert bits == [int(value > 0) for value in rows[row]] + [0] * (len(bits) - dims)


def test_a_query_vector_is_the_unit_vector_in_whole_steps():
    sums = np.asarray([3, -4, 0])
    found = embedding.query_vector(sums)
    assert found.tolist() == [
        round(0.6 * embedding.QUERY_STEPS),
        -round(0.8 * embedding.QUERY_STEPS),
        0,
    ]
    assert not embedding.query_vector(np.zeros(3)).any()
