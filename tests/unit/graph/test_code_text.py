"""What a text says without comments and strings, and the names it declares, binds and exports."""

import pytest

from gitsearch.graph.code_text import (
    NameOccurrences,
    bound_in,
    bound_in_go,
    code_of,
    exports_of,
    identifiers,
    jvm_declared_names,
    jvm_type_headers,
)
from gitsearch.graph.project import RESOLVER_OF

# Comments that mention "x", by language; "a" and "b" around them are code.
SLASHES = ("a // x\nb", "a /* x\n x */ b", "/** x */ a b", "a /* ' */ b /* x */")
NESTED = (*SLASHES, "a /* /* x */ x */ b", "a /* /* /* x */ */ x */ b")
HASH = ("a # x\nb", "# x\na b", 'a # " x\nb')
MARKUP = ("<!-- x\nx --> a b", "a <!-- ' --> b <!-- x -->")
LONG = "a --[{0}[ x\n x ]{0}] b"
COMMENTS = {
    "python": HASH,
    "javascript": SLASHES,
    "typescript": SLASHES,
    "tsx": SLASHES,
    "vue": (*SLASHES, *MARKUP),
    "svelte": (*SLASHES, *MARKUP),
    "go": SLASHES,
    "rust": (*NESTED, "a<'q> // x\nb", "a '\"' // x\nb"),
    "java": SLASHES,
    "kotlin": NESTED,
    "scala": (*NESTED, "a 'q // x\nb"),
    "c": SLASHES,
    "cpp": SLASHES,
    "objc": SLASHES,
    "csharp": SLASHES,
    "ruby": (*HASH, "a\n=begin\nx\n=end\nb"),
    "php": (*SLASHES, *HASH),
    "swift": NESTED,
    "elixir": HASH,
    "lua": ("a -- x\nb", *(LONG.format(level) for level in ("", "=", "=="))),
    "haskell": (
        *("a -- x\nb", "a --- x\nb", "a -- | x\nb", "a {- x\n x -} b", "a {- {- x -} x -} b"),
        *("a' -- x' x\nb", "{-| x -} a b"),
    ),
    "zig": ("a // x\nb", "/// x\na b"),
    "bash": (*HASH, "a $# b # x", "a ${#q} b # x"),
}


@pytest.mark.parametrize(
    ("language", "text", "code"),
    [
        ("python", "a '''x\ny''' b # c\nd", "a  \n b  \nd"),
        ("python", 'a "x" b "y\nc', 'a   b "y\nc'),
        ("python", 'a "\\" b\n"c" d', 'a "\\" b\n  d'),
        ("python", "a \"'\" b '\\' # c\nd", "a   b '\\'  \nd"),
        ("python", '""" a "b" c', '  b" c'),
        ("java", "a /* b\n */ c // d\ne", "a  \n c  \ne"),
        ("java", 'a /* "b" c', "a /*   c"),
        ("java", "/*/ a */ b", "  b"),
        ("rust", "fn f<'a>(x: &'a str) { 'b' }", "fn f<'a>(x: &'a str) {   }"),
    ],
)
def test_comments_and_strings_become_blanks_and_what_never_ends_is_code(language, text, code):
    assert code_of(text.encode(), language) == code


def test_comments_of_every_resolved_language_are_listed():
    assert COMMENTS.keys() == RESOLVER_OF.keys()


@pytest.mark.parametrize("language", COMMENTS)
def test_names_in_comments_are_no_code(language):
    for text in COMMENTS[language]:
        code = code_of(text.encode(), language)
        assert identifiers(code) & {"a", "b", "x"} == {"a", "b"}, text
        assert code.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        *(("haskell", text) for text in ("a --> x", "a' x b'", "a --- b\nx", "{- a\nx")),
        *(("php", text) for text in ("#[x]\na", "'# ' . x", "a /* x")),
        *(("ruby", text) for text in ("`a #{x}`", "'#' + x", "a =begin x")),
        *(("bash", text) for text in ("a $# x", "a ${#b} x", "'#' x")),
        *(("lua", text) for text in ("a -- [[\nx", "a --[[ b\nx", '"--" .. x')),
        *(("rust", text) for text in ("/* a */ x", "/* /* a */ x", "a<'b> x<'b>")),
        *(("vue", text) for text in ("<x> <!-- a -->", "<!-- a\nx")),
        ("zig", "/* x */"),
    ],
)
def test_what_only_looks_like_a_comment_is_code(language, text):
    assert "x" in identifiers(code_of(text.encode(), language))


def test_members_are_what_stands_behind_a_type_or_alone_in_a_line():
    code = (
        "class A {\n  int a, b;\n  Map<String, List<B>> c = x;\n  void d() { return e; }\n"
        "  <T> T[] f(T g) { h(i); }\n}\nenum J {\n  K,\n  L(1)\n}\n"
    )
    assert jvm_declared_names(code) == {"A", "J", *"acdfgKL"}


def test_arguments_of_a_type_that_never_end_hide_no_member():
    assert jvm_declared_names("a<b < c<d> e; F g;") == {"e", "g"}
    assert jvm_declared_names("a<b<c<d; F g;") == {"g"}


def test_headers_end_where_the_body_begins():
    code = "class A extends B { } interface C; record D(int e) implements F {"
    assert jvm_type_headers(code) == [" A extends B ", " D(int e) implements F "]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("export const a = 1, b: T = 2, c == 3;", "ab"),
        ("export const { a, b: c } = x, d = 1;", "abcd"),
        ("export const { a\nexport const [b] = x;", ["a", "b", "const", "export"]),
        ("export { a, b as c };\nexport { d", "ac"),
        ("export type { a }; export default async function b() {}", ["a", "b", "default"]),
        ("export * as a from './b'; exports.c = 1;", "ac"),
        ("module.exports = { a, b: { c, d: [e] }, async f() { g, h }, get i() {} };", "abfi"),
    ],
)
def test_exports_are_read_from_statements(code, names):
    assert exports_of(code).names == set(names)


def test_what_is_exported_as_one_value_is_opaque():
    assert exports_of("module.exports = { a, ...b };").opaque
    assert exports_of("module.exports = f();").opaque
    assert not exports_of("module.exports = { a };").opaque


def test_names_are_bound_by_declarations_assignments_and_loops():
    code = "static const a = b\nfor c in d:\n  e.f, g::h, i = j\nimport k as l\nfn r#m() {}\n"
    assert bound_in(code, "python") == {"static", "const", *"achiklm"}
    assert "l" not in bound_in(code, "rust")


def test_names_are_bound_in_go_by_declarations_parameters_and_lists():
    code = "func (r *T) A(a, b int) {\n\tc, e := f(x.d)\n\tvar g = h\n\ti = j\n}\n"
    assert {*"rAabceg"} <= bound_in_go(code)
    assert bound_in_go(code).isdisjoint("dfhijx")


def test_mentions_are_the_first_of_each_name_with_its_line():
    said = NameOccurrences("x.c\na.b.c + d::e\na.b.f a.b.c\n", go=False)
    found = said.qualified(["a.b", "d"], ["c", "e", "f", "g"])
    assert [(one.text, one.line) for one in found] == [
        ("a.b.c", 2),
        ("d::e", 2),
        ("a.b.f", 3),
    ]
    assert said.qualified(["b"], ["c"]) == []
    assert [one.name for one in said.unqualified(["a", "d", "c"])] == ["a", "d"]


def test_in_go_a_name_before_a_colon_is_a_key():
    said = NameOccurrences("T{a: b, c : d}", go=True)
    assert [one.name for one in said.unqualified("abcd")] == ["b"]
