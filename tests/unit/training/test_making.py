"""What is trained is a table that the program and model2vec read alike, the same each time."""

import dataclasses
import json
import lzma
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model2vec import StaticModel
from scipy import sparse

from gitsearch.features.embedding import Model
from gitsearch.features.term_counts import SCOPE_WEIGHT
from gitsearch.git import repo as repository
from tests.builder import RepoBuilder
from tests.unit.features.models import word_vector
from training import (
    bags,
    descent,
    distil,
    gather,
    held,
    make,
    mining,
    questions,
    vocabulary,
    writing,
)
from training.bags import Wordpieces
from training.gather import Gathered
from training.listing import Entry
from training.mining import Pair

TOKENS = ["read", "##er", "write", "file", "parse", "http", "2", *"abcdefghijklmnopqrstuvwxyz"]
TOKENS += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
TEXTS = ["readFile(reader)", "parseHTTP2 = write", "FILE file File", "größe: read", "xyzzy", ""]


def dense(matrix):
    return matrix.toarray()


# ---------------------------------------------------------------- tokens


def test_a_word_is_its_longest_tokens_from_the_left():
    pieces = Wordpieces(TOKENS)
    assert [pieces.tokens[i] for i in pieces.pieces("reader")] == ["read", "##er"]
    assert pieces.pieces("größe") == ()


@given(st.text(st.sampled_from("abcxyzREADer2_ .äß"), max_size=30))
def test_texts_are_split_as_the_model_splits_them(text):
    pieces = Wordpieces(TOKENS)
    encoded = writing.tokeniser([writing.UNKNOWN, *TOKENS]).encode(text)
    known = [token for token in encoded.tokens if token != writing.UNKNOWN]
    counts = dense(bags.counted([text], None, pieces))[0]
    assert sorted(known) == sorted(np.repeat(pieces.tokens, counts.astype(int)))


def test_enclosing_names_count_as_in_the_index():
    found = dense(bags.counted(["read"], [("parseHTTP",)], Wordpieces(TOKENS)))[0]
    weights = {token: weight for token, weight in zip(TOKENS, found, strict=True) if weight}
    assert weights == {"read": 1, "parse": SCOPE_WEIGHT, "http": SCOPE_WEIGHT}


def test_words_of_several_repositories_become_tokens_the_most_used_first():
    texts = ["config config ctx", "config ctx lonely", "config ctx", "config ctx", "config ctx"]
    pairs = [Pair("name", "config", text, (), "a.py", 0) for text in texts]
    found = vocabulary.words_of_code(pairs, [*"abcde"], frozenset(["read"]))
    assert found == ["config", "ctx"]
    assert vocabulary.words_of_code(pairs, [*"aabcd"], frozenset()) == []


def test_tokens_that_no_split_text_can_have_are_left_out():
    assert vocabulary.possible(["[CLS]", "read", "##er", "R2", "r2", ".", "2", "é"]) == [
        *("read", "##er", "2", "é")
    ]


# ---------------------------------------------------------------- the folder


@pytest.fixture
def folder(tmp_path):
    tokens = [writing.UNKNOWN, *TOKENS]
    table = np.stack([word_vector(token, 48) for token in tokens])
    table[0] = 0
    writing.write(tmp_path / "model", tokens, table)
    return tmp_path / "model", table


def test_rounding_loses_less_than_half_a_step():
    table = np.stack([word_vector(token) for token in TOKENS])
    rows, step = writing.rounded(table)
    assert rows.dtype == np.int8
    assert np.abs(rows * step[:, None] - table).max() <= 0.51 * step.max()
    empty, _ = writing.rounded(np.zeros((2, 3), np.float32))
    assert not empty.any()


def test_model2vec_and_the_program_read_the_same_vectors(folder):
    path, table = folder
    theirs = StaticModel.from_pretrained(path)
    model = Model(path)
    for text in TEXTS[:4]:
        ids = model.tokens([text])[0]
        own = model.rows(ids).sum(axis=0).astype(np.float64)
        expected = theirs.encode([text])[0]
        assert np.allclose(own / np.linalg.norm(own), expected, atol=2e-3)
    known = theirs.encode(["read"])[0]
    assert known @ table[1] / np.linalg.norm(table[1]) > 0.9999


def test_fewer_directions_keep_the_products_of_texts():
    flat = np.random.default_rng(1).normal(size=(len(TOKENS), 6)).astype(np.float32)
    table = np.hstack([flat, np.zeros((len(TOKENS), 4), np.float32)])
    texts = bags.counted(TOKENS, None, Wordpieces(TOKENS))
    cut = writing.narrowed(table, texts, 6, flatten=0.0)
    assert cut.shape == (len(TOKENS), 6)
    assert np.allclose(cut @ cut.T, table @ table.T, atol=1e-4)
    even = texts @ writing.narrowed(table, texts, 6, flatten=1.0)
    spread = np.linalg.svd(even, compute_uv=False)
    assert spread.max() / spread.min() < np.linalg.cond(texts @ flat)


def lost_in_signs(units):
    """Mean square of what separates unit vectors from the corner next to each of them."""
    corners = np.where(units >= 0, 1, -1) / np.sqrt(units.shape[1])
    return ((units - corners) ** 2).sum(axis=1).mean()


def test_turned_axes_keep_products_and_bring_signs_nearer_to_texts():
    sizes = np.array([4, 3, 2, 1, 0.5, 0.25], np.float32)  # uneven, as directions of texts are
    table = np.random.default_rng(1).normal(size=(500, 6)).astype(np.float32) * sizes
    drawn = sparse.random(2_000, 500, 0.02, random_state=np.random.default_rng(2))
    texts = sparse.csr_matrix(drawn)
    even = writing.turned(table, texts, 1)
    assert np.allclose(even @ even.T, table @ table.T, atol=1e-4)
    assert (even == writing.turned(table, texts, 1)).all()
    plain, better = (bags.directions(texts, one) for one in (table, even))
    assert lost_in_signs(better) < 0.8 * lost_in_signs(plain)
    # no axis says much more than another
    assert better.std(axis=0).max() < 2 * better.std(axis=0).min()


# ---------------------------------------------------------------- training


def data_of(count=64, seed=0):
    """Queries and chunks that share no token: what belongs together must be learned."""
    order = np.random.default_rng(seed)
    which = order.integers(0, 8, count)
    eye = np.eye(16, dtype=np.float32)
    return descent.Data(
        sparse.csr_matrix(eye[which]),
        sparse.csr_matrix(eye[which + 8]),
        which % 4,
        which,
        sparse.csr_matrix(np.zeros((1, 16), np.float32)),
    )


SMALL = descent.Recipe(epochs=200, batch=32, group=8, rate=0.05, dims=((8, 1.0), (4, 0.3)))


def test_training_brings_together_what_belongs_together():
    table = np.random.default_rng(2).normal(size=(16, 8)).astype(np.float32)
    trained = descent.train(table, data_of(), SMALL)
    unit = trained / np.linalg.norm(trained, axis=1, keepdims=True)
    assert (np.argmax(unit[:8] @ unit[8:].T, axis=1) == np.arange(8)).all()


def test_the_slopes_are_those_of_the_loss():
    order = np.random.default_rng(3)
    queries, chunks = order.normal(size=(2, 6, 8))
    file = np.asarray([0, 0, 1, 2, 3, 4])
    recipe = dataclasses.replace(SMALL, dims=((8, 1.0), (4, 0.3)))

    def loss():
        return descent._loss(queries, chunks, 1.5, file, recipe)[0]

    slopes = descent._loss(queries, chunks, 1.5, file, recipe)[1]
    for side, slope in zip((queries, chunks), slopes, strict=True):
        for place in ((0, 0), (3, 5), (5, 2)):
            side[place] += 1e-4
            above = loss()
            side[place] -= 2e-4
            below = loss()
            side[place] += 1e-4
            assert slope[place] == pytest.approx((above - below) / 2e-4, rel=1e-3)


def test_a_group_is_of_one_repository_and_a_batch_of_many():
    repository = np.repeat(np.arange(5), 20)
    (batch, *_) = descent.batches(repository, SMALL, np.random.default_rng(0))
    assert len(batch) >= SMALL.batch
    assert len(np.unique(batch)) == len(batch)
    assert len(np.unique(repository[batch])) > 1
    assert (repository[batch[: SMALL.group]] == repository[batch[0]]).sum() >= 4


def test_the_first_table_makes_common_tokens_short():
    vectors = np.random.default_rng(4).normal(size=(500, 12)).astype(np.float32)
    lengths = np.linalg.norm(distil.first_table(vectors, 8), axis=1)
    assert lengths[:5].max() < lengths[400:].min()
    assert lengths.mean() == pytest.approx(1)


def test_the_rank_of_the_right_chunk_is_what_counts():
    scores = np.asarray([[0.9, 0.1, 0.2], [0.9, 0.1, 0.2]])
    assert held.reciprocal(scores, np.asarray([0, 1])) == pytest.approx((1 + 1 / 3) / 2)


# ---------------------------------------------------------------- all of it


class Teacher:
    """Knows letters and some words; says of each what its name is."""

    def tokens(self):
        return ["[CLS]", *TOKENS]

    def of_tokens(self, tokens):
        return np.stack([word_vector(token, 64) for token in tokens])


def checkout(folder, name, noun):
    """A repository whose functions are documented, with a history."""
    repo = RepoBuilder(folder / name)
    for verb in ("read", "write", "parse", "close"):
        repo.write(
            f"src/{verb}.py",
            f'def {verb}_{noun}(path, mode="rb", buffering=-1, encoding=None):\n'
            f'    """Try to {verb} one {noun} of the store."""\n'
            + "".join(f"    {noun}_{i} = store.{verb}(path, mode, {i})\n" for i in range(8)),
        )
        repo.commit(f"Let people {verb} a {noun} in the background")
    return repo


def made(folder, out, jobs=1):
    found = []
    for name, use in (("o+one", "trained on"), ("o+two", "trained on"), ("o+three", "held out")):
        opened = repository.open_repo(folder / name)
        revision = repository.resolve(opened, "HEAD").commit
        assert revision is not None
        url = f"https://example.com/{name.replace('+', '/')}"
        found.append((Entry(url, revision, "MIT", use), opened))
    gathered = gather.gather(found, out / "work", 1, jobs)
    asked = gather.gather_asked(found, out / "work", 1, jobs)
    said: list[str] = []
    recipe = descent.Recipe(epochs=2, batch=8, group=4, dims=((32, 1.0),))
    begun = make.first(gathered, Teacher(), recipe, said.append, dims=16)
    further = dataclasses.replace(recipe, dims=((16, 1.0),))
    make.make(begun, gathered, asked, further, out / "model", said.append)
    return gathered, said, {path.name: path.read_bytes() for path in (out / "model").iterdir()}


@pytest.fixture
def checkouts(tmp_path):
    for name, noun in (("o+one", "letter"), ("o+two", "parcel"), ("o+three", "ticket")):
        checkout(tmp_path, name, noun)


@pytest.mark.usefixtures("checkouts")
def test_the_same_checkouts_give_the_same_bytes_mined_by_one_process_or_two(tmp_path):
    gathered, said, first = made(tmp_path, tmp_path / "a")
    again, _, second = made(tmp_path, tmp_path / "b", jobs=2)
    assert isinstance(gathered, Gathered)
    assert gathered == again
    assert first == second
    assert set(first) == {"model.safetensors", "tokenizer.json", "config.json", "modules.json"}
    assert {one.kind for one in gathered.pairs} >= {"documentation", "name"}
    assert [one.name for one in gathered.held] == ["o/three"]
    assert any("held out: documentation" in line for line in said)
    assert StaticModel.from_pretrained(tmp_path / "a" / "model").encode("read").shape == (16,)


@pytest.mark.usefixtures("checkouts")
def test_pairs_are_mined_again_when_the_program_that_mines_has_changed(tmp_path, monkeypatch):
    def kept():
        return {path.name for path in (tmp_path / "work").glob("*.json")}

    made(tmp_path, tmp_path)
    first = kept()
    made(tmp_path, tmp_path)
    assert kept() == first
    monkeypatch.setattr(gather, "_MINING", (mining,))  # the digest of another program
    made(tmp_path, tmp_path)
    assert len(kept()) == 2 * len(first) == 6


@pytest.mark.usefixtures("checkouts")
def test_the_training_goes_on_with_written_questions(tmp_path, monkeypatch):
    written = [
        {"repository": name, "path": "src/read.py", "line": 3, "question": query}
        for name, query in (("o/one", "where mail comes in"), ("o/three", "who looks at passes"))
    ]
    lines = "".join(json.dumps(one) + "\n" for one in written)
    (tmp_path / "questions").write_bytes(lzma.compress(lines.encode()))
    _, _, without = made(tmp_path, tmp_path / "a")
    monkeypatch.setattr(questions, "QUESTIONS", tmp_path / "questions")
    _, _, with_them = made(tmp_path, tmp_path / "b")
    assert without["tokenizer.json"] == with_them["tokenizer.json"]
    assert without["model.safetensors"] != with_them["model.safetensors"]
    kept = [json.loads(path.read_bytes()) for path in (tmp_path / "b/work/asked").iterdir()]
    # nothing about what is held out
    assert sorted([row[1] for row in rows] for rows in kept) == [[], ["where mail comes in"]]


def test_a_model_to_go_on_from_that_is_none_is_one_line(tmp_path, monkeypatch):
    given = ("checkouts", "--work", "work", "--out", "out", "--begin", str(tmp_path / "gone"))
    monkeypatch.setattr("sys.argv", ["make", *given])
    with pytest.raises(SystemExit) as refused:
        make.main()
    said = str(refused.value)
    assert said.startswith("training: ")
    assert str(tmp_path / "gone") in said
    assert "\n" not in said


def test_a_model_is_read_as_it_was_written(folder):
    path, table = folder
    tokens, rows = writing.read(path)
    assert tokens == TOKENS
    steps, length = writing.rounded(table[1:])
    assert (rows == steps * length[:, None]).all()


def test_repositories_are_mined_by_as_many_processes_as_are_asked_for(tmp_path):
    def note(items):
        for item in items:
            (tmp_path / item).write_text(str(os.getpid()))

    gather._on_processes(note, ["a", "b", "c"], 2)
    by = [(tmp_path / item).read_text() for item in "abc"]
    assert by[0] == by[2] == str(os.getpid()) != by[1]
