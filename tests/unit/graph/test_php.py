from __future__ import annotations

import json

import pytest

from gitsearch.graph.resolvers.php import Php
from tests.unit.graph.projects import edges, project


def composer(**autoload):
    return json.dumps({"autoload": autoload})


def php(text):
    return f"<?php\n{text}"


def led(files, text, path="a.php"):
    return edges({**files, path: php(text)}, path)


FOO = {"composer.json": composer(**{"psr-4": {"App\\": "src/"}})}


def test_a_class_lies_where_its_namespace_says() -> None:
    files = {**FOO, "src/Http/Request.php": php("namespace App\\Http; class Request {}")}
    for text in (
        "use App\\Http\\Request;",
        "use \\App\\Http\\Request as R;",
        "use App\\{Http\\Request, Other};",
        "new \\App\\Http\\Request();",
        "use App\\Http; function f(Http\\Request $x) {}",
        "namespace App; class X extends Http\\Request {}",
    ):
        assert led(files, text) == {"src/Http/Request.php": "resolved"}


def test_of_several_files_that_declare_a_class_the_one_where_composer_looks_is_meant() -> None:
    text = php("namespace App; class User {}")
    files = {**FOO, "src/User.php": text, "tests/stubs/User.php": text}
    assert led(files, "use App\\User;") == {"src/User.php": "resolved"}
    del files["composer.json"]
    assert led(files, "use App\\User;") == {
        "src/User.php": "ambiguous",
        "tests/stubs/User.php": "ambiguous",
    }


def test_the_longest_prefix_counts_and_nested_projects_have_their_own() -> None:
    files = {
        **FOO,
        "src/Log/A.php": php("broken {"),
        "pkg/log/composer.json": composer(**{"psr-4": {"App\\Log\\": ""}}),
        "pkg/log/A.php": php("broken {"),
    }
    assert led(files, "use App\\Log\\A;") == {"pkg/log/A.php": "resolved"}


def test_older_prefixes_put_the_words_of_a_name_into_folders() -> None:
    files = {
        "composer.json": composer(**{"psr-0": {"Old_": "lib/"}}),
        "lib/Old/Big/Thing.php": php("broken {"),
    }
    assert led(files, "use Old_Big_Thing;") == {"lib/Old/Big/Thing.php": "resolved"}


def test_classes_of_the_same_namespace_need_no_import() -> None:
    files = {
        "one.php": php("namespace App; class One {} trait Tool {}"),
        "two.php": php("namespace Other; class One {}"),
    }
    assert led(files, "namespace App; class X extends One { use Tool; }") == {"one.php": "used"}


def test_a_name_that_is_imported_or_declared_is_not_of_the_namespace() -> None:
    files = {"one.php": php("namespace App; class One {}")}
    assert led(files, "namespace App; use Lib\\One; new One();") == {}
    assert led(files, "namespace App; class One {} new One();") == {}


def test_a_global_name_leaves_open_whether_that_of_the_namespace_is_used_too() -> None:
    files = {"e.php": php("namespace App; class Exception {}")}
    assert led(files, "namespace App; throw new \\Exception();") == {"e.php": "ambiguous use"}


def test_namespaces_in_braces_count_as_those_without() -> None:
    files = {"x.php": php("namespace A\\B { class C {} function f() {} }")}
    assert led(files, "use A\\B\\C;") == {"x.php": "resolved"}
    assert led(files, "use function A\\B\\f;") == {"x.php": "resolved"}
    assert led(files, "namespace A\\B { new C(); }") == {"x.php": "used"}


def test_functions_and_constants_are_imported_by_their_kind() -> None:
    files = {
        "f.php": php("namespace A; function go() {}"),
        "c.php": php("namespace A; const GO = 1;"),
    }
    assert led(files, "use function A\\go;") == {"f.php": "resolved"}
    assert led(files, "use function A\\{go as run};") == {"f.php": "resolved"}
    assert led(files, "use A\\{function go};") == {"f.php": "resolved"}
    assert led(files, "use const A\\GO;") == {"c.php": "resolved"}
    assert led(files, "\\A\\go();") == {"f.php": "resolved"}


def test_functions_that_are_always_loaded_need_no_import() -> None:
    files = {"help.php": php("function helper() {}"), "more.php": php("function other() {}")}
    assert led(files, "helper(); other();") == {"help.php": "used", "more.php": "used"}
    files["composer.json"] = composer(files=["help.php"])
    assert led(files, "namespace A; helper(); other();") == {"help.php": "used"}
    files["m.php"] = php("class M { function helper() {} }")
    assert led(files, "namespace A; helper();") == {"help.php": "ambiguous use"}


@pytest.mark.parametrize(
    "text",
    [
        "require 'lib/x.php';",
        "include_once('./lib/x.php');",
        "require __DIR__ . '/lib/x.php';",
        "require_once(__DIR__ . '/../p/lib' . '/x.php');",
        "require dirname(__FILE__) . '/lib/x.php';",
        "require dirname(__DIR__) . '/p/lib/x.php';",
        "require dirname(__FILE__, 2) . '/p/lib/x.php';",
        'require realpath(dirname(__FILE__) . "/lib/x.php");',
    ],
)
def test_files_are_required_by_their_path(text: str) -> None:
    files = {"p/lib/x.php": php("")}
    assert led(files, text, "p/a.php") == {"p/lib/x.php": "resolved"}


def test_a_path_from_the_root_counts_and_may_compete_with_one_from_the_folder() -> None:
    assert led({"lib/x.php": php("")}, "require 'lib/x.php';", "p/a.php") == {
        "lib/x.php": "resolved"
    }
    files = {"lib/x.php": php(""), "p/lib/x.php": php("")}
    assert set(led(files, "require 'lib/x.php';", "p/a.php").values()) == {"ambiguous"}
    assert led({"q/lib/x.php": php("")}, "require 'lib/x.php';", "p/a.php") == {
        "q/lib/x.php": "ambiguous"
    }


@pytest.mark.parametrize(
    "text", ["$x", "ROOT . '/x.php'", '"$dir/x.php"', "f('x.php')", "'a' . $b . '.php'"]
)
def test_a_path_that_is_not_written_down_is_unseen(text: str) -> None:
    assert list(led({"x.php": php("")}, f"require {text};").values()) == ["dynamic-import"]


@pytest.mark.parametrize(
    "text", ["'/etc/passwd.php'", "'../../x.php'", "__DIR__ . '/../../x.php'", "'/' . 'x.php'"]
)
def test_a_path_out_of_the_tree_leads_nowhere(text: str) -> None:
    assert led({"x.php": php("")}, f"require {text};") == {}


@pytest.mark.parametrize("text", ["use A\\{function };", "use ;", "use \\;", "use A\\{,};"])
def test_broken_imports_lead_nowhere(text: str) -> None:
    assert led({"x.php": php("namespace B; class C {}")}, text) == {}


def test_code_in_templates_declares_nothing() -> None:
    assert led({"x.stub": php("namespace A; class B {}")}, "use A\\B;") == {}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"autoload": 1}',
        '{"autoload": {"psr-4": {"A\\\\": [1, null, "../.."]}, "psr-0": [], "files": {}}}',
        "[" * 100_000,
        "\0",
    ],
)
def test_broken_settings_are_no_settings(text: str) -> None:
    files = {"composer.json": text, "x.php": php("namespace A; class B {}")}
    assert led(files, "use A\\B;") == {"x.php": "resolved"}


def test_what_resolution_looks_at_changes_with_a_declaration() -> None:
    trees = [project({"x.php": php(f"class {name} {{}}")}) for name in ("A", "B")]
    assert list(Php(trees[0]).depends_on()) != list(Php(trees[1]).depends_on())
