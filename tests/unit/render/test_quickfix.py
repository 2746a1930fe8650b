"""Lines for the list of an editor."""

import pytest

from gitsearch.render import quickfix
from gitsearch.render.presentation import Presentation
from gitsearch.reports.code_match import CodeMatch
from tests.unit.render.reports import RETRY, found


def printed(report, folder=""):
    return b"".join(quickfix.answer(report, Presentation(form="vimgrep", folder=folder))).decode()


def test_a_result_is_its_first_line_at_its_first_letter():
    one = RETRY._replace(
        path="src/a.py",
        start=7,
        first_shown=7,
        end=9,
        text="\t  def run():\n    pass",
        signature="def run()",
    )
    assert printed(found(one)) == "src/a.py:7:4:def run()\n"


def test_a_definition_is_where_its_signature_is():
    one = RETRY._replace(
        path="src/a.py",
        start=7,
        first_shown=7,
        end=10,
        text="    return x\n\n  class Run:\n    pass",
        signature="class Run",
        signature_line=9,
    )
    assert printed(found(one)) == "src/a.py:9:3:class Run\n"


@pytest.mark.parametrize(
    ("folder", "path"), [("src/", "a.py"), ("src/deep/", "../a.py"), ("other/", "../src/a.py")]
)
def test_paths_begin_in_the_current_folder(folder, path):
    one = RETRY._replace(path="src/a.py", start=1, first_shown=1, end=1, text="x", signature="x")
    assert printed(found(one), folder) == f"{path}:1:1:x\n"


def test_each_match_of_exact_text_is_a_line():
    one = RETRY._replace(path="a", start=3, first_shown=3, end=4, text="ä x x\r\nx")
    places = {3: [(3, 4), (5, 6)], 4: [(0, 1)]}
    report = found(one)._replace(spans=lambda _, line: places[line])
    assert printed(report) == "a:3:4:ä x x\na:3:6:ä x x\na:4:1:x\n"


def test_each_line_that_does_not_match_is_a_line():
    one = RETRY._replace(path="a", start=3, first_shown=3, end=4, text="x\n  y")
    assert printed(found(one)._replace(mode="literal")) == "a:3:1:x\na:4:1:  y\n"


def test_a_match_of_a_pattern_is_where_it_begins():
    match = CodeMatch("call", 2, 5, 2, 9, {})
    one = RETRY._replace(
        path="a", start=2, end=2, first_shown=2, text="ä = f(x)", signature="", match=match
    )
    assert printed(found(one)) == "a:2:6:ä = f(x)\n"


def test_matches_of_a_pattern_that_begin_at_one_place_are_one_line():
    places = [(5, 9), (5, 7), (6, 7)]
    chain = [
        RETRY._replace(
            path="a",
            start=2,
            end=2,
            first_shown=2,
            text="x = a().b()",
            signature="",
            match=CodeMatch("call", 2, first, 2, behind, {}),
        )
        for first, behind in places
    ]
    assert printed(found(*chain)) == "a:2:5:x = a().b()\na:2:6:x = a().b()\n"
