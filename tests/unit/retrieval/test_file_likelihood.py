"""Evidence on files adds up, and never beyond certainty."""

import pytest

from gitsearch.retrieval.file_likelihood import (
    Clue,
    Evidence,
    RankLikelihood,
    of_changed_together,
    of_past_commit,
)


def test_independent_clues_add_up_to_less_than_their_sum():
    evidence = Evidence()
    for likelihood, reason in ((0.5, "a"), (0.6, "b")):
        evidence.add(b"x", Clue(likelihood, "place", reason))
    evidence.add(b"y", Clue(0.7, "test", "c"))
    assert evidence.likelihood(b"x") == pytest.approx(0.8)
    assert evidence.strongest(b"x").reason == "b"
    assert list(evidence.ranked(0.1)) == [b"x", b"y"]
    assert list(evidence.ranked(0.75)) == [b"x"]
    assert evidence.likelihood(b"z") == 0


def test_likelihoods_fall_with_the_rank_and_the_size_of_a_commit():
    ranks = RankLikelihood(0.4, 2.0)
    assert [ranks.at(rank) for rank in (1, 3)] == [0.4, 0.2]
    assert of_past_commit(1.0, 1) > of_past_commit(1.0, 9) > of_past_commit(0.5, 9)
    assert of_changed_together(9, 10) > of_changed_together(1, 1) > of_changed_together(1, 9)
