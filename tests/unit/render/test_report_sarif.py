"""A report as SARIF: valid by the schema; the same findings keep their prints."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft4Validator

from gitsearch.render.json_document import dump
from gitsearch.render.report_sarif import RULES, sarif
from tests.unit.render.reports import pull

# The schema of OASIS as @microsoft/jest-sarif 1.0.0-beta.0 (MIT) has it, without descriptions.
SCHEMA = json.loads(Path(__file__).with_name("sarif-2.1.0.json").read_text(encoding="utf-8"))


def made(report):
    return json.loads(dump(sarif(report)))


def results(report):
    return made(report)["runs"][0]["results"]


@pytest.mark.parametrize(
    "names",
    [(), ("a.py",), ("src/ü b.py", "\udcff.py", "[x](http://evil)", "a\nb", "%41")],
    ids=["nothing", "one", "odd"],
)
def test_it_is_valid(names):
    Draft4Validator.check_schema(SCHEMA)
    assert list(Draft4Validator(SCHEMA).iter_errors(made(pull(*names)))) == []


def test_each_finding_has_its_rule_and_its_level():
    found = results(pull("a.py"))
    assert {one["ruleId"]: one["level"] for one in found} == {
        "dangling-import": "error",
        "removed-export": "error",
        "changed-export": "warning",
        "new-cycle": "warning",
        "duplicate": "note",
    }
    assert list(RULES)[found[0]["ruleIndex"]] == "dangling-import"
    place = found[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 7}


def test_prints_do_not_change_with_lines_and_tell_findings_apart():
    report = pull("a.py", "b.py")
    prints = [one["partialFingerprints"]["gitSearch/v1"] for one in results(report)]
    moved = tuple(type(one)(one.path, 70, *_rest(one)) for one in report.dangling)
    again = results(pull("a.py", "b.py", dangling=moved))
    assert prints == [one["partialFingerprints"]["gitSearch/v1"] for one in again]
    dangling = prints[: len(moved)]
    assert len(set(dangling)) == len(dangling)


def _rest(one):
    return one.specifier, one.target, one.symbol


def test_brackets_in_a_message_make_no_link():
    text = results(pull("[x](http://evil)"))[0]["message"]["text"]
    assert "\\[x\\](http://evil)" in text
