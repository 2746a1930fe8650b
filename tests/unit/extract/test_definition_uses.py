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
