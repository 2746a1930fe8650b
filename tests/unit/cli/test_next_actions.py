"""What may be asked next, and that asking it works."""

import json

import pytest

from tests.unit.commands.asked import indexed

NEXT = ("refs", "--json")


@pytest.fixture
def ready(sample, monkeypatch):
    indexed(sample)
    monkeypatch.chdir(sample.path)
    return sample


@pytest.fixture
def asked(ready, capfdbinary):
    """Ask in this process for JSON; returns the document and the exit code."""
    from gitsearch.cli.application import run

    def ask(*words):
        code = run([*words, "--json"] if "--" not in words else ["--json", *words])
        return json.loads(capfdbinary.readouterr().out), code

    return ask


def test_who_uses_what_was_found(asked):
    document, _ = asked("compute_delay")
    (action,) = [one for one in document["actions"] if one["argv"][0] == "refs"]
    assert action["reason"].startswith("who uses ")
    found, code = asked(*action["argv"])
    assert code == 0
    assert found["references"]


def test_what_depends_on_it_may_be_asked_from_any_folder(asked, ready, monkeypatch):
    document, _ = asked("refs", "compute_delay", "--json")
    (action,) = document["actions"]
    assert action["argv"][0] == "impact"
    monkeypatch.chdir(ready.path / "service")
    found, code = asked(*action["argv"])
    assert code == 0
    assert found["dependents"]


def test_nothing_depends_on_a_change_of_nothing(ready, capfd):
    from gitsearch.cli.application import run

    assert run(["impact", "--cached"]) == 1
    assert capfd.readouterr() == ("", "git search: nothing is staged\n")
    assert run(["impact", "--diff", "HEAD..HEAD"]) == 1
    assert capfd.readouterr() == ("", "git search: nothing changed\n")


def test_the_filter_that_left_nothing(asked):
    document, code = asked("compute_delay", "--type=rust", "-k", "3", "--", "service")
    assert (document["results"], code) == ([], 1)
    (action,) = document["actions"]
    assert action == {
        "argv": ["--json", "compute_delay", "--max-count=3", "--", "service"],
        "reason": "3 results without --type rust",
    }
    found, code = asked(*action["argv"][1:])
    assert code == 0
    assert len(found["results"]) == 3
    document, _ = asked("--json", "compute_delay", "--type=rust", "-k", "3", "--", "service")
    assert document["actions"] == [action]


def test_pathspecs_that_left_nothing(asked):
    document, _ = asked("RetryPolicy", "--tests", "only", "--", "service/retry_policy.py")
    argvs = [action["argv"] for action in document["actions"]]
    assert ["--json", "RetryPolicy", "--tests=only"] in argvs
    assert ["--json", "RetryPolicy", "--", "service/retry_policy.py"] in argvs


def test_the_only_definition_and_its_users(asked):
    document, _ = asked("def", "RetryPolicy")
    names = {symbol["qualified"] for symbol in document["symbols"]}
    wanted = [{"argv": ["refs", *names], "reason": f"who uses {min(names)}"}]
    assert document["actions"] == (wanted if len(names) == 1 else [])
    document, _ = asked("def", "no_such_name_anywhere")
    assert [action["argv"] for action in document["actions"]] == [["-e", "no_such_name_anywhere"]]


def test_the_same_tree_is_asked_next(asked):
    document, _ = asked("def", "--at", "HEAD~1", "no_such_name_anywhere")
    assert document["actions"][0]["argv"] == ["--at", "HEAD~1", "-e", "no_such_name_anywhere"]


def test_words_that_are_nowhere_are_searched_for(asked):
    document, code = asked("exists", "compute_delay", "nowhere_at_all")
    assert code == 1
    assert [action["argv"] for action in document["actions"]] == [["-e", "nowhere_at_all"]]


@pytest.mark.parametrize(
    ("expression", "warnings"),
    [
        ("delay_\\d+", ["\\d is the letter d in -E; write [0-9], or use -P"]),
        ("delay\\n", ["\\n is the letter n in -E; a match lies within a line"]),
        ("compute\\tdelay\\d", ["\\t is the letter t in -E; use -P"]),
        ("[\\w.]+", ["\\w in brackets is a backslash or w in -E; use -P"]),
        ("\\bcompute\\w+\\s*\\(", []),
        ("[]x]\\.compute", []),
    ],
)
def test_what_is_no_escape_in_an_extended_expression_is_said(asked, expression, warnings):
    assert asked("-E", expression)[0]["warnings"] == warnings
    assert asked("-P", expression)[0]["warnings"] == []


def test_a_word_that_is_a_path_is_said_where_nothing_is_found(asked):
    warnings = ["to search in service: git search -F compute_delay --json -- service"]
    assert asked("-F", "compute_delay", "service")[0]["warnings"] == warnings
    assert asked("-F", "-e", "compute_delay", "nowhere")[0]["results"]
    at_head = asked("--at", "HEAD", "-F", "compute_delay", "service")[0]["warnings"]
    assert [line.partition(":")[0] for line in at_head] == ["to search in service"]
    assert asked("-F", "no_such_text", "nowhere")[0]["warnings"] == []
    found, code = asked("-F", "compute_delay", "--", "service")
    assert (code, found["warnings"]) == (0, [])


def test_a_word_that_is_a_revision_is_said_where_nothing_changed(asked):
    assert asked("--changed", "HEAD", "compute_delay")[0]["warnings"] == [
        "no line was added since HEAD",
        "to see what changed since HEAD: --changed=HEAD",
    ]
    assert asked("--changed", "compute_delay")[0]["warnings"] == ["no line was added since HEAD"]


@pytest.mark.parametrize("tree", [[], ["--at", "HEAD"], ["--cached"]])
def test_each_pathspec_that_matches_nothing_is_said(asked, tree):
    words = ["-F", "compute_delay", "--"]
    pathspecs = ["service", "nowhere", "*.none", ":!tests", "-k", "1"]
    assert asked(*tree, *words, *pathspecs)[0]["warnings"] == [
        "no file matches 'nowhere'",
        "no file matches '*.none'",
        "no file matches '-k'; options go before --",
        "no file matches '1'",
    ]
    assert asked(*tree, *words, "service", ":!tests")[0]["warnings"] == []
    refused = asked(*tree, *words, "-k", "1")[0]["error"]
    assert refused["hint"] == "options go before --"
