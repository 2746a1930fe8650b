"""Which results are called sure, and which are called guesses."""

import pytest

from gitsearch.retrieval import query
from gitsearch.retrieval.confidence import confidence
from gitsearch.retrieval.engine import Ranked

QUESTION, NAME = query.parse("where is the pause of a request"), query.parse("pause_all")


def ranked(*results):
    """Results by (score, rank in the legs of words, of meaning, of names)."""
    return [
        Ranked(row, score, dict(zip(("lexical", "dense", "symbol"), places, strict=True)), {})
        for row, (score, *places) in enumerate(results)
    ]


BOTH, ONE, NONE = (1, 10, None), (None, 10, None), (11, None, 50)


@pytest.mark.parametrize(
    ("legs", "second", "sure"),
    [
        (BOTH, 0.75, "high"),
        (BOTH, 0.76, "medium"),
        (ONE, 0.5, "medium"),
        (NONE, 0.5, "low"),
    ],
)
def test_the_first_result_is_sure_where_it_stands_apart_and_two_legs_agree(legs, second, sure):
    found = ranked((1.0, *legs), (second, *BOTH))
    assert confidence(QUESTION, found, 1) == sure


def test_the_only_result_stands_apart():
    assert confidence(QUESTION, ranked((1.0, *BOTH)), 1) == "high"


def test_what_defines_the_name_that_is_asked_for_is_sure():
    named = (None, None, 1)
    found = ranked((1.0, *named), (0.99, *named))
    assert [confidence(NAME, found, rank) for rank in (1, 2)] == ["high", "low"]
    # in a question a name may be incidental
    assert confidence(QUESTION, found, 1) == "medium"


def test_after_the_first_result_one_leg_is_a_guess():
    found = ranked((1.0, *ONE), (1.0, *ONE), (0.9, *BOTH))
    assert [confidence(QUESTION, found, rank) for rank in (1, 2, 3)] == ["medium", "low", "medium"]
