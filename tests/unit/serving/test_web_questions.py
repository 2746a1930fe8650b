"""Questions of a page: a bug in one answer is that answer's error."""

import pytest

from gitsearch.serving.web_questions import WebQuestions


def test_a_bug_in_one_answer_is_told_with_its_place():
    def answerer(words):
        raise ZeroDivisionError(str(words[-1]))

    questions = WebQuestions(answerer, ["work"], lambda folder: folder)
    status, document = questions.reply("search", {"q": "retry"})
    assert (status, document["error"]["code"]) == (500, "internal")
    assert "ZeroDivisionError" in document["error"]["message"]
    assert "(gitsearch/serving/web_questions.py:" in document["error"]["message"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("\0", "'q' cannot hold a NUL"),
        ("a\0b", "'q' cannot hold a NUL"),
        ("a" * 4097, "'q' has more than 4096 characters"),
    ],
)
def test_a_parameter_that_is_no_query_is_refused_with_the_reason(value, said):
    def answerer(words):
        raise AssertionError("nothing is asked")

    questions = WebQuestions(answerer, ["work"], lambda folder: folder)
    status, document = questions.reply("search", {"q": value})
    assert (status, document["error"]["message"]) == (400, said)
