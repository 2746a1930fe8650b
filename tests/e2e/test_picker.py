"""`git search -I`: results to choose from, on a terminal."""

import re
import signal

import pytest

from tests.sample import RETRY
from tests.terminal import CTRL_C, Terminal

ASKED = rb"Open which result \[1-\d+, p, (?:m, )?l, q, \?\]\? "


@pytest.fixture
def edited(indexed, tmp_path):
    """A repository with an index, and an editor that writes down what it is given."""
    editor = tmp_path / "an editor" / "vim"
    editor.parent.mkdir()
    note = tmp_path / "note"
    editor.write_text(
        f'#!/bin/sh\nprintf "%s " "$@" >>"{note}"; echo >>"{note}"; tail -n 1 "$2" >>"{note}"\n'
    )
    editor.chmod(0o755)
    return indexed, {"GIT_EDITOR": f'"{editor}" -n', "NO_COLOR": "1"}, note


def picker(installed, repo, env, *words):
    environment = installed.environment(env)
    return Terminal("git", "search", "-I", *words, cwd=repo.path, env=environment)


def answer(terminal, keys):
    """Wait for the question, and answer it; what was seen since the one before."""
    terminal.read(ASKED)
    seen, terminal.seen = terminal.seen, b""
    terminal.press(keys + b"\n")
    return seen.replace(b"\r\n", b"\n").decode()


def test_numbers_open_results_in_the_editor(installed, edited):
    repo, env, note = edited
    terminal = picker(installed, repo, env, "-k", "2", "pause before a failed request")
    listed = answer(terminal, b"2")
    places = dict(re.findall(r"^(\d+)  (\S+:\d+)-\d+ ", listed, re.MULTILINE))
    assert list(places) == ["1", "2"]
    answer(terminal, b"m")
    more = answer(terminal, b"p1")
    assert re.findall(r"^(\d+)  \S+:\d+-\d+ ", more, re.MULTILINE) == ["3", "4"]
    whole = answer(terminal, b"what?")
    assert f"{places['1']}-" in whole
    assert "open a result in the editor" in answer(terminal, b"9")
    assert "open a result in the editor" in answer(terminal, b"l")
    assert f"2  {places['2']}-" in answer(terminal, b"q")
    assert terminal.finish() == 0
    path, line = places["2"].rsplit(":", 1)
    assert note.read_text().splitlines()[0] == f"-n +{line} {repo.path / path} "


def test_a_file_of_another_tree_is_opened_as_a_copy(installed, edited):
    repo, env, note = edited
    repo.write("only_then.py", RETRY.render("python") + "\n# as it was\n")
    then = repo.commit("then")
    repo.remove("only_then.py")
    repo.commit("now")
    env["GIT_EDITOR"] = env["GIT_EDITOR"].replace(" -n", "")
    terminal = picker(installed, repo, env, "--at", then, "-F", "# as it was")
    answer(terminal, b"1")
    answer(terminal, b"q")
    assert terminal.finish() == 0
    place, last = note.read_text().splitlines()
    assert re.fullmatch(r"\+\d+ /.*/only_then\.py ", place)
    assert str(repo.path) not in place
    assert last == "# as it was"


def test_an_editor_that_fails_is_said_and_the_list_stays(installed, edited):
    repo, env, _ = edited
    terminal = picker(installed, repo, {**env, "GIT_EDITOR": "false"}, "retry")
    answer(terminal, b"1")
    assert "the editor 'false' ended with exit code 1" in answer(terminal, b"q")
    assert terminal.finish() == 0


def test_the_end_of_the_input_and_ctrl_c_end_it(installed, edited):
    repo, env, _ = edited
    for keys, codes in ((b"\x04", (0,)), (CTRL_C, (130, -signal.SIGINT))):
        terminal = picker(installed, repo, env, "retry")
        terminal.read(ASKED)
        terminal.press(keys)
        assert terminal.finish() in codes
        assert b"Traceback" not in terminal.seen


def test_where_nobody_answers_it_is_refused(installed, edited):
    repo, env, _ = edited
    done = installed.run("-I", "retry", cwd=repo.path, env=env)
    assert (done.returncode, done.stdout) == (129, "")
    assert "this is no terminal" in done.stderr
    terminal = picker(installed, repo, env, "-F", "nowhere at all, nothing")
    assert terminal.finish() == 1


def test_paths_are_links_to_files_of_the_working_tree(installed, edited):
    repo, _, _ = edited
    settings = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "color.search.link",
        "GIT_CONFIG_VALUE_0": "edit://{path}:{line}",
    }

    def shown(*words):
        done = installed.run("--color", *words, "compute_delay", cwd=repo.path, env=settings)
        assert done.returncode == 0
        return done.stdout

    link = rf"\x1b\]8;;edit://{re.escape(str(repo.path))}/\S+:\d+\x1b\\"
    for words in ((), ("-C", "1"), ("-l",)):
        assert re.search(link, shown(*words))
    assert "]8;;" not in shown("--at", "HEAD")
    assert "]8;;" not in shown("--no-color")
    settings["GIT_CONFIG_VALUE_0"] = "nowhere"
    done = installed.run("--color", "compute_delay", cwd=repo.path, env=settings)
    assert done.returncode == 129
    assert "color.search.link" in done.stderr
