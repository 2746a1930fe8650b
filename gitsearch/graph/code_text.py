"""Source code without its comments and strings.

The time is linear in the length of any text: where a comment or string is never closed, the text
behind it is not scanned again for each further place where one opens.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from gitsearch.extract.languages import LANGUAGES

if TYPE_CHECKING:
    from gitsearch.records import LexicalSyntax

_DOUBLE = re.compile(r'"(?:\\.|[^"\\\n])*+"').match
_SINGLE = re.compile(r"'(?:\\.|[^'\\\n])*+'").match
# A lifetime has only one quote.
_CHARACTER = re.compile(r"'(?:\\.|[^'\\\n])'").match


def nested_end(delimiter: re.Pattern[str], text: str, start: int) -> int:
    """Return the end of the block that opens first, or 0 if it is not closed.

    delimiter: matches both ends of a block; its group 1 matches where one opens.
    """
    depth = 0
    for match in delimiter.finditer(text, start):
        depth += 1 if match[1] else -1
        if not depth:
            return match.end()
    return 0


def code_of(text: bytes, language: str) -> str:
    """Return the decoded text with blanks for comments and strings; line numbers stay the same."""
    return _Blanker(text.decode("utf-8", "surrogateescape"), language).code()


class _Delimiters:
    """The compiled comment and string delimiters of one language.

    In `opening`, the name of the group that matched is "line", "quote", or "b" and a position in
    `ends`.
    """

    def __init__(self, syntax: LexicalSyntax) -> None:
        blocks = [(re.escape(quote), quote) for quote in syntax.triple_quotes]
        blocks += syntax.block_comments
        self.ends = {f"b{number}": end for number, (_, end) in enumerate(blocks)}
        # Blocks come first: in Lua the start of a block comment is a line comment, too.
        patterns = [f"(?P<b{number}>{start})" for number, (start, _) in enumerate(blocks)]
        line = "|".join(syntax.line_comments)
        if line:
            patterns.append(f"(?P<line>{line})")
        patterns.append("(?P<quote>[\"'])")
        self.opening = re.compile("|".join(patterns), re.MULTILINE)
        self.line = re.compile(line, re.MULTILINE) if line else None
        self.quotes = {'"': _DOUBLE, "'": _CHARACTER if syntax.character else _SINGLE}
        # Only block comments nest; for each, both of its delimiters.
        self.nested = {
            f"b{number}": re.compile(f"({start})|{re.escape(end)}", re.MULTILINE)
            for number, (start, end) in enumerate(blocks)
            if syntax.nested and end not in syntax.triple_quotes
        }


@cache
def _delimiters(language: str) -> _Delimiters:
    return _Delimiters(LANGUAGES[language].syntax)


class _Blanker:
    """Removes comments and strings from one text.

    A comment or string that is never closed is code. For each delimiter, `_open_until` is the
    offset before which no comment or string with this delimiter is closed, so that no part of the
    text is searched twice for its end.
    """

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._delimiters = _delimiters(language)
        self._open_until = dict.fromkeys([*self._delimiters.ends, *self._delimiters.quotes], 0)
        self._nested = dict(self._delimiters.nested)

    def code(self) -> str:
        """Return the code between comments and strings."""
        text, kept, at = self._text, 0, 0
        pieces: list[str] = []
        while (opening := self._delimiters.opening.search(text, at)) is not None:
            start, at = opening.span()
            end = self._end(opening)
            if end > start:
                pieces += (text[kept:start], " ", "\n" * text.count("\n", start, end))
                kept = at = end
        return "".join((*pieces, text[kept:]))

    def _end(self, opening: re.Match[str]) -> int:
        """Return the end of the comment or string that starts here, or 0 if it is not closed."""
        kind, start = opening.lastgroup or "", opening.start()
        if kind == "line":
            return self._line_end(start)
        end = self._block_end(kind, opening) if kind in self._delimiters.ends else 0
        if end:
            return end
        if opening[0][0] in self._delimiters.quotes:
            return self._string_end(opening[0][0], start)
        line = self._delimiters.line
        return self._line_end(start) if line and line.match(self._text, start) else 0

    def _block_end(self, kind: str, opening: re.Match[str]) -> int:
        start, behind = opening.span()
        if start < self._open_until[kind]:
            return 0
        if kind in self._nested:
            end = nested_end(self._nested[kind], self._text, start)
            if end:
                return end
            # After one that is never closed, block comments of this text do not nest.
            del self._nested[kind]
        ending = self._delimiters.ends[kind]
        end = self._text.find(ending, behind)
        if end < 0:
            self._open_until[kind] = len(self._text)
            return 0
        return end + len(ending)

    def _string_end(self, quote: str, start: int) -> int:
        # Where a string is not closed on its line, no quote behind it on that line closes, either.
        if start < self._open_until[quote]:
            return 0
        pattern = self._delimiters.quotes[quote]
        match = pattern(self._text, start)
        if match is None:
            if pattern is not _CHARACTER:
                self._open_until[quote] = self._line_end(start)
            return 0
        return match.end()

    def _line_end(self, start: int) -> int:
        end = self._text.find("\n", start)
        return end if end >= 0 else len(self._text)
