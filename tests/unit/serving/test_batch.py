"""The lines of a batch: each has one answer, whatever it holds."""

import io
import json

import pytest

from gitsearch.cli.questions import refusal
from gitsearch.errors import BadPath
from gitsearch.serving.answer import Answer
from gitsearch.serving.batch import LONGEST, answer_lines

ANSWER = '{"schema": 1, "asked": "…\\u2028"}\n'


def answered(*lines, answerer=lambda words: Answer(ANSWER, 0)):
    return list(answer_lines(io.BytesIO(b"".join(lines)), answerer, refusal))


def asking(argv, **more):
    return json.dumps({**more, "argv": argv}).encode() + b"\n"


def test_the_words_arrive_as_they_are():
    words: list[list[str]] = []

    def answerer(argv):
        words.append(argv)
        return Answer(ANSWER, 0)

    asked = [["def", "a b", "--", "-x"], [], ["\udcff", 'ü"\n']]
    answered(*map(asking, asked), answerer=answerer)
    assert words == asked


def test_an_answer_is_the_document_byte_for_byte():
    assert answered(asking(["x"])) == [ANSWER]


@pytest.mark.parametrize("own", [7, 0, -1, "", "a", 'ü"\n', "\ud800", "x" * 256, 10**255])
def test_an_id_stands_before_the_fields_of_the_answer(own):
    (line,) = answered(asking(["x"], id=own))
    assert json.loads(line)["id"] == own
    assert line.count("\n") == 1
    assert line.endswith(", " + ANSWER.removeprefix("{"))


def test_an_id_that_is_null_is_none():
    assert answered(b'{"id": null, "argv": []}\n') == [ANSWER]


def test_a_bug_in_one_answer_is_its_line_and_not_the_end():
    def failing(argv):
        return {"right": Answer(ANSWER, 0)}[argv[0]]

    lines = answered(asking(["wrong"], id="b"), asking(["right"]), answerer=failing)
    document = json.loads(lines[0])
    assert (document["id"], document["error"]["code"]) == ("b", "internal")
    assert "KeyError: 'wrong' (gitsearch" in document["error"]["message"]
    assert lines[1] == ANSWER


def test_a_refusal_is_the_answer_to_its_line_and_not_the_end():
    def answerer(argv):
        return refusal(BadPath("no file", "look")) if argv else Answer(ANSWER, 1)

    lines = answered(asking([]), asking(["a"], id="b"), asking([]), answerer=answerer)
    assert lines[0] == lines[2] == ANSWER
    assert json.loads(lines[1]) == {
        "id": "b",
        "line": 2,
        "schema": 1,
        "error": {"code": "bad-path", "message": "no file", "hint": "look"},
    }


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "is not JSON"),
        (b"words", "is not JSON"),
        (b'{"argv": ["x"]', "is not JSON"),
        (b'{"argv": ["x"]} {"argv": ["x"]}', "is not JSON"),
        (b"\xef\xbb\xbf" + b'{"argv": []}', "is not JSON"),
        (b'{"argv": []}'.decode().encode("utf-16"), "is not UTF-8"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"id": ' + b"9" * 5000 + b', "argv": []}', "is not JSON"),
        (b'{"argv": [], "argv": []}', "stands there twice"),
        (b"\xff\xfe\x00", "is not UTF-8 at byte 0"),
        (b"\x00\x01\x02", "is not JSON"),
        (b'"argv"', "not a JSON object"),
        (b"[]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b"{}", '"argv" has to be'),
        (b'{"argv": "def x"}', '"argv" has to be'),
        (b'{"argv": ["def", 1]}', '"argv" has to be'),
        (b'{"query": "x"}', "unknown key 'query'"),
        (b'{"argv": [], "\\ud800": 1}', "unknown key"),
        (b'{"id": 1.5, "argv": []}', '"id" has to be'),
        (b'{"id": true, "argv": []}', '"id" has to be'),
        (b'{"id": [], "argv": []}', '"id" has to be'),
        (b'{"id": "' + b"x" * 257 + b'", "argv": []}', '"id" has to be'),
    ],
)
def test_garbage_is_answered_with_an_error(line, said):
    first, second = answered(line + b"\n", asking([]))
    error = json.loads(first)
    assert error["line"] == 1
    assert error["error"]["code"] == "usage"
    assert said in error["error"]["message"]
    assert len(first) < 1000
    assert second == ANSWER


@pytest.mark.parametrize("size", [LONGEST + 1, 10_000_000])
def test_a_line_that_is_too_long_is_answered_and_passed_over(size):
    first, second = answered(b"x" * size + b"\n", asking([]))
    assert f"more than {LONGEST} bytes" in json.loads(first)["error"]["message"]
    assert second == ANSWER
    assert len(answered(b"x" * size)) == 1


def test_a_line_may_be_as_long_as_that_and_the_last_one_may_lack_its_end():
    line = asking(["x" * (LONGEST - 14)]).rstrip(b"\n")
    assert len(line) == LONGEST
    assert answered(line + b"\n", line) == [ANSWER] * 2


def test_an_answer_comes_before_the_next_line_is_read():
    questions = io.BytesIO(asking([]) + b"not read yet\n")
    lines = answer_lines(questions, lambda words: Answer(ANSWER, 0), refusal)
    assert next(lines) == ANSWER
    assert questions.read() == b"not read yet\n"
