"""Constants are chosen from some repositories and measured on others."""

from dataclasses import replace

import numpy as np

from bench.fitting import Bench, folds_of
from gitsearch.retrieval.constants import DEFAULT


class Hill(Bench):
    """Two questions that want different things of one constant."""

    def __init__(self):
        self._share = np.ones(2)

    def worth(self, ranking):
        return np.asarray([-abs(ranking.file - 0.6), -abs(ranking.file - 0.2)])


def chosen(*which):
    start = replace(DEFAULT, file=0.4)
    tried = {"file": [0.0, 0.2, 0.4, 0.6, 0.8]}
    return Hill().ascend(start, tried, np.asarray([i in which for i in range(2)]))


def test_a_constant_climbs_to_what_the_chosen_questions_want():
    assert chosen(0).file == 0.6
    assert chosen(1).file == 0.2
    assert chosen(0) == replace(DEFAULT, file=0.6)


def test_it_stays_where_no_step_is_better():
    assert chosen(0, 1).file == 0.4


def test_no_repository_is_in_two_folds():
    repositories = ["a", "b", "a", "c", "d", "b", "e"]
    fold = folds_of(repositories, 3, seed=1)
    pairs = set(zip(repositories, fold.tolist(), strict=True))
    assert len(pairs) == len(set(repositories))
    assert set(fold.tolist()) == {0, 1, 2}
    assert folds_of(repositories, 3, seed=1).tolist() == fold.tolist()
