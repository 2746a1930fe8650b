"""Which steps are for which event, and what the cache is called."""

import pytest

from gitsearch.ci.plan import key_of, plan
from gitsearch.ci.runner import Steps, read
from gitsearch.index.session import Session
from tests.ci.composite import outputs
from tests.ci.pulls import PullRequest, environment


@pytest.fixture
def planned(repo, tmp_path):
    repo.write("a.py", "A = 1\n")
    repo.commit()

    def run(mode, event, *, cache=True):
        pull = PullRequest(repo, "b" * 40, "a" * 40, repo.rev())
        name = event if event == "workflow_run" else "pull_request"
        output = tmp_path / "output"
        output.write_text("")
        names = environment(pull, tmp_path, name)
        about = read(
            {**names, "GITHUB_EVENT_NAME": event, "GITHUB_REF": "refs/heads/main"}
            | {"GITHUB_OUTPUT": str(output)}
        )
        plan(Session(repo.path), mode, about, Steps(about), cache=cache)
        return dict(outputs(output.read_text()))

    return run


@pytest.mark.parametrize(
    ("mode", "event", "steps"),
    [
        ("auto", "pull_request", "run restore comment"),
        ("auto", "push", "run restore save"),
        ("auto", "schedule", "run restore save"),
        ("auto", "workflow_run", "comment"),
        ("auto", "pull_request_target", "run restore"),
        ("report", "pull_request", "run restore"),
        ("report", "push", "run restore save"),
        ("comment", "pull_request", "comment"),
        ("comment", "workflow_run", "comment"),
    ],
)
def test_each_event_has_its_steps(planned, mode, event, steps):
    found = planned(mode, event)
    flags = {name: value for name, value in found.items() if value in ("true", "false")}
    assert {name for name, value in flags.items() if value == "true"} == set(steps.split())
    assert set(flags) == {"run", "restore", "save", "comment"}
    assert ("key" in found) == ("run" in steps)


def test_without_a_cache_nothing_is_restored_or_saved(planned):
    found = planned("auto", "push", cache=False)
    assert (found["restore"], found["save"], found["run"]) == ("false", "false", "true")


def test_a_key_says_versions_model_recipe_and_tree(repo):
    repo.write("a.py", "A = 1\n")
    repo.commit()
    one = key_of(Session(repo.path))
    assert one.folder == ".git/search"
    assert one.key == one.prefix + repo.rev("HEAD^{tree}")
    repo.write("a.py", "A = 2\n")
    repo.commit()
    repo.revert()
    assert key_of(Session(repo.path)) == one
    repo.git("config", "search.maxFileSize", "2m")
    assert key_of(Session(repo.path)).prefix != one.prefix


def test_a_key_is_fit_for_the_cache(repo):
    key = key_of(Session(repo.path)).key
    assert len(key) < 512
    assert "," not in key
    assert key.isascii()
