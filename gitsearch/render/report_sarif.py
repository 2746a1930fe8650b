"""The report on a change as SARIF 2.1.0, for code scanning and editors."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from gitsearch import __version__
from gitsearch.render import findings
from gitsearch.render.escape import folded, lossy, quoted
from gitsearch.render.markdown import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.render.json_document import Json
    from gitsearch.reports.change import ChangeReport

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

# The rules by their lasting ids: what each finds, and how bad it is.
RULES = {
    "dangling-import": ("An import of a file that was removed.", "error"),
    "removed-export": ("A file uses a definition that was removed.", "error"),
    "changed-export": ("A definition that is used changed.", "warning"),
    "new-cycle": ("Files import each other in a circle that is new.", "warning"),
    "duplicate": ("New code is like code that exists already.", "note"),
}


def sarif(report: ChangeReport) -> Json:
    """One run with a result for each finding that has a place."""
    rules = [
        {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
        for name, (text, level) in RULES.items()
    ]
    driver = {"name": "git-search", "semanticVersion": __version__, "rules": rules}
    run: Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "automationDetails": {"id": "git-search/report/"},
        "results": list(_results(report)),
        "properties": {
            "base": report.base.commit or report.base.tree,
            "head": report.head.commit or report.head.tree,
            "recipe": report.recipe,
        },
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _results(report: ChangeReport) -> Iterator[Json]:
    pen = _Pen()
    for broken in report.dangling:
        rule = "removed-export" if broken.symbol else "dangling-import"
        key = (broken.path, broken.specifier, broken.symbol or "", broken.target)
        yield _result(rule, findings.broken(broken, pen), (broken.path, broken.line), key)
    for lost in report.exports:
        for use in lost.users:
            used = (use[0], lost.path, lost.symbol)
            yield _result("changed-export", findings.changed(lost, pen), use, used)
    for cycle in report.cycles:
        text = findings.cycle(cycle, pen)
        yield _result("new-cycle", text, (cycle[0], 1), cycle)
    for copy in report.copies:
        new, old = copy.new, copy.existing
        key = (new.path, new.symbol or "", old.path, old.symbol or "")
        result = _result("duplicate", findings.copy(copy, pen), (new.path, new.start), key)
        result["relatedLocations"] = [_location(old.path, old.start)]
        yield result


def _result(rule: str, text: str, place: tuple[str, int], key: tuple[str, ...]) -> Json:
    """A finding; its print does not change with the line that it is in."""
    digest = hashlib.sha256("\0".join((rule, *map(lossy, key))).encode()).hexdigest()
    return {
        "ruleId": rule,
        "ruleIndex": list(RULES).index(rule),
        "level": RULES[rule][1],
        # in a message brackets may make a link
        "message": {"text": text.translate({ord(sign): f"\\{sign}" for sign in "\\[]"})},
        "locations": [_location(*place)],
        "partialFingerprints": {"gitSearch/v1": digest},
    }


def _location(path: str, line: int) -> Json:
    place = {"uri": escaped(path), "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": place, "region": {"startLine": max(line, 1)}}}


class _Pen:
    """Text on one line, in quotes where it is not a path."""

    def word(self, text: str) -> str:
        """A name, a line of code."""
        return f"'{folded(lossy(text))}'"

    def place(self, path: str, line: int = 0, *, gone: bool = False) -> str:
        """A path, with a line."""
        del gone
        return quoted(lossy(path)) + (f":{line}" if line else "")
