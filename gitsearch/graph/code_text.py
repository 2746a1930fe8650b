"""What a text says to the compiler: without comments, and without what stands in quotes.

The time for a text of any kind grows with its length: no pattern reads the same part again for
each place where something begins that never ends.
"""

from __future__ import annotations

import re

# Comments begin with `#` there; elsewhere with `//`.
_HASH = frozenset({"python", "ruby", "bash", "elixir"})

# What a comment or a string may begin with.
_OPENINGS = {
    **dict.fromkeys(_HASH, re.compile(r"\"\"\"|'''|[\"'#]")),
    "": re.compile(r"[\"']|//|/\*"),
}
_DOUBLE = re.compile(r'"(?:\\.|[^"\\\n])*+"').match
_SINGLE = re.compile(r"'(?:\\.|[^'\\\n])*+'").match
# of a lifetime there is only one quote
_CHARACTER = re.compile(r"'(?:\\.|[^'\\\n])'").match
# What ends a comment or string of several lines.
_ENDINGS = {"/*": "*/", '"""': '"""', "'''": "'''"}

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
    """The text with blanks for comments and strings; lines stay where they are."""
    return _Blanked(text.decode("utf-8", "surrogateescape"), language).code()


class _Blanked:
    """Takes comments and strings out of one text.

    What is never closed is code. So that nothing is looked for again and again, each opening has
    a position up to which it is known to have no end.
    """

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._opening = _OPENINGS.get(language, _OPENINGS[""])
        self._quotes = {'"': _DOUBLE, "'": _CHARACTER if language == "rust" else _SINGLE}
        self._open_until = dict.fromkeys([*_ENDINGS, *self._quotes], 0)

    def code(self) -> str:
        """The code between them."""
        text, kept, at = self._text, 0, 0
        pieces: list[str] = []
        while (opening := self._opening.search(text, at)) is not None:
            start, at = opening.span()
            end = self._end(opening[0], start)
            if end > start:
                pieces += (text[kept:start], " ", "\n" * text.count("\n", start, end))
                kept = at = end
        return "".join((*pieces, text[kept:]))

    def _end(self, opening: str, start: int) -> int:
        """Where what begins here ends, or 0."""
        if opening in ("#", "//"):
            return self._line_end(start)
        end = self._closed(opening, start) if opening in _ENDINGS else 0
        return end or (self._quoted(opening[0], start) if opening[0] in self._quotes else 0)

    def _closed(self, opening: str, start: int) -> int:
        if start < self._open_until[opening]:
            return 0
        ending = _ENDINGS[opening]
        found = self._text.find(ending, start + len(opening))
        if found < 0:
            self._open_until[opening] = len(self._text)
            return 0
        return found + len(ending)

    def _quoted(self, quote: str, start: int) -> int:
        """A string that is not closed on its line closes for no quote inside it, either."""
        if start < self._open_until[quote]:
            return 0
        match = self._quotes[quote]
        found = match(self._text, start)
        if found is None:
            if match is not _CHARACTER:
                self._open_until[quote] = self._line_end(start)
            return 0
        return found.end()

    def _line_end(self, start: int) -> int:
        found = self._text.find("\n", start)
        return found if found >= 0 else len(self._text)


def words_of(code: str) -> frozenset[str]:
    """The names in a text."""
    return frozenset(_WORD.findall(code))


def members_of(code: str) -> frozenset[str]:
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


def headers_of(code: str) -> list[str]:
    """What a text of Java and its like says of its types before their bodies."""
    found = []
    at = 0
    while (start := _TYPE.search(code, at)) is not None:
        at = _HEADER_END.search(code, start.end()).start()  # type: ignore[union-attr]
        if code.startswith("{", at):
            found.append(code[start.end() : at])
    return found
