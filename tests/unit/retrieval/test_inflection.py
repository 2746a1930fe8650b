"""Other forms of a word: those that a question may mean as well."""

import pytest

from gitsearch.retrieval.query import inflected


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("caching", {"cache", "caches", "cached"}),
        ("cache", {"caching", "caches", "cached"}),
        ("retries", {"retry"}),
        ("parser", {"parse", "parses", "parsing", "parsed"}),
        ("serialization", {"serialize", "serializer", "serializable"}),
        ("stop", {"stops", "stopped", "stopping"}),
        ("middleware", {"middlewares"}),
    ],
)
def test_a_word_has_the_forms_that_its_endings_make(word, others):
    assert others <= set(inflected(word))
    assert word not in inflected(word)


@pytest.mark.parametrize("word", ["", "of", "get", "x86", "utf8", "größe", "日本語処理", "a_b_c"])
def test_short_words_and_those_that_are_not_english_letters_have_none(word):
    assert inflected(word) == []


def test_what_is_left_of_a_word_is_never_short():
    assert set(inflected("used")) == {one for one in inflected("used") if one.startswith("used")}
    assert "clas" not in inflected("class")
