"""Source code without its comments and strings, and the names in it.

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

_WORD = re.compile(r"[^\W\d][\w$]*")

# In Java and its like: a type or a keyword and a name, or a constant of an enumeration.
_NAMED = r"(?:\[\])*+\s++([A-Za-z_$][\w$]*+)\s*+[(=;,:{)]"
_MEMBER = re.compile(
    r"(?<![\w.$])(?!(?:return|new|throw|else|case|instanceof|import|package)(?![\w$]))[\w.$]++"
    rf"(?:(<)|{_NAMED})|(?:^|\{{)[^\S\n]*+([A-Z_][A-Z0-9_]*+)\s*(?:[,;({{}}]|$)",
    re.MULTILINE,
)
_BEHIND_ARGUMENTS = re.compile(_NAMED)
# What begins a type; up to its body follow its name and those of what it inherits from.
_TYPE = re.compile(r"\b(?:class|interface|enum|record|object|trait)\b")
_HEADER_END = re.compile(r"[{;]|\Z")
# What the arguments of a type do not contain.
_NO_ARGUMENT = re.compile(r"[;{}()=]|\Z")


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
            end = self._nested_end(self._nested[kind], start)
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

    def _nested_end(self, delimiter: re.Pattern[str], start: int) -> int:
        depth = 0
        for match in delimiter.finditer(self._text, start):
            depth += 1 if match[1] else -1
            if not depth:
                return match.end()
        return 0

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


def identifiers(code: str) -> frozenset[str]:
    """The names in a text."""
    return frozenset(_WORD.findall(code))


def jvm_declared_names(code: str) -> frozenset[str]:
    """The names that a text of Java and its like seems to declare."""
    found: set[str] = set()
    at = known = 0
    behind = None
    while (one := _MEMBER.search(code, at)) is not None:
        at = one.end()
        if one[1] and at >= known:
            known = _NO_ARGUMENT.search(code, at).end()  # type: ignore[union-attr]
            behind = _behind_arguments(code, at, known)
        if one[1] and behind is not None and behind.start() > at:
            at = behind.end()
            found.add(behind[1])
        found.update(filter(None, one.group(2, 3)))
    return frozenset(found)


def _behind_arguments(code: str, start: int, end: int) -> re.Match[str] | None:
    """The last name in a range with the end of a type's arguments before it, or None."""
    while (bracket := code.rfind(">", start, end)) >= 0:
        found = _BEHIND_ARGUMENTS.match(code, bracket + 1)
        if found is not None:
            return found
        end = bracket
    return None


def jvm_type_headers(code: str) -> list[str]:
    """Return the declarations of types, without their bodies, of a text in Java or the like."""
    found = []
    at = 0
    while (start := _TYPE.search(code, at)) is not None:
        at = _HEADER_END.search(code, start.end()).start()  # type: ignore[union-attr]
        if code.startswith("{", at):
            found.append(code[start.end() : at])
    return found
