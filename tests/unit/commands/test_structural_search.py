"""Code with the shape of a pattern: what matches where, in which files, and what is said."""

import json
from typing import Any

import pytest

from gitsearch.commands import structural_search
from gitsearch.errors import BadLanguage, UsageError
from gitsearch.extract import code_patterns
from gitsearch.extract.languages import hint, settled
from gitsearch.index import first_view
from gitsearch.render import json_document
from gitsearch.render.presentation import Presentation
from gitsearch.reports.search import FileCount
from gitsearch.settings import FILES
from tests.unit.commands.asked import indexed, searched

PYTHON = '''\
import os


class Store:
    """Keeps values."""

    def put(self, key, value=None):
        """Set one."""
        if os.path.exists(key):
            self.values.append(key, value)
            return None
        return self.values.append( key, )


values.append(1, 2)
'''
TEST = "def test_put():\n    values.append('x')\n"
EXAMPLE = "from store import values\n\nvalues.append('y')\n"
TYPESCRIPT = """\
export async function load(id: string) {
  const user = await client.query({ id, all: true });
  return user?.name ?? 'nobody';
}
"""
GO = """\
package a

func f() error {
\tif err := g("x\\nfoo"); err != nil {
\t\treturn err
\t}
\treturn nil
}
"""
C = 'unsigned size;\nint f(void) {\n\treturn g(size, "a");\n}\n'


@pytest.fixture(scope="module")
def template(tmp_path_factory, isolation):
    from tests.builder import RepoBuilder

    repo = RepoBuilder(tmp_path_factory.mktemp("shapes") / "repo")
    repo.write("tests/test_store.py", TEST)
    repo.write("docs/usage.py", EXAMPLE)
    repo.write("store.py", PYTHON)
    repo.write("load.ts", TYPESCRIPT)
    repo.write("a.go", GO)
    repo.write("a.c", C)
    repo.write("schema.sql", "select append(1);\n")
    repo.write("README.md", "Call `values.append(x)`.\n")
    repo.commit()
    indexed(repo)
    return repo


@pytest.fixture
def shapes(template, tmp_path):
    from tests.unit.index.fixtures import copy_of

    return copy_of(template, tmp_path / "copy")


def found(repo, pattern, **options):
    return searched(repo, pattern, mode="structural", max_count=None, **options)


def places(report):
    return [(one.path, one.start, one.end) for one in report.results]


def captured(report):
    """The texts that metavariables stand for, by result."""
    return [
        {
            name: capture.text if hasattr(capture, "text") else [one.text for one in capture]
            for name, capture in one.match.captures.items()
        }
        for one in report.results
    ]


def test_matches_are_in_code_then_tests_then_documents(template):
    report = found(template, "values.append($$$ARGS)")
    assert places(report) == [
        ("store.py", 15, 15),
        ("tests/test_store.py", 2, 2),
        ("docs/usage.py", 3, 3),
    ]
    assert captured(report) == [{"ARGS": ["1", "2"]}, {"ARGS": ["'x'"]}, {"ARGS": ["'y'"]}]
    assert [one.symbol for one in report.results] == [None, "test_put", None]


def test_what_is_matched_is_said_with_its_place_and_its_definition(template):
    (one,) = found(template, "$X.append($Y,)").results
    assert (one.path, one.start, one.kind, one.symbol) == ("store.py", 12, "call", "Store.put")
    assert one.text == "        return self.values.append( key, )"
    assert one.context == (7, "def put(self, key, value=None)")
    document = json_document.search(found(template, "$X.append($Y,)"), Presentation("json"))
    (result,) = json.loads(json.dumps(document))["results"]
    assert (result["start_column"], result["end_column"]) == (16, 42)
    assert result["captures"] == {
        "X": {"text": "self.values", "start": 12, "start_column": 16, "end": 12, "end_column": 27},
        "Y": {"text": "key", "start": 12, "start_column": 36, "end": 12, "end_column": 39},
    }


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("def $F($$$ARGS): $$$BODY", [("store.py", 7, 12), ("tests/test_store.py", 1, 2)]),
        ("if $C: $$$B", [("store.py", 9, 11)]),
        ("await $C.query($X)", [("load.ts", 2, 2)]),
        ("$F({ $$$A, all: true })", [("load.ts", 2, 2)]),
        ("$A ?? $B", [("load.ts", 3, 3)]),
        ("func $F() error { $$$ }", [("a.go", 3, 8)]),
        ('g("x\\nfoo")', [("a.go", 4, 4)]),
        ("if $A := $B; $A != nil { return $A }", [("a.go", 4, 6)]),
        ('return g($X, "a");', [("a.c", 3, 3)]),
        ("return g($X, 'a')", []),
        ("$X + $X", []),
    ],
)
def test_patterns_of_several_languages(template, pattern, expected):
    assert places(found(template, pattern)) == expected


def test_every_match_is_shown_unless_a_number_is_asked_for(template, monkeypatch):
    every = found(template, "$X", languages=("python",))
    assert len(every.results) > 50
    first = searched(template, "$X", mode="structural", max_count=3, languages=("python",))
    assert first.results == every.results[:3]
    assert first.warnings == ()
    assert first.counts == (FileCount("store.py", 3),)
    monkeypatch.setattr(structural_search, "MOST_MATCHES", 7)
    report = found(template, "$X", languages=("python",))
    assert report.results == every.results[:7]
    assert "more than these 7 matches" in report.warnings[-1]


def test_pages_follow_each_other(template):
    every = found(template, "$X", languages=("python",)).results
    asked: dict[str, Any] = {"mode": "structural", "languages": ("python",), "max_count": 4}
    first = searched(template, "$X", **asked)
    second = searched(template, "$X", page=first.next, **asked)
    assert [*first.results, *second.results] == list(every[:8])
    last = found(template, "$X", languages=("python",), page=second.next)
    assert (last.results, last.more, last.next) == (every[8:], False, None)


def test_pages_of_files_have_each_file_once(template):
    asked: dict[str, Any] = {"mode": "structural", "languages": ("python",), "shown": FILES}
    every = searched(template, "$X", max_count=1000, **asked)
    report = searched(template, "$X", max_count=20, **asked)
    paths = [file.path for file in report.counts]
    while report.next:
        report = searched(template, "$X", max_count=20, page=report.next, **asked)
        paths += [file.path for file in report.counts]
    assert paths == [file.path for file in every.counts]


def test_the_form_of_the_query_chooses_the_mode(template):
    report = searched(template, "values.append($X)")
    assert report.mode == "structural"
    assert report.reason == "it has metavariables"
    assert len(report.results) == 2


# ---------------------------------------------------------------- readings


@pytest.mark.parametrize(
    ("name", "code", "pattern", "matched"),
    [
        (
            "a.go",
            'func f() {\n\tx := g.New("a")\n\tg.New("b", x)\n}\n',
            "g.New($A)",
            ['g.New("a")'],
        ),
        (
            "b.go",
            'var e = g.New("a")\nvar f = g.New("b", 1)\n',
            "g.New($$$)",
            ['g.New("a")', 'g.New("b", 1)'],
        ),
        ("a.c", "int f(void) { return g(1) + g(2); }\n", "g($A)", ["g(1)", "g(2)"]),
        ("b.c", "int f(void) { x = g(1, 2); }\n", "g($$$)", ["g(1, 2)"]),
        ("c.c", "int f(void) { g(1); return g(2); }\n", "g($A);", ["g(1);"]),
        ("a.cpp", "void f() { y = std::move(x); }\n", "std::move($A)", ["std::move(x)"]),
        (
            "b.cpp",
            "class A : public B { int x; };\n",
            "class $C : public $B { $$$ }",
            ["class A : public B { int x; }"],
        ),
        ("c.cpp", "class A { int x; };\n", "class $C { $$$ };", ["class A { int x; }"]),
        ("A.cs", "class A { void F() { x = y; } }\n", "$A = $B", ["x = y"]),
        ("a.dart", "void f() { g(1); }\n", "g($A)", ["g(1)"]),
        ("a.rs", "fn f(a: Vec<u8>) {}\n", "Vec<$T>", ["Vec<u8>"]),
        (
            "a.ts",
            "class A { f(x: number) { return x } }\n",
            "$F($$$A) { $$$B }",
            ["f(x: number) { return x }"],
        ),
        ("b.ts", "let a: Promise<string>\n", "Promise<$T>", ["Promise<string>"]),
        (
            "c.ts",
            "const A = class { x = 1 }\nclass B { y = 2 }\n",
            "class $C { $$$ }",
            ["class B { y = 2 }"],
        ),
        ("a.css", "a { color: red }\n", "color: $X", ["color: red"]),
    ],
)
def test_a_pattern_is_what_it_can_be_in_any_place(name, code, pattern, matched):
    assert matched_code(name, code, pattern) == matched


@pytest.mark.parametrize(
    ("name", "code", "pattern"),
    [
        (
            "A.java",
            "public final class A<T> extends B implements C { int x; }",
            "class $N implements C { $$$ }",
        ),
        (
            "B.java",
            "class A { @Test public void f(int a) throws E { g(); } }",
            "void $F($$$) { $$$ }",
        ),
        ("A.cs", "class A { [X] public static void F(int a) { G(); } }", "void $F($$$) { $$$ }"),
        ("a.kt", "@A private fun f(a: Int) { g(a) }", "fun $F($$$) { $$$ }"),
        ("a.swift", "public static func f(a: Int) { g(a) }", "func $F($$$) { $$$ }"),
        (
            "a.php",
            "<?php class A { public static function f($x): int { return 1; } }",
            "function $F($$$) { $$$ }",
        ),
        ("a.ts", "export function f<T>(a: T): number { return 1 }", "function $F($$$) { $$$ }"),
        ("a.py", "@a\nasync def f(x) -> int:\n    pass\n", "def $F($$$): $$$B"),
        ("b.py", "class A(B):\n    x = 1\n", "class $C: $$$B"),
        ("a.go", "func f[T any](x T) (int, error) { return 1, nil }", "func $F($$$) { $$$ }"),
        ("b.go", "func (a *A) f() error { return nil }", "func ($R $T) $F($$$) { $$$ }"),
        ("a.rs", "pub async fn f<T>(x: T) -> u8 where T: A { 1 }", "fn $F($$$) { $$$ }"),
        ("b.rs", "impl<T> A<T> { fn f() {} }", "impl $T { $$$ }"),
        ("a.c", "static int f(int a) { return a; }", "int $F($$$) { $$$ }"),
        ("a.scala", "final class A(x: Int) extends B { f() }", "class $C { $$$ }"),
    ],
)
def test_a_definition_may_have_parts_that_its_pattern_lacks(name, code, pattern):
    assert len(matched_code(name, code, pattern)) == 1


def test_parts_that_a_pattern_of_a_definition_has_are_exact():
    code = "class A { public void f() { } private static void g() { } void h() { } }\n"
    public = matched_code("A.java", code, "public void $F($$$) { $$$ }")
    assert public == ["public void f() { }"]
    assert len(matched_code("A.java", code, "void $F($$$) { $$$ }")) == 3
    functions = "func f() error { return nil }\nfunc g() (int, error) { return 1, nil }\n"
    assert len(matched_code("a.go", functions, "func $F($$$) error { $$$ }")) == 1


def test_nodes_that_ast_grep_finds_at_one_place_are_all_kept():
    readings = code_patterns.parsed("$X", "javascript").readings
    found = code_patterns.matches(b"f(1)\n", "javascript", readings, 100) or []
    assert [one.kind for one in found].count("expression_statement") == 1
    assert [one.kind for one in found].count("call_expression") == 1


def matched_code(name, code, pattern):
    """The texts of the matches in a file, each on one line."""
    language = settled(hint(name.encode()), code.encode())
    readings = code_patterns.parsed(pattern, language).readings
    found = code_patterns.matches(code.encode(), language, readings, 100) or []
    lines = code.split("\n")
    return [
        lines[one.start - 1][one.start_column - 1 : one.end_column - 1]
        if one.start == one.end
        else "\n".join(lines[one.start - 1 : one.end])
        for one in found
    ]


# ---------------------------------------------------------------- trees and filters


def test_edited_staged_and_new_files_and_revisions(shapes):
    before = shapes.rev()
    shapes.write("a.c", "int f(void) { return g(1, 2); }\n")
    shapes.git("add", "a.c")
    shapes.write("a.c", "\nint f(void) { return g(1, 2, 3); }\n")
    shapes.write("new.c", "int h(void) { return g(); }\n")
    pattern = "return g($$$A);"
    assert places(found(shapes, pattern)) == [("a.c", 2, 2)]
    assert places(found(shapes, pattern, cached=True)) == [("a.c", 1, 1)]
    assert places(found(shapes, pattern, at=before)) == [("a.c", 3, 3)]
    assert places(found(shapes, pattern, untracked=True)) == [("a.c", 2, 2), ("new.c", 1, 1)]
    shapes.remove("a.c")
    assert places(found(shapes, pattern)) == []


@pytest.mark.parametrize(
    ("options", "paths"),
    [
        ({"pathspecs": ("tests",)}, ["tests/test_store.py"]),
        ({"tests": "exclude"}, ["store.py", "docs/usage.py"]),
        ({"languages": ("go",)}, []),
        ({"content": "config"}, []),
        ({"grep": "'y'|'x'"}, ["tests/test_store.py", "docs/usage.py"]),
    ],
)
def test_filters(template, options, paths):
    report = found(template, "values.append($$$)", **options)
    assert [one.path for one in report.results] == paths


@pytest.mark.parametrize("edited", [pytest.param(False, marks=pytest.mark.long), True])
def test_without_an_index_the_answer_is_the_same_and_complete(shapes, monkeypatch, edited):
    if edited:
        shapes.write("store.py", f"values.append(0, 0)\n{PYTHON}")
    shapes.write("script", "#!/bin/sh\necho a\n")  # only the content tells its language
    shapes.write("b.go", 'package b\n\nimport (\n\tx "fmt"\n)\n')
    shapes.git("add", "script", "b.go")
    shapes.git("commit", "-q", "-m", "more")
    asked = [
        *(("$X.append($$$A)", ()), ("await $X", ()), ("$F($$$)", ()), ("$X", ())),
        *(("values.append('x')", ()), ('$A "$B"', ("go",)), ("echo $X", ("bash",))),
    ]
    with_index = [found(shapes, pattern, languages=names) for pattern, names in asked]
    assert all(report.results for report in with_index)
    monkeypatch.setattr(first_view, "_SOON_INDEXED", 0)
    monkeypatch.setenv("CI", "true")
    clone = shapes.clone(shapes.path.parent / "clone")
    if edited:
        clone.write("store.py", shapes.file("store.py").read_text())
    for (pattern, names), expected in zip(asked, with_index, strict=True):
        report = found(clone, pattern, languages=names)
        assert report.results == expected.results
        assert report.warnings == expected.warnings
        assert report.coverage == expected.coverage
    assert not clone.index_dir.exists()


def test_texts_that_are_no_utf8_and_carriage_returns(repo):
    repo.write("a.py", b"x = 'caf\xe9'; f('\xc3\xa9', 1)\r\nf(\r\n  2,\r\n)\r\n")
    repo.commit()
    report = found(repo, "f($$$A)")
    assert [(one.start, one.match.start_column, one.end) for one in report.results] == [
        (1, 13, 1),
        (2, 1, 4),
    ]
    assert report.results[1].text == "f(\n  2,\n)"


# ---------------------------------------------------------------- what is said


@pytest.mark.parametrize(
    ("pattern", "language", "message", "hint"),
    [
        ("foo(", "python", "'foo(' is no pattern of python: it does not parse", "one whole"),
        ("f(); g()", "typescript", "it is several pieces of code", "one whole"),
        ("$$$A", "go", "it is one metavariable for several nodes", "one whole"),
        ("$lower", "python", "several pieces", "'$lower' stands for itself"),
        ("x" * 10_001, "python", "at most 10,000 characters", ""),
        ("f('\udcff')", "python", "must be text in UTF-8", ""),
    ],
)
def test_a_text_that_is_no_pattern_is_refused(template, pattern, language, message, hint):
    with pytest.raises(UsageError) as refused:
        found(template, pattern, languages=(language,))
    assert message in refused.value.message
    assert hint in refused.value.hint


def test_what_is_code_only_in_a_list_matches_there(repo):
    repo.write("a.go", 'package a\n\nimport (\n\tx "fmt"\n\t"os"\n)\n')
    repo.commit()
    report = found(repo, '$NAME "$PATH"')
    assert places(report) == [("a.go", 4, 4)]
    assert captured(report) == [{"NAME": "x", "PATH": "fmt"}]


def test_a_language_without_structural_search_is_refused_or_said(template):
    with pytest.raises(BadLanguage, match="no structural search with --type sql"):
        found(template, "$X", languages=("sql",))
    report = found(template, "if $C: $$$B")
    assert report.warnings == ("no structural search in sql (1 file)",)
    report = found(template, "if nothing: $$$B")
    said = "this is no pattern of c (1 file), go (1 file), typescript (1 file)"
    assert report.warnings[-1] == said


def test_a_sign_that_is_literal_is_said_where_nothing_is_found(template):
    said = "'$id' stands for itself: metavariables are $NAME, $$$NAME, $_ and $$$"
    report = found(template, "f($id)", languages=("typescript",))
    assert (report.results, report.warnings) == ((), (said,))
    # Python has no name with such a sign
    broken = "a part of the pattern does not parse in python (3 files)"
    assert found(template, "f($id)", languages=("python",)).warnings == (said, broken)


def test_a_text_that_hurts_a_parser_is_left_out_and_said(repo):
    repo.write("deep.js", "[1,\n" * 25_000 + "]\n" * 25_000)
    repo.write("open.js", "(\n" * 25_000)
    repo.write("fine.js", "f(1)\n")
    repo.commit()
    report = found(repo, "$X")
    assert {one.path for one in report.results} == {"fine.js"}
    assert any(
        said.startswith("not searched, as a parser") and "deep.js" in said and "open.js" in said
        for said in report.warnings
    )


# ---------------------------------------------------------------- words that prune files


@pytest.mark.parametrize(
    ("pattern", "language", "words"),
    [
        ("values.append($X)", "python", {"values", "append"}),
        ("def $F(self): return $X", "python", {"self", "return"}),  # of keywords the longest
        ("def $F(self): yield $X", "python", {"self", "yield"}),
        ("def $F(selfish): yield $X", "python", {"selfish"}),
        ("f('a\\nfoo bar')", "python", {"f"}),  # words beside an escape are others in the text
        ("f(`a ${b} c`)", "typescript", {"f", "a", "b", "c"}),
        ("$X.$foo", "typescript", set()),
        ("unsigned long $X;", "c", {"unsigned"}),
        ("$X é éa", "haskell", set()),
        ("$X", "go", set()),
    ],
)
def test_only_words_that_each_match_has_prune_files(pattern, language, words):
    assert code_patterns.parsed(pattern, language).words == words


def test_a_file_must_have_the_longest_token(repo):
    """As the program ast-grep has it, which takes quotes for the same otherwise."""
    repo.write("a.rb", "f('x')\n'y'\n")
    repo.write("b.rb", 'f("x")\n')
    repo.commit()
    assert places(found(repo, "f('$A')")) == [("a.rb", 1, 1), ("b.rb", 1, 1)]
    assert places(found(repo, "'$A'")) == [("a.rb", 1, 1), ("a.rb", 2, 2)]


def test_files_with_the_words_in_any_form_are_searched(repo):
    long = "a" * 97
    repo.write("a.py", f"__init__(1)\nHTTPServer(2)\nx_(3)\n_(4)\n{long}(5)\nf('\\nfoo', 6)\n")
    repo.write("b.py", "httpserver(2)\n")
    # a line that is indexed in parts, one of which ends within a name
    repo.write("c.py", "x = 1\n" * 300 + "y = [" + "some_long_name(7), " * 300 + "]\n")
    repo.commit()
    indexed(repo)
    for number, name in enumerate(("__init__", "HTTPServer", "x_", "_", long), 1):
        assert places(found(repo, f"{name}($X)")) == [("a.py", number, number)]
    assert places(found(repo, "f('\\nfoo', $X)")) == [("a.py", 6, 6)]
    assert len(found(repo, "some_long_name($X)").results) == 300
