"""Edges between definitions of Python, by rules of the language and of its library."""

from __future__ import annotations

from tests.unit.graph.definitions import edges


def test_a_name_that_a_function_assigns_and_imports_means_both(repo):
    repo.having(
        {
            "app.py": (
                "class App:\n    kind = None\n\n    def client(self):\n"
                "        cls = self.kind\n        if cls is None:\n"
                "            from testing import Client as cls\n        return cls(self)\n\n"
                "    @classmethod\n    def made(cls):\n        return cls()\n"
            ),
            "testing.py": "class Client:\n    def get(self):\n        pass\n",
            "test_app.py": (
                "from app import App\n\n\ndef test_get():\n    App().client().get()\n\n\n"
                "def test_made():\n    App.made().client()\n"
            ),
        }
    )
    found = edges(repo)
    assert ("App.client", "call", "Client") in found
    assert ("test_get", "call", "Client.get") in found
    assert ("App.client", "call", "App") not in found
    assert ("test_made", "call", "App.client") in found


def test_a_type_variable_stands_for_its_bound(repo):
    repo.having(
        {
            "box.py": (
                "import typing as t\n\nB = t.TypeVar('B', bound='Box')\n\n\n"
                "def same(box: B) -> B:\n    return keep(box)\n\n\n"
                "def made[T: Box](kind: t.Type[T]) -> T:\n    kind.new()\n"
                "    return keep(kind)\n\n\n"
                "class Box:\n    @classmethod\n    def new(cls) -> t.Self:\n"
                "        return keep(cls)\n\n    def open(self):\n        pass\n"
            ),
            "use.py": (
                "from box import Box, made, same\n\n\ndef first(x):\n    same(x).open()\n\n\n"
                "def second(x):\n    made(x).open()\n\n\ndef third():\n    Box.new().open()\n"
            ),
        }
    )
    found = edges(repo)
    assert {(source, "call", "Box.open") for source in ("first", "second", "third")} <= found
    assert ("made", "call", "Box.new") in found


def test_a_cast_has_its_type_and_a_copy_that_of_its_original(repo):
    repo.having(
        {
            "box.py": "class Box:\n    def open(self):\n        pass\n",
            "use.py": (
                "import copy\nimport pickle\nfrom typing import cast\n\nfrom box import Box\n\n\n"
                "def casts(x):\n    cast('Box', x).open()\n\n\n"
                "def copies():\n    copy.deepcopy(Box()).open()\n\n\n"
                "def loads():\n    pickle.loads(pickle.dumps(Box())).open()\n\n\n"
                "def holds(boxes: list[Box]):\n    for box in reversed(boxes):\n"
                "        box.open()\n\n\n"
                "def again():\n    type(Box())().open()\n\n\n"
                "def read():\n    getattr(Box(), 'open')()\n"
            ),
        }
    )
    found = edges(repo)
    users = {source for source, kind, target in found if target == "Box.open" and kind == "call"}
    assert users == {"casts", "copies", "loads", "holds", "again"}
    assert ("read", "value", "Box.open") in found


def test_arguments_of_a_base_are_no_bases_and_a_module_before_it_is_none(repo):
    repo.having(
        {
            "base.py": "class Base:\n    def run(self):\n        pass\n",
            "item.py": "class Item:\n    def price(self):\n        pass\n",
            "use.py": (
                "import base\nfrom item import Item\n\n\nclass Shop(base.Base[Item]):\n"
                "    def _ask(self):\n        pass\n\n    def ask(self):\n        self._ask()\n"
            ),
        }
    )
    found = edges(repo, places=True)
    assert ("Shop", "subclass", "Base") in found
    assert ("Shop", "subclass", "Item") not in found
    assert ("Shop", "type", "Item") in found
    # nothing outside of the tree may call it
    assert ("Shop", "sibling", "Shop._ask") in found


def test_bases_of_the_library_of_python_call_no_methods_but_those_of_others_may(repo):
    body = "    def _ask(self):\n        pass\n\n    def ask(self):\n        self._ask()\n"
    repo.having(
        {
            "use.py": (
                "from collections.abc import Mapping\nfrom widgets import Container\n\n\n"
                f"class Own(Mapping[str, int]):\n{body}\n\nclass Wrong(ValueError):\n{body}\n\n"
                f"class Page(Container):\n{body}"
            ),
        }
    )
    kinds = {
        (source, kind) for source, kind, target in edges(repo, places=True) if "_ask" in target
    }
    assert {("Own", "sibling"), ("Wrong", "sibling"), ("Page", "callback")} <= kinds


def test_who_has_an_instance_may_run_what_several_classes_override(repo):
    override = "\n\nclass {0}(Base):\n    def run(self):\n        pass\n"
    use = "\n\ndef go(base: Base):\n    base.run()\n"
    one = "class Base:\n    def run(self):\n        pass\n" + override.format("First")
    repo.having({"one.py": one + use})
    assert ("First", "sibling", "First.run") in edges(repo, places=True)
    repo.having({"one.py": one + override.format("Second") + use})
    assert ("First", "override", "First.run") in edges(repo, places=True)


def test_a_module_that_lists_what_it_exports(repo):
    repo.having(
        {
            "shapes.py": "__all__ = ['area']\n__all__ += ['size']\n\n\n"
            "def area():\n    size()\n\n\ndef size():\n    pass\n"
        }
    )
    assert ("area", "call", "size") in edges(repo)


def test_functions_of_the_tree_with_names_of_the_library(repo):
    repo.having(
        {
            "lib.py": "class Casted:\n    def run(self):\n        pass\n\n\n"
            "class Column:\n    def run(self):\n        pass\n\n\n"
            "def cast(column, kind):\n    return Casted()\n",
            "use.py": "from lib import Column, cast\n\n\n"
            "def use():\n    cast(Column(), int).run()\n",
            "own.py": "from lib import Casted, Column\n\n\ndef copy(column):\n"
            "    return Casted()\n\n\ndef again():\n    copy(Column()).run()\n",
        }
    )
    found = edges(repo)
    assert {("use", "call", "Casted.run"), ("again", "call", "Casted.run")} <= found
    assert ("use", "call", "Column.run") not in found
    assert ("again", "call", "Column.run") not in found


def test_a_member_with_a_name_that_javascript_knows(repo):
    repo.having(
        {
            "shape.py": "class Other:\n    def run(self):\n        pass\n\n\n"
            "class Shape:\n    @classmethod\n    def prototype(cls):\n        return Other()\n\n"
            "    def run(self):\n        pass\n",
            "use.py": "from shape import Shape\n\n\ndef use():\n    Shape.prototype().run()\n",
        }
    )
    found = edges(repo)
    assert ("use", "call", "Other.run") in found
    assert ("use", "call", "Shape.run") not in found


def test_an_attribute_that_is_read_by_its_name_or_by_a_part_of_it(repo):
    repo.having(
        {
            "run.py": "class Runner:\n    def start(self):\n        pass\n\n\n"
            "def named():\n    getattr(Runner(), 'start')()\n\n\n"
            "def computed(prefix):\n    getattr(Runner(), f'{prefix}start')()\n"
        }
    )
    found = edges(repo)
    assert ("named", "value", "Runner.start") in found
    assert ("computed", "value", "Runner.start") not in found


def test_classes_of_the_library_that_call_methods_by_name(repo):
    repo.having(
        {
            "items.py": "from collections.abc import MutableSequence\n\n\n"
            "class Items(MutableSequence):\n"
            "    def insert(self, index, value):\n        pass\n\n\n"
            "def insert_first(one):\n    one.insert(0, 1)\n",
        }
    )
    assert ("Items", "callback", "Items.insert") in edges(repo, places=True)


PLUGINS = {
    "src/pkg/__init__.py": "from pkg.core import load\n",
    "src/pkg/core.py": (
        "def load(name):\n    return import_string(name)\n\n\n"
        "def home():\n    return load('pkg.views.index')\n\n\n"
        "def named():\n    return load('pkg.views:Page.show')\n\n\n"
        "def handed_on():\n    return 'pkg.load'\n\n\n"
        "def module():\n    return load('pkg.views')\n\n\n"
        "def own():\n    return load('pkg.core')\n\n\n"
        "def logs():\n    logging.getLogger('pkg.views')\n\n\n"
        "def unknown():\n    load('pkg.views.nothing')\n    load('other.views.index')\n"
        "    load('views.index')\n    load(f'pkg.views.index {x}')\n"
        "    load('tests.test_views.test_index')\n"
    ),
    "src/pkg/views.py": (
        "def index():\n    pass\n\n\nclass Page:\n    def show(self):\n        pass\n"
    ),
    "tests/__init__.py": "",
    "tests/test_views.py": (
        "def test_index(mocker):\n    mocker.patch('pkg.views.index')\n\n\n"
        "def test_page():\n    load('pkg.views.Page')\n"
    ),
}


def test_a_path_in_a_string_leads_to_what_it_names_as_a_whole(repo):
    repo.having(PLUGINS)
    found = edges(repo)
    assert {edge for edge in found if edge[1] in ("value", "member")} == {
        ("home", "value", "index"),
        ("named", "value", "Page.show"),
        ("handed_on", "value", "load"),
        ("module", "value", "src/pkg/views.py"),
        ("test_index", "member", "index"),
        ("test_page", "value", "Page"),
    }


def test_a_path_in_a_string_means_the_modules_around_its_file(repo):
    view = "def index():\n    pass\n"
    use = "def use():\n    load('app.views.index')\n"
    files = {f"{name}/app/{file}": text for name in "ab" for file, text in (
        ("__init__.py", ""), ("views.py", view), ("use.py", use))}  # fmt: skip
    repo.having({**files, "use.py": use.replace("use", "far")})
    found = {edge for edge in edges(repo, lines=True) if edge[1] == "value"}
    assert found == {("use:1", "value", "index:1"), ("far:1", "value", "index:1")}


def test_an_entry_of_a_table_is_one_of_many(repo):
    names = "abcdef"
    functions = "".join(f"def {name}():\n    pass\n\n\n" for name in names)
    table = ", ".join(f"'{name}': {name}" for name in names[:5])
    repo.having(
        {
            "few.py": f"{functions}FEW = {{'a': a, 'b': b}}\n",
            "many.py": f"from few import *\n\nMANY = {{{table}, 'g': f()}}\n",
            "pkg/__init__.py": "",
            "pkg/all.py": "ALL = {"
            + ", ".join(f"'{name}': 'pkg.one.{name}'" for name in names[:5])
            + "}\n",
            "pkg/one.py": functions,
        }
    )
    found = edges(repo)
    assert {edge for edge in found if edge[0] in ("FEW", "MANY", "ALL")} == {
        *(("FEW", "value", name) for name in "ab"),
        *(("MANY", "member", name) for name in "abcde"),
        ("MANY", "call", "f"),
        *(("ALL", "member", name) for name in "abcde"),
    }


def test_members_whose_names_are_composed(repo):
    repo.having(
        {
            "visits.py": (
                "class Visitor:\n    def visit(self, node):\n"
                "        name = 'visit_' + node\n"
                "        return getattr(self, name, self.other)(node)\n\n"
                "    def visit_all(self):\n        pass\n\n"
                "    def other(self):\n        self.visit_all()\n\n\n"
                "class Printer(Visitor):\n    visit_two = made()\n\n"
                "    def visit_one(self):\n        pass\n\n"
                "    def visited(self):\n        self.visit_one()\n\n\n"
                "def ends(x):\n    getattr(Printer(), '%s_one' % x)\n\n\n"
                "def formatted(x):\n    getattr(Printer(), 'visi{}d'.format(x))\n\n\n"
                "def some(x):\n    getattr(Printer(), f'{x}')\n\n\n"
                "def unknown(x, y):\n    getattr(x, f'visit_{y}')\n"
            )
        }
    )
    found = edges(repo, places=True)
    assert {edge for edge in found if edge[1] in ("callback", "member")} == {
        ("Visitor.visit", "callback", "Visitor.visit_all"),
        ("Visitor", "callback", "Visitor.visit"),
        ("Printer", "callback", "Printer.visit_one"),
        ("Printer", "callback", "Printer.visit_two"),
        ("Printer", "callback", "Printer.visited"),
        ("ends", "callback", "Printer.visit_one"),
        ("formatted", "callback", "Printer.visited"),
        *(
            ("some", "member", name)
            for name in (
                "Printer.visit_one",
                "Printer.visit_two",
                "Printer.visited",
                "Visitor.visit",
                "Visitor.visit_all",
                "Visitor.other",
            )
        ),
    }


def test_strings_that_are_no_paths_or_need_not_be_followed(repo):
    repo.having(
        {
            "shapes.py": "class Shape:\n    pass\nclass Other:\n    pass\n",
            "use.py": (
                "def typed(x: 'shapes.Shape') -> Optional['shapes.Shape']: pass\n"
                "def told(): say('see shapes.Shape ' 'shapes.Shape' ' there')\n"
                "def named(): getLogger(name='shapes.Shape')\n"
                "def put(): patch(target='shapes.Shape')\n"
                "def keys(): configure({'shapes.Shape': {}})\n"
                "def loads(): load('shapes.Other')\n"
            ),
        }
    )
    found = {edge for edge in edges(repo) if edge[2] in ("Shape", "Other")}
    assert found >= {
        ("put", "member", "Shape"),
        ("keys", "member", "Shape"),
        ("loads", "value", "Other"),
    }
    assert not {"typed", "told", "named"} & {source for source, kind, _ in found}
