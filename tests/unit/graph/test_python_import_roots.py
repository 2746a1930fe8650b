"""Which file an absolute import of Python may mean where no setting says so."""

from __future__ import annotations

import pytest

from gitsearch.graph.resolvers.candidates import MAX_CANDIDATES
from gitsearch.graph.resolvers.python import Python
from tests.unit.graph.projects import edges, project

# A package whose file imports something that is installed, and one more file of the package.
PACKAGE = {
    "pyproject.toml": "",
    "src/pkg/__init__.py": "",
    "src/pkg/a.py": "import yaml\nfrom yaml import load",
    "src/pkg/b.py": "",
}

# Files that bear the name of a library, where a program does not find them.
NAMESAKES = {
    "a file deep below": {"tests/fixtures/p/yaml.py": ""},
    "a package deep below": {"tools/x/y/yaml/__init__.py": ""},
    "a package that imports itself": {
        "tests/fixtures/yaml/__init__.py": "import yaml.x",
        "tests/fixtures/yaml/x.py": "",
    },
    "a project of a test": {"tests/fixtures/p/pyproject.toml": "", "tests/fixtures/p/yaml.py": ""},
    "a project of test data in the package": {
        "src/pkg/testdata/setup.py": "",
        "src/pkg/testdata/yaml/__init__.py": "",
    },
    "an example": {"examples/p/setup.py": "", "examples/p/src/yaml/__init__.py": ""},
    "code of the documentation": {"docs/demo/setup.cfg": "", "docs/demo/yaml.py": ""},
    "a vendored project": {"third_party/y/setup.py": "", "third_party/y/yaml/__init__.py": ""},
    "a script": {"tools/yaml.py": "", "tools/run.py": "import yaml"},
    "a test and what it needs": {"tests/yaml.py": "", "tests/test_a.py": "import yaml"},
    "the folder of a conftest": {"tests/conftest.py": "", "tests/yaml.py": ""},
}


@pytest.mark.parametrize("namesake", NAMESAKES)
def test_a_library_is_not_a_file_of_its_name_elsewhere(namesake: str) -> None:
    assert edges({**PACKAGE, **NAMESAKES[namesake]}, "src/pkg/a.py") == {}


@pytest.mark.parametrize("namesake", ["a project of a test", "an example", "a vendored project"])
def test_nor_is_it_for_a_test_where_the_program_imports_it_too(namesake: str) -> None:
    files = {**PACKAGE, **NAMESAKES[namesake], "tests/test_a.py": "import yaml"}
    assert edges(files, "tests/test_a.py") == {}


def test_a_module_that_wraps_a_library_is_not_the_library() -> None:
    wrapper = {"src/pkg/yaml.py": "import yaml"}
    assert edges({**PACKAGE, **wrapper}, "src/pkg/a.py") == {}
    assert edges({**PACKAGE, **wrapper}, "src/pkg/yaml.py") == {}


def test_a_name_that_is_imported_where_nothing_has_it_is_a_library() -> None:
    files = {**PACKAGE, "src/pkg/sub/__init__.py": "", "src/pkg/sub/yaml.py": ""}
    files["src/pkg/sub/c.py"] = "import yaml"
    assert edges(files, "src/pkg/sub/c.py") == {}
    del files["src/pkg/a.py"]
    assert edges(files, "src/pkg/sub/c.py") == {"src/pkg/sub/yaml.py": "ambiguous"}


def test_a_test_may_import_the_project_of_a_test() -> None:
    files = {**PACKAGE, "tests/fixtures/p/pyproject.toml": "", "tests/fixtures/p/built.py": ""}
    found = edges({**files, "tests/test_a.py": "import built"}, "tests/test_a.py")
    assert found == {"tests/fixtures/p/built.py": "ambiguous"}


def test_a_test_finds_a_package_in_a_folder_of_its_own_that_imports_itself() -> None:
    app = {
        "tests/apps/shop/__init__.py": "from shop.views import x",
        "tests/apps/shop/views.py": "",
    }
    files = {**PACKAGE, **app, "tests/test_a.py": "import shop", "tests/test_b.py": "import shop"}
    assert edges(files, "tests/test_a.py") == {"tests/apps/shop/__init__.py": "ambiguous"}


def test_code_finds_what_lies_beside_a_folder_around_it() -> None:
    files = {"web/app/__init__.py": "", "web/config.py": "", "web/tests/x/a.py": ""}
    files["web/tests/x/a.py"] = "import app\nimport config"
    assert edges(files, "web/tests/x/a.py") == {
        "web/app/__init__.py": "ambiguous",
        "web/config.py": "ambiguous",
    }


def test_an_import_with_all_its_names_below_one_folder_may_mean_that() -> None:
    files = {**PACKAGE, "src/pkg/_vendor/org/tool/__init__.py": ""}
    files["src/pkg/a.py"] = "from org.tool import x\nfrom org import tool\nimport org.other"
    assert edges(files, "src/pkg/a.py") == {"src/pkg/_vendor/org/tool/__init__.py": "ambiguous"}


@pytest.mark.parametrize("folder", ["tests/fixtures", "docs/code", "examples/one"])
def test_code_is_not_led_to_tests_and_the_like_but_tests_are(folder: str) -> None:
    files = {**PACKAGE, f"{folder}/org/tool.py": "", "tests/test_a.py": "import org.tool"}
    files["src/pkg/a.py"] = "import org.tool"
    assert edges(files, "src/pkg/a.py") == {}
    assert edges(files, "tests/test_a.py") == {f"{folder}/org/tool.py": "ambiguous"}


def test_what_a_package_lacks_is_not_found_in_another_of_its_name() -> None:
    files = {**PACKAGE, "old/pkg/gone.py": "", "tests/test_a.py": "from pkg.gone import x"}
    assert edges(files, "tests/test_a.py") == {}


def test_of_too_many_files_none_is_named() -> None:
    copies = {f"p{i}/org/tool.py": "" for i in range(MAX_CANDIDATES + 1)}
    found = edges({**copies, "a.py": "import org.tool"}, "a.py")
    assert found == {"org.tool": "many-candidates"}
    projects = {
        f"p{i}/{name}": "" for i in range(MAX_CANDIDATES + 1) for name in ("setup.py", "tool.py")
    }
    found = edges({**projects, "a.py": "from tool import x, y"}, "a.py")
    assert found == {"tool": "many-candidates"}


@pytest.mark.parametrize("name", ["", "__init__.py"])
def test_a_path_may_have_thousands_of_folders(name: str) -> None:
    folders = ["a/" * depth for depth in range(2, 2000, 400)]
    files = {f"{folder}{name}": "" for folder in folders if name}
    deep = "a/" * 2000
    files |= {f"{deep}m.py": "import a, n\nfrom a.b import c", f"{deep}n.py": ""}
    assert edges(files, f"{deep}m.py") == {f"{deep}n.py": "resolved"}


def test_what_other_files_import_belongs_to_what_resolution_looks_at() -> None:
    files = {**PACKAGE, "src/pkg/yaml.py": "", "src/pkg/a.py": ""}
    before = list(Python(project(files)).depends_on())
    assert list(Python(project({**files, "src/pkg/b.py": "import json"})).depends_on()) == before
    assert list(Python(project({**files, "tests/a.py": "import yaml"})).depends_on()) != before
