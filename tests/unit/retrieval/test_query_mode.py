"""The form of a query decides how it is searched for."""

import pytest

from gitsearch.retrieval.query_mode import detect
from gitsearch.settings import HYBRID, LITERAL, STRUCTURAL


@pytest.mark.parametrize(
    "text",
    ["console.log($MSG)", "$X == $X", "if $COND { $$$ }", "f($$$ARGS)", "$A.close()", "$$$"],
)
def test_metavariables_in_code_are_a_pattern(text):
    assert detect(text) == (STRUCTURAL, text, "it has metavariables", "")


@pytest.mark.parametrize("text", ["where is $HOME read?", "$PATH", "PATH and $HOME"])
def test_a_shell_variable_among_words_is_no_pattern_of_code(text):
    assert detect(text) == (HYBRID, text, "", "if $ stands for any code: --mode structural")


@pytest.mark.parametrize(
    ("text", "inside"), [('"two words"', "two words"), ("'x(y)'", "x(y)"), ('"it\'s"', "it's")]
)
def test_quotes_around_all_of_it_mean_exact_text(text, inside):
    assert detect(text) == (LITERAL, inside, "it is in quotes", "")


@pytest.mark.parametrize("text", [r"foo\(.*\)", "a.*b", "[a-z]+_id", "^def", "read|write", r"\bx"])
def test_a_regular_expression_is_only_suggested(text):
    assert detect(text) == (HYBRID, text, "", "if this is a regular expression: -E")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "retry (with backoff)",
            "how does foo.bar work?",
            "C++ templates",
            "operator[]",
            "*args",
        ),
        *("std::vector<int>", "this->name", "'it's'", '"a" or "b"', "$x in php", "import java.*"),
        *("jQuery $.ajax", "US$ 5", "a[0]", 'say "yes"', "main()"),
    ],
)
def test_code_and_prose_are_searched_by_words_and_meaning(text):
    assert detect(text) == (HYBRID, text, "", "")
