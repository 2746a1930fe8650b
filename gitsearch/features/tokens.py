"""Words of code: identifiers and their parts.

An identifier such as ``parseHTTPResponse2`` yields its parts (parse, http, response, 2) and, when
there is more than one part, the compound with case and underscores folded away
(parsehttpresponse2), so that ``parse_http_response2`` meets it. Nothing is stemmed.
The parts are exactly the words that the packaged model's tokeniser sees. Where words are written
without blanks a part may be a whole clause, and its fragments are found, too.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

# Longer runs are hashes, base64 or data, which nobody types; they would fill the term table.
LONGEST_IDENTIFIER = 96
MOST_PARTS = 16

_IDENTIFIER = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\x00-\x7F]+")

# The same where a text is not plain ASCII: \w leaves out the signs that are written over, under or
# beside a letter, and without them the words of many scripts fall into single letters.
_MARKED = (
    r"[\w\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
    r"\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ece\u0f71-\u0fbc\u1000-\u109f\u1780-\u17d3]+"
)
# Scripts that are written without blanks between words (Thai, Lao, Burmese, Khmer, Chinese,
# Japanese), and Korean, whose words carry their endings.
_DENSE = (
    r"[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u318f"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    r"\U00020000-\U0003ffff]+"
)


def identifiers(text: str) -> list[str]:
    """All runs of word characters, in order, with repetitions; composed (NFC)."""
    if text.isascii():
        return _IDENTIFIER.findall(text)
    return _compiled(_MARKED).findall(composed(text))


def parts(identifier: str) -> list[str]:
    """The lower-case parts of an identifier; empty when it is not worth a term."""
    if len(identifier) > LONGEST_IDENTIFIER:
        return []
    found = _PART.findall(identifier)
    return [part.lower() for part in found] if len(found) <= MOST_PARTS else []


def compound(identifier: str) -> str:
    """The identifier with case and underscores folded away."""
    return composed(identifier).replace("_", "").lower()


def fragments(identifier: str) -> list[str]:
    """Each character and each pair of neighbours, where nothing says which of them are a word."""
    if identifier.isascii():
        return []
    known = parts(identifier)
    runs = _compiled(_DENSE).findall(identifier) if known else ()
    every = (one for run in runs for one in (*run, *map("".join, pairwise(run))))
    return [one for one in every if one not in known]


# few texts need them
_compiled = cache(re.compile)


def composed(text: str) -> str:
    """A text with letters and accents as one where they can be (NFC)."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text)
