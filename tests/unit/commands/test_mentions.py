"""Tests are told apart by the words of a definition that they mention."""

import pytest

from gitsearch.commands.impact import ImpactRequest, impact
from gitsearch.graph.likelihood import weighed
from tests.unit.commands.asked import session, warm_parsers

COMMANDS = """\
def export_table():
    return 1


def import_image():
    return 2


COMMANDS = {"export-table": export_table, "import-image": import_image}


def main(name):
    return COMMANDS[name]()
"""


def asked(repo, *targets):
    warm_parsers()
    return impact(session(repo.path), ImpactRequest(targets))


def running(name):
    return f'from app.commands import main\n\n\ndef test_it():\n    assert main("{name}")\n'


def test_of_tests_that_run_code_by_its_name_those_that_mention_it_come_first(repo):
    repo.having(
        {
            "app/__init__.py": "",
            "app/commands.py": COMMANDS,
            "tests/test_a.py": running("import-image"),
            "tests/test_b.py": running("export-table"),
            "tests/test_export.py": running("table"),
            "tests/test_x.py": running("neither"),
        }
    )
    repo.commit()
    found = asked(repo, "app/commands.py:export_table").dependents
    tests = {one.path: one for one in found if one.test}
    assert list(tests)[:2] == ["tests/test_export.py", "tests/test_b.py"]
    assert set(tests) == {f"tests/test_{name}.py" for name in ("a", "b", "export", "x")}
    shares = [tests[f"tests/test_{name}.py"].evidence[0].share for name in ("export", "b")]
    assert 0 < shares[1] < shares[0] <= 1
    (kind,) = {one.kind for test in tests.values() for one in test.evidence}
    assert kind == "mentions"
    other = asked(repo, "app/commands.py:import_image").dependents
    assert next(one.path for one in other if one.test) == "tests/test_a.py"


def test_what_all_tests_mention_or_none_does_changes_no_order(repo):
    files = {f"tests/test_{name}.py": running("same") for name in "abc"}
    repo.having({"app/__init__.py": "", "app/commands.py": COMMANDS, **files})
    repo.commit()
    found = asked(repo, "app/commands.py:export_table").tests_scored
    assert [one.path for one in found] == sorted(files)
    assert len({one.likelihood for one in found}) == 1


def test_mentions_weigh_the_odds_up_and_down():
    assert weighed(0.5, 0.5) == pytest.approx(0.5)
    assert weighed(0.5, 0) < 0.5 < weighed(0.5, 1) < 1
    assert weighed(1, 0) == 1
