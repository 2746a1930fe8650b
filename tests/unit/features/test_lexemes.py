"""From code to words and signs: what is kept, what is left out, and on which lines."""

import pytest

from gitsearch.extract.languages import LANGUAGES
from gitsearch.features.lexemes import NAME, NUMBER, STRING, Lexemes, between
from gitsearch.features.lexemes import lexemes as lexemes_of_syntax


def lexemes(text: str, language: str, first: int = 1) -> Lexemes:
    return lexemes_of_syntax(text, LANGUAGES[language].syntax, first)


def texts(text, language="python"):
    return lexemes(text, language).texts


def test_names_numbers_and_strings_have_a_shape_of_their_kind():
    found = lexemes('if count >= 10:\n    say("ten", f(x_1))\n', "python", first=7)
    assert found.texts == (
        ["if", "count", ">=", "10", ":", "say", "(", '"ten"', ",", "f", "(", "x_1", ")", ")"]
    )
    assert found.shapes == (
        ["if", NAME, ">=", NUMBER, ":", NAME, "(", STRING, ",", NAME, "(", NAME, ")", ")"]
    )
    assert found.lines == [7] * 5 + [8] * 9


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "x  # a note\n"),
        ("python", '"""What it is."""\nx\n'),
        ("go", "// a note\nx /* and\nanother */\n"),
        ("php", "x # one\n// two\n"),
        ("ruby", "=begin\na\n=end\nx # c\n"),
        ("haskell", "{- a\nb -} x\n"),
        ("ocaml", "(* a\nb *) x\n"),
        ("vue", "<!-- a\nb --> x // c\n"),
        ("lua", "--[[ a\nb ]] x -- c\n"),
        ("haskell", "x -- c\n"),
        ("clojure", "; a note\nx\n"),
        ("erlang", "% a note\nx\n"),
        ("bash", "# a note\nx\n"),
    ],
)
def test_comments_are_left_out(language, text):
    assert texts(text, language) == ["x"]


def test_what_only_looks_like_a_comment_is_kept():
    assert texts("a // b") == ["a", "/", "/", "b"]
    assert texts('"# no" + a') == ['"# no"', "+", "a"]
    assert texts("#include <x>", "c") == ["#", "include", "<", "x", ">"]


def test_a_long_string_that_is_used_is_kept():
    assert texts('x = """a\nb"""\n') == ["x", "=", '"""a\nb"""']


def test_lines_are_counted_through_what_spans_several():
    found = lexemes("a /* 1\n2 */ b `x\ny` c\nd", "javascript")
    assert list(zip(found.texts, found.lines, strict=True)) == [
        ("a", 1), ("b", 2), ("`x\ny`", 2), ("c", 3), ("d", 4),
    ]  # fmt: skip


def test_a_quote_may_begin_a_name():
    assert texts("f<'a>(x: &'a str, c: 'c')", "rust").count("a") == 2
    assert "'c'" in texts("f<'a>(x: &'a str, c: 'c')", "rust")


def test_any_text_is_cut():
    for text in ("", "\n", "'", '"', "`", "/*", '"""', "\\", "\x00\xff☃", "'" * 99):
        assert len(lexemes(text, "text").texts) == len(lexemes(text, "text").lines)


def test_some_lines_of_a_text():
    found = lexemes("a\n/* b\nc */ d\ne f\ng", "c")
    assert between(found, 2, 4).texts == ["d", "e", "f"]
    assert between(found, 2, 2).texts == []
    assert between(found, 1, 99) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a "b \\" c\n"d"', ["a", '"', "b", "\\", '"', "c", '"d"']),
        ("a ` b \\` 'c' \\`", ["a", "`", "b", "\\", "`", "'c'", "\\", "`"]),
        ("a 'b \\' \"c\" '\nd", ["a", "'b \\' \"c\" '", "d"]),
        ("\" ' \\\" \\' `\n`", ['"', "'", "\\", '"', "\\", "'", "`\n`"]),
    ],
)
def test_a_quote_that_is_never_closed_is_a_lexeme_by_itself(text, expected):
    assert texts(text, "javascript") == expected
