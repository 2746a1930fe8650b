"""Ranks are fused by the formula, and there is one order."""

import numpy as np
import pytest

from gitsearch.features.embedding import Model
from gitsearch.retrieval import fusion
from gitsearch.retrieval.constants import Ranking
from tests.unit.features.models import write_model
from tests.unit.index.views import places_of, view_of


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    model = Model(write_model(tmp_path_factory.mktemp("models") / "m", ["word"]))
    long = "".join(f"line {n} of a text\n" for n in range(400))
    return view_of(model, {"b.txt": "b", "a.txt": "a"}, {"aa/long.txt": long, "a-b.txt": "ab"})


def rows(*numbers):
    return np.asarray(numbers, np.int64)


def test_a_row_gets_a_share_of_each_leg_by_its_rank():
    legs = {"lexical": (rows(7, 3, 9), 0.6), "dense": (rows(3, 8), 0.4), "symbol": (rows(), 0.3)}
    fused = fusion.fuse(legs, {}, Ranking(rrf_k=10), 2)
    assert fused.rows.tolist() == [3, 7, 8, 9]
    assert fused.scores == pytest.approx([0.6 / 12 + 0.4 / 11, 0.6 / 11, 0.4 / 12, 0.6 / 13])
    assert fused.ranks == {"lexical": {7: 1, 3: 2, 9: 3}, "dense": {3: 1, 8: 2}, "symbol": {}}
    assert fused.evident.tolist() == [True, True, True, False]


def test_nothing_fused_is_nothing():
    fused = fusion.fuse({"lexical": (rows(), 1.0)}, {}, Ranking(), 50)
    assert fused.rows.tolist() == []
    assert fused.scores.tolist() == []


def test_equal_scores_are_in_the_order_of_paths_and_places(view):
    everything = np.arange(len(view.live))
    shuffled = np.random.default_rng(3).permutation(everything)
    order = fusion.order(view, shuffled, np.ones(len(shuffled)))
    places = places_of(view, shuffled[order].tolist())
    assert places == sorted(places, key=lambda place: (place[0].encode(), place[1]))
    assert [path for path, *_ in places][:2] == ["a-b.txt", "a.txt"]


def test_scores_come_before_paths(view):
    order = fusion.order(view, rows(0, 1, 2), np.asarray([0.1, 0.3, 0.2]))
    assert order.tolist() == [1, 2, 0]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 100])
def test_the_best_are_the_first_of_all_in_order(view, count):
    everything = np.arange(len(view.live))
    scores = np.asarray([(row * 7 % 3) / 10 for row in everything.tolist()])
    whole = everything[fusion.order(view, everything, scores)]
    assert fusion.top(view, everything, scores, count).tolist() == whole[:count].tolist()


def test_the_best_of_nothing_are_none(view):
    assert fusion.top(view, rows(), np.zeros(0), 5).tolist() == []


def mostly_nothing(count):
    values = np.zeros(count, np.int16)
    values[::20] = 1 + np.arange(len(values[::20])) % 50
    return values


def few_in_the_sample(count):
    values = np.zeros(count, np.int16)
    values[::64] = 9
    return values


@pytest.mark.parametrize("kind", [np.int16, np.float64])
@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(5).integers(-300, 300, 500),
        np.random.default_rng(6).integers(-300, 300, 200_000),
        np.arange(100_000),
        np.zeros(100_000),
        few_in_the_sample(100_000),
        mostly_nothing(200_000),
    ],
    ids=["few", "many", "ascending", "all alike", "a sample unlike the others", "mostly 0"],
)
def test_the_highest_are_those_of_a_sorted_list(values, kind):
    values = (values % 30_000).astype(kind)
    ordered = np.sort(values)[::-1]
    for count in (1, 7, 499, 500, 1600, 50_000, len(values) + 1):
        least = ordered[min(count, len(ordered)) - 1]
        expected = np.flatnonzero(values >= least)
        assert np.array_equal(fusion.highest(values, count), expected)
