"""The map: tiers, budget, what it is drawn for."""

import os
import subprocess
import sys

import pytest

from gitsearch.commands.map import MapRequest, code_map
from gitsearch.errors import BadPath, SmallBudget
from gitsearch.features.token_count import count
from gitsearch.render import json_document, overview_text
from gitsearch.render.color import Paint
from tests.builder import RepoBuilder
from tests.unit.commands.asked import session, warm_parsers

MANY = "".join(f"def long_name_of_function_{i}(first, second):\n    pass\n\n\n" for i in range(90))
FILES = {
    "app/__init__.py": "",
    "app/core.py": '"""The core. It does all."""\n\nLIMIT = 3\n\n\n'
    "class Engine(\n    object,\n):\n"
    "    def start(self):\n        def inner():\n            pass\n\n\n"
    "def fold(\n    x,\n    y=1,\n):\n    # why\n    return x\n",
    "app/tools.py": "from app import core\n\n\ndef turn():\n    return core.fold(1)\n",
    "app/cli.py": "from app import core, tools\n\n\ndef main():\n    return tools.turn()\n",
    "app/web.py": "from app import core\n\n\ndef serve_requests():\n    return core.fold(2)\n",
    "app/many.py": "from app import core\n\n\n" + MANY,
    "tests/test_core.py": "from app import core\n\n\ndef test_fold():\n    assert core.fold(1)\n",
    "notes.md": "serve requests\n",
}


@pytest.fixture
def repo(repo):
    return repo.having(FILES)


def text(report):
    return "".join(overview_text.code_map(report, Paint()))


def coloured(report):
    return "".join(overview_text.code_map(report, Paint(colour=True)))


def document(report):
    return json_document.dump(json_document.code_map(report))


def drawn(repo, *paths, folder="", written=text, **options):
    warm_parsers()
    return code_map(session(repo.path / folder), MapRequest(paths, **options), written)


def paths(report):
    return [module.path for module in report.modules]


def test_what_most_lean_on_comes_first_with_what_it_defines(repo):
    report = drawn(repo)
    first = report.modules[0]
    assert (first.path, first.tier, first.language) == ("app/core.py", "core", "python")
    assert first.doc == "The core."
    assert first.signatures == ((6, "class Engine(object)"), (14, "def fold(x, y=1)"))
    assert report.modules[1].path == "app/tools.py"
    ranks = [module.rank for module in report.modules if not module.path.startswith("tests/")]
    assert ranks == sorted(ranks, reverse=True)
    assert "notes.md" not in paths(report)


def test_tests_come_last_and_only_where_all_else_is_shown(repo):
    whole = drawn(repo, budget=10_000)
    assert paths(whole)[-1] == "tests/test_core.py"
    assert whole.modules[-1].tier == "peripheral"
    assert (whole.files, whole.left_out, whole.too_large) == (7, 0, ())
    assert "tests/test_core.py" not in paths(drawn(repo, budget=1000))


@pytest.mark.parametrize("written", [text, coloured, document])
def test_the_budget_is_a_ceiling_for_all_that_is_printed(repo, written):
    whole = {module.path: module for module in drawn(repo, budget=100_000).modules}
    smallest = 500 if written is document else 100
    for budget in (smallest, 2 * smallest, 1000, 5000):
        report = drawn(repo, written=written, budget=budget)
        assert 0 < count(written(report)) <= budget
        assert all(module == whole[module.path] for module in report.modules)
        assert len(report.modules) + report.left_out == report.files == 7
        if report.left_out and written is text:
            assert f"{len(report.modules)} of 7 files" in text(report)


@pytest.mark.parametrize("written", [text, document])
def test_a_budget_that_is_too_small_is_refused_with_one_that_works(repo, written):
    with pytest.raises(SmallBudget) as refused:
        drawn(repo, written=written, budget=10)
    least = int(refused.value.hint.rpartition(" ")[2])
    assert drawn(repo, written=written, budget=least).modules
    with pytest.raises(SmallBudget):
        drawn(repo, written=written, budget=least - 1)


def test_a_file_that_is_too_large_is_named_and_others_follow(repo):
    for path in ("tools", "cli", "web"):
        repo.write(f"app/{path}.py", "from app import many\n")
    report = drawn(repo, budget=300)
    assert report.too_large == ("app/many.py",)
    assert "too large for what was left: app/many.py" in text(report)


def test_a_map_for_paths_shows_what_they_lean_on(repo):
    report = drawn(repo, "app/tools.py")
    assert paths(report)[:2] == ["app/tools.py", "app/core.py"]
    assert paths(report)[2:4] == ["app/__init__.py", "app/cli.py"]
    assert {module.path: module.rank for module in report.modules}["app/cli.py"] == 0
    assert paths(drawn(repo, "tools.py", folder="app")) == paths(report)
    assert paths(drawn(repo, "tests"))[:2] == ["tests/test_core.py", "app/core.py"]


def test_a_map_for_a_query_starts_at_what_a_search_finds(repo):
    report = drawn(repo, query="serve requests")
    ranks = {module.path: module.rank for module in report.modules}
    assert ranks["app/web.py"] > ranks["app/cli.py"]
    both = drawn(repo, "app/cli.py", query="serve requests")
    ranks = {module.path: module.rank for module in both.modules}
    assert ranks["app/web.py"] > 0 < ranks["app/cli.py"]


def test_a_map_for_what_is_no_code_says_so(repo):
    report = drawn(repo, "notes.md")
    assert report.warnings == ("no code is found for these paths; the map is drawn without",)
    assert paths(report) == paths(drawn(repo))


def test_a_path_that_is_not_there_is_refused(repo):
    with pytest.raises(BadPath) as refused:
        drawn(repo, "app/tool.py")
    assert "app/tools.py" in (refused.value.hint or "")


def test_edited_files_and_other_revisions(repo):
    for name in ("cli", "web", "many"):
        repo.write(f"app/{name}.py", "from app import tools\n")
    ranks = {module.path: module.rank for module in drawn(repo).modules}
    assert ranks["app/tools.py"] > 2 * ranks["app/web.py"]
    assert drawn(repo, at="HEAD").modules != drawn(repo).modules


@pytest.mark.slow
def test_a_namespace_hides_nothing_but_its_tests(repo):
    repo.write(
        "lib.cpp",
        "namespace inner {\nvoid shown() {}\n}\n\nnamespace tests {\nvoid hidden() {}\n}\n",
    )
    repo.commit()
    (module,) = (one for one in drawn(repo, "lib.cpp").modules if one.path == "lib.cpp")
    assert [text for _, text in module.signatures] == ["void shown()"]


def emptied(repo, **files):
    repo.git("rm", "-rq", ".")
    for path, text in files.items():
        repo.write(path, text)
    repo.commit()


def test_one_file_an_empty_tree_and_a_language_that_is_not_resolved(repo):
    emptied(repo, **{"a.py": "def a(): pass\n"})
    (module,) = drawn(repo).modules
    assert (module.path, module.rank, module.tier) == ("a.py", 1.0, "peripheral")
    emptied(repo, **{"a.lisp": ";;; Reads\n(defun a () 1)\n"})
    (module,) = drawn(repo).modules
    assert (module.path, module.doc) == ("a.lisp", "Reads")
    emptied(repo, **{"a.txt": "a\n"})
    report = drawn(repo)
    assert (report.modules, report.files, report.left_out) == ((), 0, 0)
    assert text(report) == ""


def test_a_repository_without_a_commit(tmp_path):
    assert drawn(RepoBuilder(tmp_path / "empty")).modules == ()


@pytest.mark.long
def test_the_same_bytes_in_each_process(repo):
    drawn(repo)
    found = set()
    for seed in ("0", "1"):
        for path in (repo.index_dir / "views").glob("*.shape*"):
            path.unlink()
        found.add(
            subprocess.run(
                [sys.executable, "-m", "gitsearch", "map", "--json"],
                cwd=repo.path,
                env={**os.environ, "PYTHONHASHSEED": seed},
                check=True,
                capture_output=True,
            ).stdout
        )
    assert len(found) == 1
    assert found == {document(drawn(repo, written=document)).encode()}


def test_signatures_have_no_trailing_comment(tmp_path):
    repo = RepoBuilder(tmp_path / "r").having(
        {
            "a.lua": "function fold(x) -- see walk\n  return x\nend\n",
            "b.py": "def walk(x=7 // 2):  # see fold\n    return x\n",
            "d.hs": "module D where\n\nzip :: Int -> Int -- see fold\nzip x = x\n",
        }
    )
    signatures = {text for module in drawn(repo).modules for _, text in module.signatures}
    assert signatures == {"function fold(x)", "def walk(x=7 // 2)", "zip :: Int -> Int"}
