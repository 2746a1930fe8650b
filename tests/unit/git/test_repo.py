"""Opening a repository wherever git can, resolving revisions, reading settings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitsearch.errors import BadRevision, GitFailed, NotARepository, UsageError
from gitsearch.git import repo as gateway
from gitsearch.git.repo import (
    Repo,
    config,
    head,
    open_at_head,
    open_repo,
    resolve,
)
from gitsearch.records import Revision
from tests.builder import RepoBuilder

ODD_FOLDER = "sp ace\nand line"


def at_head(path: Path) -> tuple[Repo, Revision]:
    """The repository and its HEAD, which is not unborn."""
    opened, at = open_at_head(path)
    assert at is not None
    return opened, at


@pytest.fixture
def committed(repo):
    repo.write("src/a.txt", "a\n")
    repo.commit("one")
    return repo


# ---------------------------------------------------------------- layouts


def test_at_the_top(committed):
    opened = open_repo(committed.path)
    assert opened.worktree == committed.path
    assert opened.git_dir == opened.common_dir == committed.path / ".git"
    assert (opened.prefix, opened.hexsz, opened.bare, opened.partial) == ("", 40, False, False)


def test_in_a_folder_below(committed):
    opened = open_repo(committed.path / "src")
    assert opened.worktree == committed.path
    assert opened.prefix == "src/"


def test_through_a_symbolic_link(committed, tmp_path):
    (tmp_path / "link").symlink_to(committed.path / "src")
    opened = open_repo(tmp_path / "link")
    assert opened.worktree == committed.path
    assert opened.prefix == "src/"


def test_bare(committed, tmp_path):
    bare = committed.clone(tmp_path / "bare", "--bare")
    opened = open_repo(bare.path)
    assert opened.bare
    assert opened.worktree is None
    assert opened.git_dir == opened.common_dir == bare.path
    assert resolve(opened, "main").commit == committed.rev()


def test_inside_the_git_directory(committed):
    opened = open_repo(committed.path / ".git" / "refs")
    assert opened.worktree is None
    assert not opened.bare
    assert head(opened) == Revision("HEAD", committed.rev(), committed.rev("HEAD^{tree}"))


def test_linked_worktree(committed, tmp_path):
    linked = committed.worktree(tmp_path / "linked")
    opened = open_repo(linked.path / "src")
    assert opened.worktree == linked.path
    assert opened.common_dir == committed.path / ".git"
    assert opened.git_dir == committed.path / ".git" / "worktrees" / "linked"


def test_submodule(committed, tmp_path):
    outer = RepoBuilder(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", str(committed.path), "sub")
    opened = open_repo(outer.path / "sub")
    assert opened.worktree == outer.path / "sub"
    assert opened.common_dir == outer.path / ".git" / "modules" / "sub"
    # the setting core.worktree says where it is, even from in there
    assert open_repo(opened.git_dir).worktree == outer.path / "sub"


def test_separate_git_directory(tmp_path):
    path = tmp_path / "tree"
    path.mkdir()
    RepoBuilder.adopt(path).git("init", "-q", "--separate-git-dir", str(tmp_path / "store"))
    opened = open_repo(path)
    assert opened.git_dir == tmp_path / "store"
    assert opened.worktree == path


def test_sha256(tmp_path):
    built = RepoBuilder(tmp_path / "new", object_format="sha256")
    built.write("a", "a\n")
    commit = built.commit()
    opened, at = at_head(built.path)
    assert opened.hexsz == 64
    assert at.commit == commit
    assert resolve(opened, commit[:12]).commit == commit


def test_odd_folder_names(tmp_path):
    built = RepoBuilder(tmp_path / ODD_FOLDER / os.fsdecode(b"not-utf8-\xff"))
    built.write(f"{ODD_FOLDER}/a", "a\n")
    commit = built.commit()
    opened, at = at_head(built.file(ODD_FOLDER))
    assert opened.worktree == built.path
    assert opened.prefix == f"{ODD_FOLDER}/"
    assert at.commit == commit


def test_partial_clone_is_noticed(committed, tmp_path):
    clone = committed.clone(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    assert open_repo(clone.path).partial


def test_outside_a_repository(tmp_path):
    with pytest.raises(NotARepository, match=r"^not a git repository") as caught:
        open_repo(tmp_path)
    assert caught.value.exit_code == 128


def test_a_repository_of_somebody_else_is_gits_to_refuse(committed, monkeypatch):
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(NotARepository, match=r"^detected dubious ownership") as caught:
        open_repo(committed.path)
    assert "git config --global --add safe.directory" in caught.value.hint


@pytest.mark.parametrize("setting", ["GIT_WORK_TREE", "core.worktree"])
def test_a_working_tree_that_is_not_there(committed, monkeypatch, tmp_path, setting):
    gone = tmp_path / "gone"
    if setting == "GIT_WORK_TREE":
        monkeypatch.setenv(setting, str(gone))
    else:
        committed.git("config", setting, str(gone))
    with pytest.raises(
        NotARepository, match=f"^the working tree '{gone}' is not a fold"
    ) as caught:
        open_repo(committed.path)
    assert setting in caught.value.hint


def test_an_unknown_repository_format(committed):
    committed.git("config", "core.repositoryFormatVersion", "99")
    with pytest.raises(NotARepository, match="Expected git repo version"):
        open_repo(committed.path)


def test_a_folder_that_is_gone(tmp_path):
    with pytest.raises(GitFailed, match="No such file"):
        open_repo(tmp_path / "gone")


def test_without_git(committed, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitFailed, match="git is not on PATH"):
        open_repo(committed.path).run("ls-files")
    with pytest.raises(GitFailed, match="git is not on PATH"):
        open_repo(tmp_path)


def test_opening_is_one_process_at_most(committed, monkeypatch, tmp_path):
    linked = committed.worktree(tmp_path / "linked")
    started = []
    spawn = gateway.spawn

    def count(*args, **kwargs):
        started.append(args)
        return spawn(*args, **kwargs)

    monkeypatch.setattr(gateway, "spawn", count)
    open_at_head(committed.path)
    assert not started
    open_at_head(linked.path)
    assert len(started) == 1


# ---------------------------------------------------------------- environment


def test_git_dir_of_the_environment(committed, tmp_path, monkeypatch):
    # as `git --git-dir=... --work-tree=... search` from another folder
    monkeypatch.setenv("GIT_DIR", str(committed.git_dir))
    monkeypatch.setenv("GIT_WORK_TREE", str(committed.path))
    opened = open_repo(tmp_path)
    assert opened.worktree == committed.path
    assert opened.prefix == ""
    assert opened.run("ls-files") == b"src/a.txt\n"


def test_git_dir_without_a_work_tree_is_the_current_folder(committed, tmp_path, monkeypatch):
    # the way of those who keep their dotfiles in git
    monkeypatch.setenv("GIT_DIR", str(committed.git_dir))
    monkeypatch.chdir(tmp_path)
    assert open_repo(tmp_path).worktree == tmp_path


def test_environment_of_a_hook(committed, tmp_path, monkeypatch):
    other = RepoBuilder(tmp_path / "other")
    commit = committed.rev()
    committed.write("src/b.txt", "b\n")
    committed.git("add", "src/b.txt")
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    monkeypatch.setenv("GIT_PREFIX", "src/")
    monkeypatch.chdir(committed.path)
    opened = open_repo(Path())
    assert opened.worktree == committed.path
    # from then on neither the folder nor a changed variable leads elsewhere
    monkeypatch.chdir(other.path)
    monkeypatch.setenv("GIT_DIR", str(other.git_dir))
    monkeypatch.setenv("GIT_COMMON_DIR", str(other.git_dir))
    assert resolve(opened, "HEAD").commit == commit
    assert opened.run("ls-files") == b"src/a.txt\nsrc/b.txt\n"
    assert opened.run("-C", "src", "ls-files") == b"a.txt\nb.txt\n"


def test_a_real_hook(committed):
    hook = committed.write(
        ".git/hooks/post-commit",
        f"#!{sys.executable}\n"
        "import sys\n"
        f"sys.path.insert(0, {str(Path(gateway.__file__).parents[2])!r})\n"
        "from pathlib import Path\n"
        "from gitsearch.git.repo import open_at_head\n"
        "opened, at = open_at_head(Path.cwd())\n"
        "Path('said').write_text(f'{opened.worktree} {at.commit}')\n",
    )
    hook.chmod(0o755)
    committed.write("b", "b\n")
    commit = committed.commit()
    assert committed.file("said").read_text() == f"{committed.path} {commit}"


def test_replaced_objects_are_not_seen(committed):
    first = committed.rev()
    committed.write("src/a.txt", "other\n")
    second = committed.commit()
    committed.git("replace", first, second)
    opened = open_repo(committed.path)
    assert opened.run("show", f"{first}:src/a.txt") == b"a\n"


def test_git_reads_nothing_of_our_input(committed):
    code = (
        "from pathlib import Path\n"
        "from gitsearch.git.repo import open_repo\n"
        "print(open_repo(Path('.')).run('hash-object', '--stdin'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=committed.path,
        input=b"not for git",
        env={**os.environ, "PYTHONPATH": str(Path(gateway.__file__).parents[2])},
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"b'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\\n'\n"


# ---------------------------------------------------------------- processes


def test_failure_keeps_gits_own_words(committed):
    with pytest.raises(GitFailed, match=r"^Not a valid object name nothing$"):
        open_repo(committed.path).run("ls-tree", "nothing")


def test_codes_that_are_no_failure(committed):
    assert open_repo(committed.path).run("config", "no.such", ok=(0, 1)) == b""


def test_an_argument_that_no_process_takes(committed):
    with pytest.raises(UsageError):
        open_repo(committed.path).run("ls-files", "a\0b")


def test_a_started_process_is_read_later(committed):
    running = open_repo(committed.path).start("ls-files")
    assert running.result() == b"src/a.txt\n"


def test_a_started_process_can_be_given_up(committed):
    running = open_repo(committed.path).start("cat-file", "--batch-all-objects", "--batch")
    running.cancel()
    assert running._process.returncode is not None


# ---------------------------------------------------------------- revisions


def test_unborn_head(repo):
    opened, at = open_at_head(repo.path)
    assert at is None
    assert head(opened) is None
    with pytest.raises(BadRevision):
        resolve(opened, "HEAD")


def test_detached_head(committed):
    committed.checkout(committed.rev())
    opened, at = at_head(committed.path)
    assert at == head(opened)
    assert at.commit == committed.rev()
    assert at.tree == committed.rev("HEAD^{tree}")


@pytest.mark.parametrize("rev", ["HEAD", "@", "HEAD~1", "HEAD^{tree}", "HEAD:src"])
def test_without_a_commit_head_names_nothing_yet(repo, rev):
    with pytest.raises(BadRevision, match=r"^HEAD has no commit yet$"):
        resolve(open_repo(repo.path), rev)
    with pytest.raises(BadRevision, match="'HEADER' names no commit or tree"):
        resolve(open_repo(repo.path), "HEADER")


def test_a_broken_head_is_not_taken_for_an_unborn_one(committed):
    committed.git_dir.joinpath("HEAD").write_text("1" * 40 + "\n")
    with pytest.raises(BadRevision, match="does not hold"):
        open_at_head(committed.path)


def test_revisions_of_every_kind(committed):
    first = committed.rev()
    committed.git("tag", "-a", "v1", "-m", "first")
    committed.write("src/a.txt", "b\n")
    second = committed.commit("the second")
    committed.write("src/a.txt", "c\n")
    committed.git("stash")
    opened = open_repo(committed.path)
    for rev, commit in {
        "HEAD": second,
        "main": second,
        "@": second,
        "HEAD~1": first,
        "v1": first,
        "v1^{tag}": first,
        first[:10]: first,
        ":/^the second": second,
        "HEAD^{/one}": first,
        "stash@{0}": committed.rev("stash@{0}"),
        "main@{2023-11-14 22:13:50}": first,
    }.items():
        assert resolve(opened, rev) == Revision(rev, commit, committed.rev(f"{commit}^{{tree}}"))


@pytest.mark.parametrize("rev", ["HEAD^{tree}", "HEAD:", "v2"])
def test_a_tree_is_a_revision_without_a_commit(committed, rev):
    committed.git("tag", "v2", "HEAD^{tree}")
    tree = committed.rev("HEAD^{tree}")
    assert resolve(open_repo(committed.path), rev) == Revision(rev, None, tree)


def test_a_folder_of_a_revision(committed):
    found = resolve(open_repo(committed.path), "HEAD:src")
    assert (found.commit, found.tree) == (None, committed.rev("HEAD:src"))


@pytest.mark.parametrize(
    "rev",
    [
        "",
        " ",
        "--output=x",
        "--all",
        "-",
        "HEAD --output=x",
        "HEAD:src/a.txt",
        "main..main",
        "^main",
        "HEAD\n",
        "HEAD\nHEAD",
        "a\0b",
        chr(0xD800),
        chr(0xDCFF),
        "0" * 40,
        "f" * 4,
        "HEAD~99",
    ],
)
def test_what_names_no_tree(committed, rev):
    with pytest.raises(BadRevision) as caught:
        resolve(open_repo(committed.path), rev)
    assert caught.value.code == "bad-revision"
    assert sorted(path.name for path in committed.path.iterdir()) == [".git", "src"]


def test_the_hint_names_what_is_near(committed):
    committed.git("branch", "feature/login")
    opened = open_repo(committed.path)
    with pytest.raises(BadRevision) as caught:
        resolve(opened, "feature/logon")
    assert caught.value.hint == "did you mean 'feature/login'?"
    with pytest.raises(BadRevision) as caught:
        resolve(opened, "xyzzy")
    assert "git branch" in caught.value.hint


# ---------------------------------------------------------------- settings

# In the configuration that takes the place of the user's.
OF_ALL_TESTS = {"search.reader": ["off"]}


def test_settings(committed, monkeypatch):
    committed.git("config", "search.maxCount", "3")
    committed.git("config", "--add", "search.model", "one\ntwo")
    committed.git("config", "--add", "search.model", "three")
    committed.git("config", "core.pager", "less -R")
    committed.git("config", "pager.search", "false")
    committed.git("config", "color.search", "always")
    committed.git("config", "user.nickname", "none of our business")
    committed.append(".git/config", "[search]\n\thooks\n")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "search.maxCount")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "4")
    assert config(open_repo(committed.path)) == {
        "search.maxcount": ["3", "4"],
        "search.model": ["one\ntwo", "three"],
        "core.pager": ["less -R"],
        "pager.search": ["false"],
        "color.search": ["always"],
        "search.hooks": ["true"],
        **OF_ALL_TESTS,
    }


def test_no_settings_of_its_own(committed):
    assert config(open_repo(committed.path)) == OF_ALL_TESTS
