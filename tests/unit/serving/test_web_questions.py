"""Questions of a page: a bug in one answer is that answer's error."""

import pytest

from gitsearch.serving.web_questions import WebQuestions


def test_a_bug_in_one_answer_is_told_with_its_place():
    def answerer(words):
        raise ZeroDivisionError(str(words[-1]))

    questions = WebQuestions(answerer, ["work"], lambda folder: folder)
    status, document = questions.reply("search", [("q", "retry")])
    assert (status, document["error"]["code"]) == (500, "internal")
    assert "ZeroDivisionError" in document["error"]["message"]
    assert "(gitsearch/serving/web_questions.py:" in document["error"]["message"]


@pytest.mark.parametrize(
    ("kind", "pairs", "said"),
    [
        ("search", [("q", "\0")], "'q' cannot hold a NUL"),
        ("search", [("q", "a\0b")], "'q' cannot hold a NUL"),
        ("search", [("q", "a" * 4097)], "'q' has more than 4096 characters"),
        ("search", [("q", "a"), ("q", "b")], "'q' is given more than once"),
        ("search", [("q", "a"), ("limit", "3")], "'search' has no parameter 'limit'"),
        ("search", [("q", "a"), ("edited", "2")], "'edited' is 1 or left out, not '2'"),
        ("search", [("q", "a"), ("edited", "")], "'edited' is 1 or left out, not ''"),
        ("history", [("q", "a"), ("type", "c")], "'history' has no parameter 'type'"),
        ("repositories", [("q", "a")], "'repositories' has no parameter 'q'"),
    ],
)
def test_a_question_with_a_parameter_that_is_none_is_refused_with_the_reason(kind, pairs, said):
    def answerer(words):
        raise AssertionError("nothing is asked")

    questions = WebQuestions(answerer, ["work"], lambda folder: folder)
    status, document = questions.reply(kind, pairs)
    assert (status, document["error"]["message"]) == (400, said)
