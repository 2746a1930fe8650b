"""Which words of people are fit to be a query, and in which form."""

from __future__ import annotations

import re

from gitsearch.features.identifiers import identifiers, parts

_SHORTEST, _LONGEST = 14, 300
_FEWEST_WORDS = 3
_LETTERS = 0.78  # least share of letters and blanks
_RUN = 6  # words in a row that are no coincidence

_NO_QUERY = re.compile(
    r"""copyright|licen[cs]e|spdx|all\ rights\ reserved|permission\ is\ hereby|eslint|prettier-
    |no-?lint|noqa|pylint|rubocop:|shellcheck|clang-(?:format|tidy)|istanbul|@ts-|go:generate
    |\btodo\b|\bfixme\b|\bxxx\b|auto-?generated|do\ not\ edit|sourcemapping|vim:|-\*-|type:\ ignore
    |^(?:see|cf\.?)\s""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_SUBJECT = re.compile(
    r"""^(?:merge|bump|release|version|v?\d+\.\d|revert|wip|update\ (?:readme|changelog|dep)
    |fix\ (?:typo|lint|ci|test|build)|typo|chore|ci|docs?|style|tests?)\b
    |changelog|dependabot|copyright|typo|whitespace|\bversion\b|\breadme\b""",
    re.IGNORECASE | re.VERBOSE,
)
_PREFIX = re.compile(r"^\s*(?:\[[^\]]*\]\s*|[\w/.\-]{1,24}(?:\([^)]*\))?!?:\s+)")
_THREAD = re.compile(r"\s*\(?(?:\w+/\w+)?#\d+\)?")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z`<(\"'])")
_LINK = re.compile(r"\{@\w+\s+([^{}]*)\}|\[([^\]]*)\]\([^)]*\)|<[^<>\s][^<>]*>|https?://\S+")
_LETTER = re.compile(r"[^\W\d_]|\s")
_WORD = re.compile(r"[A-Za-z]{2,}")


def plain(text: str) -> str:
    """A text on one line without marks of code and links."""
    text = _LINK.sub(lambda found: found[1] or found[2] or " ", text)
    return " ".join(text.replace("`", "").replace("*", "").split())


def first_sentence(text: str) -> str:
    """What stands before the first end of a sentence."""
    return _SENTENCE.split(text, maxsplit=1)[0]


def fit(text: str) -> bool:
    """Whether a text could be what somebody asks: words, and neither code nor law."""
    if not _SHORTEST <= len(text) <= _LONGEST or _NO_QUERY.search(text):
        return False
    if len(_WORD.findall(text)) < _FEWEST_WORDS or text.endswith((";", "{", "}", "(", ",")):
        return False
    return len(_LETTER.findall(text)) >= _LETTERS * len(text)


def subject(text: str, *, bare: bool) -> str:
    """The subject of a commit as a query, or ""; `bare` takes the prefix ("fix(api):") off."""
    text = _THREAD.sub("", text).strip()
    if _NO_SUBJECT.search(text):
        return ""
    if bare:
        text = _PREFIX.sub("", text)
        if _NO_SUBJECT.search(text):
            return ""
    text = plain(text)
    return text if fit(text) else ""


def words(text: str) -> list[str]:
    """The words of a text as features see them."""
    return [part for one in identifiers(text) for part in parts(one)]


def repeats(query: str, text: str) -> bool:
    """Whether a text holds the query's own words, six in a row (or all of a shorter query)."""
    asked, there = words(query), words(text)
    run = min(_RUN, len(asked))
    if not run:
        return True
    runs = {tuple(there[i : i + run]) for i in range(len(there) - run + 1)}
    return any(tuple(asked[i : i + run]) in runs for i in range(len(asked) - run + 1))
