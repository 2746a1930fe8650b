"""From code to its words and signs in order, for every language alike and without a grammar.

Comments and blanks are left out. What matters is that two copies of one code are cut alike, not
that each cut is right: a string that is cut in two is so in both.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple

# What stands for each name, number and string when only the shape counts.
NAME, NUMBER, STRING = "a name", "a number", "a string"


class Lexemes(NamedTuple):
    """Code in order: the shape of each lexeme (itself, or what it stands for), text and line."""

    shapes: list[str]
    texts: list[str]
    lines: list[int]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that are part of the shape of code in some language: what a name may not be renamed to.
KEYWORDS = _words("""
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
""")

# How a comment begins, by language; those of the table have only these, all others // and /* */.
_HASH = r"(?<!\S)\#[^\n]*"
_SLASHES = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_DASHES = r"--\[\[.*?(?:\]\]|\Z)|--[^\n]*"
_COMMENTS = {
    **dict.fromkeys(
        _words("""
            python ruby bash elixir perl r julia starlark fish tcl awk crystal cython nim gdscript
            powershell puppet raku robot coffeescript nushell tcsh bitbake snakemake
        """),
        _HASH,
    ),
    **dict.fromkeys(_words("lua luau sql haskell elm ada vhdl purescript idris agda"), _DASHES),
    **dict.fromkeys(_words("php nix hcl terraform jsonnet"), f"{_SLASHES}|{_HASH}"),
    **dict.fromkeys(
        _words("clojure commonlisp scheme racket elisp fennel janet asm llvm"), r";[^\n]*"
    ),
    **dict.fromkeys(_words("erlang matlab prolog"), r"%[^\n]*"),
}
# Where a quote also begins a name (a lifetime, a type variable), it holds one character.
_TICKED = _words("rust haskell ocaml scala fsharp sml vhdl ada")
_CHARACTER = r"'(?:\\[^'\n]++|[^'\\\n])'"
_LONG = ('"""', "'''")
_LONGS = r"\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)"
# What stands in one pair of quotes; unless that is closed, the quote is a lexeme by itself.
_INSIDE = {'"': r'(?:\\.|[^"\\\n])*+', "'": r"(?:\\.|[^'\\\n])*+", "`": r"(?:\\.|[^`\\])*+"}
_REST = r"\d[\w.]*|[^\W\d]\w*|\n|=>|->|::|\.\.\.|&&|\|\||[<>=!:+-]=|\+\+|--|\S"


class _Lexer:
    """The lexemes of one language."""

    def __init__(self, language: str) -> None:
        comment = _COMMENTS.get(language, _SLASHES)
        self._comment = re.compile(comment, re.DOTALL)
        character = (_CHARACTER,) if language in _TICKED else ()
        quotes = '"`' if character else "\"'`"
        self._inside = {quote: re.compile(_INSIDE[quote], re.DOTALL).match for quote in quotes}
        self._patterns = {}
        for count in range(len(quotes) + 1):
            for open_ones in combinations(quotes, count):
                closed = [f"{q}{_INSIDE[q]}{q}" for q in quotes if q not in open_ones]
                every = (comment, _LONGS, *closed, *character, _REST)
                self._patterns[frozenset(open_ones)] = re.compile("|".join(every), re.DOTALL)
        self._shapes: dict[str, str] = {}

    def split(self, text: str) -> Iterator[str]:
        """The lexemes of a text, with line ends and comments.

        Where a quote is never closed, no other one up to where that was noticed is closed,
        either: each is preceded by a backslash. They are not tried, so each part is read once.
        """
        at = 0
        open_until: dict[str, int] = {}
        while True:
            still_open = frozenset(quote for quote, end in open_until.items() if at < end)
            pattern = self._patterns[still_open]
            known = min((open_until[quote] for quote in still_open), default=len(text))
            for found in pattern.finditer(text, at):
                word = found[0]
                yield word
                if word in self._inside and word not in still_open:
                    at = found.end()
                    open_until[word] = self._inside[word](text, at).end()  # type: ignore[union-attr]
                    break
                if still_open and found.end() >= known:
                    at = found.end()
                    break
            else:
                return

    def shape(self, word: str) -> str:
        """What a word stands for; "" for a comment."""
        found = self._shapes.get(word)
        if found is None:
            found = self._shapes[word] = self._of(word)
        return found

    def _of(self, word: str) -> str:
        if self._comment.match(word):
            return ""
        if word[0].isdecimal():
            return NUMBER
        if word[0] in "\"'`" and len(word) > 1:
            return STRING
        return NAME if _is_name(word) and word not in KEYWORDS else word


def _is_name(word: str) -> bool:
    return word[0] == "_" or word[0].isalpha()


_lexer = cache(_Lexer)


def lexemes(text: str, language: str, first: int = 1) -> Lexemes:
    """The lexemes of a text that starts at a line of its file."""
    lexer = _lexer(language)
    found = Lexemes([], [], [])
    line, at_start = first, True
    for word in lexer.split(text):
        if word == "\n":
            line, at_start = line + 1, True
            continue
        shape = lexer.shape(word)
        # a long string that begins a line documents a definition
        if shape and not (at_start and word.startswith(_LONG)):
            found.shapes.append(shape)
            found.texts.append(word)
            found.lines.append(line)
        line, at_start = line + word.count("\n"), False
    return found


def between(found: Lexemes, first: int, last: int) -> Lexemes:
    """Those of some lines, both included."""
    low, high = bisect_left(found.lines, first), bisect_right(found.lines, last)
    return Lexemes(found.shapes[low:high], found.texts[low:high], found.lines[low:high])
