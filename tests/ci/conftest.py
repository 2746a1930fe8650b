"""A GitHub for each test, and a run that asks it."""

from __future__ import annotations

import pytest

from gitsearch.ci.runner import read
from tests.ci.hub import TOKEN, Hub, serving


@pytest.fixture
def hub():
    """A GitHub with an open pull request; nothing that is asked of it may be against the rules."""
    with serving(Hub()) as found:
        found.open_pull(7, "a" * 40)
        yield found
    assert found.problems == []


@pytest.fixture
def environment(hub, tmp_path):
    """The environment of a job on a runner, without an event."""
    for name in ("output", "summary"):
        (tmp_path / name).touch()
    (tmp_path / "temp").mkdir()
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_API_URL": hub.url,
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_REPOSITORY": hub.repository,
        "GITHUB_RUN_ID": "4711",
        "GITHUB_SERVER_URL": "https://github.example",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_TOKEN": TOKEN,
        "RUNNER_TEMP": str(tmp_path / "temp"),
    }


@pytest.fixture
def about(environment):
    """What a run knows of itself."""
    return read(environment)
