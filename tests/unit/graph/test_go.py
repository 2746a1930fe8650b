from gitsearch.graph.resolvers.go import Go
from tests.unit.graph.projects import edges, project

MODULE = "module example.com/m\n\ngo 1.22\n"


def test_an_import_leads_to_all_files_of_the_package_but_tests() -> None:
    files = {
        "go.mod": MODULE,
        "main.go": 'package main\nimport "example.com/m/a"\n',
        "a/a.go": "package a\n",
        "a/a_windows.go": "package a\n",
        "a/tagged.go": "//go:build never\n\npackage a\n",
        "a/a_test.go": "package a\n",
        "a/_hidden.go": "package a\n",
    }
    assert edges(files, "main.go") == {
        "a/a.go": "resolved",
        "a/a_windows.go": "resolved",
        "a/tagged.go": "resolved",
    }


def test_a_generator_in_the_folder_is_no_part_of_the_package() -> None:
    files = {
        "go.mod": MODULE,
        "main.go": 'package main\nimport "example.com/m/a"\n',
        "a/a.go": "package a\n",
        "a/gen.go": "//go:build ignore\n\npackage main\n",
    }
    assert edges(files, "main.go") == {"a/a.go": "resolved"}


def test_a_test_outside_the_package_imports_it() -> None:
    files = {
        "go.mod": MODULE,
        "a.go": "package m\n",
        "a_test.go": 'package m_test\nimport . "example.com/m"\n',
    }
    assert edges(files, "a_test.go") == {"a.go": "resolved"}


def test_the_standard_library_and_cgo_lead_nowhere() -> None:
    files = {
        "go.mod": MODULE,
        "a.go": 'package m\nimport "fmt"\nimport "C"\nimport _ "github.com/x/fmt"\n',
        "fmt/fmt.go": "package fmt\n",
        "C/c.go": "package c\n",
    }
    assert edges(files, "a.go") == {}


def test_a_nested_module_is_no_part_of_the_outer_one() -> None:
    files = {
        "go.mod": MODULE,
        "a.go": 'package m\nimport "example.com/m/inner"\nimport "example.com/m/inner/x"\n',
        "inner/go.mod": "module example.com/other\n",
        "inner/i.go": "package inner\n",
        "inner/x/x.go": 'package x\nimport "example.com/other"\n',
    }
    assert edges(files, "a.go") == {}
    assert edges(files, "inner/x/x.go") == {"inner/i.go": "resolved"}


def test_a_module_that_is_required_by_version_may_be_the_one_here() -> None:
    files = {
        "go.mod": MODULE,
        "a.go": "package m\n",
        "tool/go.mod": "module example.com/tool\nrequire example.com/m v1.0.0\n",
        "tool/t.go": 'package main\nimport "example.com/m"\n',
    }
    assert edges(files, "tool/t.go") == {"a.go": "ambiguous"}


def test_a_replacement_by_a_folder_leads_there() -> None:
    files = {
        "go.mod": MODULE,
        "p/p.go": "package p\n",
        "tool/go.mod": """
            module "example.com/tool"
            require (
                example.com/m v1.0.0 // indirect
            )
            replace (
                example.com/m v1.0.0 => ../
                example.com/gone => example.com/fork v1.0.0
                example.com/out => ../../out
            )
        """,
        "tool/t.go": """
            package main
            import (
                "example.com/m/p"
                "example.com/gone/p"
                "example.com/out/p"
            )
        """,
    }
    assert edges(files, "tool/t.go") == {"p/p.go": "resolved"}


def test_modules_of_a_workspace_see_each_other() -> None:
    files = {
        "go.work": "go 1.22\n\nuse (\n\t./a // first\n\t./b\n)\n",
        "a/go.mod": "module example.com/a\n",
        "a/a.go": 'package a\nimport "example.com/b/sub"\nimport "example.com/c"\n',
        "b/go.mod": "module example.com/b\n",
        "b/sub/b.go": "package sub\n",
        "c/go.mod": "module example.com/c\n",
        "c/c.go": "package c\n",
    }
    assert edges(files, "a/a.go") == {"b/sub/b.go": "resolved", "c/c.go": "ambiguous"}


def test_vendored_packages_come_before_replacements() -> None:
    files = {
        "go.mod": MODULE + "replace example.com/x => ./x\n",
        "a.go": 'package m\nimport "example.com/x"\n',
        "x/x.go": "package x\n",
        "vendor/modules.txt": "",
        "vendor/example.com/x/x.go": 'package x\nimport "example.com/y"\n',
        "vendor/example.com/y/y.go": "package y\n",
        "inner/go.mod": "module example.com/inner\n",
        "inner/i.go": 'package i\nimport "example.com/y"\n',
    }
    assert edges(files, "a.go") == {"vendor/example.com/x/x.go": "resolved"}
    assert edges(files, "vendor/example.com/x/x.go") == {"vendor/example.com/y/y.go": "resolved"}
    assert edges(files, "inner/i.go") == {}


def test_a_tree_without_modules_is_guessed_by_the_ends_of_paths() -> None:
    files = {
        "cmd/main.go": 'package main\nimport "github.com/o/r/pkg/a"\nimport "github.com/x/y"\n',
        "pkg/a/a.go": "package a\n",
        "vendor/github.com/x/y/y.go": "package y\n",
    }
    assert edges(files, "cmd/main.go") == {
        "pkg/a/a.go": "ambiguous",
        "vendor/github.com/x/y/y.go": "resolved",
    }


def test_a_tree_that_is_a_gopath_is_certain() -> None:
    files = {
        "src/cmd/main.go": 'package main\nimport "lib/a"\nimport "./near"\n',
        "src/lib/a/a.go": "package a\n",
        "src/cmd/near/n.go": "package near\n",
    }
    assert edges(files, "src/cmd/main.go") == {
        "src/lib/a/a.go": "resolved",
        "src/cmd/near/n.go": "resolved",
    }


def test_embedded_files_are_needed() -> None:
    files = {
        "go.mod": MODULE,
        "a.go": """
            package m

            //go:embed one.txt "with space" pages/*.html
            var files embed.FS

            var (
                //go:embed all:tree
                other embed.FS
                //go:embed ../outside
                outside string
            )
        """,
        "one.txt": "1",
        "with space": "2",
        "pages/p.html": "3",
        "pages/p.css": "4",
        "tree/deep/x": "5",
    }
    assert edges(files, "a.go") == dict.fromkeys(
        ("one.txt", "with space", "pages/p.html", "tree/deep/x"), "resolved"
    )


def test_files_of_a_package_use_each_other_by_name() -> None:
    files = {
        "a.go": "package m\nfunc f() T { g(); return T{} }\n",
        "b.go": "package m\ntype T struct{}\n",
        "c_linux.go": "package m\nfunc g() {}\n",
        "c_darwin.go": "package m\nfunc g() {}\n",
        "a_test.go": "package m\nfunc g() { f() }\n",
        "other.go": "package other\nfunc g() {}\n",
    }
    assert edges(files, "a.go") == dict.fromkeys(("b.go", "c_linux.go", "c_darwin.go"), "used")
    assert edges(files, "a_test.go")["a.go"] == "used"


def test_a_test_uses_what_runs_all_tests_and_perhaps_its_namesake() -> None:
    files = {
        "p/a.go": "package p\n\nfunc A() {}\n",
        "p/main_test.go": "package p\n\nfunc TestMain(m *testing.M) { A() }\n",
        "p/b_test.go": "package p_test\n\nfunc TestB() {}\n",
        "p/a_test.go": "package p\n\nfunc TestMore() {}\n",
        "q/c_test.go": "package q\n\nfunc TestC() {}\n",
    }
    assert edges(files, "p/b_test.go") == {"p/main_test.go": "used"}
    assert edges(files, "p/a_test.go") == {"p/main_test.go": "used", "p/a.go": "ambiguous use"}
    assert edges(files, "p/main_test.go") == {"p/a.go": "used"}
    assert edges(files, "p/a.go") == edges(files, "q/c_test.go") == {}


def test_methods_of_a_small_letter_are_of_this_package() -> None:
    files = {
        "a.go": "package m\nfunc f(t T) { t.only(); t.either(); t.Public() }\n",
        "b.go": "package m\nfunc (t *T) only() {}\nfunc (t *T) Public() {}\n",
        "c.go": "package m\nfunc (t *T) either() {}\n",
        "d.go": "package m\nfunc (u *U) either() {}\n",
    }
    assert edges(files, "a.go") == {
        "b.go": "used",
        "c.go": "ambiguous use",
        "d.go": "ambiguous use",
    }


def test_broken_settings_lead_nowhere() -> None:
    files = {
        "go.mod": 'module (\n"\nreplace => \n=> ./x\n',
        "go.work": "use\nuse (\n../..\n/etc\n",
        "a.go": 'package m\nimport "../../x"\nimport "/x"\nimport "a//b"\nimport ""\n',
        "x/x.go": "package x\n",
    }
    assert edges(files, "a.go") == {}
    assert edges({**files, "b.go": f'package m\nimport "{"a/" * 9999}"'}, "b.go") == {}


def test_package_clauses_are_part_of_what_it_depends_on() -> None:
    def told(text: str) -> list[str]:
        return list(Go(project({"go.mod": MODULE, "a.go": text})).depends_on())

    assert told("package a\nfunc f() {}\n") == told("package a\n")
    assert told("package a\n") != told("package b\n")
