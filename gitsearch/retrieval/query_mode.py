"""The mode of a search, by the form of its query: a pattern of code, exact text, or words."""

from __future__ import annotations

import re
from typing import NamedTuple

from gitsearch.settings import HYBRID, LITERAL, STRUCTURAL

# Metavariables of ast-grep: $X for a node, $$$ or $$$ARGS for any number of them.
_SEVERAL_NODES = re.compile(r"\${3}(?:[A-Z_]|(?!\w))")
_METAVARIABLE = re.compile(r"(?<![\w$])\$[A-Z_][A-Z0-9_]*\b")
# Shell variables have the form of metavariables: $HOME alone is no pattern of code.
_CODE = re.compile(r"[(){}\[\];=<>+*/%&|!,]|\w\.\$|\$\w+\.\w")
_QUOTED = re.compile(r"""(?P<quote>["'`])(?P<text>(?:(?!(?P=quote)).)+)(?P=quote)""", re.DOTALL)
# Signs that prose and code hardly have together with their meaning in a regular expression.
_REGULAR_EXPRESSION = re.compile(
    r"""\\[bBdDsSwW.(\[*+?|^$]      # a class, an anchor or an escape
    | \.[*+]\S                      # anything, repeated
    | \[\^?-?[^][\s-]+-[^][\s]*+\]    # a range of characters
    | \[[^][\s]++\][*+?{]           # a class, repeated
    | \w\|\w | \([^()\s]*\|[^()\s]*\)
    | ^\^\S | \S\$$""",
    re.VERBOSE,
)


class Detected(NamedTuple):
    """The mode for a query, its text in that mode, why, and what else it may be meant as."""

    mode: str
    text: str
    reason: str
    advice: str = ""


def detect(text: str) -> Detected:
    """Choose the mode by the form of a query; where that is doubtful, words and meaning."""
    several, metavariable = _SEVERAL_NODES.search(text), _METAVARIABLE.search(text)
    if several or (metavariable and _CODE.search(text)):
        return Detected(STRUCTURAL, text, "it has metavariables")
    if quoted := _QUOTED.fullmatch(text):
        return Detected(LITERAL, quoted["text"], "it is in quotes")
    advice = ""
    if metavariable:
        advice = "if $ stands for any code: --mode structural"
    elif _REGULAR_EXPRESSION.search(text):
        advice = "if this is a regular expression: -E"
    return Detected(HYBRID, text, "", advice)
