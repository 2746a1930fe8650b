from __future__ import annotations

import pytest

from gitsearch.graph.project import EXTERNAL
from gitsearch.graph.resolvers.python import Python
from tests.unit.graph.projects import edges, project


def led(files, path="a.py"):
    return edges(files, path)


def test_an_import_of_a_module_leads_to_that_module_only() -> None:
    files = {"pkg/__init__.py": "", "pkg/sub/__init__.py": "", "pkg/sub/m.py": ""}
    assert led({**files, "a.py": "import pkg.sub.m as m"}) == {"pkg/sub/m.py": "resolved"}


def test_an_imported_name_is_a_module_of_the_package_or_something_the_package_holds() -> None:
    files = {"pkg/__init__.py": "from .x import Name", "pkg/x.py": "", "pkg/y/__init__.py": ""}
    assert led({**files, "a.py": "from pkg import x as z, y"}) == {
        "pkg/x.py": "resolved",
        "pkg/y/__init__.py": "resolved",
    }
    assert led({**files, "a.py": "from pkg import Name"}) == {"pkg/__init__.py": "resolved"}
    assert led({**files, "a.py": "from pkg import *"}) == {"pkg/__init__.py": "resolved"}


def test_dots_lead_upwards_from_the_folder_of_the_file() -> None:
    files = {"p/__init__.py": "", "p/q/__init__.py": "", "p/q/m.py": "", "p/n.py": "", "n.py": ""}
    text = "from . import m\nfrom .. import n\nfrom ..q import Thing"
    assert led({**files, "p/q/a.py": text}, "p/q/a.py") == {
        "p/q/m.py": "resolved",
        "p/n.py": "resolved",
        "p/q/__init__.py": "resolved",
    }


def test_dots_beyond_the_tree_lead_nowhere() -> None:
    assert led({"p/a.py": "from ... import m\nfrom ...m import x", "m.py": ""}, "p/a.py") == {}


def test_conditional_imports_and_those_for_types_count() -> None:
    text = """\
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            import one
        try:
            import two
        except ImportError:
            import three
        def f():
            import four
        """
    files = {f"{name}.py": "" for name in ("one", "two", "three", "four")}
    assert led({**files, "a.py": text}) == dict.fromkeys(files, "resolved")


def test_a_package_is_preferred_to_a_module_and_a_module_to_a_folder() -> None:
    assert led({"m.py": "", "m/__init__.py": "", "a.py": "import m"}) == {
        "m/__init__.py": "resolved"
    }
    assert led({"m.py": "", "m/x.py": "", "a.py": "from m import x"}) == {"m.py": "resolved"}


def test_a_package_needs_no_init_file() -> None:
    files = {"src/org/one/__init__.py": "", "src/org/one/x.py": "", "src/org/two/y.py": ""}
    text = "from org.one import x\nfrom org.two import y\nimport org"
    assert led({**files, "src/org/two/a.py": text}, "src/org/two/a.py") == {
        "src/org/one/x.py": "resolved",
        "src/org/two/y.py": "resolved",
    }


def test_tests_find_the_package_below_src() -> None:
    files = {"pyproject.toml": "", "src/pkg/__init__.py": "", "src/pkg/m.py": ""}
    assert led({**files, "tests/unit/a.py": "import pkg.m"}, "tests/unit/a.py") == {
        "src/pkg/m.py": "resolved"
    }


def test_scripts_find_the_files_beside_them() -> None:
    files = {"tools/helper.py": "", "tools/a.py": "import helper", "helper.py": ""}
    assert led(files, "tools/a.py") == {"tools/helper.py": "resolved"}


def test_a_file_beside_a_script_is_not_meant_where_a_dependency_has_its_name() -> None:
    files = {"tools/redis.py": "", "tools/a.py": "import redis"}
    assert led({**files, "requirements.txt": "redis>=4"}, "tools/a.py") == {}


def test_files_of_one_package_do_not_find_each_other_without_dots() -> None:
    files = {
        "pyproject.toml": '[project]\ndependencies = ["click"]',
        "pkg/__init__.py": "",
        "pkg/click.py": "",
        "pkg/own.py": "",
    }
    assert led({**files, "pkg/a.py": "import click"}, "pkg/a.py") == {}
    assert led({**files, "pkg/a.py": "import own"}, "pkg/a.py") == {"pkg/own.py": "ambiguous"}


def test_modules_of_the_standard_library_are_outside() -> None:
    files = {"logging/__init__.py": "", "types.py": "", "code/tools.py": ""}
    text = "import logging.handlers\nimport types\nfrom code.tools import x"
    assert led({**files, "a.py": text}) == {"code/tools.py": "resolved"}


def test_the_standard_library_finds_itself() -> None:
    files = {"Lib/os.py": "", "Lib/site.py": "", "Lib/re/__init__.py": "", "Lib/a.py": "import re"}
    assert led(files, "Lib/a.py") == {"Lib/re/__init__.py": "resolved"}


def test_stubs_of_the_standard_library_find_each_other() -> None:
    stubs = {f"typeshed/{name}": "" for name in ("os/__init__.pyi", "site.pyi", "re.pyi")}
    files = {**stubs, "typeshed/json/a.pyi": "import re", "typeshed/json/__init__.pyi": ""}
    assert led(files, "typeshed/json/a.pyi") == {"typeshed/re.pyi": "resolved"}


def test_the_running_program_is_no_file() -> None:
    files = {"Lib/os.py": "", "Lib/site.py": "", "Lib/pkg/__main__.py": "", "Lib/__main__.py": ""}
    assert led({**files, "Lib/a.py": "import __main__"}, "Lib/a.py") == {}


def test_each_project_of_a_tree_finds_its_own_modules_first() -> None:
    one = {"one/setup.py": "", "one/app/__init__.py": "", "one/app/m.py": ""}
    two = {"two/setup.py": "", "two/app/__init__.py": "", "two/app/m.py": ""}
    text = "from app.m import x"
    assert led({**one, **two, "two/tests/a.py": text}, "two/tests/a.py") == {
        "two/app/m.py": "resolved"
    }
    assert led({**one, **two, "a.py": text}) == {
        "one/app/m.py": "ambiguous",
        "two/app/m.py": "ambiguous",
    }


def test_projects_of_a_tree_find_each_other() -> None:
    files = {"libs/core/pyproject.toml": "", "libs/core/src/core/__init__.py": ""}
    assert led({**files, "apps/web/a.py": "import core"}, "apps/web/a.py") == {
        "libs/core/src/core/__init__.py": "resolved"
    }


def test_an_application_offers_its_modules_to_no_other_project() -> None:
    files = {"one/requirements.txt": "", "one/util.py": "", "two/setup.py": ""}
    assert led({**files, "two/a.py": "import util"}, "two/a.py") == {}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["code/py"]'),
        ("pyproject.toml", '[tool.setuptools]\npackage-dir = {"" = "code/py"}'),
        ("pyproject.toml", '[[tool.poetry.packages]]\ninclude = "m"\nfrom = "code/py"'),
        ("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["code/py/m"]'),
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = "./code/py"'),
        ("pyproject.toml", '[tool.mypy]\nmypy_path = "$MYPY_CONFIG_FILE_DIR/code/py:x"'),
        ("pyproject.toml", '[tool.maturin]\npython-source = "code/py/"'),
        ("setup.cfg", "[options]\npackage_dir =\n    = code/py"),
        ("setup.cfg", "[options.packages.find]\nwhere = code/py"),
        ("pytest.ini", "[pytest]\npythonpath = tests code/py"),
        ("setup.py", "setup(package_dir={'': 'code/py'}, packages=find_packages('x'))"),
        ("setup.py", 'setup(packages=find_packages(where="code/py"))'),
        ("code/setup.py", "setup(packages=find_packages('../code/py'))"),
    ],
)
def test_settings_say_where_imports_start(path: str, text: str) -> None:
    assert led({path: text, "code/py/m/x.py": "", "a.py": "import m.x"}) == {
        "code/py/m/x.py": "resolved"
    }


@pytest.mark.parametrize("name", ["setup.py", "manage.py"])
def test_a_module_of_a_package_is_no_settings_file(name: str) -> None:
    files = {"p/__init__.py": "", "p/x/__init__.py": "", f"p/x/{name}": "", "p/x/apt.py": ""}
    assert led({**files, "requirements.txt": "apt", "p/x/a.py": "import apt"}, "p/x/a.py") == {}


def test_a_folder_of_a_conftest_is_on_the_path_of_the_tests_below() -> None:
    files = {"lib/tests/conftest.py": "", "lib/tests/helper.py": ""}
    assert led({**files, "lib/tests/x/a.py": "import helper"}, "lib/tests/x/a.py") == {
        "lib/tests/helper.py": "resolved"
    }


def test_a_conftest_of_a_package_puts_the_folder_above_the_package_on_the_path() -> None:
    files = {"web/app.py": "", "web/tests/__init__.py": "", "web/tests/conftest.py": ""}
    assert led({**files, "web/tests/x/a.py": "import app"}, "web/tests/x/a.py") == {
        "web/app.py": "resolved"
    }


@pytest.mark.parametrize("name", ["pytest.ini", "tox.ini", "mypy.ini", "setup.cfg"])
def test_imports_start_in_a_folder_with_settings_of_tools(name: str) -> None:
    files = {f"web/{name}": "", "web/app.py": "", "web/tests/a.py": "import app"}
    assert led(files, "web/tests/a.py") == {"web/app.py": "resolved"}


def test_a_test_uses_every_conftest_around_it_though_it_names_none() -> None:
    files = {"conftest.py": "", "t/conftest.py": "", "t/x/conftest.py": "", "u/conftest.py": ""}
    around = dict.fromkeys(["conftest.py", "t/conftest.py", "t/x/conftest.py"], "used")
    assert led({**files, "t/x/test_a.py": ""}, "t/x/test_a.py") == around
    assert led({**files, "t/x/a_test.py": ""}, "t/x/a_test.py") == around
    assert led(files, "t/x/conftest.py") == {"conftest.py": "used", "t/conftest.py": "used"}
    assert led({**files, "t/x/helper.py": ""}, "t/x/helper.py") == {}


def test_a_module_that_may_be_put_on_the_path_is_ambiguous() -> None:
    files = {"third/party/tool/__init__.py": "", "third/party/tool/m.py": ""}
    assert led({**files, "a.py": "import tool.m"}) == {"third/party/tool/m.py": "ambiguous"}


def test_a_file_named_after_what_it_imports_does_not_mean_itself() -> None:
    text = "import six"
    tree = project({"p/__init__.py": "", "p/six.py": text, "q/six.py": ""})
    file = tree.number["p/six.py"]
    assert Python(tree).resolve(file, tree.facts(file).imports[0]) == EXTERNAL


def test_a_stub_is_meant_beside_its_module_and_stands_for_one_that_is_built() -> None:
    files = {"p/__init__.py": "", "p/m.py": "", "p/m.pyi": "", "p/fast.pyi": ""}
    assert led({**files, "a.py": "from p.m import x\nimport p.fast"}) == {
        "p/m.py": "resolved",
        "p/m.pyi": "resolved",
        "p/fast.pyi": "resolved",
    }
    assert led({**files, "a.py": "from p import fast"}) == {
        "p/fast.pyi": "resolved",
        "p/__init__.py": "resolved",
    }


def test_a_built_module_is_imported_through_its_package() -> None:
    files = {"p/__init__.py": "", "p/q/__init__.py": ""}
    assert led({**files, "a.py": "import p.q.built"}) == {"p/q/__init__.py": "resolved"}


def test_imports_by_a_call_lead_to_what_a_constant_says() -> None:
    text = """\
        import_module("p.m")
        importlib.import_module(".n", package="p")
        importlib.import_module(".o", __package__)
        __import__("r")
        """
    files = dict.fromkeys(("p/m.py", "p/n.py", "p/o.py", "r.py"), "")
    assert led({**files, "p/a.py": text}, "p/a.py") == dict.fromkeys(files, "resolved")


@pytest.mark.parametrize(
    "call", ["import_module(name)", 'import_module(f"p.{x}")', '__import__("p." + x)']
)
def test_imports_by_a_call_without_a_constant_are_unseen(call: str) -> None:
    found = led({"a.py": call, "p/m.py": ""})
    assert list(found.values()) == ["dynamic-import"]


def test_broken_settings_are_no_settings() -> None:
    files = {
        "pyproject.toml": "[tool.pytest.ini_options\n\0",
        "x/pyproject.toml": "tool = 3\nproject = [1, [2]]",
        "y/pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["/etc", "../../..", 1, []]',
        "z/pyproject.toml": "a." * 50_000 + "b = 1",
        "setup.cfg": "no section\n[options\npackage_dir",
        "tox.ini": "[pytest]\npythonpath",
    }
    assert led({**files, "a.py": "import m", "m.py": ""}) == {"m.py": "resolved"}


def test_odd_constants_of_calls_lead_nowhere() -> None:
    calls = [f"import_module({name!r})" for name in ("..", "a/b", "../m", "x..y", ".m", "é\n")]
    assert set(led({"a.py": "\n".join(calls), "m.py": ""}).values()) <= {"dynamic-import"}


def test_what_resolution_looks_at_changes_with_a_list_of_requirements() -> None:
    texts = [list(Python(project({"requirements.txt": x})).depends_on()) for x in ("a", "b")]
    assert texts[0] != texts[1]
