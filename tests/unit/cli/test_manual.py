"""The generated pages are current, and everything that exists stands in them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from gitsearch.cli import manual
from gitsearch.cli.option_parser import Opt
from gitsearch.cli.search_verb import command
from gitsearch.cli.verb_names import VERBS
from gitsearch.cli.verbs import verb
from gitsearch.settings import MODES
from tests.unit.cli.conftest import ROOT

BASH = ROOT / "share/bash-completion/completions/git-search"
ZSH = ROOT / "share/zsh/site-functions/_git-search"
COMMANDS = {"search": command(), **{name: verb(name) for name in VERBS}}


def visible(of):
    return [option for option in of.options if option.absent is None]


def test_there_are_options_to_check():
    assert len(visible(COMMANDS["search"])) > 25
    assert all(isinstance(option, Opt) for option in COMMANDS["search"].options)


@pytest.mark.parametrize("name", [manual.MAN_PAGE, manual.MARKDOWN])
def test_the_generated_pages_are_current(name):
    assert (ROOT / name).read_text(encoding="utf-8") == manual.pages()[name], (
        "run: python -m gitsearch.cli.manual"
    )


def test_the_pages_are_written_where_they_belong(tmp_path):
    manual.main(tmp_path)
    for name, text in manual.pages().items():
        assert (tmp_path / name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_visible_option_is_explained_on_both_pages(name):
    man = manual.man_page().replace("\\-", "-")
    for option in visible(COMMANDS[name]):
        if option.hidden:
            continue
        assert option.help
        for page in (man, manual.markdown()):
            assert option.opts[0] in page
            assert option.help in page.replace("&lt;", "<").replace("\\|", "|")


def test_options_to_come_are_not_on_the_pages():
    for option in COMMANDS["search"].options:
        if option.absent is not None:
            assert f"{option.opts[0]}`" not in manual.markdown()


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_has_no_complaint():
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z"],
        input=manual.man_page(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""


@pytest.mark.parametrize("path", [BASH, ZSH], ids=["bash", "zsh"])
@pytest.mark.parametrize("name", COMMANDS)
def test_completions_know_every_verb_and_option(path, name):
    text = path.read_text(encoding="utf-8")
    if name in VERBS:
        assert name in text
    for option in visible(COMMANDS[name]):
        for spelling in () if option.hidden else option.opts:
            assert spelling in text or not spelling.startswith("--"), spelling


@pytest.mark.parametrize("path", [BASH, ZSH], ids=["bash", "zsh"])
def test_completions_know_nothing_that_does_not_exist(path):
    known = {name for of in COMMANDS.values() for option in visible(of) for name in option.opts}
    known |= {"--format", "--cur", "--", "--*"}  # of git and of git's completion
    words = path.read_text(encoding="utf-8").replace("=", " ").replace("[", " ").replace("|", " ")
    for word in (
        words.replace(")", " ").replace("{", " ").replace("}", " ").replace(",", " ").split()
    ):
        option = word.strip("'\"\\;:(")
        if option.startswith("--"):
            assert option in known, option


def complete(line):
    """What bash offers for a line, by git's own completion."""
    script = f"""
        source /usr/share/bash-completion/bash_completion
        source /usr/share/bash-completion/completions/git
        source {BASH}
        COMP_LINE={line!r}; COMP_POINT=${{#COMP_LINE}}; COMP_TYPE=9
        read -ra COMP_WORDS <<<"$COMP_LINE"
        [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        __git_wrap__git_main
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(
    not shutil.which("bash") or not Path("/usr/share/bash-completion/completions/git").exists(),
    reason="bash or git's completion is not installed",
)
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("git search ", list(VERBS)),
        ("git search st", ["status"]),
        ("git search --ma", ["--max-count=", "--max-lines="]),
        ("git search --mode ", list(MODES)),
        ("git search -t py", ["python"]),
        (
            "git search status --",
            ["--skipped", "--check", "--json", "--no-pager", "--trace", "--trace=", "--help"],
        ),
        ("git search -k 5 index --reb", ["--rebuild"]),
        ("git search help g", ["gc"]),
        ("git search hooks u", ["uninstall"]),
        ("git search retry -- --", []),
    ],
)
def test_bash_completes(repo, monkeypatch, line, offered):
    monkeypatch.chdir(repo.path)
    assert complete(line) == offered


def test_zsh_finds_the_description_where_it_looks_for_it():
    first, second, *_ = ZSH.read_text(encoding="utf-8").splitlines()
    assert first == "#compdef git-search"
    assert second.startswith("#description ")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_can_read_its_completion():
    subprocess.run(["zsh", "-n", ZSH], check=True)
