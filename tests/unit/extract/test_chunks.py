"""Every byte of a text lies in exactly one chunk, and cuts are where a reader would make them."""

import os
import re
import sys
from itertools import pairwise
from pathlib import Path
from textwrap import dedent

import pytest

from gitsearch.extract import chunks, languages, syntax
from gitsearch.extract.chunks import BUDGET
from gitsearch.extract.facts import facts
from gitsearch.records import Definition
from tests.every import check_every
from tests.sample import TEMPLATES, TOPICS

ROOT = Path(__file__).parents[3]
FILES = sorted(
    path
    for folder in ("gitsearch", "tests", "docs")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".md", ".scm", ".txt", ".toml", ".json")
    and path.stat().st_size < 1e5
)
EXTENSIONS = {
    "c": "c", "go": "go", "header": "h", "java": "java", "markdown": "md", "python": "py",
    "ruby": "rb", "rust": "rs", "test_python": "py", "typescript": "ts",
}  # fmt: skip


def starts_of(data, grammar, budget=BUDGET):
    tree = syntax.parse(data, grammar)
    assert tree is not None
    return chunks.cut_tree(tree.root_node, data, budget)


def cut(text, language="python", budget=BUDGET):
    """The texts of the chunks."""
    data = text.encode() if isinstance(text, str) else text
    starts = starts_of(data, languages.LANGUAGES[language].grammar, budget)
    assert_partition(starts, data)
    return [data[a:b].decode() for a, b in pairwise([*starts, len(data)])]


def assert_partition(starts, data):
    """The starts cut the text into pieces that are not empty and lack nothing."""
    assert starts[0] == 0
    assert all(a < b for a, b in pairwise([*starts, len(data)]))


def assert_budget(starts, data, budget=BUDGET):
    """A chunk exceeds the budget by part of a line, and by closing brackets."""
    for start, end in pairwise([*starts, len(data)]):
        text = data[start:end].strip()
        line = min(max(map(len, text.split(b"\n"))), budget)
        assert len(text) <= budget + line + budget // 4, (start, text[:200])


def language_of(path):
    name = os.fsencode(path.name)
    return languages.detect(name, path.read_bytes()[:200])


# ---------------------------------------------------------------- real files


def test_there_are_real_files_to_cut():
    assert len(FILES) > 100
    assert {path.stem for path in TEMPLATES.iterdir()} == set(EXTENSIONS)


@pytest.mark.long
def test_a_real_file_is_cut_whole_and_to_size():
    def check(path):
        data = path.read_bytes()
        if data.strip():
            found = facts(data, language_of(path), searched=True).chunks
            starts = [chunk.start for chunk in found]
            assert [chunk.end for chunk in found] == [*starts[1:], len(data)]
            assert_partition(starts, data)
            assert_budget(starts, data)

    check_every(FILES, check)


@pytest.mark.parametrize("budget", [40, 400, 1500])
@pytest.mark.parametrize("template", EXTENSIONS)
def test_a_module_of_every_template_is_cut_to_any_size(template, budget):
    row = languages.LANGUAGES[languages.detect(f"x.{EXTENSIONS[template]}".encode(), b"")]
    assert row.grammar
    for topic in TOPICS:
        data = topic.render(template).encode()
        starts = starts_of(data, row.grammar, budget)
        assert_partition(starts, data)
        assert_budget(starts, data, budget)


# ---------------------------------------------------------------- where cuts are


def test_a_text_within_the_budget_is_one_chunk():
    text = "import os\n\n\ndef f():\n    return 1\n"
    assert cut(text) == [text]


def functions(count, lines=4):
    body = "".join(f"    value_{n} = compute({n})\n" for n in range(lines))
    return [f"def function_{n}(argument):\n{body}" for n in range(count)]


def test_functions_are_merged_up_to_the_budget_and_not_beyond():
    one = len(functions(1)[0])
    for budget, together in ((one + 10, 1), (2 * one + 10, 2), (3 * one + 10, 3)):
        found = cut("\n".join(functions(6)), budget=budget)
        assert [text.count("def ") for text in found] == [together] * (6 // together)


def test_no_function_is_split_that_fits():
    for text in cut("\n\n".join(functions(9)), budget=300):
        assert text.lstrip().startswith("def ")
        assert text.count("value_3") == text.count("def ")


def test_a_large_function_is_split_between_statements():
    (text,) = functions(1, lines=30)
    found = cut(text, budget=200)
    assert len(found) > 3
    assert all(part.startswith(("def ", "    value_")) for part in found)
    assert all(part.endswith(")\n") for part in found)


def test_the_header_of_a_split_definition_stays_with_the_first_part_of_its_body():
    text = "class Policy(Base):\n" + "".join(
        f"    def method_{n}(self):\n        return self.value_{n}\n\n" for n in range(9)
    )
    first, *rest = cut(text, budget=200)
    assert first.startswith("class Policy(Base):\n    def method_0")
    assert rest


LEADING = {
    "python": "# Why.\n@decorated\n@twice(1)\ndef f_{n}():\n    return {n} + {n}  # Body.\n",
    "rust": "/// Why.\n#[inline]\nfn f_{n}() -> u8 {{\n    {n} + {n} // Body.\n}}\n",
    "go": "// Why.\n// And more.\nfunc f{n}() int {{\n\treturn {n} + {n} // Body.\n}}\n",
    "c": "/* Why. */\nint f{n}(void)\n{{\n    return {n} + {n}; /* Body. */\n}}\n",
    "typescript": "/** Why. */\nexport function f{n}(): number {{\n  return {n}; // Body.\n}}\n",
    "csharp": "// Why.\n[Obsolete]\nclass A{n}\n{{\n    int F() {{ return {n}; }} // Body.\n}}\n",
}


@pytest.mark.parametrize("language", LEADING)
def test_comments_and_decorators_stay_with_what_they_stand_above(language):
    units = [LEADING[language].format(n=n) for n in range(12)]
    found = cut("\n".join(units), language, budget=len(units[-1]) + 20)
    assert len(found) == len(units)
    for part in found:
        assert part.lstrip().startswith(LEADING[language].split("Why.")[0])
        assert (part.count("Why."), part.count("Body.")) == (1, 1)


def test_closing_brackets_stay_with_what_they_close():
    text = "function f() {\n  g(() => {\n    h({\n" + "".join(
        f"      property_{n}: 'a value of some length {n}',\n" for n in range(20)
    ) + "    });\n  });\n}\n"  # fmt: skip
    for part in cut(text, "javascript", budget=200):
        assert any(character.isalnum() for character in part)


def test_sections_of_prose_are_chunks_of_their_own():
    text = "# One\n\nFirst words.\n\n## Two\n\nOther words.\n\n# Three\n\nLast words.\n"
    found = cut(text * 3, "markdown", budget=100)
    assert [part.split("\n")[0] for part in found] == ["# One", "# Three"] * 3
    (whole, *_) = found
    assert [part.split("\n")[0] for part in cut(whole, "markdown", 30)] == ["# One", "## Two"]


def test_a_long_string_is_split_at_its_lines():
    lines = [f"line {n} of a long text that goes on\n" for n in range(60)]
    text = 'TEXT = """\n' + "".join(lines) + '"""\n'
    found = cut(text, budget=300)
    assert len(found) > 5
    assert all(part.endswith("\n") for part in found)
    assert_budget([0, *accumulated(found)], text.encode(), 300)


def accumulated(texts):
    place, out = 0, []
    for text in texts[:-1]:
        place += len(text.encode())
        out.append(place)
    return out


@pytest.mark.parametrize("escape", ["", "\\\n", "\\x08", "{name}"])
@pytest.mark.parametrize("prefix", ["", "f"])
def test_a_long_string_with_something_in_it_is_cut_to_size(prefix, escape):
    lines = "".join(f"line {n} of a long text that goes on\n" for n in range(60))
    data = f'TEXT = {prefix}"""{escape}\n{lines}{escape}"""\n'.encode()
    assert_budget(starts_of(data, "python", 300), data, 300)


@pytest.mark.parametrize(
    ("language", "comment", "code"),
    [
        ("java", "/**\n{}*/\n", "package org.example;\n"),
        ("java", "/**\n{}*/\n", "class A { int f() { return 1; } }\n"),
        ("c", "/*\n{}*/\n", "int f(void) { return 1; }\n"),
        ("go", "/*\n{}*/\n", "package main\n"),
        ("scala", "/**\n{}*/\n", "object A { def f = 1 }\n"),
        ("typescript", "/**\n{}*/\n", "export class A { f() { return 1 } }\n"),
        ("python", "#{}\n", "def f():\n    return 1\n"),
    ],
)
def test_a_long_comment_above_a_definition_is_cut_to_size(language, comment, code):
    lines = "".join(f"# line {n} of a long comment that goes on\n" for n in range(60))
    data = (comment.format(lines) + code).encode()
    starts = starts_of(data, languages.LANGUAGES[language].grammar, 300)
    assert_partition(starts, data)
    assert_budget(starts, data, 300)


@pytest.mark.parametrize("text", ["x = '" + "ü" * 3000 + "'", "x = '" + "名" * 2000 + "'"])
def test_a_long_line_is_not_cut_within_a_character(text):
    assert "".join(cut(text, budget=301)) == text
    data = text.encode()
    starts = chunks.cut_lines(data, 301)
    assert "".join(data[a:b].decode() for a, b in pairwise([*starts, len(data)])) == text


def test_lines_are_cut_whole_where_there_is_no_tree():
    data = b"".join(b"line %d of a text without a grammar\n" % n for n in range(50))
    starts = chunks.cut_lines(data, 200)
    assert_partition(starts, data)
    assert_budget(starts, data, 200)
    assert all(start == 0 or data[start - 1 : start] == b"\n" for start in starts)


@pytest.mark.parametrize(
    "data", [b"x", b"\n", b"\n\n\n", b"\r\n" * 700, b"\r" * 900, b"\x80" * 2000]
)
def test_lines_of_nothing_are_cut_too(data):  # fmt: skip
    assert_partition(chunks.cut_lines(data, 300), data)


def nested(depth):
    """Calls of functions that it takes to cut brackets of this depth."""
    data = b"x = " + b"[1," * depth + b"2" + b"]" * depth + b"\n"
    tree = syntax.parse(data, "python")
    assert tree is not None
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        starts = chunks.cut_tree(tree.root_node, data)
    finally:
        sys.setprofile(before)
    assert_partition(starts, data)
    return calls


@pytest.mark.slow
def test_the_work_for_deep_nesting_grows_with_the_depth_and_not_with_its_square():
    assert 4_000 < nested(16_000) < 4.5 * nested(4_000)


def test_cuts_are_the_same_each_time():
    data = (ROOT / "gitsearch" / "extract" / "chunks.py").read_bytes()
    assert starts_of(data, "python") == starts_of(data, "python")


# ---------------------------------------------------------------- lines and definitions


def test_lines_count_from_one_and_leave_out_blank_lines_at_the_ends():
    data = b"\n\n  one\ntwo\n\n\nthree\n\n"
    found = chunks.as_chunks([0, 12], data, ())
    assert [(chunk.first_line, chunk.last_line) for chunk in found] == [(3, 4), (7, 7)]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"x", (1, 1)),
        (b"x\n", (1, 1)),
        (b"x\ny", (1, 2)),
        (b"\n", (1, 1)),
        (b"x\r\ny\r\n", (1, 2)),
    ],
)
def test_the_last_line_needs_no_line_feed(data, lines):
    (chunk,) = chunks.as_chunks([0], data, ())
    assert (chunk.first_line, chunk.last_line) == lines


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("if (a) {\n  b();\n}\n", 2),
        ("f(a, {\n  b: 1,\n});\n\n", 2),
        ("if a\n  b\nend\n\nend\n", 2),
        ("for a in b; do\n  c\ndone\nfi\n", 2),
        ('"""One.\n\nTwo.\n"""\n', 3),
        ("a = [\n]\n", 1),
        ("{\n}\n", 1),
        ("\n{\n}\n", 2),
        ("a {\n  } else {\n", 2),
        ("a\nend_of(b)\n", 2),
        ("a\nendless\n", 2),
        ("a\n} // b\n", 2),
        ("a\né\n", 2),
    ],
)
def test_lines_end_where_only_closing_ones_follow(text, last):
    (chunk,) = chunks.as_chunks([0], text.encode(), ())
    assert (chunk.start, chunk.end) == (0, len(text.encode()))
    assert chunk.last_line == last


@pytest.mark.parametrize("language", ["python", "go", "ruby"])
def test_lines_of_real_chunks_are_those_of_their_text(language):
    data = TOPICS[0].render(language).encode()
    lines = data.decode().split("\n")
    found = facts(data, language).chunks
    assert found
    for chunk in found:
        text = data[chunk.start : chunk.end].decode().strip()
        shown = "\n".join(lines[chunk.first_line - 1 : chunk.last_line]).strip()
        assert text.startswith(shown)
        assert not re.search(r"\w", text[len(shown) :].replace("end", ""))


def definition(name, start, end, parent=-1):
    return Definition(name, name, "class", "", "", start, end, start, 1, 1, parent)


def named(starts, data, definitions):
    """(enclosing definition, definition that the chunk is named after) by name, "" for none."""
    names = [one.name for one in definitions] + [""]
    found = chunks.as_chunks(starts, data, definitions)
    return [(names[chunk.scope], names[chunk.symbol]) for chunk in found]


def test_a_chunk_knows_what_encloses_it_and_what_it_is_named_after():
    data = b"." * 100
    outer, inner, other = (
        definition("outer", 10, 80), definition("inner", 40, 60, 0), definition("other", 85, 95)
    )  # fmt: skip
    cases = {
        (0, 10, 40): [("", ""), ("", "outer"), ("outer", "inner")],
        (0, 30, 50, 70, 90): [
            ("", "outer"), ("outer", "inner"), ("inner", "inner"), ("outer", "other"),
            ("other", "other"),
        ],
        (0, 82): [("", "outer"), ("", "other")],
        (0, 61, 81): [("", "outer"), ("outer", "outer"), ("", "other")],
        (0, 96): [("", "outer"), ("", "")],
    }  # fmt: skip
    for starts, expected in cases.items():
        assert named(list(starts), data, [outer, inner, other]) == expected, starts


def test_blank_space_before_a_definition_does_not_make_it_the_one_above():
    data = b"class A:\n    x\n\n\nclass B:\n    y\n"
    definitions = [definition("A", 0, 14), definition("B", 17, len(data))]
    assert named([0, 14], data, definitions) == [("", "A"), ("", "B")]


def test_chunks_of_real_code_know_their_definitions():
    text = dedent(
        '''
        class Policy:
            """How often a request is sent again, with a text that takes some room."""

            first_delay = 1
            last_delay = 60

            def compute(self, attempt):
                value = self.first_delay * 2 ** attempt
                value = max(value, 0)
                value = min(value, self.last_delay)
                return value

        def alone(argument):
            return Policy().compute(argument)
        '''
    )
    data = text.encode()
    found = facts(data, "python")
    definitions = found.definitions
    for chunk in chunks.as_chunks(starts_of(data, "python", 120), data, definitions):
        shown = data[chunk.start : chunk.end].decode()
        scope = definitions[chunk.scope].qualified if chunk.scope >= 0 else ""
        if shown.lstrip().startswith(("class Policy", "def alone")):
            assert scope == ""
        elif "def compute" in shown or "first_delay =" in shown:
            assert scope == "Policy"
        else:
            assert scope == "Policy.compute"
        assert chunk.symbol >= 0
