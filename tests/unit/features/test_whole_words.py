"""Entries of a text: what a word lacks proves that it is not there."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsearch.features import whole_words

TEXTS = st.lists(
    st.sampled_from(
        ["a", "b", "Ab", "_", "9", " ", ".", "-", "\n", "é", "日", "本", "\udce6", "\udca5"]
    )
).map(lambda parts: "".join(parts).encode("utf-8", "surrogateescape"))


def test_runs_and_other_characters_are_entries():
    text = "fooBar2 = naïve_x->日本; 日\n".encode()
    assert whole_words.entries(text) == {
        part.encode() for part in ("fooBar2", "na", "ï", "ve_x", "日", "本")
    }


def test_bytes_that_are_no_text_do_no_harm():
    assert whole_words.entries(b"a\xe6\x97b \xff\xe6\x97\xa5\xa5") == {b"a", b"b", "日".encode()}


def test_of_a_long_run_the_beginning_counts():
    run = b"x" * 1000
    assert whole_words.key(run) == "x" * whole_words.LONGEST_ENTRY
    assert whole_words.key("é".encode()) == "é"


@given(TEXTS, TEXTS)
def test_what_stands_in_a_text_has_no_entry_that_the_text_has_not(text, word):
    if word and b"\n" not in word and whole_words.place(text, word) is not None:
        assert whole_words.entries(word) <= whole_words.entries(text)


@given(TEXTS, st.data())
def test_what_is_cut_out_between_boundaries_is_found(text, data):
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, len(text)))
    boundary = rb"[0-9A-Za-z_]"
    before, after = text[max(begin - 1, 0) : begin], text[end : end + 1]
    if begin < end and not re.match(boundary, before) and not re.match(boundary, after):
        found = whole_words.place(text, text[begin:end])
        assert found is not None
        assert found <= begin


@pytest.mark.parametrize(
    ("text", "word", "at"),
    [
        (b"foo", b"foo", 0),
        (b"foobar foo_x foo2 xfoo", b"foo", None),
        (b"x\nfoo-bar", b"bar", 6),
        (b"x.foo", b".foo", None),
        (b" .foo", b".foo", 1),
        ("日本語".encode(), "本".encode(), 3),
        (b"a+b", b"+", None),
        (b"a + b", b"+", 2),
        (b"(a b)", b"a b", 1),
    ],
)
def test_a_word_stands_between_boundaries(text, word, at):
    assert whole_words.place(text, word) == at


def test_lines_count_from_one_and_binary_texts_have_none():
    assert whole_words.line_of(b"a\nb\nc", 4) == 3
    assert whole_words.line_of(b"a\n\0", 0) is None
    assert whole_words.line_of(b"a" * 9000 + b"\0", 0) == 1
