"""A lexer for all languages, without a grammar, for the comparison of code.

Comments and white space are left out. Two copies of the same code must be split alike; each split
need not be right: a string that is split in two is split in both copies.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple

from gitsearch.records import LexicalSyntax

# The shapes of names, numbers and strings; any other lexeme is its own shape.
NAME, NUMBER, STRING = "a name", "a number", "a string"


class Lexemes(NamedTuple):
    """The lexemes of a text in order: the shape, the text and the line number of each."""

    shapes: list[str]
    texts: list[str]
    lines: list[int]


# Keywords of any language. They are part of the shape of code, since renaming cannot yield them.
_KEYWORDS = """
    if else elif elsif elseif unless for foreach while until loop do done break continue next
    redo return yield await async switch case when match default fallthrough goto try catch
    except rescue finally ensure raise throw throws with defer using in is not and or xor new
    delete del def fn func fun function lambda proc sub class struct enum union interface trait
    impl protocol extension type typedef typeof instanceof sizeof namespace module package
    import from export use require include mod crate pub public private protected internal
    static final const constexpr let var val mut ref move override virtual abstract sealed
    extends implements where as begin end then fi esac local global nonlocal null nil none None
    true false True False self this super void int long short char bool boolean float double
    unsigned signed string go chan select range map defmodule defp defmacro pass assert inline
    extern register volatile unsafe dyn
"""
KEYWORDS = frozenset(_KEYWORDS.split())

_CHARACTER = r"'(?:\\[^'\n]++|[^'\\\n])'"
_TRIPLE_QUOTES = ('"""', "'''")
_TRIPLE_QUOTED = r"\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)"
# The text between two quotes; if the second one is missing, the first is a lexeme by itself.
_INSIDE = {'"': r'(?:\\.|[^"\\\n])*+', "'": r"(?:\\.|[^'\\\n])*+", "`": r"(?:\\.|[^`\\])*+"}
_REST = r"\d[\w.]*|[^\W\d]\w*|\n|=>|->|::|\.\.\.|&&|\|\||[<>=!:+-]=|\+\+|--|\S"
_NEVER = r"(?!)"
_FLAGS = re.DOTALL | re.MULTILINE


class _Lexer:
    """The lexer for one lexical syntax.

    Block comments end at the first end delimiter, also where the language nests them.
    """

    def __init__(self, syntax: LexicalSyntax) -> None:
        comments = [rf"{start}.*?(?:{re.escape(end)}|\Z)" for start, end in syntax.block_comments]
        comments += [rf"{start}[^\n]*" for start in syntax.line_comments]
        self._comment = re.compile("|".join(comments) or _NEVER, _FLAGS)
        character = (_CHARACTER,) if syntax.character else ()
        quotes = '"`' if character else "\"'`"
        self._inside = {quote: re.compile(_INSIDE[quote], re.DOTALL).match for quote in quotes}
        self._patterns = {}
        for count in range(len(quotes) + 1):
            for unclosed in combinations(quotes, count):
                closed = [f"{q}{_INSIDE[q]}{q}" for q in quotes if q not in unclosed]
                alternatives = (*comments, _TRIPLE_QUOTED, *closed, *character, _REST)
                self._patterns[frozenset(unclosed)] = re.compile("|".join(alternatives), _FLAGS)
        self.shape = cache(self._shape_of)

    def split(self, text: str) -> Iterator[str]:
        """Yield the lexemes of a text in order, with line ends and comments.

        Where a quote is never closed, no later one is closed either, up to the position where
        that was noticed: each is preceded by a backslash. These are not tried again, so that the
        time is linear in the length of the text.
        """
        at = 0
        unclosed_until: dict[str, int] = {}
        while True:
            unclosed = frozenset(quote for quote, end in unclosed_until.items() if at < end)
            pattern = self._patterns[unclosed]
            known = min((unclosed_until[quote] for quote in unclosed), default=len(text))
            for match in pattern.finditer(text, at):
                lexeme = match[0]
                yield lexeme
                if lexeme in self._inside and lexeme not in unclosed:
                    at = match.end()
                    unclosed_until[lexeme] = self._inside[lexeme](text, at).end()  # type: ignore[union-attr]
                    break
                if unclosed and match.end() >= known:
                    at = match.end()
                    break
            else:
                return

    def _shape_of(self, lexeme: str) -> str:
        """Return the shape of a lexeme: NAME, NUMBER, STRING, "" for a comment, else itself."""
        if self._comment.match(lexeme):
            return ""
        if lexeme[0].isdecimal():
            return NUMBER
        if lexeme[0] in "\"'`" and len(lexeme) > 1:
            return STRING
        is_word = lexeme[0] == "_" or lexeme[0].isalpha()
        return NAME if is_word and lexeme not in KEYWORDS else lexeme


_lexer = cache(_Lexer)


def lexemes(text: str, syntax: LexicalSyntax, first: int = 1) -> Lexemes:
    """Return the lexemes of a text whose first line has the number `first` in its file."""
    lexer = _lexer(syntax)
    result = Lexemes([], [], [])
    line, at_line_start = first, True
    for lexeme in lexer.split(text):
        if lexeme == "\n":
            line, at_line_start = line + 1, True
            continue
        shape = lexer.shape(lexeme)
        # A triple-quoted string that begins a line is a docstring.
        if shape and not (at_line_start and lexeme.startswith(_TRIPLE_QUOTES)):
            result.shapes.append(shape)
            result.texts.append(lexeme)
            result.lines.append(line)
        line, at_line_start = line + lexeme.count("\n"), False
    return result


def between(code: Lexemes, first: int, last: int) -> Lexemes:
    """Return the lexemes of the lines from `first` to `last`, both included."""
    low, high = bisect_left(code.lines, first), bisect_right(code.lines, last)
    return Lexemes(code.shapes[low:high], code.texts[low:high], code.lines[low:high])
