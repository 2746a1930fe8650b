"""Trees and the index as git has them, pathspecs and patterns as git understands them."""

import itertools
import os
import random

import pytest

from gitsearch.errors import BadPath, GitFailed, UsageError
from gitsearch.git.repo import head, open_repo
from gitsearch.git.tree_objects import diff_trees, entries_at
from gitsearch.git.trees import (
    EMPTY_TREE,
    absent_objects,
    diff_index,
    grep_tree,
    grep_worktree,
    list_index,
    list_tree,
    match_paths,
    match_worktree,
)
from gitsearch.records import DirtyFile, TreeChange, TreeEntry
from tests.builder import RepoBuilder

ODD_PATHS = [
    b"sp ace",
    b'quo"te',
    b"back\\slash",
    b"new\nline",
    b"tab\there",
    b"not-utf8-\xff\xfe",
    "ünïcode".encode(),
    b"CASE",
    b"case",
    b"-option",
    b":(exclude)magic",
    b"*",
]


def entry(builder, path, rev=""):
    """The entry of a path in a revision, or staged, as git prints it."""
    mode = builder.git("ls-tree", "-z", rev, path) if rev else builder.git("ls-files", "-s", path)
    return TreeEntry(path.encode(), builder.rev(f"{rev}:{path}"), int(mode.split()[0], 8))


def tree_of(builder, rev="HEAD"):
    return builder.rev(f"{rev}^{{tree}}")


# ---------------------------------------------------------------- trees


def test_a_tree(repo):
    repo.write("a/b/c.txt", "c\n")
    repo.write("run", "x\n").chmod(0o755)
    repo.symlink("link", "run")
    repo.commit()
    assert list_tree(open_repo(repo.file("a")), tree_of(repo)) == [
        TreeEntry(b"a/b/c.txt", repo.rev("HEAD:a/b/c.txt"), 0o100644),
        TreeEntry(b"link", repo.rev("HEAD:link"), 0o120000),
        TreeEntry(b"run", repo.rev("HEAD:run"), 0o100755),
    ]


def test_a_submodule_is_an_entry(repo, tmp_path):
    inner = RepoBuilder(tmp_path / "inner")
    commit = inner.commit_staged()
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", str(inner.path), "sub")
    repo.commit()
    entries = list_tree(open_repo(repo.path), tree_of(repo))
    assert TreeEntry(b"sub", commit, 0o160000) in entries
    assert list_index(open_repo(repo.path)) == entries


def test_odd_paths(repo):
    for path in ODD_PATHS:
        repo.write(path, path)
    repo.commit()
    opened = open_repo(repo.path)
    assert [one.path for one in list_tree(opened, tree_of(repo))] == sorted(ODD_PATHS)
    assert [one.path for one in list_index(opened)] == sorted(ODD_PATHS)
    changes = diff_trees(opened, EMPTY_TREE[40], tree_of(repo))
    assert [one.path for one in changes] == sorted(ODD_PATHS)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_the_empty_tree_and_the_empty_index(tmp_path, object_format):
    built = RepoBuilder(tmp_path / "new", object_format=object_format)
    opened = open_repo(built.path)
    empty = EMPTY_TREE[opened.hexsz]
    assert built.git("hash-object", "-t", "tree", "--stdin", stdin=b"") == empty
    assert list_tree(opened, empty) == []
    assert list_index(opened) == []
    assert diff_trees(opened, empty, empty) == []
    assert match_paths(opened, empty, ["*"]) == set()
    assert match_worktree(opened, ["*"], untracked=True) == set()
    assert grep_tree(opened, empty, "x") == {}
    built.commit_staged("nothing")
    at = head(opened)
    assert at is not None
    assert at.tree == empty


def test_differences_of_trees(repo):
    for path in ("changed", "removed", "kept", "mode", "kind"):
        repo.write(path, f"{path}\n")
    repo.commit()
    repo.write("changed", "other\n")
    repo.remove("removed")
    repo.write("added/here", "added\n")
    repo.file("mode").chmod(0o755)
    repo.remove("kind")
    repo.symlink("kind", "mode")
    repo.commit()
    # settings of a person change nothing
    repo.git("config", "diff.renames", "copies")
    repo.git("config", "diff.noprefix", "true")
    repo.git("config", "diff.relative", "true")
    repo.git("config", "core.abbrev", "4")
    old, new = (lambda path: entry(repo, path, "HEAD~1")), (lambda path: entry(repo, path, "HEAD"))
    opened = open_repo(repo.file("added"))
    assert diff_trees(opened, tree_of(repo, "HEAD~1"), tree_of(repo)) == [
        TreeChange(b"added/here", None, new("added/here")),
        TreeChange(b"changed", old("changed"), new("changed")),
        TreeChange(b"kind", old("kind"), new("kind")),
        TreeChange(b"mode", old("mode"), new("mode")),
        TreeChange(b"removed", old("removed"), None),
    ]


# ---------------------------------------------------------------- the index


def test_the_index_holds_what_is_staged(repo):
    repo.write("kept", "1\n")
    repo.write("staged", "1\n")
    repo.write("gone", "1\n")
    repo.commit()
    repo.write("staged", "2\n")
    repo.git("add", "staged")
    repo.git("rm", "-q", "gone")
    repo.write("staged", "3\n")
    assert list_index(open_repo(repo.path)) == [entry(repo, "kept"), entry(repo, "staged")]


def test_intent_to_add_is_not_in_the_index(repo):
    repo.write("empty", "")
    repo.write("intended", "")
    repo.git("add", "empty")
    repo.git("add", "-N", "intended")
    assert list_index(open_repo(repo.path)) == [entry(repo, "empty")]


@pytest.fixture
def conflict(repo):
    """A merge that stopped: both changed, changed and deleted, deleted and changed, both added."""
    for path in ("both", "ours", "theirs", "quiet"):
        repo.write(path, "base\n")
    repo.commit()
    repo.branch("other")
    for path in ("both", "theirs", "added"):
        repo.write(path, "theirs\n")
    repo.remove("ours")
    repo.commit()
    repo.checkout("main")
    for path in ("both", "ours", "added"):
        repo.write(path, "ours\n")
    repo.remove("theirs")
    repo.commit()
    assert repo.run("merge", "other", check=False).returncode == 1
    return repo


def test_a_conflict_is_our_side_or_theirs(conflict):
    opened = open_repo(conflict.path)
    found = {one.path: one.oid for one in list_index(opened)}
    assert found == {
        b"added": conflict.rev("main:added"),
        b"both": conflict.rev("main:both"),
        b"ours": conflict.rev("main:ours"),
        b"quiet": conflict.rev("main:quiet"),
        b"theirs": conflict.rev("other:theirs"),
    }
    assert diff_index(opened, tree_of(conflict)) == [
        TreeChange(b"theirs", None, TreeEntry(b"theirs", conflict.rev("other:theirs"), 0o100644))
    ]


def test_a_sparse_index_is_whole(repo):
    for path in ("in/a", "out/b", "out/deep/c", "top"):
        repo.write(path, f"{path}\n")
    repo.commit()
    before = list_index(open_repo(repo.path))
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    assert not repo.file("out").exists()
    assert "out/\n" in repo.git("ls-files", "--sparse") + "\n"
    assert list_index(open_repo(repo.path)) == before


def test_a_split_index(repo):
    repo.write("a", "a\n")
    repo.commit()
    repo.git("update-index", "--split-index")
    repo.write("b", "b\n")
    repo.git("add", "b")
    assert list_index(open_repo(repo.path)) == [entry(repo, "a"), entry(repo, "b")]


def test_a_bare_repository_has_no_index(repo, tmp_path):
    repo.write("a", "a\n")
    repo.commit()
    bare = repo.clone(tmp_path / "bare", "--bare")
    assert list_index(open_repo(bare.path)) == []


# ---------------------------------------------------------------- pathspecs


@pytest.fixture
def many(repo):
    for path in ("a.py", "A.PY", "src/b.py", "src/deep/c.py", "src/d.txt", "tests/e.py", "[x].py"):
        repo.write(path, "x\n")
    repo.write(".gitattributes", "*.txt words\n")
    repo.commit()
    return repo


MATCHES = [
    ("", ["*.py"], {"a.py", "src/b.py", "src/deep/c.py", "tests/e.py", "[x].py"}),
    ("", [":(glob)*.py"], {"a.py", "[x].py"}),
    ("", [":(glob)src/**/*.py"], {"src/b.py", "src/deep/c.py"}),
    ("", [":(icase)a.py"], {"a.py", "A.PY"}),
    ("", ["src", ":(exclude)src/deep"], {"src/b.py", "src/d.txt"}),
    ("", [":!src", ":!tests", ":!*.PY"], {".gitattributes", "a.py", "[x].py"}),
    ("", ["[x].py"], {"[x].py"}),
    ("", [":(literal)[x].py"], {"[x].py"}),
    ("", [":(attr:words)"], {"src/d.txt"}),
    ("", ["nothing"], set()),
    ("", ["--output=x"], set()),
    ("src", ["*.py"], {"src/b.py", "src/deep/c.py"}),
    ("src", ["."], {"src/b.py", "src/deep/c.py", "src/d.txt"}),
    ("src", ["../tests"], {"tests/e.py"}),
    ("src", [":/a.py", ":(top)tests"], {"a.py", "tests/e.py"}),
]


@pytest.mark.parametrize(("folder", "pathspecs", "expected"), MATCHES)
def test_pathspecs_are_gits(many, folder, pathspecs, expected):
    opened = open_repo(many.file(folder))
    paths = {path.encode() for path in expected}
    assert match_paths(opened, tree_of(many), pathspecs) == paths
    assert match_worktree(opened, pathspecs, untracked=False) == paths


def test_untracked_files_only_if_asked(many):
    many.write("src/new.py", "x\n")
    many.write("src/ignored.py", "x\n")
    many.write(".git/info/exclude", "ignored.py\n")
    opened = open_repo(many.file("src"))
    tracked = {b"src/b.py", b"src/deep/c.py"}
    assert match_worktree(opened, ["*.py"], untracked=False) == tracked
    assert match_worktree(opened, ["*.py"], untracked=True) == tracked | {b"src/new.py"}
    assert match_paths(opened, tree_of(many), ["*.py"]) == tracked


def test_pathspec_settings_of_the_environment_are_gits(many, monkeypatch):
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    assert match_paths(open_repo(many.path), tree_of(many), ["*.py"]) == set()


def test_pathspecs_of_a_bare_repository(many, tmp_path):
    bare = many.clone(tmp_path / "bare", "--bare")
    opened = open_repo(bare.path)
    assert match_paths(opened, tree_of(many), ["src/*.txt"]) == {b"src/d.txt"}
    assert match_worktree(opened, ["*"], untracked=True) == set()


@pytest.mark.parametrize(
    ("pathspec", "message"),
    [
        (":(wrong)x", "Invalid pathspec magic 'wrong' in ':\\(wrong\\)x'"),
        (":(glob", "Missing '\\)' at the end of pathspec magic"),
        ("../x", "is outside repository"),
        ("", "empty string is not a valid pathspec"),
    ],
)
def test_a_bad_pathspec(many, pathspec, message):
    opened = open_repo(many.path)
    with pytest.raises(BadPath, match=message):
        match_paths(opened, tree_of(many), [pathspec])
    with pytest.raises(BadPath, match=message):
        match_worktree(opened, [pathspec], untracked=True)


# ---------------------------------------------------------------- patterns


def test_lines_that_match(repo):
    repo.write("src/a", "one\ntwo\nthree")
    repo.write(b"new\nline", "two\n")
    repo.write(b"3\xff", "two two\n")
    repo.write("binary", b"two\n\0")
    repo.write("late", b"two\n" + b"x" * 9000 + b"\0 two\nand two\n")
    repo.symlink("two", "two")
    repo.commit()
    assert grep_tree(open_repo(repo.file("src")), tree_of(repo), "^t|two") == {
        b"3\xff": [1],
        b"late": [1, 2, 3],
        b"new\nline": [1],
        b"src/a": [2, 3],
    }


def test_patterns_are_of_characters(repo):
    repo.write("a", "caf\u00e9\n\u00e8\n")
    repo.commit()
    opened = open_repo(repo.path)
    assert grep_tree(opened, tree_of(repo), "caf.$") == {b"a": [1]}
    assert grep_tree(opened, tree_of(repo), "[\u00e9]") == {b"a": [1]}


@pytest.mark.parametrize("pattern", ["--output=x", "-e", "x|--", ""])
def test_a_pattern_is_never_an_option(repo, pattern):
    repo.write("a", "--output=x -e\n")
    repo.commit()
    assert grep_tree(open_repo(repo.path), tree_of(repo), pattern) == {b"a": [1]}


def test_settings_for_grep_do_not_count(repo):
    repo.write("a", "x+\n")
    repo.commit()
    for name, value in {
        "grep.patternType": "fixed",
        "grep.column": "true",
        "grep.lineNumber": "false",
        "grep.fullName": "false",
        "color.grep": "always",
        "submodule.recurse": "true",
    }.items():
        repo.git("config", name, value)
    assert grep_tree(open_repo(repo.path), tree_of(repo), "^x\\+$") == {b"a": [1]}


def test_what_is_checked_out_does_not_count(repo):
    repo.write("a.txt", "x\n")
    repo.commit()
    repo.write(".gitattributes", "*.txt binary\n")
    assert grep_tree(open_repo(repo.path), tree_of(repo), "x") == {b"a.txt": [1]}


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "[", "\0"])
def test_a_bad_pattern(repo, pattern):
    repo.write("a", "x\n")
    repo.commit()
    opened = open_repo(repo.path)
    with pytest.raises(UsageError):
        grep_tree(opened, tree_of(repo), pattern)
    with pytest.raises(UsageError):
        grep_worktree(opened, pattern, [DirtyFile(b"a", "", 0o100644, b"x\n")])


def test_lines_that_match_in_files(repo):
    files = [
        DirtyFile(b"a\nb\xff", "", 0o100644, b"one\ntwo\n"),
        DirtyFile(b"gone", "", 0o100644, None),
        DirtyFile(b"big", "", 0o100644, None, "too-large"),
        DirtyFile(b"binary", "", 0o100644, b"two\n\0"),
        DirtyFile(b"none", "", 0o100644, b"one\n"),
        DirtyFile(b"../../up", "", 0o100644, b"two"),
    ]
    opened = open_repo(repo.path)
    assert grep_worktree(opened, "two$", files) == {b"a\nb\xff": [2], b"../../up": [1]}
    assert grep_worktree(opened, "two$", []) == {}


# ---------------------------------------------------------------- what is not here


def test_nothing_is_absent(repo):
    repo.write("a", "a\n")
    repo.commit()
    assert absent_objects(open_repo(repo.path), tree_of(repo)) == set()


def test_a_partial_clone_fetches_nothing(repo, tmp_path):
    repo.write("here", "here\n")
    repo.write("src/there", "here and there\n")
    repo.commit()
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    # what is needed is fetched by git when asked for, and only that
    clone.git("checkout", "HEAD", "--", "here")
    missing = repo.rev("HEAD:src/there")
    opened = open_repo(clone.path)
    assert absent_objects(opened, tree_of(repo)) == {missing}
    assert len(list_tree(opened, tree_of(repo))) == 2
    assert match_paths(opened, tree_of(repo), ["src"]) == {b"src/there"}
    assert grep_tree(opened, tree_of(repo), "here") == {b"here": [1]}
    assert len(diff_trees(opened, EMPTY_TREE[40], tree_of(repo))) == 2
    assert absent_objects(opened, tree_of(repo)) == {missing}


def test_a_lost_blob_is_absent(repo):
    repo.write("kept", "x\n")
    repo.write("lost", "x x\n")
    repo.commit()
    lost = repo.rev("HEAD:lost")
    repo.file(f".git/objects/{lost[:2]}/{lost[2:]}").unlink()
    opened = open_repo(repo.path)
    assert absent_objects(opened, tree_of(repo)) == {lost}
    assert grep_tree(opened, tree_of(repo), "x") == {b"kept": [1]}


def test_old_modes_and_entries_at_some_paths(repo):
    """Old versions of git wrote 100664; it means 100644."""
    repo.having({"a": "a\n", "b": "b\n", "c/d/e": "e\n"})
    repo.commit()
    opened, tree = open_repo(repo.path), tree_of(repo)
    known = entries_at(opened, repo.rev(), [b"a", b"c/d/e", b"c", b"c/d/", b"c/x", b"none/x"])
    assert list(known) == [b"a", b"c/d/e"]
    assert list(known.values()) == [one for one in list_tree(opened, tree) if one.path != b"b"]
    entry = b"100664 a\0" + bytes.fromhex(known[b"a"].oid)
    old = repo.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=entry)
    assert list_tree(opened, old) == [known[b"a"]]
    gone = {change.path: change.new for change in diff_trees(opened, tree, old)}
    assert gone == {b"b": None, b"c/d/e": None}


def test_differences_are_gits(repo):
    """Random folders, files that become folders, and the other way round."""
    rng = random.Random(5)
    oids = "1" * 40, "2" * 40
    names = ["a", "a-b", "a.b", "b", "ab"]
    trees = []
    for _ in range(12):
        repo.git("rm", "-rq", "--cached", "--ignore-unmatch", ".")
        chosen: list[str] = []
        for _ in range(20):
            path = "/".join(rng.choice(names) for _ in range(rng.randint(1, 4)))
            clash = [p for p in chosen if inside(p, path) or inside(path, p)]
            if not clash:
                chosen.append(path)
        modes = ["100644", "100755"]
        lines = [f"{rng.choice(modes)} {rng.choice(oids)}\t{path}" for path in chosen]
        repo.git("update-index", "--index-info", stdin="\n".join([*lines, ""]).encode())
        trees.append(repo.git("write-tree", "--missing-ok"))
    opened = open_repo(repo.path)
    for old, new in itertools.permutations(trees, 2):
        raw = repo.git("diff-tree", "-r", "--no-renames", "--no-abbrev", old, new)
        expected = [line.split() for line in raw.splitlines()]
        found = diff_trees(opened, old, new)
        assert [os.fsdecode(change.path) for change in found] == [line[5] for line in expected]
        for change, (before, after, was, now, *_) in zip(found, expected, strict=True):
            assert _told(change.old) == (before.removeprefix(":"), was)
            assert _told(change.new) == (after, now)


@pytest.mark.parametrize("mode", [b"", b"98", b"100689", b"-1", b"+7", b"0x1"])
def test_a_mode_that_is_none_is_one_error(repo, mode):
    repo.having({"a": "a\n"})
    repo.commit()
    opened, tree = open_repo(repo.path), tree_of(repo)
    entry = mode + b" a\0" + bytes.fromhex(repo.rev("HEAD:a"))
    odd = repo.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=entry)
    with pytest.raises(GitFailed, match="damaged"):
        diff_trees(opened, tree, odd)


def inside(path, folder):
    return f"{path}/".startswith(f"{folder}/")


def _told(entry):
    return (f"{entry.mode:06o}", entry.oid) if entry else ("0" * 6, "0" * 40)
