"""What a wrong command line gets: exit 129 and one line."""

import json

import pytest

from gitsearch.cli.verb_names import escape_hatch

USAGE = (
    "usage: git search [<options>] <query words>... [-- <pathspec>...]\n"
    "   or: git search <verb> [<options>] [<argument>]\n"
)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "no query given; say what to look for, or see git search -h"),
        ([""], "no query given; say what to look for, or see git search -h"),
        ([" ", "\t"], "no query given; say what to look for, or see git search -h"),
        (["--", "src"], "no query given; say what to look for, or see git search -h"),
        (["--grep", "x"], "no query given; say what to look for, or see git search -h"),
        (["-k", "0", "x"], "-k/--max-count wants a number from 1 to 1000000, not '0'"),
        (["-k", "-1", "x"], "-k/--max-count wants a number from 1 to 1000000, not '-1'"),
        (["-k", "", "x"], "-k/--max-count wants a number from 1 to 1000000, not ''"),
        (["-k٣", "x"], "-k/--max-count wants a number from 1 to 1000000, not '٣'"),
        (
            ["--max-count=99999999999999999999", "x"],
            "-k/--max-count wants a number from 1 to 1000000, not '99999999999999999999'",
        ),
        (["-A", "x", "y"], "-A/--after-context wants a number from 0 to 1000000, not 'x'"),
        (["--alpha", "2", "x"], "--alpha wants a number from 0 to 1, not '2'"),
        (["--alpha=nan", "x"], "--alpha wants a number from 0 to 1, not 'nan'"),
        (["--alpha=x", "x"], "--alpha wants a number from 0 to 1, not 'x'"),
        (
            ["--mode", "fuzzy", "x"],
            "--mode wants auto, hybrid, semantic, lexical, symbol, literal or structural, "
            "not 'fuzzy'",
        ),
        (["--content", "x", "x"], "--content wants all, code, docs or config, not 'x'"),
        (["--tests", "x", "x"], "--tests wants include, only or exclude, not 'x'"),
        (["--refresh=x", "x"], "--refresh wants soon, wait, background or off, not 'x'"),
        (["--color=x", "x"], "--color wants auto, always or never, not 'x'"),
        (["-t", "go,", "x"], "-t/--type wants names of languages, joined by commas"),
        (["x", "-k"], "-k/--max-count requires a value"),
        (["x", "--at"], "--at requires a value"),
        (["x", "--json=1"], "--json takes no value"),
        (["--at", "a", "--cached", "x"], "--at and --cached cannot be used together"),
        (["--at", "a", "--untracked", "x"], "--at and --untracked cannot be used together"),
        (["--cached", "--untracked", "x"], "--cached and --untracked cannot be used together"),
        (["-lc", "x"], "-l and -c cannot be used together"),
        (["-FL", "--in", ".", "x"], "-L and --in cannot be used together"),
        (["-FL", "--changed", "x"], "-L and --changed cannot be used together"),
        (["-Fov", "x"], "-o and -v cannot be used together"),
        (["-Fo", "-C2", "x"], "-o and -C cannot be used together"),
        (["-v", "x"], "-v is for exact text; add -F, -E or -P"),
        (
            ["--co", "x"],
            "ambiguous option '--co'; "
            "it could be --content, --context, --continue, --count, --color",
        ),
    ],
)
def test_a_wrong_value_is_one_line(ask, commands, words, line):
    done = ask(*words)
    assert (done.code, done.out) == (129, "")
    assert done.err == f"git search: {line}\n"
    assert commands.calls == []


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--nope", "x"], "unknown option '--nope'"),
        (["x", "--colr"], "unknown option '--colr'; did you mean --color?"),
        (["x", "-y"], "unknown option '-y'"),
        (["x", "-lqy"], "unknown option '-y'"),
        (["x", "-m", "3"], "unknown option '-m'; -k <n> limits the results"),
        (["x", "-lm3"], "unknown option '-m'; -k <n> limits the results"),
        (
            ["x", "--glob=*.c"],
            "unknown option '--glob'; name files after --: git search <query> -- '*.c' ':!test'",
        ),
        (["x", "-p"], "unknown option '-p'; -W shows the definition around a result"),
        (
            ["x", "--and", "y"],
            "unknown option '--and'; --grep <regex> asks for lines that match it, too",
        ),
        (
            ["x", "--line-regexp"],
            "unknown option '--line-regexp'; with -E: '^(...)$'",
        ),
        (["x", "--no-pagr"], "unknown option '--no-pagr'; did you mean --no-pager?"),
    ],
)
def test_an_unknown_option_shows_the_usage(ask, words, line):
    done = ask(*words)
    assert (done.code, done.out) == (129, "")
    assert done.err == f"git search: {line}\n{USAGE}"


def test_the_shown_form_is_fit_for_a_shell():
    assert escape_hatch(["map", "of", "$HOME"]).endswith("-e 'map of $HOME'")
    assert escape_hatch(["map", "it's", "`x`"]).endswith("-e 'map it'\\''s `x`'")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["status", "codes"],
            "'status' takes no argument; to search for these words: "
            'git search -e "status codes"',
        ),
        (
            ["index", "of", "an", "item"],
            "'index' takes no argument; to search for these words: "
            'git search -e "index of an item"',
        ),
        (
            ["outline", "of", "x"],
            "'outline' takes one path; to search for these words: git search -e \"outline of x\"",
        ),
        (["def"], "'def' wants a name; to search for these words: git search -e \"def\""),
        (["def", ""], "'def' wants a name; to search for these words: git search -e \"def\""),
        (
            ["context", " "],
            "'context' wants a task or path; to search for these words: git search -e \"context\"",
        ),
        (
            ["history", ""],
            "'history' wants a query; to search for these words: git search -e \"history\"",
        ),
        (
            ["experts", "", ""],
            "'experts' wants a query or path; "
            'to search for these words: git search -e "experts"',
        ),
        (["exists"], "'exists' wants a word; to search for these words: git search -e \"exists\""),
        (
            ["exists", "--at", "a", "--cached", "x"],
            "--at and --cached cannot be used together",
        ),
        (
            ["related"],
            "'related' wants a path; to search for these words: git search -e \"related\"",
        ),
        (["impact", "--dot", "--svg", "x"], "--dot and --svg cannot be used together"),
        (["architecture", "--html", "--svg"], "--svg and --html cannot be used together"),
        (["related", "--at=a", "--cached", "x"], "--at and --cached cannot be used together"),
        (["dup", "--changed", "--cached"], "--cached and --changed cannot be used together"),
        (["dup", "--threshold=2"], "--threshold wants a number from 0 to 1, not '2'"),
        (["hooks"], "'hooks' wants an action; to search for these words: git search -e \"hooks\""),
        (["sql"], "'sql' wants a query; to search for these words: git search -e \"sql\""),
        (
            ["help", "text"],
            "no verb 'text'; there are index, status, verify, gc, share, export, sql, def, "
            "refs, outline, impact, related, dup, context, map, architecture, exists, "
            "conventions, report, history, why, experts, hooks, batch, mcp, serve, ci, help; "
            'to search for these words: git search -e "help text"',
        ),
    ],
)
def test_a_query_that_begins_with_a_verb_is_told_how(ask, commands, words, line):
    done = ask(*words)
    assert (done.code, done.out) == (129, "")
    assert done.err == f"git search: {line}\n"
    assert commands.calls == []


def test_an_unknown_option_of_a_verb_shows_its_usage(ask):
    done = ask("status", "--chek")
    assert done.code == 129
    assert done.err == (
        "git search: unknown option '--chek'; did you mean --check?\n"
        "usage: git search status [<options>]\n"
    )


def test_a_verb_behind_options_of_a_search_may_be_a_query(ask):
    done = ask("-F", "-k3", "index", "a b")
    assert done.code == 129
    assert done.err.startswith(
        "git search: unknown option '-F'; to search for 'index': "
        "git search -F -k3 -e index 'a b'\nusage: git search index "
    )
    assert "to search" not in ask("index", "-F").err
    assert "to search" not in ask("-e", "map", "--nope").err


def test_wrong_usage_in_json(ask):
    done = ask("--json", "--nope", "x")
    assert (done.code, done.err) == (129, "")
    assert json.loads(done.out)["error"]["code"] == "usage"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["impact", "--json", "--md", "x"], "--json and --md cannot be used together"),
        (["architecture", "--html", "--json"], "--json and --html cannot be used together"),
    ],
)
def test_json_is_no_other_form(ask, commands, words, line):
    done = ask(*words)
    assert (done.code, json.loads(done.out)["error"]["message"]) == (129, line)
    assert commands.calls == []


def test_json_after_the_pathspecs_is_a_path(ask):
    done = ask("--nope", "x", "--", "--json")
    assert done.out == ""
    assert done.err.startswith("git search: unknown option")


def test_what_a_message_quotes_is_harmless(ask):
    done = ask("--mode", "\x1b[2J\nsecond", "x")
    assert "\x1b" not in done.err
    assert done.err.count("\n") == 1
