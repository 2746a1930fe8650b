"""What a model reads: entries, what to ask next, and what was searched."""

import pytest

from gitsearch.render import tool_text
from gitsearch.render.tool_text import MOST, shortened

TREE = {"rev": "HEAD", "commit": "1a2b3c4d5e", "tree": "9f", "dirty": 0}
COVERAGE = {"tracked": 5690, "searchable": 5512, "skipped": {"binary": 178}, "pending": 0}
FRAME = {"schema": 1, "tree": TREE, "coverage": COVERAGE, "warnings": []}
RESULT = {
    "path": "src/a.py",
    "start": 3,
    "end": 9,
    "kind": "method",
    "symbol": "A.run",
    "confidence": "high",
    "text": "    def run(self):\n        pass",
    "context": {"line": 1, "text": "class A:"},
}
ASKED = {"query": "run it"}


def text(tool, document, asked=ASKED):
    return tool_text.text(tool, document, asked)


def searched(*results, **changes):
    query = {"text": "run it", "mode": "hybrid"}
    return {**FRAME, "query": query, "results": [*results], "next": None, **changes}


def test_a_result_has_its_place_its_name_and_its_code():
    assert text("search", searched(RESULT)).splitlines() == [
        "src/a.py:3-9 method A.run",
        "in class A:",
        "    def run(self):",
        "        pass",
        "... 5 more lines",
        "",
        'next: symbol(name="A.run", find="references"); outline(path="src/a.py")',
        "[tree HEAD 1a2b3c4; 5,512 of 5,690 files searched, 178 skipped]",
    ]


def test_locations_alone_take_a_line_each():
    bare = {**RESULT, "text": "", "symbol": None, "end": 3}
    assert text("search", searched(bare)).startswith("src/a.py:3\nnext: ")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tree": {**TREE, "dirty": 2}}, "[tree HEAD 1a2b3c4 +2 edited files; "),
        ({"coverage": {**COVERAGE, "pending": 7}}, "7 not yet: ask again in a moment]"),
        ({"next": "abc"}, 'next: search(query="run it", continue="abc")'),
        ({"warnings": ["a file\nis odd"]}, "note: a file is odd\n"),
        (
            {"query": {"text": "x", "respelt": [{"asked": "rnu", "taken": "run"}]}},
            "no file has 'rnu'; searched for 'run'\n",
        ),
    ],
)
def test_what_is_odd_about_an_answer_is_said(changes, said):
    assert said in text("search", searched(RESULT, **changes))


def test_where_nothing_is_found_it_says_what_to_try():
    assert text("search", searched()).startswith(
        'nothing found; next: other words; exists(words=["run", "it"])\n'
    )


def test_an_error_is_its_line():
    error = {"schema": 1, "error": {"code": "x", "message": "no file", "hint": "look"}}
    assert text("outline", error) == "no file; look"


def test_nothing_in_it_steers_a_terminal():
    odd = {**RESULT, "path": "a\x1b[2J.py", "symbol": "x\u202e", "text": "\x1b]0;t\x07\n\u2066"}
    shown = text("search", searched(odd))
    assert shown.replace("\n", "").isprintable()
    assert '"a\\033[2J.py":3-9 method x\\u202e' in shown


def test_long_lists_are_cut_and_the_rest_is_counted():
    use = {"path": "a.py", "line": 1, "kind": "call", "label": "by-name", "target": None}
    uses = [{**use, "text": f"run({number})"} for number in range(MOST + 50)]
    document = shortened({**FRAME, "name": "run", "references": uses})
    assert len(document["references"]) == MOST
    assert document["omitted"] == {"references": 50}
    shown = text("symbol", document, {"name": "run"})
    assert f"run({MOST - 1})" in shown
    assert f"run({MOST})" not in shown
    assert "... and 50 more references\n" in shown


def test_who_asked_about_some_files_is_told_of_these():
    document = {**FRAME, "name": "run", "references": []}
    everywhere = text("symbol", document, {"name": "run"})
    assert 'no uses found; next: search(query="run")' in everywhere
    asked = {"name": "run", "find": "references", "paths": ["src"], "tests": "only"}
    assert text("symbol", document, asked).startswith(
        'no uses found in these files; next: symbol(name="run", find="references")'
    )


def test_a_short_answer_is_the_document_as_it_is():
    document = searched(RESULT)
    assert shortened(document) == document
