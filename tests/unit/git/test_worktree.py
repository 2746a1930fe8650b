"""Dirty files are the blobs that git itself would store; what git would not read is not read."""

import os

import pytest

from gitsearch.errors import GitFailed
from gitsearch.git.repo import Running, open_repo
from gitsearch.git.worktree import is_untracked, read_status, staged, start_status
from gitsearch.records import DirtyFile, TreeChange, TreeEntry
from tests.builder import RepoBuilder

LIMIT = 1 << 20
FILE, EXECUTABLE, LINK = 0o100644, 0o100755, 0o120000


def state(builder, folder="", *, untracked=False, limit=LIMIT):
    opened = open_repo(builder.file(folder))
    return read_status(opened, start_status(opened, untracked=untracked), limit)


def dirty(builder, folder="", **options):
    """The dirty files by path; no object, index or other file of git has changed for it."""
    before = snapshot(builder)
    found = state(builder, folder, **options).dirty
    assert snapshot(builder) == before
    assert [file.path for file in found] == sorted(file.path for file in found)
    return {file.path: file for file in found}


def snapshot(builder):
    """What lies in the git directory; of an object only that it is there, git may touch it."""
    root = builder.path / ".git"
    return {
        path: "objects" in path.parts or (path.stat().st_mtime_ns, path.stat().st_size)
        for path in root.rglob("*")
    }


def stored(builder, path, mode=FILE):
    """The dirty file that `git add` would make of a path."""
    builder.git("add", "-f", path)
    oid = builder.rev(f":{path}")
    data = builder.run("cat-file", "blob", oid).stdout
    return DirtyFile(os.fsencode(path), oid, mode, data)


def skipped(path, reason, mode=FILE):
    return DirtyFile(path.encode(), "", mode, None, reason)


def gone(path, mode=FILE):
    return DirtyFile(path.encode(), "", mode, None)


# ---------------------------------------------------------------- states


def test_clean(repo):
    repo.write("a", "a\n")
    commit = repo.commit()
    found = state(repo)
    assert (found.head, found.dirty) == (commit, [])


def test_every_kind_of_change(repo):
    for path in ("edited", "staged", "both", "deleted", "removed", "unstaged", "mode", "kept"):
        repo.write(path, f"{path}\n")
    repo.commit()
    repo.write("edited", "edited twice\n")
    repo.write("staged", "staged twice\n")
    repo.write("added", "added\n")
    repo.git("add", "staged", "added")
    repo.write("both", "in the index\n")
    repo.write("half", "in the index\n")
    repo.git("add", "both", "half")
    repo.write("both", "in the working tree\n")
    repo.remove("half")
    repo.remove("deleted")
    repo.git("rm", "-q", "removed")
    repo.git("rm", "-q", "--cached", "unstaged")
    repo.file("mode").chmod(0o755)
    repo.write("untracked", "untracked\n")
    found = dirty(repo)
    assert found == {
        b"added": stored(repo, "added"),
        b"both": stored(repo, "both"),
        b"deleted": gone("deleted"),
        b"edited": stored(repo, "edited"),
        b"removed": gone("removed"),
        b"staged": stored(repo, "staged"),
        b"unstaged": gone("unstaged"),
    }


def test_what_is_equal_to_head_is_not_dirty(repo):
    repo.write("a", "1\n")
    repo.write("b", "1\n")
    repo.commit()
    # staged, and taken back in the working tree only
    repo.write("a", "2\n")
    repo.git("add", "a")
    repo.write("a", "1\n")
    os.utime(repo.file("b"), (1, 1))
    assert dirty(repo) == {}


def test_untracked_files_only_if_asked(repo):
    repo.write(".gitignore", "ignored\n")
    repo.write("lost", "lost\n")
    repo.write("same", "same\n")
    repo.commit()
    repo.git("rm", "-q", "--cached", "lost", "same")
    repo.write("lost", "found\n")
    repo.write("new/deep/file", "new\n")
    repo.write("run", "x\n").chmod(0o755)
    repo.write("ignored", "x\n")
    repo.symlink("link", "run")
    RepoBuilder(repo.path / "nested").commit_staged()
    # a person's setting for git status is none of ours
    repo.git("config", "status.showUntrackedFiles", "all")
    assert dirty(repo) == {b"lost": gone("lost"), b"same": gone("same")}
    repo.git("config", "status.showUntrackedFiles", "no")
    found = dirty(repo, untracked=True)
    link = found.pop(b"link")
    assert (link.data, link.skip) == (None, "symlink")
    assert found == {
        b"lost": stored(repo, "lost"),
        b"new/deep/file": stored(repo, "new/deep/file"),
        b"run": stored(repo, "run", EXECUTABLE),
    }


def test_unborn_head(repo):
    repo.write("added", "added\n")
    repo.git("add", "added")
    repo.write("untracked", "untracked\n")
    found = state(repo, untracked=True)
    assert found.head is None
    assert found.dirty == [stored(repo, "added"), stored(repo, "untracked")]


def test_empty_repository(repo):
    found = state(repo, untracked=True)
    assert (found.head, found.dirty) == (None, [])


def test_intent_to_add(repo):
    repo.commit_staged()
    repo.write("intended", "content\n")
    repo.git("add", "-N", "intended")
    assert dirty(repo) == {b"intended": stored(repo, "intended")}


def test_a_conflict_is_what_lies_in_the_working_tree(repo):
    for path in ("both", "deleted", "kept"):
        repo.write(path, "base\n")
    repo.commit()
    repo.branch("other")
    repo.write("both", "theirs\n")
    repo.write("deleted", "theirs\n")
    repo.remove("kept")
    repo.commit()
    repo.checkout("main")
    repo.write("both", "ours\n")
    repo.write("kept", "ours\n")
    repo.remove("deleted")
    repo.commit()
    assert repo.run("merge", "other", check=False).returncode == 1
    found = dirty(repo)
    assert b"<<<<<<<" in found[b"both"].data
    assert found == {b"both": stored(repo, "both"), b"deleted": stored(repo, "deleted")}


def test_from_a_folder_below(repo):
    repo.write("src/a", "a\n")
    repo.write("b", "b\n")
    repo.commit()
    repo.write("src/a", "a a\n")
    repo.write("b", "b b\n")
    assert dirty(repo, "src") == {b"b": stored(repo, "b"), b"src/a": stored(repo, "src/a")}


def test_linked_worktree(repo, tmp_path):
    repo.write("a", "a\n")
    commit = repo.commit()
    linked = repo.worktree(tmp_path / "linked")
    linked.write("a", "in the linked one\n")
    found = state(linked)
    assert found.head == commit
    assert found.dirty == [stored(linked, "a")]
    assert dirty(repo) == {}


def test_submodules_are_left_alone(repo, tmp_path):
    inner = RepoBuilder(tmp_path / "inner")
    inner.write("a", "a\n")
    inner.commit()
    repo.write("b", "b\n")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", str(inner.path), "sub")
    repo.commit()
    repo.write("sub/a", "changed\n")
    repo.write("sub/new", "new\n")
    RepoBuilder.adopt(repo.path / "sub").commit()
    assert dirty(repo, untracked=True) == {}
    assert [file.path for file in state(repo, "sub").dirty] == []
    repo.write("sub/a", "again\n")
    assert [file.path for file in state(repo, "sub").dirty] == [b"a"]
    # a file whose place a repository has taken is gone
    repo.remove("b")
    RepoBuilder(repo.path / "b").commit_staged()
    assert dirty(repo, untracked=True) == {b"b": gone("b")}


def test_git_is_not_run_inside_a_submodule(repo, tmp_path):
    inner = RepoBuilder(tmp_path / "inner")
    inner.write("a", "a\n")
    inner.commit()
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", str(inner.path), "sub")
    repo.commit()
    said = tmp_path / "said"
    RepoBuilder.adopt(repo.path / "sub").git("config", "core.fsmonitor", f"touch {said};:")
    repo.write("sub/a", "changed\n")
    assert dirty(repo, untracked=True) == {}
    assert not said.exists()
    # the same setting does run something when git looks in there
    repo.git("status")
    assert said.exists()


def test_sha256(tmp_path):
    built = RepoBuilder(tmp_path / "new", object_format="sha256")
    built.write("a", "a\n")
    built.write("crlf", "a\n")
    built.commit()
    built.git("config", "core.autocrlf", "true")
    built.write("a", "changed\n")
    built.write("crlf", "changed\r\n")
    assert dirty(built) == {b"a": stored(built, "a"), b"crlf": stored(built, "crlf")}


def test_odd_paths(repo):
    paths = [b"new\nline", b'"quoted"', b"not-utf8-\xff", b"tab\t", b"cr\r", b"-x", b" ", b"*"]
    for path in paths:
        repo.write(path, "1\n")
    repo.commit()
    # one way for what git stores as it is, the other for what it converts
    for number, path in enumerate(paths):
        repo.write(path, f"{path!r}\n")
        repo.write(path + b".crlf", f"{number}\r\n")
    repo.git("config", "core.autocrlf", "input")
    found = dirty(repo, untracked=True)
    assert {path: file.data for path, file in found.items()} == {
        path: repr(path).encode() + b"\n" for path in paths
    } | {path + b".crlf": b"%d\n" % number for number, path in enumerate(paths)}
    repo.git("add", "-A")
    listed = repo.run("ls-files", "-s", "-z").stdout.split(b"\0")[:-1]
    assert {line.split(b"\t", 1)[1]: line.split()[1].decode() for line in listed} == {
        path: file.oid for path, file in found.items()
    }


def test_what_a_person_told_git_to_overlook(repo):
    for path in ("assumed", "skipped", "staged"):
        repo.write(path, "1\n")
    repo.commit()
    repo.write("staged", "2\n")
    repo.git("add", "staged")
    repo.git("update-index", "--assume-unchanged", "assumed", "staged")
    repo.git("update-index", "--skip-worktree", "skipped")
    for path in ("assumed", "skipped", "staged"):
        repo.write(path, "not to be seen\n")
    found = dirty(repo)
    assert list(found) == [b"staged"]
    assert found[b"staged"].data == b"2\n"


def test_sparse_checkout(repo):
    for path in ("in/a", "out/b"):
        repo.write(path, f"{path}\n")
    repo.commit()
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    repo.write("in/a", "changed\n")
    assert dirty(repo) == {b"in/a": stored(repo, "in/a")}


def test_no_working_tree(repo, tmp_path):
    bare = repo.clone(tmp_path / "bare", "--bare")
    for builder, folder in ((bare, ""), (repo, ".git"), (repo, ".git/refs")):
        with pytest.raises(GitFailed, match="must be run in a work tree"):
            state(builder, folder)


def test_environment_of_a_hook(repo, monkeypatch):
    repo.write("a", "a\n")
    repo.commit()
    repo.write("a", "a a\n")
    repo.write("b", "b\r\n")
    repo.git("add", "b")
    repo.git("config", "core.autocrlf", "true")
    repo.write("b", "b\r\nb\r\n")
    monkeypatch.chdir(repo.path)
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    found = dirty(repo)
    monkeypatch.undo()
    assert found == {b"a": stored(repo, "a"), b"b": stored(repo, "b")}


# ---------------------------------------------------------------- as git would store it

CONVERSIONS = {
    "plain": ("", {}, b"a\nb\n"),
    "autocrlf": ("", {"core.autocrlf": "true"}, b"a\r\nb\r\n"),
    "autocrlf input": ("", {"core.autocrlf": "input"}, b"a\r\nb\n"),
    "strict about line ends": (
        "",
        {"core.autocrlf": "true", "core.safecrlf": "true"},
        b"a\r\nb\n",
    ),
    "no conversion": ("", {}, b"a\r\nb\r\n"),
    "text": ("* text\n", {}, b"a\r\nb\r\n"),
    "text=auto": ("* text=auto\n", {}, b"a\r\nb\r\n"),
    "eol=crlf": ("* eol=crlf\n", {}, b"a\r\nb\r\n"),
    "not text": ("* -text\n", {"core.autocrlf": "true"}, b"a\r\nb\r\n"),
    "binary": ("* text=auto\n", {"core.autocrlf": "true"}, b"a\r\n\0b\r\n"),
    "lone carriage return": ("* text\n", {}, b"a\rb\r\n"),
    "UTF-16": ("* working-tree-encoding=UTF-16\n", {}, "é\nb\n".encode("utf-16")),
    "UTF-16 with CRLF": (
        "* text working-tree-encoding=UTF-16LE\n",
        {},
        "é\r\nb\r\n".encode("utf-16-le"),
    ),
    "Latin-1": ("* working-tree-encoding=ISO-8859-1\n", {}, b"\xe9\n"),
    "ident": ("* ident\n", {}, b"$Id: 1234567890 $\n"),
    "filter": ("* filter=up\n", {"filter.up.clean": "tr a-z A-Z"}, b"shout\n"),
    "filter without a program": ("* filter=up\n", {}, b"shout\n"),
}


@pytest.mark.parametrize("before", [b"old\n", b"old\r\n", None])
@pytest.mark.parametrize("case", CONVERSIONS)
def test_the_blob_that_git_would_store(repo, case, before):
    attributes, settings, content = CONVERSIONS[case]
    repo.write("other", "other\n")
    if before is not None:
        # a file that has CR LF in the index keeps it, whatever is said afterwards
        repo.write("dir/file", before)
    repo.commit()
    repo.write(".git/info/attributes", attributes.replace("*", "file"))
    for name, value in settings.items():
        repo.git("config", name, value)
    repo.write("dir/file", content)
    repo.write("other", "plain\n")
    found = dirty(repo, untracked=True)
    repo.git("config", "core.safecrlf", "false")
    assert found == {b"dir/file": stored(repo, "dir/file"), b"other": stored(repo, "other")}


def test_attributes_of_the_working_tree_decide(repo):
    repo.write("a", "1\n")
    repo.write("sub/a", "1\n")
    repo.commit()
    repo.write("sub/.gitattributes", "* text\n")
    repo.write("a", "2\r\n")
    repo.write("sub/a", "2\r\n")
    found = dirty(repo)
    assert (found[b"a"].data, found[b"sub/a"].data) == (b"2\r\n", b"2\n")
    assert found == {b"a": stored(repo, "a"), b"sub/a": stored(repo, "sub/a")}


def test_attributes_that_only_the_index_has_decide(repo):
    repo.write("a", "1\n")
    repo.write(".gitattributes", "* text\n")
    repo.commit()
    repo.remove(".gitattributes")
    repo.write("a", "2\r\n")
    found = dirty(repo)
    assert found == {b".gitattributes": gone(".gitattributes"), b"a": stored(repo, "a")}
    assert found[b"a"].data == b"2\n"


def test_a_conflict_with_line_ends(repo):
    repo.write("a", "1\r\n")
    repo.commit()
    repo.branch("other")
    repo.write("a", "2\r\n")
    repo.commit()
    repo.checkout("main")
    repo.write("a", "3\r\n")
    repo.commit()
    repo.run("merge", "other", check=False)
    repo.git("config", "core.autocrlf", "true")
    assert dirty(repo) == {b"a": stored(repo, "a")}


def test_a_hook_is_not_started(repo):
    repo.write("a", "1\n")
    repo.commit()
    hook = repo.write(".git/hooks/post-index-change", "#!/bin/sh\necho ran >>../said\n")
    hook.chmod(0o755)
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "core.splitIndex", "true")
    repo.write("a", "2\r\n")
    assert dirty(repo)[b"a"].data == b"2\n"
    assert not repo.path.with_name("said").exists()


def test_a_refusal_of_a_filter_is_one_file_of_many(repo):
    for number in range(9):
        repo.write(f"{number}.up", "old\n")
    repo.write(".gitattributes", "*.up filter=up\n")
    repo.commit()
    repo.git("config", "filter.up.clean", "grep -v bad")
    repo.git("config", "filter.up.required", "true")
    for number in range(9):
        repo.write(f"{number}.up", "very bad\n" if number in (3, 7) else "very good\n")
    assert {path: file.skip for path, file in dirty(repo).items()} == {
        b"%d.up" % number: "unreadable" if number in (3, 7) else None for number in range(9)
    }


def test_no_room_for_temporary_files(repo, monkeypatch, tmp_path):
    repo.write("a", "1\n")
    repo.write("b", "1\n")
    repo.commit()
    repo.write("a", "2\n")
    repo.write("b", "2\r\n")
    repo.git("config", "core.autocrlf", "true")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    assert dirty(repo) == {b"a": stored(repo, "a"), b"b": skipped("b", "unreadable")}


# ---------------------------------------------------------------- what is not read


def test_too_large(repo):
    for path in ("edge", "over", "staged", "crlf"):
        repo.write(path, "1\n")
    repo.commit()
    repo.git("config", "core.autocrlf", "true")
    repo.write("edge", b"x" * 100)
    repo.write("over", b"x" * 101)
    repo.write("crlf", b"\r\n" * 51)
    repo.write("staged", b"x" * 101)
    repo.git("add", "staged")
    assert dirty(repo, limit=100) == {
        b"crlf": skipped("crlf", "too-large"),
        b"edge": stored(repo, "edge"),
        b"over": skipped("over", "too-large"),
        b"staged": skipped("staged", "too-large"),
    }


def test_a_huge_file_is_not_read(repo, monkeypatch):
    repo.write("huge", "1\n")
    repo.commit()
    with repo.file("huge").open("wb") as file:
        file.truncate(100 << 20)
    opened = open_repo(repo.path)
    out = start_status(opened, untracked=False).result()
    monkeypatch.setattr("gitsearch.git.worktree.regular_file.up_to", None)
    found = read_status(opened, Said(out), LIMIT)
    assert found.dirty == [skipped("huge", "too-large")]


def test_a_file_that_grows_is_not_read_to_its_end(repo, monkeypatch):
    repo.write("log", "1\n")
    repo.commit()
    repo.write("log", "x" * 2000)
    fstat = os.fstat

    def early(descriptor):
        status = fstat(descriptor)
        return os.stat_result((*status[:6], 10, *status[7:]))

    opened = open_repo(repo.path)
    running = start_status(opened, untracked=False)
    monkeypatch.setattr("gitsearch.git.worktree.os.fstat", early)
    found = read_status(opened, running, 1000)
    monkeypatch.undo()
    assert found.dirty == [skipped("log", "too-large")]


def test_a_symbolic_link_is_not_followed(repo, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    for path in ("file", "link", "dir/file", "staged"):
        repo.write(path, "1\n")
    repo.remove("link")
    repo.symlink("link", "file")
    repo.commit()
    for path in ("file", "link", "staged"):
        repo.remove(path)
        repo.symlink(path, str(secret))
    repo.git("add", "staged")
    repo.remove("dir")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("secret\n")
    repo.symlink("dir", str(tmp_path / "outside"))
    assert dirty(repo, untracked=True) == {
        b"dir": skipped("dir", "symlink", found_mode(repo, "dir")),
        b"dir/file": gone("dir/file"),
        b"file": skipped("file", "symlink", LINK),
        b"link": skipped("link", "symlink", LINK),
        b"staged": skipped("staged", "symlink", LINK),
    }


def found_mode(builder, path):
    """git status does not say the mode of what it does not track."""
    return next(
        file.mode for file in state(builder, untracked=True).dirty if file.path == path.encode()
    )


@pytest.mark.parametrize("depth", ["file", "folder"])
def test_a_link_that_appears_after_git_status_is_not_followed(repo, tmp_path, depth):
    repo.write("dir/file", "1\n")
    repo.commit()
    repo.write("dir/file", "changed\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("secret\n")
    opened = open_repo(repo.path)
    running = start_status(opened, untracked=False)
    out = running.result()
    if depth == "file":
        repo.remove("dir/file")
        repo.symlink("dir/file", str(outside / "file"))
    else:
        repo.remove("dir")
        repo.symlink("dir", str(outside))
    assert read_status(opened, Said(out), LIMIT).dirty == [skipped("dir/file", "symlink")]


class Said(Running):
    """A git status that has already been read."""

    def __init__(self, out: bytes) -> None:
        self.out = out

    def result(self, stdin: bytes | None = None, timeout: float | None = None) -> bytes:
        return self.out


def test_a_file_that_vanishes_after_git_status_is_gone(repo):
    for path in ("tracked", "crlf", "dir/deep"):
        repo.write(path, "1\n")
    repo.commit()
    for path in ("tracked", "crlf", "dir/deep", "untracked"):
        repo.write(path, "changed\r\n" if path == "crlf" else "changed\n")
    opened = open_repo(repo.path)
    out = start_status(opened, untracked=True).result()
    for path in ("tracked", "crlf", "dir", "untracked"):
        repo.remove(path)
    assert read_status(opened, Said(out), LIMIT).dirty == [
        gone("crlf"),
        gone("dir/deep"),
        gone("tracked"),
    ]


def test_a_pipe_is_not_opened(repo):
    repo.write("a", "1\n")
    repo.commit()
    repo.write("a", "changed\n")
    opened = open_repo(repo.path)
    out = start_status(opened, untracked=False).result()
    repo.remove("a")
    os.mkfifo(repo.file("a"))
    assert read_status(opened, Said(out), LIMIT).dirty == [skipped("a", "unreadable")]


def test_a_file_without_permission_is_unreadable(repo, monkeypatch):
    repo.write("a", "1\n")
    repo.commit()
    repo.write("a", "changed\n")
    opened = os.open

    def refuse(path, *args):
        # root, who may run this test, is never refused
        if path == repo.file("a"):
            raise PermissionError(13, "Permission denied", path)
        return opened(path, *args)

    monkeypatch.setattr("gitsearch.git.worktree.os.open", refuse)
    assert dirty(repo) == {b"a": skipped("a", "unreadable")}


def test_git_lfs_is_not_started(repo):
    repo.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    repo.write("a.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    repo.write("a.txt", "1\n")
    repo.commit()
    said = repo.path.with_name("said")
    for name in ("clean", "smudge", "process"):
        repo.git("config", f"filter.lfs.{name}", f"touch {said}; cat")
    repo.git("config", "filter.lfs.required", "true")
    repo.write("a.bin", "content\n")
    repo.write("new.bin", "content\n")
    repo.write("a.txt", "2\n")
    found = dirty(repo, untracked=True)
    assert not said.exists()
    assert found == {
        b"a.bin": skipped("a.bin", "lfs"),
        b"a.txt": stored(repo, "a.txt"),
        b"new.bin": skipped("new.bin", "lfs"),
    }


def test_a_staged_blob_that_is_lost_is_absent(repo):
    repo.write("a", "1\n")
    repo.commit()
    repo.write("a", "2\n")
    repo.git("add", "a")
    lost = repo.rev(":a")
    repo.file(f".git/objects/{lost[:2]}/{lost[2:]}").unlink()
    assert dirty(repo) == {b"a": skipped("a", "absent")}


def test_a_partial_clone_fetches_nothing(repo, tmp_path):
    for path in ("a", "b", "c"):
        repo.write(path, f"{path}\n")
    repo.commit()
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    clone.git("sparse-checkout", "set", "--no-cone", "/a")
    clone.git("checkout", "-q", "main")
    clone.write("a", "changed\n")
    clone.write("b", "new\n")
    missing = clone.git("rev-list", "--objects", "--missing=print", "--no-walk", "HEAD")
    assert missing.count("?") == 2
    found = state(clone).dirty
    assert clone.git("rev-list", "--objects", "--missing=print", "--no-walk", "HEAD") == missing
    assert [file.path for file in found] == [b"a", b"b"]
    assert [file.data for file in found] == [b"changed\n", b"new\n"]


def test_object_folders_of_the_environment(repo, tmp_path, monkeypatch):
    repo.write("a", "1\r\n")
    repo.commit()
    # a colon would end a path that is not quoted
    objects = tmp_path / 'ob:je"cts'
    repo.file(".git/objects").rename(objects)
    repo.file(".git/objects").mkdir()
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(objects))
    repo.git("config", "core.autocrlf", "true")
    repo.write("a", "2\r\n")
    assert dirty(repo) == {b"a": stored(repo, "a")}


# ---------------------------------------------------------------- staged


def test_staged_changes(repo):
    for path in ("changed", "removed", "kept"):
        repo.write(path, "1\n")
    repo.commit()
    old = repo.rev(":changed")
    repo.write("changed", "2\n")
    repo.write("added", "3\n")
    repo.git("add", "changed", "added")
    repo.git("rm", "-q", "removed")
    repo.write("changed", "not staged\n")
    repo.write("intended", "x\n")
    repo.git("add", "-N", "intended")
    entry = TreeEntry
    assert staged(open_repo(repo.path), repo.rev("HEAD^{tree}")) == [
        TreeChange(b"added", None, entry(b"added", repo.rev(":added"), FILE)),
        TreeChange(
            b"changed",
            entry(b"changed", old, FILE),
            entry(b"changed", repo.rev(":changed"), FILE),
        ),
        TreeChange(b"removed", entry(b"removed", old, FILE), None),
    ]


def test_everything_is_staged_before_the_first_commit(repo):
    repo.write("a", "1\n")
    repo.git("add", "a")
    new = TreeEntry(b"a", repo.rev(":a"), FILE)
    assert staged(open_repo(repo.path), None) == [TreeChange(b"a", None, new)]


def test_a_file_is_untracked_or_not(repo):
    repo.having({"kept.txt": "a\n", ".gitignore": "made.txt\n"})
    for path in ("new.txt", "made.txt", "[n]ew.txt", "folder/new.txt"):
        repo.write(path, "x\n")
    repo.git("init", "-q", "sub")
    repo.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "first")
    repo.git("add", "sub")
    repo.write("sub/inner.txt", "x\n")
    opened = open_repo(repo.path)
    paths = ("new.txt", "made.txt", "[n]ew.txt", "folder/new.txt")
    assert [path for path in paths if not is_untracked(opened, path.encode())] == []
    others = ("kept.txt", "folder", "sub", "sub/inner.txt", "nowhere", "")
    assert [path for path in others if is_untracked(opened, path.encode())] == []
