"""Where names are used, and what is meant."""

import pytest

from gitsearch.commands.refs import references
from tests.unit.commands.asked import Listener, warm_parsers

FILES = {
    "app/__init__.py": "from app.core import Engine\n",
    "app/core.py": "class Engine:\n    def start(self):\n        return start()\n\n\n"
    "def start():\n    return 1\n",
    "app/other.py": "class Engine:\n    pass\n\n\ndef make():\n    return Engine()\n",
    "app/cli.py": "from app import Engine\n\nEngine().start()\n",
    "app/both.py": "from app import core, other\n\nprint(core.Engine(), other.Engine())\n",
    "app/stranger.py": "def build(Engine):\n    return Engine()\n",
}


@pytest.fixture
def repo(repo):
    for path, text in FILES.items():
        repo.write(path, text)
    repo.commit()
    return repo


def asked(repo, name, at=None):
    warm_parsers()
    return references(repo.path, name, at, Listener()).references


def found(repo, name, **options):
    return {(one.path, one.line): (one.label, one.target) for one in asked(repo, name, **options)}


def test_uses_are_resolved_through_imports(repo):
    core, other = ("app/core.py", 1), ("app/other.py", 1)
    assert found(repo, "Engine") == {
        ("app/__init__.py", 1): ("resolved", core),
        ("app/cli.py", 1): ("resolved", core),
        ("app/cli.py", 3): ("resolved", core),
        ("app/both.py", 3): ("ambiguous", None),
        ("app/other.py", 6): ("resolved", other),
        ("app/stranger.py", 2): ("by-name", None),
    }


def test_kinds_and_the_line(repo):
    shown = {(one.path, one.line): (one.kind, one.text) for one in asked(repo, "Engine")}
    assert shown["app/cli.py", 1] == ("import", "from app import Engine")
    assert shown["app/cli.py", 3] == ("call", "Engine().start()")


def test_a_qualified_name_means_one_definition(repo):
    assert found(repo, "core.start") == found(repo, "nothing.start")
    assert found(repo, "Engine.start")["app/cli.py", 3] == ("resolved", ("app/core.py", 2))


def test_edited_files_and_other_revisions(repo):
    repo.append("app/cli.py", "\nEngine.stop()\nEngine()\n")
    assert ("app/cli.py", 6) in found(repo, "Engine")
    assert ("app/cli.py", 6) not in found(repo, "Engine", at="HEAD")


def test_a_name_that_nobody_uses(repo):
    assert asked(repo, "make") == ()
    assert asked(repo, "nowhere_at_all") == ()
