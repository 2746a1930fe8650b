"""Refs, remotes and files that are named like options or escapes, or are as long as git allows."""

from __future__ import annotations

import os
import re
import shutil

import pytest

from gitsearch.ci.compared_commits import find
from gitsearch.ci.runner import read
from gitsearch.errors import BadRevision, NotARepository, SearchError, UsageError
from gitsearch.git import cochange, merge_bases, reachability
from gitsearch.git import repo as repository
from gitsearch.git.fetch import Remote
from gitsearch.git.repo import open_repo
from gitsearch.git.tree_objects import diff_trees
from gitsearch.git.trees import grep_tree, list_tree
from tests.builder import RepoBuilder
from tests.hostile.outcome import survived

pytestmark = pytest.mark.long

LIKE_OPTIONS = ("--all", "-h", "--output=pwned", "--help", "-x", "--upload-pack=touch${IFS}pwned")
ODD = (
    *LIKE_OPTIONS,
    "\x1b[31m" * 40,
    "x" * 200,
    "::error::x%0A",
    "`@octocat`<img/src=x>",
    "$(touch${IFS}pwned)",
    "\u202egpj.exe",
)


@pytest.fixture
def repo(tmp_path):
    made = RepoBuilder(tmp_path / "repo").having({"a.py": "def helper():\n    return 1\n"})
    made.append("a.py", "\n\ndef other():\n    return helper()\n")
    made.commit()
    return made


def untouched(repo):
    assert not list(repo.path.rglob("pwned*"))
    assert repo.git("status", "--porcelain", "--untracked-files=no") == ""


@pytest.mark.parametrize("name", LIKE_OPTIONS)
def test_a_ref_like_an_option_is_a_ref(installed, repo, name):
    full = f"refs/heads/{name}"
    packed = f"# pack-refs with: peeled fully-peeled sorted \n{repo.rev('HEAD~1')} {full}\n"
    (repo.path / ".git" / "packed-refs").write_text(packed)
    known = full in repo.git("for-each-ref", "--format=%(refname)").splitlines()
    assert known == (
        "$" in name or repo.run("check-ref-format", full, check=False).returncode == 0
    )
    for words in (
        ("helper", f"--at={name}"),
        ("impact", f"--diff={name}...HEAD"),
        ("impact", f"--diff={name}..HEAD"),
        ("dup", f"--changed={name}...HEAD"),
        ("report", f"--base={name}"),
        ("report", "--base=HEAD~1", f"--head={name}"),
        ("index", f"--at={full}"),
    ):
        done = survived(installed, *words, cwd=repo.path)
        assert "usage: git" not in done.stdout + done.stderr
    untouched(repo)


@pytest.mark.parametrize("name", ODD)
def test_nothing_of_a_name_steers_a_terminal(installed, repo, name):
    repo.write(f"dir/{name.replace('/', '_')}.py", "def third():\n    return 3\n")
    repo.commit()
    for words in (
        ("third", f"--at={name}"),
        (f"{name}"),
        ("report", f"--base={name}"),
        ("impact", name),
        ("map",),
        ("status", "--skipped"),
        ("conventions", f"dir/{name}.py"),
        ("third", "--json", f"--at={name}"),
    ):
        words = (words,) if isinstance(words, str) else words
        if words[0].startswith("-"):
            words = ("-e", *words)
        done = survived(installed, *words, cwd=repo.path)
        for said in (done.stdout, done.stderr):
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", said), said
        assert len(done.stderr) < 4000
    untouched(repo)


def test_what_is_no_id_does_not_reach_git_as_an_option(repo):
    opened = open_repo(repo.path)
    head = repository.head(opened)
    assert head is not None
    option = "--output=pwned"
    for asked in (
        lambda: diff_trees(opened, option, head.tree),
        lambda: diff_trees(opened, head.tree, option),
        lambda: list_tree(opened, option),
        lambda: grep_tree(opened, option, "x"),
        lambda: merge_bases.parting(opened, option, head.tree),
        lambda: merge_bases.parents(opened, option),
        lambda: cochange.read_history(opened, option),
        lambda: Remote(opened).fetch([option]),
        lambda: Remote(opened).fetch(["+refs/heads/main:refs/heads/other"]),
    ):
        with pytest.raises(SearchError):
            asked()
    untouched(repo)


def test_a_view_that_is_named_like_an_option_is_no_option(installed, repo):
    survived(installed, "index", "-q", cwd=repo.path, codes={0})
    (view,) = (repo.index_dir / "views").glob("*.view")
    shutil.copy(view, view.with_name(f"--output=pwned{view.name[view.name.index('-') :]}"))
    repo.append("a.py", "\n\ndef third():\n    return 3\n")
    repo.commit()
    done = survived(installed, "third", cwd=repo.path, codes={0})
    assert "third" in done.stdout
    untouched(repo)


def test_a_worktree_whose_path_holds_a_line_feed_names_no_revision(repo, tmp_path):
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "one"))
    place = repo.path / ".git" / "worktrees" / "one" / "gitdir"
    place.write_text(f"{tmp_path}/x\nHEAD --output=pwned\n/.git\n")
    opened = open_repo(repo.path)
    assert reachability.reachable_blobs(opened) >= reachability.present_blobs(opened)
    assert reachability.worktree_trees(opened) == [repo.rev("HEAD^{tree}")]
    untouched(repo)


def test_a_hint_can_be_typed_as_it_stands(repo, tmp_path):
    clone = repo.clone(tmp_path / "clone", "--depth=1")
    opened = open_repo(clone.path)
    error = BadRevision("absent")
    for name, shown in (
        ("main", "`git fetch --depth=1 origin main` fetches it"),
        (
            "--upload-pack=x",
            "`git fetch --depth=1 --end-of-options origin --upload-pack=x` fetches it",
        ),
        ("$(id)", "`git fetch --depth=1 origin '$(id)'` fetches it"),
    ):
        assert merge_bases.absent(opened, name, error).hint == shown


def test_a_branch_of_another_name_is_not_taken_for_the_one_that_was_asked_for(repo, tmp_path):
    repo.git("branch", "old/refs/heads/wanted")
    clone = repo.clone(tmp_path / "clone")
    remote = Remote(open_repo(clone.path))
    for name in ("wanted", "*", "m*", "mai?", "-h", "refs/heads/main"):
        assert remote.tip(name) == ""
    assert remote.tip("main") == repo.rev("main")


@pytest.mark.parametrize("rev", ["--all", "--upload-pack=touch pwned", "*", "+main:other", "x\ny"])
def test_a_base_that_is_no_revision_is_refused(repo, tmp_path, rev):
    clone = repo.clone(tmp_path / "clone", "--depth=1")
    with pytest.raises(BadRevision):
        find(open_repo(clone.path), read({}), rev)
    assert clone.git("for-each-ref", "refs/heads") != ""
    untouched(clone)


@pytest.mark.parametrize("count", ["9" * 5000, "x", "-1", "1e3", "\u0663"])
def test_a_count_of_settings_that_is_none_is_one_line(monkeypatch, repo, count):
    remote = Remote(open_repo(repo.path), "https://github.example", "AUTHORIZATION: x")
    monkeypatch.setenv("GIT_CONFIG_COUNT", count)
    with pytest.raises(UsageError, match="GIT_CONFIG_COUNT") as refused:
        remote._with_header()
    assert len(refused.value.message) < 200


@pytest.mark.parametrize("name", ["info/attributes", "info/exclude"])
def test_what_git_would_wait_for_for_ever_is_refused(installed, repo, name):
    place = repo.path / ".git" / name
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(os.devnull)
    assert open_repo(repo.path).top == repo.path
    place.unlink()
    os.mkfifo(place)
    with pytest.raises(NotARepository, match="not a regular file"):
        open_repo(repo.path)
    survived(installed, "helper", cwd=repo.path, codes={128}, timeout=20)
