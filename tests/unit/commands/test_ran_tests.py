"""What test runners recorded, laid over what the graph says."""

import json

import pytest

from gitsearch.commands.impact import ImpactRequest, impact
from gitsearch.errors import BadCoverage
from tests.unit.commands.asked import session, warm_parsers

FILES = {
    "app/__init__.py": "",
    "app/made.py": (
        "HANDLERS = {}\n\n\n"
        "def one(\n    a,\n):\n    return a + 1\n\n\n"
        "def two(a):\n    return HANDLERS[a]()\n\n\n"
        "def three(a): return a\n"
    ),
    "tests/test_one.py": "def test_one(run):\n    run('one')\n",
    "tests/test_two.py": "import app.made\n\n\ndef test_two():\n    app.made.two(1)\n",
    "tests/unit/test_one.py": "def test_same_name():\n    pass\n",
}
ONE, OTHER = "tests.test_one.test_one", "tests.unit.test_one.test_same_name"


@pytest.fixture
def repo(repo):
    repo.having(FILES)
    repo.commit()
    return repo


@pytest.fixture
def data(tmp_path):
    """Writes a JSON report of coverage.py: lines by test and file."""
    path = tmp_path / "coverage.json"

    def write(files):
        report = {
            name: {"contexts": {str(line): tests for line, tests in contexts.items()}}
            for name, contexts in files.items()
        }
        path.write_text(json.dumps({"files": report}))
        return str(path)

    return write


def asked(repo, *targets, **options):
    warm_parsers()
    return impact(session(repo.path), ImpactRequest(targets, **options))


def certain(found):
    return [test.path for test in found.tests_scored if test.label == "certain"]


def test_a_test_that_ran_a_definition_is_certain(repo, data):
    file = data({"/ci/checkout/app/made.py": {5: [OTHER], 7: [ONE], 11: [OTHER]}})
    assert certain(asked(repo, "app/made.py:one")) == []
    found = asked(repo, "app/made.py:one", coverage=(file,))
    assert found.tests[0] == "tests/test_one.py"
    assert certain(found) == ["tests/test_one.py"]  # line 5 is of the head of `one`
    first = found.dependents[0]
    assert (first.kind, first.likelihood, first.via[1]) == ("ran", 1.0, "app/made.py")
    assert first.evidence[0] == ("ran", "app/made.py", 1.0, 0, 0)
    assert found.commands[0].startswith("pytest tests/test_one.py")
    assert found.recorded == ((file,), 2, 1, (), (), ())
    assert certain(asked(repo, "app/made.py:11", coverage=(file,)))[0] == "tests/unit/test_one.py"
    both = certain(asked(repo, "app/made.py", coverage=(file,)))
    assert {"tests/test_one.py", "tests/unit/test_one.py"} <= set(both)


def test_a_definition_on_one_line_and_what_the_graph_knows_too(repo, data):
    two = "tests/test_two.py::test_two[a-1]|run"
    file = data({"app/made.py": {14: [ONE], 11: [two]}})
    assert certain(asked(repo, "app/made.py:three", coverage=(file,))) == ["tests/test_one.py"]
    found = asked(repo, "app/made.py:two", coverage=(file,))
    first = found.dependents[0]
    # the graph says how, the data that it did
    assert (first.path, first.kind, first.likelihood) == ("tests/test_two.py", "call", 1.0)
    assert first.reasons


def test_files_of_data_add_up(repo, data, tmp_path):
    first = data({"app/made.py": {7: [ONE]}})
    second = tmp_path / "tests_unit_test_one.info"
    second.write_text("TN:\nSF:app/made.py\nDA:7,1\nend_of_record\n")
    found = asked(repo, "app/made.py:one", coverage=(first, str(second)))
    assert set(certain(found)) == {"tests/test_one.py", "tests/unit/test_one.py"}


def test_data_of_another_content_is_ignored_and_said(repo, data):
    empty = data({"app/made.py": {8: [ONE], 7: [ONE]}})
    found = asked(repo, "app/made.py:one", coverage=(empty,))
    assert (certain(found), found.recorded.other_content) == ([], ("app/made.py",))
    beyond = data({"app/made.py": {7: [ONE], 900: [ONE]}})
    assert asked(repo, "app/made.py:one", coverage=(beyond,)).recorded.files == 0
    good = data({"app/made.py": {7: [ONE]}, "app/none.py": {1: [ONE]}, "x/app/made.py": {7: [""]}})
    repo.append("app/made.py", "\n\ndef four():\n    return 4\n")
    repo.commit()
    found = asked(repo, "app/made.py:one", coverage=(good,), recorded_at="HEAD~1")
    assert (certain(found), found.recorded.other_content) == ([], ("app/made.py",))
    assert found.recorded.other_files == ("app/none.py",)
    found = asked(repo, "app/made.py:one", coverage=(good,), recorded_at="HEAD")
    assert certain(found) == ["tests/test_one.py"]


def test_a_change_begins_at_what_ran_before_it(repo, data):
    file = data({"app/made.py": {7: [ONE], 11: [OTHER], 1: [OTHER]}})
    repo.replace(
        "app/made.py", "def one(\n    a,\n):\n    return a + 1", "def one(a):\n    return a"
    )
    repo.commit()
    change = {"diff": "HEAD~1..HEAD", "coverage": (file,)}
    assert certain(asked(repo, **change))[0] == "tests/test_one.py"
    assert "tests/unit/test_one.py" not in certain(asked(repo, **change))
    # the lines of the later version are others
    later = asked(repo, recorded_at="HEAD", **change)
    assert later.recorded.other_content == ("app/made.py",)


def test_names_that_mean_no_test_file_are_said(repo, data):
    file = data({"app/made.py": {7: ["test_one.test_one", "gone.test_gone"]}})
    found = asked(repo, "app/made.py:one", coverage=(file,))
    # two files are called so
    assert found.recorded.other_tests == ("gone.test_gone", "test_one.test_one")
    assert certain(found) == []


def test_tests_of_java_and_go_by_class_and_function(repo, tmp_path):
    repo.having(
        {
            "src/main/java/org/a/B.java": "package org.a;\nclass B {\n  int f() {\n"
            "    return 1;\n  }\n}\n",
            "src/test/java/org/a/OtherTest.java": "package org.a;\nclass OtherTest {}\n",
            "go.mod": "module example.com/m\n\ngo 1.22\n",
            "wal/wal.go": "package wal\n\nfunc Wal() int {\n\treturn 1\n}\n",
            "e2e/all_test.go": 'package e2e\n\nimport "testing"\n\n'
            "func TestEverything(t *testing.T) {}\n",
        }
    )
    repo.commit()
    report = tmp_path / "jacoco.xml"
    report.write_text(
        '<report name="x"><sessioninfo id="org.a.OtherTest"/><package name="org/a">'
        '<sourcefile name="B.java"><line nr="4" ci="3"/></sourcefile></package></report>'
    )
    found = asked(repo, "src/main/java/org/a/B.java:B.f", coverage=(str(report),))
    assert certain(found) == ["src/test/java/org/a/OtherTest.java"]
    profile = tmp_path / "TestEverything.cover"
    profile.write_text("mode: set\nexample.com/m/wal/wal.go:3.16,5.2 1 1\n")
    found = asked(repo, "wal/wal.go:Wal", coverage=(str(profile),))
    assert certain(found) == ["e2e/all_test.go"]


def test_a_file_that_cannot_be_read_is_refused(repo, tmp_path):
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(BadCoverage, match="cannot read"):
            asked(repo, "app/made.py", coverage=(str(path),))
