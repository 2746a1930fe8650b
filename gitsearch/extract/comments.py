"""What the comments and strings that document a definition say, without their markers."""

from __future__ import annotations

import re
from bisect import bisect_right

# A comment ("comment"), a documenting string ("doc") or what may stand between one and its
# definition or in it before its first word ("attribute"): start, end, role.
Remark = tuple[int, int, str]

_DOC = 300  # characters of a doc
_READ = 4000  # bytes looked at for them
# What is looked at around a definition is bounded: a line may be as long as the file.
_PREFIX = 1000  # bytes of its line before it
_GAP = 500  # bytes of white space around comments and attributes
_LINES = 200  # comments that are read above one definition

_LEAD = re.compile(
    r"""\s*(?:/\*+[!<]?|\*+/|\*(?!\*)|//+[!/<]*|\#+!?:?|--+\s?[|^]?|;+|%+|\{-+\s?\|?|-\}|<!--)?\s?"""
)
# What ends a comment, and what may be repeated before it.
_TAILS = (("*/", "*"), ("-}", "-"), ("-->", ""))
_QUOTES = re.compile(r"""^(?:[A-Za-z]{0,2}|~[a-zA-Z])("{3}|'{3}|"|'|`)(.*?)\1?$""", re.DOTALL)
_REFERENCE = re.compile(r"""<see(?:also)? \w+="([^"]*)"\s*/>""")
_MARKUP = re.compile(
    r"</?(?:summary|remarks|para|p|b|i|em|strong|code|c|pre|br|tt|inheritdoc|see|example)\b[^<>]*>"
)
_TAG = re.compile(r"\s*(?:@\w|[\\]\w|:\w[^:\n]*+:|<(?:param|returns|typeparam|exception)\b)")
_BEFORE = re.compile(rb"[^,;{}]*")


class Remarks:
    """All comments of a text; tells which of them document a definition."""

    def __init__(self, data: bytes, remarks: list[Remark]) -> None:
        self._data = data
        self._remarks = sorted(set(remarks))
        self._starts = [start for start, _, _ in self._remarks]
        self._attributes = {
            start: end for start, end, role in self._remarks if role == "attribute"
        }

    def above(self, start: int) -> str:
        """The text of the comments directly above a definition that starts here, or ""."""
        data = self._data
        line = self._line(start)
        if line < 0 or (line < start and not _BEFORE.fullmatch(data, line, start)):
            return ""
        texts: list[bytes] = []
        at = line
        i = bisect_right(self._starts, line)
        for each in range(i - 1, max(i - _LINES, 0) - 1, -1):
            begin, end, role = self._remarks[each]
            if begin >= at:
                continue
            at = self._adjoining(begin, end, at)
            if at < 0:
                break
            if role == "attribute":
                continue
            text = data[begin : min(end, begin + _READ)].rstrip()
            texts.append(text)
            # Of several blocks or strings the nearest is meant; single lines go on.
            if role == "doc" or text.startswith((b"/*", b"{-", b"=begin")):
                break
        return cleaned(b"\n".join(reversed(texts))) if texts else ""

    def past_attributes(self, start: int) -> int:
        """Where a definition that starts here goes on behind its attributes."""
        while start in self._attributes:
            end = self._attributes[start]
            gap = self._data[end : end + _GAP]
            start = end + len(gap) - len(gap.lstrip())
        return start

    def _adjoining(self, begin: int, end: int, at: int) -> int:
        """Where the line of a remark starts, or -1 when more is between it and this offset.

        It must stand alone on its line, and only blanks and one line end may follow it.
        """
        if at - end >= _GAP:
            return -1
        tail = self._data[max(begin, end - _GAP) : end]
        end -= len(tail) - len(tail.rstrip())  # in some grammars white space is part of it
        if end > at or at - end >= _GAP:
            return -1
        gap = self._data[end:at]
        if gap.strip() or gap.count(b"\n") > 1:
            return -1
        line = self._line(begin)
        return -1 if self._data[line:begin].strip() else line

    def _line(self, offset: int) -> int:
        """Where the line of an offset starts, or -1 when it is long before."""
        low = max(offset - _PREFIX, 0)
        found = self._data.rfind(b"\n", low, offset)
        return found + 1 if found >= 0 or low == 0 else -1


def cleaned(raw: bytes) -> str:
    """The first paragraph of a comment or string on one line, its markers stripped."""
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
    """A line of a comment without its markers."""
    lead = _LEAD.match(line)
    bare = line[lead.end() :] if lead else line
    text = bare.rstrip()
    for tail, repeated in _TAILS:
        if text.endswith(tail):
            return text.removesuffix(tail).rstrip(repeated).rstrip()
    return bare
