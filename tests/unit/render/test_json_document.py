import datetime
import json
from base64 import b64decode
from decimal import Decimal

import pytest

from gitsearch.errors import BadRevision
from gitsearch.render import json_document
from gitsearch.render.presentation import Presentation
from gitsearch.reports.lookup import Dependent, ImpactEvidence, ImpactStep, ImportedPackage
from gitsearch.reports.maintenance import (
    FileSize,
    GcReport,
    HookState,
    IndexedTree,
    IndexReport,
    Problem,
    SkippedFile,
    SqlReport,
    StatusReport,
    VerifyReport,
)
from gitsearch.reports.search import ChangedLines, Respelt
from tests.unit.render.reports import (
    CLASS,
    COVERAGE,
    METHOD,
    MISSING,
    OTHER_FILE,
    RETRY,
    SAME_FILE,
    THERE,
    TREE,
    existence,
    found,
    symbols,
)


def parsed(value, **options):
    text = json_document.dump(value, **options)
    assert text.endswith("\n")
    return json.loads(text)


def searched(*results, **look):
    return parsed(json_document.search(found(*results), Presentation(form="json", **look)))


def test_a_search_is_the_document_of_the_contract():
    assert searched(RETRY) == {
        "schema": 1,
        "query": {"text": "where are retries configured", "mode": "hybrid"},
        "tree": {"rev": "HEAD", "commit": "c" * 40, "tree": "d" * 40, "dirty": 2},
        "coverage": {
            "tracked": 12,
            "searchable": 9,
            "skipped": {
                "binary": 2,
                "generated": 0,
                "too-large": 1,
                "unreadable": 0,
                "absent": 0,
            },
            "pending": 0,
        },
        "complete": True,
        "results": [
            {
                "rank": 1,
                "path": "src/retry.py",
                "start": 10,
                "end": 12,
                "blob": "b" * 40,
                "language": "python",
                "kind": "method",
                "symbol": "Policy.retries",
                "score": 0.931235,
                "legs": {"lexical": 1, "dense": 3, "symbol": None},
                "confidence": "high",
                "text": RETRY.text,
                "context": {"line": 4, "text": "class Policy:"},
            }
        ],
        "next": None,
        "actions": [{"argv": ["refs", "Policy.retries"], "reason": "who uses Policy.retries"}],
        "warnings": [],
    }


def test_exact_text_and_patterns_have_the_legs_and_reasons_of_all_answers():
    none = {"lexical": None, "dense": None, "symbol": None}
    exact, pattern = RETRY._replace(legs={"literal": 1}), RETRY._replace(legs={})
    results = searched(exact, pattern)["results"]
    assert [result["legs"] for result in results] == [{**none, "literal": 1}, none]
    coverage = found(RETRY).coverage._replace(skipped={"absent": 2, "submodule": 1})
    document = parsed(json_document.fields(coverage))
    assert document["skipped"] == {
        **dict.fromkeys(("binary", "generated", "too-large", "unreadable"), 0),
        "absent": 2,
        "submodule": 1,
    }


def test_words_that_were_taken_for_others_are_part_of_the_query():
    report = found(RETRY, respelt=(Respelt("retrys", "retries"),))
    asked = parsed(json_document.search(report, Presentation(form="json")))["query"]
    assert asked["respelt"] == [{"asked": "retrys", "taken": "retries"}]


def test_a_change_is_told_with_its_sides():
    report = found(RETRY)._replace(changed=ChangedLines("a" * 40, "index", False, 2, 30))
    document = parsed(json_document.search(report, Presentation(form="json")))
    assert document["changed"] == {
        "from": "a" * 40,
        "to": "index",
        "removed": False,
        "files": 2,
        "lines": 30,
    }
    assert "changed" not in json_document.search(found(RETRY), Presentation(form="json"))


def test_fields_that_say_nothing_are_left_out():
    (result,) = searched(SAME_FILE._replace(first_shown=30))["results"]
    assert not {"context", "text_start", "explain", "path_b64"} & set(result)


def test_the_first_line_of_the_text_is_said_when_it_is_another():
    (result,) = searched(SAME_FILE._replace(first_shown=27))["results"]
    assert result["text_start"] == 27


def test_explain_adds_the_factors():
    (result,) = searched(RETRY, explain=True)["results"]
    assert result["explain"] == {"definition": 1.5}


def test_a_path_that_is_no_text_is_given_as_bytes_too():
    (result,) = searched(RETRY._replace(path="caf\udce9.py"))["results"]
    assert result["path"] == "caf\ufffd.py"
    assert b64decode(result["path_b64"]) == b"caf\xe9.py"


@pytest.mark.parametrize(
    ("only", "files"),
    [
        ("files", [{"path": "src/retry.py"}, {"path": "docs/a b.md"}]),
        ("counts", [{"path": "src/retry.py", "count": 2}, {"path": "docs/a b.md", "count": 1}]),
    ],
)
def test_files_take_the_place_of_results(only, files):
    answer = searched(RETRY, SAME_FILE, OTHER_FILE, only=only)
    assert answer["results"] == []
    assert answer["files"] == files
    look = Presentation(form="jsonl", only=only)
    assert json_document.search_lines(found(RETRY, SAME_FILE, OTHER_FILE), look) == files


def test_lines_are_the_results_of_the_document():
    look = Presentation(form="jsonl")
    lines = json_document.search_lines(found(RETRY, OTHER_FILE), look)
    assert [parsed(line) for line in lines] == searched(RETRY, OTHER_FILE)["results"]
    assert json_document.dump(lines[0]).count("\n") == 1


def test_a_document_is_one_line_or_indented_and_says_the_same():
    value = json_document.search(found(RETRY), Presentation(form="json"))
    assert json_document.dump(value).count("\n") == 1
    assert json_document.dump(value, indent=True).count("\n") > 10
    assert parsed(value) == parsed(value, indent=True)


STEP = ImpactStep("src/ä.py", None, 3, "call", 0.9)
ALONE = Dependent(
    *("src/a.py", 1, ("src/a.py", "src/b.py"), "resolved", "call", 3, True, ("@me",), 0.75),
    reasons=(STEP, STEP._replace(symbol='say "\n"')),
    evidence=(ImpactEvidence("name", "src/b.py", 0.5),),
)
LINKED = ALONE._replace(repository="other", package=ImportedPackage("b", "b/go.mod", None))


@pytest.mark.parametrize(
    "dependents",
    [
        (),
        (ALONE, ALONE._replace(reasons=(STEP,), owners=(), evidence=()), ALONE),
        (ALONE, LINKED),
        (LINKED, LINKED._replace(path="c.py")),
        (ALONE, ALONE._replace(path="src/\udcff.py")),
    ],
    ids=["none", "one repository", "some of another", "all of another", "a path that is no text"],
)
def test_records_are_written_as_the_objects_of_their_fields(dependents):
    objects = [json_document.fields(one) for one in dependents]
    assert json_document.dump({"records": dependents}) == json_document.dump({"records": objects})
    assert parsed({"records": dependents}, indent=True) == parsed({"records": objects})
    assert [one["path"] for one in parsed({"records": dependents})["records"]] == [
        one.path.replace("\udcff", "\ufffd") for one in dependents
    ]


def test_json_is_valid_and_harmless_whatever_the_repository_holds():
    evil = "\x1b[2J\x7f\x9b\u202e\u2028\ud800\udcff中"
    text = json_document.dump(
        json_document.search(found(RETRY._replace(text=evil)), Presentation())
    )
    assert not set(text) & set("\x1b\x7f\x9b\u202e\u2028")
    assert "中" in text
    text.encode("utf-8")
    assert json.loads(text)["results"][0]["text"].startswith("\x1b[2J\x7f\x9b\u202e\u2028")


def test_symbols_have_the_fields_of_their_record():
    answer = parsed(json_document.symbols(symbols(CLASS, METHOD)))
    assert answer["query"] == {"text": "retries"}
    assert answer["symbols"][1] == {
        "path": "src/retry.py",
        "line": 10,
        "end": 12,
        "kind": "method",
        "name": "retries",
        "qualified": "Policy.retries",
        "signature": "def retries(self):",
        "doc": "How often.",
        "language": "python",
        "depth": 1,
    }


def test_words_have_a_proof_and_a_place():
    odd = THERE._replace(path="caf\udce9", line=None)
    report = parsed(json_document.document(existence(THERE, MISSING, odd, unseen={"binary": 3})))
    assert report["words"] == [
        {
            "word": "retries",
            "exists": True,
            "proof": "search",
            "path": "src/retry.py",
            "line": 10,
        },
        {"word": "nowhere", "exists": False, "proof": "filter", "path": None, "line": None},
        {
            "word": "retries",
            "exists": True,
            "proof": "search",
            "path": "caf\ufffd",
            "path_b64": "Y2Fm6Q==",
            "line": None,
        },
    ]
    assert report["unseen"] == {"binary": 3}
    assert set(report) == {"schema", "tree", "coverage", "words", "unseen", "warnings"}


def test_status_lists_what_is_skipped_when_asked():
    report = StatusReport(
        tree=TREE,
        coverage=COVERAGE,
        folder="/r/.git/search",
        current=True,
        updating=(),
        files=(FileSize("index.duckdb", 10),),
        blobs=1,
        chunks=2,
        terms=3,
        symbols=4,
        views=(IndexedTree("abc", 2, ("main",)),),
        model="bootstrap",
        skipped=(SkippedFile("a.bin", "binary"),),
        hooks=(HookState("post-commit", "config", "local"),),
        warnings=("w",),
    )
    assert "skipped" not in parsed(json_document.status(report, skipped=False))
    answer = parsed(json_document.status(report, skipped=True))
    assert answer["skipped"] == [{"path": "a.bin", "reason": "binary"}]
    assert answer["files"] == [{"name": "index.duckdb", "bytes": 10}]
    assert answer["views"] == [{"tree": "abc", "bytes": 2, "names": ["main"]}]
    assert answer["current"] is True
    assert answer["hooks"] == [{"event": "post-commit", "state": "config", "where": "local"}]


def test_the_other_verbs_have_documents():
    index = IndexReport(TREE, COVERAGE, 1, 2, 3, 4, 0.123457, True, ())
    assert parsed(json_document.document(index))["seconds"] == 0.123457
    damaged = VerifyReport((FileSize("a", 1),), (Problem("a", "checksum"),))
    assert parsed(json_document.verified(damaged))["sound"] is False
    assert parsed(json_document.document(GcReport(1, 2, 3, 4, 5)))["bytes_after"] == 5


def test_sql_values_of_any_type_have_a_place_in_json():
    decimals = Decimal("1.50"), Decimal("0.1"), Decimal("0.1234567890123456789")
    row = (1, 2.5, float("nan"), None, True, b"\x01\xff", "x", *decimals, [1, b"\x02"])
    day = datetime.date(2024, 1, 2)
    report = SqlReport(("a",), ((*row, day, {"k": day}),))
    assert parsed(json_document.document(report))["rows"] == [
        [
            1,
            2.5,
            None,
            None,
            True,
            "01ff",
            "x",
            1.5,
            0.1,
            "0.1234567890123456789",
            [1, "02"],
            "2024-01-02",
            {"k": "2024-01-02"},
        ]
    ]


def test_a_refusal_has_code_message_and_hint():
    error = BadRevision("no revision 'mian'", "did you mean main?")
    assert parsed(json_document.refusal(error)) == {
        "schema": 1,
        "error": {
            "code": "bad-revision",
            "message": "no revision 'mian'",
            "hint": "did you mean main?",
        },
    }
