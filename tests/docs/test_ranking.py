"""docs/ranking.md names every constant of the ranking with the value it has."""

import dataclasses
import importlib
import re
from functools import partial

import pytest

from gitsearch.retrieval.constants import DEFAULT
from tests.docs.pages import ROOT, page, section, table

PAGE = "docs/ranking.md"
RANKING, OTHERS = "Constants", "Constants outside Ranking"
_ROW = re.compile(r"^\| `([\w.]+)` \| ([^|]+) \|", re.MULTILINE)


def value_of(name):
    """The value of `package.module.NAME`."""
    module, _, constant = name.rpartition(".")
    return getattr(importlib.import_module(f"gitsearch.{module}"), constant)


def field(name):
    """The default of a constant of `Ranking`."""
    return getattr(DEFAULT, name, "gone")


def refreshed_row(actual, row):
    return f"| `{row[1]}` | {actual(row[1])} |"


def documented(heading):
    return {row[0]: row[1] for row in table(page(PAGE), heading)}


@pytest.fixture(autouse=True, scope="module")
def refreshed(request):
    """With --update-golden the column of values is written anew."""
    if not request.config.getoption("--update-golden"):
        return
    text = page(PAGE)
    for heading, actual in ((RANKING, field), (OTHERS, value_of)):
        old = section(text, heading)
        text = text.replace(old, _ROW.sub(partial(refreshed_row, actual), old))
    (ROOT / PAGE).write_text(text, encoding="utf-8")


@pytest.mark.golden
def test_every_field_of_the_ranking_is_documented_with_its_value():
    fields = {name: str(value) for name, value in dataclasses.asdict(DEFAULT).items()}
    assert len(fields) > 20
    assert documented(RANKING) == fields


@pytest.mark.golden
def test_the_other_constants_are_documented_with_their_values():
    found = documented(OTHERS)
    assert found == {name: str(value_of(name)) for name in found}


def test_every_number_of_the_retrieval_is_documented():
    modules = sorted((ROOT / "gitsearch" / "retrieval").glob("*.py"))
    assert len(modules) > 8
    found = {
        f"retrieval.{path.stem}.{name}"
        for path in modules
        for name in re.findall(
            r"^(_?[A-Z][A-Z_]*) = (?:[\d.]|RankLikelihood)", path.read_text(encoding="utf-8"), re.M
        )
    }
    assert len(found) > 5
    assert found == {name for name in documented(OTHERS) if name.startswith("retrieval.")}


def test_every_row_has_a_meaning_and_a_source():
    for heading in (RANKING, OTHERS):
        assert all(meaning and source for _, _, meaning, source in table(page(PAGE), heading))


@pytest.mark.parametrize("name", ["ablation", "chunk size"])
def test_there_is_a_place_for_measured_tables(name):
    text = page(PAGE)
    assert text.count(f"<!-- {name}: begin -->") == text.count(f"<!-- {name}: end -->") == 1
