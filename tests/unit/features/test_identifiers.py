"""Identifiers fall into the words people type."""

import unicodedata

import pytest

from gitsearch.features import identifiers


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("retry", ["retry"]),
        ("Retry", ["retry"]),
        ("retryPolicy", ["retry", "policy"]),
        ("RetryPolicy", ["retry", "policy"]),
        ("retry_policy", ["retry", "policy"]),
        ("_retry__policy_", ["retry", "policy"]),
        ("RETRY_POLICY", ["retry", "policy"]),
        ("HTTPServer", ["http", "server"]),
        ("parseHTTPResponse2", ["parse", "http", "response", "2"]),
        ("parseHTTP", ["parse", "http"]),
        ("getX", ["get", "x"]),
        ("aB", ["a", "b"]),
        ("ABC", ["abc"]),
        ("ABc", ["a", "bc"]),
        ("utf8", ["utf", "8"]),
        ("sha256sum", ["sha", "256", "sum"]),
        ("2fa", ["2", "fa"]),
        ("x86_64", ["x", "86", "64"]),
        ("__init__", ["init"]),
        ("___", []),
        ("", []),
        ("größe", ["gr", "öß", "e"]),
        ("ÜBER", ["ü", "ber"]),
        ("名前", ["名前"]),
    ],
)
def test_an_identifier_falls_into_its_words(identifier, expected):
    assert identifiers.parts(identifier) == expected


@pytest.mark.parametrize(
    "spellings",
    [
        ("parseHttpResponse2", "parse_http_response2", "PARSE_HTTP_RESPONSE_2"),
        ("retryPolicy", "retry_policy", "RetryPolicy", "_retry_policy", "RETRYPOLICY"),
    ],
)  # fmt: skip
def test_all_spellings_of_a_name_meet_in_one_compound(spellings):
    assert len({identifiers.compound(spelling) for spelling in spellings}) == 1


def test_the_longest_identifier_is_a_term_and_a_longer_one_is_none():
    longest = "a" * identifiers.LONGEST_IDENTIFIER
    assert identifiers.parts(longest) == [longest]
    assert identifiers.parts(longest + "a") == []


def test_an_identifier_of_too_many_parts_is_data_and_no_term():
    most = "_".join("abcdefghijklmnopqrstuvwxyz"[: identifiers.MOST_PARTS])
    assert len(identifiers.parts(most)) == identifiers.MOST_PARTS
    assert identifiers.parts(f"{most}_z") == []


def test_identifiers_are_the_runs_of_word_characters_in_order():
    text = "if (a.retry_policy != b2) return a; // größe"
    expected = ["if", "a", "retry_policy", "b2", "return", "a", "größe"]
    assert identifiers.identifiers(text) == expected


@pytest.mark.parametrize(
    "word", ["café", "größe", "naïve_café", "Ελλάδα", "йод", "한국어", "ガード"]
)
def test_a_word_is_the_same_composed_and_decomposed(word):
    composed, decomposed = (unicodedata.normalize(form, word) for form in ("NFC", "NFD"))
    assert composed != decomposed
    assert identifiers.identifiers(f"x {decomposed}.y") == ["x", composed, "y"]
    assert identifiers.compound(decomposed) == identifiers.compound(composed)


@pytest.mark.parametrize("word", ["पुनः", "प्रयास", "مُحَاوَلَة", "น้ำ", "x\u0302"])
def test_marks_belong_to_the_letters_that_they_mark(word):
    assert identifiers.identifiers(f"({word})") == [word]
    assert identifiers.parts(word)[-1].endswith(word[-1])


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("消息队列", ["消", "息", "队", "列", "消息", "息队", "队列"]),
        ("重试", ["重", "试"]),
        ("锁", []),
        ("重试Policy_锁定2", ["重", "试", "锁", "定"]),
        ("é重试", ["重", "试", "重试"]),
        ("함수를", ["함", "수", "를", "함수", "수를"]),
        ("größe", []),
        ("إعادة", []),
        ("retry", []),
        ("", []),
        ("重" * 97, []),
    ],
)
def test_where_no_blank_parts_words_characters_and_pairs_are_found(identifier, expected):
    assert identifiers.fragments(identifier) == expected
