"""Detection of texts that a parser must not get, in one pass over their bytes.

Three things happen inside one step of a parser, where they can be neither counted nor stopped:
recovery from an error takes memory quadratic in the open symbols on the stack, an external scanner
may write beyond its buffer, and one may never return. Texts that can lead there are rejected.
"""

from __future__ import annotations

import codecs
import re

import numpy as np

from gitsearch.extract.languages import LANGUAGES

# Scanners that write their nesting into a buffer of 1,024 bytes without a bounds check, in places
# that no pass over the text can detect: 150 brackets in Typst, 600 layouts in Agda.
_UNSAFE = frozenset({"agda", "typst"})

# The scanners of YAML and Markdown do the same with more than 255 blocks. A nested block begins in
# a column further right. In YAML at most two begin in one column, behind white space at the start
# of a line and behind the indicators of the enclosing blocks: 2 * 90 + 2 * 24. In Markdown a
# character at the start of a line is one block, a tab two: 2 * 120.
_NESTED_BLOCKS = {
    "yaml": re.compile(rb"(?:^|\r)[ \t?:>|-]{90}|(?:[-?:>|]{1,4}+[ \t]++){24}", re.MULTILINE),
    "markdown": re.compile(rb"(?:^|\r)[ \t>*+\-0-9.)]{120}", re.MULTILINE),
}

# The scanner of Perl never returns from a comment that ends with the text instead of a line.
_NEEDS_NEWLINE = frozenset({"perl"})

# How errors of a text that is not UTF-8 are handled: each byte becomes a letter.
_AS_LETTERS = "gitsearch.letters"
codecs.register_error(
    _AS_LETTERS,
    lambda error: ("_" * (error.end - error.start), error.end),  # type: ignore[attr-defined]
)

# Grammars in which a statement continues over the ends of lines. In the others a line ends a
# statement unless it ends with an operator.
_FREE_FORM = frozenset({
    "actionscript", "apex", "arduino", "c", "cpp", "csharp", "cuda", "d", "dart", "glsl", "hack",
    "hlsl", "ispc", "java", "netlinx", "nqc", "objc", "php", "pony", "solidity", "squirrel",
})  # fmt: skip

# Grammars of prose with punctuation: their error recovery is cheap, and tables in them have long
# runs of symbols.
_PROSE = frozenset(row.grammar for row in LANGUAGES.values() if row.content == "docs") | {"html"}

# The cost of recovery is quadratic in a run of operators and operands without a separator or a
# closing bracket: 6,000 symbols of `a=>` as Java take 1.4 GB and 2.4 s, 2,400 of them 230 MB. This
# is the limit for the sum over the runs of a text, and its growth with each byte. Of 12,731 real
# programs and data files two are above it (a table of colours for Vim, a string in Perl), 99.9 %
# below a third of it.
_STRETCH_WORK = 5_000_000
_STRETCH_WORK_PER_BYTE = 50
_SHORT_STRETCH = 64

_OPERATOR, _WORD, _SEPARATOR, _NEWLINE, _ANGLE, _STEM, _AT, _LEAD = range(8)
_BLANKS = b" \t\r\f\v"


# A translation table from bytes to their classes.
_PUNCTUATION = (
    *((_SEPARATOR, b",;)]}"), (_NEWLINE, b"\n"), (_ANGLE, b">")),
    *((_STEM, b"=-"), (_AT, b"@"), (_LEAD, b"#*/")),
)
_CLASS_OF = {byte: kind for kind, members in _PUNCTUATION for byte in members}
_CLASSES = bytes(
    _WORD
    if byte > 127 or byte == ord("_") or chr(byte).isalnum()
    else _CLASS_OF.get(byte, _OPERATOR)
    for byte in range(256)
)


def may_parse(data: bytes, grammar: str) -> bool:
    """Return True if a parser of this grammar may get a text."""
    nested = _NESTED_BLOCKS.get(grammar)
    if grammar in _UNSAFE or (nested and nested.search(data)):
        return False
    most = _STRETCH_WORK + _STRETCH_WORK_PER_BYTE * len(data)
    return len(data) ** 2 <= most or grammar in _PROSE or stretch_work(data, grammar, most) <= most


def as_parsed(data: bytes, grammar: str) -> bytes:
    """Return the text with a final newline if the parser of this grammar needs one.

    Each byte that is not of UTF-8 becomes a letter, for the binding of the parser raises an error
    where a predicate of a query reads one.
    """
    data = data.decode("utf-8", _AS_LETTERS).encode()
    return data + b"\n" if grammar in _NEEDS_NEWLINE and not data.endswith(b"\n") else data


def stretch_work(data: bytes, grammar: str, enough: int = 0) -> int:
    """Return the sum of the squared lengths of runs of symbols between separators.

    A symbol is a word or a character of punctuation. A separator is a comma, a semicolon, a
    closing bracket (`>` too, but not in `=>` and `->`), or the end of a line behind which another
    statement, a directive or a line of a comment may begin. If an estimate from single bytes,
    which is an upper bound, is at most `enough`, the estimate is returned.
    """
    kinds = np.frombuffer(data.translate(_CLASSES, _BLANKS), np.uint8)
    separates = kinds == _SEPARATOR
    work = _squares(separates)
    if work <= enough:
        return work
    first = np.ones(len(kinds), bool)
    first[1:] = (kinds[1:] != _WORD) | (kinds[:-1] != _WORD)
    kinds = kinds[first]
    separates = kinds == _ANGLE
    separates[1:] &= kinds[:-1] != _STEM
    separates |= kinds == _SEPARATOR
    lines = kinds == _NEWLINE
    ends = lines.copy()
    if grammar in _FREE_FORM:
        ends[:-1] &= kinds[1:] == _LEAD
    else:
        ends[1:] &= (separates | lines | (kinds == _WORD))[:-1]
        ends[:-1] &= kinds[1:] != _AT
    separates |= ends
    return _squares(separates[separates | ~lines])  # other ends of lines are not symbols


def _squares(separates: np.ndarray) -> int:
    """Return the sum of the squared lengths of the long runs between separators."""
    lengths = np.diff(np.flatnonzero(separates), prepend=-1, append=len(separates)) - 1
    lengths = lengths[lengths >= _SHORT_STRETCH].astype(np.int64)
    return int((lengths * lengths).sum())
