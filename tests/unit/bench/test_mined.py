"""Cases that nobody has read: what people wrote, without the marks that only a log has."""

import pytest

from bench.cases.mined import cases
from tests.builder import RepoBuilder

BEFORE = "def wait(attempt):\n    return attempt\n"
AFTER = "def wait(attempt):\n    if attempt > 5:\n        raise ValueError\n    return attempt\n"
GUIDE = "# Guide\n\nThe delay before the next attempt is what `wait` returns.\n"


@pytest.fixture
def clone(tmp_path):
    repo = RepoBuilder(tmp_path / "owner+name")
    repo.write("src/wait.py", BEFORE)
    repo.write("guide.md", GUIDE)
    repo.write("CHANGES.md", "nothing yet\n")
    repo.commit("start")
    repo.write("src/wait.py", AFTER)
    repo.commit("give up after five attempts, fixes #17 (#18)")
    return tmp_path / "owner+name"


def test_a_commit_and_a_sentence_ask_for_what_they_are_about(clone):
    found = {case["kind"]: case for case in cases(clone, seed=0)}
    assert found["commit"]["query"] == "give up after five attempts,"
    assert found["documentation"]["query"] == "The delay before the next attempt is what returns."
    for case in found.values():
        assert case["repo"] == "owner/name"
        assert case["targets"] == [{"path": "src/wait.py", "start": 1, "end": 4}]
    # where the words stand, or are repeated, is no answer
    assert found["commit"]["hidden"] == ["CHANGES.md"]
    assert found["documentation"]["hidden"] == ["CHANGES.md", "guide.md"]
