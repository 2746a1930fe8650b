"""The recipe for fzf works as it is printed."""

import re
from pathlib import Path

import iterfzf
import pytest

from tests.sample import RETRY
from tests.terminal import Terminal

DOCUMENT = Path(__file__).parents[2] / "docs" / "editors.md"


@pytest.mark.long
def test_the_recipe_for_fzf(installed, repo):
    (recipe,) = re.findall(r"```sh\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    repo.write("other/a file.py", "\n\n" + RETRY.render("python"))
    repo.commit("start")
    assert installed.run("index", "-q", cwd=repo.path).returncode == 0
    fzf = str(iterfzf.BUNDLED_EXECUTABLE.parent)
    env = installed.environment({"EDITOR": "echo opened"})
    env["PATH"] = f"{fzf}:{env['PATH']}"
    terminal = Terminal("sh", "-c", f"stty rows 24 cols 80; {recipe}", cwd=repo.path, env=env)
    terminal.read(rb"0/0")
    terminal.press(b"compute_delay")
    terminal.read(rb"a file\.py:\d+:\d+:")
    terminal.press(b"\r")
    assert terminal.finish() == 0
    assert re.search(rb"opened \+\d+ other/a file\.py", terminal.seen)
