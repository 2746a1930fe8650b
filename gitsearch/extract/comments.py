"""The text of documentation comments and docstrings, without their markers; that of a file.

The markers of all languages are recognised in any text. They include what the comment syntax in
the table of languages does not describe: forms for documentation, such as `///` and `-- |`, and
the start of each line in a block comment.
"""

from __future__ import annotations

import re
from bisect import bisect_right

# Start, end and role of a comment ("comment"), a docstring ("doc"), or a decorator or annotation
# ("attribute"), which may stand between a comment and its definition.
Remark = tuple[int, int, str]

_DOC = 300  # characters of the text of a comment
_READ = 4000  # bytes of a comment that are read for it
# The text around a definition is read up to a limit: a line may be as long as the file.
_PREFIX = 1000  # bytes before a definition on its line
_GAP = 500  # bytes of white space around comments and attributes
_LINES = 200  # comments above one definition

_LEAD = re.compile(
    r"""\s*(?:/\*+[!<]?|\*+/|\*(?!\*)|//+[!/<]*|\#+!?:?|--+\s?[|^]?|;+|%+|\{-+\s?\|?|-\}|<!--)?\s?"""
)
# The end of a block comment, and a character that may be repeated before it.
_TAILS = (("*/", "*"), ("-}", "-"), ("-->", ""))
_QUOTES = re.compile(r"""^(?:[A-Za-z]{0,2}|~[a-zA-Z])("{3}|'{3}|"|'|`)(.*?)\1?$""", re.DOTALL)
_REFERENCE = re.compile(r"""<see(?:also)? \w+="([^"]*)"\s*/>""")
_MARKUP = re.compile(
    r"</?(?:summary|remarks|para|p|b|i|em|strong|code|c|pre|br|tt|inheritdoc|see|example)\b[^<>]*>"
)
_TAG = re.compile(r"\s*(?:@\w|[\\]\w|:\w[^:\n]*+:|<(?:param|returns|typeparam|exception)\b)")
_BEFORE = re.compile(rb"[^,;{}]*")


class Remarks:
    """All comments of a text, with a search for those that document a definition."""

    def __init__(self, data: bytes, remarks: list[Remark]) -> None:
        self._data = data
        self._remarks = sorted(set(remarks))
        self._starts = [start for start, _, _ in self._remarks]
        self._attributes = {
            start: end for start, end, role in self._remarks if role == "attribute"
        }

    def above(self, start: int) -> str:
        """Return the text of the comments directly above the definition at an offset, or ""."""
        data = self._data
        line = self._line(start)
        if line < 0 or (line < start and not _BEFORE.fullmatch(data, line, start)):
            return ""
        texts: list[bytes] = []
        at = line
        i = bisect_right(self._starts, line)
        for index in range(i - 1, max(i - _LINES, 0) - 1, -1):
            begin, end, role = self._remarks[index]
            if begin >= at:
                continue
            at = self._adjoining(begin, end, at)
            if at < 0:
                break
            if role == "attribute":
                continue
            text = data[begin : min(end, begin + _READ)].rstrip()
            texts.append(text)
            # Only the nearest block or docstring counts; line comments continue each other.
            if role == "doc" or text.startswith((b"/*", b"{-", b"=begin")):
                break
        return cleaned(b"\n".join(reversed(texts))) if texts else ""

    def past_attributes(self, start: int) -> int:
        """Return the offset of a definition behind the attributes that it starts with."""
        while start in self._attributes:
            end = self._attributes[start]
            gap = self._data[end : end + _GAP]
            start = end + len(gap) - len(gap.lstrip())
        return start

    def _adjoining(self, begin: int, end: int, at: int) -> int:
        """Return the start of the line of a remark directly above the offset `at`, or -1.

        It must be alone on its line, with only white space and one line end up to `at`.
        """
        if at - end >= _GAP:
            return -1
        tail = self._data[max(begin, end - _GAP) : end]
        end -= len(tail) - len(tail.rstrip())  # some grammars include white space
        if end > at or at - end >= _GAP:
            return -1
        gap = self._data[end:at]
        if gap.strip() or gap.count(b"\n") > 1:
            return -1
        line = self._line(begin)
        return -1 if self._data[line:begin].strip() else line

    def _line(self, offset: int) -> int:
        """Return the start of the line of an offset, -1 if it is over _PREFIX bytes before."""
        low = max(offset - _PREFIX, 0)
        newline = self._data.rfind(b"\n", low, offset)
        return newline + 1 if newline >= 0 or low == 0 else -1


def cleaned(raw: bytes) -> str:
    """Return the first paragraph of a comment or docstring as one line, without markers."""
    text = raw[:_READ].decode("utf-8", "replace").strip()
    if not text:
        return ""
    quoted = _QUOTES.match(text)
    if quoted:
        text = quoted[2]
    if "<" in text:
        text = _MARKUP.sub("", _REFERENCE.sub(r"\1", text))
    words: list[str] = []
    for line in text.split("\n"):
        bare = line if quoted else _bare(line)
        blank = not any(map(str.isalnum, bare))
        if words and (blank or _TAG.match(bare)):
            break
        if not blank:
            words += bare.split()
    return " ".join(words)[:_DOC].rstrip()


def _bare(line: str) -> str:
    """Strip the comment markers from one line."""
    lead = _LEAD.match(line)
    bare = line[lead.end() :] if lead else line
    text = bare.rstrip()
    for tail, repeated in _TAILS:
        if text.endswith(tail):
            return text.removesuffix(tail).rstrip(repeated).rstrip()
    return bare


# ---------------------------------------------------------------- of a whole file

_HEAD = 16000  # bytes of the head of a file
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
    head = data[: max(_HEAD, own)]
    at = 0
    while True:
        preamble = _PREAMBLE.match(head, at)
        at = preamble.end() if preamble else at
        comment = _COMMENT.match(head, at)
        if comment is None:
            return _sentence_above(head, own) if own else ""
        at = max(comment.end(), at + 1)
        text = _first_sentence(comment[0])
        if text:
            return text


def _sentence_above(head: bytes, own: int) -> str:
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
