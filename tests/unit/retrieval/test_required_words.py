"""What a pattern requires is in every line that it matches."""

import re
from random import Random

import pytest

from gitsearch.features.identifiers import compound
from gitsearch.retrieval.required_words import (
    NOTHING,
    All,
    Any,
    Run,
    required_by_expression,
    required_by_text,
)

ATOMS = (
    "a",
    "b",
    "_",
    "B",
    " ",
    "(",
    "-",
    ".",
    "[ab]",
    "[^a]",
    "(a|b )",
    "(ab)",
    "(b|)",
    "\\.",
    "^",
    "$",
)
OF_PERL = (
    *ATOMS,
    "(?:ab)",
    "(?:a|b_)",
    "(?=b)",
    "(?<!a)",
    "\\x61",
    "\\141",
    "[\\]a]",
    "[^\\]b]",
    "\\w",
    "(?P<n>a)",
)
SUFFIXES = ("", "", "", "*", "+", "?", "{2}", "{0,1}", "{1,}", "{,2}", "**")


def holds(requirement, line):
    """Whether a line meets a requirement, by the words of it."""
    if isinstance(requirement, Run):
        words = [compound(word) for word in re.findall(r"\w+", line)]
        return any(
            requirement.text in word
            and (not requirement.starts or word.startswith(requirement.text))
            and (not requirement.ends or word.endswith(requirement.text))
            for word in words
        )
    found = [holds(part, line) for part in requirement.parts]
    return any(found) if isinstance(requirement, Any) else all(found)


@pytest.mark.parametrize("perl", [False, True])
def test_whatever_matches_has_what_is_required(perl):
    random = Random(7)
    checked = told = 0
    lines = ["".join(random.choices("abAB_ .-(", k=random.randint(0, 12))) for _ in range(300)]
    for _ in range(1500):
        text = "".join(
            random.choice(OF_PERL if perl else ATOMS)
            + random.choice((*SUFFIXES, "*?", "++") if perl else SUFFIXES)
            for _ in range(random.randint(1, 6))
        )
        try:
            pattern = re.compile(text)
        except re.error:
            required_by_expression(text, perl=perl)
            continue
        for word in (False, True):
            requirement = required_by_expression(text, word=word, perl=perl)
            told += requirement != NOTHING
            for line in lines:
                if any(_counts(match, line, word) for match in pattern.finditer(line)):
                    checked += 1
                    assert holds(requirement, line), (text, line, requirement)
    assert checked > 1000
    assert told > 300


def _counts(match, line, word):
    """Whether git would take a match, with -w: between characters that are no word characters."""
    if not word:
        return True
    around = line[: match.start()][-1:] + line[match.end() :][:1]
    return match.end() > match.start() and not re.search(r"\w", around)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fooBar(", Run("foobar", starts=False, ends=True)),
        (".max_retries = ", Run("maxretries", starts=True, ends=True)),
        ("na\u00efve", All((Run("na"), Run("ve")))),
        ("a b\nc", Any((All((Run("a", ends=True), Run("b", starts=True))), Run("c")))),
        ("__", NOTHING),
        ("", NOTHING),
        ("x\n", NOTHING),
    ],
)
def test_runs_of_a_text(text, expected):
    assert required_by_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("^class Foo$", All((Run("class", True, True), Run("foo", True, True)))),
        ("(get|set)Name\\(", All((Run("name", False, True), Any((Run("get"), Run("set")))))),
        ("retry|", NOTHING),
        ("fo*bar", All((Run("bar"), Run("f")))),
        ("foo\\w+bar\\b", All((Run("foo"), Run("bar")))),
        ("[[:alpha:]]+_id", Run("id")),
        ("(" * 60 + "a" + ")" * 60, NOTHING),
        ("(a", NOTHING),
        ("*a", NOTHING),
        ("a{2", NOTHING),
    ],
)
def test_runs_of_an_expression(text, expected):
    assert required_by_expression(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(?<=def )needle(?!s)\\d", Run("needle")),
        ("(?:get|set)Name", All((Run("name"), Any((Run("get"), Run("set")))))),
        ("[\\]x]+cache", Run("cache")),
        ("foo\\Kbar", NOTHING),
        ("foo\\x41", NOTHING),
        ("\\Qa\\E", NOTHING),
        ("[\\Qa]b\\E]c", NOTHING),
        ("(?i)foo", NOTHING),
        ("(*UTF)foo", NOTHING),
        ("a[[:b]|c:]d]", NOTHING),
    ],
)
def test_runs_of_an_expression_of_perl(text, expected):
    assert required_by_expression(text, perl=True) == expected


def test_a_whole_word_is_closed_on_both_sides():
    assert required_by_text("retry", word=True) == Run("retry", starts=True, ends=True)
    assert required_by_expression("retr(y|ies)x", word=True) == All(
        (Run("retr", starts=True), Run("x", ends=True), Any((Run("y"), Run("ies"))))
    )
