"""A definition with 50,000 users, and a method that 10,000 others override, in one tree."""

from __future__ import annotations

import resource

import pytest

from gitsearch.commands.impact import ImpactRequest, impact
from gitsearch.graph.likelihood import CERTAIN
from tests.unit.commands.asked import session

pytestmark = pytest.mark.long

FILES, EACH, BELOW = 50, 1000, 10

# What the process may need more than before, which holds for trees of this size.
MOST_BYTES = 700 << 20


def users(file):
    functions = (f"def user{file}_{i}():\n    return one()\n" for i in range(EACH))
    return "from app.one import one\n\n\n" + "\n\n".join(functions)


def overriding(file):
    classes = (
        f"class Below{file}_{i}(Base):\n    def run(self):\n        return {i}\n"
        for i in range(EACH)
    )
    return "from app.base import Base\n\n\n" + "\n\n".join(classes)


@pytest.fixture
def repo(repo):
    return repo.having(
        {
            "app/__init__.py": "",
            "app/one.py": "def one():\n    return 1\n",
            **{f"app/users{file}.py": users(file) for file in range(FILES)},
            "app/base.py": "class Base:\n    def run(self):\n        return 0\n\n\n"
            "def everything(base: Base):\n    return base.run()\n",
            **{f"app/below{file}.py": overriding(file) for file in range(BELOW)},
            "tests/test_users.py": "from app.users7 import user7_3\n\n\n"
            "def test_it():\n    assert user7_3()\n",
            "tests/test_base.py": "from app.base import everything\n"
            "from app.below3 import Below3_7\n\n\n"
            "def test_it():\n    assert everything(Below3_7())\n",
            "tests/test_names.py": "import app.below4\nfrom app.base import everything\n\n\n"
            "def test_it(name):\n    assert everything(getattr(app.below4, name)())\n",
        }
    )


def test_very_many_users_and_overriding_methods_are_bounded_and_no_answer_is_empty(repo):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def asked(target, **options):
        return impact(session(repo.path), ImpactRequest((target,), **options))

    found = asked("app/one.py:one")
    callers = {f"app/users{file}.py" for file in range(FILES)}
    assert {one.path for one in found.dependents} == {*callers, "tests/test_users.py"}
    assert {one.label for one in found.dependents if one.path in callers} == {CERTAIN}
    short = asked("app/one.py:one", most=5)
    assert (len(short.dependents), short.truncated) == (5, FILES + 1 - 5)

    # who calls the base runs the base; that it runs one of so many others is not followed
    found = asked("app/base.py:Base.run")
    assert {"tests/test_base.py", "tests/test_names.py"} == set(found.tests)
    assert found.unlikely == BELOW
    one = asked("app/below3.py:Below3_7.run")
    assert one.tests == ("tests/test_base.py",)
    assert one.dependents[0].label != CERTAIN
    # nothing names it: what imports its file is told instead of nothing, as unsure
    unknown = asked("app/below4.py:Below4_9.run")
    assert unknown.tests == ("tests/test_names.py",)
    assert unknown.dependents[0].resolution == "ambiguous"
    assert unknown.dependents[0].likelihood < 0.1

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert used << 10 < MOST_BYTES
