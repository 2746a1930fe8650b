"""The architecture: components, who needs whom, roles, circles."""

import pytest

from gitsearch.commands.architecture import ArchitectureRequest, architecture
from gitsearch.render import json_document, overview_text
from gitsearch.render.color import Paint
from tests.builder import RepoBuilder
from tests.unit.commands.asked import session, warm_parsers

FILES = {
    "low/a.py": "",
    "low/b.py": "from low import a\n",
    "low/c.py": "from low import a, b\n",
    "low/d.py": "from low import a, b, c\n",
    "top/e.py": "from top import f\n",
    "top/f.py": "from top import e\n",
    "top/g.py": "from top import e, f\nfrom low import a\n",
    "top/h.py": "from top import e, f, g\n",
    "alone.py": "x = 1\n",
    "tests/test_a.py": "from low import a\n",
}


@pytest.fixture
def repo(repo):
    return repo.having(FILES)


def asked(repo, **options):
    warm_parsers()
    return architecture(session(repo.path), ArchitectureRequest(**options))


@pytest.mark.slow
def test_components_and_what_they_need(repo):
    found = {one.name: one for one in asked(repo).components}
    assert set(found) == {"low", "top"}
    assert (found["low"].size, found["low"].layer, found["low"].needs) == (4, 0, ())
    assert (found["top"].size, found["top"].layer, found["top"].needs) == (4, 1, (("low", 1),))
    assert found["low"].core[0] == "low/a.py"


def test_roles_and_degrees(repo):
    report = asked(repo)
    roles = {one.path: one.role for one in report.files}
    assert roles == {
        "alone.py": "peripheral",
        "low/a.py": "leaf",
        "low/b.py": "peripheral",
        "low/c.py": "peripheral",
        "low/d.py": "entry",
        "top/e.py": "peripheral",
        "top/f.py": "peripheral",
        "top/g.py": "peripheral",
        "top/h.py": "entry",
    }
    (leaf,) = (one for one in report.files if one.role == "leaf")
    assert (leaf.imported_by, leaf.imports, leaf.component) == (4, 0, "low")
    assert report.aside == 1


def test_cycles_and_what_is_drawn(repo):
    report = asked(repo)
    assert report.cycles == (("top/e.py", "top/f.py"),)
    text = "".join(overview_text.architecture(report, Paint()))
    assert text.startswith("2 components, 9 files, 2 entry points, 0 hubs, 1 leaf, 6 peripheral,")
    assert "1 cycle (1 without imports; 1 tests, examples and the like beside them)" in text
    assert "\nlayer 1\ntop (4 files)\n" in text
    assert "\n    needs: low 1\n" in text
    assert "top/e.py <> top/f.py\n" in text


def test_another_revision(repo):
    repo.remove("top/h.py")
    repo.commit()
    assert [one.size for one in asked(repo, at="HEAD~1").components] == [4, 4]
    assert sorted(one.size for one in asked(repo).components) == [3, 4]


def test_no_code_and_no_supported_language(repo):
    for path in FILES:
        repo.remove(path)
    repo.write("a.txt", "a\n")
    repo.commit()
    report = asked(repo)
    assert (report.components, report.files, report.cycles) == ((), (), ())
    assert json_document.document(report)["components"] == []
    assert "".join(overview_text.architecture(report, Paint())).startswith("0 components, 0 files")
    repo.write("a.lisp", "(load 'x)\n")
    repo.git("add", "-A")
    (file,) = asked(repo, cached=True).files
    assert (file.role, file.component) == ("peripheral", None)


def test_a_repository_without_a_commit(tmp_path):
    assert asked(RepoBuilder(tmp_path / "empty")).files == ()
