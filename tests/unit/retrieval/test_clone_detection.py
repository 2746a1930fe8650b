"""What counts as a copy, and how much."""

import pytest

from gitsearch.extract.languages import LANGUAGES
from gitsearch.features.lexemes import lexemes
from gitsearch.retrieval.clone_detection import CodeTokens, match, worthwhile

OLD = """
def total_of(orders, rate):
    total = 0
    for order in orders:
        if order.cancelled or not order.lines:
            continue
        price = sum(line.price * line.amount for line in order.lines)
        if order.customer.is_member():
            price -= price * rate
        total += price + shipping_cost(order.address, order.weight)
    logger.debug("total of %s orders: %s", len(orders), total)
    return round(total, 2)
"""
RENAMED = (
    OLD.replace("total_of", "sum_up")
    .replace("orders", "bills")
    .replace("order", "bill")
    .replace("total", "amount_due")
    .replace("price", "cost")
    .replace("rate", "share")
)
EDITED = OLD.replace("            continue\n", "            continue  # nothing to pay\n").replace(
    "        total += price", "        count += 1\n        total += price"
)
# the same statements about other things: no name stands where it should
SHUFFLED = OLD.replace("price -= price * rate", "rate -= order * total").replace(
    "total += price", "price += orders"
)
OTHER = """
def read_config(path):
    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    for name, value in settings.items():
        if name not in KNOWN:
            raise ConfigError(f"{path}: {name} is not known")
        settings[name] = KNOWN[name](value)
    return Config(**settings)
"""


def code(text, language="python"):
    return CodeTokens(lexemes(text, LANGUAGES[language].syntax))


def found(new, old):
    return match(code(new), code(old), lambda _: 0.5)


def test_the_same_code_is_a_copy_beyond_doubt():
    one = found(OLD, OTHER + OLD + OTHER)
    assert (one.shape, one.names, one.renamed, one.score) == (1.0, 1.0, 1.0, 1.0)
    inside = code(OTHER + OLD + OTHER).lexemes
    assert inside.texts[one.start : one.end] == code(OLD).lexemes.texts


def test_siblings_of_the_same_shape_are_told_apart_by_their_names():
    one = found(OLD, RENAMED + OTHER + OLD + RENAMED)
    assert one.score == 1.0
    assert one.start == len(code(RENAMED + OTHER))


def test_renamed_one_for_one_has_the_same_shape():
    one = found(RENAMED, OTHER + OLD)
    assert (one.shape, one.renamed) == (1.0, 1.0)
    assert 0.2 < one.names < 0.9
    assert one.score > 0.75


def test_an_edited_copy_is_still_one():
    one = found(EDITED, OTHER + OLD)
    assert 0.9 < one.shape < 1.0
    assert one.score > 0.85


def test_names_that_are_not_renamed_one_for_one_count_against_it():
    assert found(SHUFFLED, OLD).score < found(RENAMED, OLD).score


def test_other_code_is_no_copy():
    assert found(OTHER, OLD) is None
    assert found(OLD, OTHER) is None
    assert found(OLD, "") is None
    assert found("x", OLD) is None


def test_rare_names_say_more_than_common_ones():
    old = code(OLD)
    new = code(OLD.replace("shipping_cost", "postage"))
    rare = match(new, old, lambda name: 1.0 if name in ("shipping_cost", "postage") else 0.1)
    common = match(new, old, lambda name: 0.1 if name in ("shipping_cost", "postage") else 1.0)
    assert rare is not None
    assert common is not None
    assert rare.names < 0.8 < common.names


def test_the_less_there_is_the_more_names_must_be_the_same():
    short = "def f(a):\n    if a.ready():\n        return g(a, 1)\n    return None\n"
    other = short.replace("ready", "open").replace("g(", "send(").replace("f(", "run(")
    assert found(short, short).score == 1.0
    assert found(other, short).shape == 1.0
    assert found(other, short).score < 0.7


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "def f(a):\n    return a.b\n",
        "TABLE = {\n" + "".join(f'    "k{i}": {i},\n' for i in range(200)) + "}\n",
        "",
    ],
)
def test_what_is_short_or_a_table_is_not_worth_it(text):
    assert not worthwhile(code(text), named=True)


def test_what_is_no_definition_must_be_longer():
    part = "\n".join(OLD.splitlines()[:8])
    assert worthwhile(code(part), named=True)
    assert worthwhile(code(OLD), named=False)
    assert not worthwhile(code("\n".join(OLD.splitlines()[:6])), named=False)


@pytest.mark.long
def test_long_repetitive_code_is_compared_in_bounded_time():
    rows = "".join(f"call({i}, x{i % 7}, y.z[{i}])\nif a{i % 5}:\n    b()\n" for i in range(800))
    assert found(rows, rows).score == 1.0
