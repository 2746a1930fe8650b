"""What is said of a change: the record that all forms are made from."""

import pytest

from gitsearch.commands.report import ReportRequest, report
from gitsearch.errors import BadRevision, UsageError
from gitsearch.render import report_markdown, report_text
from gitsearch.render.color import Paint
from gitsearch.render.json_document import change_report, dump
from tests.unit.commands.asked import session, warm_parsers

FILES = {
    ".github/CODEOWNERS": "* @all\n",
    "app/__init__.py": "",
    "app/core.py": "from app import tools\n\n\ndef start(x):\n    return tools.fold(x)\n",
    "app/tools.py": "def fold(x):\n    return x\n\n\ndef spread(x):\n    return x\n",
    "app/cli.py": "from app.core import start\nfrom app.tools import spread\n\nspread(start(1))\n",
    "app/ring.py": "x = 1\n",
    "tests/test_core.py": "from app.core import start\n\n\ndef test_it():\n    assert start(1)\n",
}


@pytest.fixture
def repo(repo):
    return repo.having({**FILES, "logo.png": b"\x89PNG\0\0"})


def asked(repo, base="HEAD~1", **options):
    warm_parsers()
    return report(session(repo.path), ReportRequest(base, **options))


@pytest.fixture
def unowned(repo):
    """Files with lines and commits of three people, and no owners."""
    repo.remove(".github/CODEOWNERS")
    repo.commit()
    for name, text in (("Ann", "a = 1\n" * 6), ("Bob", "b = 1\n" * 3), ("Cay", "c = 1\n")):
        repo.append("app/ring.py", text)
        repo.git("add", "-A")
        repo.git("commit", "-q", "-m", name, f"--author={name} <{name}@example.com>")
        repo.tick()
    return repo


def test_who_knows_the_code_is_named_where_it_has_no_owners(unowned):
    unowned.replace("app/ring.py", "x = 1\n", "x = 2\n")
    unowned.append("app/new.py", "from app import ring\n")
    unowned.git("add", "-A")
    unowned.git("commit", "-q", "-m", "Mine", "--author=Bob <Bob@example.com>")
    found = asked(unowned)
    known = [(one.author, one.lines, one.commits) for one in found.reviewers]
    # Bob made the change
    assert known == [("Ann", 6, 1), ("Cay", 1, 1), ("A. Author", 1, 0)]
    unowned.write(".mailmap", "Anna <Ann@example.com>\n")
    assert asked(unowned).reviewers[0].author == "Anna"
    unowned.remove("app/core.py")
    unowned.commit()
    whole = asked(unowned, "HEAD~2")
    assert "`Anna` (6 lines, 1 commit)" in "".join(report_markdown.markdown(whole))
    assert "Anna (6 lines, 1 commit)" in said(whole)


def test_where_all_has_owners_nobody_else_is_named(unowned):
    unowned.write(".github/CODEOWNERS", "/app/ @ann\n")
    unowned.commit()
    unowned.append("app/ring.py", "y = 2\n")
    unowned.commit()
    assert asked(unowned).reviewers == ()
    unowned.append("logo.txt", "y = 2\n")
    unowned.commit()
    assert asked(unowned, "HEAD~2").reviewers[0].author == "Ann"


def test_a_staged_change_has_no_reviewers_yet(unowned):
    unowned.append("app/ring.py", "y = 2\n")
    unowned.git("add", "-A")
    assert asked(unowned, cached=True).reviewers == ()


def said(found):
    return "".join(report_text.lines(found, Paint()))


def test_what_a_change_touches(repo):
    repo.replace("app/tools.py", "return x\n\n\ndef", "return x + 1\n\n\ndef")
    repo.commit()
    found = asked(repo)
    assert [(one.path, one.status) for one in found.changes] == [("app/tools.py", "modified")]
    assert [one.path for one in found.dependents] == [
        "app/core.py",
        "tests/test_core.py",
        "app/cli.py",
    ]
    assert found.tests == ("tests/test_core.py",)
    assert found.dependents[0].owners == ("@all",)
    assert (found.dangling, found.exports, found.cycles) == ((), (), ())
    assert found.base.commit == repo.rev("HEAD~1")
    assert found.head.tree == repo.rev("HEAD^{tree}")
    assert not found.silent


def test_imports_that_lead_nowhere_are_the_first_thing_said(repo):
    repo.remove("app/tools.py")
    repo.commit()
    found = asked(repo)
    assert [(one.path, one.line, one.target) for one in found.dangling] == [
        ("app/cli.py", 2, "app/tools.py"),
        ("app/core.py", 1, "app/tools.py"),
    ]
    first, blank, title, line = said(found).splitlines()[:4]
    assert first.startswith("2 broken references, ")
    assert (blank, title) == ("", "Broken imports and uses")
    assert line == "app/cli.py:2 imports app.tools, but app/tools.py is gone"


@pytest.mark.slow
def test_who_only_has_a_name_like_it_uses_no_export(repo):
    own = "from app import tools\n\n\ndef spread(x):\n    return tools.fold(x)\n"
    repo.having({"app/own.py": own + "\n\nspread(1)\n"})
    repo.having({"app/told.py": "from app import tools\n\n# no spread here\ntools.fold(1)\n"})
    repo.having({"app/wrong.py": "from app import tools\n\nx = tools.spread\n"})
    repo.replace("app/tools.py", "spread(x)", "spread(x, y)")
    repo.commit()
    (changed,) = asked(repo).exports
    assert changed.users == (("app/cli.py", 2), ("app/wrong.py", 3))


def test_a_changed_signature_and_who_uses_it(repo):
    repo.replace("app/tools.py", "def spread(x)", "def spread(x, y)")
    repo.commit()
    (lost,) = asked(repo).exports
    assert (lost.symbol, lost.users) == ("spread", (("app/cli.py", 2),))


def test_a_file_that_defines_the_name_may_use_the_changed_one_as_well(repo):
    repo.having(
        {
            "go.mod": "module example.com/m\n",
            "ring/ring.go": "package ring\n\nfunc Put(k string) {}\n",
            "cfg.go": 'package main\n\nimport "example.com/m/ring"\n\ntype cfg struct{}\n\n'
            'func (c *cfg) Put() {\n\tring.Put("x")\n}\n',
            "own.go": 'package main\n\nimport _ "example.com/m/ring"\n\ntype own struct{}\n\n'
            "func (o *own) Put() {\n\to.Put()\n}\n",
        }
    )
    repo.replace("ring/ring.go", "k string", "k, v string")
    repo.commit()
    (changed,) = asked(repo).exports
    assert changed.users == (("cfg.go", 8),)


def test_a_variable_that_holds_what_require_loads_is_a_use_of_it(repo):
    repo.having(
        {
            "lib.js": "function run() {}\nmodule.exports = { run }\n",
            "names.js": "const { run } = require('./lib')\n\nrun()\n",
            "member.js": "var run = require('./lib').run\n\nstart(run)\n",
            "own.js": "require('./lib')\nvar run = 1\n\nstart(run)\n",
        }
    )
    repo.replace("lib.js", "run() {}", "run(a, b) {}")
    repo.commit()
    (export,) = asked(repo).exports
    assert [(use.path, use.line) for use in export.users] == [("member.js", 1), ("names.js", 1)]


def test_a_new_cycle_is_shown_as_it_goes_around(repo):
    for name, other in (("a", "c"), ("b", "a"), ("d", "b")):
        repo.write(f"app/{name}.py", f"from app import {other}\n")
    repo.write("app/c.py", "x = 1\n")
    repo.commit()
    repo.write("app/c.py", "from app import b\n")
    repo.commit()
    found = asked(repo)
    assert found.cycles == (("app/a.py", "app/c.py", "app/b.py"),)
    assert "app/a.py → app/c.py → app/b.py → app/a.py\n" in said(found)


def test_users_that_were_changed_with_it_are_not_named(repo):
    repo.replace("app/tools.py", "def spread(x)", "def spread(x, y)")
    repo.replace("app/cli.py", "start(1)", "start(1), 2")
    repo.commit()
    assert asked(repo).exports == ()


@pytest.mark.slow
def test_the_change_begins_where_the_head_parted(repo):
    repo.branch("side")
    repo.append("app/ring.py", "y = 2\n")
    repo.commit()
    repo.checkout("main")
    repo.remove("app/tools.py")
    repo.commit()
    found = asked(repo, "main", head="side")
    assert [one.path for one in found.changes] == ["app/ring.py"]
    assert found.base.rev == "main"
    assert found.base.commit == repo.rev("main~1")
    trees = asked(repo, "main^{tree}", head="side")
    assert [one.path for one in trees.changes] == ["app/ring.py", "app/tools.py"]


@pytest.mark.slow
def test_without_a_base_it_is_the_branch_that_others_start_from(repo):
    repo.branch("side")
    repo.append("app/ring.py", "y = 2\n")
    repo.commit()
    assert asked(repo, None).base.rev == "refs/heads/main"
    repo.git("update-ref", "refs/remotes/origin/develop", "HEAD")
    assert asked(repo, None).changes == ()
    repo.git("update-ref", "-d", "refs/remotes/origin/develop")
    repo.git("branch", "-D", "main")
    with pytest.raises(UsageError):
        asked(repo, None)


def test_what_is_staged_and_not_what_is_edited(repo):
    repo.remove("app/tools.py")
    assert asked(repo, cached=True).silent
    repo.git("add", "-A")
    repo.write("app/tools.py", FILES["app/tools.py"])
    found = asked(repo, cached=True)
    assert len(found.dangling) == 2
    assert (found.base.commit, found.head.rev) == (repo.rev(), "index")
    assert len(asked(repo, cached=True, check=True).dangling) == 2


def test_the_first_commit_of_all_is_reported_before_it_is_made(tmp_path):
    from tests.builder import RepoBuilder

    fresh = RepoBuilder(tmp_path / "fresh")
    fresh.write("a.py", "import b\n")
    fresh.git("add", "-A")
    found = asked(fresh, cached=True)
    assert [(one.path, one.status) for one in found.changes] == [("a.py", "added")]
    assert found.silent


@pytest.mark.long
def test_two_clones_give_the_same_bytes(repo, tmp_path):
    repo.remove("app/tools.py")
    repo.append("app/ring.py", FILES["app/core.py"])
    repo.commit()
    clones = [repo.clone(tmp_path / name) for name in "ab"]
    asked(clones[0], "HEAD~1", head="HEAD~1")  # one of them has an index before
    first, second = (dump(change_report(asked(one))) for one in clones)
    assert first == second


# ---------------------------------------------------------------- nothing to say


@pytest.mark.parametrize("how", ["nothing", "empty", "binary", "text"])
def test_silence(repo, how):
    if how == "binary":
        repo.write("logo.png", b"\x89PNG\0\1")
    if how == "text":
        repo.write("notes.md", "nothing\n")
    base = "HEAD" if how == "nothing" else "HEAD~1"
    if how != "nothing":
        repo.commit(how)
    found = asked(repo, base)
    assert found.silent
    assert said(found) == ""
    assert "".join(report_markdown.markdown(found)) == ""
    assert change_report(found)["dependents"] == []


# ---------------------------------------------------------------- hard histories


def test_the_root_commit_against_an_empty_tree(repo):
    empty = repo.git("hash-object", "-t", "tree", "--stdin", stdin=b"")
    found = asked(repo, empty)
    assert {one.status for one in found.changes} == {"added"}
    assert found.base.commit is None


def test_histories_with_nothing_in_common_are_compared_as_they_are(repo):
    other = repo.git("commit-tree", "-m", "apart", "HEAD^{tree}")
    found = asked(repo, other)
    assert (found.changes, found.notes) == ((), ("unrelated",))


def test_a_shallow_clone_without_the_base_says_what_to_fetch(repo, tmp_path):
    base = repo.rev()
    repo.append("app/ring.py", "y = 2\n")
    repo.commit()
    clone = repo.clone(tmp_path / "shallow", "--depth=1")
    with pytest.raises(BadRevision) as refused:
        asked(clone, base)
    assert "this clone is shallow" in refused.value.message
    assert f"git fetch --depth=1 origin {base}" in refused.value.hint
    clone.git("fetch", "-q", "--depth=1", "origin", base)
    # the head names it as its parent, so nothing is missing
    found = asked(clone, base)
    assert ([one.path for one in found.changes], found.notes) == (["app/ring.py"], ("history",))


@pytest.mark.slow
def test_a_shallow_clone_that_does_not_know_where_they_parted(repo, tmp_path):
    base = repo.rev()
    for number in range(2):
        repo.append("app/ring.py", f"y = {number}\n")
        repo.commit()
    clone = repo.clone(tmp_path / "shallow", "--depth=1")
    clone.git("fetch", "-q", "--depth=1", "origin", base)
    assert asked(clone, base).notes == ("shallow", "history")


def test_only_deletions(repo):
    repo.remove("app/cli.py")
    repo.remove("tests/test_core.py")
    repo.commit()
    found = asked(repo)
    assert {one.status for one in found.changes} == {"deleted"}
    assert found.dangling == ()


@pytest.mark.slow
def test_a_renamed_folder_whose_imports_follow(repo):
    repo.rename("app", "lib")
    for path, text in FILES.items():
        if path.startswith("app/") and text:
            repo.write(path.replace("app", "lib"), text.replace("app", "lib"))
    repo.replace("tests/test_core.py", "app", "lib")
    repo.commit()
    found = asked(repo)
    assert found.dangling == ()
    assert found.exports == ()
    assert {(one.old, one.path) for one in found.changes if one.status == "renamed"} >= {
        ("app/tools.py", "lib/tools.py"),
        ("app/core.py", "lib/core.py"),
    }


def test_a_submodule_is_not_looked_into(repo):
    for number in "12":
        oid = number * 40
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{oid},vendored")
        repo.commit_staged()
    found = asked(repo)
    assert [(one.path, one.status) for one in found.changes] == [("vendored", "modified")]
    assert found.notes == ("submodules",)
    assert found.silent


@pytest.mark.long
def test_three_thousand_files_at_once(repo):
    for number in range(3000):
        repo.write(f"many/m{number}.py", f"from app.tools import fold\n\nx{number} = fold(1)\n")
    repo.remove("app/core.py")
    repo.commit()
    found = asked(repo)
    assert len(found.changes) == 1000
    assert found.truncated["changes"] == 2001
    assert [one.path for one in found.dangling] == ["app/cli.py", "tests/test_core.py"]
    text = "".join(report_markdown.markdown(found))
    assert len(text) <= report_markdown.LONGEST


@pytest.mark.slow
def test_a_folder_that_is_taken_away_breaks_hundreds_of_imports(repo):
    for number in range(300):
        repo.write(f"many/m{number}.py", f"from app.tools import fold\n\nx{number} = fold(1)\n")
    repo.commit()
    repo.remove("app/tools.py")
    repo.commit()
    found = asked(repo)
    assert len(found.dangling) == 200
    assert found.truncated["dangling"] == 102
    assert "302 broken references" in said(found)
    assert len("".join(report_markdown.markdown(found))) <= report_markdown.LONGEST
