"""Which results are called sure, and which are called guesses."""

from dataclasses import replace

import pytest

from gitsearch.retrieval import query
from gitsearch.retrieval.confidence import confidence, is_answered
from gitsearch.retrieval.engine import Ranked

QUESTION, NAME = query.parse("where is the pause of a request"), query.parse("pause_all")

BOTH, ONE, NONE = (1, 10, None), (None, 10, None), (11, None, 50)


def legs(places):
    return dict(zip(("lexical", "dense", "symbol"), places, strict=True))


def one(places=BOTH, support=10, fit=1.2, **others):
    return Ranked(0, 1.0, legs(places), {}, None, fit, support, **others)


def sure(result, rank=1):
    return confidence(QUESTION, [one()] * (rank - 1) + [result], rank)


@pytest.mark.parametrize(
    ("support", "expected"), [(0, "low"), (1, "low"), (9, "medium"), (39, "high")]
)
def test_a_file_with_many_of_the_first_results_is_sure(support, expected):
    assert sure(one(ONE, support=support), rank=3) == expected


def test_the_legs_that_rank_a_result_high_vouch_for_it():
    assert [sure(one(places, support=6), 2) for places in (BOTH, ONE, NONE)] == [
        "medium",
        "medium",
        "low",
    ]
    assert [sure(one(places, support=16)) for places in (BOTH, ONE)] == ["high", "medium"]


@pytest.mark.parametrize(
    ("places", "read", "first", "later"),
    [
        (BOTH, None, "medium", "medium"),
        (ONE, None, "medium", "low"),
        (ONE, 10, "medium", "medium"),
        (ONE, 11, "medium", "low"),
        (NONE, 10, "medium", "low"),
        (NONE, 11, "low", "low"),
    ],
)
def test_a_small_file_is_no_guess_where_legs_and_the_reader_agree(places, read, first, later):
    small = one(places, support=1, read=read)
    assert (sure(small, 1), sure(small, 2)) == (first, later)


@pytest.mark.parametrize(("fit", "expected"), [(-1e308, "low"), (1e308, "high")])
def test_no_fit_of_a_damaged_answer_is_an_error(fit, expected):
    found = [one(), one(), one(NONE, fit=fit)]
    assert confidence(QUESTION, found, 3) == expected


def test_a_result_that_fits_better_is_surer():
    assert [sure(one(support=8, fit=fit)) for fit in (0.7, 1.2, 2.0)] == [
        "medium",
        "medium",
        "high",
    ]
    # modes of one leg have no fit
    assert sure(one(ONE, support=8, fit=None)) == "medium"


def test_what_the_reader_has_read_needs_no_leg():
    assert sure(one(NONE, support=12, read=1)) == sure(one(BOTH, support=12, read=40)) == "high"


def test_what_defines_the_name_that_is_asked_for_is_sure():
    found = [one((None, None, 1), support=1)] * 2
    assert [confidence(NAME, found, rank) for rank in (1, 2)] == ["high", "low"]
    # in a question a name may be incidental
    assert confidence(QUESTION, found, 1) == "medium"


def test_nothing_is_sure_where_no_result_has_to_do_with_the_question():
    found = [one(support=30, fit=0.69), one(support=20, fit=0.69)]
    assert not is_answered(QUESTION, found)
    assert [confidence(QUESTION, found, rank) for rank in (1, 2)] == ["low", "low"]
    # a pasted text has words of its own; who asks for a name gets what has it
    assert is_answered(query.parse(" ".join(f"word{i}" for i in range(40))), found)
    assert is_answered(NAME, found)
    answered = [found[0], replace(found[1], fit=0.7)]
    assert is_answered(QUESTION, answered)
    assert confidence(QUESTION, answered, 1) == "high"
