"""What the words of a query become."""

import json

import pytest

from gitsearch.errors import BadRevision
from gitsearch.reports.search import Respelt
from gitsearch.settings import SearchRequest
from tests.unit.render.reports import OTHER_FILE, RETRY, found


def printed(**fields):
    """The request of an answer in lines, in which what matched may be painted."""
    return SearchRequest(**fields, highlighted=True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["retry"], {"text": "retry"}),
        (["where", "are", "retries"], {"text": "where are retries"}),
        (["where are", "retries"], {"text": "where are retries"}),
        (["  retry "], {"text": "retry"}),
        (["-"], {"text": "-"}),
        (["impact of config"], {"text": "impact of config"}),
        (["-e", "status of x"], {"text": "status of x"}),
        (["-estatus"], {"text": "status"}),
        (["-e", "-x"], {"text": "-x"}),
        (["-e", "--"], {"text": "--"}),
        (["-e", "impact", "map", "of"], {"text": "impact map of"}),
        (["where", "is", "status"], {"text": "where is status"}),
        (["retry", "--", "src"], {"text": "retry", "pathspecs": ("src",)}),
        (
            ["retry", "--", ":(exclude)tests", "--json", "--"],
            {"text": "retry", "pathspecs": (":(exclude)tests", "--json", "--")},
        ),
        (["retry", "--"], {"text": "retry"}),
        (["--at", "HEAD~50", "retry"], {"text": "retry", "at": "HEAD~50"}),
        (["retry", "--at=stash@{0}"], {"text": "retry", "at": "stash@{0}"}),
        (["--at", "a", "retry", "--at", "b"], {"text": "retry", "at": "b"}),
        (["--at", "--cached", "retry"], {"text": "retry", "at": "--cached"}),
        (["--cached", "retry"], {"text": "retry", "cached": True}),
        (["retry", "--untracked", "policy"], {"text": "retry policy", "untracked": True}),
        (["--mode", "symbol", "retry"], {"text": "retry", "mode": "symbol"}),
        (["--mode=auto", "retry"], {"text": "retry", "mode": "auto"}),
        (["--grep", "^def", "retry"], {"text": "retry", "grep": "^def"}),
        (["--alpha", "0.25", "retry"], {"text": "retry", "alpha": 0.25}),
        (["--alpha=0", "retry"], {"text": "retry", "alpha": 0.0}),
        (["--no-rerank", "retry"], {"text": "retry", "rerank": False}),
        (["-t", "go", "retry"], {"text": "retry", "languages": ("go",)}),
        (
            ["-tgo,Rust", "retry", "--type=go", "--type", "c, cpp"],
            {"text": "retry", "languages": ("go", "rust", "c", "cpp")},
        ),
        (["--content", "docs", "retry"], {"text": "retry", "content": "docs"}),
        (["--tests=only", "retry"], {"text": "retry", "tests": "only"}),
        (["-k", "5", "retry"], {"text": "retry", "max_count": 5}),
        (["-k5", "retry"], {"text": "retry", "max_count": 5}),
        (["--max-count=5", "retry"], {"text": "retry", "max_count": 5}),
        (["--max-c", "5", "retry"], {"text": "retry", "max_count": 5}),
        (["-k5", "-k6", "retry"], {"text": "retry", "max_count": 6}),
        (["--max-lines", "0", "retry"], {"text": "retry", "max_lines": 0}),
        (["-A", "2", "retry"], {"text": "retry", "context": (0, 2)}),
        (["-B2", "retry"], {"text": "retry", "context": (2, 0)}),
        (["-C", "3", "retry"], {"text": "retry", "context": (3, 3)}),
        (["-3", "retry"], {"text": "retry", "context": (3, 3)}),
        (["-C3", "-A1", "-B0", "retry"], {"text": "retry", "context": (0, 1)}),
        (["-W", "retry"], {"text": "retry", "whole": True}),
        (["--refresh", "off", "retry"], {"text": "retry", "refresh": "off"}),
        (["--explain", "retry"], {"text": "retry", "explain": True}),
        (["--changed", "retry"], {"text": "retry", "changed": ""}),
        (["--changed=a..b", "retry"], {"text": "retry", "changed": "a..b"}),
        (["--removed=main...", "retry"], {"text": "retry", "removed": "main..."}),
        (["-rn", "retry", "--line-number"], {"text": "retry"}),
        (["-Wk3", "retry"], {"text": "retry", "whole": True, "max_count": 3}),
    ],
)
def test_words_become_a_request(ask, commands, words, expected):
    assert ask(*words).code == 0
    assert commands.request == printed(**expected)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--changed", "main...", "retry"], {"text": "retry", "changed": "main..."}),
        (["retry", "--removed", "main..HEAD"], {"text": "retry", "removed": "main..HEAD"}),
        (["--changed", "retry", "..main"], {"text": "retry", "changed": "..main"}),
        # neither has revisions at its ends
        (["--changed", "1..9", "..."], {"text": "1..9 ...", "changed": ""}),
        (["--changed", "../main", "a..main"], {"text": "../main a..main", "changed": ""}),
        (["--changed=HEAD", "main..."], {"text": "main...", "changed": "HEAD"}),
        (["--changed", "-e", "main..."], {"text": "main...", "changed": ""}),
        (["--changed", "merge main..."], {"text": "merge main...", "changed": ""}),
        (["main...", "retry"], {"text": "main... retry"}),
    ],
)
def test_a_range_may_stand_behind_a_space(ask, commands, repo, monkeypatch, words, expected):
    repo.commit()
    monkeypatch.chdir(repo.path)
    assert ask(*words).code == 0
    assert commands.request == printed(**expected)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--removed", "retry"], ("retry", (), None, None, None, (), None, 12, None, (), "all")),
        (
            ["--removed", "-k3", "--max-lines=0", "-tgo", "--at=v1", "a", "b", "--", "src"],
            ("a b", ("src",), "v1", None, None, (), 3, 0, None, ("go",), "all"),
        ),
    ],
)
def test_without_a_range_the_history_is_asked_for_removed_code(ask, commands, words, expected):
    assert ask(*words).out.startswith("aaaaaaaaaa 2023-11-14 Ann  Clean up\n")
    ((module, (_, request), _),) = commands.calls
    assert module == "removed_code"
    assert request == (*expected, "include", "--at=v1" not in words)
    assert ask("-q", *words).out == ""
    assert '"commit"' in ask("--json", *words).out


@pytest.mark.parametrize("option", ["-F", "-l", "-c", "-W", "-C2", "--in=.", "--explain"])
def test_removed_code_of_the_history_has_no_such_option(ask, commands, option):
    done = ask("--removed", option, "retry")
    assert done.code == 129
    assert option[:2] in done.err
    assert commands.calls == []


def test_what_was_staged_away_is_searched_in_the_old_tree(ask, commands):
    assert ask("--removed", "--cached", "retry").code == 0
    assert commands.request == printed(text="retry", removed="", cached=True)


def test_the_command_gets_the_current_folder_and_a_progress(ask, commands, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ask("retry")
    ((_, (session, _), _),) = commands.calls
    assert session.cwd == tmp_path
    session.progress.update("x", 1, 2, 3)
    session.progress.close()


@pytest.mark.parametrize("option", ["-l", "-c", "-q"])
def test_no_code_is_read_where_none_is_shown(ask, commands, option):
    ask(option, "retry")
    assert commands.request.max_lines == 0


def test_off_a_terminal_a_result_is_one_line(ask):
    assert ask("retry").out == "src/retry.py:10-12: def retries(self):\n"


@pytest.mark.parametrize("words", [["-C1"], ["-A1"], ["-B1"], ["-W"], ["--max-lines=9"], ["-1"]])
def test_who_asks_for_code_gets_code(ask, words):
    assert ask(*words, "retry").out.startswith("src/retry.py\n  10-12 method Policy.retries\n")


def test_max_lines_zero_is_locations_only(ask):
    assert ask("--max-lines=0", "-C3", "retry").out == "src/retry.py:10-12: def retries(self):\n"


@pytest.mark.parametrize(
    ("words", "out"),
    [
        (["-l"], "src/retry.py\n"),
        (["--name-only"], "src/retry.py\n"),
        (["--files-with-matches"], "src/retry.py\n"),
        (["-lz"], "src/retry.py\0"),
        (["-c"], "src/retry.py:1\n"),
        (["-cz"], "src/retry.py\x001\n"),
        (["-z"], "src/retry.py\x0010-12: def retries(self):\n"),
        (["-q"], ""),
        (["-q", "--json"], ""),
    ],
)
def test_forms_of_git_grep(ask, words, out):
    done = ask(*words, "retry")
    assert (done.code, done.out, done.err) == (0, out, "")


def test_json_is_one_document(ask):
    document = json.loads(ask("--json", "retry").out)
    assert document["schema"] == 1
    assert len(document["results"]) == 1


def test_json_of_files(ask):
    assert json.loads(ask("--json", "-l", "retry").out)["files"] == [{"path": "src/retry.py"}]


def test_jsonl_is_one_result_a_line(ask, commands):
    commands.answers["search"] = found(RETRY, OTHER_FILE, warnings=("one file is lost",))
    done = ask("--jsonl", "retry")
    assert [json.loads(line)["rank"] for line in done.out.splitlines()] == [1, 3]
    assert done.err == "git search: one file is lost\n"


def test_a_range_alone_is_no_query(ask, commands, repo, monkeypatch):
    repo.commit()
    monkeypatch.chdir(repo.path)
    done = ask("--changed", "main...")
    assert (done.code, commands.calls) == (129, [])
    assert done.err.startswith("git search: no query given")


@pytest.mark.parametrize("words", [[], ["--json"], ["--jsonl"], ["-q"], ["-l"], ["-c"]])
def test_nothing_found_is_exit_one(ask, commands, words):
    commands.answers["search"] = found()
    done = ask(*words, "retry")
    assert (done.code, done.err) == (1, "")
    assert done.out == "" or words == ["--json"]


def test_warnings_go_to_stderr_and_are_harmless(ask, commands):
    commands.answers["search"] = found(RETRY, warnings=("odd file \x1b[2J",))
    done = ask("retry")
    assert done.err == "git search: odd file \\x1b[2J\n"
    assert done.out.startswith("src/retry.py")


@pytest.mark.parametrize("form", [(), ("--jsonl",), ("-l",)])
def test_a_line_says_which_word_was_searched_for_instead(ask, commands, form):
    commands.answers["search"] = found(RETRY, respelt=(Respelt("retrys", "retries"),))
    assert ask("retrys", *form).err == (
        "git search: no file has the word 'retrys'; searched for 'retries'\n"
    )


def test_warnings_are_part_of_the_document(ask, commands):
    commands.answers["search"] = found(RETRY, warnings=("odd",))
    done = ask("--json", "retry")
    assert done.err == ""
    assert json.loads(done.out)["warnings"] == ["odd"]


@pytest.mark.parametrize(("words", "coloured"), [(["--color"], True), (["--color=never"], False)])
def test_color_is_forced(ask, words, coloured):
    assert ("\x1b[35m" in ask(*words, "retry").out) is coloured


def test_no_color_wins_over_color(ask):
    assert "\x1b" not in ask("--color", "--no-color", "retry").out


def test_color_takes_its_value_only_after_an_equals_sign(ask, commands):
    ask("--color", "never", "retry")
    assert commands.request.text == "never retry"


def test_a_refusal_is_one_line(ask, commands):
    commands.answers["search"] = BadRevision("no revision 'mian'", "did you mean 'main'?")
    done = ask("--at", "mian", "retry")
    assert (done.code, done.out) == (128, "")
    assert done.err == "git search: no revision 'mian'; did you mean 'main'?\n"


@pytest.mark.parametrize("option", ["--json", "--jsonl"])
def test_a_refusal_in_json_stands_on_stdout(ask, commands, option):
    commands.answers["search"] = BadRevision("no revision 'mian'")
    done = ask("--at", "mian", "retry", option)
    assert (done.code, done.err) == (128, "")
    assert done.out.count("\n") == 1
    assert json.loads(done.out)["error"] == {
        "code": "bad-revision",
        "message": "no revision 'mian'",
        "hint": "",
    }
