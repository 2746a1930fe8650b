"""Each write, fsync and rename fails once, or for good, or ends the process: nothing is lost."""

from __future__ import annotations

import errno
import shutil
import signal

import pytest

from tests.builder import RepoBuilder
from tests.confinement import allows, read_only
from tests.corruption.tables import rows
from tests.forge import QUERIES, compiled_shim, forging
from tests.sample import CACHE, INVOICE, LEXER, RETRY, SESSION, UPLOAD

pytestmark = pytest.mark.long

KILLED = -1
# What a fault is: an errno or the end of the process, and whether all later calls fail, too.
FAULTS = {
    "the disk is full": (errno.ENOSPC, 0),
    "the disk stays full": (errno.ENOSPC, 1),
    "nothing can be written any more": (errno.EROFS, 1),
    "the process is killed": (KILLED, 0),
}
ONCE = ("the disk is full", "the process is killed")


# A kill may tear a write between two pages. DuckDB writes blocks of its metadata again in place,
# so that such a tear is damage: it is noticed, and made anew from git.
TORN = "Corrupt database file"


class Scene:
    """A repository with an index of HEAD~1 in which a blob is that no commit reaches any more."""

    def __init__(self, path, forge):
        self.forge = forge
        self.repo = repo = RepoBuilder(path / "small")
        for topic in (RETRY, CACHE, INVOICE, LEXER, SESSION):
            repo.write(f"service/{topic.names()['name']}.py", topic.render("python"))
        repo.symlink("latest", "service")
        repo.commit("base")
        repo.write("service/dropped.py", UPLOAD.render("python"))
        dropped = repo.commit("will be dropped")
        assert "error" not in forge.run("index", repo.path)
        repo.git("reset", "-q", "--hard", "HEAD~1")
        repo.append("service/retry_policy.py", "\n\ndef give_up_early():\n    return None\n")
        repo.commit("delta")
        assert "error" not in forge.run("index", repo.path)
        repo.write("service/upload.go", UPLOAD.render("go"))
        repo.append("service/retry_policy.py", "\n\ndef pause_before_again():\n    return 1\n")
        repo.commit("head")
        repo.git("reflog", "expire", "--expire=now", "--all")
        assert dropped not in repo.git("rev-list", "--all", "--reflog")
        self.index = repo.index_dir
        self.kept = path / "kept"
        shutil.copytree(self.index, self.kept)
        shutil.rmtree(self.index)
        self.right = self.answer()
        assert self.right["pending"] == 0
        shutil.rmtree(self.index)

    def reset(self, *, indexed=True):
        """The folder as it was before the run that fails."""
        shutil.rmtree(self.index, ignore_errors=True)
        if indexed:
            shutil.copytree(self.kept, self.index)

    def answer(self, **order):
        return self.forge.run("search", self.repo.path, **order)

    def run(self, verb, number, fault, **order):
        how = [fault[0], number, fault[1]]
        return self.forge.run(
            verb, self.repo.path, fault={"folder": str(self.index), "how": how}, **order
        )

    def assert_right(self, said, context):
        for key in ("digest", "tree", "coverage"):
            assert said.get(key) == self.right[key], (context, key, said)

    def assert_sound(self, context, *, verified):
        """A search is right at once; nothing was taken for damaged; the next run heals."""
        said = self.answer()
        self.assert_right(said, context)
        taken = [note for note in said["notes"] if "rebuilding" in note and TORN not in note]
        assert not taken, (context, said)
        assert said["warnings"] == [], (context, said)
        if verified:
            assert "error" not in self.forge.run("gc", self.repo.path), context
            assert self.forge.run("verify", self.repo.path)["problems"] == [], context
            self.assert_right(self.answer(), context)


def assert_refused(said, context):
    """A fault is said in one line, as what it is, or it did not matter."""
    assert said["end"] == 0, context
    assert said.get("error", ["unwritable"])[0] == "unwritable", (context, said)
    assert not [note for note in said["notes"] if "rebuilding" in note], (context, said)


@pytest.fixture(scope="module")
def code_graph(tmp_path_factory, isolation):
    folder = tmp_path_factory.mktemp("faults")
    with forging(preload=compiled_shim(folder)) as forge:
        yield Scene(folder, forge)


def every_call(code_graph, verb, fault, *, indexed, stride, **order):
    """Let each call of a run fail in turn; returns how many there are."""
    number, runs = 1, 0
    while True:
        code_graph.reset(indexed=indexed)
        context = (verb, fault, number)
        said = code_graph.run(verb, number, fault, **order)
        if said["end"] == 0 and said["calls"] < number:
            assert "error" not in said
            assert runs > 2, "no call was counted"
            return number
        if fault[0] == KILLED:
            assert said["end"] == -signal.SIGKILL, context
        else:
            assert_refused(said, context)
        code_graph.assert_sound(context, verified=runs % 5 == 0)
        number, runs = number + stride, runs + 1


@pytest.mark.parametrize("fault", ONCE)
def test_some_calls_of_an_update(code_graph, fault):
    every_call(code_graph, "index", FAULTS[fault], indexed=True, stride=13)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_call_of_an_update(code_graph, fault):
    assert (
        every_call(
            code_graph, "index", FAULTS[fault], indexed=True, stride=1 + 2 * FAULTS[fault][1]
        )
        > 20
    )


@pytest.mark.parametrize("fault", ONCE)
def test_every_call_of_an_update_in_small_steps(code_graph, fault):
    every_call(code_graph, "index", FAULTS[fault], indexed=True, stride=7, small_steps=True)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_call_of_a_first_index(code_graph, fault):
    every_call(code_graph, "index", FAULTS[fault], indexed=False, stride=5)


@pytest.mark.parametrize("fault", ONCE)
@pytest.mark.parametrize("verb", ["gc", "rebuild"])
def test_every_call_of_what_replaces_the_index(code_graph, verb, fault):
    every_call(code_graph, verb, FAULTS[fault], indexed=True, stride=3)


@pytest.mark.parametrize("indexed", [True, False])
def test_a_search_that_cannot_write_is_right(code_graph, indexed):
    for number in range(1, 60, 13):
        for error in (errno.ENOSPC, errno.EROFS):
            code_graph.reset(indexed=indexed)
            said = code_graph.run("search", number, (error, 1))
            context = ("search", error, number)
            assert_refused(said, context)
            assert "error" not in said, context
            code_graph.assert_right(said, context)
            assert len(said["warnings"]) <= len(QUERIES), context
            code_graph.assert_sound(context, verified=False)


# ---------------------------------------------------------------- without a compiler


@pytest.fixture(scope="module")
def plain_scene(tmp_path_factory, isolation):
    with forging() as forge:
        yield Scene(tmp_path_factory.mktemp("plain"), forge)


@pytest.mark.parametrize("verb", rows(["index", "gc", "rebuild"], 2))
@pytest.mark.parametrize("error", rows([errno.ENOSPC, KILLED], 1))
def test_every_operation_of_our_own(plain_scene, verb, error, request):
    code_graph, number, runs = plain_scene, 1, 0
    while True:
        code_graph.reset()
        said = code_graph.forge.run(verb, code_graph.repo.path, broken=[number, error])
        if said["end"] == 0 and said["calls"] < number:
            assert runs > 1
            return
        if error != KILLED:
            assert_refused(said, number)
        code_graph.assert_sound((verb, error, number), verified=runs % 5 == 0)
        number, runs = number + 4, runs + 1


# ---------------------------------------------------------------- for real


@pytest.mark.parametrize("verb", ["index", "gc"])
def test_a_read_only_file_system_changes_nothing(installed, code_graph, verb):
    code_graph.reset()
    before = {path: path.read_bytes() for path in code_graph.index.rglob("*") if path.is_file()}
    wrapper = read_only(code_graph.repo.git_dir)
    done = installed.run(verb, cwd=code_graph.repo.path, wrapper=wrapper)
    assert done.returncode == 128
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 2, done.stderr
    after = {path: path.read_bytes() for path in code_graph.index.rglob("*") if path.is_file()}
    assert after == before
    code_graph.assert_sound(verb, verified=True)


@pytest.mark.parametrize("blocks", rows([64, 0, 16, 256], 1))
@pytest.mark.parametrize("verb", ["index", "gc", "rebuild"])
def test_files_that_may_not_grow(installed, code_graph, verb, blocks):
    limited = ("sh", "-c", f'trap "" XFSZ; ulimit -f {blocks}; exec "$@"', "sh")
    if not allows(*limited):
        pytest.skip("this machine sets no limits")
    code_graph.reset()
    words = ["index", "--rebuild"] if verb == "rebuild" else [verb]
    done = installed.run(*words, cwd=code_graph.repo.path, wrapper=limited)
    assert done.returncode in (0, 128), done.stderr
    assert "Traceback" not in done.stderr
    assert "rebuilding" not in done.stderr
    code_graph.assert_sound((verb, blocks), verified=True)
