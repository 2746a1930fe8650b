import pytest

from gitsearch.render.presentation import Presentation
from gitsearch.render.search_text import hits
from gitsearch.reports.code_match import CodeMatch
from gitsearch.reports.search import Respelt
from tests.unit.render.reports import OTHER_FILE, RETRY, SAME_FILE, found


def shown(report, **look):
    return "".join(hits(report, Presentation(**look)))


def test_lines_are_path_lines_signature():
    assert shown(found(RETRY)) == "src/retry.py:10-12: def retries(self):\n"


def test_a_line_without_signature_shows_the_first_line_of_code():
    result = OTHER_FILE._replace(text="\n\n  # Retries\n\ntext")
    assert shown(found(result)) == "docs/a b.md:10-12: # Retries\n"


def test_lines_keep_the_order_of_rank():
    lines = shown(found(RETRY, OTHER_FILE, SAME_FILE)).splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "src/retry.py",
        "docs/a b.md",
        "src/retry.py",
    ]


def test_blocks_have_a_heading_a_title_the_enclosing_line_and_numbered_code():
    assert shown(found(RETRY, SAME_FILE, OTHER_FILE), form="blocks") == (
        "src/retry.py\n"
        "  10-12 method Policy.retries\n"
        " 4=class Policy:\n"
        "10:    def retries(self):\n"
        "11:        # where retries are configured\n"
        "12:        return 3\n"
        "  30-31\n"
        "30:x = 1\n"
        "31:y = 2\n"
        "\n"
        "docs/a b.md\n"
        "  10-12\n"
        "10:    def retries(self):\n"
        "11:        # where retries are configured\n"
        "12:        return 3\n"
    )


@pytest.mark.parametrize("form", ["lines", "blocks"])
def test_nested_matches_of_a_pattern_in_the_same_lines_are_shown_once(form):
    def match(start_column, end):
        matched = CodeMatch("call", 30, start_column, end, 9, {})
        return SAME_FILE._replace(end=end, match=matched)

    nested = shown(found(match(1, 31), match(1, 30), match(3, 31)), form=form)
    assert nested == shown(found(match(1, 31), match(1, 30)), form=form)


def test_lines_around_a_result_are_marked_as_git_grep_marks_them():
    result = SAME_FILE._replace(first_shown=29, text="w = 0\nx = 1\ny = 2\nz = 3")
    assert shown(found(result), form="blocks").splitlines()[2:] == [
        "29-w = 0",
        "30:x = 1",
        "31:y = 2",
        "32-z = 3",
    ]


def test_the_enclosing_line_is_not_repeated_when_it_is_shown():
    result = RETRY._replace(first_shown=4, text="class Policy:\n" + "\n" * 5 + RETRY.text)
    assert "=" not in shown(found(result), form="blocks")


def test_blank_lines_at_the_ends_are_left_out():
    result = SAME_FILE._replace(start=29, end=33, first_shown=29, text="\nx = 1\ny = 2\n\n")
    assert shown(found(result), form="blocks").splitlines()[2:] == ["30:x = 1", "31:y = 2"]


def test_lines_that_are_not_shown_are_counted():
    result = SAME_FILE._replace(end=40)
    assert shown(found(result), form="blocks").splitlines()[-1] == "   ... 9 more lines"


def test_a_result_without_text_is_only_a_title():
    result = SAME_FILE._replace(text="")
    assert shown(found(result), form="blocks") == "src/retry.py\n  30-31\n"


def test_windows_line_ends_are_not_shown():
    result = SAME_FILE._replace(text="x = 1\r\ny = 2\r")
    assert shown(found(result), form="blocks").splitlines()[-2:] == ["30:x = 1", "31:y = 2"]


def test_only_line_feeds_end_lines():
    result = SAME_FILE._replace(text="x = '\x0c'\ny = '\u2028'")
    assert shown(found(result), form="blocks").splitlines()[-2:] == [
        "30:x = '\\x0c'",
        "31:y = '\\u2028'",
    ]


def test_files_are_listed_once_best_first():
    assert (
        shown(found(OTHER_FILE, RETRY, SAME_FILE), form="files") == "docs/a b.md\nsrc/retry.py\n"
    )


def test_counts_are_as_in_git_grep():
    report = found(RETRY, SAME_FILE, OTHER_FILE)
    assert shown(report, form="counts") == "src/retry.py:2\ndocs/a b.md:1\n"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("files", "od\nd\udcff\0"),
        ("counts", "od\nd\udcff\x001\n"),
        ("lines", "od\nd\udcff\x0010-12: def retries(self):\n"),
    ],
)
def test_nul_ends_a_path_that_is_then_printed_as_it_is(form, expected):
    report = found(RETRY._replace(path="od\nd\udcff"))
    assert shown(report, form=form, nul=True, verbatim=True) == expected


def test_on_a_terminal_paths_stay_quoted_with_nul():
    report = found(RETRY._replace(path="\x1b[2J"))
    assert shown(report, form="files", nul=True) == '"\\033[2J"\0'


def test_explain_shows_legs_and_factors():
    explained = shown(found(RETRY), explain=True).splitlines()[1]
    assert explained == (
        "    rank 1, score 0.9312, high; lexical 1, dense 3, symbol -; definition 1.5"
    )
    assert explained.strip() in shown(found(RETRY), form="blocks", explain=True)


def test_explain_says_what_was_searched_for():
    report = found(RETRY, respelt=(Respelt("retrys", "retries"), Respelt("\x1b[2J", "x")))
    assert shown(report, explain=True).rstrip().endswith("; retrys as retries, \\x1b[2J as x")


EVIL = "\x1b]0;owned\x07\u202e\x9b1m"


@pytest.mark.parametrize("form", ["blocks", "lines", "files", "counts"])
@pytest.mark.parametrize("explain", [False, True])
def test_nothing_of_a_repository_steers_the_terminal(form, explain):
    result = RETRY._replace(
        path=f"a{EVIL}",
        kind=EVIL,
        symbol=f"s{EVIL}",
        text=f"one{EVIL}\n{EVIL}",
        signature=f"def {EVIL}",
        context=(4, f"class {EVIL}"),
        legs={EVIL: 1},
        confidence=EVIL,
        explain={EVIL: 1.0},
    )
    text = shown(found(result), form=form, explain=explain)
    assert not set(text) & set("\x1b\x07\u202e\x9b")


def test_colours_are_those_of_git_grep():
    text = shown(found(RETRY), form="blocks", colour=True)
    assert "\x1b[35msrc/retry.py\x1b[m\n" in text
    assert "\x1b[32m10\x1b[m\x1b[36m:\x1b[m    def \x1b[1;31mretries\x1b[m(self):" in text
    assert "\x1b[2mclass Policy:\x1b[m" in text


def test_without_colour_there_are_no_escapes():
    assert "\x1b" not in shown(found(RETRY), form="blocks", explain=True)
