"""Attributes are those of the tree that is asked about, whatever is checked out."""

import pytest

from gitsearch.git.attributes import attributes
from gitsearch.git.repo import Repo, open_repo
from gitsearch.git.trees import list_index, list_tree

NAMES = [
    "search",
    "linguist-generated",
    "linguist-vendored",
    "linguist-documentation",
    "binary",
    "diff",
]


def found(builder, rev="HEAD", folder=""):
    opened = open_repo(builder.file(folder))
    return attributes(opened, list_tree(opened, builder.rev(f"{rev}^{{tree}}")))


def test_all_that_we_ask_for(repo):
    for path in ("gen", "vendored", "doc", "bin", "hidden", "shown", "perl", "plain", "no-diff"):
        repo.write(path, "x\n")
    repo.write(
        ".gitattributes",
        "gen linguist-generated text eol=lf\n"
        "vendored linguist-vendored=true\n"
        "doc -linguist-documentation\n"
        "bin binary\n"
        "hidden -search\n"
        "shown search\n"
        "perl diff=perl\n"
        "no-diff -diff\n"
        "plain text=auto whitespace=trailing-space\n",
    )
    repo.commit()
    assert found(repo) == {
        b"gen": {"linguist-generated": "set"},
        b"vendored": {"linguist-vendored": "true"},
        b"doc": {"linguist-documentation": "unset"},
        b"bin": {"binary": "set", "diff": "unset"},
        b"hidden": {"search": "unset"},
        b"shown": {"search": "set"},
        b"perl": {"diff": "perl"},
        b"no-diff": {"diff": "unset"},
    }


def test_folders_and_macros(repo):
    for path in ("a/x", "a/b/x", "c/x", "x"):
        repo.write(path, "x\n")
    repo.write(".gitattributes", "[attr]made linguist-generated -search\nx made\n")
    repo.write("a/.gitattributes", "x !search\n")
    repo.write("a/b/.gitattributes", "x search=on\n")
    repo.write("c/.gitattributes", "x !made -linguist-generated\n")
    repo.commit()
    assert found(repo) == {
        b"x": {"linguist-generated": "set", "search": "unset"},
        b"a/x": {"linguist-generated": "set"},
        b"a/b/x": {"linguist-generated": "set", "search": "on"},
        b"c/x": {"linguist-generated": "unset"},
    }


def test_each_tree_has_its_own(repo):
    repo.write("a", "a\n")
    repo.commit()
    repo.write(".gitattributes", "a linguist-generated\n")
    repo.commit()
    repo.write(".gitattributes", "a linguist-vendored\n")
    repo.commit()
    repo.write(".gitattributes", "a -search\n")
    repo.git("add", ".gitattributes")
    repo.write(".gitattributes", "a binary\n")
    opened = open_repo(repo.path)
    assert found(repo, "HEAD~2") == {}
    assert found(repo, "HEAD~1") == {b"a": {"linguist-generated": "set"}}
    assert found(repo, "HEAD") == {b"a": {"linguist-vendored": "set"}}
    assert attributes(opened, list_index(opened)) == {b"a": {"search": "unset"}}


@pytest.mark.parametrize("folder", ["", "sub", ".git"])
def test_from_every_folder(repo, folder):
    repo.write("sub/a", "a\n")
    repo.write(".gitattributes", "a -search\n")
    repo.commit()
    assert found(repo, folder=folder) == {b"sub/a": {"search": "unset"}}


def test_bare(repo, tmp_path):
    repo.write("sub/a", "a\n")
    repo.write("sub/.gitattributes", "a -search\n")
    repo.commit()
    bare = repo.clone(tmp_path / "bare", "--bare")
    assert found(bare) == {b"sub/a": {"search": "unset"}}


def test_odd_paths(repo):
    paths = [b"new\nline", b'quo"te', b"not-utf8-\xff", b"tab\t"]
    for path in paths:
        repo.write(path, "x\n")
    repo.write(".gitattributes", "* -search\n.gitattributes !search\n")
    repo.commit()
    assert found(repo) == {path: {"search": "unset"} for path in paths}


def test_the_persons_own_attributes_have_no_say(repo, tmp_path, monkeypatch):
    repo.write("a", "a\n")
    repo.write("b", "b\n")
    repo.write(".gitattributes", "b -search\n")
    repo.commit()
    own = tmp_path / "attributes"
    own.write_text("a binary\n")
    repo.git("config", "core.attributesFile", str(own))
    monkeypatch.setenv("GIT_ATTR_SOURCE", "HEAD~1")
    assert found(repo) == {b"b": {"search": "unset"}}


def test_the_repositorys_own_attributes_have(repo, tmp_path):
    repo.write("a", "a\n")
    repo.commit()
    repo.write(".git/info/attributes", "a -search\n")
    assert found(repo) == {b"a": {"search": "unset"}}
    linked = repo.worktree(tmp_path / "linked")
    assert found(linked) == {b"a": {"search": "unset"}}


def test_a_symbolic_link_decides_nothing(repo):
    repo.write("a", "a\n")
    repo.write("rules", "a -search\n")
    repo.symlink(".gitattributes", "rules")
    repo.commit()
    assert found(repo) == {}


def test_a_file_that_is_not_here_decides_nothing(repo, tmp_path):
    repo.write("a", "a\n")
    repo.write("sub/a", "a\n")
    repo.write(".gitattributes", "a -search\n")
    repo.write("sub/.gitattributes", "a binary\n")
    repo.commit()
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    assert found(clone) == {}
    clone.git("checkout", "HEAD", "--", "sub/.gitattributes")
    assert found(clone) == {b"sub/a": {"binary": "set", "diff": "unset"}}
    missing = clone.git("rev-list", "--objects", "--missing=print", "--no-walk", "HEAD")
    assert missing.count("?") == 2


def test_no_process_where_nothing_can_be_set(repo, monkeypatch):
    repo.write("a", "a\n")
    repo.write(".git/info/attributes", "# nothing\n")
    repo.commit()
    opened = open_repo(repo.path)
    entries = list_tree(opened, repo.rev("HEAD^{tree}"))
    monkeypatch.setattr(Repo, "pipe", None)
    assert attributes(opened, entries) == {}
    assert attributes(opened, []) == {}


def test_the_files_are_read_but_git_not_asked_where_they_set_nothing_of_ours(repo, monkeypatch):
    repo.write("a", "a\n")
    repo.write(".gitattributes", "* text=auto eol=lf\n")
    repo.commit()
    opened = open_repo(repo.path)
    entries = list_tree(opened, repo.rev("HEAD^{tree}"))
    monkeypatch.setattr(Repo, "run", None)
    assert attributes(opened, entries) == {}


@pytest.mark.parametrize("name", NAMES)
def test_no_name_is_passed_over(repo, name):
    repo.write("a", "a\n")
    repo.write(".gitattributes", f"a {name}\n")
    repo.commit()
    assert found(repo)[b"a"][name] == "set"


def test_nothing_of_the_repository_changes(repo):
    repo.write("a", "a\n")
    repo.write(".gitattributes", "a -search\n")
    repo.commit()
    hook = repo.write(".git/hooks/post-index-change", "#!/bin/sh\necho ran >../said\n")
    hook.chmod(0o755)
    repo.git("config", "core.splitIndex", "true")
    before = sorted(repo.path.parent.rglob("*"))
    index = repo.file(".git/index").read_bytes()
    assert found(repo) == {b"a": {"search": "unset"}}
    assert sorted(repo.path.parent.rglob("*")) == before
    assert repo.file(".git/index").read_bytes() == index
