"""XML reports of JaCoCo, each of one session: a test."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.parsers import expat

from gitsearch.errors import BadCoverage
from gitsearch.test_runs.ran_lines import MOST_ENTRIES, RanLines, bit, damaged

if TYPE_CHECKING:
    from collections.abc import Mapping


def read(data: bytes) -> list[RanLines]:
    """Return what a report says; raises BadCoverage.

    Declarations of entities are refused, and the document type that a report names is not fetched.
    """
    report = _Report()
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.EntityDeclHandler = _refuse
    parser.StartElementHandler = report.start
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise damaged(f"it is no XML: {error}") from error
    except (KeyError, ValueError) as error:
        raise damaged("it is no report of JaCoCo") from error
    if not report.is_report:
        raise damaged("it is no report of JaCoCo")
    if len(report.sessions) > 1:
        raise BadCoverage(
            f"it joins {len(report.sessions)} sessions and does not say which ran a line",
            "make a report of each session, which is named by the option 'sessionid' of the agent",
        )
    test = next(iter(report.sessions), "")
    return [RanLines(test, path, lines) for path, lines in report.lines.items()]


def _refuse(*_: object) -> None:
    raise damaged("it declares entities, which no report of JaCoCo does")


class _Report:
    """What the elements that were read say."""

    def __init__(self) -> None:
        self.is_report = False
        self.sessions: set[str] = set()
        self.lines: dict[str, int] = {}
        self._package = self._file = ""
        self._count = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._count += 1
        if self._count > MOST_ENTRIES:
            raise damaged(f"it has more than {MOST_ENTRIES} elements")
        if name == "report":
            self.is_report = True
        elif name == "sessioninfo":
            self.sessions.add(attributes["id"])
        elif name == "package":
            self._package = attributes["name"]
        elif name == "sourcefile":
            self._file = "/".join(filter(None, (self._package, attributes["name"])))
        elif name == "line" and int(attributes["ci"]) > 0:
            number = bit(int(attributes["nr"]))
            self.lines[self._file] = self.lines.get(self._file, 0) | number
