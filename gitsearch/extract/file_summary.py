"""What a file says of itself at its head: the first sentence, without parsing it."""

from __future__ import annotations

import re

from gitsearch.extract.comments import cleaned

_READ = 16000  # bytes in which it is looked for
_LONG = 120  # characters of a sentence

# A block, consecutive lines of comments, or a string that documents a module.
_COMMENT = re.compile(
    rb"""[ \t]*(?:
        /\*.*?\*/ | \{-.*?-\} | <!--.*?-->
      | (?:[rRuU]|~[sS])?(?P<quote>\"{3}|'{3}).*?(?P=quote)
      | (?: (?://|\#(?=[\s!\#])|--(?=[\s|])|;) [^\n]* (?:\n[ \t]*|$) )+
    )""",
    re.DOTALL | re.VERBOSE,
)
# What may stand before the head without ending it.
_TRIFLE = re.compile(
    rb"""(?: \s+ | <\?php | ['"]use\ [a-z]+['"];? | package\ [\w.]+;? | \#!\[[^\n]*
    | \#(?:ifndef|define|pragma)\s[^\n]* | defmodule\ [\w.]+\ do | @moduledoc )+""",
    re.VERBOSE,
)
_LEGAL = re.compile(
    rb"copyright|licen[cs]e|spdx|all rights reserved|warrant(?:y|ies)|redistribution",
    re.IGNORECASE,
)
# What is meant for tools.
_ORDER = re.compile(
    r"""(?:!|-\*-|vim?:|coding[:=]|eslint|prettier|jshint|jslint|tslint|istanbul|@ts-|@jsx|@flow
    |global\s|<reference|go:|\+build|nolint|type:|mypy:|pylint|flake8|ruff|noqa|isort|fmt:
    |todo|fixme|frozen_string_literal|shellcheck|rubocop|/(?:usr/)?bin/|region|checkstyle|clang-)""",
    re.VERBOSE | re.IGNORECASE,
)
_FILE_TAG = re.compile(r"[@\\](?:file|fileoverview|module|brief|packageDocumentation)\b\s*")
_DOCUMENTING = (b"/**", b"///", b"/*!", b"//!")
_LINK = re.compile(r"\{@\w++\s++([^{}]*+)\}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`<(\"'])")


def about(data: bytes, own: int = 0) -> str:
    """The first sentence of a file's documentation, or "".

    That is the first comment or string at its head which is neither a licence nor meant for a
    tool; else the documentation directly above `own`, where the one definition starts that the
    file is about (0: there is none).
    """
    head = data[: max(_READ, own)]
    at = 0
    while (match := _COMMENT.match(head, at := _past_trifles(head, at))) is not None:
        at = max(match.end(), at + 1)
        text = _told(match[0])
        if text:
            return text
    return _above(head, own) if own else ""


def _past_trifles(head: bytes, at: int) -> int:
    match = _TRIFLE.match(head, at)
    return match.end() if match else at


def _above(head: bytes, own: int) -> str:
    """What documents the definition that starts here."""
    before = head[:own].rstrip()
    if before.endswith(b"*/"):
        start = before.rfind(b"/*")
    else:
        start = len(before)
        while (line := before.rfind(b"\n", 0, start)) >= 0 and before[line + 1 : start].lstrip(
            b" \t"
        ).startswith(b"///"):
            start = line
    text = before[max(start, 0) :].strip()
    return _told(text) if text.startswith(_DOCUMENTING) else ""


def _told(comment: bytes) -> str:
    """The first sentence of a comment; nothing of one that is about rights or for tools."""
    if _LEGAL.search(comment):
        return ""
    lines = comment.strip().split(b"\n")
    first = 0
    while first < len(lines) - 1 and _ORDER.match(cleaned(lines[first])):
        first += 1
    text = _LINK.sub(r"\1", _FILE_TAG.sub("", cleaned(b"\n".join(lines[first:]))))
    if not text or text.startswith("@") or _ORDER.match(text):
        return ""
    sentence = _SENTENCE.split(text, maxsplit=1)[0]
    if len(sentence) <= _LONG:
        return sentence
    return sentence[: _LONG - 3].rpartition(" ")[0] + "..."
