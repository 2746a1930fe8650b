"""Macros of C and C++ that open and close blocks: which lines are such, and what they open."""

from __future__ import annotations

import pytest

from gitsearch.extract.block_macros import (
    block_macros,
    opened_namespaces,
    without_block_macros,
)
from gitsearch.extract.facts import definitions
from gitsearch.extract.name_uses import uses


def opened(text: bytes) -> list[tuple[str, int]]:
    return opened_namespaces(text, "cpp", block_macros(text, "cpp"))


def names(text: bytes, grammar: str = "cpp") -> list[bytes]:
    return [text[one.start : one.end] for one in block_macros(text, grammar)]


@pytest.mark.parametrize(
    "line",
    [
        b"LIB_BEGIN_NAMESPACE",
        b"  LIB_NAMESPACE_END  // lib",
        b"LIB_NAMESPACE_BEGIN(lib)",
        b"_LIB_OPEN_NAMESPACE_STD\r",
        b"__BEGIN_DECLS",
        b"G_END_DECLS /* extern */",
    ],
)
def test_a_macro_alone_in_a_line_opens_or_closes_a_block(line):
    assert len(names(b"#include <a>\n\n" + line + b"\nint f();\n")) == 1


@pytest.mark.parametrize(
    "text",
    [
        b"enum { FIRST,\n LIST_END\n};",
        b"int a = FLAG |\n  RANGE_START\n ;",
        b"#define BOTH \\\n  LIB_BEGIN_NAMESPACE\n",
        b"f(\n  LIST_END\n);",
        b"LIB_BEGIN_NAMESPACE;",
        b"int x = LIST_END;",
        b"BEGIN_EVENT_TABLE(A, B)\n",
        b"LIB_EXPORT\nint f();",
        b"begin_namespace\n",
        b"enum { FIRST, /* a */\n LIST_END /* b */\n};",
        b"enum { FIRST,\n // a\n#if X\n LIST_END\n#endif\n};",
        b"enum Place /* of a list */\n{\n  LIST_START\n};",
        b"enum { LIST_START\n  , LIST_END\n};",
        b"int list[] = { A\n LIST_END /* b */ };",
        b"/* The parts:\nBEGIN\n*/\n// more \\\nEND\n",
        b'auto x = R"sql(SELECT\nBEGIN\n")sql";',
        b'auto x = "a"\n  RANGE_START\n "b";',
    ],
)
def test_other_names_in_capitals_are_left(text):
    assert names(text) == []
    assert without_block_macros(text, block_macros(text, "cpp")) is text


def test_only_texts_of_c_and_cpp_have_such_macros():
    text = b"LIB_BEGIN_NAMESPACE\n"
    assert names(text, "python") == []
    assert names(text, "c") == [b"LIB_BEGIN_NAMESPACE"]


@pytest.mark.parametrize(
    "before",
    [
        b"namespace absl {",
        b'extern "C" {',
        b"int x = 1'000; // a,",
        b"char x = '\"'; /* a,\n*/",
        b'#define A "/*"',
        b"#define A a, /* b\n*/",
    ],
)
def test_what_stands_before_a_macro_is_told_from_comments_and_directives(before):
    assert names(before + b"\nLIB_BEGIN_NAMESPACE\nint f();\n") == [b"LIB_BEGIN_NAMESPACE"]


def test_blanks_take_the_place_of_a_macro():
    text = b"LIB_NAMESPACE_BEGIN(lib) // x\nint f();\n"
    found = block_macros(text, "cpp")
    assert without_block_macros(text, found) == b" " * 24 + b" // x\nint f();\n"


def test_namespaces_are_named_by_what_a_macro_stands_for():
    text = b"""#define A_BEGIN_NAMESPACE \\
  namespace a { inline namespace v1 {
#define B_OPEN namespace b::c {
#define D_NAMESPACE d __attribute__((visibility("hidden")))
#define E_NAMESPACE_BEGIN(name) namespace name {
#define F_NAMESPACE
#define G_HAS_NAMESPACE 1
#define H_USE using namespace h;
#define I_SHORT namespace i = a::v1;
LIB_NAMESPACE_BEGIN(lib)
LIB_NAMESPACE_END(other)
"""
    found = [name for name, _ in opened(text)]
    assert found == ["a", "v1", "b", "c", "d", "name", "lib"]


def test_definitions_behind_a_macro_are_found_and_the_macro_is_used():
    text = b"LIB_BEGIN_NAMESPACE\n\nclass Shape {\n  int area();\n};\n\nLIB_END_NAMESPACE\n"
    found = [one.qualified for one in definitions(text, "cpp", searched=False)]
    assert found == ["Shape", "Shape.area"]
    assert [one.line for one in uses(text, "cpp", "LIB_BEGIN_NAMESPACE")] == [1]


def test_very_many_macros_take_linear_time():
    text = b"\n" * 100_000 + b"A_BEGIN_NAMESPACE\n" * 50_000 + b"#define A \\\n" * 50_000
    assert len(names(text)) == 50_000
    assert opened(text) == []
    for start in (b"/*\n", b'R"a(', b'"\\\n', b"'", b"# /* ", b"enum {\n"):
        assert len(names(b"BEGIN\n" + start * 50_000)) == 1
    many = b"".join(b"#define N%d_BEGIN namespace n%d {\n" % (i, i) for i in range(1000))
    assert len(opened(many)) == 100
