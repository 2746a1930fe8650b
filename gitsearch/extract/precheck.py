"""Texts that a parser must not be given, told in one pass over their bytes.

Three things happen inside one step of a parser, where nothing can count or stop them: recovery
from an error takes memory with the square of what is left open on its stack, an external scanner
may write behind its buffer, and one may never return. Whether a text can lead there is told
before.
"""

from __future__ import annotations

import re

import numpy as np

from gitsearch.extract.languages import LANGUAGES

# Scanners that write what they nest into a buffer of 1,024 bytes without a look at its end, in
# places that no pass over the text can tell: 150 brackets in Typst, 600 layouts in Agda.
_UNSAFE = frozenset({"agda", "typst"})

# The scanners of YAML and Markdown do the same with more than 255 blocks. Blocks in blocks begin
# in columns further and further right. In YAML there are at most two in a column, behind white
# space at the start of a line and behind the indicators of those around them: 2 * 90 + 2 * 24. In
# Markdown a character at the start of a line is one block, a tab two: 2 * 120.
_NESTED_BLOCKS = {
    "yaml": re.compile(rb"(?:^|\r)[ \t?:>|-]{90}|(?:[-?:>|]{1,4}+[ \t]++){24}", re.MULTILINE),
    "markdown": re.compile(rb"(?:^|\r)[ \t>*+\-0-9.)]{120}", re.MULTILINE),
}

# The scanner of Perl never returns from a comment that ends with the text instead of a line.
_NEEDS_NEWLINE = frozenset({"perl"})

# Grammars in which a statement goes on over the ends of lines; the others need not, and where
# it does a line ends with an operator.
_FREE_FORM = frozenset({
    "actionscript", "apex", "arduino", "c", "cpp", "csharp", "cuda", "d", "dart", "glsl", "hack",
    "hlsl", "ispc", "java", "netlinx", "nqc", "objc", "php", "pony", "solidity", "squirrel",
})  # fmt: skip

# What is written with punctuation and is no program: its recovery is cheap, and tables of it have
# long stretches.
_PROSE = frozenset(row.grammar for row in LANGUAGES.values() if row.content == "docs") | {"html"}

# What recovery takes grows with the square of a stretch of operators and operands that nothing
# separates or closes: 6,000 symbols of `a=>` as Java take 1.4 GB and 2.4 s, 2,400 of them 230 MB.
# The sum over the stretches of a text may be this much, and so much more for each byte; of 12,731
# real programs and data files two are above (a table of colours for Vim, a string in Perl),
# 99.9 % below a third of it.
_STRETCH_WORK = 5_000_000
_STRETCH_WORK_PER_BYTE = 50
_SHORT_STRETCH = 64

_OPERATOR, _WORD, _SEPARATOR, _NEWLINE, _ANGLE, _STEM, _AT, _LEAD = range(8)
_BLANKS = b" \t\r\f\v"


def _classes() -> bytes:
    """The class of each byte."""
    classes = bytearray([_OPERATOR] * 128 + [_WORD] * 128)
    for kind, members in (
        (_WORD, b"_" + bytes(b for b in range(128) if chr(b).isalnum())),
        (_SEPARATOR, b",;)]}"),
        (_NEWLINE, b"\n"),
        (_ANGLE, b">"),
        (_STEM, b"=-"),
        (_AT, b"@"),
        (_LEAD, b"#*/"),
    ):
        for member in members:
            classes[member] = kind
    return bytes(classes)


_CLASSES = _classes()


def may_parse(data: bytes, grammar: str) -> bool:
    """Whether this text can be given to a parser of this grammar; False: cut it by lines."""
    nested = _NESTED_BLOCKS.get(grammar)
    if grammar in _UNSAFE or (nested and nested.search(data)):
        return False
    most = _STRETCH_WORK + _STRETCH_WORK_PER_BYTE * len(data)
    return len(data) ** 2 <= most or grammar in _PROSE or stretch_work(data, grammar, most) <= most


def as_parsed(data: bytes, grammar: str) -> bytes:
    """The text as the parser of this grammar needs it."""
    return data + b"\n" if grammar in _NEEDS_NEWLINE and not data.endswith(b"\n") else data


def stretch_work(data: bytes, grammar: str, enough: int = 0) -> int:
    """The sum of the squares of the stretches of symbols that nothing separates or closes.

    A symbol is a word or a character of punctuation. What separates is a comma, a semicolon,
    a closing bracket (`>` too, but not in `=>` and `->`), and the end of a line behind which
    another statement, a directive or a line of a comment may begin. Where a rough look at
    separators and bytes says that the sum is not above `enough`, the answer is what that said.
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
    return _squares(separates[separates | ~lines])  # the other ends of lines are no symbols


def _squares(separates: np.ndarray) -> int:
    """The sum of the squares of the long stretches between those that separate."""
    lengths = np.diff(np.flatnonzero(separates), prepend=-1, append=len(separates)) - 1
    lengths = lengths[lengths >= _SHORT_STRETCH].astype(np.int64)
    return int((lengths * lengths).sum())
