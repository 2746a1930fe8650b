"""The facts of definitions, extracted in this process.

A child that reads a file for the program ends without a word of an error, and the file counts as
one that cannot be read.
"""

import random
from pathlib import Path

import pytest

from gitsearch.extract.definition_uses import definition_facts
from gitsearch.extract.languages import detect
from tests.programs import KINDS, Source, text_of

PACKAGE = Path(__file__).parents[3] / "gitsearch"


@pytest.mark.parametrize("kind", KINDS)
def test_the_facts_of_random_texts(kind):
    dice = random.Random(kind)
    path = f"folder/one.{kind}"
    found: set[str] = set()
    for _ in range(60):
        source = Source(dice.randrange(1 << 16), tuple(dice.randrange(1 << 16) for _ in range(4)))
        data = text_of(path, source).encode()
        facts = definition_facts(data, detect(path.encode(), data))
        found.update(one.kind for one in facts.definitions)
        assert all(-1 <= use.scope < len(facts.definitions) for use in facts.uses)
    assert found


def test_the_facts_of_every_module_of_this_program():
    paths = sorted(PACKAGE.rglob("*.py"))
    assert len(paths) > 100
    for path in paths:
        data = path.read_bytes()
        assert definition_facts(data, "python").uses or b"\ndef " not in data, path


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", "int {} = f();"),
        ("java", "class A {{ int {} = f(); }}"),
        ("go", "package a\nvar {} = f()"),
        ("python", "{} = f()"),
    ],
)
def test_many_variables_of_one_declaration_do_not_use_everything_each(language, text):
    few, many = (
        definition_facts(text.format(", ".join(f"a{n}" for n in range(count))).encode(), language)
        for count in (3, 2_000)
    )
    assert {use.scope for use in few.uses if use.name == "f"} >= {1, 2}
    assert len(many.uses) < 10_000


def test_names_in_the_text_of_a_macro_are_no_words_and_no_parameters():
    text = b"#define TWICE(count) do { int x = (count); if (x) use(other); } while (0)\n"
    names = {use.name for use in definition_facts(text, "c").uses}
    assert {"use", "other"} <= names
    assert not names & {"count", "do", "int", "if", "while"}


def test_what_is_called_as_a_hook_of_ruby_is_a_class_elsewhere():
    facts = definition_facts(b"class included(Base):\n    pass\n", "python")
    assert [use.scope for use in facts.uses if use.name == "Base"] == [0]
