"""Which commits are compared, in the clones that runners have."""

import shutil

import pytest

from gitsearch.ci import compared_commits
from gitsearch.ci.runner import read
from gitsearch.errors import BadRevision, GitFailed
from gitsearch.git.hunks import fresh_lines
from gitsearch.git.repo import open_repo
from gitsearch.git.tree_objects import diff_trees
from gitsearch.git.trees import absent_objects
from tests.builder import RepoBuilder
from tests.ci.pulls import checked_out, environment, proposed


@pytest.fixture(scope="module")
def template(tmp_path_factory, isolation):
    """Twenty commits on each side of where a branch has left main."""
    repo = RepoBuilder(tmp_path_factory.mktemp("origin") / "origin")
    repo.write("a.py", "def a():\n    return 1\n")
    repo.write("lib/d.py", "D = 1\n")
    repo.commit("start")
    repo.branch("feature")
    for number in range(20):
        repo.write("b.py", f"import a\nB = {number}\n")
        repo.commit(f"feature {number}")
    repo.checkout("main")
    for number in range(20):
        repo.write("c.py", f"C = {number}\n")
        repo.commit(f"main {number}")
    return repo


@pytest.fixture
def origin(template, tmp_path):
    path = tmp_path / "origin"
    shutil.copytree(template.path, path)
    return RepoBuilder.adopt(path, template.clock)


@pytest.fixture
def pull(origin):
    return proposed(origin)


def found(clone, pull, tmp_path, base=None):
    about = read(environment(pull, tmp_path)) if pull else read({})
    return compared_commits.find(open_repo(clone.path), about, base)


def changed(clone, found):
    return [change.path for change in diff_trees(open_repo(clone.path), *found)]


def test_a_merge_at_depth_1_is_compared_with_its_first_parent(origin, pull, tmp_path):
    clone = checked_out(origin, tmp_path / "clone", pull.merge)
    before = clone.git("count-objects", "-v").splitlines()[0]
    both = found(clone, pull, tmp_path)
    assert both == (pull.base, pull.merge)
    assert changed(clone, both) == [b"b.py"]
    # the commit and its tree; the files are those of the merge
    assert clone.git("rev-list", "--count", "HEAD") == "1"
    assert int(clone.git("count-objects", "-v").splitlines()[0].split()[1]) <= 2 + int(
        before.split()[1]
    )


@pytest.mark.parametrize("sparse", ["", "tests"])
@pytest.mark.parametrize("depth", [1, None])
@pytest.mark.parametrize("objects", ["blob:none", "tree:0"])
def test_a_partial_clone_gets_all_files_of_both_commits(
    origin, pull, tmp_path, objects, depth, sparse
):
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    clone = checked_out(
        *(origin, tmp_path / "clone", pull.merge, depth), objects=objects, sparse=sparse
    )
    opened = open_repo(clone.path)
    both = found(clone, pull, tmp_path)
    assert both == (pull.base, pull.merge)
    assert absent_objects(opened, *both) == set()
    assert fresh_lines(opened, *both) == {b"b.py": frozenset({1, 2})}
    clone.git("fsck", "--connectivity-only")


def test_files_that_cannot_be_fetched_are_one_line(origin, pull, tmp_path):
    origin.git("config", "uploadpack.allowFilter", "true")
    clone = checked_out(
        *(origin, tmp_path / "clone", pull.merge, None), objects="blob:none", sparse="tests"
    )
    clone.git("remote", "set-url", "origin", "file:///nowhere")
    with pytest.raises(BadRevision, match="cannot fetch the files that this partial clone lacks"):
        found(clone, pull, tmp_path)


def test_nothing_is_left_behind_by_a_fetch(origin, pull, tmp_path):
    clone = checked_out(origin, tmp_path / "clone", pull.merge)
    refs, config = clone.git("for-each-ref"), clone.file(".git/config").read_text()
    fetched = clone.file(".git/FETCH_HEAD").read_text()
    found(clone, pull, tmp_path)
    assert clone.git("for-each-ref") == refs
    assert clone.file(".git/config").read_text() == config
    assert clone.file(".git/FETCH_HEAD").read_text() == fetched


@pytest.mark.parametrize("depth", [18, None])
def test_no_history_is_cut_off(origin, pull, tmp_path, depth):
    clone = checked_out(origin, tmp_path / "clone", pull.head, depth)
    before = int(clone.git("rev-list", "--count", "HEAD"))
    assert found(clone, pull, tmp_path) == (origin.git("merge-base", "main", "feature"), pull.head)
    assert int(clone.git("rev-list", "--count", "HEAD")) >= before
    assert clone.git("rev-parse", "--is-shallow-repository") == "false" or depth


@pytest.mark.parametrize("depth", [2, None])
def test_a_deeper_checkout_needs_no_fetch(origin, pull, tmp_path, depth):
    clone = checked_out(origin, tmp_path / "clone", pull.merge, depth)
    clone.git("remote", "set-url", "origin", "file:///nowhere")
    assert found(clone, pull, tmp_path) == (pull.base, pull.merge)


@pytest.mark.parametrize("depth", [1, 5, None])
def test_the_branch_alone_is_compared_with_where_it_left_its_base(origin, pull, tmp_path, depth):
    clone = checked_out(origin, tmp_path / "clone", pull.head, depth)
    start = origin.git("merge-base", "main", "feature")
    both = found(clone, pull, tmp_path)
    assert both == (start, pull.head)
    assert changed(clone, both) == [b"b.py"]


def test_a_branch_that_ends_with_a_merge_is_not_taken_for_githubs_merge(origin, tmp_path):
    origin.checkout("feature")
    tip = origin.merge("main")
    origin.checkout("main")
    origin.write("d.py", "D = 1\n")
    origin.commit()
    pull = proposed(origin)
    clone = checked_out(origin, tmp_path / "clone", tip)
    both = found(clone, pull, tmp_path)
    assert both == (origin.git("merge-base", "main", "feature"), tip)
    assert changed(clone, both) == [b"b.py"]


def test_a_base_that_was_pushed_over_is_taken_as_it_is_now(origin, pull, tmp_path):
    clone = checked_out(origin, tmp_path / "clone", pull.head)
    origin.git("reset", "-q", "--hard", "HEAD~10")
    origin.write("e.py", "E = 1\n")
    origin.commit("instead")
    origin.git("update-ref", "-d", "refs/pull/7/merge")
    origin.git("reflog", "expire", "--expire=now", "--all")
    origin.git("gc", "-q", "--prune=now")
    assert origin.run("cat-file", "-e", pull.base, check=False).returncode
    start = origin.git("merge-base", "main", "feature")
    assert found(clone, pull, tmp_path) == (start, pull.head)


def test_a_head_that_was_pushed_over_is_still_what_is_checked_out(origin, pull, tmp_path):
    clone = checked_out(origin, tmp_path / "clone", pull.merge)
    origin.git("branch", "-q", "-f", "feature", "feature~9")
    proposed(origin)
    assert found(clone, pull, tmp_path) == (pull.base, pull.merge)


def test_a_base_that_cannot_be_had_is_one_line(origin, pull, tmp_path):
    clone = checked_out(origin, tmp_path / "clone", pull.merge)
    clone.git("remote", "set-url", "origin", "file:///nowhere")
    with pytest.raises(BadRevision, match=f"cannot fetch {pull.base[:12]}: .*nowhere") as error:
        found(clone, pull, tmp_path)
    assert error.value.hint == "set fetch-depth: 0 for actions/checkout"


def test_histories_without_a_common_commit_are_not_compared(origin, tmp_path):
    origin.git("checkout", "-q", "--orphan", "feature2")
    origin.commit("another beginning")
    origin.checkout("main")
    clone = checked_out(origin, tmp_path / "clone", origin.rev("feature2"))
    with pytest.raises(BadRevision, match="have no commit in common"):
        found(clone, None, tmp_path, base="main")


@pytest.mark.parametrize("depth", [1, None])
def test_a_base_is_given_as_a_branch_of_the_remote_or_as_an_id(origin, tmp_path, depth):
    clone = checked_out(origin, tmp_path / "clone", origin.rev("feature"), depth)
    start = origin.git("merge-base", "main", "feature")
    for base in ("main", origin.rev("main")):
        assert found(clone, None, tmp_path, base) == (start, origin.rev("feature"))


@pytest.mark.parametrize("base", ["nowhere", "0" * 40, "--output=stray", "a:b", "+main:main"])
def test_a_base_that_names_nothing_is_refused(origin, tmp_path, base):
    clone = checked_out(origin, tmp_path / "clone", origin.rev("feature"))
    refs = clone.git("for-each-ref")
    with pytest.raises(BadRevision):
        found(clone, None, tmp_path, base)
    assert clone.git("for-each-ref") == refs
    assert not list(tmp_path.rglob("stray"))


def test_without_a_pull_request_and_a_base_nothing_is_compared(origin, tmp_path):
    assert found(origin, None, tmp_path) is None


def test_before_the_first_commit_nothing_is_compared(tmp_path, repo):
    assert found(repo, None, tmp_path, "main") is None


def test_a_token_is_sent_to_the_server_only_and_only_where_it_must(origin, pull, tmp_path):
    about = read(
        {**environment(pull, tmp_path), "GITHUB_TOKEN": "t0k3n", "GITHUB_SERVER_URL": "https://h"}
    )
    clone = checked_out(origin, tmp_path / "clone", pull.merge)
    remote = compared_commits._remote(open_repo(clone.path), about)
    asked = remote._with_header()
    assert asked["GIT_CONFIG_KEY_0"] == "http.https://h/.extraHeader"
    assert "t0k3n" not in asked["GIT_CONFIG_VALUE_0"]
    clone.git("remote", "set-url", "origin", "file:///nowhere")
    with pytest.raises(GitFailed, match="nowhere") as error:
        remote.fetch([pull.base], 1)
    assert "t0k3n" not in f"{error.value.message} {error.value.hint}"
