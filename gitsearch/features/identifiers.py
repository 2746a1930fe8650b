"""Tokenisation of code into identifiers and their parts.

An identifier such as ``parseHTTPResponse2`` yields its parts (parse, http, response, 2) and, when
there is more than one part, the compound with case and underscores folded away
(parsehttpresponse2), so that ``parse_http_response2`` matches it. There is no stemming. The parts
are exactly the words that the tokeniser of the packaged model gets. In scripts without spaces
between words a part may be a whole clause, so its fragments are terms, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

# Longer runs are hashes, base64 or data, which nobody types; they would fill the term table.
LONGEST_IDENTIFIER = 96
MOST_PARTS = 16

# A word that is no term and longer than this is not kept, but said to be any word.
LONGEST_UNLISTED = 1024
# Bytes of the words that are kept of a file that is not indexed.
MOST_UNLISTED = 256 << 10
# Stands for words that are not known.
ANY = "\n*"

_BYTES_OF_WORD = re.compile(rb"[\w\x80-\xff]+")
_INSIDE_WORD = re.compile(rb"[\w\x80-\xff]{2}")
# A translation table: what is no word character in ASCII becomes a blank.
_BLANKED = bytes(byte if chr(byte).isalnum() or byte == ord("_") else 32 for byte in range(256))
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\x00-\x7F]+")

# Identifiers in a text that is not ASCII: \w excludes combining marks, without which the words of
# many scripts split into single letters.
_MARKED = (
    r"[\w\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
    r"\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ece\u0f71-\u0fbc\u1000-\u109f\u1780-\u17d3]+"
)
# Scripts without spaces between words (Thai, Lao, Burmese, Khmer, Chinese, Japanese), and Korean,
# whose words include suffixes.
_DENSE = (
    r"[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u318f"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    r"\U00020000-\U0003ffff]+"
)


def identifiers(text: str) -> list[str]:
    """Return all runs of word characters in order, with repetitions, in NFC."""
    if text.isascii():
        # in a third of the time of the regular expression \w+
        return text.encode().translate(_BLANKED).decode().split()
    return _compiled(_MARKED).findall(composed(text))


def parts(identifier: str) -> list[str]:
    """Return the lower-case parts of an identifier, none if it is too long or has too many."""
    if len(identifier) > LONGEST_IDENTIFIER:
        return []
    pieces = _PART.findall(identifier)
    return [piece.lower() for piece in pieces] if len(pieces) <= MOST_PARTS else []


def compound(identifier: str) -> str:
    """Return the identifier in lower case without underscores, in NFC."""
    return composed(identifier).replace("_", "").lower()


def longest(name: str) -> str:
    """Return the longest of the identifiers of a name, such as `valid` of `valid?`; "" if none."""
    return max(identifiers(name), key=len, default="")


def unlisted(identifier: str) -> str:
    """Return a word without terms as it is listed: a line feed and its compound; "" for `__`.

    ANY for one that is too long to be kept.
    """
    folded = compound(identifier)
    if len(folded) > LONGEST_UNLISTED:
        return ANY
    return f"\n{folded}" if folded else ""


def unlisted_words(data: bytes) -> bytes:
    """Return the words of a text that is not indexed, each once, as `unlisted` gives them.

    ANY if they are too many to be kept, or if letters beyond ASCII may be ASCII ones in the other
    case.
    """
    words = {word.replace(b"_", b"") for word in _BYTES_OF_WORD.findall(data.lower())}
    joined = b"".join(b"\n" + word for word in sorted(words) if word)
    if len(joined) > MOST_UNLISTED or any(letter.encode() in data for letter in _ALSO_ASCII):
        return ANY.encode()
    return joined


def is_inside_word(data: bytes, offset: int) -> bool:
    """Return True if a text is cut inside a word where it is cut at an offset."""
    return _INSIDE_WORD.match(data, max(offset - 1, 0)) is not None


def may_hide_words(text: str) -> bool:
    """Return True if ASCII words of a text, in upper or lower case, may be in no identifier of it.

    So it is where letters and accents are composed, and where a letter beyond ASCII is an ASCII
    letter in the other case.
    """
    if text.isascii():
        return False
    from unicodedata import is_normalized

    return not (_ALSO_ASCII.isdisjoint(text) and is_normalized("NFC", text))


def fragments(identifier: str) -> list[str]:
    """Return the unigrams and bigrams of characters of scripts without spaces between words.

    Those that are parts of the identifier are left out.
    """
    if identifier.isascii():
        return []
    known = parts(identifier)
    runs = _compiled(_DENSE).findall(identifier) if known else ()
    ngrams = (ngram for run in runs for ngram in (*run, *map("".join, pairwise(run))))
    return [ngram for ngram in ngrams if ngram not in known]


# Their upper or lower case is an ASCII letter: k (Kelvin), s (long), i (with and without a dot).
_ALSO_ASCII = frozenset("\u212a\u017f\u0130\u0131")

# Compiled on demand, since few texts need these patterns.
_compiled = cache(re.compile)


def terms(identifier: str) -> tuple[list[str], list[str]]:
    """Return the parts of an identifier, and its other terms: fragments, and a compound if any."""
    pieces = parts(identifier)
    if identifier.isascii():  # most are, and no other function is asked whether it is
        return pieces, [identifier.replace("_", "").lower()] if len(pieces) > 1 else []
    others = fragments(identifier)
    return pieces, [*others, compound(identifier)] if len(pieces) > 1 else others


def parts_of(identifiers: Iterable[str]) -> list[str]:
    """Return the parts of several identifiers, in order, with repetitions."""
    return [part for identifier in identifiers for part in parts(identifier)]


def composed(text: str) -> str:
    """Return a text in NFC: letters are composed with their accents where Unicode can."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text)
