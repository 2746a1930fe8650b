"""Java, Kotlin and Scala: where imports lead, and what the files of a package see."""

from __future__ import annotations

import pytest

from gitsearch.graph.resolvers.jvm import Jvm
from tests.unit.graph.projects import edges, project

JAVA = "src/main/java"


def java(name: str, text: str = "", package: str = "a.b") -> dict[str, str]:
    """A Java file with one class and whatever else."""
    path = f"{JAVA}/{package.replace('.', '/')}/{name}.java"
    return {path: f"package {package};\n{text or f'public class {name} {{}}'}\n"}


def test_an_import_leads_to_the_file_of_the_class():
    files = {**java("C"), "M.java": "package m;\nimport a.b.C;\nimport java.util.List;\n"}
    assert edges(files, "M.java") == {f"{JAVA}/a/b/C.java": "resolved"}


def test_a_class_need_not_be_called_like_its_file():
    files = {**java("Other", "class First {}\nclass C {}"), "M.java": "import a.b.C;\n"}
    assert edges(files, "M.java") == {f"{JAVA}/a/b/Other.java": "resolved"}


@pytest.mark.parametrize(
    "imported",
    ["a.b.C.Inner", "a.b.C.Inner.Deep", "static a.b.C.make", "static a.b.C.*", "a.b.C.*"],
)
def test_what_is_inside_a_class_leads_to_its_file(imported):
    files = {**java("C"), "M.java": f"package m;\nimport {imported};\n"}
    assert edges(files, "M.java") == {f"{JAVA}/a/b/C.java": "resolved"}


def test_a_wildcard_leads_to_the_files_of_which_a_type_is_named():
    files = {**java("C"), **java("D"), "M.java": "package m;\nimport a.b.*;\nclass M { C c; }\n"}
    assert edges(files, "M.java") == {f"{JAVA}/a/b/C.java": "resolved"}


def test_files_of_one_package_are_used_by_name():
    files = {**java("C", "class C { D d = new D(); }"), **java("D"), **java("E")}
    assert edges(files, f"{JAVA}/a/b/C.java") == {f"{JAVA}/a/b/D.java": "used"}


def test_an_imported_name_hides_that_of_the_own_package():
    files = {
        **java("C", "import x.D;\nclass C { D d; }"),
        **java("D"),
        **java("D", package="x"),
    }
    assert edges(files, f"{JAVA}/a/b/C.java") == {f"{JAVA}/x/D.java": "resolved"}


def test_the_own_package_comes_before_a_wildcard():
    files = {
        **java("C", "import x.*;\nclass C { D d; }"),
        **java("D"),
        **java("D", package="x"),
    }
    assert edges(files, f"{JAVA}/a/b/C.java") == {f"{JAVA}/a/b/D.java": "used"}


def test_an_own_nested_type_hides_that_of_the_package():
    files = {**java("C", "class C { class D {} D d; }"), **java("D")}
    assert edges(files, f"{JAVA}/a/b/C.java") == {}


@pytest.mark.parametrize(
    "code",
    ["class M extends a.b.C {}", "@a.b.C class M {}", "class M { int x = a.b.C.make(); }"],
)
def test_a_whole_name_in_the_code_needs_no_import(code):
    assert edges({**java("C"), "M.java": code}, "M.java") == {f"{JAVA}/a/b/C.java": "resolved"}


def test_a_whole_name_may_begin_with_a_package_of_one_word():
    files = java("C", package="a") | {"M.java": "class M { int x = a.C.make() + b.C.D; }"}
    assert edges(files, "M.java") == {f"{JAVA}/a/C.java": "resolved"}


def test_of_two_modules_the_own_one_is_meant():
    text = "package a;\npublic class C {}\n"
    files = {
        "one/src/main/java/a/C.java": text,
        "two/src/main/java/a/C.java": text,
        "two/src/test/java/t/M.java": "package t;\nimport a.C;\n",
        "three/src/test/java/t/M.java": "package t;\nimport a.C;\n",
    }
    found = {"two/src/main/java/a/C.java": "resolved"}
    assert edges(files, "two/src/test/java/t/M.java") == found
    assert edges(files, "three/src/test/java/t/M.java") == {
        "one/src/main/java/a/C.java": "ambiguous",
        "two/src/main/java/a/C.java": "ambiguous",
    }


def test_files_without_a_package_see_those_of_their_folder():
    files = {"x/A.java": "class A { B b; C c; }", "x/B.java": "class B {}", "C.java": "class C {}"}
    assert edges(files, "x/A.java") == {"x/B.java": "used"}


def test_kotlin_imports_types_functions_properties_and_aliases():
    files = {
        "A.kt": "package a\nfun one() {}\nval two = 1\ntypealias Three = Int\nobject Four\n",
        "B.kt": "package a\nfun String.five() {}\n",
        "M.kt": "package m\nimport a.one\nimport a.two as x\nimport a.five\n",
        "N.kt": "package m\nimport a.Three\nimport a.Four.member\n",
    }
    assert edges(files, "M.kt") == {"A.kt": "resolved", "B.kt": "resolved"}
    assert edges(files, "N.kt") == {"A.kt": "resolved"}


def test_an_extension_beside_its_type_can_be_imported():
    files = {"A.kt": "package a\nclass A\nfun A.go() {}\n", "M.kt": "import a.go\n"}
    assert edges(files, "M.kt") == {"A.kt": "resolved"}


def test_a_function_with_a_form_in_several_files_is_all_of_them():
    files = {
        "A.kt": "package a\nfun go(x: Int) {}\n",
        "B.kt": "package a\nfun go(x: String) {}\n",
        "M.kt": "package m\nimport a.go\n",
    }
    assert edges(files, "M.kt") == {"A.kt": "resolved", "B.kt": "resolved"}


def test_a_function_that_two_wildcards_offer_is_ambiguous():
    files = {
        "A.kt": "package a\nfun go() {}\n",
        "B.kt": "package b\nfun go() {}\n",
        "M.kt": "package m\nimport a.*\nimport b.*\nfun f() { go() }\n",
    }
    assert edges(files, "M.kt") == {"A.kt": "ambiguous", "B.kt": "ambiguous"}


def test_a_call_is_one_of_an_extension_if_nothing_else_is_called_so():
    files = {
        "A.kt": "package a\nfun String.go() {}\n",
        "T.kt": "package a\nclass T\nfun T.run() {}\n",
        "M.kt": "package m\nimport a.*\nfun f() { x.go(); x.run() }\n",
    }
    assert edges(files, "M.kt") == {"A.kt": "resolved", "T.kt": "resolved"}
    files["B.java"] = "class B { void go() {} void run() {} }"
    assert edges(files, "M.kt") == {"A.kt": "ambiguous"}


def test_java_sees_the_functions_of_a_kotlin_file_in_a_class():
    files = {
        "util.kt": "package a\nfun go() {}\n",
        "M.java": "package m;\nimport static a.UtilKt.go;\n",
        "N.java": "package a;\nclass N { int x = UtilKt.go(); int go() { return go(); } }\n",
    }
    assert edges(files, "M.java") == {"util.kt": "resolved"}
    assert edges(files, "N.java") == {"util.kt": "used"}


def test_of_the_forms_for_several_platforms_a_file_sees_the_common_and_its_own():
    files = {
        "lib/build.gradle.kts": "",
        "lib/common/src/A.kt": "package a\nexpect class A\n",
        "lib/jvm/src/A.kt": "package a\nactual class A\n",
        "lib/js/src/A.kt": "package a\nactual class A\n",
        "lib/jvm/test/T.kt": "package t\nimport a.A\n",
        "lib/common/test/T.kt": "package t\nimport a.A\n",
    }
    found = {"lib/common/src/A.kt": "resolved", "lib/jvm/src/A.kt": "resolved"}
    assert edges(files, "lib/jvm/test/T.kt") == found
    assert edges(files, "lib/common/test/T.kt") == {"lib/common/src/A.kt": "resolved"}


def test_scala_selectors_and_renames_lead_to_each_file():
    files = {
        "A.scala": "package a\nclass A\n",
        "B.scala": "package a\nobject B\n",
        "C.scala": "package a\ntrait C\n",
        "M.scala": "package m\nimport a.{A, B => X}\n",
        "N.scala": "package m\nimport a.A, a.C\n",
        "O.scala": "package m\nimport a.C as D\n",
    }
    assert edges(files, "M.scala") == {"A.scala": "resolved", "B.scala": "resolved"}
    assert edges(files, "N.scala") == {"A.scala": "resolved", "C.scala": "resolved"}
    assert edges(files, "O.scala") == {"C.scala": "resolved"}


@pytest.mark.parametrize("wildcard", ["_", "*", "{given, *}", "given"])
def test_a_scala_wildcard_on_an_object_leads_to_it(wildcard):
    files = {"A.scala": "package a\nobject A\n", "M.scala": f"package m\nimport a.A.{wildcard}\n"}
    assert edges(files, "M.scala") == {"A.scala": "resolved"}


def test_a_scala_import_may_start_in_a_package_in_sight():
    files = {
        "A.scala": "package a.b.c\nclass A\n",
        "M.scala": "package a.b\npackage d\nimport c.A\n",
        "N.scala": "package a.b.d\nimport c.A\n",
        "O.scala": "package o\nimport a.b\nimport b.c.A\n",
        "P.scala": "package a.b\nimport _root_.a.b.c.A\n",
    }
    for path in ("M.scala", "O.scala", "P.scala"):
        assert edges(files, path) == {"A.scala": "resolved"}
    assert edges(files, "N.scala") == {}


def test_chained_package_clauses_see_each_package_and_joined_ones_do_not():
    files = {
        "A.scala": "package a\nclass A\n",
        "M.scala": "package a\npackage b\nclass M extends A\n",
        "N.scala": "package a.b\nclass N extends A\n",
    }
    assert edges(files, "M.scala") == {"A.scala": "used"}
    assert edges(files, "N.scala") == {}


def test_packages_in_braces_hold_what_stands_in_them():
    files = {
        "A.scala": "package a\npackage b {\n  class A\n  package c { class D }\n}\n",
        "M.scala": "package m\nimport a.b.A\n",
        "N.scala": "package m\nimport a.b.c.D\n",
    }
    assert edges(files, "M.scala") == {"A.scala": "resolved"}
    assert edges(files, "N.scala") == {"A.scala": "resolved"}


def test_what_a_package_object_has_is_in_its_package():
    files = {
        "a/package.scala": "package object a { type Id[A] = A }\n",
        "a/M.scala": "package a\nclass M { def f: Id[Int] = 1 }\n",
        "N.scala": "package n\nimport a.Id\n",
    }
    assert edges(files, "a/M.scala") == {"a/package.scala": "used"}
    assert edges(files, "N.scala") == {"a/package.scala": "resolved"}


def test_the_languages_see_each_other():
    files = {
        "J.java": "package a;\npublic class J {}\n",
        "K.kt": "package a\nclass K(val j: J)\n",
        "S.scala": "package s\nimport a.{J, K}\n",
    }
    assert edges(files, "K.kt") == {"J.java": "used"}
    assert edges(files, "S.scala") == {"J.java": "resolved", "K.kt": "resolved"}


@pytest.mark.parametrize(
    "text",
    [
        "package " + "a." * 5000 + "b;\nimport " + "c." * 5000 + "d;\n",
        "package a;\n" * 500,
        "import a.b.;\nimport .;\nimport *;\npackage ;",
        "import a.\0b.C;\nimport a.b.C\0;\n",
    ],
)
@pytest.mark.parametrize("path", ["M.java", "M.kt", "M.scala", "x/" * 1500 + "M.scala"])
def test_no_content_is_too_strange(text, path):
    assert edges({**java("C"), path: text}, path).keys() <= {f"{JAVA}/a/b/C.java"}


def test_the_answers_depend_on_paths_packages_and_definitions():
    def told(text: str) -> list[str]:
        return list(Jvm(project({**java("C", text), "pom.xml": ""})).depends_on())

    assert told("class C {}") == told("class C { /* more */ }")
    assert told("class C {}") != told("class D {}")
    assert "pom.xml" in told("class C {}")
