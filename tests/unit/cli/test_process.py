"""What only a process of its own shows: pipes, signals, terminals, start-up."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.conftest import ROOT

HEAVY = ("numpy", "scipy", "duckdb", "pygit2", "tree_sitter", "tokenizers", "model2vec")
# Needed only for other verbs, for JSON, or after a mistake.
UNNEEDED = (
    *("click.testing", "json", "difflib", "traceback", "shutil", "tempfile"),
    *(
        "gitsearch.render.pager",
        "gitsearch.render.json_document",
        "gitsearch.cli.verbs",
    ),
    *("gitsearch.cli.help_text", "gitsearch.cli.manual", "gitsearch.render.search_text"),
)


def finish(process):
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_the_search_path_imports_nothing_that_can_wait(start):
    code, out, err = finish(start("modules", "retry"))
    assert (code, err) == (1, b"")
    loaded = set(out.decode().split())
    assert "click" in loaded
    assert loaded & {*HEAVY, *UNNEEDED} == set()


@pytest.mark.parametrize("words", [["-h"], ["status", "-h"], ["--version"], ["help", "sql"]])
def test_help_imports_nothing_heavy(start, words):
    code, _, err = finish(start("few", *words, env={"PYTHONPROFILEIMPORTTIME": "1"}))
    assert code == 0
    imported = {line.rpartition(b"|")[2].strip().decode() for line in err.splitlines()}
    assert "click" in imported
    assert imported & {*HEAVY, "click.testing"} == set()


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--color=never", "--json", "--jsonl"])
def test_a_closed_pipe_is_silent(start, option):
    process = start("many", option, "retry")
    assert process.stdout.read(5)
    process.stdout.close()
    assert (process.wait(60), process.stderr.read()) == (0, b"")


def test_a_pipe_that_was_closed_before_is_silent(start):
    reading, writing = os.pipe()
    os.close(reading)
    process = start("few", "retry", stdout=writing)
    os.close(writing)
    assert finish(process)[::2] == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said(start):
    with Path("/dev/full").open("wb") as full:
        code, _, err = finish(start("few", "retry", stdout=full))
    assert code == 128
    assert err == b"git search: cannot write the answer: No space left on device\n"


def test_a_closed_standard_output_is_said(start):
    process = start("few", "retry", stdout=None, preexec_fn=lambda: os.close(1))
    code, _, err = finish(process)
    assert code == 128
    assert err == b"git search: cannot write the answer: standard output is closed\n"


def test_a_closed_standard_error_does_no_harm(start):
    process = start("few", "--nope", stderr=None, preexec_fn=lambda: os.close(2))
    assert finish(process)[0] == 129


@pytest.mark.parametrize("option", ["--color=never", "--json"])
def test_an_interrupt_leaves_no_traceback(start, option):
    assert finish(start("interrupted", "retry", option)) == (130, b"", b"")


def test_an_interrupt_waits_for_an_import(start, tmp_path):
    assert finish(start("importing", "retry", cwd=tmp_path)) == (130, b"loaded whole", b"")


def test_an_interrupt_while_waiting_clears_the_line(start):
    terminal = Terminal()
    process = start("waits", "retry", stderr=terminal.outside)
    assert process.stdout.readline() == b"waiting\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    seen = terminal.read()
    assert "indexing [####....................]  20% 2/10 files" in seen
    assert seen.endswith("\r\x1b[K")


def test_an_interrupt_before_the_first_work_is_silent():
    code = (
        "import os, signal, sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'gitsearch.process':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from gitsearch.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_a_bug_is_one_line_with_its_place(start):
    code, out, err = finish(start("bug", "retry"))
    assert (code, out) == (128, b"")
    assert err.count(b"\n") == 1
    assert re.match(
        rb"git search: internal error: KeyError: 'missing' "
        rb"\(gitsearch/cli/search_verb\.py:\d+ in _ask\); ",
        err,
    )


def test_a_bug_in_json_is_a_document(start):
    code, out, err = finish(start("bug", "retry", "--json"))
    assert (code, err) == (128, b"")
    assert json.loads(out)["error"]["code"] == "internal"


@pytest.mark.parametrize("name", ["GITSEARCH_DEBUG", "GIT_TRACE2"])
def test_a_bug_shows_its_traceback_when_asked(start, name):
    _, _, err = finish(start("bug", "retry", env={name: "1"}))
    assert b"Traceback (most recent call last)" in err
    assert err.splitlines()[-1].startswith(b"git search: internal error: KeyError")
    _, _, err = finish(start("bug", "retry", env={name: "0"}))
    assert b"Traceback" not in err


def test_a_deleted_folder_is_said(start, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    process = start("few", "retry", cwd=gone, preexec_fn=gone.rmdir)
    code, _, err = finish(process)
    assert code == 128
    assert err == b"git search: the current folder does not exist any more\n"


# ---------------------------------------------------------------- terminals


class Terminal:
    """A pseudo-terminal: what was written to it, and nobody who types."""

    def __init__(self):
        self.inside, self.outside = pty.openpty()

    def read(self):
        """All that was written, once every writer has gone."""
        os.close(self.outside)
        pieces = []
        try:
            while piece := os.read(self.inside, 65536):
                pieces.append(piece)
        except OSError:
            pass
        os.close(self.inside)
        return b"".join(pieces).decode().replace("\r\n", "\n")


@pytest.fixture
def on_terminal(start, repo):
    """Run in a repository with a terminal as standard output: exit code, what it shows, stderr."""

    def call(*words, env=(), behaviour="few", git=()):
        for name, value in git:
            repo.run("config", name, value)
        terminal = Terminal()
        environment = {"TERM": "xterm", "PAGER": "cat", **dict(env)}
        process = start(behaviour, *words, cwd=repo.path, env=environment, stdout=terminal.outside)
        # a small answer fits into the terminal's buffer
        err = process.stderr.read()
        return process.wait(60), terminal.read(), err

    return call


def test_on_a_terminal_there_are_headings_and_colours(on_terminal):
    code, shown, err = on_terminal("retry")
    assert (code, err) == (0, b"")
    assert shown.startswith("\x1b[35msrc/retry.py\x1b[m\n")


@pytest.mark.parametrize(
    "how",
    [
        {"env": {"NO_COLOR": "1"}},
        {"env": {"TERM": "dumb"}},
        {"git": [("color.search", "never")]},
        {"git": [("color.ui", "false")]},
        {"words": ["--no-color"]},
        {"words": ["--color=never"], "git": [("color.ui", "always")]},
    ],
)
def test_colours_are_switched_off_as_git_does(on_terminal, how):
    words = how.pop("words", [])
    code, shown, _ = on_terminal("retry", *words, **how)
    assert code == 0
    assert shown.startswith("src/retry.py\n")
    assert "\x1b" not in shown


@pytest.mark.parametrize("key", ["color.search", "color.ui"])
def test_always_in_the_settings_holds_off_a_terminal_too_but_not_for_programs(start, repo, key):
    def shown(*words, env=()):
        return finish(
            start("few", "retry", *words, cwd=repo.path, env={"TERM": "dumb", **dict(env)})
        )[1]

    plain = shown()
    assert b"\x1b" not in plain
    repo.git("config", key, "always")
    assert b"\x1b[35m" in shown()
    assert shown("--no-color") == shown(env={"NO_COLOR": "1"}) == plain
    for form in ("--json", "--jsonl", "-z", "--vimgrep"):
        assert b"\x1b" not in shown(form)


def test_color_wins_over_no_color_of_the_environment(on_terminal):
    assert "\x1b[35m" in on_terminal("--color", "retry", env={"NO_COLOR": "1"})[1]


def test_an_empty_no_color_is_none(on_terminal):
    assert "\x1b[35m" in on_terminal("retry", env={"NO_COLOR": ""})[1]


PAGER = "sed 's/^/paged: /'"


@pytest.mark.parametrize(
    "how",
    [
        {"env": {"GIT_PAGER": PAGER}},
        {"env": {"PAGER": PAGER}},
        {"git": [("core.pager", PAGER)]},
        {"git": [("pager.search", PAGER)]},
        {"env": {"GIT_PAGER": PAGER}, "git": [("pager.search", "true")]},
    ],
)
def test_the_pager_is_the_one_git_would_use(on_terminal, how):
    if "git" in how and "env" not in how:
        how["env"] = {"PAGER": "false"}
    code, shown, err = on_terminal("--no-color", "retry", **how)
    assert (code, err) == (0, b"")
    assert shown.startswith("paged: src/retry.py\n")
    assert all(line.startswith("paged: ") for line in shown.splitlines())


@pytest.mark.parametrize(
    ("words", "how"),
    [
        (["--no-pager"], {}),
        (["--json"], {}),
        (["--jsonl"], {}),
        (["-q"], {}),
        (["-z"], {}),
        ([], {"git": [("pager.search", "false")]}),
        ([], {"env": {"GIT_PAGER": "cat"}}),
        ([], {"env": {"GIT_PAGER": ""}}),
        ([], {"env": {"GIT_PAGER": PAGER, "GIT_PAGER_IN_USE": "true"}}),
    ],
)
def test_there_is_no_pager_where_git_has_none(on_terminal, words, how):
    how = {"env": {"GIT_PAGER": PAGER}, **how}
    code, shown, _ = on_terminal(*words, "retry", **how)
    assert code == 0
    assert "paged: " not in shown


def test_less_gets_the_options_of_git(on_terminal):
    env = {"GIT_PAGER": 'echo "$LESS $LV $GIT_PAGER_IN_USE"; cat >/dev/null'}
    assert on_terminal("retry", env=env)[1] == "FRX -c true\n"
    assert on_terminal("retry", env={**env, "LESS": "S"})[1] == "S -c true\n"


def test_a_pager_that_cannot_be_run_hides_nothing(on_terminal):
    code, shown, err = on_terminal("--no-color", "retry", env={"GIT_PAGER": "no-such-pager"})
    assert code == 0
    assert shown.startswith("src/retry.py\n")
    assert b"no-such-pager" in err


@pytest.mark.slow
def test_a_pager_that_is_left_early_is_no_error(on_terminal):
    code, shown, err = on_terminal("retry", behaviour="many", env={"GIT_PAGER": "head -n 1"})
    assert (code, shown.count("\n"), err) == (0, 1, b"")


def test_nothing_found_starts_no_pager(on_terminal):
    code, shown, _ = on_terminal("retry", behaviour="nothing", env={"GIT_PAGER": "echo started"})
    assert (code, shown) == (1, "")


def test_nothing_found_is_said_on_a_terminal(start):
    terminal = Terminal()
    process = start("nothing", "retry", stderr=terminal.outside)
    assert process.wait(60) == 1
    assert terminal.read() == "git search: nothing found in 9 files\n"


def test_in_the_pager_that_git_started_there_are_headings_and_colours(start, repo):
    env = {"GIT_PAGER_IN_USE": "true", "TERM": "xterm"}
    code, out, _ = finish(start("few", "retry", cwd=repo.path, env=env))
    assert code == 0
    assert out.startswith(b"\x1b[35msrc/retry.py\x1b[m\n")


def test_json_is_indented_for_people(on_terminal):
    _, shown, _ = on_terminal("--json", "retry")
    assert shown.startswith('{\n  "schema": 1,')
    assert json.loads(shown)["schema"] == 1


def test_outside_a_repository_a_terminal_has_its_colours(start, tmp_path):
    terminal = Terminal()
    process = start("few", "retry", cwd=tmp_path, env={"TERM": "xterm"}, stdout=terminal.outside)
    assert process.wait(60) == 0
    assert terminal.read().startswith("\x1b[35m")
