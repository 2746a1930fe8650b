import pytest

from gitsearch.render.color import BOLD, MATCH, RESET, Paint


def marked(text, *words):
    return Paint(colour=True, words=words).matches(text).replace(MATCH, "<").replace(RESET, ">")


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("max_retries = 3", ("retries",), "max_<retries> = 3"),
        ("maxRetries", ("retries",), "max<Retries>"),
        ("MAX_RETRIES", ("retries",), "MAX_<RETRIES>"),
        ("data at rest", ("at",), "data <at> rest"),
        ("getAtEnd", ("at",), "get<At>End"),
        ("reconfigured", ("configured",), "reconfigured"),
        ("configuration", ("config",), "<config>uration"),
        ("a + b", ("a",), "a + b"),
        ("x.*y", (".*y",), "x.*y"),
        ("retry retries", ("retry", "retries"), "<retry> <retries>"),
        ("nothing", (), "nothing"),
    ],
)
def test_words_are_found_where_a_part_of_a_name_begins(text, words, expected):
    assert marked(text, *words) == expected


def test_without_colour_text_stays():
    brush = Paint(colour=False, words=("retries",))
    assert brush(BOLD, "x") == "x"
    assert brush.matches("retries") == "retries"


def test_empty_text_gets_no_colour():
    assert Paint(colour=True)(BOLD, "") == ""
