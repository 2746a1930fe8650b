"""Writers that are killed at random moments, some hundreds of them: each answer is right."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time

import pytest

from tests.builder import RepoBuilder
from tests.forge import forging

pytestmark = pytest.mark.long

ROUNDS = 5
KILLS = 40
# Seconds after which a run is killed at the latest; longer ones lose most of it when repeated.
LATEST = {"index": 0.35, "rebuild": 0.6, "gc": 0.2}
WEIGHTS = (8, 1, 1)


@pytest.fixture(scope="module")
def forge(isolation):
    with forging() as forge:
        yield forge


@pytest.fixture(scope="module")
def history(sample_template, forge, tmp_path_factory):
    """All commits of a repository, and the right answer for the tree of each."""
    path = tmp_path_factory.mktemp("kills") / "sample"
    shutil.copytree(sample_template.path, path, symlinks=True)
    repo = RepoBuilder.adopt(path, sample_template.clock)
    repo.git("gc", "-q")
    commits = repo.git("rev-list", "--all").split()
    right = {commit: answer(forge, repo, commit) for commit in commits}
    assert len(right) >= 25
    assert len({one["digest"] for one in right.values()}) > 10
    shutil.rmtree(repo.index_dir)
    return repo, right


def answer(forge, repo, commit):
    said = forge.run("search", repo.path, at=commit)
    assert "error" not in said, said
    return {key: said[key] for key in ("digest", "tree", "coverage")}


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_after_each_kill_an_answer_is_right(history, forge, tmp_path, seed):
    template, right = history
    path = tmp_path / "sample"
    shutil.copytree(template.path, path, symlinks=True)
    repo = RepoBuilder.adopt(path, template.clock)
    dice = random.Random(seed)
    commits = sorted(right)
    dice.shuffle(commits)
    killed = 0
    for number in range(10 * KILLS):
        if killed == KILLS:
            break
        commit = commits[number % len(commits)]
        verb = dice.choices(list(LATEST), WEIGHTS)[0]
        delay = dice.uniform(0.02, LATEST[verb])
        order = {"at": commit, "kill_after": delay, "small_steps": dice.random() < 0.5}
        said = forge.run(verb, repo.path, **order)
        killed += said["end"] == -signal.SIGKILL
        context = (seed, number, verb, round(delay, 3))
        said = forge.run("search", repo.path, at=commit)
        # a first writer may not have come to sealing what it wrote
        assert all(note.startswith("seal: missing") for note in said["notes"]), (context, said)
        assert "error" not in said, (context, said)
        assert {key: said[key] for key in right[commit]} == right[commit], context
        if number % len(commits) == len(commits) - 1:
            shutil.rmtree(repo.index_dir)
    assert killed == KILLS
    for verb in ("index", "gc"):
        assert "error" not in forge.run(verb, repo.path)
    assert forge.run("verify", repo.path)["problems"] == []
    for commit in commits[:5]:
        assert answer(forge, repo, commit) == right[commit]


def hits(installed, repo, *words):
    return installed.answer("-k", "20", "RetryPolicy", *words, cwd=repo.path)


def test_the_program_itself_is_killed(installed, sample):
    dice = random.Random(99)
    whole = sample.clone(sample.path.with_name("whole"))
    for number in range(12):
        sample.append("service/retry_policy.py", f"\nKILLED_{number} = RetryPolicy\n")
        sample.commit()
        if number == 6:
            shutil.rmtree(sample.index_dir)
        words = ("hooks", "run", "--wait") if number % 2 else ("index",)
        process = installed.start(*words, cwd=sample.path)
        time.sleep(dice.uniform(0.1, 0.9))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        said = hits(installed, sample)
        whole.git("fetch", "-q", "origin", "main")
        whole.git("reset", "-q", "--hard", "FETCH_HEAD")
        assert said["tree"] == hits(installed, whole)["tree"] | {"rev": said["tree"]["rev"]}
        assert said["coverage"]["pending"] == 0
        assert said["results"] == hits(installed, whole)["results"]
    assert installed.run("index", cwd=sample.path).returncode == 0
    done = installed.run("verify", cwd=sample.path)
    assert done.returncode == 0, done.stdout
