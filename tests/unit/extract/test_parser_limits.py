"""Which texts a parser is not given, and that ordinary ones are none of them."""

import sys
from pathlib import Path

import pytest

from gitsearch.extract import parser_limits, syntax
from gitsearch.extract.facts import facts


@pytest.mark.parametrize(
    ("grammar", "unit", "end"),
    [
        ("java", b"a=>", b""),
        ("java", b"a1 => b_2 =>\n", b""),
        ("c", b"< a\n", b""),
        ("kotlin", b"@a\n", b""),
        ("kotlin", b"@a  \n  ", b""),
        ("bash", b"a |\n", b""),
        ("swift", b"#", b"\nx\n"),
        ("python", b"(", b"1"),
        ("agda", b"module A where\n", b""),
        ("typst", b"= A\n", b""),
    ],
)
def test_a_text_that_nothing_closes_is_not_parsed(grammar, unit, end):
    assert not parser_limits.may_parse(unit * 6000 + end, grammar)


@pytest.mark.parametrize(
    ("grammar", "unit"),
    [
        ("c", b"0x00, "),
        ("c", b"#define A_B 1\n"),
        ("c", b" * A comment - of a line. It goes on\n"),
        ("java", b"// a comment without a comma\n"),
        ("cpp", b"template <class A> void f(A a) { return a < 1 || a > 2; }\n"),
        ("csharp", b"a.b();\n"),
        ("javascript", b"a => b, "),
        ("python", b"a.b.c = d - e\n"),
        ("python", b"@a\ndef f(): pass\n"),
        ("properties", b"a.b.c=d\n"),
        ("yaml", b"a: b\n- c: d\n"),
        ("sql", b"select a from b where c = d;\n"),
        ("html", b"<td><a>a</a>\n"),
        ("xml", b'<a b="c"/>\n'),
        ("markdown", b"| a | b | 1.5 | - | - | - |"),
        ("csv", b"1,2,3\n"),
        ("make", b"a: b\n\t$(c) -d\n"),
    ],
)
def test_a_table_a_list_and_prose_of_any_length_are_parsed(grammar, unit):
    assert parser_limits.may_parse(unit * 20_000, grammar)


@pytest.mark.parametrize("path", sorted(Path(parser_limits.__file__).parent.glob("*.py")))
def test_ordinary_code_has_no_long_stretch(path):
    assert parser_limits.stretch_work(path.read_bytes(), "python") < 200_000


@pytest.mark.parametrize("data", [b"", b"\n", b" ", b"a", b"\xff\xfe", b"=>" * 31])
def test_a_short_text_takes_no_work(data):
    assert parser_limits.stretch_work(data, "java") == 0


def test_work_grows_with_the_square_of_a_stretch_and_not_with_their_number():
    stretch = b"a=>" * 1000
    one = parser_limits.stretch_work(stretch, "java")
    assert one == 3000**2
    assert parser_limits.stretch_work(stretch * 2, "java") == 4 * one
    assert parser_limits.stretch_work((stretch + b";") * 2, "java") == 2 * one
    assert parser_limits.stretch_work(b"some longer name => " * 1000, "java") == one


@pytest.mark.parametrize(
    ("data", "parsed"),
    [
        (b"".join(b" " * n + b"a:\n" for n in range(80)), True),
        (b"- " * 20 + b"a\n", True),
        (b"a: |\n" + b" " * 80 + b"text\n", True),
        (b"# " + b"-" * 300 + b"\n", True),
        (b"a: '" + b"x - y " * 400 + b"'\n", True),
        (b"".join(b" " * n + b"a:\n" for n in range(200)), False),
        (b"- " * 300, False),
        (b"a:\r" + b" ?" * 300, False),
        (b">" + b"- " * 300, False),
        (b"- > " * 300, False),
    ],
)
def test_blocks_of_yaml_are_parsed_down_to_a_depth(data, parsed):
    assert parser_limits.may_parse(data, "yaml") is parsed
    assert (syntax.parse(data, "yaml") is not None) is parsed


@pytest.mark.parametrize(
    ("data", "parsed"),
    [
        (b"> " * 30 + b"a\n", True),
        (b"".join(b" " * (2 * n) + b"- a\n" for n in range(50)), True),
        (b"| " + b"- | " * 300 + b"\n", True),
        (b"> " * 300, False),
        (b">" * 300, False),
        (b"- " * 300 + b"a\n", False),
        (b"1. " * 300 + b"a\n", False),
        (b"".join(b" " * (2 * n) + b"- a\n" for n in range(300)), False),
        (b"".join(b"\t" * (n // 2) + b"  " * (n % 2) + b"- a\n" for n in range(500)), False),
        (b"".join(b"> " * n + b"a\n" for n in range(300)), False),
    ],
)
def test_blocks_of_markdown_are_parsed_down_to_a_depth(data, parsed):
    assert parser_limits.may_parse(data, "markdown") is parsed
    assert (syntax.parse(data, "markdown") is not None) is parsed


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_comment_may_end_a_script_of_perl(end):
    data = b"foo # bar" + end
    found = facts(data, "perl")
    assert [(chunk.start, chunk.end) for chunk in found.chunks] == [(0, len(data))]
    assert syntax.parse(data, "perl") is not None


def test_a_parse_keeps_nothing_of_its_text():
    data = b"def f():\n    return 1\n" * 1000
    before = sys.getrefcount(data)
    for _ in range(3):
        assert syntax.parse(data, "python") is not None
    assert sys.getrefcount(data) == before


@pytest.mark.parametrize("width", [1014, 1015, 1016, 1017, 1018, 1019, 1020, 2048])
def test_a_character_across_two_pieces_is_one(width):
    data = b"x = '" + b"a" * width + "é名😀".encode() + b"'\ny = 1\n"
    tree = syntax.parse(data, "python")
    assert tree is not None
    assert not tree.root_node.has_error
    assert tree.root_node.end_byte == len(data)


def test_more_matches_than_any_program_has_are_none():
    data = b"int a" + b",a" * 30_000 + b";\n"
    assert facts(data, "cpp", searched=True).definitions == ()
    few = b"int a" + b",a" * 300 + b";\n"
    assert len(facts(few, "cpp").definitions) == 301


# Scanners that ask for columns read a text again and again.
DEFINITIONS = {
    "d": "int add%d(int x, int y) {\n    int z = x + y;\n    return z * 2;\n}\n\n",
    "fsharp": "let add%d x y =\n    let z = x + y\n    z * 2\n\n",
    "julia": "function add%d(x, y)\n    z = x + y\n    return z * 2\nend\n\n",
    "perl": "sub add%d {\n    my ($x, $y) = @_;\n    return ($x + $y) * 2;\n}\n\n",
    "purescript": "add%d :: Int -> Int -> Int\nadd x y = z * 2\n  where\n  z = x + y\n\n",
    "scala": "class A%d(val x: Int) {\n  def add(y: Int): Int = {\n    val z = x + y\n    z\n  }\n}\n\n",
}


@pytest.mark.parametrize("grammar", DEFINITIONS)
def test_a_large_file_is_parsed_whatever_its_scanner_reads(grammar):
    text = "".join(DEFINITIONS[grammar] % number for number in range(5000)).encode()
    tree = syntax.parse(text, grammar)
    assert tree is not None
    assert not tree.root_node.has_error
