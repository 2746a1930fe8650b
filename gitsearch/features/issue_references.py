"""Names of issues and pull requests in the message of a commit."""

from __future__ import annotations

import re

# Numbers beyond this are no issues but colours, dates and offsets.
_DIGITS = r"[1-9]\d{0,6}"
# Of GitHub and Gitea `#12` and `owner/name#12`, of GitLab also `!12` for merge requests, of Jira
# `KAFKA-12`, whose key has at least two letters. Names of encodings and licences look like keys.
_REFERENCE = re.compile(
    rf"""(?<![\w/&\#.-])(?:
        (?P<url>https?://[\w.-]+(?::\d+)?/[\w./-]{{1,200}}?/
            (?P<kind>issues|pull|pulls|merge_requests|pull-requests)/(?P<number>{_DIGITS}))
      | (?P<short>(?:[\w.-]{{1,60}}/[\w.-]{{1,100}})?[\#!]{_DIGITS})
      | GH-(?P<github>{_DIGITS})
      | (?!(?:UTF|UCS|ISO|SHA|MD|AES|RSA|TLS|HTTP|RFC|PEP|CVE|L?GPL|AGPL|MIT|BSD|CC|PR)-)
        (?P<key>[A-Z][A-Z0-9_]{{1,15}}-{_DIGITS})
    )(?![\w-])""",
    re.VERBOSE,
)
# Characters of a message that are looked at, and names that are returned.
_LOOKED_AT, _MOST = 20_000, 20
_MERGE_REQUESTS = frozenset({"merge_requests"})


def references(message: str) -> tuple[str, ...]:
    """Return the issues and pull requests that a message names, in order, each once."""
    found = (_name(match) for match in _REFERENCE.finditer(message[:_LOOKED_AT]))
    return tuple(dict.fromkeys(found))[:_MOST]


def _name(match: re.Match[str]) -> str:
    if match["url"]:
        return f"{'!' if match['kind'] in _MERGE_REQUESTS else '#'}{match['number']}"
    return match["short"] or match["key"] or f"#{match['github']}"
