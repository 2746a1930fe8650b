"""The verbs: how each calls its command, and what it prints."""

import json
from dataclasses import replace

import pytest

from gitsearch.cli.verb_names import VERBS
from gitsearch.commands.file_filter import EVERY_FILE, FileFilter
from gitsearch.errors import BadPath, BadRevision
from gitsearch.render import sql_table
from gitsearch.render.progress import Meter
from gitsearch.reports.maintenance import FileSize, Problem, SqlReport, VerifyReport
from tests.unit.cli.conftest import STATUS
from tests.unit.render.reports import (
    ARCHITECTURE,
    CHART,
    CONTEXT,
    DUP,
    MISSING,
    THERE,
    existence,
    pull,
    rules,
    symbols,
)

# The fields of a request that say of which files hunks count, and whether edits do.
ALL_FILES = ((), "all", "include", False)


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "module", "arguments", "options"),
    [
        (["index"], "index", (None,), {"rebuild": False, "dry_run": False}),
        (["index", "--at", "v1"], "index", ("v1",), {"rebuild": False, "dry_run": False}),
        (["index", "--rebuild", "-n"], "index", (None,), {"rebuild": True, "dry_run": True}),
        (["status"], "status", (), {"awaits_update": False}),
        (["status", "--check"], "status", (), {"awaits_update": True}),
        (["verify"], "verify", (), {}),
        (["gc"], "gc", (), {}),
        (["sql", "select 1"], "sql", ("select 1",), {}),
        (["share", "export", "f"], "share", ("f", ("HEAD",), None), {}),
        (
            ["share", "--at=v1", "export", "--at", "v2", "f"],
            "share",
            ("f", ("v1", "v2"), None),
            {},
        ),
        (["def", "retries"], "define", ("retries", None, EVERY_FILE), {}),
        (["def", "--at", "v1", "retries"], "define", ("retries", "v1", EVERY_FILE), {}),
        (["def", "--", "-x"], "define", ("-x", None, EVERY_FILE), {}),
        (
            ["def", "x", "-k", "3", "--tests=only", "--", "src", ":!a"],
            "define",
            ("x", None, FileFilter(("src", ":!a"), "only", 3)),
            {},
        ),
        (["def", "--", "--", "x"], "define", ("--", None, FileFilter(("x",))), {}),
        (["def", "--", "-x", "--", "src"], "define", ("-x", None, FileFilter(("src",))), {}),
        (["outline", "a.py"], "outline", ("a.py", None), {}),
        (["outline", "--", "-a.py"], "outline", ("-a.py", None), {}),
        (["conventions"], "conventions", (None, None), {"cached": False}),
        (["conventions", "a"], "conventions", ("a", None), {"cached": False}),
        (["conventions", "--at=v1", "a"], "conventions", ("a", "v1"), {"cached": False}),
        (["conventions", "--cached"], "conventions", (None, None), {"cached": True}),
        (["exists", "x"], "exists", (("x",), None), {"cached": False, "quick": False}),
        (
            ["exists", "--at=v1", "--quick", "x", "y"],
            "exists",
            (("x", "y"), "v1"),
            {"cached": False, "quick": True},
        ),
        (
            ["exists", "--cached", "--", "--x"],
            "exists",
            (("--x",), None),
            {"cached": True, "quick": False},
        ),
        (["--at", "v1", "outline", "a.py"], "outline", ("a.py", "v1"), {}),
        (["related", "a.py"], "related", (("a.py", None, False, None, "include"),), {}),
        (
            ["related", "a.py:3", "--at=v1", "-k", "4", "--tests=exclude"],
            "related",
            (("a.py:3", "v1", False, 4, "exclude"),),
            {},
        ),
        (
            ["related", "--by=change", "src", "--at=v1", "-k", "4"],
            "changed_together",
            (("src", "v1", 4, "include"),),
            {},
        ),
        (["dup"], "dup", ((False, None, None, "include"),), {}),
        (["dup", "--changed"], "dup", ((False, None, None, "include"),), {}),
        (
            ["dup", "--changed=a..b", "--threshold=.9", "--tests=only"],
            "dup",
            ((False, "a..b", 0.9, "only"),),
            {},
        ),
        (["dup", "--cached", "--warn"], "dup", ((True, None, None, "include"),), {}),
        (
            ["history", "why", "it"],
            "history",
            (("why it", (), None, None, None, (), None, 12, None, *ALL_FILES),),
            {},
        ),
        (
            [
                *("history", "--at=v1", "--since", "2 weeks", "--until=now", "--author=a"),
                *("--author=b", "-k3", "--max-lines=0", "--refresh=off", "why", "--", "src"),
            ],
            "history",
            (("why", ("src",), "v1", "2 weeks", "now", ("a", "b"), 3, 0, "off", *ALL_FILES),),
            {},
        ),
        (
            ["history", "--removed", "it"],
            "removed_code",
            (("it", (), None, None, None, (), None, 12, None, *ALL_FILES),),
            {},
        ),
        (["def", "--removed", "--at=v1", "retries"], "removed_code", ("retries", "v1"), {}),
        (["why", "a.py:run"], "why", (("a.py:run", None, None),), {}),
        (["why", "--at=v1", "-k2", "a.py"], "why", (("a.py", "v1", 2),), {}),
        (["experts", "how", "it"], "experts", ((("how", "it"), None, None),), {}),
        (["experts", "--at", "v1", "a.py"], "experts", ((("a.py",), "v1", None),), {}),
        (["architecture", "--cached"], "architecture", ((None, True),), {}),
    ],
)
def test_a_verb_calls_its_command(ask, commands, tmp_path, words, module, arguments, options):
    assert ask(*words).code == 0
    ((called, got, keywords),) = commands.calls
    session, *rest = got
    assert isinstance(session.progress, Meter)
    assert (session.cwd, called, tuple(rest), keywords) == (tmp_path, module, arguments, options)


@pytest.mark.parametrize(
    "words",
    [
        *(["index"], ["status"], ["verify"], ["gc"], ["share", "export", "f"]),
        *(["sql", "x"], ["def", "x"], ["outline", "x"], ["exists", "x"], ["conventions"]),
        *(["context", "x"], ["map", "x"], ["architecture"], ["related", "x"], ["dup"]),
        *(["history", "x"], ["why", "x"], ["experts", "x"]),
    ],
)
def test_every_verb_has_json(ask, words):
    for line in ([*words, "--json"], ["--json", *words]):
        done = ask(*line)
        assert (done.code, done.err) == (0, "")
        assert json.loads(done.out)["schema"] == 1


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(ask, commands, verb):
    done = ask(verb, "-h")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"usage: git search {verb} ")
    assert ask("help", verb).out == done.out
    assert commands.calls == []


def test_help_without_a_verb_is_that_of_a_search(ask):
    assert ask("help").out == ask("-h").out == ask("--help").out


def test_help_fits_a_terminal_and_names_every_option(ask):
    text = ask("-h").out
    assert max(map(len, text.splitlines())) <= 80
    for verb in VERBS:
        assert f"\n    {verb} " in text


def test_help_wins_over_other_words(ask, commands):
    assert ask("retry", "-k5", "-h").out == ask("-h").out
    assert commands.calls == []


def test_version(ask):
    done = ask("--version")
    assert done.code == 0
    assert done.out.startswith("git-search version ")


def test_index_is_silent_when_asked(ask, commands):
    done = ask("index", "-q")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_status_check_is_an_exit_code(ask, commands):
    done = ask("status", "--check")
    assert (done.code, done.out, done.err) == (0, "", "")
    commands.answers["status"] = STATUS._replace(current=False)
    done = ask("status", "--check")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "git search: the index is behind HEAD; git search index brings it up to date\n"
    )
    assert ask("status", "--check", "--json").code == 1
    assert ask("status").code == 0


def test_status_skipped_lists_files(ask):
    assert ask("status", "--skipped").out == "a.bin: binary\n"
    assert json.loads(ask("status", "--skipped", "--json").out)["skipped"] == [
        {"path": "a.bin", "reason": "binary"}
    ]


def test_verify_fails_when_something_is_damaged(ask, commands):
    assert ask("verify").out == "ok       seal (3 bytes)\n"
    commands.answers["verify"] = VerifyReport((), (), ("index.duckdb.tmp",))
    assert ask("verify").code == 0
    commands.answers["verify"] = VerifyReport(
        (FileSize("seal", 3),), (Problem("seal", "checksum"),)
    )
    done = ask("verify")
    assert (done.code, done.out) == (1, "damaged  seal: checksum\n")


@pytest.mark.parametrize(
    ("words", "module"), [(["def", "x"], "define"), (["outline", "x"], "outline")]
)
def test_no_definition_is_exit_one(ask, commands, words, module):
    commands.answers[module] = symbols(warnings=("odd",))
    done = ask(*words)
    assert (done.code, done.out, done.err) == (1, "", "git search: odd\n")


@pytest.mark.parametrize("form", [(), ("--json",), ("--color=always",)])
@pytest.mark.parametrize(
    ("words", "report", "asked"),
    [
        (
            ("context", "fix", "it", "--budget=0", "--tests=only", "--at=v1"),
            CONTEXT,
            (("fix", "it"), "v1", False, "only", 0),
        ),
        (("map",), CHART, ((), None, None, False, 2000)),
        (
            ("map", "a", "b", "--query", "x y", "--budget=0", "--at=v1"),
            CHART,
            (("a", "b"), "x y", "v1", False, 0),
        ),
    ],
)
def test_a_budget_is_counted_in_the_form_that_is_printed(
    ask, commands, form, words, report, asked
):
    done = ask(*words, *form)
    ((_, (_, request, written), _),) = commands.calls
    assert request == asked
    assert written(report) == done.err + done.out
    assert done.code == 0


@pytest.mark.parametrize("verb", ["map", "architecture"])
def test_one_tree_is_asked(ask, commands, verb):
    assert ask(verb, "--at", "v1", "--cached").code == 129
    assert commands.calls == []


def test_nothing_to_show_is_exit_one(ask, commands):
    commands.answers["map"] = CHART._replace(modules=())
    commands.answers["architecture"] = ARCHITECTURE._replace(files=())
    commands.answers["context"] = CONTEXT._replace(items=())
    for words in (["map"], ["architecture"], ["context", "fix"]):
        assert ask(*words).code == 1


def test_one_word_that_is_missing_is_exit_one(ask, commands):
    commands.answers["exists"] = existence(THERE, MISSING, unseen={"absent": 2}, warnings=("odd",))
    done = ask("exists", "retries", "nowhere")
    assert (done.code, done.out) == (1, "retries: src/retry.py:10\nnowhere: no\n")
    assert done.err == ("git search: odd\ngit search: files that were not looked at: 2 absent\n")
    assert ask("exists", "-q", "retries", "nowhere").out == ""
    assert ask("exists", "--json", "retries", "nowhere").code == 1


def test_conventions_has_as_much_text_as_is_asked_for(ask, commands):
    assert ask("conventions", "--max-lines=1").out.splitlines()[1:] == [
        "    # Rules",
        "    ... 2 more headings",
    ]
    assert ask("conventions", "--json").out.count("## Test") == 1
    assert json.loads(ask("conventions", "--json", "--max-bytes=8").out)["cut"]


def test_no_conventions_is_exit_one(ask, commands):
    commands.answers["conventions"] = rules(warnings=("odd",))
    done = ask("conventions")
    assert (done.code, done.out, done.err) == (1, "", "git search: odd\n")


def test_conventions_of_no_path_shows_how_to_search_for_the_word(ask, commands):
    commands.answers["conventions"] = BadPath("no file or folder 'naming' in HEAD", "ask")
    done = ask("conventions", "naming")
    assert (done.code, done.out) == (128, "")
    assert done.err == (
        "git search: no file or folder 'naming' in HEAD; ask; "
        'to search for these words: git search -e "conventions naming"\n'
    )


def test_def_and_outline_have_colours(ask):
    for words in (["def", "x"], ["outline", "x"]):
        assert "\x1b[32m" in ask(*words, "--color").out
        assert "\x1b" not in ask(*words).out


def test_outline_of_no_path_shows_how_to_search_for_the_word(ask, commands):
    commands.answers["outline"] = BadPath("no file 'rendering' in HEAD")
    done = ask("outline", "rendering")
    assert (done.code, done.out) == (128, "")
    assert done.err == (
        "git search: no file 'rendering' in HEAD; "
        'to search for these words: git search -e "outline rendering"\n'
    )


@pytest.mark.parametrize("words", [["index"], ["def", "x"], ["status"]])
def test_a_refusal_of_a_command_is_one_line(ask, commands, words):
    module = {"def": "define"}.get(words[0], words[0])
    commands.answers[module] = BadRevision("no revision 'x'")
    done = ask(*words)
    assert (done.code, done.err) == (128, "git search: no revision 'x'\n")


def test_sql_off_a_terminal_is_separated_by_tabs(ask):
    assert ask("sql", "select 1").out == "n\n1\n"


def test_truth_is_written_in_sql_as_duckdb_does():
    report = SqlReport(("a", "b", "c"), ((True, False, None),))
    assert list(sql_table.table(report, aligned=False)) == ["a\tb\tc\n", "true\tfalse\t\n"]


def test_a_copy_is_shown_with_the_place_that_has_it_and_why(ask):
    done = ask("dup")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        'src/new.py:12-18: fetch exists already at "src/a b.py":3-9: load'
        "  (0.91: shape 1.00, names 0.50, renamed 1.00)\n"
    ).replace('"', "")


def test_a_check_for_copies_fails_only_when_it_is_strict(ask, commands):
    assert [ask("dup", *flag).code for flag in ([], ["--warn"], ["--strict"])] == [0, 0, 1]
    commands.answers["dup"] = replace(DUP, copies=())
    assert [ask("dup", *flag).code for flag in ([], ["--warn"], ["--strict"])] == [1, 0, 0]
    commands.answers["dup"] = replace(DUP, copies=(), looked=0)
    assert ask("dup").err == "git search: there is no new code to compare\n"
    assert ask("dup", "--warn").err == ""


# ---------------------------------------------------------------- report


NOTHING = pull("a.py", dangling=(), exports=(), dependents=(), cycles=(), copies=(), habits=())


def test_what_a_report_is_asked_for(ask, commands):
    ask("report")
    ask("report", "--base", "main", "--head=topic")
    ask("report", "--cached", "--check")
    assert [arguments[1] for _, arguments, _ in commands.calls] == [
        (None, "HEAD", False, False),
        ("main", "topic", False, False),
        (None, "HEAD", True, True),
    ]


def test_the_forms_of_a_report(ask):
    assert ask("report").out.startswith("2 broken references, ")
    assert ask("report", "--md").out.startswith("**2 broken references, ")
    assert json.loads(ask("report", "--json").out)["dangling"][0]["path"] == "src/a.py"
    assert json.loads(ask("report", "--sarif").out)["version"] == "2.1.0"
    done = ask("report", "--md", "--sarif")
    assert (done.code, done.out) == (129, "")
    assert ask("report", "--cached", "--base=main").code == 129


def test_a_report_with_nothing_to_say_is_silent(ask, commands):
    assert ask("report").code == 0
    commands.answers["report"] = NOTHING
    for form in ([], ["--md"]):
        done = ask("report", *form)
        assert (done.code, done.out, done.err) == (1, "", "")
    assert ask("report", "--json").code == 1


def test_a_check_says_what_breaks_and_fails(ask, commands):
    done = ask("report", "--check")
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "src/a.py:7 imports src/a.py, but src/a.py is gone\n"
        "src/a.py:7 uses src/a.py of src/a.py, but src/a.py no longer defines it\n"
    )
    commands.answers["report"] = NOTHING
    done = ask("report", "--check")
    assert (done.code, done.out, done.err) == (0, "", "")
