"""Pieces of code: all of the text, in its order, with classes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsearch.extract.languages import LANGUAGES
from gitsearch.serving.highlighting import pieces

CODE = "def wait(seconds):  # pause\n    return 'a' + str(3)\n"


def test_words_have_the_class_of_their_kind():
    found = {text.strip(): name for name, text in pieces(CODE, "python")}
    assert found["def"] == found["return"] == "k"
    assert found["# pause"] == "c"
    assert found["'a'"] == "s"
    assert found["3"] == "m"


@pytest.mark.parametrize("language", [*sorted(LANGUAGES), "", "no language"])
def test_the_text_stays_as_it_is(language):
    for text in (CODE, "", "\n\n  x\t\r\n", "<script>\x1b[31m\ud800", "é\u202e '"):
        assert "".join(piece for _, piece in pieces(text, language)) == text


@given(st.text(), st.sampled_from(["python", "go", "html", "php", "rust"]))
def test_whatever_the_text_is(text, language):
    assert "".join(piece for _, piece in pieces(text, language)) == text


def test_a_long_text_is_plain():
    assert pieces(CODE * 1000, "python") == [("", CODE * 1000)]
