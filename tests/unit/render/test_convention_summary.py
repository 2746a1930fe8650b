"""Rules as they are shown: a line a file, headings or lines of prose, nothing cut in silence."""

import json

from hypothesis import given
from hypothesis import strategies as st

from gitsearch.render import json_document
from gitsearch.render.color import Paint
from gitsearch.render.convention_summary import conventions, cut, gist
from gitsearch.reports.lookup import ConventionFile, ConventionsReport
from tests.unit.render.reports import RULES, TREE, rules

LINT = ConventionFile("web/ruff.toml", "lint", "Ruff", "web/", False, 1200, "line-length = 99\n")
LINK = ConventionFile("AGENTS.md", "agents", "AGENTS.md", "", True, 9, None, "CLAUDE.md")
LARGE = ConventionFile("a\nb", "owners", "", "", False, 4 << 20, None)


def shown(report, lines=5):
    return "".join(conventions(report, Paint(), lines))


def test_files_are_listed_with_what_they_are():
    assert shown(rules(RULES, LINK, LINT, LARGE), 2) == (
        "CLAUDE.md: agents (Claude Code), for all, 40 bytes\n"
        "    # Rules\n"
        "    ## Build\n"
        "    ... 1 more heading\n"
        "AGENTS.md: agents (AGENTS.md), for all, link to CLAUDE.md\n"
        "web/ruff.toml: lint (Ruff), for web/, 1.2 kB\n"
        '"a\\nb": owners, for all, not read, 4.2 MB\n'
    )
    assert shown(rules(RULES), 0) == "CLAUDE.md: agents (Claude Code), for all, 40 bytes\n"


def test_owners_come_first():
    report = ConventionsReport("a.py", TREE, (), ("@a", "b@example.com"), ())
    assert shown(report) == "owners of a.py: @a b@example.com\n"


def test_colours_are_for_paths():
    assert "".join(conventions(rules(RULES), Paint(colour=True), 0)).startswith(
        "\x1b[35mCLAUDE.md"
    )


def test_headings_in_code_do_not_count():
    text = "# A\n```sh\n# no\n~~~\n```\n## B\n~~~\n# no\n~~~\n####### no\n#no\n"
    assert list(gist(text, 9)) == ["# A", "## B"]


def test_without_headings_there_are_lines():
    text = "# Title\n\nOne\x1b[2J.\n" + "x" * 500 + "\nlast\n"
    assert list(gist(text, 3)) == [
        "# Title",
        "One\\x1b[2J.",
        "x" * 157 + "...",
        "... 1 more line",
    ]


def test_json_says_when_text_is_cut():
    report = rules(RULES, LINK, LINT, LARGE, RULES._replace(text="\udce9"))
    whole = json.loads(json_document.dump(json_document.conventions(report, 1 << 18)))
    assert [file["text"] for file in whole["files"]] == [
        RULES.text,
        None,
        LINT.text,
        None,
        "\ufffd",
    ]
    assert whole["cut"] is False
    part = json.loads(json_document.dump(json_document.conventions(report, 12)))
    assert [(file["text"], file["cut"]) for file in part["files"]] == [
        ("# Rules\n\n", True),
        (None, False),
        ("", True),
        (None, False),
        ("\ufffd", False),
    ]
    assert part["cut"] is True
    assert set(part) == {"schema", "query", "tree", "owners", "files", "cut", "warnings"}
    assert set(part["files"][0]) == {
        *("path", "kind", "tool", "scope", "bytes", "link", "text", "cut")
    }


@given(st.text(), st.integers(-5, 50))
def test_what_is_cut_are_whole_lines_that_fit(text, most):
    kept = cut(text, most)
    assert text.startswith(kept)
    assert kept == text or (len(kept.encode()) <= max(most, 0) and (not kept or kept[-1] == "\n"))
