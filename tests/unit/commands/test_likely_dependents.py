"""The dependents of a definition, by what may run it, with likelihood and reasons."""

from math import prod

import pytest

from gitsearch import trace
from gitsearch.commands.impact import ImpactRequest, impact
from gitsearch.graph.likelihood import weighed
from tests.unit.commands.asked import session, warm_parsers

FILES = {
    "app/__init__.py": "from app.shapes import Square as Square, area_of\n",
    "app/shapes.py": (
        "from app.tools import traced\n\n\n"
        "class Shape:\n"
        "    def __init__(self, size):\n        self.size = size\n\n"
        "    def area(self):\n        raise NotImplementedError\n\n"
        "    def __len__(self):\n        return self.size\n\n"
        "    @property\n    def double(self):\n        return self.area() * 2\n\n\n"
        "class Square(Shape):\n"
        "    def area(self):\n        return self.size**2\n\n\n"
        "def area_of(shape: Shape):\n    return shape.area()\n\n\n"
        "@traced\ndef scaled(shape, by):\n    return shape.size * by\n\n\n"
        "def unused():\n    return 0\n\n\n"
        "def hook():\n    return 1\n"
    ),
    "app/tools.py": (
        "def traced(function):\n"
        "    def wrapper(*args):\n        return function(*args)\n\n"
        "    return wrapper\n\n\n"
        "def register(function):\n    return function\n\n\n"
        "def alone():\n    return 3\n"
    ),
    "tests/conftest.py": (
        "import pytest\nfrom app import Square\n\n\n"
        "@pytest.fixture\ndef square() -> Square:\n    return Square(2)\n"
    ),
    "tests/test_area.py": (
        "from app import Square, area_of\n\n\n"
        "def test_area():\n    assert area_of(Square(2)) == 4\n"
    ),
    "tests/test_double.py": "def test_double(square):\n    assert square.double == 8\n",
    "tests/test_len.py": (
        "from app import Square\n\n\ndef test_len():\n    assert len(Square(3)) == 3\n"
    ),
    "tests/test_scaled.py": (
        "from app.shapes import scaled\n\n\ndef test_scaled():\n    assert scaled(None, 1)\n"
    ),
    "tests/test_hook.py": (
        "from app import shapes\nfrom app.tools import register\n\n\n"
        "def test_hook():\n    register(shapes.hook)\n"
    ),
    "tests/test_dynamic.py": (
        "def check(thing):\n    return thing.area()\n\n\n"
        "def test_unknown(thing):\n    check(thing)\n"
    ),
    "tests/test_other.py": "import app.tools\n\n\ndef test_other():\n    assert app.tools\n",
}


@pytest.fixture
def repo(repo):
    return repo.having(FILES)


def asked(repo, *targets, **options):
    warm_parsers()
    return impact(session(repo.path), ImpactRequest(targets, **options))


def running(repo, target):
    return [test.path.removeprefix("tests/") for test in asked(repo, target).tests_scored]


def test_a_method_is_run_by_who_calls_the_one_that_it_overrides(repo):
    found = asked(repo, "app/shapes.py:Square.area")
    assert found.tests[0] == "tests/test_area.py"
    assert {"tests/test_double.py", "tests/test_dynamic.py"} <= set(found.tests)
    last = {one.path: (one.reasons[-1].symbol, one.reasons[-1].kind) for one in found.dependents}
    assert last["tests/test_double.py"] == ("Shape.area", "override")
    # Shape.double calls it of whoever makes a square
    assert last["tests/test_len.py"] == ("Square", "callback")
    assert found.dependents[0].resolution == "ambiguous"


def test_code_does_not_run_what_tests_put_in_the_place_of_it(repo):
    repo.write("app/use.py", "from app.shapes import area_of\n\n\ndef use(it):\n    it.fill()\n")
    repo.write(
        "tests/doubles.py",
        "from app.shapes import Shape\n\n\nclass Fake(Shape):\n"
        "    def area(self):\n        return 1\n\n    def fill(self):\n        return 2\n",
    )
    repo.write("tests/test_fake.py", "from tests.doubles import Fake\n\nFake(1).area()\n")
    repo.commit()
    area, fill = (asked(repo, f"tests/doubles.py:Fake.{name}") for name in ("area", "fill"))
    assert {"tests/test_fake.py", "tests/test_dynamic.py"} <= {one.path for one in area.dependents}
    assert not [one.path for one in (*area.dependents, *fill.dependents) if not one.test]


def test_a_special_method_is_run_by_who_makes_an_instance(repo):
    assert "test_len.py" in running(repo, "app/shapes.py:Shape.__len__")
    assert "test_len.py" in running(repo, "app/shapes.py:Shape.__init__")


def test_a_property_is_run_by_who_reads_it_of_a_fixture(repo):
    assert running(repo, "app/shapes.py:Shape.double")[0] == "test_double.py"


def test_a_wrapper_is_run_by_who_calls_what_is_decorated(repo):
    found = asked(repo, "app/tools.py:traced.wrapper")
    assert found.tests[0] == "tests/test_scaled.py"
    ways = [step.kind for step in found.dependents[0].reasons]
    assert "decorator" in ways
    assert ways[-1] == "nested"


def test_what_a_package_hands_on_and_what_is_passed_on(repo):
    assert running(repo, "app/shapes.py:area_of") == ["test_area.py"]
    found = asked(repo, "app/shapes.py:hook")
    assert found.tests == ("tests/test_hook.py",)
    assert found.dependents[0].reasons[0].kind == "value"


def test_the_likelihood_is_the_product_of_its_reasons_and_the_order_is_by_it(repo):
    found = asked(repo, "app/shapes.py:Shape.area")
    for one in found.dependents:
        way = prod(step.factor for step in one.reasons)
        said = {each.kind: each.share for each in one.evidence}
        together = said.get("changed-together", 0.0)
        shares = said.get("mentions", 0), said.get("similar"), together
        expected = weighed(way, *shares) if one.test else way
        assert one.likelihood == pytest.approx(expected, abs=1e-3)
        assert one.test or not one.evidence
    scores = [one.likelihood for one in found.dependents]
    assert scores == sorted(scores, reverse=True)
    certain = asked(repo, "app/shapes.py:Shape.area", label="certain").dependents
    assert certain == tuple(one for one in found.dependents if one.label == "certain")
    assert 0 < len(certain) < len(found.dependents)


def test_a_way_that_comes_back_to_a_file_names_it_once_and_keeps_all_reasons(repo):
    repo.write("deep.py", "def goal():\n    return 1\n")
    repo.write(
        "there.py",
        "import back\nimport deep\n\n\n"
        "def last():\n    return deep.goal()\n\n\n"
        "def first():\n    return back.between()\n",
    )
    repo.write("back.py", "import there\n\n\ndef between():\n    return there.last()\n")
    repo.write("start.py", "import there\n\nthere.first()\n")
    repo.commit("ways")
    report = asked(repo, "deep.py:goal")
    found = {one.path: one for one in report.dependents}
    assert found["start.py"].via == ("start.py", "there.py", "deep.py")
    assert found["start.py"].line == 3
    assert [(one.path, one.symbol) for one in found["start.py"].reasons] == [
        ("start.py", None),
        ("there.py", "first"),
        ("back.py", "between"),
        ("there.py", "last"),
    ]
    assert found["back.py"].via == ("back.py", "there.py", "deep.py")
    assert (found["there.py"].via, found["there.py"].line) == (("there.py", "deep.py"), 6)


def test_a_name_on_a_way_is_said_in_the_file_that_calls_it(repo):
    report = asked(repo, "app/shapes.py:Square.area")
    calling = next(one for one in report.dependents if one.path == "tests/test_dynamic.py")
    assert calling.via == ("tests/test_dynamic.py", "app/shapes.py")
    assert (calling.kind, calling.resolution) == ("dynamic", "ambiguous")
    assert {one.path for one in calling.reasons} == {"tests/test_dynamic.py"}
    assert [one.kind for one in calling.reasons] == ["dynamic", "candidate"]


def test_a_definition_that_nothing_uses_has_the_importers_of_its_file(repo):
    found = asked(repo, "app/tools.py:alone")
    assert {one.label for one in found.dependents} <= {"likely", "possible"}
    assert "tests/test_other.py" in found.tests
    assert max(one.likelihood for one in found.dependents) < 0.1


def test_files_that_import_the_target_and_do_not_run_it_are_counted(repo):
    found = asked(repo, "app/shapes.py:hook")
    assert found.granularity == "definitions"
    assert found.unlikely > 0


def test_a_whole_file_keeps_all_that_import_it(repo):
    found = asked(repo, "app/shapes.py")
    assert {"app/__init__.py", "tests/conftest.py", "tests/test_area.py"} <= {
        one.path for one in found.dependents
    }
    assert found.unlikely == 0


def test_another_language_stays_with_files_and_says_so(repo):
    repo.having({"a.lua": "function f() end\n", "b.lua": "require('a')\nf()\n"})
    found = asked(repo, "a.lua:f")
    assert found.granularity == "files"
    # an import, and one commit that made both
    assert [(one.path, one.likelihood) for one in found.dependents] == [("b.lua", 0.6)]


def test_recursion_and_bases_in_a_cycle_end(repo):
    repo.having(
        {
            "loop.py": (
                "class A(B):\n"
                "    def f(self):\n        return self.g()\n\n"
                "    def g(self):\n        return self.f()\n\n\n"
                "class B(A):\n    pass\n\n\nx = y\ny = x\n"
            ),
            "tests/test_loop.py": (
                "from loop import A, x\n\n\ndef test_f():\n    A().f()\n    x.f()\n"
            ),
        }
    )
    assert "test_loop.py" in running(repo, "loop.py:A.g")


def test_many_classes_with_a_member_of_one_name_are_bounded(repo):
    body = "    def run(self):\n        pass\n\n\n"
    many = "".join(f"class C{i}(C{i - 1}):\n{body}" for i in range(1, 600))
    repo.having(
        {
            "many.py": f"class C0:\n{body}{many}",
            "tests/test_many.py": "import many\n\n\ndef test_run(unknown):\n    unknown.run()\n",
        }
    )
    assert "test_many.py" in running(repo, "many.py:C300.run")


def test_only_what_changed_is_extracted_again(repo):
    def extracted():
        before = trace._counts.get("files with uses extracted", 0)
        asked(repo, "app/shapes.py:hook")
        return trace._counts["files with uses extracted"] - before

    assert extracted() == len([path for path in FILES if path.endswith(".py")])
    assert extracted() == 0
    repo.replace("app/tools.py", "return 3", "return 4")
    assert extracted() == 1


def test_a_change_begins_at_the_definitions_whose_code_changed(repo):
    warm_parsers()
    text = FILES["app/shapes.py"]
    changed = text.replace("return shape.area()", "return int(shape.area())").replace(
        "def unused():\n    return 0\n",
        "def unused():  # no use\n\n  return  0\n",
    )
    repo.write("app/shapes.py", changed.replace("def hook():\n    return 1\n", ""))
    repo.commit()
    found = impact(session(repo.path), ImpactRequest(diff="HEAD~1..HEAD"))
    assert found.changed == (
        ("app/shapes.py", "area_of", "body"),
        ("app/shapes.py", "hook", "removed"),
    )
    labels = {one.path: one.label for one in found.dependents}
    assert labels["tests/test_area.py"] == "certain"
    assert labels["tests/test_hook.py"] == "likely"
    assert labels["tests/test_scaled.py"] == "possible"
    assert found.commands == ("pytest tests/test_area.py tests/test_hook.py",)


def test_what_is_there_for_tests_is_not_given_to_pytest(repo):
    warm_parsers()
    found = impact(session(repo.path), ImpactRequest(("app/shapes.py:Square",)))
    assert "tests/conftest.py" in [one.path for one in found.dependents]
    (command,) = found.commands
    assert "tests/test_area.py" in command
    assert "conftest" not in command


@pytest.mark.parametrize(
    ("after", "change"),
    [
        ("def f(a):\n    if a:\n        a = 1\n        return a\n", "body"),
        ("def f(a, b):\n    if a:\n        a = 1\n    return a\n", "signature"),
        ("def f(a):\n    '''Doc.'''\n    if a:\n\n            a = 1\n    return a  # a\n", None),
    ],
)
def test_comments_and_formatting_are_no_change_of_code(repo, after, change):
    warm_parsers()
    repo.write("one.py", "def f(a):\n    if a:\n        a = 1\n    return a\n")
    repo.commit()
    repo.write("one.py", after)
    repo.commit()
    found = impact(session(repo.path), ImpactRequest(diff="HEAD~1..HEAD"))
    assert found.changed == ((("one.py", "f", change),) if change else ())


def test_commands_of_other_runners(repo):
    repo.having(
        {
            "go.mod": "module m\n\ngo 1.22\n",
            "pkg/a.go": "package pkg\n\nfunc F() int { return 1 }\n",
            "pkg/a_test.go": 'package pkg\n\nimport "testing"\n\n'
            "func TestF(t *testing.T) { F() }\n",
            "web/a.ts": "export function f() {}\n",
            "web/a b.test.ts": "import { f } from './a'\nf()\n",
        }
    )
    assert asked(repo, "pkg/a.go").commands == ("go test ./pkg",)
    assert asked(repo, "web/a.ts").commands == ("npx jest 'web/a b.test.ts'",)


def test_a_name_that_looks_like_an_option_is_the_value_of_one(repo):
    repo.having(
        {
            "build.gradle": "plugins { id 'java' }\n",
            "src/main/java/p/A.java": "package p;\nclass A { static int f() { return 1; } }\n",
            "src/test/java/p/-ATest.java": "package p;\nclass B { int g() { return A.f(); } }\n",
            "Cargo.toml": '[package]\nname = "c"\nversion = "1.0.0"\n',
            "src/lib.rs": "pub fn f() -> i32 { 1 }\n",
            "tests/--all.rs": "use c::f;\n#[test]\nfn t() { f(); }\n",
        }
    )
    assert asked(repo, "src/main/java/p/A.java").commands == ("gradle test --tests=-ATest",)
    assert asked(repo, "src/lib.rs").commands == ("cargo test --test=--all",)


def test_what_stands_in_where_an_import_fails_and_what_is_imported_are_both_meant(repo):
    repo.having(
        {
            "app/parser.py": "class Parser:\n    def __init__(self):\n        self.read = 1\n",
            "app/api.py": "try:\n    from app.parser import Parser\nexcept ImportError:\n\n"
            "    class Parser:\n        def __init__(self):\n            raise RuntimeError\n",
            "tests/test_parser.py": "from app.api import Parser\n\n\n"
            "def test_parser():\n    assert Parser().read\n",
        }
    )
    for path in ("app/parser.py", "app/api.py"):
        found = asked(repo, f"{path}:Parser.__init__")
        assert found.tests == ("tests/test_parser.py",)
        assert found.dependents[0].label == "certain"


def test_fixtures_that_are_marked_in_strings_and_those_that_all_tests_run(repo):
    repo.having(
        {
            "lib.py": "def connect():\n    return 1\n\n\ndef reset():\n    return 2\n",
            "tests/conftest.py": (
                "import pytest\nimport lib\n\n\n"
                "@pytest.fixture\ndef database():\n    lib.connect()\n\n\n"
                "@pytest.fixture(autouse=True)\ndef clean():\n    lib.reset()\n"
            ),
            "tests/test_class.py": (
                "import pytest\n\n\n"
                '@pytest.mark.usefixtures("database")\nclass TestIt:\n'
                "    def test_it(self):\n        pass\n"
            ),
            "tests/test_module.py": (
                'import pytest\n\npytestmark = [pytest.mark.usefixtures("database")]\n\n\n'
                "def test_it():\n    pass\n"
            ),
            "tests/test_none.py": "def test_it():\n    pass\n",
        }
    )
    repo.commit()
    marked = {"tests/test_class.py", "tests/test_module.py"}
    every = {*marked, "tests/test_none.py"}
    for target, tests in (
        ("lib.py:connect", marked),
        ("lib.py:reset", every),
        ("tests/conftest.py:clean", every),
    ):
        found = {one.path for one in asked(repo, target).tests_scored}
        assert found & every == tests


def test_overloads_of_one_type_are_one_member_that_may_be_meant(repo):
    overloads = "".join(
        f"    @overload\n    def send(self, value: {kind}) -> None: ...\n\n"
        for kind in ("int", "str", "bytes", "float")
    )
    repo.having(
        {
            "lib.py": (
                f"from typing import overload\n\n\nclass Queue:\n{overloads}"
                "    def send(self, value):\n        return value\n"
            ),
            "checks/test_it.py": "def test_it(thing):\n    thing.send(1)\n",
        }
    )
    repo.commit()
    (test,) = asked(repo, "lib.py:17").tests_scored
    assert test.likelihood > 0.3
