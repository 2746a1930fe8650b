"""Questions of a page: a bug in one answer is that answer's error."""

from gitsearch.serving.web_questions import WebQuestions


def test_a_bug_in_one_answer_is_told_with_its_place():
    def answerer(words):
        raise ZeroDivisionError(str(words[-1]))

    questions = WebQuestions(answerer, ["work"], lambda folder: folder)
    status, document = questions.reply("search", {"q": "retry"})
    assert (status, document["error"]["code"]) == (500, "internal")
    assert "ZeroDivisionError" in document["error"]["message"]
    assert "(gitsearch/serving/web_questions.py:" in document["error"]["message"]
