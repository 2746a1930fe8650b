"""Whether a tokeniser is bounded: how much it makes of a word, and in how many steps.

A model folder is downloaded, and its tokenizer.json can hold regular expressions that backtrack
for ever and replacements that double a text each time. To run it in a child with a limit of time
would cost every search a process, and an answer must not depend on time; so the steps are looked
at before any is taken: only kinds that are known are taken, and of patterns only those for which
an upper bound of the paths that a backtracking matcher tries is small.
"""

from __future__ import annotations

import binascii
import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch.features.tokens import LONGEST_IDENTIFIER

if TYPE_CHECKING:
    from collections.abc import Iterator

# Characters that a word may become, and paths that a matcher may try on all of it. The patterns of
# the tokenisers of GPT-4o and Llama 3 have 15 and 3 million on the longest word.
_MOST_CHARACTERS = 100_000
_MOST_PATHS = 1 << 25
_MOST_STEPS = 32

# Kinds of steps without patterns and texts of their own, and how many characters at most they make
# of one, however often they come one after the other.
_PLAIN = dict.fromkeys(
    (
        *(
            "BertNormalizer",
            "Strip",
            "StripAccents",
            "NFC",
            "NFD",
            "NFKC",
            "NFKD",
            "Lowercase",
            "Nmt",
        ),
        *("BertPreTokenizer", "CharDelimiterSplit", "Metaspace", "Whitespace", "Punctuation"),
        *("WhitespaceSplit", "Digits", "UnicodeScripts"),
    ),
    1,
)
# Each byte becomes a character.
_GROWING = {"ByteLevel": 4}

# An optional quantity is more than this many: it counts as one without an end.
_FEW = 8

_SYMBOLS = r"""
    (?P<flags>\(\?[imsx-]+\))
    |(?P<open>\((?:\?(?:[imsx-]*:|[=!>]|<[=!]))?(?![?*]))
    |(?P<close>\))
    |(?P<either>\|)
    |(?P<often>(?:[*+?]|\{(?P<least>[0-9]{1,3})?(?P<comma>,)?(?P<most>[0-9]{1,3})?\})[?+]?)
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
    # few models have patterns, and to compile it takes a millisecond
    return re.compile(_SYMBOLS, re.VERBOSE | re.DOTALL)


class UnboundedTokenizer(ValueError):
    """A step that is not known to be bounded; the message says which."""


class _Length(NamedTuple):
    """A text of n characters becomes one of at most factor * n + more."""

    factor: int = 1
    more: int = 0

    def then(self, factor: int, more: int = 0) -> _Length:
        """The length after another step; raises Unbounded."""
        found = _Length(self.factor * factor, self.more * factor + more)
        if found.most > _MOST_CHARACTERS:
            raise UnboundedTokenizer(f"it makes up to {found.most} characters of a word")
        return found

    @property
    def most(self) -> int:
        """The length that the longest word may have."""
        return self.factor * (LONGEST_IDENTIFIER + 1) + self.more


def require(normalizer: bytes | None, pre_tokenizer: bytes | None) -> None:
    """Raise Unbounded unless both are; they are JSON as the library writes them, None is none."""
    length = _Length()
    for written in (normalizer, pre_tokenizer):
        steps = list(_steps(json.loads(written))) if written else []
        if len(steps) > _MOST_STEPS:
            raise UnboundedTokenizer(f"it takes {len(steps)} steps")
        for step in steps:
            length = _after(step, length)


def _steps(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The steps of a normaliser or pre-tokeniser, those of sequences one by one."""
    if found.get("type") != "Sequence":
        yield found
        return
    for one in found.get("normalizers") or found.get("pretokenizers") or ():
        yield from _steps(one)


def _after(step: dict[str, Any], length: _Length) -> _Length:
    """How long a word may be after a step; raises Unbounded."""
    kind = str(step.get("type"))
    if kind in _PLAIN or kind in _GROWING:
        return length.then(_GROWING.get(kind, 1))
    if kind == "Prepend":
        return length.then(1, len(step["prepend"]))
    if kind == "Precompiled":
        return length.then(_longest(step["precompiled_charsmap"]))
    if kind not in ("Replace", "Split"):
        raise UnboundedTokenizer(f"it has a step of the unknown kind '{kind}'")
    return _matched(step, length)


def _matched(step: dict[str, Any], length: _Length) -> _Length:
    """The same of a step with a pattern."""
    content = len(step.get("content") or "")
    (kind, pattern), *_ = step["pattern"].items()
    if kind == "String":
        # nothing is between any two characters
        return length.then(1 + content if not pattern else max(1, -(-content // len(pattern))))
    tried = length.most * paths(pattern, length.most)
    if tried > _MOST_PATHS:
        raise UnboundedTokenizer(f"it tries up to {tried} paths for the pattern '{pattern}'")
    return length.then(1 + content)


def _longest(charsmap: str) -> int:
    """The length of the longest text that a compiled table of SentencePiece puts for a prefix."""
    try:
        data = binascii.a2b_base64(charsmap, strict_mode=True)
    except ValueError as error:
        raise UnboundedTokenizer("its table of characters cannot be read") from error
    texts = data[4 + int.from_bytes(data[:4], "little") :]
    return max((len(text) for text in texts.split(b"\0")), default=1) or 1


def paths(pattern: str, length: int) -> int:
    """At most so many ways has a backtracking matcher at one place of a text of some length.

    Choices multiply along a sequence and add up over alternatives; what repeats one character is
    as many choices as the text has places. Raises Unbounded where a group repeats or refers back.
    """
    # of each group that is open: ways of the alternatives before, of this one, of its last item
    stack: list[list[int]] = [[0, 1, 1]]
    last, at = "", 0
    while at < len(pattern):
        found = _symbol().match(pattern, at)
        if found is None:
            raise UnboundedTokenizer(f"it has the pattern '{pattern}', which is not known to end")
        symbol, at = str(found.lastgroup), found.end()
        symbol = "often" if found["often"] else symbol
        if symbol == "often":
            if last not in ("atom", "close") or (last == "close" and found["often"][0] != "?"):
                raise UnboundedTokenizer(
                    f"it has the pattern '{pattern}', which is not known to end"
                )
            own = stack[-1].pop()
            stack[-1].append(own + 1 if last == "close" else _times(found, length))
        elif symbol == "open":
            _settle(stack[-1])
            stack.append([0, 1, 1])
        elif symbol == "close":
            _settle(stack[-1])
            before, ways, _ = stack.pop()
            if not stack:
                raise UnboundedTokenizer(f"it has the pattern '{pattern}', which is none")
            stack[-1][2] = before + ways
        elif symbol == "either":
            _settle(stack[-1])
            stack[-1][:] = [stack[-1][0] + stack[-1][1], 1, 1]
        else:
            _settle(stack[-1])
        last = symbol
    if len(stack) > 1:
        raise UnboundedTokenizer(f"it has the pattern '{pattern}', which is none")
    _settle(stack[-1])
    return stack[-1][0] + stack[-1][1]


def _settle(group: list[int]) -> None:
    """The last item is not repeated any more: its ways count."""
    group[1] *= group[2]
    group[2] = 1


def _times(found: re.Match[str], length: int) -> int:
    """In how many ways one character may repeat."""
    sign = found["often"][0]
    if sign != "{":
        return 2 if sign == "?" else length
    if not (found["least"] or found["most"]):
        return 1  # a brace, and no quantity
    least = int(found["least"] or 0)
    most = int(found["most"]) if found["most"] else length if found["comma"] else least
    return max(most - least + 1, 1) if most - least <= _FEW else max(length, most)
