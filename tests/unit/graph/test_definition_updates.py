"""Graphs of definitions made from that of another tree: like fresh ones, and from few files."""

from __future__ import annotations

import numpy as np
import pytest

from gitsearch import trace
from gitsearch.commands.code_graph import open_code_graph
from gitsearch.commands.tree_selection import select_tree
from gitsearch.graph import definition_cache
from gitsearch.graph.definition_builder import build
from tests.builder import RepoBuilder
from tests.programs import RandomProgram
from tests.unit.commands.asked import Aside, session, warm_parsers
from tests.unit.graph.definitions import edges
from tests.unit.index.fixtures import copy_of

FILES = {
    "app/__init__.py": "",
    "app/shapes.py": (
        "class Shape:\n    def area(self):\n        return 1\n\n"
        "    def name(self):\n        return ''\n\n\ndef unit():\n    return Shape()\n"
    ),
    "app/squares.py": (
        "from app.shapes import Shape\n\n\n"
        "class Square(Shape):\n    def edge(self):\n        return self.area()\n"
    ),
    "app/names.py": "from app.shapes import Shape\n\n\ndef named():\n    return Shape().name()\n",
    "app/units.py": (
        "from app.shapes import unit\n\n\ndef twice():\n    return unit().area() * 2\n"
    ),
    "app/apart.py": "def apart():\n    return 3\n",
    "web/a.ts": "export class A {\n  one() { return 1; }\n  two() { return 2; }\n}\n",
    "web/b.ts": "import { A } from './a';\nexport function b() { return new A().one(); }\n",
    "web/c.ts": "import { b } from './b';\nexport function c() { return b(); }\n",
    "go.mod": "module m\n\ngo 1.19\n",
    "a/kinds.go": 'package a\n\ntype Kind struct{}\n\nfunc (k Kind) Name() string { return "" }\n',
    "a/uses.go": "package a\n\nfunc use(k Kind) string { return k.Name() }\n",
    "a/other.go": "package a\n\nfunc other() int { return 1 }\n",
    "src/p/Base.java": "package p;\npublic class Base {\n  public int size() { return 1; }\n"
    "  public int width() { return 2; }\n}\n",
    "src/p/Sub.java": "package p;\npublic class Sub extends Base {\n"
    "  public int half() { return size() / 2; }\n}\n",
    "src/p/Wide.java": "package p;\npublic class Wide {\n"
    "  int wide(Sub s) { return s.width(); }\n}\n",
    "src/p/Alone.java": "package p;\npublic class Alone {\n  int one() { return 1; }\n}\n",
}


@pytest.fixture(scope="module")
def template(isolation, tmp_path_factory):
    """A repository whose definitions are resolved; never to be changed."""
    warm_parsers()
    repo = RepoBuilder(tmp_path_factory.mktemp("known") / "repo").having(FILES)
    grown(repo)
    return repo


@pytest.fixture
def known(template, tmp_path):
    """A copy of it."""
    return copy_of(template, tmp_path / "repo")


def grown(repo):
    """The code graph of the working tree, and the arrays of that of its definitions."""
    code_graph = open_code_graph(select_tree(session(repo.path)))
    return code_graph, code_graph.definitions.arrays


def fresh(code_graph):
    """The arrays of a graph of definitions that is made from nothing."""
    rows, before = definition_cache._facts(code_graph.opened, code_graph.graph, None)
    assert before is None
    return build(code_graph.graph, rows, None).graph


def assert_equal(one, other, what):
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.dtype == other[name].dtype, (what, name)
        assert np.array_equal(array, other[name]), (what, name)


def resolved(repo):
    """How many files an update resolves; it gives what a fresh resolution does."""
    before = trace._counts.get("files with uses resolved", 0)
    code_graph, arrays = grown(repo)
    count = trace._counts["files with uses resolved"] - before
    assert_equal(arrays, fresh(code_graph), "an update")
    return count


# ---------------------------------------------------------------- replay


@pytest.mark.long
@pytest.mark.parametrize(("seed", "count"), [(1, 12), (2, 24), (3, 100)])
def test_a_replay_of_random_edits_gives_the_graphs_of_fresh_resolution(repo, seed, count):
    warm_parsers()
    program = RandomProgram(repo, seed)
    grown(repo)
    kinds, few = set(), 0
    for number, step in enumerate(program.steps(count)):
        before = trace._counts.get("files with uses resolved", 0)
        code_graph, arrays = grown(repo)
        assert_equal(arrays, fresh(code_graph), f"{number}: {step}")
        few += trace._counts["files with uses resolved"] - before < 12
        kinds |= set(arrays["edge_kind"].tolist())
    assert len(kinds) > 15
    assert few > count * 0.8
    with Aside(repo):
        assert_equal(arrays, grown(repo)[1], "a fresh index")


# ---------------------------------------------------------------- what is resolved


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("app/shapes.py", "return 1", "x = 1\n        return x + 1"),
        ("web/a.ts", "return 1", "const x = 1; return x"),
        *(
            pytest.param(*edit, marks=pytest.mark.long)
            for edit in (
                ("app/shapes.py", "class Shape", "# a line\nclass Shape"),
                ("a/kinds.go", 'return ""', 'x := "y"; return x'),
                ("src/p/Base.java", "return 1", "int x = 1; return x"),
                ("src/p/Base.java", "return 1", "return new Alone().one()"),
            )
        ),
    ],
)
def test_an_edit_in_a_body_resolves_its_file_only(known, path, old, new):
    known.replace(path, old, new)
    assert resolved(known) == 1
    assert resolved(known) == 0


@pytest.mark.parametrize(
    ("path", "old", "new", "asking"),
    [
        ("app/shapes.py", "def name", "def label", {"app/names.py"}),
        ("app/shapes.py", "def unit", "def one", {"app/units.py"}),
        ("app/shapes.py", "def area", "def size", {"app/squares.py", "app/units.py"}),
        ("web/a.ts", "two()", "three()", set()),
        ("web/a.ts", "one()", "three()", {"web/b.ts"}),
        ("a/kinds.go", "Name()", "Label()", {"a/uses.go"}),
        ("a/other.go", "other()", "another()", set()),
        ("src/p/Base.java", "size()", "length()", {"src/p/Sub.java"}),
        ("src/p/Base.java", "width()", "breadth()", {"src/p/Wide.java"}),
    ],
)
def test_a_renamed_definition_resolves_who_looked_its_name_up(known, path, old, new, asking):
    known.replace(path, old, new)
    assert resolved(known) == 1 + len(asking)


def test_a_name_that_is_new_resolves_who_missed_it(known):
    known.append("app/units.py", "\n\ndef more():\n    return unit().weight()\n")
    assert resolved(known) == 1
    known.append("app/shapes.py", "\n\ndef heavy():\n    return 2\n")
    assert resolved(known) == 1
    known.replace(
        "app/shapes.py", "    def name", "    def weight(self):\n        pass\n\n    def name"
    )
    assert resolved(known) == 2
    assert ("more", "call", "Shape.weight") in edges(known)


def test_another_base_resolves_who_asked_for_the_classes_above(known):
    known.replace("src/p/Sub.java", "extends Base", "extends Alone")
    assert resolved(known) == 2
    found = edges(known)
    assert ("Sub", "subclass", "Alone") in found
    assert ("Wide.wide", "call", "Base.width") not in found


def test_a_file_that_moves_comes_or_goes_resolves_who_led_to_it(known):
    known.rename("web/b.ts", "web/lib/b.ts")
    known.commit()
    assert resolved(known) == 2
    known.replace("web/c.ts", "./b", "./lib/b")
    assert resolved(known) == 1
    known.remove("app/apart.py")
    assert resolved(known) == 0
    known.write("a/more.go", "package a\n\nfunc more() {}\n")
    known.commit()
    assert resolved(known) == 1


def test_a_type_that_loses_a_method_with_its_file_implements_no_more(known):
    known.having(
        {
            "a/face.go": "package a\n\ntype Face interface {\n\tA()\n\tB()\n}\n",
            "a/type.go": (
                "package a\n\ntype T struct{}\n\nfunc (t T) A() {}\n\nfunc (t T) C() {}\n"
            ),
            "a/more.go": "package a\n\nfunc (t T) B() {}\n",
            "a/asks.go": "package a\n\nfunc asks(f Face) { f.C() }\n",
        }
    )
    assert ("asks", "override", "T.C") in edges(known)
    known.remove("a/more.go")
    assert resolved(known) == 1
    assert ("asks", "override", "T.C") not in edges(known)


def test_a_branch_is_resolved_from_the_other_one(known):
    known.branch("topic")
    known.replace("app/shapes.py", "return 1", "return 7")
    known.commit()
    assert resolved(known) == 1
    known.checkout("main")
    assert resolved(known) == 0


def test_what_is_no_part_of_the_graph_resolves_nothing(known):
    known.write("README.md", "# Shapes\n")
    known.commit()
    assert resolved(known) == 0


def test_an_edit_at_the_end_of_a_long_chain_of_imports_reaches_its_start(repo):
    warm_parsers()
    files = {f"m{i}.ts": f"export * from './m{i + 1}';\n" for i in range(500)}
    repo.having(
        {
            **files,
            "m500.ts": "export function deep() {}\n",
            "use.ts": "import { deep } from './m0';\nexport function use() { deep(); }\n",
        }
    )
    grown(repo)
    repo.replace("m500.ts", "deep", "other")
    assert resolved(repo) == 2
    assert ("use", "call", "deep") not in edges(repo)
    repo.replace("m500.ts", "other() {}", "other() {}\nexport function deep() {}")
    assert resolved(repo) == 2
    assert ("use", "call", "deep") in edges(repo)
