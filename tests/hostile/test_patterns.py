"""No regular expression of the program takes more than linear time on any text.

Each pattern is run on texts made from its own parse tree by a matcher that counts its steps: twice
the text must take twice the steps. Then `re` itself runs the costliest text of each, 1 MiB long;
and so do functions that scan a text by several patterns, which none of them alone tells anything
of.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import gitsearch
from tests.hostile.adversarial import Text, encoded, texts
from tests.hostile.backtracking import Matcher, TooManySteps
from tests.hostile.inventory import FULLMATCH, MATCH, SEARCH, Use, unlisted, uses

pytestmark = pytest.mark.long

# How often the part of a text that repeats does: at first, and at most.
FEW, MANY = 12, 384
# Steps of so many repeats, less those of half as many, may not differ from the same with half of
# either by more: of work that grows with the text they do not differ at all.
CURVED = 24
# At doubling; linear work has 2, quadratic 4.
RATIO = 2.5
MOST_STEPS = 1_000_000

SIZE = 1 << 20
# Seconds for all that one process runs: a busy machine takes 15, one quadratic pattern hours.
HANG = 60.0
RUN = """
import json, re, sys
jobs = json.load(sys.stdin)
for job in jobs:
    text = job["head"] + job["pump"] * (int(sys.argv[1]) // len(job["pump"])) + job["tail"]
    written = job["pattern"]
    if job["binary"]:
        written, text = written.encode("latin-1"), text.encode("latin-1", "replace")
    pattern = re.compile(written, job["flags"])
    if job["how"] == "search":
        pattern.sub(text[:0], text)
    elif job["how"] == "match":
        at = 0
        while (found := pattern.match(text, at)) is not None and found.end() > at:
            at = found.end()
    else:
        pattern.fullmatch(text)
print(len(jobs))
"""

# What is scanned is shorter: there are many, and a quadratic one takes a minute by itself.
SCANNED = 1 << 17
OPENINGS = (
    *(
        '"\\',
        "'\\",
        "`\\",
        "/* ",
        '""" ',
        "''' ",
        "--[[",
        "{",
        "{- ",
        "-",
        "[",
        "(",
        "a<",
        "a$",
        "a.",
        "a,",
    ),
    *("class ", "func (\n", "export { ", "export const [", "export const ", "async ", "\n", " "),
    *("module.exports = {[", "x = ", "import a as ", "///\n", "# vim:\n", "@a\n", "a\\", "a:"),
)
SCAN = """
import json, sys
from gitsearch.extract.comments import cleaned
from gitsearch.extract.comments import about
from gitsearch.extract.languages import LANGUAGES
from gitsearch.features.lexemes import lexemes
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
from gitsearch.graph.resolvers.php import evaluate_path
from gitsearch.render.convention_summary import gist
pumps = json.load(sys.stdin)
for pump in pumps:
    text = pump * (int(sys.argv[1]) // len(pump))
    for scan in (exports_of, bound_in_go, jvm_type_headers, jvm_declared_names, identifiers):
        scan(text)
    for language in ("python", "rust", "haskell", "lua", "ruby"):
        code_of(text.encode(), language)
    for language in ("java", "lua", "haskell"):
        lexemes(text, LANGUAGES[language].syntax)
    bound_in(text, "python")
    mentions = NameOccurrences(text, go=True)
    mentions.unqualified(["a"]), mentions.qualified(["a"], ["a"]), mentions.aliases
    about(text.encode(), len(text)), cleaned(text.encode()), list(gist(text, 5))
    evaluate_path(text, "a.php")
print(len(pumps))
"""


def steps(matcher: Matcher, use: Use, text: Text, times: int) -> int:
    """How many steps the program's use of a pattern takes, or MOST_STEPS."""
    written: Any = text.repeated(times)
    if isinstance(use.pattern.pattern, bytes):
        written = encoded(written)
    matcher.steps, matcher.limit = 0, MOST_STEPS
    try:
        if use.how == SEARCH:
            matcher.search(written)
        elif use.how == MATCH:
            matcher.tokens(written)
        else:
            matcher.match(written, whole=True)
    except TooManySteps:
        return MOST_STEPS
    return matcher.steps


class Measured(NamedTuple):
    """How the steps grow where a text doubles, and how many there are for one character."""

    growth: float
    density: float
    text: Text


def measured(use: Use, matcher: Matcher, text: Text) -> Measured:
    """Growth is 2 as soon as it is seen to be no more than that."""
    counts = [steps(matcher, use, text, FEW << shift) for shift in range(3)]
    density = counts[-1] / len(text.repeated(FEW << 2))
    if counts[2] - 3 * counts[1] + 2 * counts[0] <= CURVED and counts[2] < MOST_STEPS:
        return Measured(2.0, density, text)
    times, ratio = FEW << 2, RATIO
    while ratio >= RATIO and times < MANY and counts[-1] < MOST_STEPS:
        times *= 2
        counts.append(steps(matcher, use, text, times))
        ratio = counts[-1] / counts[-2]
    return Measured(inf if counts[-1] == MOST_STEPS else ratio, density, text)


def every(use: Use) -> list[Measured]:
    """What was measured with the texts of a pattern, the worst first."""
    matcher = Matcher(use.pattern)
    found = [measured(use, matcher, text) for text in texts(use.pattern)]
    return sorted(found, key=lambda one: (-one.growth, -one.density))


@pytest.fixture(scope="module")
def inventory() -> list[Use]:
    return uses()


@pytest.fixture(scope="module")
def results(inventory: list[Use]) -> dict[Use, list[Measured]]:
    return {use: every(use) for use in inventory}


def test_every_pattern_is_known(inventory):
    assert unlisted() == [], "compile it at the top of the module, or name it in BUILT"
    assert len(inventory) > 180
    assert {SEARCH, MATCH, FULLMATCH} == {use.how for use in inventory}


def test_the_matcher_agrees_with_re_on_every_text(inventory):
    for use in inventory:
        matcher = Matcher(use.pattern)
        for text in texts(use.pattern):
            written: Any = text.repeated(2)
            if isinstance(use.pattern.pattern, bytes):
                written = encoded(written)
            for whole, run in ((False, use.pattern.match), (True, use.pattern.fullmatch)):
                matcher.steps, matcher.limit = 0, MOST_STEPS
                found = run(written)
                expected = None if found is None else found.end()
                assert matcher.match(written, whole=whole) == expected, (use.place, written)


def test_work_grows_with_the_text(results):
    bad = {use.place: some[:3] for use, some in results.items() if some[0].growth >= RATIO}
    assert bad == {}


def test_re_takes_no_longer_than_the_steps_say(results):
    jobs = [_job(use, some[0].text) for use, some in results.items()]
    ran = subprocess.run(
        [sys.executable, "-c", RUN, str(SIZE)],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        timeout=HANG,
        check=True,
    )
    assert int(ran.stdout) == len(jobs)


def test_functions_that_scan_texts_end():
    ran = subprocess.run(
        [sys.executable, "-c", SCAN, str(SCANNED)],
        input=json.dumps(OPENINGS),
        capture_output=True,
        text=True,
        timeout=HANG,
        check=True,
        cwd=Path(gitsearch.__file__).parents[1],
    )
    assert int(ran.stdout) == len(OPENINGS)


def _job(use: Use, text: Text) -> dict[str, Any]:
    written = use.pattern.pattern
    binary = isinstance(written, bytes)
    return {
        **text._asdict(),
        "pattern": written.decode("latin-1") if binary else written,
        "binary": binary,
        "flags": use.pattern.flags,
        "how": use.how,
    }


@pytest.mark.parametrize(
    "pattern",
    [
        r"export (?:const|let) [{\[]([^=]*)[}\]]\s*=",
        r"export \{([^}]*)\}",
        r'"(?:\\.|[^"\\\n])*"',
        r"/\*(?s:.*?)\*/",
        r"\s+$",
        r"\s*=>\s*",
        r"(?:a|a)*b",
        r"(\w+\s?)+;",
        r"[\w.]*\Z",
        r"x*(?>y*)z",
        r"\w+@",
        r"(?<![\w.])[\w$]+;",
    ],
)
def test_a_quadratic_pattern_is_noticed(pattern):
    use = Use(re.compile(pattern), pattern, SEARCH)
    matcher = Matcher(use.pattern)
    assert any(measured(use, matcher, text).growth > RATIO for text in texts(use.pattern))
