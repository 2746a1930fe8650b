"""The small evaluator of expressions agrees with GitHub's manual, and refuses the rest."""

import pytest

from tests.ci.composite import commands, outputs
from tests.ci.expressions import filled, holds, value

CONTEXTS = {
    "inputs": {"a": "true", "b": ""},
    "steps": {"one": {"outputs": {"cache-hit": "True"}}},
    "failed": False,
}


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("inputs.a", "true"),
        ("inputs.a == 'true'", True),
        ("inputs.a != 'true'", False),
        ("steps.one.outputs.cache-hit == 'true'", True),
        ("steps.none.outputs.x", None),
        ("steps.none.outputs.x == ''", True),
        ("inputs.b || 'x'", "x"),
        ("inputs.a && 'x'", "x"),
        ("!inputs.b && (inputs.b == '' || inputs.a == 'no')", True),
        ("'it''s'", "it's"),
    ],
)
def test_an_expression_has_its_value(expression, result):
    assert value(expression, CONTEXTS) == result


@pytest.mark.parametrize("expression", ["inputs.a +", "fromJSON('1')", "'open", "(inputs.a"])
def test_what_is_not_known_is_an_error(expression):
    with pytest.raises((SyntaxError, IndexError, KeyError)):
        value(expression, CONTEXTS)


def test_a_failed_step_ends_those_that_do_not_ask():
    failed = {**CONTEXTS, "failed": True}
    assert not holds("inputs.a == 'true'", failed)
    assert holds("always() && inputs.a == 'true'", failed)
    assert filled("${{ inputs.a }}-${{ steps.one.outputs.x }}.", CONTEXTS) == "true-."


def test_outputs_are_read_in_both_forms():
    assert dict(outputs("a=1\nb<<E\n2\n3\nE\nc=x<<y\n")) == {"a": "1", "b": "2\n3", "c": "x<<y"}


def test_commands_between_stop_and_its_token_are_none():
    log = "::notice::a\nx ::notice::b\n::stop-commands::t\n::notice::c\n##[group]\n::t::\ny ##[d]e"
    assert list(commands(log)) == ["::notice::a", "y ##[d]e"]
