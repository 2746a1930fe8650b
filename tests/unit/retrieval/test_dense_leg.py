"""The dense leg finds the nearest chunks: almost none is lost, and scores are exact."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gitsearch.features import embedding
from gitsearch.features.embedding import PACKAGED, Model
from gitsearch.index.view import Segment, View
from gitsearch.retrieval import chunk_vectors, dense_leg
from gitsearch.retrieval.constants import Ranking
from tests.unit.features.models import DIMS, write_model
from tests.unit.index.views import places_of, view_of

ROOT = Path(__file__).parents[3]
QUESTIONS = (
    "where are retries configured",
    "lock file of the writer",
    "how are chunks cut",
    "exit code of the program",
    "git status of the working tree",
    "pager on a terminal",
    "hash of a view",
    "attributes of generated files",
    "compare two trees",
)
PLAIN = Ranking(path_weight=0.0, file_share=0.0)
WORDS = [f"word{letter}{second}" for letter in "abcdefghijklmnopqrst" for second in "abcdefghij"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "m"
    return Model(write_model(folder, ["pause wait sleep", "retry again", "bread", *WORDS]))


def random_view(model, rows, per_file=5, parts=1):
    """A view of random vectors, in one segment or several."""
    rng = np.random.default_rng(11)
    drawn = rng.normal(size=(rows, DIMS)) + 0.7 * rng.normal(size=DIMS)
    vector = embedding.quantised(np.rint(drawn * 1e6))
    segments = []
    for own in np.array_split(np.arange(rows).reshape(-1, per_file), parts):
        files, part = len(own), own.ravel()
        ends = np.arange(files + 1) * per_file
        names = [b"%06d.txt" % (part[0] + i * per_file) for i in range(files)]
        arrays = {
            "vector": vector[part],
            "code": embedding.sign_codes(vector[part]),
            "file_chunk": ends.astype(np.uint32),
            "chunk_file": (np.arange(len(part)) // per_file).astype(np.uint32),
            "chunk_start": (np.arange(len(part)) % per_file).astype(np.uint32),
            "path_text": np.frombuffer(b"".join(names), np.uint8),
            "path_ends": np.cumsum([0, *map(len, names)]).astype(np.uint32),
            "path_vector": np.zeros((files, DIMS), np.int8),
        }
        segments.append(Segment(arrays, {"files": files, "chunks": len(part), "base": None}))
    live = tuple(np.ones(segment.files, bool) for segment in segments)
    return View(tuple(segments), live, model), vector


def exact(model, vector, tokens):
    """Cosines of all rows with a query, without a scan."""
    query = model.rows(tokens).astype(np.float64).sum(axis=0)
    rows = vector.astype(np.float64) * embedding.scales(vector)[:, None]
    return rows @ query / np.linalg.norm(query)


def queries(model):
    return [
        model.tokens([a])[0] + model.tokens([b])[0] for a, b in zip(WORDS, WORDS[7:], strict=False)
    ]


@pytest.mark.long
def test_the_scan_loses_almost_none_of_the_nearest():
    model = Model(PACKAGED)
    paths = [path for folder in ("gitsearch", "docs") for path in (ROOT / folder).rglob("*")]
    texts = {path.name: path for path in paths if path.suffix in (".py", ".md")}
    view = view_of(model, {name: path.read_text("utf-8") for name, path in texts.items()})
    assert view.count > 1000
    vector = view.vectors(np.arange(view.count))
    kept = []
    for question in QUESTIONS:
        tokens = view.tokens(question.split())
        ranking = replace(PLAIN, scan=view.count // 20)
        rows, close = dense_leg.scores(view, tokens, view.live, ranking)
        best = set(rows[np.argsort(-close)[:20]].tolist())
        right = set(np.argsort(-exact(model, vector, tokens))[:20].tolist())
        kept.append(len(best & right) / 20)
    assert np.mean(kept) > 0.97
    assert min(kept) >= 0.85


def test_scores_are_cosines(model):
    view, vector = random_view(model, 300)
    tokens = queries(model)[3]
    rows, close = dense_leg.scores(view, tokens, np.ones(300, bool), PLAIN)
    assert rows.tolist() == list(range(300))
    assert close == pytest.approx(exact(model, vector, tokens), abs=2e-4)


def test_scores_do_not_depend_on_how_a_view_is_split(model):
    found = []
    for parts in (1, 2, 7):
        view, _ = random_view(model, 3_000, parts=parts)
        rows, close = dense_leg.scores(
            view, queries(model)[5], np.ones(3_000, bool), replace(PLAIN, file_share=0.2, scan=100)
        )
        found.append((rows.tolist(), close.tolist()))
    assert found[0] == found[1] == found[2]


def test_rows_of_replaced_files_do_not_widen_the_scan(model):
    tokens = queries(model)[5]
    ranking = replace(PLAIN, scan=50)
    whole, _ = random_view(model, 3_000)
    other, _ = random_view(model, 3_000)
    # the same tree as two segments, the lower of which is replaced whole
    gone = np.zeros(other.segments[0].files, bool)
    segments = other.segments + whole.segments
    split = View(segments, (gone, *whole.live_files), model)
    found = []
    for view in (whole, split):
        rows, close = dense_leg.scores(view, tokens, view.live, ranking)
        found.append((sorted(rows - int(view.starts[-2])), sorted(close)))
    assert len(found[0][0]) < 3_000
    assert found[0] == found[1]


def test_the_scan_goes_by_signs_and_the_large_components_of_the_query(model):
    view, vector = random_view(model, 2_000, parts=3)
    equal = np.where(vector > 0, 1, -1)
    drawn = np.random.default_rng(3).integers(-99, 100, DIMS)
    # more than a byte counts
    heavy = np.where(np.arange(DIMS) % 2, 99, 98) * np.sign(drawn - 0.5).astype(np.int64)
    heavy[: DIMS // 8] = 1
    for query in (drawn, heavy):
        weights = np.where(query**2 > np.mean(query**2), 3, 1) * np.where(query < 0, -1, 1)
        near = equal @ weights
        for count in (1, 20, 700):
            rows = dense_leg.scan(view, query, view.live, count)
            assert rows.tolist() == np.flatnonzero(near >= np.sort(near)[-count]).tolist()


def test_of_rows_that_are_least_alike_only_allowed_ones_are_found(model):
    view, vector = random_view(model, 2_000)
    vector[:] = -1
    view.segments[0].arrays["code"][:] = 0
    mask = np.arange(2_000) % 2 == 0
    rows = dense_leg.scan(view, np.ones(DIMS, np.int64), mask, 10)
    assert rows.tolist() == np.flatnonzero(mask).tolist()


def test_all_ties_with_the_last_candidate_are_candidates(model):
    files = {f"{n:02}.txt": "pause bread" for n in range(30)}
    view = view_of(model, files)
    rows, close = dense_leg.scores(view, model.tokens(["wait"])[0], view.live, Ranking(scan=5))
    assert len(rows) == 30
    assert len(set(close.tolist())) == 1


def test_only_allowed_rows_are_looked_at(model):
    view, _ = random_view(model, 2_000)
    mask = np.zeros(2_000, bool)
    mask[::97] = True
    rows, _ = dense_leg.scores(view, queries(model)[0], mask, PLAIN)
    assert rows.tolist() == np.flatnonzero(mask).tolist()
    rows, _ = dense_leg.scores(view, queries(model)[0], np.zeros(2_000, bool), PLAIN)
    assert rows.tolist() == []


def test_a_query_of_unknown_words_finds_nothing(model):
    view = view_of(model, {"a.txt": "pause"})
    assert dense_leg.scores(view, [], view.live, PLAIN)[0].tolist() == []
    assert model.tokens(["unheardof"]) == [[]]


def test_words_of_the_same_meaning_are_found(model):
    view = view_of(model, {"a.txt": "bread bread", "b.txt": "sleep", "c.txt": "again"})
    rows, close = dense_leg.scores(view, model.tokens(["pause"])[0], view.live, PLAIN)
    best = int(rows[int(np.argmax(close))])
    assert places_of(view, [best]) == [("b.txt", 1, 1)]


def test_a_chunk_of_unknown_words_is_near_to_nothing(model):
    view = view_of(model, {"a.txt": "unheardof", "b.txt": "pause"})
    rows, close = dense_leg.scores(view, model.tokens(["pause"])[0], view.live, PLAIN)
    assert dict(zip(rows.tolist(), close.tolist(), strict=True))[0] == 0


def test_what_the_rest_of_a_file_says_counts(model):
    bread, pause = "bread\n" * 66, "pause\n" * 66
    view = view_of(model, {"a.txt": bread, "b.txt": bread + pause})
    tokens = model.tokens(["pause"])[0]
    for share in (0.0, 0.3):
        rows, close = dense_leg.scores(view, tokens, view.live, replace(PLAIN, file_share=share))
        assert places_of(view, rows.tolist()) == [
            ("a.txt", 1, 66),
            ("b.txt", 1, 66),
            ("b.txt", 67, 132),
        ]
        assert (close[1] > close[0]) == (share > 0)
        assert close[2] == close.max()


def test_the_words_of_a_path_count_above_the_gate_only(model):
    files = {"wait/a.txt": "bread", "b.txt": "bread", "bread/again/c.txt": "bread"}
    view = view_of(model, files)
    tokens = model.tokens(["pause"])[0]

    def close(**constants):
        _, values = dense_leg.scores(view, tokens, view.live, replace(PLAIN, **constants))
        return values

    plain = close(path_weight=0.0)
    assert plain[0] == plain[1] == plain[2]
    b, c, wait = close(path_weight=0.5, path_gate=0.25) - plain
    assert wait == pytest.approx(0.5 * (1 - 0.25), abs=0.01)
    assert b == c == 0


@pytest.mark.parametrize("dims", [embedding.SINGLE, embedding.SINGLE + 1])
def test_cosines_are_exact_in_both_precisions(dims):
    row = np.full((1, dims), embedding.LEVELS, np.int8)
    row[0, ::3] = 13
    query = embedding.query_vector(np.ones(dims))
    steps = row[0].astype(int)
    found = chunk_vectors.cosine(row, query)
    exact = int(steps @ query) / np.sqrt(int(steps @ steps)) / embedding.QUERY_STEPS
    assert found == pytest.approx([exact], rel=1e-12)


def test_the_best_rows_are_the_same_if_only_those_are_scored(model):
    ranking = replace(PLAIN, file_share=0.05, scan=500)
    for parts in (1, 7):
        view, _ = random_view(model, 3_000, parts=parts)
        every = np.ones(3_000, bool)
        for tokens in queries(model)[:20]:
            rows, close = dense_leg.scores(view, tokens, every, ranking)
            some, near = dense_leg.scores(view, tokens, every, ranking, 10)
            known = dict(zip(rows.tolist(), close.tolist(), strict=True))
            least = sorted(close)[-10]
            assert len(some) < len(rows)
            assert {row for row, score in known.items() if score >= least} <= set(some.tolist())
            assert [known[row] for row in some.tolist()] == near.tolist()
