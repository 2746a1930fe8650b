"""Every layout of a repository that git knows is searched, and none disturbs another."""

import json
import shutil
import subprocess
import time

import pytest

from tests.builder import RepoBuilder
from tests.comparing import (
    EDITED,
    asked,
    assert_as_committed,
    assert_as_fresh,
    build_small,
    copied,
    differences,
    edit,
)
from tests.unit.commands.asked import Aside

pytestmark = pytest.mark.long

# Says that somebody fetches, and lets them.
UPLOAD_PACK = """\
#!/bin/sh
echo fetched >>"$0.said"
exec git-upload-pack "$@"
"""


@pytest.fixture(scope="module")
def template(isolation, tmp_path_factory):
    """A small repository without an index; never to be changed."""
    return build_small(tmp_path_factory.mktemp("small") / "small")


@pytest.fixture(scope="module")
def right(installed, template):
    return asked(installed, copied(template))


def files_of(folder):
    """Every file below a folder with its time, to see whether any changed."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


# ---------------------------------------------------------------- one repository, many layouts


def sparse(small, path):
    clone = small.clone(path, "--sparse")
    clone.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs")
    assert not clone.file(EDITED).exists()
    return clone


def split(small, path):
    clone = small.clone(path)
    clone.git("update-index", "--split-index")
    return clone


def packed(small, path):
    clone = small.clone(path)
    clone.git("pack-refs", "--all")
    clone.git("repack", "-q", "-a", "-d", "--write-midx", "--write-bitmap-index")
    clone.git("commit-graph", "write", "--reachable")
    clone.git("update-index", "--index-version", "4")
    return clone


def linked_to_a_bare_one(small, path):
    bare = small.clone(path.with_suffix(".git"), "--bare")
    bare.git("worktree", "add", "-q", str(path), "main")
    return RepoBuilder.adopt(path, small.clock)


def with_settings_of_its_own(small, path):
    clone = linked_to_a_bare_one(small, path)
    bare = RepoBuilder.adopt(path.with_suffix(".git"), small.clock)
    bare.git("config", "extensions.worktreeConfig", "true")
    bare.git("config", "--worktree", "core.bare", "true")
    bare.git("config", "--file", "config", "--unset", "core.bare")
    clone.git("config", "--worktree", "core.autocrlf", "false")
    return clone


def borrowed(small, path):
    clone = small.clone(path, "--shared", of=str(small.path))
    assert (clone.git_dir / "objects" / "info" / "alternates").exists()
    return clone


def reached_by_a_link(small, path):
    path.symlink_to(small.path, target_is_directory=True)
    return RepoBuilder.adopt(path, small.clock)


def of_new_refs(small, path):
    clone = RepoBuilder.adopt(path, small.clock)
    done = small.run(
        "clone", "-q", "--ref-format=reftable", str(small.path), str(path), check=False
    )
    if done.returncode:
        pytest.skip("this git knows no reftable")
    return clone


LAYOUTS = {
    "bare": lambda small, path: small.clone(path, "--bare"),
    "nothing checked out": lambda small, path: small.clone(path, "--no-checkout"),
    "sparse index": sparse,
    "worktree of a bare repository": linked_to_a_bare_one,
    "reftable": of_new_refs,
}
RARER = {
    "borrowed objects": borrowed,
    "separate git directory": lambda small, path: small.clone(
        path, f"--separate-git-dir={path}.git"
    ),
    "shallow": lambda small, path: small.clone(path, "--depth=1"),
    "split index": split,
    "packed in every way": packed,
    "worktree with settings of its own": with_settings_of_its_own,
    "symbolic link": reached_by_a_link,
}


@pytest.mark.parametrize(
    "name", [*LAYOUTS, *(pytest.param(name, marks=pytest.mark.long) for name in RARER)]
)
def test_a_layout_answers_as_any_other_and_goes_on_to_do_so(
    installed, small, right, tmp_path, name
):
    repo = {**LAYOUTS, **RARER}[name](small, tmp_path / "layout")
    assert differences(asked(installed, repo), right) == []
    assert repo.index_dir.is_dir()
    if name in ("bare", "nothing checked out"):
        repo.git("fetch", "-q", "origin" if name == "bare" else str(small.path), "side")
        repo.git("update-ref", "HEAD", "FETCH_HEAD")
    elif name == "sparse index":
        repo.append("docs/retry-policy.md", "\nTo compute_delay is to pause.\n")
    else:
        edit(repo)
        repo.commit()
        edit(repo, "careful")
    found = asked(installed, repo)
    assert differences(found, right)
    with Aside(repo):
        assert differences(found, asked(installed, repo)) == []


def paths(answers):
    return {one["path"] for one in answers[1]["results"]}


def placed(answers):
    return [
        [(one["path"], one["start"], one["score"], one["explain"]) for one in each["results"]]
        for each in answers
    ]


def test_a_repository_of_sha256_is_like_any_other(installed, right, tmp_path):
    repo = build_small(tmp_path / "small", object_format="sha256")
    found = asked(installed, repo)
    assert {len(one["blob"]) for one in found[0]["results"]} == {64}
    assert placed(found) == placed(right)
    edit(repo)
    repo.write("service/windows.py", "def compute_delay():\r\n    return 1\r\n")
    repo.write(".gitattributes", "*.py text\npart/** -search\n")
    repo.git("add", "-N", "service/windows.py", ".gitattributes")
    assert_as_committed(installed, repo, ("-A",))
    repo.commit()
    other = repo.worktree(tmp_path / "other", "side")
    edit(other)
    found = assert_as_fresh(installed, repo)
    assert EDITED in paths(asked(installed, other))
    assert installed.run("gc", cwd=repo.path).returncode == 0
    assert installed.run("verify", cwd=repo.path).returncode == 0
    assert differences(asked(installed, repo), found) == []


def test_a_working_tree_with_its_git_directory_elsewhere(installed, small, right, tmp_path):
    bare, home = small.clone(tmp_path / "dot.git", "--bare"), tmp_path / "dotfiles"
    home.mkdir()
    place = ("--git-dir", str(bare.path), "--work-tree", str(home))
    bare.git(*place, "checkout", "-q", "-f", "main")
    (home / EDITED).write_text("def compute_delay():\n    return 'from home'\n", encoding="utf-8")

    def results(folder, *where, query="compute_delay"):
        done = subprocess.run(
            ["git", *where, "search", "--json", "--explain", "-k", "20", query],
            cwd=folder,
            env=installed.environment(),
            capture_output=True,
            check=True,
        )
        return json.loads(done.stdout)

    found = results(home, *place)
    assert found["tree"]["dirty"] == 1
    assert any("from home" in one["text"] for one in found["results"])
    # from within a folder, by relative names
    near = ("--git-dir=../../dot.git", "--work-tree=..")
    assert results(home / "service", *near) == found
    bare.git(*place, "checkout", "-q", "-f", "main")
    assert results(home, *place)["results"] == right[1]["results"]
    # what is started in the background finds it as well
    shutil.rmtree(bare.path / "search")
    installed.run(
        *("--refresh", "background", "-q", "pause"),
        cwd=home / "service",
        env={"GIT_DIR": "../../dot.git", "GIT_WORK_TREE": ".."},
    )
    until = time.monotonic() + 60
    while not list((bare.path / "search").glob("views/*.view")):
        assert time.monotonic() < until, "nothing was finished in the background"
        time.sleep(0.1)


# ---------------------------------------------------------------- worktrees share


def test_worktrees_share_one_index_in_the_common_folder(installed, small, right, tmp_path):
    other = small.worktree(tmp_path / "other", "side")
    asked(installed, other)
    assert other.index_dir == small.git_dir / "search"
    assert not (other.git_dir / "search").exists()
    report = installed.run("index", "--json", cwd=small.path)
    # only what the branches do not share
    assert json.loads(report.stdout)["files_parsed"] == 4
    assert differences(asked(installed, small), right) == []
    third = small.worktree(tmp_path / "third", "main")
    before = files_of(small.index_dir)
    assert differences(asked(installed, third), right) == []
    assert files_of(small.index_dir) == before
    # a worktree that is gone takes nothing with it
    small.git("worktree", "remove", "--force", str(other.path))
    assert installed.run("gc", cwd=third.path).returncode == 0
    assert differences(asked(installed, small), right) == []


# ---------------------------------------------------------------- submodules


@pytest.fixture
def nested(small, tmp_path):
    """A repository with a submodule that has one in turn."""
    inner, outer = RepoBuilder(tmp_path / "inner"), RepoBuilder(tmp_path / "outer")
    inner.write("innermost.py", "def compute_innermost_delay():\n    return 'request'\n")
    inner.commit()
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
    small.git(*add, str(inner.path), "extern/inner")
    small.commit()
    outer.write("outermost.py", "def compute_outermost_delay():\n    return 'request'\n")
    outer.git(*add, str(small.path), "lib/small")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init",
              "--recursive")  # fmt: skip
    outer.commit()
    return outer


def test_each_submodule_has_an_index_of_its_own(installed, nested):
    middle = RepoBuilder.adopt(nested.path / "lib" / "small", nested.clock)
    inner = RepoBuilder.adopt(middle.path / "extern" / "inner", nested.clock)
    assert paths(asked(installed, inner)) == {"innermost.py"}
    assert EDITED in paths(asked(installed, middle))
    before = asked(installed, nested)
    assert paths(before) == {"outermost.py", ".gitmodules"}
    assert before[0]["coverage"]["skipped"]["submodule"] == 1
    modules = nested.git_dir / "modules" / "lib" / "small"
    assert nested.index_dir == nested.git_dir / "search"
    assert middle.index_dir == modules / "search"
    assert inner.index_dir == modules / "modules" / "extern" / "inner" / "search"
    # what changes in one changes the answers of that one
    own = files_of(nested.index_dir)
    edit(middle)
    found = asked(installed, middle)
    with Aside(middle):
        assert differences(found, asked(installed, middle)) == []
    middle.commit()
    assert differences(asked(installed, nested), before) == []
    assert files_of(nested.index_dir) == own


# ---------------------------------------------------------------- clones that share objects


def test_clones_that_share_objects_do_not_disturb_each_other(installed, small, right, tmp_path):
    borrower = small.clone(tmp_path / "borrower", "--shared", of=str(small.path))
    asked(installed, small)
    names, lent = sorted(small.git_dir.rglob("*")), files_of(small.index_dir)
    assert differences(asked(installed, borrower), right) == []
    edit(borrower)
    borrower.commit()
    found = asked(installed, borrower)
    assert installed.run("gc", cwd=borrower.path).returncode == 0
    assert sorted(small.git_dir.rglob("*")) == names
    assert files_of(small.index_dir) == lent
    # what only the borrower has is nothing to the lender, and the other way round
    own = files_of(borrower.index_dir)
    edit(small, "careful")
    small.commit()
    assert_as_fresh(installed, small)
    small.git("gc", "-q")
    assert installed.run("gc", cwd=small.path).returncode == 0
    assert differences(asked(installed, borrower), found) == []
    assert files_of(borrower.index_dir) == own


# ---------------------------------------------------------------- partial clones


class Counted:
    """A clone whose every fetch leaves a line."""

    def __init__(self, repo, folder):
        self.repo = repo
        program = folder / "upload-pack"
        program.write_text(UPLOAD_PACK, encoding="utf-8")
        program.chmod(0o755)
        self._said = folder / "upload-pack.said"
        repo.git("config", "remote.origin.uploadpack", str(program))

    @property
    def fetches(self):
        return self._said.read_text().count("\n") if self._said.exists() else 0


# What reads objects in ways of its own; none may need one that is not there.
WORDS = (
    "--grep delay --at HEAD pause",
    "--untracked -W pause",
    "--cached --grep delay pause",
    "pause -- *.py",
    "outline service/retry_policy.py",
    "exists delay pause",
    "index --rebuild",
    "status",
    "gc",
)


def assert_all_work(installed, repo, *words):
    for line in (*WORDS, *words):
        done = installed.run(*line.split(), cwd=repo.path)
        assert done.returncode == 0, (line, done.stderr)


def test_a_partial_clone_is_searched_as_far_as_its_objects_go(installed, small, right, tmp_path):
    counted = Counted(small.clone(tmp_path / "partial", "--filter=blob:none"), tmp_path)
    clone = counted.repo
    assert differences(asked(installed, clone), right) == []
    # nobody has asked yet for four of the files of the branch
    for _ in range(2):
        found = asked(installed, clone, "--at", "origin/side")
        covered = found[0]["coverage"]
        assert covered["skipped"]["absent"] == 4
        assert covered["tracked"] == covered["searchable"] + 4
        assert found[0]["warnings"] == [f"4 of {covered['tracked']} files are not in this clone"]
        assert EDITED not in paths(found)
    said = installed.run("--at", "origin/side", "pause", cwd=clone.path).stderr
    assert "files are not in this clone" in said
    edit(clone)
    clone.git("add", "-u")
    edit(clone, "careful")
    clone.git("config", "core.autocrlf", "true")
    assert_all_work(installed, clone, "--at origin/side --grep step step_1")
    assert counted.fetches == 0
    # the user may fetch, and then all is there
    clone.git("reset", "-q", "--hard")
    clone.git("checkout", "-q", "side")
    assert counted.fetches > 0
    assert_as_fresh(installed, clone)


def test_a_clone_without_trees_says_what_it_lacks(installed, small, right, tmp_path):
    counted = Counted(small.clone(tmp_path / "treeless", "--filter=tree:0"), tmp_path)
    clone = counted.repo
    assert differences(asked(installed, clone), right) == []
    assert_all_work(installed, clone)
    done = installed.run("--at", "origin/side", "pause", cwd=clone.path)
    assert (done.returncode, done.stdout) == (128, "")
    assert "this partial clone lacks the tree of 'origin/side'" in done.stderr
    assert counted.fetches == 0
    clone.git("checkout", "-q", "side")
    assert counted.fetches > 0
    assert_as_fresh(installed, clone)


def test_a_clone_without_trees_and_files_has_nothing_to_search(installed, small, tmp_path):
    for number, (kind, code) in enumerate({"blob:none": 1, "tree:1": 128, "tree:0": 128}.items()):
        (tmp_path / str(number)).mkdir()
        counted = Counted(
            small.clone(tmp_path / str(number) / "c", f"--filter={kind}", "--no-checkout"),
            tmp_path / str(number),
        )
        done = installed.run("pause", cwd=counted.repo.path)
        assert (done.returncode, done.stdout) == (code, "")
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert counted.fetches == 0
