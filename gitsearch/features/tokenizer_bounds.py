"""Static bounds on the output length and the running time of a tokeniser.

A model folder is downloaded, and its tokenizer.json may hold regular expressions that backtrack
without end and replacements that double a text each time. A child process with a time limit would
cost every search a process, and a result must not depend on time. So the steps are checked before
any is run: only known kinds are accepted, and only patterns for which an upper bound of the paths
that a backtracking matcher tries is small.
"""

from __future__ import annotations

import binascii
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from gitsearch.features.identifiers import LONGEST_IDENTIFIER

# Limits: characters of the output for a word, paths that a matcher tries on it, and steps. The
# patterns of the tokenisers of GPT-4o and Llama 3 have 15 and 3 million paths on the longest word.
_MOST_CHARACTERS = 100_000
_MOST_PATHS = 1 << 25
_MOST_STEPS = 32

# Kinds of steps without patterns and texts of their own, and the number of characters that each
# yields at most for one character, however often steps of the kind follow each other.
_PLAIN = """
    BertNormalizer Strip StripAccents NFC NFD NFKC NFKD Lowercase Nmt BertPreTokenizer
    CharDelimiterSplit Metaspace Whitespace Punctuation WhitespaceSplit Digits UnicodeScripts
"""
# Each byte of a character becomes a character in the last one.
_GROWTH = {**dict.fromkeys(_PLAIN.split(), 1), "ByteLevel": 4}

# A quantifier with a range of more than this counts as one without an upper limit.
_SHORT_RANGE = 8

_SYMBOLS = r"""
    (?P<flags>\(\?[imsx-]+\))
    |(?P<open>\((?:\?(?:[imsx-]*:|[=!>]|<[=!]))?(?![?*]))
    |(?P<close>\))
    |(?P<either>\|)
    |(?P<repeat>(?:[*+?]|\{(?P<least>[0-9]{1,3})?(?P<comma>,)?(?P<most>[0-9]{1,3})?\})[?+]?)
    |(?P<atom>
        \[\^?(?:\\[pP]\{\^?\w+\}|\\[^0-9kgpP]|\[:\^?\w+:\]|[^\[\]\\])*\]
        |\\[pP]\{\^?\w+\}
        |\\x\{[0-9a-fA-F]+\}
        |\\[^0-9kgpPKXR]
        |[^\\\[\](){}*+?|]
    )
    """


@cache
def _symbol() -> re.Pattern[str]:
    # Compiled on demand: few models have patterns, and it takes a millisecond.
    return re.compile(_SYMBOLS, re.VERBOSE | re.DOTALL)


class UnboundedTokenizer(ValueError):
    """Raised for a step without a known bound; the message names it."""


class _Length(NamedTuple):
    """An upper bound of the length of a text: factor * n + more for an input of n characters."""

    factor: int = 1
    more: int = 0

    def then(self, factor: int, more: int = 0) -> _Length:
        """Return the bound after another step. Raises UnboundedTokenizer if it is too large."""
        length = _Length(self.factor * factor, self.more * factor + more)
        if length.most > _MOST_CHARACTERS:
            raise UnboundedTokenizer(f"it makes up to {length.most} characters of a word")
        return length

    @property
    def most(self) -> int:
        """The bound for the longest word."""
        return self.factor * (LONGEST_IDENTIFIER + 1) + self.more


def require(normalizer: bytes | None, pre_tokenizer: bytes | None) -> None:
    """Raise UnboundedTokenizer unless both steps are bounded.

    They are JSON as the library `tokenizers` writes it, None where the tokeniser has none.
    """
    length = _Length()
    for written in (normalizer, pre_tokenizer):
        steps = list(_steps(json.loads(written))) if written else []
        if len(steps) > _MOST_STEPS:
            raise UnboundedTokenizer(f"it takes {len(steps)} steps")
        for step in steps:
            length = _after(step, length)


def _steps(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the steps of a normaliser or pre-tokeniser, with sequences flattened."""
    if step.get("type") != "Sequence":
        yield step
        return
    for part in step.get("normalizers") or step.get("pretokenizers") or ():
        yield from _steps(part)


def _after(step: dict[str, Any], length: _Length) -> _Length:
    """Return the length of a word after a step. Raises UnboundedTokenizer."""
    kind = str(step.get("type"))
    if kind in _GROWTH:
        return length.then(_GROWTH[kind])
    if kind == "Prepend":
        return length.then(1, len(step["prepend"]))
    if kind == "Precompiled":
        return length.then(_longest(step["precompiled_charsmap"]))
    if kind not in ("Replace", "Split"):
        raise UnboundedTokenizer(f"it has a step of the unknown kind '{kind}'")
    return _matched(step, length)


def _matched(step: dict[str, Any], length: _Length) -> _Length:
    """Return the length of a word after a step with a pattern. Raises UnboundedTokenizer."""
    content = len(step.get("content") or "")
    (kind, pattern), *_ = step["pattern"].items()
    if kind == "String":
        # The empty text matches between any two characters.
        return length.then(1 + content if not pattern else max(1, -(-content // len(pattern))))
    tried = length.most * paths(pattern, length.most)
    if tried > _MOST_PATHS:
        raise UnboundedTokenizer(f"it tries up to {tried} paths for the pattern '{pattern}'")
    return length.then(1 + content)


def _longest(charsmap: str) -> int:
    """Return the length of the longest replacement in a compiled table of SentencePiece."""
    try:
        data = binascii.a2b_base64(charsmap, strict_mode=True)
    except ValueError as error:
        raise UnboundedTokenizer("its table of characters cannot be read") from error
    texts = data[4 + int.from_bytes(data[:4], "little") :]
    return max((len(text) for text in texts.split(b"\0")), default=1) or 1


def paths(pattern: str, length: int) -> int:
    """Return an upper bound of the paths of a backtracking matcher at one place of a text.

    The counts of a sequence multiply, those of alternatives add up. A repeated character has as
    many choices as the text has characters (`length`). Raises UnboundedTokenizer for repeated
    groups and references to groups.
    """
    # For each open group: paths of the earlier alternatives, of this one, and of its last item.
    stack: list[list[int]] = [[0, 1, 1]]
    last, at = "", 0
    while at < len(pattern):
        match = _symbol().match(pattern, at)
        repeats = match is not None and match["repeat"]
        optional_group = last == "close" and repeats and repeats[0] == "?"
        if match is None or (repeats and last != "atom" and not optional_group):
            raise UnboundedTokenizer(f"it has the pattern '{pattern}', which is not known to end")
        symbol, at = "repeat" if repeats else str(match.lastgroup), match.end()
        group = stack[-1]
        if symbol == "repeat":
            group[2] = group[2] + 1 if last == "close" else _repetitions(match, length)
        else:
            # the paths of the last item are part of its alternative
            group[1:] = [group[1] * group[2], 1]
        if symbol == "open":
            stack.append([0, 1, 1])
        elif symbol == "close":
            stack.pop()
            if not stack:
                raise UnboundedTokenizer(f"it has the pattern '{pattern}', which is none")
            stack[-1][2] = group[0] + group[1]
        elif symbol == "either":
            group[:] = [group[0] + group[1], 1, 1]
        last = symbol
    if len(stack) > 1:
        raise UnboundedTokenizer(f"it has the pattern '{pattern}', which is none")
    earlier, ways, last_ways = stack[0]
    return earlier + ways * last_ways


def _repetitions(match: re.Match[str], length: int) -> int:
    """Return the number of choices for the repetition of one character."""
    sign = match["repeat"][0]
    if sign != "{":
        return 2 if sign == "?" else length
    if not (match["least"] or match["most"]):
        return 1  # a literal brace, not a quantifier
    least = int(match["least"] or 0)
    most = int(match["most"]) if match["most"] else length if match["comma"] else least
    return max(most - least + 1, 1) if most - least <= _SHORT_RANGE else max(length, most)
