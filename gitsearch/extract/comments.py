"""The text of documentation comments and docstrings, without their markers.

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
