"""Which results are called sure, and which are called guesses."""

from dataclasses import replace

import pytest

from gitsearch.features.embedding import Model
from gitsearch.retrieval import query
from gitsearch.retrieval.confidence import confidence, is_answered
from gitsearch.retrieval.engine import Ranked
from tests.unit.features.models import write_model
from tests.unit.index.views import places_of, view_of

QUESTION, NAME = query.parse("where is the pause of a request"), query.parse("pause_all")


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    """Two files of one chunk, and one of several at the end."""
    model = Model(write_model(tmp_path_factory.mktemp("models") / "m", ["word"]))
    long = "\n".join(f"some text that fills line {n} of this file" for n in range(40))
    found = view_of(model, {"a.txt": "pause", "b.txt": "pause", "c.txt": long})
    assert [place[0] for place in places_of(found, range(4))] == ["a.txt", "b.txt", *["c.txt"] * 2]
    return found


def ranked(*results):
    """Results by (score, rank in the legs of words, of meaning, of names), of rows from 0."""
    return [Ranked(row, score, legs(places), {}) for row, (score, *places) in enumerate(results)]


def legs(places):
    return dict(zip(("lexical", "dense", "symbol"), places, strict=True))


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
def test_the_first_is_sure_where_it_stands_apart_and_two_legs_agree(view, legs, second, sure):
    found = ranked((1.0, *legs), (second, *BOTH))
    assert confidence(view, QUESTION, found, 1) == sure


@pytest.mark.parametrize(("read", "sure"), [(10, "medium"), (11, "low"), (None, "low")])
def test_a_later_result_is_no_guess_where_a_leg_and_the_reader_agree(view, read, sure):
    first, later = ranked((1.0, *NONE), (0.9, *ONE))
    assert confidence(view, QUESTION, [first, replace(later, read=read)], 2) == sure
    assert confidence(view, QUESTION, [replace(first, read=1), later], 1) == "medium"


def test_the_only_result_stands_apart(view):
    assert confidence(view, QUESTION, ranked((1.0, *BOTH)), 1) == "high"


def test_a_file_stands_apart_from_others_whatever_its_own_chunks_score(view):
    found = [Ranked(row, score, legs(BOTH), {}) for row, score in ((2, 1.0), (3, 0.9), (0, 0.7))]
    assert confidence(view, QUESTION, found, 1) == "high"
    # another file may come right after what is known
    assert confidence(view, QUESTION, found[:2], 1) == "medium"


def test_what_defines_the_name_that_is_asked_for_is_sure(view):
    named = (None, None, 1)
    found = ranked((1.0, *named), (0.99, *named))
    assert [confidence(view, NAME, found, rank) for rank in (1, 2)] == ["high", "low"]
    # in a question a name may be incidental
    assert confidence(view, QUESTION, found, 1) == "medium"


def test_after_the_first_result_one_leg_is_a_guess(view):
    found = ranked((1.0, *ONE), (1.0, *ONE), (0.9, *BOTH))
    assert [confidence(view, QUESTION, found, rank) for rank in (1, 2, 3)] == [
        "medium",
        "low",
        "medium",
    ]


def test_nothing_is_sure_where_no_result_has_to_do_with_the_question(view):
    found = [replace(one, fit=0.69) for one in ranked((1.0, *BOTH), (0.5, *BOTH))]
    assert not is_answered(QUESTION, found)
    assert [confidence(view, QUESTION, found, rank) for rank in (1, 2)] == ["low", "low"]
    # a pasted text has words of its own; who asks for a name gets what has it
    assert is_answered(query.parse(" ".join(f"word{i}" for i in range(40))), found)
    assert is_answered(NAME, found)
    assert is_answered(QUESTION, [found[0], replace(found[1], fit=0.7)])
    assert confidence(view, QUESTION, [found[0], replace(found[1], fit=0.7)], 1) == "high"
