"""What depends on what, asked as people ask."""

import pytest

from gitsearch.commands.impact import ImpactRequest, impact
from gitsearch.errors import BadPath, BadRevision, SearchError, UsageError
from tests.unit.commands.asked import session, warm_parsers

FILES = {
    "src/app/__init__.py": "from app.core import Engine\n",
    "src/app/core.py": "from app import tools\n\n\nclass Engine:\n    def start(self):\n"
    "        return tools.fold(1)\n\n    def stop(self):\n        return 0\n",
    "src/app/tools.py": "def fold(x):\n    return x\n\n\ndef spread(x):\n    return x\n",
    "src/app/cli.py": "from app import Engine\nfrom app.tools import spread\n\n"
    "spread(Engine().stop())\n",
    "src/app/alone.py": "x = 1\n",
    "src/app/ring_a.py": "from app import ring_b\n",
    "src/app/ring_b.py": "from app import ring_a\n",
    "tests/test_core.py": "from app.core import Engine\n\n\ndef test_start():\n"
    "    assert Engine().start()\n",
    "tool.lisp": "(load 'x)\n",
}


@pytest.fixture
def repo(repo):
    return repo.having(FILES)


def asked(repo, *targets, folder="", **options):
    warm_parsers()
    return impact(session(repo.path / folder), ImpactRequest(targets, **options))


def found(report):
    return {one.path: one.hops for one in report.dependents}


def test_dependents_likeliest_first_with_their_chain(repo):
    report = asked(repo, "src/app/tools.py")
    assert [(one.path, one.hops) for one in report.dependents] == [
        ("src/app/core.py", 1),
        ("src/app/cli.py", 1),
        ("tests/test_core.py", 2),
        ("src/app/__init__.py", 2),
    ]
    last = report.dependents[2]
    assert last.via == ("tests/test_core.py", "src/app/core.py", "src/app/tools.py")
    assert (last.kind, last.line, last.resolution, last.test) == ("call", 5, "resolved", True)
    assert report.tests == ("tests/test_core.py",)
    assert report.targets == (("src/app/tools.py", None),)
    assert report.truncated == 0


def test_lines_are_those_of_the_file_that_is_named(repo):
    repo.having(
        {
            "go.mod": "module example.com/m\n",
            "flags.go": "package m\n\nvar Strict = false\n\ntype Flags struct{}\n",
            "more.go": "package m\n" + "\n" * 30 + "func (f Flags) Show() {}\n",
            "flags_test.go": 'package m\n\nimport "testing"\n'
            + "\n" * 20
            + "func TestStrict(t *testing.T) {\n\tStrict = true\n\tFlags{}.Show()\n}\n",
            "print.go": "package m\n\nfunc Print() bool { return Strict }\n",
            "run.h": "int run(int x);\n",
            "run.c": '#include "run.h"\n' + "\n" * 30 + "int run(int x) { return x; }\n",
            "main.c": '#include "run.h"\nint main(void) { return run(1); }\n',
        }
    )
    for target in ("more.go", "flags_test.go", "run.c"):
        report = asked(repo, target)
        for one in report.dependents:
            places = [(one.path, one.line), *((step.path, step.line) for step in one.reasons)]
            for path, line in places:
                lines = (repo.path / path).read_text().splitlines()
                assert lines[line - 1].strip(), (target, path, line)
    told = {one.path: one.line for one in asked(repo, "flags_test.go").dependents}
    assert told == {"flags.go": 3, "print.go": 3}
    assert {one.path: one.line for one in asked(repo, "run.c").dependents} == {
        "run.h": 1,
        "main.c": 2,
    }


def test_a_symbol_narrows_to_the_files_that_use_it(repo):
    assert found(asked(repo, "src/app/tools.py:spread", tests="exclude")) == {"src/app/cli.py": 1}
    assert found(asked(repo, "src/app/core.py:Engine.start")) == {"tests/test_core.py": 1}


def test_a_name_that_a_package_hands_on_is_followed(repo):
    report = asked(repo, "src/app/core.py:Engine")
    assert found(report) == {
        "src/app/__init__.py": 1,
        "tests/test_core.py": 1,
        "src/app/cli.py": 1,
    }


def test_a_line_means_the_definition_around_it(repo):
    assert asked(repo, "src/app/tools.py:6").targets == (("src/app/tools.py", "spread"),)
    assert asked(repo, "src/app/core.py:9").targets == (("src/app/core.py", "Engine.stop"),)
    assert asked(repo, "src/app/cli.py:3").targets == (("src/app/cli.py", None),)


def test_a_symbol_and_its_whole_file(repo):
    whole = found(asked(repo, "src/app/tools.py"))
    assert found(asked(repo, "src/app/tools.py:spread", "src/app/tools.py")) == whole
    both = asked(repo, "src/app/tools.py:spread", "src/app/tools.py:fold")
    assert found(both)["src/app/core.py"] == 1


def test_a_folder_is_all_its_files(repo):
    assert found(asked(repo, "src")) == {"tests/test_core.py": 1}
    assert found(asked(repo, ".", folder="src")) == {"tests/test_core.py": 1}


def test_a_path_is_relative_to_where_one_stands(repo):
    assert found(asked(repo, "tools.py", folder="src/app")) == found(
        asked(repo, "src/app/tools.py")
    )


def test_a_cycle_ends(repo):
    assert found(asked(repo, "src/app/ring_a.py")) == {"src/app/ring_b.py": 1}


def test_hops_tests_and_how_many(repo):
    assert set(found(asked(repo, "src/app/tools.py", hops=1)).values()) == {1}
    only = asked(repo, "src/app/tools.py", tests="only")
    assert list(found(only)) == ["tests/test_core.py"]
    without = asked(repo, "src/app/tools.py", tests="exclude")
    assert "tests/test_core.py" not in found(without)
    cut = asked(repo, "src/app/tools.py", most=1)
    assert (len(cut.dependents), cut.truncated) == (1, 3)
    assert cut.tests == ("tests/test_core.py",)


def test_any_revision_and_the_index(repo):
    repo.write("src/app/alone.py", "from app import tools\n")
    assert "src/app/alone.py" in found(asked(repo, "src/app/tools.py"))
    assert "src/app/alone.py" not in found(asked(repo, "src/app/tools.py", cached=True))
    repo.git("add", "-A")
    assert "src/app/alone.py" in found(asked(repo, "src/app/tools.py", cached=True))
    repo.commit()
    assert "src/app/alone.py" not in found(asked(repo, "src/app/tools.py", at="HEAD~1"))


def test_what_cannot_be_seen_is_said(repo):
    (unresolved,) = asked(repo, "src/app/tools.py").unseen
    assert (unresolved.reason, unresolved.path) == ("unsupported-language", "tool.lisp")


def test_a_path_with_a_colon(repo):
    repo.write("a:b.py", "x = 1\n")
    repo.commit()
    assert asked(repo, "a:b.py").targets == (("a:b.py", None),)


CORE, TOOLS = "src/app/core.py", "src/app/tools.py"


@pytest.mark.parametrize(
    ("target", "names"),
    [
        (f"{CORE}:5-6", ["Engine.start"]),
        (f"{CORE}:5,6", ["Engine.start"]),
        (f"{CORE}:6:9", ["Engine.start"]),
        # of a class what begins in the lines, and all of it from its own first line on
        (f"{CORE}:6-8", ["Engine.start", "Engine.stop"]),
        (f"{CORE}:7-8", ["Engine.stop"]),
        (f"{CORE}:4-6", ["Engine"]),
        (f"{TOOLS}:1-6", ["fold", "spread"]),
        (f"{TOOLS}:2-5", ["fold", "spread"]),
        (f"{TOOLS}:3-4", [None]),
    ],
)
def test_places_as_they_are_printed_mean_the_definitions_there(repo, target, names):
    assert [name for _, name in asked(repo, target).targets] == names


def test_lines_of_a_namespace_mean_what_begins_in_them(repo):
    inside = "".join(f"\nint {name}() {{\n    return 1;\n}}\n" for name in ("one", "two"))
    repo.write("ns.cpp", f"namespace outer {{\n{inside}}}\n")
    repo.commit("a namespace")
    names = [name for _, name in asked(repo, "ns.cpp:6-9").targets]
    assert [str(name).rpartition("::")[2].rpartition(".")[2] for name in names] == ["two"]


REFUSED = {
    "src/app/tool.py": ("no file 'src/app/tool.py' in HEAD", "src/app/tools.py"),
    "tools.py": ("no file 'tools.py' in HEAD", "src/app/tools.py"),
    "../other.py": ("'../other.py' is outside the repository", ""),
    "src/app/tools.py:sprad": ("no symbol 'sprad' in 'src/app/tools.py'", "spread"),
    "src/nothing.py:x": ("no file 'src/nothing.py' in HEAD", ""),
    "src/app/tools.py:7": ("'src/app/tools.py' has 6 lines, and no line 7", ""),
    "src/app/tools.py:7-9": ("'src/app/tools.py' has 6 lines, and no lines 7 to 9", ""),
    "src/nothing.py:3:1": ("no file 'src/nothing.py' in HEAD", ""),
    "src/app/tools.py:0": ("'src/app/tools.py' has 6 lines, and no line 0", ""),
}


@pytest.mark.parametrize("target", REFUSED)
def test_what_is_not_there_is_refused_with_what_is_near(repo, target):
    message, hint = REFUSED[target]
    with pytest.raises(BadPath) as refused:
        asked(repo, target)
    assert refused.value.message == message
    assert hint in (refused.value.hint or "")


@pytest.mark.parametrize("target", ["src/app/tools.py", "src/app/tools.py:fold", "src/app"])
def test_what_only_the_commit_has_is_asked_of_the_commit(repo, target):
    path = target.partition(":")[0]
    repo.git("rm", "-q", "-r", path)
    for cached, place in ((False, "working tree"), (True, "index")):
        with pytest.raises(BadPath) as refused:
            asked(repo, target, cached=cached)
        assert refused.value.message == f"'{path}' is not in the {place}"
        assert refused.value.hint == "HEAD has it: add `--at HEAD`"
    assert asked(repo, target, at="HEAD").targets


def test_an_untracked_file_is_called_so(repo):
    repo.write("src/app/new.py", "from app import tools\n")
    repo.write("src/app/made.py", "x = 1\n")
    repo.write(".gitignore", "made.py\n")
    repo.git("rm", "-q", "--cached", "src/app/alone.py")
    for name, hint in (
        ("new.py", "`git add` it first"),
        ("made.py", "`git add` it first"),
        ("alone.py", "HEAD has it: add `--at HEAD`"),
    ):
        with pytest.raises(BadPath) as refused:
            asked(repo, name, folder="src/app")
        assert refused.value.message == f"'{name}' is untracked"
        assert refused.value.hint == hint
    with pytest.raises(BadPath, match=r"no file 'src/app/new\.py' in HEAD"):
        asked(repo, "src/app/new.py", at="HEAD")


def test_an_empty_path_is_wrong_usage(repo):
    with pytest.raises(UsageError, match="a path is empty"):
        asked(repo, "src/app/tools.py", "")


def test_a_line_of_a_file_that_is_not_searched_is_refused(repo):
    repo.write("logo.png", b"\0\1")
    repo.commit()
    with pytest.raises(BadPath, match=r"'logo\.png' is not searched: binary"):
        asked(repo, "logo.png:1")
    assert asked(repo, "logo.png").dependents == ()


def test_a_line_that_an_edit_adds_is_there(repo):
    repo.append("src/app/tools.py", "\n\nLAST = 1\n")
    assert asked(repo, "src/app/tools.py:9").targets == (("src/app/tools.py", "LAST"),)
    with pytest.raises(BadPath, match="no line 9"):
        asked(repo, "src/app/tools.py:9", at="HEAD")


def test_a_repository_without_any_supported_language(repo):
    for path in FILES:
        repo.remove(path)
    repo.write("notes.txt", "nothing\n")
    repo.commit()
    assert asked(repo, "notes.txt").dependents == ()


# ---------------------------------------------------------------- a change


def of_change(repo, between="HEAD~1...HEAD", **options):
    return asked(repo, diff=between, **options)


def test_a_change_of_one_body(repo):
    repo.write("src/app/tools.py", FILES["src/app/tools.py"].replace("return x", "return x + 1"))
    repo.commit()
    report = of_change(repo)
    assert report.targets == (("src/app/tools.py", None),)
    assert found(report) == found(asked(repo, "src/app/tools.py"))
    assert report.delta == ((),) * 7


def test_what_a_change_adds_and_takes_away(repo):
    repo.write("src/app/alone.py", "from app import cli\n")
    repo.append("src/app/cli.py", "from app import alone\n")
    repo.write("src/app/core.py", FILES["src/app/core.py"].replace("from app import tools", ""))
    repo.commit()
    delta = of_change(repo).delta
    assert delta.added == (
        ("src/app/alone.py", "src/app/cli.py"),
        ("src/app/cli.py", "src/app/alone.py"),
    )
    assert delta.removed == (("src/app/core.py", "src/app/tools.py"),)
    assert delta.cycles == (("src/app/alone.py", "src/app/cli.py"),)
    assert delta.dangling == ()


def test_who_still_imports_what_is_gone(repo):
    repo.remove("src/app/tools.py")
    repo.commit()
    report = of_change(repo)
    assert report.targets == (("src/app/tools.py", None),)
    assert found(report) == {
        "src/app/cli.py": 1,
        "src/app/core.py": 1,
        "src/app/__init__.py": 2,
        "tests/test_core.py": 2,
    }
    assert [(one.path, one.line, one.target) for one in report.delta.dangling] == [
        ("src/app/cli.py", 2, "src/app/tools.py"),
        ("src/app/core.py", 1, "src/app/tools.py"),
    ]


@pytest.mark.slow
def test_a_move_that_everybody_follows_leaves_nothing_dangling(repo):
    repo.rename("src/app/tools.py", "src/app/helpers.py")
    for path in ("src/app/core.py", "src/app/cli.py"):
        repo.write(path, FILES[path].replace("tools", "helpers"))
    repo.commit()
    assert of_change(repo).delta.dangling == ()


def test_exports_that_are_gone_or_changed_and_who_uses_them(repo):
    text = FILES["src/app/tools.py"].replace("def spread(x)", "def spread(x, y)")
    repo.write("src/app/tools.py", text.replace("def fold(x):\n    return x\n", "LIMIT = 3\n"))
    repo.commit()
    gone, changed = of_change(repo).delta.exports
    assert (gone.symbol, gone.change, gone.after) == ("fold", "removed", None)
    assert gone.users == (("src/app/core.py", 6),)
    assert (changed.symbol, changed.change) == ("spread", "changed")
    assert (changed.before, changed.after) == ("def spread(x)", "def spread(x, y)")
    assert changed.users == (("src/app/cli.py", 2),)


def test_exports_of_a_header_whose_content_tells_its_language(repo):
    repo.write("tally.h", "int count(char *text);\n")
    repo.write("main.c", '#include "tally.h"\nint main(void) { return count("a"); }\n')
    repo.commit()
    repo.write("tally.h", "int count(char *text, int most);\n")
    repo.commit()
    (changed,) = of_change(repo).delta.exports
    assert (changed.path, changed.symbol, changed.change) == ("tally.h", "count", "changed")
    assert changed.users == (("main.c", 2),)


@pytest.mark.slow
def test_a_change_is_taken_from_where_it_parts(repo):
    repo.branch("side", "HEAD")
    repo.append("src/app/alone.py", "y = 2\n")
    repo.commit()
    repo.checkout("main")
    repo.append("src/app/tools.py", "z = 3\n")
    repo.commit()
    assert of_change(repo, "main...side").targets == (("src/app/alone.py", None),)
    assert len(of_change(repo, "main..side").targets) == 2


@pytest.mark.parametrize("between", ["HEAD", "nope...HEAD", "HEAD....HEAD", "...nope"])
def test_a_range_that_is_none(repo, between):
    with pytest.raises(SearchError):
        of_change(repo, between)


def test_histories_with_nothing_in_common(repo):
    other = repo.git("commit-tree", "-m", "apart", "HEAD^{tree}").strip()
    with pytest.raises(BadRevision) as refused:
        of_change(repo, f"HEAD...{other}")
    assert "no commit in common" in refused.value.message
    assert of_change(repo, f"HEAD..{other}").targets == ()


@pytest.mark.slow
def test_owners_are_those_of_the_tree_that_is_asked(repo):
    repo.write(".github/CODEOWNERS", "* @all\n/tests/ @testers @more\n")
    report = asked(repo, "src/app/tools.py")
    assert {one.owners for one in report.dependents if not one.test} == {()}
    repo.commit()
    report = asked(repo, "src/app/tools.py")
    assert {one.owners for one in report.dependents if one.test} == {("@testers", "@more")}
    assert {one.owners for one in report.dependents if not one.test} == {("@all",)}
    repo.write(".github/CODEOWNERS", "* @others\n")
    report = asked(repo, "src/app/tools.py")
    assert {one.owners for one in report.dependents} == {("@others",)}
    assert asked(repo, "src/app/tools.py", at="HEAD~1").dependents[0].owners == ()
