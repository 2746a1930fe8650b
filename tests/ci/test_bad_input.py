"""What a check meets in the wild: a line or a smaller report, and never a check that fails."""

import json
import re
import shutil
from pathlib import Path

import cmarkgfm
import pytest

from tests.builder import RepoBuilder
from tests.ci import pulls
from tests.ci.jobs import Cache, Jobs
from tests.ci.pulls import checked_out, proposed

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def template(tmp_path_factory, isolation):
    """A small program on main."""
    repo = RepoBuilder(tmp_path_factory.mktemp("origin") / "origin")
    repo.write("app/util.py", "def helper(value):\n    return value + 1\n")
    repo.write("app/main.py", "from app.util import helper\n\nprint(helper(1))\n")
    repo.write("app/__init__.py", "")
    repo.write("logo.png", b"\x89PNG\0\0" * 20)
    repo.commit("start")
    return repo


@pytest.fixture
def origin(template, tmp_path):
    path = tmp_path / "origin"
    shutil.copytree(template.path, path, symlinks=True)
    repo = RepoBuilder.adopt(path, template.clock)
    repo.branch("feature")
    return repo


@pytest.fixture
def jobs(installed, hub, tmp_path):
    (tmp_path / "cache").mkdir()
    return Jobs(installed, hub, Cache(tmp_path / "cache"), tmp_path)


@pytest.fixture
def check(jobs, origin):
    """The check of what is committed on the branch; it never fails and obeys nobody."""

    def run(**inputs):
        found = jobs.pull(proposed(origin), **inputs)
        assert not found.failed
        assert not found.troubled, found.log
        assert "Traceback" not in found.log
        assert "internal error" not in found.log
        words = ("::notice::", "::warning::", "::warning file=")
        assert all(line.startswith(words) for line in found.commands)
        return found

    return run


def changes(found):
    report = json.loads(Path(found.outputs["report"]).read_bytes())
    return [(one["status"], one["path"]) for one in report["changes"]]


def test_only_binary_files(origin, check, hub):
    origin.write("logo.png", b"\x89PNG\0\1" * 20)
    origin.commit()
    assert changes(check()) == [("modified", "logo.png")]
    assert hub.bodies(7) == []


def test_only_deletions(origin, check, hub):
    origin.remove("app/util.py")
    origin.commit()
    assert changes(check()) == [("deleted", "app/util.py")]
    (body,) = hub.bodies(7)
    assert "app/main.py:1" in body


def test_everything_is_deleted(origin, check):
    for name in ("app", "logo.png"):
        origin.remove(name)
    origin.commit()
    assert len(changes(check())) == 4


def test_a_renamed_folder(origin, check, hub):
    origin.checkout("main")
    origin.write("start.py", "import app.main\n")
    origin.commit()
    origin.git("checkout", "-q", "-B", "feature")
    origin.rename("app", "program")
    origin.commit()
    found = check()
    assert {status for status, _ in changes(found)} == {"renamed"}
    (body,) = hub.bodies(7)
    assert "start.py:1" in body


def test_a_submodule_that_comes_and_goes(origin, check, tmp_path, hub):
    other = RepoBuilder(tmp_path / "other")
    other.write("a.py", "A = 1\n")
    first = other.commit()
    origin.git("update-index", "--add", "--cacheinfo", f"160000,{first},lib")
    origin.write(".gitmodules", f'[submodule "lib"]\n\tpath = lib\n\turl = {other.path}\n')
    origin.git("add", ".gitmodules")
    origin.commit_staged()
    assert ("added", "lib") in changes(check())
    other.write("a.py", "A = 2\n")
    origin.checkout("feature")
    origin.git("update-index", "--cacheinfo", f"160000,{other.commit()},lib")
    origin.commit_staged()
    assert hub.bodies(7) == []
    check()


def test_three_thousand_files(origin, check, hub):
    for number in range(3000):
        origin.write(f"gen/part{number:04}.py", f"from app.util import helper\n\nX = {number}\n")
    origin.replace("app/util.py", "def helper(value)", "def helper(value, more)")
    origin.commit()
    found = check()
    assert len(changes(found)) <= 3001
    assert Path(found.outputs["report"]).stat().st_size < 1 << 20
    assert all(len(body) <= 60_300 for body in hub.bodies(7))


def test_an_unrelated_history(origin, jobs, hub, tmp_path):
    origin.git("checkout", "-q", "--orphan", "alien")
    origin.write("other.py", "X = 1\n")
    origin.commit()
    alien = origin.rev()
    origin.checkout("main")
    clone = checked_out(origin, tmp_path / "alone", alien)
    pull = pulls.PullRequest(origin, origin.rev("main"), alien, "f" * 40)
    hub.open_pull(7, alien)
    found = jobs.run(clone.path, pulls.environment(pull, tmp_path))
    assert not found.failed
    assert not found.troubled
    assert any("no commit in common" in line for line in found.commands)
    assert hub.bodies(7) == []


def test_a_base_that_is_gone(origin, jobs, hub, tmp_path):
    origin.write("a.py", "A = 1\n")
    origin.commit()
    pull = proposed(origin)
    clone = checked_out(origin, tmp_path / "alone", pull.merge)
    clone.git("remote", "set-url", "origin", "file:///nowhere")
    hub.open_pull(7, pull.head)
    found = jobs.run(clone.path, pulls.environment(pull, tmp_path))
    assert not found.troubled
    assert any("cannot fetch" in line for line in found.commands)
    assert hub.bodies(7) == []


def test_names_and_code_that_would_be_commands_or_markdown(origin, check, hub):
    evil = [
        "app/::warning::x.py",
        "app/##[error]x.py",
        "app/a\n::set-output name=report::x.py",
        "app/@octocat `x` <img src=x> [a](javascript:b) #1.py",
        "app/-->.py",
        "app/| a | b |.py",
    ]
    origin.replace("app/util.py", "def helper(value)", "def helper(value, other)")
    for number, path in enumerate(evil):
        origin.write(
            path, f"from app.util import helper\n\n@octocat\ndef f{number}(): helper(1)\n"
        )
    origin.commit("::error::@everyone")
    origin.checkout("main")
    for path in evil:
        origin.write(f"old/{path}", "from app.util import helper\n\nhelper(2)\n")
    origin.commit("::error::@everyone")
    found = check(annotations="true")
    assert "set-output" not in "".join(found.commands)
    assert set(found.steps["run"]) == {"report", "changed-symbols", "picture"}
    (body,) = hub.bodies(7)
    html = cmarkgfm.github_flavored_markdown_to_html(body)
    outside = re.sub(r"(?s)<(code|pre)\b.*?</\1>|<!--.*?-->|(?<= href)=\".*?\"", "", html)
    assert "octocat" in body
    assert "octocat" not in outside
    assert "evil" not in outside
    assert "<img" not in outside
    assert set(re.findall(r'href="(https?://[^/]+)', html)) <= {"https://github.example"}


def test_annotations_are_asked_for_and_point_at_lines(origin, check):
    origin.remove("app/util.py")
    origin.commit()
    assert not [line for line in check().commands if "file=" in line]
    (line,) = [line for line in check(annotations="true").commands if "file=" in line]
    said = "app/main.py:1 imports app.util, but app/util.py is gone"
    assert line == f"::warning file=app/main.py,line=1::{said}"


def test_an_annotation_names_the_definition_that_is_gone(origin, check):
    origin.replace("app/util.py", "def helper", "def renamed")
    origin.commit()
    (line,) = [line for line in check(annotations="true").commands if "file=" in line]
    said = "app/main.py:1 uses helper of app.util, but app/util.py no longer defines it"
    assert line == f"::warning file=app/main.py,line=1::{said}"


# ---------------------------------------------------------------- the cache


def spoilt(how, cache):
    """Spoil the one index of a cache."""
    folder = cache.folder / cache.saved[0]
    if how == "newer":
        for file in folder.rglob("*.view"):
            data = bytearray(file.read_bytes())
            data[8:12] = (99).to_bytes(4, "little")
            file.write_bytes(data)
    elif how == "flipped":
        for file in filter(Path.is_file, folder.rglob("*")):
            data = bytearray(file.read_bytes())
            for place in range(len(data) // 2, len(data), 97):
                data[place] ^= 0xFF
            file.write_bytes(data)
    elif how == "cut":
        for file in filter(Path.is_file, folder.rglob("*")):
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    elif how == "exchanged":
        for file in filter(Path.is_file, folder.rglob("*")):
            file.write_text('{"schema": 1, "markdown": "@everyone"}')
    else:
        shutil.rmtree(folder)
        folder.write_text("no folder")


@pytest.mark.parametrize("how", ["newer", "flipped", "cut", "exchanged"])
def test_a_cache_that_was_tampered_with_or_is_of_a_newer_version(origin, jobs, how, hub):
    origin.remove("app/util.py")
    origin.commit()
    pull = proposed(origin)
    without = Path(jobs.pull(pull).outputs["report"]).read_bytes()
    origin.checkout("main")
    jobs.push(origin)
    spoilt(how, jobs.cache)
    found = jobs.pull(pull)
    assert not found.troubled, found.log
    assert "Traceback" not in found.log
    assert Path(found.outputs["report"]).read_bytes() == without
    assert len(hub.bodies(7)) == 1


def test_a_cache_of_another_repository(origin, jobs, hub, tmp_path):
    other = RepoBuilder(tmp_path / "other")
    other.write("app/other.py", "def other(): return 1\n")
    other.commit()
    jobs.push(other)
    origin.remove("app/util.py")
    origin.commit()
    found = jobs.pull(proposed(origin))
    assert found.steps["restore"]["cache-hit"] == "false"
    assert "app/main.py:1" in hub.bodies(7)[0]


# ---------------------------------------------------------------- the artifact


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"schema": 1, "markdown": "@everyone"}', "\0" * 100, "::error::x\n##[error]y"],
)
def test_a_report_with_hostile_content_is_not_posted(jobs, origin, hub, tmp_path, text):
    origin.write("a.py", "A = 1\n")
    origin.commit()
    pull = proposed(origin)
    hub.open_pull(7, pull.head)
    file = tmp_path / "report.json"
    file.write_text(text)
    event = pulls.environment(pull, tmp_path, "workflow_run")
    (tmp_path / "empty").mkdir()
    found = jobs.run(tmp_path / "empty", event, inputs={"report": str(file)})
    assert not found.failed
    assert not found.troubled
    (line,) = found.commands
    assert line.startswith("::warning::report.json: ")
    assert hub.calls == []


@pytest.mark.parametrize("name", ["mode", "comment", "annotations", "cache"])
def test_an_input_that_is_none_is_said_by_the_step(origin, jobs, hub, name):
    found = jobs.pull(proposed(origin), **{name: "perhaps"})
    assert "wants" in found.log
    assert "perhaps" in found.log
    assert hub.bodies(7) == []


def test_outside_of_a_repository_nothing_is_done(jobs, tmp_path):
    (tmp_path / "empty").mkdir()
    found = jobs.run(tmp_path / "empty", {"GITHUB_EVENT_NAME": "push"})
    assert not found.failed
    assert found.ran == ["install", "plan"]
    assert any("not a git repository" in line for line in found.commands)
