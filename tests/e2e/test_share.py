"""The installed program hands an index over: three clones, full disks, kills, two at once."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess

import pytest

from tests.builder import RepoBuilder
from tests.confinement import read_only, small
from tests.corruption.tables import rows
from tests.forge import compiled_shim, forging
from tests.sample import CACHE, INVOICE, LEXER, RETRY, UPLOAD

KILLS = 12

# Of the calls that may fail, each so many.
STRIDE = 8

QUERIES = ("pause before a failed request is sent again", "RetryPolicy", "max")


def one_line(done, code=128):
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


def document(installed, repo, *words):
    done = installed.run(*words, "--json", cwd=repo.path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def answers(installed, repo):
    return [
        installed.run("--json", "--refresh", "wait", *text.split(), cwd=repo.path).stdout
        for text in QUERIES
    ]


@pytest.fixture(scope="module")
def exported(sample_template, installed, tmp_path_factory):
    """A file with the index of the sample repository, and what was said of it."""
    repo = sample_template.clone(tmp_path_factory.mktemp("exported") / "first")
    file = repo.path.parent / "made.share"
    return file, document(installed, repo, "share", "export", str(file))


@pytest.fixture
def clone(sample_template, tmp_path):
    return sample_template.clone(tmp_path / "clone")


def test_an_imported_index_answers_like_one_that_was_made_here(installed, exported, clone, sample):
    file, made = exported
    taken = document(installed, clone, "share", "import", str(file))
    assert made["bytes"] == taken["bytes"] == file.stat().st_size
    assert [tree["tree"] for tree in made["trees"]] == taken["trees"] == [clone.rev("HEAD^{tree}")]
    counts = {name: taken[name] for name in ("blobs", "added", "known", "dropped", "refused")}
    blobs = made["blobs"]
    assert counts == {"blobs": blobs, "added": blobs, "known": 0, "dropped": 0, "refused": 0}
    assert taken["files_parsed"] == 0
    assert answers(installed, clone) == answers(installed, sample)


def test_an_index_goes_through_a_pipe(installed, exported, clone):
    file, made = exported

    def share(*words, **options):
        command = ["git", "search", "share", *words]
        env = installed.environment()
        done = subprocess.run(
            command, cwd=clone.path, env=env, capture_output=True, check=True, **options
        )
        return done.stdout

    taken = share("import", "--json", "-", input=file.read_bytes())
    assert json.loads(taken)["added"] == made["blobs"]
    assert share("export", "-") == file.read_bytes()


def test_words_that_do_not_fit_are_refused(program, clone):
    for words in (
        ["share"],
        ["share", "export"],
        ["share", "of", "text"],
        ["share", "import", "a", "b"],
        ["share", "import", "--at", "HEAD", "a"],
    ):
        one_line(program.run(*words, cwd=clone.path), 129)
    said = program.run("share", "export", "--json", "-", cwd=clone.path)
    assert said.returncode == 129
    assert json.loads(said.stdout)["error"]["code"] == "usage"


@pytest.mark.long
def test_where_nothing_can_be_written_one_line_says_so(installed, exported, clone):
    file, _ = exported
    wrapper = read_only(clone.git_dir)
    line = one_line(installed.run("share", "import", file, cwd=clone.path, wrapper=wrapper))
    assert "Read-only file system" in line
    assert not clone.index_dir.exists()
    wrapper = read_only(clone.path)
    assert installed.run("share", "import", file, cwd=clone.path).returncode == 0
    done = installed.run("share", "export", "made", cwd=clone.path, wrapper=wrapper)
    assert "cannot write 'made': Read-only file system" in one_line(done)
    # what is indexed can be read
    done = installed.run("share", "export", file.parent / "two", cwd=clone.path, wrapper=wrapper)
    assert done.returncode == 0, done.stderr
    assert (file.parent / "two").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("size", rows(["4k", "128k"], 1))
def test_a_full_disk_is_one_line(installed, exported, clone, size):
    file, _ = exported
    wrapper = small(clone.index_dir, size)
    line = one_line(installed.run("share", "import", file, cwd=clone.path, wrapper=wrapper))
    assert "cannot write" in line
    folder = clone.path / "full"
    folder.mkdir()
    wrapper = small(folder, "4k")
    done = installed.run("share", "export", "full/made", cwd=clone.path, wrapper=wrapper)
    assert "No space left" in one_line(done)


@pytest.mark.long
def test_two_imports_at_once_both_end_well(installed, exported, clone, sample):
    file, made = exported
    both = [installed.start("share", "import", "--json", str(file), cwd=clone.path) for _ in "ab"]
    said = []
    for process in both:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        said.append(json.loads(out))
    assert sum(one["added"] for one in said) == made["blobs"]
    assert all(one["added"] + one["known"] == made["blobs"] for one in said)
    assert answers(installed, clone) == answers(installed, sample)
    assert installed.run("verify", cwd=clone.path).returncode == 0


# ---------------------------------------------------------------- kills and faults


class Scene:
    """A repository of three commits, a file with the index of all, and the right answer."""

    def __init__(self, repo, forge, installed):
        self.repo, self.forge = repo, forge
        for topic in (RETRY, CACHE, INVOICE, LEXER):
            repo.write(f"service/{topic.names()['name']}.py", topic.render("python"))
        repo.commit("first")
        repo.write("service/upload.go", UPLOAD.render("go"))
        repo.remove(f"service/{LEXER.names()['name']}.py")
        repo.commit("second")
        repo.append("service/retry_policy.py", "\n\ndef give_up_early():\n    return None\n")
        repo.commit("third")
        self.file = repo.path.parent / "made.share"
        revs = [word for rev in ("HEAD", "HEAD~1", "HEAD~2") for word in ("--at", rev)]
        done = installed.run("share", "export", *revs, self.file, cwd=repo.path)
        assert done.returncode == 0, done.stderr
        self.right = {rev: self.answer(rev) for rev in ("HEAD", "HEAD~2")}
        shutil.rmtree(repo.index_dir)

    def answer(self, rev):
        said = self.forge.run("search", self.repo.path, at=rev)
        assert "error" not in said, said
        return said["digest"], said["coverage"]

    def run(self, **order):
        options = {"file": str(self.file), "small_steps": True, **order}
        return self.forge.run("import", self.repo.path, **options)

    def reset(self):
        shutil.rmtree(self.repo.index_dir, ignore_errors=True)

    def assert_right(self, context):
        """The index answers, an import completes it, and nothing is wrong with it."""
        assert self.answer("HEAD") == self.right["HEAD"], context
        said = self.run()
        assert "error" not in said, (context, said)
        counts = said["imported"]
        assert counts["added"] + counts["known"] == counts["blobs"], context
        for rev, right in self.right.items():
            assert self.answer(rev) == right, context
        assert self.forge.run("verify", self.repo.path)["problems"] == [], context


@pytest.fixture(scope="module")
def scene(isolation, installed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scene")
    with forging(preload=compiled_shim(folder)) as forge:
        yield Scene(RepoBuilder(folder / "repo"), forge, installed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_after_each_kill_the_index_is_sound(scene, seed):
    dice = random.Random(seed)
    killed = 0
    for number in range(100):
        if killed == KILLS:
            break
        scene.reset()
        delay = dice.uniform(0.02, 0.5)
        killed += scene.run(kill_after=delay)["end"] == -signal.SIGKILL
        scene.assert_right((seed, number, delay))
    assert killed == KILLS


@pytest.mark.long
@pytest.mark.parametrize("fault", [(28, 0), (28, 1), (30, 1), (-1, 0)])
def test_each_call_of_the_system_may_fail(scene, fault):
    scene.reset()
    error, stays = fault
    folder = str(scene.repo.index_dir)
    calls = scene.run(fault={"folder": folder, "how": [0, 0, 0]})["calls"]
    assert calls > 20
    for number in range(1 + fault[1], calls + 1, STRIDE):
        scene.reset()
        said = scene.run(fault={"folder": folder, "how": [error, number, stays]})
        if "error" in said:
            assert said["error"][0] in ("unwritable", "damaged"), (number, said)
        scene.assert_right((fault, number))
