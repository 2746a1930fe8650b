"""A graph that grew says what one that is built for its tree says, and resolves little anew."""

import json

import pytest

from gitsearch import trace
from gitsearch.graph import graph_cache
from gitsearch.store import cache_files
from tests.unit.commands.asked import opened, warm_parsers

FILES = {
    "pkg/__init__.py": "from .core import run\n",
    "pkg/core.py": "import json\nfrom . import tools\n\n\ndef run():\n    return tools.fold()\n",
    "pkg/tools.py": "def fold():\n    return 1\n",
    "tests/test_core.py": "from pkg.core import run\n\n\ndef test_run():\n    assert run()\n",
    "web/index.ts": 'import { shown } from "./shown";\nexport const page = shown;\n',
    "web/shown.ts": "export const shown = 1;\n",
    "plugin.py": "import importlib\n\n\ndef load(name):\n    importlib.import_module(name)\n",
    "main.go": "package main\n\nfunc main() { help() }\n",
    "help.go": "package main\n\nfunc help() {}\n",
}


@pytest.fixture
def repo(repo):
    return repo.having(FILES)


def graph(repo, **options):
    warm_parsers()
    return graph_cache.graph_of(opened(repo, **options))


def edges(found):
    """Every edge with its line, and what is unresolved, by paths."""
    out = set()
    for file in range(found.files):
        for one in found.out_edges(file):
            line = found.line(file, one.place)
            out.add((found.path(file), found.path(one.target), line, one.ambiguous))
    return out, {
        (found.path(one.file), found.line(one.file, one.place), one.reason)
        for one in found.unresolved_imports()
    }


def counted(name):
    return json.loads("".join(trace.report("json")))["counts"][name]


def afresh(repo, **options):
    for path in (repo.index_dir / "views").glob("*.graph*"):
        path.unlink()
    found = graph(repo, **options)
    assert found.meta["resolved"] > 0
    return edges(found)


@pytest.mark.slow
def test_edges_come_with_their_lines(repo):
    found, unresolved = edges(graph(repo))
    assert found == {
        (b"pkg/__init__.py", b"pkg/core.py", 1, False),
        (b"pkg/core.py", b"pkg/tools.py", 2, False),
        (b"tests/test_core.py", b"pkg/core.py", 1, False),
        (b"web/index.ts", b"web/shown.ts", 1, False),
        (b"main.go", b"help.go", 1, False),
    }
    assert unresolved == {(b"plugin.py", 5, "dynamic-import")}


CHANGES = {
    "a body": lambda repo: repo.append("pkg/tools.py", "\n\ndef more():\n    return 2\n"),
    "a line before an import": lambda repo: repo.write(
        "pkg/core.py", "# first\n" + FILES["pkg/core.py"]
    ),
    "an import": lambda repo: repo.append("pkg/tools.py", "\n\nimport plugin\n"),
    "a new file that is imported": lambda repo: repo.write("json.py", "x = 1\n"),
    "a file that goes": lambda repo: repo.remove("pkg/tools.py"),
    "a file that moves": lambda repo: repo.rename("web/shown.ts", "web/lib/shown.ts"),
    "another language": lambda repo: repo.rename("help.go", "help.txt"),
    "a name that is used": lambda repo: repo.write("main.go", "package main\n\nfunc main() {}\n"),
    "a settings file": lambda repo: repo.write(
        "tsconfig.json", '{"compilerOptions": {"paths": {"./shown": ["./web/index.ts"]}}}'
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.long
def test_a_graph_that_grew_is_as_one_made_afresh(repo, change):
    graph(repo)
    CHANGES[change](repo)
    repo.commit()
    grown = edges(graph(repo))
    assert grown == afresh(repo)
    assert edges(graph(repo, at="HEAD~1")) == afresh(repo, at="HEAD~1")


@pytest.mark.parametrize("change", ["a body", "a line before an import", "a name that is used"])
def test_what_changes_no_import_resolves_nothing(repo, change):
    graph(repo)
    CHANGES[change](repo)
    repo.commit()
    assert graph(repo).meta["resolved"] == 0


def test_an_import_of_a_package_leads_to_what_an_edit_names(repo):
    use = "import p.*;\nclass Use {{ {0} one; }}\n"
    repo.having({f"p/{name}.java": f"package p;\npublic class {name} {{}}\n" for name in "AB"})
    repo.having({"Use.java": use.format("A")})
    graph(repo)
    repo.having({"Use.java": use.format("B")})
    found, _ = edges(graph(repo))
    assert {edge for edge in found if edge[0] == b"Use.java"} == {
        (b"Use.java", b"p/B.java", 1, False)
    }


@pytest.mark.slow
def test_settings_that_are_code_are_settings(repo):
    repo.write("setup.py", "setup(package_dir={'': 'one'})\n")
    for folder in ("one", "two"):
        repo.write(f"{folder}/thing.py", "")
    repo.append("plugin.py", "\nimport thing\n")
    repo.commit()
    graph(repo)
    repo.write("setup.py", "setup(package_dir={'': 'two'})\n")
    repo.commit()
    grown = edges(graph(repo))
    assert (b"plugin.py", b"two/thing.py", 7, False) in grown[0]
    assert grown == afresh(repo)


PROJECT = """\
[project]
name = "one"
version = "1"
[tool.setuptools]
package-dir = {"" = "lib"}
"""
PACKAGE = """\
{"name": "web", "version": "1.0.0", "exports": "./shown.ts", "scripts": {"test": "vitest"},
 "devDependencies": {"vitest": "1"}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pyproject.toml", "web/package.json"])
def test_settings_that_say_nothing_of_imports_resolve_nothing(repo, name):
    texts = {"pyproject.toml": PROJECT, "web/package.json": PACKAGE}
    repo.write(name, texts[name])
    repo.commit()
    graph(repo)
    repo.write(name, texts[name].replace("1", "2"))
    repo.commit()
    grown = graph(repo)
    assert grown.meta["resolved"] == 0
    assert edges(grown) == afresh(repo)


@pytest.mark.slow
def test_settings_of_one_name_are_read_at_once(repo):
    def asked(folders):
        for number in range(folders):
            repo.write(f"web/{folders}/{number}/tsconfig.json", "{}")
            repo.write(f"web/{folders}/{number}/a.ts", "import './b';")
        repo.commit()
        view = opened(repo)
        view.session.repo.end_idle()  # those that a first answer left are not counted
        before = counted("git processes")
        graph_cache.graph_of(view)
        return counted("git processes") - before

    warm_parsers()
    assert asked(2) == asked(20) > 0


def test_a_changed_import_resolves_one_file(repo):
    graph(repo)
    CHANGES["an import"](repo)
    repo.commit()
    assert graph(repo).meta["resolved"] == 1


@pytest.mark.slow
def test_an_import_that_says_what_another_means_resolves_that_too(repo):
    repo.write("pkg/yaml.py", "")
    repo.write("pkg/load.py", "import yaml\n")
    repo.commit()
    assert (b"pkg/load.py", b"pkg/yaml.py", 1, True) in edges(graph(repo))[0]
    repo.append("plugin.py", "\nimport yaml\n")
    repo.commit()
    grown = edges(graph(repo))
    assert not [edge for edge in grown[0] if edge[1] == b"pkg/yaml.py"]
    assert grown == afresh(repo)


def test_edited_files_belong_to_the_graph(repo):
    before = edges(graph(repo))
    repo.append("pkg/tools.py", "\n\nimport plugin\n")
    edited = edges(graph(repo))
    assert edited[0] - before[0] == {(b"pkg/tools.py", b"plugin.py", 5, False)}
    repo.commit()
    assert edges(graph(repo)) == edited


@pytest.mark.parametrize("offset", [10, 60, 500, -70])
def test_a_damaged_graph_is_made_again(repo, offset):
    right = edges(graph(repo))
    (path,) = (repo.index_dir / "views").glob("*.graph*")
    data = bytearray(path.read_bytes())
    data[offset] ^= 0x40
    path.write_bytes(data)
    assert edges(graph(repo)) == right


@pytest.mark.slow
def test_only_a_few_graphs_are_kept(repo, monkeypatch):
    monkeypatch.setattr(cache_files, "MOST", 2)
    for number in range(4):
        repo.append("pkg/tools.py", f"\nX{number} = 1\n")
        graph(repo)
    assert len(list((repo.index_dir / "views").glob("*.graph*"))) == 2


@pytest.mark.slow
def test_what_was_pending_is_not_taken_for_the_whole(repo):
    graph(repo)
    repo.write("late.py", "import plugin\n")
    for number in range(20):
        repo.write(f"late_{number}.py", "import late\n")
    repo.commit()
    repo.git("config", "search.refresh", "off")
    assert graph(repo).file(b"late.py") >= 0
    assert b"late.py" not in {source for source, *_ in edges(graph(repo))[0]}
    repo.git("config", "search.refresh", "wait")
    assert (b"late.py", b"plugin.py", 1, False) in edges(graph(repo))[0]


@pytest.mark.long
def test_words_of_what_is_gone_do_not_pile_up(repo):
    first = graph(repo).table.words
    for number in range(60):
        names = " = ".join(f"word_{number}_{i}" for i in range(20))
        repo.write("pkg/tools.py", f"{names} = 1\n")
        latest = graph(repo).table.words
        assert latest < 4 * (first + 20)
    assert edges(graph(repo)) == afresh(repo)
