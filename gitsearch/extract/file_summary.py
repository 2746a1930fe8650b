"""The first sentence of the documentation at the head of a file, without parsing the file."""

from __future__ import annotations

import re

from gitsearch.extract.comments import cleaned

_READ = 16000  # bytes of the head of a file
_LONG = 120  # characters of a sentence; a longer one is cut

# A block comment, consecutive line comments, or the docstring of a module, in any language.
_COMMENT = re.compile(
    rb"""[ \t]*(?:
        /\*.*?\*/ | \{-.*?-\} | <!--.*?-->
      | (?:[rRuU]|~[sS])?(?P<quote>\"{3}|'{3}).*?(?P=quote)
      | (?: (?://|\#(?=[\s!\#])|--(?=[\s|])|;) [^\n]* (?:\n[ \t]*|$) )+
    )""",
    re.DOTALL | re.VERBOSE,
)
# Code that may stand before the documentation of a file.
_PREAMBLE = re.compile(
    rb"""(?: \s+ | <\?php | ['"]use\ [a-z]+['"];? | package\ [\w.]+;? | \#!\[[^\n]*
    | \#(?:ifndef|define|pragma)\s[^\n]* | defmodule\ [\w.]+\ do | @moduledoc )+""",
    re.VERBOSE,
)
_LEGAL = re.compile(
    rb"copyright|licen[cs]e|spdx|all rights reserved|warrant(?:y|ies)|redistribution",
    re.IGNORECASE,
)
# Comments for tools.
_FOR_TOOLS = re.compile(
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
    """Return the first sentence of a file's documentation, or "".

    The documentation is the first comment or docstring at the head of the file that is neither a
    licence nor for a tool; else the comment directly above the main definition of the file, which
    starts at the offset `own` (0: there is none).
    """
    head = data[: max(_READ, own)]
    at = 0
    while True:
        preamble = _PREAMBLE.match(head, at)
        at = preamble.end() if preamble else at
        comment = _COMMENT.match(head, at)
        if comment is None:
            return _above(head, own) if own else ""
        at = max(comment.end(), at + 1)
        text = _first_sentence(comment[0])
        if text:
            return text


def _above(head: bytes, own: int) -> str:
    """Return the first sentence of the comment above the definition at an offset, or ""."""
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
    return _first_sentence(text) if text.startswith(_DOCUMENTING) else ""


def _first_sentence(comment: bytes) -> str:
    """Return the first sentence of a comment, "" for a licence or a comment for tools."""
    if _LEGAL.search(comment):
        return ""
    lines = comment.strip().split(b"\n")
    first = 0
    while first < len(lines) - 1 and _FOR_TOOLS.match(cleaned(lines[first])):
        first += 1
    text = _LINK.sub(r"\1", _FILE_TAG.sub("", cleaned(b"\n".join(lines[first:]))))
    if not text or text.startswith("@") or _FOR_TOOLS.match(text):
        return ""
    sentence = _SENTENCE.split(text, maxsplit=1)[0]
    if len(sentence) <= _LONG:
        return sentence
    return sentence[: _LONG - 3].rpartition(" ")[0] + "..."
