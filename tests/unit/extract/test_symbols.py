"""What the captures of a query become, and that no input breaks it."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

import gitsearch.extract
from gitsearch.extract import comments, languages, symbols, syntax
from gitsearch.records import Structure
from tests.every import check_every

QUERIES = Path(gitsearch.extract.__file__).parent / "queries"
FILES = sorted(QUERIES.glob("*/*.scm"))
WITH_QUERIES = sorted({file.parent.name for file in FILES})


def structure(source, language="python"):
    data = source.encode() if isinstance(source, str) else source
    grammar = languages.LANGUAGES[language].grammar
    assert grammar is not None
    tree = syntax.parse(data, grammar)
    assert tree is not None
    return symbols.structure(tree.root_node, data, language)


def names(source, language="python"):
    return [f"{d.kind} {d.qualified}" for d in structure(source, language).definitions]


def only(source, language="python"):
    (definition,) = structure(source, language).definitions
    return definition


# ---------------------------------------------------------------- the files of queries


def test_there_are_queries_to_check():
    assert len(WITH_QUERIES) >= 10
    assert len(FILES) >= 2 * len(WITH_QUERIES)


@pytest.mark.long
def test_a_query_compiles():
    def check(file):
        assert syntax.grammar_query(file.parent.name, file.stem) is not None

    check_every(FILES, check)


def test_a_folder_belongs_to_a_language_and_is_whole():
    def check(language):
        assert language in languages.LANGUAGES
        assert (QUERIES / language / "tags.scm").is_file()
        assert (QUERIES / language / "imports.scm").is_file()

    check_every(WITH_QUERIES, check)


def test_an_included_file_is_there():
    def check(file):
        for language, kind in re.findall(
            r"^; include: (\w+)/(\w+)$", file.read_text(), re.MULTILINE
        ):
            assert (QUERIES / language / f"{kind}.scm").is_file()

    check_every(FILES, check)


def test_a_query_is_compiled_once():
    assert syntax.grammar_query("go", "tags") is syntax.grammar_query("go", "tags")


@pytest.mark.parametrize("language", ["markdown", "text", "no such language"])
def test_a_language_without_queries_has_none(language):
    assert syntax.grammar_query(language, "tags", "imports") is None


def test_a_text_in_a_language_without_queries_has_no_structure():
    assert structure("# Title\n", "markdown") == Structure()


def test_an_unknown_grammar_parses_nothing():
    assert syntax.parse(b"x", "no such grammar") is None


# ---------------------------------------------------------------- names and kinds


def test_names_are_qualified_by_all_that_encloses_them():
    assert names("class A:\n  class B:\n    def f(self):\n      def g(): pass\n") == [
        "class A",
        "class A.B",
        "method A.B.f",
        "function A.B.f.g",
    ]


def test_parents_are_the_definitions_around():
    definitions = structure("class A:\n  x = 1\n  def f(self):\n    def g(): pass\n").definitions
    assert [(d.name, d.parent) for d in definitions] == [("A", -1), ("x", 0), ("f", 0), ("g", 2)]


def test_a_container_qualifies_and_is_no_definition():
    found = structure("impl<T> a::Foo<T> { fn new() {} }\n", "rust").definitions
    assert [(d.kind, d.qualified, d.parent) for d in found] == [("method", "Foo.new", -1)]


@pytest.mark.parametrize(
    ("source", "language", "wanted"),
    [
        ("func (s *pkg.Server[T]) Run() {}\n", "go", "method pkg.Server.Run"),
        ("void a::B<int>::f() {}\n", "cpp", "method a.B.f"),
        ("INLINE bool A::f(int x) {}\n", "cpp", "method A.f"),
        ("NODISCARD INLINE std::string A::f() const {}\n", "cpp", "method A.f"),
        ("INLINE std::vector<B *> A::operator()(int x) {}\n", "cpp", "method A.operator()"),
        ("INLINE std::vector<B *> f(int x) {}\n", "cpp", "function f"),
        ("exports.f = () => 1\n", "javascript", "function f"),
        ("A.prototype.f = function () {}\n", "javascript", "method A.f"),
        ("namespace A.B.C { }\n", "csharp", "namespace A.B.C"),
        ("declare module 'a-b/c' { }\n", "typescript", "module a-b/c"),
        ("const o = { 'f g': function () {} }\n", "javascript", "method o.f g"),
    ],
)
def test_scopes_and_dotted_names_qualify(source, language, wanted):
    assert wanted in names(source, language)


def test_only_the_last_part_of_a_dotted_name_is_the_name():
    assert only("namespace A.B.C { }\n", "csharp").name == "C"


def test_variables_in_functions_are_local():
    assert names("def f():\n  x = 1\n  if x:\n    Y = 2\n") == ["function f"]


def test_variables_of_a_class_in_a_function_are_not():
    assert names("def f():\n  class A:\n    x = 1\n") == ["function f", "class f.A", "field f.A.x"]


def test_variables_in_closures_are_local_though_nothing_has_a_name():
    assert names("it('x', () => { const a = 1; function g() {} })\n", "javascript") == [
        "function g"
    ]


def test_a_declaration_in_a_function_body_is_no_prototype():
    assert names("int f(void);\nvoid g(void) { int h(void); }\n", "c") == [
        "function f",
        "function g",
    ]


def test_variables_in_capitals_are_constants():
    assert names("MAX_SIZE = 1\nX = 2\nclass A:\n  MIN = 3\n") == [
        "constant MAX_SIZE",
        "variable X",
        "class A",
        "constant A.MIN",
    ]


def test_the_blank_name_is_none():
    assert names("var _ Reader = x\n", "go") == []


def test_several_names_of_one_statement_stand_side_by_side():
    found = structure("var a, b int\n", "go").definitions
    assert [(d.name, d.start, d.parent) for d in found] == [("a", 0, -1), ("b", 0, -1)]


def test_clauses_of_one_function_are_one_definition():
    found = structure("f :: Int -> Int\nf 0 = 1\nf n = n\ng = f 2\n", "haskell").definitions
    assert [(d.name, d.first_line, d.last_line) for d in found] == [("f", 1, 3), ("g", 4, 4)]
    assert found[0].signature == "f :: Int -> Int"


# ---------------------------------------------------------------- ranges, signatures


def test_a_definition_starts_with_its_decorators_and_its_signature_does_not():
    data = b"@a\n@b(1)\nclass A:\n  @c\n  def f(self): pass\n"
    outer, inner = structure(data).definitions
    assert data[outer.start :].startswith(b"@a")
    assert outer.signature == "class A"
    assert data[inner.start :].startswith(b"@c")
    assert inner.signature == "def f(self)"
    assert data[: inner.signature_end].endswith(b"f(self):")


@pytest.mark.parametrize(
    ("source", "language"),
    [
        ("export default class A { }\n", "javascript"),
        ("declare const a: string;\n", "typescript"),
        ("template <typename T>\nclass A { };\n", "cpp"),
    ],
)
def test_a_definition_starts_with_what_wraps_it(source, language):
    assert only(source, language).start == 0


def test_a_wrapped_class_does_not_lend_its_start_to_the_method_that_ends_with_it():
    outer, inner = structure("@a\nclass A:\n  def f(self): pass\n").definitions
    assert (outer.start, outer.end) == (0, inner.end)
    assert inner.first_line == 3


def test_a_signature_is_folded_and_ends_before_the_body():
    found = only("def f(\n    a: int,\n    b=2,\n) -> int:\n    return 1\n")
    assert found.signature == "def f( a: int, b=2, ) -> int"
    assert found.signature_end == len("def f(\n    a: int,\n    b=2,\n) -> int:")


def test_a_signature_without_a_body_is_the_first_line():
    assert only("x = {\n  1: 2,\n}\n").signature == "x"


def test_a_signature_is_cut_and_holds_the_name():
    assert only("typedef struct {\n} foo_t;\n", "c").signature == "typedef struct foo_t"
    long = only(f"def f({', '.join(f'argument_{i}' for i in range(100))}): pass\n")
    assert len(long.signature) <= 200


# ---------------------------------------------------------------- docs


@pytest.mark.parametrize(
    ("source", "language", "doc"),
    [
        ("# One,\n# two.\n#\n# Three.\ndef f(): pass\n", "python", "One, two."),
        ("# Far.\n\ndef f(): pass\n", "python", ""),
        ("x()  # Other.\ndef f(): pass\n", "python", ""),
        ("def f():\n  '''One.\n\n  Two.'''\n", "python", "One."),
        ("# Above.\ndef f():\n  '''Inside.'''\n", "python", "Inside."),
        ("// -------\n// One.\nfunc f() {}\n", "go", "One."),
        ("/* A */\n/** B. */\nfunction f() {}\n", "javascript", "B."),
        ("/**\n * One\n * two.\n * @param a no\n */\nfunction f(a) {}\n", "javascript", "One two."),
        ("/** @type {X} */\nfunction f(a) {}\n", "javascript", "@type {X}"),
        ("/// One `Vec<T>`.\n#[inline]\nfn f() {}\n", "rust", "One `Vec<T>`."),
        ("//! Crate.\nfn f() {}\n", "rust", ""),
        ("/// One.\n#[a]\n/// Two.\nfn f() {}\n", "rust", "One. Two."),
        ("/// <summary>\n/// One <see cref=\"B\"/>.\n/// </summary>\nclass F {}\n", "csharp",
         "One B."),
        ("/* One. */ int f(void);\n", "c", ""),
        ("// One.\r\nint f(void);\r\n", "c", "One."),
    ],
)  # fmt: skip
def test_docs(source, language, doc):
    assert [d.doc for d in structure(source, language).definitions] == [doc]


def test_each_name_of_a_line_has_no_doc_but_the_first():
    docs = [d.doc for d in structure("// Doc.\nenum E { A, B };\n", "c").definitions]
    assert docs == ["Doc.", "", ""]


def test_a_doc_is_cut():
    assert len(comments.cleaned(b"# " + b"word " * 1000)) <= 300


def test_an_empty_comment_says_nothing():
    assert comments.cleaned(b"/** */") == comments.cleaned(b"//") == comments.cleaned(b"") == ""


# ---------------------------------------------------------------- what a text uses


def test_a_name_is_used_once_a_line_and_kind():
    found = structure("f(); f()\nx: f = f()\n").references
    assert [(r.name, r.kind, r.line) for r in found] == [
        ("f", "call", 1),
        ("f", "type", 2),
        ("f", "call", 2),
    ]


def test_the_name_of_a_definition_is_no_use_of_it():
    assert structure("type A struct{}\n", "go").references == ()


def test_names_of_one_import_are_one_import():
    (found,) = structure("from .a import (\n  b as c,\n  d,\n)\n").imports
    assert (found.specifier, found.kind, found.names, found.line) == (".a", "from", "b as c,d", 1)


def test_only_quotes_that_belong_together_are_stripped():
    sources = ["<stdio.h>", '"local.h"']
    found = structure("".join(f"#include {source}\n" for source in sources), "c").imports
    assert [i.specifier for i in found] == ["<stdio.h>", "local.h"]


@pytest.mark.parametrize(
    ("source", "language", "wanted"),
    [
        ("class A { void f() { Names.of(); names.of(); } }", "java", {"Names"}),
        ("fn f() { Names::of(); names::of(); names::Other::of(); }", "rust", {"Names", "Other"}),
        ("const a = <Card.Title><div/><Other/></Card.Title>;", "tsx", {"Title", "Other"}),
        ("class A { void F() { Names.Of(); names.Of(); } }", "csharp", {"Names"}),
    ],
)
def test_a_name_in_capitals_is_used_where_one_in_lower_case_is_not(source, language, wanted):
    used = {r.name for r in structure(source, language).references}
    assert used & {"Names", "names", "Other", "Title", "div"} == wanted


# ---------------------------------------------------------------- long texts and names


def test_a_text_of_many_pieces_is_parsed():
    # Characters of three bytes lie across the ends of the pieces, wherever those are.
    text = "".join(f"def f{n}():\n    return '{'€' * 50}'\n" for n in range(1500))
    assert len(text.encode()) > 100 * syntax._PIECE
    assert names(text) == [f"function f{n}" for n in range(1500)]


@pytest.mark.parametrize(
    "length", [10, syntax._NAME - 5, syntax._NAME, syntax._PIECE, 3 * syntax._PIECE]
)
def test_a_predicate_sees_the_whole_of_a_long_name(length):
    long = "N" * length
    python = syntax._language("python")
    assert python is not None
    query = syntax.Query(python, f'((identifier) @it (#eq? @it "{long}"))')
    for text, found in ((long, 1), (f"{long}x", 0)):
        tree = syntax.parse(f"pass\n{text}\n".encode(), "python")
        assert tree is not None
        assert len(syntax.matches(query, tree.root_node)) == found


# ---------------------------------------------------------------- hostile input

DEEP = 100_000
HOSTILE = {
    "nothing": b"",
    "blank": b" \n\t\n",
    "no line end": b"x",
    "not UTF-8": b"def f\xff\xfe(): pass\n\x80\x81 = 1\nclass \xc3: pass\n",
    "a NUL": b"def f():\0 pass\n",
    "parentheses": b"(" * DEEP + b")" * DEEP,
    "open parentheses": b"(" * DEEP,
    "open brackets": b"[{" * (DEEP // 2),
    "calls": b"f(" * DEEP + b")" * DEEP,
    "attributes": b"a.b()." * DEEP + b"c",
    "sum": b"a+" * DEEP + b"a",
    "classes": b"class A { " * 20_000 + b"}" * 20_000,
    "functions": b"function f() { " * 20_000 + b"}" * 20_000,
    "prose": b"The quick brown fox jumps. " * 10_000,
    "long name": b"def " + b"a" * 100_000 + b"(): pass\n",
    "long line of definitions": b"".join(b"int a%d; " % i for i in range(20_000)),
    "comments": b"# c\n" * 50_000 + b"def f(): pass\n",
    "anything": random.Random(1).randbytes(100_000),
    "any tokens": b" ".join(
        random.Random(2).choices(b"if ( ) { } [ ] x ; : \n = class def fn int < > . ,".split(b" "), k=30_000)
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "language",
    ["python", "c"]
    + [pytest.param(name, marks=pytest.mark.slow) for name in ("cpp", "go", "javascript", "rust")],
)
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.long
def test_no_input_breaks_or_stalls_it(name, language):
    data = HOSTILE[name]
    tree = syntax.parse(data, language)
    if tree is not None:
        found = symbols.structure(tree.root_node, data, language)
        for d in found.definitions:
            assert 0 <= d.start < d.end <= len(data)
            assert d.name
            assert len(d.qualified) <= 700


def test_nested_deeper_than_anyone_does_is_found_down_to_a_depth():
    found = structure("function f() { " * 2000 + "}" * 2000, "javascript").definitions
    assert 100 < len(found) < 2000
    assert max(len(d.qualified) for d in found) < 700


def test_a_parse_that_takes_too_long_is_given_up():
    assert syntax.parse(b"-->" * 20_000, "python") is None


def test_a_run_of_tokens_without_names_finds_nothing():
    tree = syntax.parse(b"x = 1\n" + b")" * 50_000, "python")
    assert tree is not None
    query = syntax.grammar_query("python", "tags")
    assert query is not None
    assert syntax.matches(query, tree.root_node) == []


def test_the_same_text_gives_the_same_structure():
    data = Path(symbols.__file__).read_bytes()
    assert structure(data) == structure(data)


# ---------------------------------------------------------------- includes in odd places


def includes(source, language):
    return [f"{i.line} {i.kind} {i.specifier}" for i in structure(source, language).imports]


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_includes_are_found_in_the_middle_of_lists_types_and_calls(language):
    source = """\
static const int table[] = {
#define ROW(a) a,
#include "rows.h"
#include "more.inc"
#undef ROW
};
enum { FIRST,
#include "names.def"
};
struct s { int a;
#  include "fields.h"
};
int f(void) {
    switch (table[0]) {
#include "cases.c"
    }
    return
#include "value.h"
    ;
}
"""
    found = includes(source, language)
    wanted = ["3 include rows.h", "4 include more.inc", "8 include names.def"]
    assert found == [*wanted, "11 include fields.h", "15 include cases.c", "18 include value.h"]


def test_an_include_that_a_macro_names_is_dynamic():
    assert includes("#include CONFIG_H\n#include X(y)\n#include <a.h>\n", "c") == [
        "1 dynamic CONFIG_H",
        "2 dynamic X(y)",
        "3 include <a.h>",
    ]


def test_modules_are_declared_and_imported():
    source = """\
module;
export module a.b:part;
import c;
import :other;
import <vector>;
"""
    assert includes(source, "cpp") == [
        "2 package a.b:part",
        "3 import c",
        "4 partition other",
        "5 include <vector>",
    ]
    assert includes("export module a;\n", "cpp") == ["1 package a"]
    assert includes("module a;\n", "cpp") == ["1 import a"]


def test_objective_c_has_imports():
    source = '#import <Kit/View.h>\n#import "a.h"\n@import UIKit;\n@class A;\n'
    wanted = ["1 include <Kit/View.h>", "2 include a.h", "3 module UIKit"]
    assert includes(source, "objc") == wanted


def test_a_caught_require_and_a_computed_one_are_imports():
    source = """\
local ok, a = pcall(require, "a.b")
local ran = pcall(dofile, 'c.lua')
require("x." .. name)
require[[d]]
pcall(print, "no")
"""
    assert includes(source, "lua") == [
        "1 require a.b",
        "2 dofile c.lua",
        '3 dynamic "x." .. name',
        "4 require d",
    ]


def test_all_that_sources_a_file_is_an_import():
    source = """\
. ./a.sh
builtin source b.sh
command . c.sh
load helper
bats_load_library support
echo source d.sh
"""
    assert includes(source, "bash") == [
        "1 source ./a.sh",
        "2 source b.sh",
        "3 source c.sh",
        "4 load helper",
        "5 library support",
    ]


def test_a_record_of_elixir_is_a_struct():
    source = """\
defmodule M do
  Record.defrecord(:user, name: "a")
  require Record
  defrecordp :pair, [:a, :b]
end
"""
    assert names(source, "elixir") == ["module M", "struct M.user", "struct M.pair"]
