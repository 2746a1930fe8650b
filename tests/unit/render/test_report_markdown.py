"""The report on a change as a comment: the worst first, never too long, silent without news."""

import json
import re

import cmarkgfm
import pytest

from gitsearch.render import findings, report_markdown, report_text
from gitsearch.render.color import Paint
from gitsearch.render.json_document import change_report, dump
from gitsearch.reports.change import MissingCochange, Similar
from tests.unit.render.reports import pull

NOTHING = dict.fromkeys(
    (
        *("dangling", "exports", "dependents", "tests", "cycles"),
        *("copies", "related", "habits", "unseen", "changes"),
    ),
    (),
)


def comment(report):
    return "".join(report_markdown.markdown(report))


def visible(text):
    """The lines that are seen, without what is folded but for its first line."""
    shown = re.sub(r"</summary>.*?</details>", "", text, flags=re.DOTALL)
    return [line for line in shown.splitlines() if line.strip()]


def test_a_comment():
    report = pull("a.py", related=(), coverage=pull().coverage._replace(skipped={}))
    assert comment(report) == (
        "**2 broken references, 2 changed definitions with users, 1 file depends on the change, "
        "1 test to run, 1 new import cycle, 1 possible duplicate, 1 file that usually changes "
        "too.**\n"
        "\n"
        "#### Broken imports and uses\n"
        "\n"
        "- `a.py:7` imports `a.py`, but `a.py` is gone\n"
        "- `a.py:7` uses `a.py` of `a.py`, but `a.py` no longer defines it\n"
        "\n"
        "#### Changed definitions and their users\n"
        "\n"
        "- `a.py` of `a.py` is removed; used in `a.py:2`, `a.py:2`, `a.py:2`, `a.py:2`, 2 more\n"
        "- `a.py` of `a.py` has another signature; used in `a.py:2`, `a.py:2`, `a.py:2`, "
        "`a.py:2`, 2 more\n"
        "\n"
        "<details><summary>all 2 changed definitions with users</summary>\n"
        "\n"
        "- `a.py`: `a.py` → removed\n"
        "- `a.py`: `a.py` → `a.py`\n"
        "\n"
        "</details>\n"
        "\n"
        "#### Files that depend on the change\n"
        "\n"
        "- `a.py:5` imports `a.py` ← `a.py` (ambiguous, test) `a.py`\n"
        "\n"
        "#### Tests to run\n"
        "\n"
        "```text\n"
        "a.py\n"
        "```\n"
        "\n"
        "#### New import cycles\n"
        "\n"
        "- `a.py` → `a.py` → `a.py`\n"
        "\n"
        "#### Code that exists already\n"
        "\n"
        "- `a.py:3` `a.py` exists already at `a.py:3` `a.py` (87 %)\n"
        "\n"
        "#### Files that usually change together with these\n"
        "\n"
        "- `a.py` changed in 7 of the 9 commits that changed `a.py`\n"
        "\n"
        "<sub>Not all of these files have owners; who knows the code around the change: `a.py` "
        "(12 lines, 1 commit). 1 changed file, `main` `aaaaaaaaaa` to `topic` `cccccccccc`, "
        "recipe `1.1.1-abcdef01`. 1 import could not be resolved (1 `dynamic-import`), for "
        "example `a.py:4`.</sub>\n"
    )


@pytest.mark.parametrize("count", [1, 9, 60, 600])
def test_a_comment_is_never_too_long(count):
    names = [f"src/{'folder/' * 40}file{number}.py" for number in range(count)]
    text = comment(pull(*names))
    assert len(text.encode("utf-16-le")) // 2 <= report_markdown.LONGEST
    assert len(text.encode()) < 250_000
    assert len(visible(text)) <= report_markdown.VISIBLE
    assert text.count("```") % 2 == 0
    assert text.count("<details>") == text.count("</details>")
    if count == 600:
        assert re.search(r"and \d+ more", text)


def test_astral_characters_count_twice():
    text = comment(pull(*["😀" * 200 + str(number) for number in range(200)]))
    assert len(text.encode("utf-16-le")) // 2 <= report_markdown.LONGEST
    assert len(text.encode()) < 250_000


def test_what_was_left_out_is_said():
    report = pull("a.py", truncated={"dangling": 5, "tests": 3})
    text = comment(report)
    assert "7 broken references" in text
    assert "4 tests to run" in text
    assert "and 5 more" in text


def test_many_dependents_are_told_by_component():
    names = [f"src/{number}.py" for number in range(20)]
    report = pull(*names, components=dict.fromkeys(names[:15], "core"))
    text = comment(report)
    assert "- 15 files in `core`, tests only, likeliest `src/0.py:5`" in text
    assert "- 5 files in `src`, tests only, likeliest `src/15.py:5`" in text
    assert "<summary>all 20 files</summary>" in text
    assert "src/19.py:5 imports" in "".join(report_text.lines(report, Paint()))


def test_silence_without_news():
    alone = {**NOTHING, "related": (Similar("a.py", 1, 2, None, 0.5, {}),)}
    for report in (pull(**NOTHING), pull(**alone)):
        assert report.silent
        assert comment(report) == ""
        assert list(report_text.lines(report, Paint())) == []
    assert not pull(**{**NOTHING, "habits": (MissingCochange("a", "b", 3, 4),)}).silent


def test_links_lead_to_the_commit_that_has_the_file():
    report = pull("a b.py")
    page = cmarkgfm.github_flavored_markdown_to_html(
        "".join(report_markdown.markdown(report, "https://example.com/o/r"))
    )
    assert f'<a href="https://example.com/o/r/blob/{"c" * 40}/a%20b.py#L7"><code>' in page
    assert f'<a href="https://example.com/o/r/blob/{"a" * 40}/a%20b.py"><code>' in page


def test_the_document_holds_all_of_the_report():
    report = pull("\udcff.py")
    document = json.loads(dump(change_report(report)))
    assert document["schema"] == 3
    assert document["base"] == {"rev": "main", "commit": "a" * 40, "tree": "b" * 40}
    assert document["changes"][0]["path"] == "\ufffd.py"
    assert document["changes"][0]["path_b64"] == "/y5weQ=="
    assert document["dangling"][0]["symbol"] is None
    assert document["exports"][0]["users"][0] == {
        "path": "\ufffd.py",
        "path_b64": "/y5weQ==",
        "line": 2,
    }
    assert document["copies"][0]["existing"]["start"] == 3
    assert document["coverage"]["tracked"] == 12


def test_notes_are_told_in_our_words():
    report = pull("a.py", notes=("shallow", "<b>"))
    assert "This clone is shallow" in comment(report)
    assert "`<b>`" in comment(report)
    assert findings.summary(report).startswith("2 broken references")
