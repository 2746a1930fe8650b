"""Words of code: identifiers and their parts.

An identifier such as ``parseHTTPResponse2`` yields its parts (parse, http, response, 2) and, when
there is more than one part, the compound with case and underscores folded away
(parsehttpresponse2), so that ``parse_http_response2`` meets it. Nothing is stemmed.
The parts are exactly the words that the packaged model's tokeniser sees.
"""

from __future__ import annotations

import re

# Longer runs are hashes, base64 or data, which nobody types; they would fill the term table.
LONGEST_IDENTIFIER = 96
MOST_PARTS = 16

_IDENTIFIER = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\x00-\x7F]+")


def identifiers(text: str) -> list[str]:
    """All runs of word characters, in order, with repetitions."""
    return _IDENTIFIER.findall(text)


def parts(identifier: str) -> list[str]:
    """The lower-case parts of an identifier; empty when it is not worth a term."""
    if len(identifier) > LONGEST_IDENTIFIER:
        return []
    found = _PART.findall(identifier)
    return [part.lower() for part in found] if len(found) <= MOST_PARTS else []


def compound(identifier: str) -> str:
    """The identifier with case and underscores folded away."""
    return identifier.replace("_", "").lower()
