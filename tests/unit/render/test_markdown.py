"""Text of others stays text in Markdown, as GitHub's own parser reads it."""

import html
import random
import re

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from gitsearch.render import report_markdown
from gitsearch.render.escape import plain
from gitsearch.render.markdown import clipped, code, details, escaped, fence, link
from tests.unit.render.reports import pull

SEED = 20
COUNT = 10_000
EACH = 100

# What means something to Markdown, HTML, GitHub or a terminal.
PIECES = [
    *"`*_~[]()<>!#@&|\\/:;.,-+=\"'{}$^%?\t\r\n\0\x1b\x7f\u2028\u202e\u200b\ufeff\udcff é漢😀",
    *(
        "``",
        "```",
        "~~~",
        "    ",
        "\n\n",
        "\n- ",
        "\n# ",
        "\n> ",
        "\n```\n",
        "\n\n```text\n",
        "\r\n",
    ),
    *("@admin", "@org/team", "#123", "GH-1", "org/repo#1", "a" * 40, "a@b.co", "www.evil.com"),
    *("https://evil.com/x", "http://x.y", "ftp://x", "mailto:a@b.co", "javascript:alert(1)"),
    *("[x](http://evil)", "![x](http://evil/x.png)", "[x]: http://evil", "[^1]", "[x][y]"),
    *("<img src=x onerror=alert(1)>", "<script>", "</details>", "<details open>", "</summary>"),
    *("<!-- x", "-->", "<!-- git-search:report -->", "<b>", "</code>", "</pre>", "<a href=x>"),
    *("&amp;", "&#64;team", "&lt;b&gt;", "&#x60;", ":smile:", "$x$", "| a | b |", "|---|", "---"),
    *("src/a.py", "name", "x", "0", "*.py", "__init__", "~~x~~", "**x**", "- [ ] x", "1. x"),
]


def hostile():
    chosen = random.Random(SEED)
    yield from PIECES
    for _ in range(COUNT - len(PIECES)):
        yield "".join(chosen.choices(PIECES, k=chosen.randint(1, 8)))


def rendered(text):
    return cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)


def skeleton(page):
    """What is not code, and the code by itself."""
    held = re.findall(r"<code[^>]*>(.*?)</code>", page, re.DOTALL)
    rest = re.sub(r"(<code[^>]*>).*?</code>", r"\1</code>", page, flags=re.DOTALL)
    # a link around code leads where we say
    rest = re.sub(r'<a href="https://example\.com/[\w.~/%#-]*">(<code></code>)</a>', r"\1", rest)
    return rest, [html.unescape(one) for one in held]


@pytest.mark.parametrize("address", ["", "https://example.com/o/r"], ids=["plain", "links"])
@pytest.mark.long
def test_a_report_looks_the_same_whatever_the_names_are(address, monkeypatch):
    monkeypatch.setattr(report_markdown, "LONGEST", 1 << 40)
    names = list(hostile())
    batches = [names[start : start + EACH] for start in range(0, COUNT, EACH)]
    if address:
        batches = batches[::10]
    expected = skeleton(comment([f"n{number}" for number in range(EACH)], address))
    for batch in batches:
        assert skeleton(comment(batch, address))[0] == expected[0]


def comment(names, address):
    """The page of a report; what depends on the change is in one group: those are sorted."""
    report = pull(*names, components=dict.fromkeys(names, "a"))
    return rendered("".join(report_markdown.markdown(report, address)))


def test_a_code_span_shows_what_it_holds():
    for text in hostile():
        rest, held = skeleton(rendered(f"- {code(text)} x"))
        assert rest == "<ul>\n<li><code></code> x</li>\n</ul>\n"
        shown = plain(text.replace("\n", "\\n"))
        assert held == [shown or " "]


def test_a_fence_shows_what_it_holds():
    names = list(hostile())
    for start in range(0, COUNT, EACH):
        batch = names[start : start + EACH]
        text = "\n".join(("x", "", *fence(batch), "", "y"))
        rest, (held,) = skeleton(rendered(text))
        assert rest == '<p>x</p>\n<pre lang="text"><code></code></pre>\n<p>y</p>\n'
        assert held.splitlines() == [plain(one.replace("\n", "\\n")) for one in batch]


def test_an_address_has_nothing_of_markdown_or_html():
    for text in hostile():
        assert re.fullmatch(r"[\w.~/%-]*", escaped(text), re.ASCII)
        page = rendered(link(text, f"https://example.com/{escaped(text)}"))
        assert page.count("<a ") == ("]:" not in text)
        assert page.startswith(('<p><a href="https://example.com/', "<p><code>"))


def test_what_is_folded_and_what_follows_are_apart():
    page = rendered("\n".join([*details("2 more", ["- a", "- b"]), "c"]))
    assert page == (
        "<details><summary>2 more</summary>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"
        "</details>\n<p>c</p>\n"
    )


def test_what_is_too_long_is_cut():
    assert clipped("x" * 200) == "x" * 200
    assert clipped("x" * 5000) == "x" * 199 + "…"
