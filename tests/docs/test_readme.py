"""The examples of the README are run on the sample repository and print what stands there.

`tests/run tests/docs --update-golden` writes what they print into the README.
"""

import os
import re
import shutil
import subprocess

import pytest

from tests.docs.pages import ROOT, examples, page, shown

README = "README.md"
NAMES = [example.name for example in examples(page(README))]
SHELL = re.findall(r"^```sh\n(.*?)^```$", page(README), re.MULTILINE | re.DOTALL)


def printed(command, installed, cwd):
    """What a person sees of a command line that goes into a file."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=cwd,
        env=installed.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert "internal error" not in done.stdout
    return done.stdout


def test_there_are_many_examples():
    assert len(NAMES) == 16


@pytest.mark.golden
@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_an_example_prints_what_the_readme_says(request, installed, indexed, number):
    text = page(README)
    example = list(examples(text))[number]
    steps = tuple(
        (command, printed(command, installed, indexed.path)) for command, _ in example.steps
    )
    if request.config.getoption("--update-golden"):
        text = text[: example.start] + shown(steps) + text[example.end :]
        (ROOT / README).write_text(text, encoding="utf-8")
    else:
        assert shown(example.steps) == shown(steps)
        assert all(said for command, said in steps if command.startswith("git search"))


def test_the_readme_opens_with_two_commands_of_one_line():
    install, run_tests = (block.splitlines() for block in SHELL[:2])
    assert len(install) == len(run_tests) == 1
    assert "pip install" in install[0]
    assert "git search" in install[0]
    opening = page(README).partition("\n## ")[0]
    assert opening.count("```sh") == 2


def test_the_second_command_is_what_ci_runs():
    (command,) = SHELL[1].splitlines()
    assert os.access(ROOT / command, os.X_OK)
    assert f"- run: {command}\n" in page(".github/workflows/tests.yml")


def test_ci_runs_every_test():
    commands = re.findall(r'^"\$run" (\w+)$', page(".ci/run"), re.M)
    script = page("tests/run")
    marks = [
        re.findall(rf"^{name}\)[^;]*? parallel -m ('.*?'|\w+)", script, re.M) for name in commands
    ]
    assert marks == [["'not long'"], ["long"]]


@pytest.mark.parametrize(
    ("failing", "code"), [("", 0), ("all", 1), ("long", 1)], ids=["nothing", "all", "long"]
)
def test_ci_fails_if_one_of_its_runs_fails(tmp_path, failing, code):
    for folder in (".ci", "tests"):
        (tmp_path / folder).mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    stand_in = tmp_path / "tests" / "run"
    stand_in.write_text(f'#!/bin/sh\necho "$@"\ntest "$1" != "{failing}"\n')
    stand_in.chmod(0o755)
    done = subprocess.run([tmp_path / ".ci" / "run"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (code, "all\nlong\n")


@pytest.mark.slow
def test_the_query_of_the_first_command_finds_the_code(installed, tmp_path):
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: there is no repository to ask")
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "-q", ROOT, copy], check=True)
    (query,) = re.findall(r"git search (.*)$", SHELL[0], re.MULTILINE)
    done = installed.run(*query.split(), cwd=copy)
    assert done.returncode == 0, done.stderr
    assert "gitsearch/extract/chunks.py" in done.stdout
