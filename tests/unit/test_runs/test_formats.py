"""What files of test runners say, and those that cannot be used."""

import contextlib
import json
import sqlite3

import pytest

from gitsearch.errors import BadCoverage
from gitsearch.test_runs.recorded import recorded

SCHEMA = """
create table coverage_schema (version integer);
create table file (id integer primary key, path text, unique (path));
create table context (id integer primary key, context text, unique (context));
create table line_bits (file_id integer, context_id integer, numbits blob);
create table arc (file_id integer, context_id integer, fromno integer, tono integer);
insert into file values (1, '/home/me/app/a.py'), (2, '/home/me/app/b.py');
insert into context values (1, ''), (2, 'tests.test_a.test_one'), (3, 'tests.test_b.test_two');
"""


def bits(*lines):
    return sum(1 << line for line in lines)


def base(tmp_path, script):
    path = tmp_path / "base"
    path.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as made:
        made.executescript(script)
        made.commit()
    return path.read_bytes()


def test_the_data_of_coverage_py_by_lines_and_by_arcs(tmp_path):
    lines = SCHEMA + (
        "insert into line_bits values (1, 1, x'FF'), (1, 2, x'0c01'), (2, 3, x'02');"
        "insert into arc values (1, 3, -1, 4), (1, 3, 4, 5), (1, 3, 5, -1);"
    )
    assert recorded(".coverage", base(tmp_path, lines)) == {
        ("tests.test_a.test_one", "/home/me/app/a.py"): bits(2, 3, 8),
        ("tests.test_b.test_two", "/home/me/app/b.py"): bits(1),
        ("tests.test_b.test_two", "/home/me/app/a.py"): bits(0, 4, 5),
    }


def test_a_json_report_of_coverage_py():
    data = {
        "meta": {"format": 2, "show_contexts": True},
        "files": {
            "app/a.py": {
                "executed_lines": [1, 2],
                "contexts": {"1": [""], "2": ["tests/test_a.py::test_one|run", ""]},
            }
        },
    }
    found = recorded("coverage.json", json.dumps(data).encode())
    assert found == {("tests/test_a.py::test_one|run", "app/a.py"): bits(2)}


def test_lcov_with_names_of_tests_and_without():
    data = (
        b"TN:test_a\nSF:src/a.c\nFN:1,f\nFNDA:1,f\nDA:1,1\nDA:2,0\nDA:3,4,abc\nLF:3\n"
        b"end_of_record\nTN:\nSF:src/b.c\nDA:7,1\nend_of_record\n"
    )
    assert recorded("runs/test_b.info", data) == {
        ("test_a", "src/a.c"): bits(1, 3),
        ("test_b", "src/b.c"): bits(7),
    }


JACOCO = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">
<report name="x"><sessioninfo id="org.a.BTest" start="1" dump="2"/><group name="g">
<package name="org/a"><class name="org/a/B" sourcefilename="B.java"/>
<sourcefile name="B.java"><line nr="3" mi="0" ci="2" mb="0" cb="0"/>
<line nr="4" mi="2" ci="0" mb="0" cb="0"/><counter type="LINE" missed="1" covered="1"/>
</sourcefile></package></group></report>"""


def test_jacoco_of_one_session():
    assert recorded("a.xml", JACOCO.encode()) == {("org.a.BTest", "org/a/B.java"): bits(3)}


def test_a_profile_of_go_is_of_the_test_that_its_file_is_named_after():
    data = b"mode: set\nexample.com/m/a.go:3.20,5.2 1 1\nexample.com/m/a.go:7.2,9.3 2 0\n"
    assert recorded("out/TestWal.cover", data) == {
        ("TestWal", "example.com/m/a.go"): bits(3, 4, 5)
    }


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE report [<!ENTITY a "aaaaaaaaaa">'
    '<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><report name="&b;"/>'
)
OUTSIDE = (
    '<?xml version="1.0"?><!DOCTYPE report [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    '<report name="x"><sessioninfo id="s"/>&a;</report>'
)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "in no format"),
        (b"\x00\x01\x02", "in no format"),
        (b"def f():\n    pass\n", "in no format"),
        (b"SQLite format 3\0", "SQLite says"),
        (b"SQLite format 3\0" + b"\xff" * 5000, "SQLite says"),
        (b'{"files": []}', "no JSON report"),
        (b'{"files": {"a": {"contexts": {"x": ["t"]}}}}', "not by line"),
        (b'{"files": {"a": {"contexts": {"99999999": ["t"]}}}}', "a line 99999999"),
        (b"[" * 100_000, "in no format"),
        (b'{"a":' * 100_000, "no JSON report"),
        (b'{"files": {"a": {"executed_lines": [1]}}}', "does not say that a test ran"),
        (b"TN:t\nDA:1,1\n", "has no file"),
        (b"TN:t\nSF:a\nDA:x,1\nend_of_record\n", "lcov does not write"),
        (b"TN:t\nSF:a\nDA:1,1\n", "no end"),
        (b"TN:t\nSF:a\nDA:2000000,1\nend_of_record\n", "a line 2000000"),
        (b"mode: set\nnothing\n", "go does not write"),
        (b"mode: set\na.go:9.1,3.1 1 1\n", "from line 9 to 3"),
        (b"mode: set\na.go:1.1,999999999.1 1 1\n", "to 999999999"),
        (b"<html><body>", "no XML"),
        (b"<html></html>", "no report of JaCoCo"),
        (b'<report><line ci="1"/></report>', "no report of JaCoCo"),
        (BOMB.encode(), "declares entities"),
        (OUTSIDE.encode(), "declares entities"),
        (JACOCO.replace("<group", '<sessioninfo id="other"/><group').encode(), "2 sessions"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(data, reason):
    with pytest.raises(BadCoverage) as refused:
        recorded("data", data)
    assert reason in refused.value.message
    assert refused.value.message.startswith("'data' cannot be used: ")
    assert "\n" not in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    "script",
    [
        "create table other (a);",
        "create table file (id, path); create table context (id, context);",
        SCHEMA.replace("create table line_bits (file_id", "create table line_bits (other")
        + "drop table arc;",
        SCHEMA + "insert into line_bits values (1, 2, 'text');",
        SCHEMA + "insert into arc values (1, 2, 'a', 'b');",
        SCHEMA.replace("create table context", "create table contexts").replace(
            "insert into context", "insert into contexts"
        )
        + "create view context as with recursive n(id) as (select 1 union all select id + 1"
        " from n) select id, 'a' as context from n;",
        SCHEMA + "insert into line_bits values (1, 1, x'FF');",
    ],
)
def test_another_database_is_refused_and_its_views_are_not_run(tmp_path, script):
    with pytest.raises(BadCoverage, match="cannot be used"):
        recorded(".coverage", base(tmp_path, script))
