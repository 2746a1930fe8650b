"""Trees that git itself would not make: every verb ends in order, and a path has one file."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest

from gitsearch.cli.application import run
from gitsearch.git import repo as repository
from gitsearch.git.tree_objects import diff_trees
from gitsearch.git.trees import diff_index, list_tree
from tests.builder import RepoBuilder
from tests.hostile.outcome import CODES

pytestmark = pytest.mark.long

FILE, TREE, LINK, SUBMODULE = b"100644", b"40000", b"120000", b"160000"
ZERO, NOWHERE = "0" * 40, "1" * 40
TEXTS = {
    "one": b"def helper(value):\n    return value + 1\n",
    "two": b"def other(value):\n    return helper(value) + 2\n",
    "main": b"from app.util import helper\n\nprint(helper(1))\n",
    "rules": b"*.py linguist-generated=false\n",
}


def make_tree(repo, entries):
    """A tree object with just these entries, whatever git thinks of them."""
    data = b"".join(b"%s %s\0%s" % (mode, name, bytes.fromhex(oid)) for mode, name, oid in entries)
    return repo.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=data)


def commit_of(repo, tree, *parents):
    """A commit of a tree, which git need not be able to read."""
    lines = [f"tree {tree}", *(f"parent {one}" for one in parents)]
    lines += [f"{who} a <a@example.org> 1700000000 +0000" for who in ("author", "committer")]
    data = "\n".join([*lines, "", "odd", ""]).encode()
    return repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=data)


def nested(repo, tree, depth):
    """A tree below so many folders."""
    lines = []
    for _ in range(depth):
        lines.append(f"040000 tree {tree}\td\n\n")
        data = b"40000 d\0" + bytes.fromhex(tree)
        tree = hashlib.sha1(b"tree %d\0%s" % (len(data), data)).hexdigest()
    repo.git("mktree", "--missing", "--batch", stdin="".join(lines).encode())
    return tree


def odd_trees(repo, oid, app, other):
    """Name by name the entries of a tree."""
    one, two = oid["one"], oid["two"]
    folder, attributes = (TREE, b"app", app), (FILE, b".gitattributes", oid["rules"])
    return {
        "a path twice": [(FILE, b"a.py", one), (FILE, b"a.py", two), folder],
        "a path twice, the same": [(FILE, b"a.py", one), (FILE, b"a.py", one), folder],
        "a folder twice": [folder, (TREE, b"app", other)],
        "a file and a folder": [(FILE, b"app", one), folder],
        "a folder and a file": [folder, (FILE, b"app", one)],
        "attributes twice": [attributes, (FILE, b".gitattributes", one), folder],
        "rules twice": [(FILE, b"CODEOWNERS", one), (FILE, b"CODEOWNERS", two), folder],
        "a slash": [(FILE, b"app/util.py", two), folder],
        "two slashes": [(FILE, b"a//b.py", two), folder],
        "dot git": [(TREE, b".git", app), (FILE, b"a.py", one)],
        "two dots": [(TREE, b"..", app), (FILE, b"a.py", one)],
        "two dots in a name": [(FILE, b"../../etc/x.py", two), folder],
        "a dot": [(FILE, b".", one), folder],
        "from the root": [(FILE, b"/etc/x.py", two), folder],
        "no name": [(FILE, b"", one), folder],
        "a folder without a name": [(TREE, b"", app), (FILE, b"a.py", one)],
        "line feeds": [(FILE, b"a\nb.py", one), (FILE, b"a\tb.py", two), folder],
        "escapes": [(FILE, b"\x1b[2J\x1b]0;x\x07.py", one), folder],
        "magic": [(FILE, b":(top,glob)**.py", one), (FILE, b"--output=x.py", two), folder],
        "not sorted": [(FILE, b"z.py", two), folder, (FILE, b"a.py", one)],
        "modes of nonsense": [(b"777777", b"a.py", one), (b"100000", b"b.py", two), folder],
        "no mode": [(b"0", b"a.py", one), folder],
        "a mode of thirty digits": [(b"7" * 30, b"a.py", one), folder],
        "a mode that is not octal": [(b"100689", b"a.py", one), folder],
        "a blob as a folder": [(TREE, b"a.py", one), folder],
        "a tree as a file": [(FILE, b"a.py", app), (LINK, b"b.py", app), folder],
        "odd submodules": [(SUBMODULE, b".gitattributes", one), (SUBMODULE, b"a", ZERO), folder],
        "rules that are none": [(TREE, b"AGENTS.md", app), (SUBMODULE, b"CODEOWNERS", one)],
        "zeros": [(FILE, b"a.py", ZERO), (FILE, b".gitattributes", ZERO), folder],
        "a folder of zeros": [(TREE, b"app", ZERO), (FILE, b"a.py", one)],
        "what is not there": [(FILE, b"a.py", NOWHERE), folder],
        "a folder that is not there": [(TREE, b"app", NOWHERE), (FILE, b"a.py", one)],
        "a long name": [(FILE, b"x" * 5000 + b".py", one), folder],
        "deep": [(TREE, b"d", nested(repo, app, 2000)), (FILE, b"a.py", one)],
    }  # fmt: skip


def names_of_cases():
    """The cases without a repository to make them in."""

    class Nowhere:
        def git(self, *_, **__):
            return ZERO

    return list(odd_trees(Nowhere(), dict.fromkeys(TEXTS, ZERO), ZERO, ZERO))


@pytest.fixture(scope="module")
def odd(tmp_path_factory, isolation):
    """A repository with an ordinary main that is indexed; the commit of each case by its name."""
    repo = RepoBuilder(tmp_path_factory.mktemp("odd") / "repo")
    oid = {
        name: repo.git("hash-object", "-w", "--stdin", stdin=text) for name, text in TEXTS.items()
    }
    app = make_tree(repo, [(FILE, b"main.py", oid["main"]), (FILE, b"util.py", oid["one"])])
    other = make_tree(repo, [(FILE, b"util.py", oid["two"])])
    main = commit_of(repo, make_tree(repo, [(FILE, b"a.py", oid["one"]), (TREE, b"app", app)]))
    repo.git("update-ref", "refs/heads/main", main)
    cases = odd_trees(repo, oid, app, other)
    commits = {name: commit_of(repo, make_tree(repo, some), main) for name, some in cases.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(repo.path)
        assert run(["index", "-q", "--at", "main"]) == 0
    return repo, commits


@pytest.fixture
def ask(monkeypatch, capfd):
    """Runs a verb in a repository and requires an orderly end; returns the code and the output."""

    def asked(repo, *words):
        monkeypatch.chdir(repo.path)
        code = run(words)
        out, err = capfd.readouterr()
        assert code in CODES, (words, code, err)
        assert "internal error" not in out + err, (words, err)
        assert "Traceback" not in out + err, (words, err)
        assert "\x1b" not in out + err
        return code, out

    return asked


VERBS = (
    ("helper",),
    ("helper", "--grep", "helper"),
    ("helper", "--", "app"),
    ("map",),
    ("architecture",),
    ("impact", "a.py"),
    ("impact", "app/util.py:1"),
    ("related", "a.py"),
    ("def", "helper"),
    ("refs", "helper"),
    ("outline", "a.py"),
    ("exists", "helper"),
    ("conventions",),
    ("index",),
)


@pytest.mark.parametrize("case", names_of_cases())
def test_every_verb_ends_in_order(odd, ask, case):
    repo, commits = odd
    rev = commits[case]
    for verb in VERBS:
        ask(repo, verb[0], "--at", rev, *verb[1:])
    ask(repo, "report", "--base", "main", "--head", rev)
    ask(repo, "report", "--base", rev, "--head", "main", "--json")
    ask(repo, "impact", "--diff", f"main..{rev}")
    ask(repo, "dup", f"--changed=main..{rev}")
    ask(repo, "share", "export", "--at", rev, "../made.share")
    ask(repo, "share", "import", "../made.share")


@pytest.mark.parametrize("case", names_of_cases()[::3])
def test_every_verb_ends_in_order_where_head_is_such_a_tree(odd, ask, tmp_path, case):
    origin, commits = odd
    shutil.copytree(origin.path, tmp_path / "repo", symlinks=True)
    repo = RepoBuilder.adopt(tmp_path / "repo")
    repo.git("update-ref", "refs/heads/main", commits[case])
    repo.run("read-tree", "HEAD", check=False)
    for verb in (
        *(("helper",), ("helper", "--cached"), ("map", "--cached"), ("status", "--skipped")),
        *(("report", "--cached"), ("conventions", "--cached"), ("exists", "--cached", "helper")),
        *(("impact", "--cached"), ("dup",), ("hooks", "status"), ("verify",), ("gc",)),
        ("sql", "select count(*) from chunk"),
    ):
        ask(repo, *verb)


SEQUENCES = ("X", "Y", "XX", "XY", "YX", "ZY", "XZ", "YZ", "")


@pytest.fixture(scope="module")
def repeated(tmp_path_factory, isolation):
    """A repository, the blobs by letter, and the tree that names a.py once for each letter."""
    repo = RepoBuilder(tmp_path_factory.mktemp("repeated") / "repo")
    text = "def f_{}():\n    return 'word{}'\n"
    oid = {
        one: repo.git("hash-object", "-w", "--stdin", stdin=text.format(one, one).encode())
        for one in "XYZ"
    }
    rest = [(FILE, b"b%d.py" % number, oid["Z"]) for number in range(8)]
    trees = {
        some: make_tree(repo, [*((FILE, b"a.py", oid[one]) for one in some), *rest])
        for some in SEQUENCES
    }
    return repo, oid, trees


@pytest.mark.parametrize("old", SEQUENCES)
def test_of_a_path_that_is_there_twice_the_last_counts(repeated, old):
    """As in the index and the working tree after a checkout."""
    builder, oid, trees = repeated
    repo = repository.open_repo(builder.path)
    listed = {entry.path: entry.oid for entry in list_tree(repo, trees[old])}
    assert len(list_tree(repo, trees[old])) == len(listed)
    assert listed.get(b"a.py") == (oid[old[-1]] if old else None)
    for new in SEQUENCES:
        found = [
            (one.path, one.old and one.old.oid, one.new and one.new.oid)
            for one in diff_trees(repo, trees[old], trees[new])
        ]
        before, after = (oid[some[-1]] if some else None for some in (old, new))
        assert found == ([] if before == after else [(b"a.py", before, after)]), new
    if old:
        builder.git("read-tree", trees[old])
        assert [(one.path, one.new and one.new.oid) for one in diff_index(repo, trees[""])] == [
            (b"a.py", oid[old[-1]])
        ]


@pytest.mark.parametrize("old", ["XX", "XY"])
def test_an_index_that_grew_answers_as_a_new_one_does(repeated, ask, tmp_path, old):
    origin, _, trees = repeated
    for new in ("X", "ZY", "XZ"):
        answers = []
        for first in (trees[old], None):
            repo = RepoBuilder.adopt(tmp_path / f"{new}-{bool(first)}")
            shutil.copytree(origin.path, repo.path, symlinks=True)
            if first:
                ask(repo, "index", "-q", "--at", first)
            _, out = ask(repo, "word", "--json", "--at", trees[new], "-k", "20")
            _, shown = ask(repo, "map", "--json", "--at", trees[new])
            places = [(one["path"], one["symbol"]) for one in json.loads(out)["results"]]
            answers.append((places, shown))
            assert len({path for path, _ in places}) == len(places)
        assert answers[0] == answers[1]
