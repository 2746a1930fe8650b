"""Tests are told apart by the words of a definition that they mention, and by what is like it."""

import pytest

from gitsearch.commands import impact_evidence
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
    kinds = {one.kind for test in tests.values() for one in test.evidence}
    assert kinds == {"mentions", "similar"}
    other = asked(repo, "app/commands.py:import_image").dependents
    assert next(one.path for one in other if one.test) == "tests/test_a.py"


def test_of_tests_that_run_the_same_those_that_changed_with_the_file_come_first(repo):
    tests = {f"tests/test_{name}.py": running("neither") for name in ("a", "b", "c")}
    repo.having({"app/__init__.py": "", "app/commands.py": COMMANDS, **tests})
    repo.commit()
    for change in range(2):
        repo.write("app/commands.py", f"{COMMANDS}\n\nCHANGE = {change}\n")
        repo.write("tests/test_b.py", running("neither") + f"\n\nCHANGE = {change}\n")
        repo.commit()
    found = asked(repo, "app/commands.py:export_table").dependents
    first, *others = (one for one in found if one.test)
    assert first.path == "tests/test_b.py"
    (evidence,) = (one for one in first.evidence if one.kind == "changed-together")
    assert (evidence.together, evidence.times, evidence.share) == (2, 2, 0.5)
    assert [one.path for one in others] == ["tests/test_a.py", "tests/test_c.py"]
    assert not [one for test in others for one in test.evidence if one.kind == evidence.kind]


def test_what_all_tests_mention_or_none_does_changes_no_order(repo):
    files = {f"tests/test_{name}.py": running("same") for name in "abc"}
    repo.having({"app/__init__.py": "", "app/commands.py": COMMANDS, **files})
    repo.commit()
    found = asked(repo, "app/commands.py:export_table").tests_scored
    assert [one.path for one in found] == sorted(files)
    assert len({one.likelihood for one in found}) == 1


def test_of_tests_with_none_of_its_words_the_one_about_the_same_comes_first(repo):
    # as long as two chunks, so that each has a vector of its own
    program = """\
def check_password(user, password):
    if user.locked:
        raise PermissionError("a locked user cannot log in")
    if not user.matches(password):
        user.failed_logins += 1
        raise PermissionError("wrong user or password")
    if user.must_change_password or user.password_expired():
        raise PermissionError("the password of this user has expired")
    user.failed_logins = 0


def draw_circle(canvas, radius):
    canvas.fill_colour(canvas.palette.background)
    canvas.ellipse(0, 0, radius, radius)
    canvas.stroke_colour(canvas.palette.outline)
    canvas.stroke(width=canvas.pixels(1))
    canvas.rectangle(-radius, -radius, 2 * radius, 2 * radius)
    canvas.paint(shape=canvas.last_shape, opacity=canvas.opacity)


ACTIONS = [check_password, draw_circle]


def main(number, *values):
    return ACTIONS[number](*values)
"""
    text = "from app.program import main\n\n\ndef test_it():\n    main({})\n"
    repo.having(
        {
            "app/__init__.py": "",
            "app/program.py": program,
            "tests/test_a.py": text.format('1, "polygon", "paint an ellipse on a canvas"'),
            "tests/test_b.py": text.format(
                '0, "a user logs in", "locked users get no permission"'
            ),
            "tests/test_c.py": text.format('1, "rectangle", "radius of its corners"'),
        }
    )
    repo.commit()
    found = {}
    for symbol in ("check_password", "draw_circle"):
        found[symbol] = [one.path for one in asked(repo, f"app/program.py:{symbol}").tests_scored]
        assert len(found[symbol]) == 3
    assert found["check_password"][0] == found["draw_circle"][-1] == "tests/test_b.py"


def test_of_many_tests_the_likeliest_are_compared(repo, monkeypatch):
    monkeypatch.setattr(impact_evidence, "_COMPARED", 2)
    files = {f"tests/test_{name}.py": running(f"export-{name}") for name in "abcd"}
    repo.having({"app/__init__.py": "", "app/commands.py": COMMANDS, **files})
    repo.having({"tests/test_export_table.py": running("export-table")})
    repo.commit()
    found = [one for one in asked(repo, "app/commands.py:export_table").dependents if one.test]
    kinds = {one.path: [each.kind for each in one.evidence] for one in found}
    assert len(kinds) == 5
    assert kinds["tests/test_export_table.py"] == ["mentions", "similar"]
    assert sum("similar" in own for own in kinds.values()) == 2


def test_of_very_many_definitions_no_test_is_said_to_be_like_one(repo, monkeypatch):
    repo.having(
        {
            "app/__init__.py": "",
            "app/commands.py": COMMANDS,
            "tests/test_export.py": running("export-table"),
        }
    )
    repo.commit()
    both = [f"app/commands.py:{name}" for name in ("export_table", "import_image")]
    (test,) = [one for one in asked(repo, *both).dependents if one.test]
    assert [one.kind for one in test.evidence] == ["mentions", "similar"]
    monkeypatch.setattr(impact_evidence, "_MOST_DEFINITIONS", 1)
    (test,) = [one for one in asked(repo, *both).dependents if one.test]
    assert [one.kind for one in test.evidence] == ["mentions"]


def test_words_and_meaning_weigh_the_odds_up_and_down():
    assert weighed(0.5, 0.5, 0.25) == pytest.approx(0.5) == weighed(0.5, None)
    assert weighed(0.5, 0) < 0.5 < weighed(0.5, 1) < 1
    assert weighed(0.5, 0.5, 0) < 0.5 < weighed(0.5, 0.5, 1) < 1
    assert weighed(0.5, None) < weighed(0.5, None, together=0.5) < 1
    assert weighed(1, 0, 0) == 1
