"""Repositories that are opened without git are as git says; whatever is unusual git is asked."""

import os
import shutil
import struct
import zlib
from pathlib import Path

import pytest

from gitsearch.errors import SearchError
from gitsearch.git import object_files, plain_repo
from gitsearch.git import repo as gateway
from gitsearch.git.repo import is_outside, open_at_head, open_without_git
from tests.builder import RepoBuilder


@pytest.fixture
def built(repo):
    repo.write("src/inner/a.txt", "a\n")
    repo.commit("one")
    repo.write("src/b.txt", "b\n")
    repo.commit("two")
    return repo


def said(folder, *, apart=False):
    """Return all that a repository is said to be; an error by its type and words."""
    try:
        return open_at_head(folder, apart=apart)
    except SearchError as error:
        return type(error), error.message, error.hint


def by_git(folder, monkeypatch, *, apart=False):
    """The same, of git."""
    with monkeypatch.context() as without:
        without.setattr(plain_repo, "find", lambda *_: None)
        return said(folder, apart=apart)


def pack(built):
    built.git("repack", "-q", "-a", "-d")


def chain(built):
    """Deltas of commits: each is like the one before."""
    for number in range(20):
        built.git("commit", "-q", "--allow-empty", "-m", f"{'the same words ' * 40}{number}")
    built.git("repack", "-q", "-a", "-d", "-f", "--depth=50")


# Forms that are opened without git.
PLAIN = {
    "new": lambda built: None,
    "packed": pack,
    "packed twice": lambda built: (pack(built), built.commit("three"), built.git("repack", "-q")),
    "packed references": lambda built: built.git("pack-refs", "--all"),
    "a folder in place of a packed branch": lambda built: (
        built.git("pack-refs", "--all"),
        built.file(".git/refs/heads").mkdir(exist_ok=True),
    ),
    "a branch in folders": lambda built: built.git("checkout", "-q", "-b", "a/b-c/d.1_2"),
    "detached": lambda built: built.git("checkout", "-q", "--detach", "HEAD~1"),
    "shallow": lambda built: built.write(".git/shallow", built.rev() + "\n"),
    "a remote with settings": lambda built: (
        built.git("remote", "add", "origin", "https://example.com/a/b.git"),
        built.git("config", "branch.main.merge", "refs/heads/main"),
        built.append(".git/config", '# words\n\n; [more]\n[a.b]\n\tc-d =\n[url "a b"]\n\tx=y z\n'),
    ),
    "settings included": lambda built: (
        built.write(".git/more", "[core]\n\tbare = true\n\tworktree = /\n"),
        built.git("config", "include.path", "more"),
    ),
    "a grafted commit": lambda built: built.write(".git/info/grafts", built.rev() + "\n"),
    "a replaced commit": lambda built: built.git("replace", built.rev(), built.rev("HEAD~1")),
    "a long message": lambda built: built.git(
        "commit", "-q", "--allow-empty", "-m", "".join(map(str, range(5000)))
    ),
    "without an index": lambda built: built.file(".git/index").unlink(),
}


def edited(built, old, new):
    settings = built.file(".git/config")
    text = settings.read_text(encoding="utf-8")
    assert old in text
    settings.write_text(text.replace(old, new), encoding="utf-8")


def moved(built, name):
    """Move a part of the repository away, and leave a link."""
    source = built.file(f".git/{name}" if name else ".git")
    target = built.path.with_name("elsewhere")
    source.rename(target)
    source.symlink_to(target)


def damaged(built, oid):
    file = built.file(f".git/objects/{oid[:2]}/{oid[2:]}")
    file.chmod(0o644)
    other = b"tree %s\nother\n" % built.rev("HEAD^{tree}").encode()
    file.write_bytes(zlib.compress(b"commit %d\0%s" % (len(other), other)))


def gone(built, name):
    oid = built.rev(name)
    built.file(f".git/objects/{oid[:2]}/{oid[2:]}").unlink()


# What git is asked about, whatever it says then.
UNUSUAL = {
    "bare": lambda built: edited(built, "bare = false", "bare = true"),
    "bare, not said": lambda built: built.git("config", "--unset", "core.bare"),
    "bare by default": lambda built: built.append(".git/config", "[core]\n\tbare\n"),
    "bare in other words": lambda built: built.append(".git/config", "[core] bare = yes\n"),
    "a working tree elsewhere": lambda built: built.git("config", "core.worktree", "/"),
    "of an unknown format": lambda built: built.git("config", "core.repositoryFormatVersion", "9"),
    "of a format that is no number": lambda built: edited(built, "= 0\n", "= x\n"),
    "an unknown extension": lambda built: (
        built.git("config", "core.repositoryFormatVersion", "1"),
        built.git("config", "extensions.unheardOf", "1"),
    ),
    "settings of a worktree": lambda built: built.git("config", "extensions.worktreeConfig", "1"),
    "sparse": lambda built: built.git("sparse-checkout", "set", "src/inner"),
    "a partial clone": lambda built: built.git("config", "remote.origin.promisor", "true"),
    "settings that are none": lambda built: built.append(".git/config", "]\n"),
    "settings that end in the middle": lambda built: built.append(".git/config", '[a "b'),
    "settings that go on": lambda built: built.append(".git/config", "[a]\n\tb = c\\\n\td\n"),
    "settings in quotes": lambda built: built.append(".git/config", '[a]\n\tb = "c\n'),
    "no settings": lambda built: built.file(".git/config").unlink(),
    "a folder of settings": lambda built: (
        built.file(".git/config").unlink(),
        built.file(".git/config").mkdir(),
    ),
    "no HEAD": lambda built: built.file(".git/HEAD").unlink(),
    "an empty HEAD": lambda built: built.write(".git/HEAD", ""),
    "a HEAD of other words": lambda built: built.write(".git/HEAD", "ref: here\n"),
    "a HEAD outside": lambda built: built.write(".git/HEAD", "ref: refs/heads/../../HEAD\n"),
    "a HEAD that is no branch": lambda built: built.write(".git/HEAD", "ref: refs/tags/x\n"),
    "a HEAD without an end": lambda built: built.write(".git/HEAD", "ref: refs/heads/main"),
    "a HEAD with a space more": lambda built: built.write(".git/HEAD", "ref:  refs/heads/main\n"),
    "a HEAD in capital letters": lambda built: built.write(".git/HEAD", built.rev().upper()),
    "a HEAD that is a link": lambda built: (
        built.file(".git/HEAD").unlink(),
        built.file(".git/HEAD").symlink_to("refs/heads/main"),
    ),
    "a HEAD that is nowhere": lambda built: built.write(".git/HEAD", "1" * 40 + "\n"),
    "a HEAD that is a tree": lambda built: built.write(".git/HEAD", built.rev("HEAD:src") + "\n"),
    "a HEAD that is a blob": lambda built: built.write(
        ".git/HEAD", built.rev("HEAD:src/b.txt") + "\n"
    ),
    "unborn": lambda built: built.git("symbolic-ref", "HEAD", "refs/heads/other"),
    "the name of a lock": lambda built: built.write(".git/HEAD", "ref: refs/heads/a.lock\n"),
    "a name beyond ASCII": lambda built: built.git("checkout", "-q", "-b", "caf\u00e9"),
    "a branch of another one": lambda built: (
        built.git("branch", "other", "HEAD~1"),
        built.git("symbolic-ref", "refs/heads/main", "refs/heads/other"),
    ),
    "a damaged branch": lambda built: built.write(".git/refs/heads/main", "0123\n"),
    "an empty branch": lambda built: built.write(".git/refs/heads/main", ""),
    "a branch that is a folder": lambda built: (
        built.file(".git/refs/heads/main").unlink(),
        built.file(".git/refs/heads/main").mkdir(),
    ),
    "a branch that is a link": lambda built: (
        built.file(".git/refs/heads/main").rename(built.file(".git/refs/heads/other")),
        built.file(".git/refs/heads/main").symlink_to("other"),
    ),
    "a commit without its tree": lambda built: gone(built, "HEAD^{tree}"),
    "a lost commit": lambda built: gone(built, "HEAD"),
    "another commit in its place": lambda built: damaged(built, built.rev()),
    "deltas of commits": lambda built: (chain(built), built.git("checkout", "-q", "HEAD~9")),
    "a lost pack": lambda built: (
        pack(built),
        *(file.unlink() for file in built.file(".git/objects/pack").glob("*.pack")),
    ),
    "no objects": lambda built: shutil.rmtree(built.file(".git/objects")),
    "no references": lambda built: shutil.rmtree(built.file(".git/refs")),
    "a common folder": lambda built: built.write(".git/commondir", "../.git\n"),
    "a link to the repository": lambda built: moved(built, ""),
    "an empty repository": lambda built: (
        built.remove(".git"),
        built.file(".git").mkdir(),
    ),
    "a file in place of the repository": lambda built: (
        built.remove(".git"),
        built.write(".git", "gitdir: nowhere\n"),
    ),
    "no repository": lambda built: shutil.rmtree(built.file(".git")),
}


@pytest.mark.parametrize("form", PLAIN)
def test_the_usual_forms_are_opened_without_git(built, monkeypatch, form):
    PLAIN[form](built)
    for folder, apart in ((built.path, False), (built.path, True)):
        found = open_without_git(folder, apart=apart)
        assert found is not None
        assert found == by_git(folder, monkeypatch, apart=apart)


@pytest.mark.parametrize("form", UNUSUAL)
def test_git_is_asked_about_all_others(built, monkeypatch, form):
    UNUSUAL[form](built)
    for folder in (built.path, built.file("src/inner"), built.file(".git")):
        if folder.is_dir():
            assert open_without_git(folder) is None
            assert said(folder) == by_git(folder, monkeypatch)
    assert said(built.path, apart=True) == by_git(built.path, monkeypatch, apart=True)


def test_folders_below_the_top_and_links_to_them(built, monkeypatch, tmp_path):
    monkeypatch.delenv("GIT_CEILING_DIRECTORIES")
    (tmp_path / "link").symlink_to(built.file("src/inner"))
    monkeypatch.chdir(built.file("src"))
    for folder in (built.file("src"), tmp_path / "link", Path(), Path("inner/.."), Path("inner")):
        found = open_without_git(folder)
        assert found is not None
        assert found == by_git(folder, monkeypatch)
    below = built.file("src")
    assert open_without_git(below, apart=True) is None
    assert said(below, apart=True) == by_git(below, monkeypatch, apart=True)


def test_git_is_asked_how_far_up_to_look(built, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(built.path))
    assert open_without_git(built.path) is not None
    assert open_without_git(built.file("src")) is None
    assert said(built.file("src")) == by_git(built.file("src"), monkeypatch)


def test_what_is_a_repository_inside_of_another_one(built, monkeypatch, tmp_path):
    monkeypatch.delenv("GIT_CEILING_DIRECTORIES")
    bare = built.clone(tmp_path / "bare", "--bare")
    shutil.copytree(bare.path, built.file("src/bare"))
    inner = RepoBuilder(built.file("src/inner/own"))
    inner.write("below/c.txt", "c\n")
    inner.commit()
    linked = built.worktree(built.file("src/linked"))
    built.git("-c", "protocol.file.allow=always", "submodule", "add", str(bare.path), "sub")
    asked = [built.file("src/bare"), built.file("src/bare/refs"), linked.path, built.file("sub")]
    asked += [built.file(".git/refs"), built.file(".git/modules/sub"), linked.file("src")]
    for folder in asked:
        assert open_without_git(folder) is None
        assert said(folder) == by_git(folder, monkeypatch)
    for folder in (inner.path, inner.file("below")):
        found = open_without_git(folder)
        assert found is not None
        assert found == by_git(folder, monkeypatch)


def test_where_there_is_no_repository(built, tmp_path):
    assert not is_outside(tmp_path / "gone")
    (tmp_path / "plain").mkdir()
    assert is_outside(tmp_path / "plain")
    for inside in ("", "src", ".git", ".git/refs"):
        assert not is_outside(built.file(inside))
    shutil.copytree(built.file(".git"), tmp_path / "bare/inner")
    assert is_outside(tmp_path / "bare")
    assert not is_outside(tmp_path / "bare/inner/refs")


def test_git_is_asked_where_a_variable_may_name_a_repository(built, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(built.git_dir))
    assert not is_outside(tmp_path)


def test_a_clone_with_borrowed_objects(built, monkeypatch, tmp_path):
    clone = built.clone(tmp_path / "clone", "--shared", of=str(built.path))
    assert open_without_git(clone.path) is None
    assert said(clone.path) == by_git(clone.path, monkeypatch)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GIT_DIR", ".git"),
        ("GIT_WORK_TREE", "src"),
        ("GIT_COMMON_DIR", ".git"),
        ("GIT_OBJECT_DIRECTORY", ".git/objects/info"),
        ("GIT_NAMESPACE", "other"),
        ("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1"),
        ("GIT_CONFIG_PARAMETERS", "'core.abbrev'='x'"),
        ("GIT_NEW_IN_SOME_VERSION", "1"),
    ],
)
def test_git_is_asked_what_its_variables_mean(built, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    monkeypatch.chdir(built.path)
    assert open_without_git(built.path) is None
    assert said(built.path) == by_git(built.path, monkeypatch)


def test_git_is_asked_about_what_somebody_else_owns(built, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert open_without_git(built.path) is None


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("name", ["", ".git"])
def test_git_refuses_what_somebody_else_owns(built, monkeypatch, name):
    os.chown(built.file(name), 12345, -1)
    assert open_without_git(built.path) is None
    assert said(built.path) == by_git(built.path, monkeypatch)


def test_a_pipe_is_not_waited_for(built):
    for name in ("config", "HEAD", "refs/heads/main"):
        file = built.file(f".git/{name}")
        content = file.read_bytes()
        file.unlink()
        os.mkfifo(file)
        assert open_without_git(built.path) is None
        file.unlink()
        file.write_bytes(content)
    assert open_without_git(built.path) is not None


def index_of(built):
    """The index of the only pack, which may be written."""
    (file,) = built.file(".git/objects/pack").glob("*.idx")
    file.chmod(0o644)
    return file


DAMAGE = {
    "cut in the ids": lambda data: data[: 8 + 1024 + 30],
    "cut in the counts": lambda data: data[:100],
    "of another version": lambda data: data[:7] + b"\x03" + data[8:],
    "empty": lambda data: b"",
    "counts that fall": lambda data: data[:8] + b"\xff" * 4 * 128 + bytes(4 * 128) + data[1032:],
    "counts beyond the end": lambda data: data[:8] + b"\xff" * 1024 + data[1032:],
    "places beyond the pack": lambda data: data.replace(
        data[-40 - 4 * struct.unpack_from(">I", data, 1028)[0] : -40],
        b"\x7f\xff\xff\xff" * struct.unpack_from(">I", data, 1028)[0],
    ),
    "places of 8 bytes": lambda data: data.replace(
        data[-40 - 4 * struct.unpack_from(">I", data, 1028)[0] : -40],
        b"\x80\x00\x00\x00" * struct.unpack_from(">I", data, 1028)[0],
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_index_of_a_pack_finds_nothing(built, damage):
    pack(built)
    assert open_without_git(built.path) is not None
    file = index_of(built)
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    assert open_without_git(built.path) is None


def test_each_commit_of_a_pack_has_the_tree_that_git_says(built):
    for number in range(300):
        built.write("src/b.txt", f"{number}\n")
        built.commit()
    built.git("repack", "-q", "-a", "-d", "-f", "--depth=0")
    objects = str(built.file(".git/objects"))
    for line in built.git("log", "--format=%H %T").splitlines():
        commit, tree = line.split()
        assert object_files.tree_of(objects, commit) == tree
    assert object_files.tree_of(objects, "1" * 40) is None


def test_it_takes_no_process(built, monkeypatch):
    monkeypatch.setattr(gateway, "spawn", lambda *_, **__: pytest.fail("git was asked"))
    _, head = open_at_head(built.path)
    assert head is not None
    assert head.commit == built.rev()
