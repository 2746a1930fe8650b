"""The plain figures of the verbs, and tables."""

import pytest

from gitsearch.render import json_document, lookup_text, maintenance_text
from gitsearch.render.color import Paint
from gitsearch.render.sql_table import table
from gitsearch.reports.lookup import WordProof
from gitsearch.reports.maintenance import (
    ExportReport,
    FileSize,
    GcReport,
    HookState,
    ImportReport,
    IndexedTree,
    IndexReport,
    Problem,
    SkippedFile,
    SqlReport,
    StatusReport,
    VerifyReport,
)
from gitsearch.reports.search import Coverage, TreeName
from tests.unit.render.reports import (
    CLASS,
    COVERAGE,
    METHOD,
    MISSING,
    THERE,
    TREE,
    existence,
    symbols,
)


def test_index_says_what_it_did():
    report = IndexReport(TREE, COVERAGE, 7, 300, 1_234_567, 90, 0.84, False, ())
    assert "".join(maintenance_text.indexed(report)) == (
        "tree        HEAD (cccccccccccc), 2 files edited\n"
        "searchable  9 of 12 tracked files\n"
        "skipped     3: binary 2, too-large 1\n"
        "chunks      90\n"
        "parsed      7 files, 1.2 MB; terms embedded: 300\n"
        "time        0.8 s\n"
    )


def test_a_dry_run_says_what_is_to_be_done():
    report = IndexReport(
        TreeName("v1", None, "v1", 0), Coverage(9, 2, {}, 7), 5, None, 10, 4, 0.0, True, ()
    )
    assert "".join(maintenance_text.indexed(report)) == (
        "tree        v1\n"
        "searchable  2 of 9 tracked files\n"
        "pending     7\n"
        "chunks      4\n"
        "to parse    5 files, 10 bytes\n"
    )


def test_an_export_says_what_is_in_the_file():
    report = ExportReport("f", (TREE, TREE), 7, 1_234_567, 0.5, ())
    assert "".join(maintenance_text.exported(report)) == (
        "tree        HEAD (cccccccccccc), 2 files edited\n"
        "tree        HEAD (cccccccccccc), 2 files edited\n"
        "blobs       7\n"
        "size        1.2 MB\n"
    )


@pytest.mark.parametrize(
    ("figures", "lines"),
    [
        ((5, 5, 0, 0, 0, 3, 0), ["blobs       5: 5 added, 0 known", "checked     3 files parsed"]),
        (
            (9, 2, 3, 3, 1, 1, 4),
            [
                "blobs       9: 2 added, 3 known, 3 not in this clone, 1 refused",
                "checked     1 file parsed",
                "parsed      4 files",
            ],
        ),
    ],
)
def test_an_import_says_what_became_of_the_blobs(figures, lines):
    blobs, added, known, dropped, refused, sampled, parsed = figures
    counts = added, known, dropped, refused, sampled, parsed
    report = ImportReport("f", ("a" * 40,), blobs, 99, *counts, 0.84, ())
    first, *shown, last = "".join(maintenance_text.imported(report)).splitlines()
    assert (first, last) == ("tree        aaaaaaaaaaaa", "time        0.8 s")
    assert shown == lines


@pytest.mark.parametrize(
    ("current", "updating", "word"),
    [
        (True, (), "current"),
        (
            False,
            (),
            "behind; git search index brings it up to date; a search reads a small change itself",
        ),
        (False, (41, 42), "being updated by process 41, 42"),
    ],
)
def test_status_is_a_page_of_figures(current, updating, word):
    report = StatusReport(
        tree=TREE,
        coverage=COVERAGE,
        folder="/r/.git/search",
        current=current,
        updating=updating,
        files=(FileSize("index.duckdb", 2_000_000), FileSize("views/\x1bx", 5)),
        blobs=1,
        chunks=2,
        terms=3,
        symbols=4,
        views=(
            IndexedTree("abc", 2, ("v1",)),
            IndexedTree("def", 3, ("HEAD", "main")),
            IndexedTree("0ab", 2, ()),
        ),
        model="bootstrap\x1b",
        skipped=(SkippedFile("a\nb", "binary"), SkippedFile("c", "too-large")),
        hooks=tuple(HookState(event, "absent", "") for event in ("post-commit", "post-merge")),
        warnings=(),
    )
    text = "".join(maintenance_text.status(report))
    assert f"index       {word}" in text
    assert "record      1 blobs, 2 chunks, 4 symbols, 3 terms\n" in text
    assert "folder      /r/.git/search (2.0 MB)\n" in text
    assert "trees       HEAD (main), v1, 1 more\n" in text
    assert "hooks       not installed" in text
    assert "\x1b" not in text
    assert "".join(maintenance_text.skipped(report, Paint())) == '"a\\nb": binary\nc: too-large\n'


def test_verify_lists_sound_and_damaged_files():
    report = VerifyReport(
        (FileSize("a", 1000), FileSize("b", 2)),
        (Problem("b", "bad checksum"), Problem("c", "missing")),
        ("d.tmp",),
    )
    assert "".join(maintenance_text.verified(report)) == (
        "ok       a (1.0 kB)\ndamaged  b: bad checksum\ndamaged  c: missing\n"
        "leftover d.tmp: of a writer that was killed; the next one removes it\n"
    )


def test_gc_says_what_it_freed():
    assert "".join(maintenance_text.collected(GcReport(3, 4, 1, 5_000, 2_000))) == (
        "blobs       3 dropped, 4 kept\nviews       1 dropped\nsize        2.0 kB, 3.0 kB freed\n"
    )


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (10**9, "1.0 GB"),
        (10**16, "10000.0 TB"),
    ],
)
def test_sizes_are_for_people(count, shown):
    assert maintenance_text.size(count) == shown


def test_definitions_are_one_a_line():
    assert "".join(lookup_text.definitions(symbols(CLASS, METHOD), Paint())) == (
        "src/retry.py:4: class Policy  class Policy:\n"
        "src/retry.py:10: method Policy.retries  def retries(self):\n"
    )


def test_an_outline_is_indented():
    assert "".join(lookup_text.outline(symbols(CLASS, METHOD), Paint())) == (
        " 4-40  class Policy  class Policy:\n10-12    method retries  def retries(self):\n"
    )
    assert list(lookup_text.outline(symbols(), Paint())) == []


def test_what_was_left_out_of_definitions_is_counted():
    report = symbols(CLASS, truncated=3)
    assert list(lookup_text.definitions(report, Paint()))[-1] == "and 3 more\n"
    document = json_document.definitions(report)
    # who uses the only one cannot be asked of the first of several
    assert (document["truncated"], document["actions"]) == (3, [])
    assert json_document.definitions(symbols(CLASS))["truncated"] is False
    assert "truncated" not in json_document.symbols(report)


def test_words_are_one_a_line():
    likely = WordProof("\x1b[2J", exists=True, proof="none")
    binary = WordProof("x", True, "search", "a b\n.bin")
    assert "".join(lookup_text.existence(existence(THERE, MISSING, likely, binary), Paint())) == (
        'retries: src/retry.py:10\nnowhere: no\n\\x1b[2J: likely\nx: "a b\\n.bin"\n'
    )
    assert list(lookup_text.not_looked_at(existence(THERE))) == []
    assert list(
        lookup_text.not_looked_at(existence(MISSING, unseen={"absent": 1, "binary": 2}))
    ) == ["files that were not looked at: 1 absent, 2 binary"]


ROWS = SqlReport(("name", "n"), (("a\tb\\", 1), (None, 22), (b"\x1b", "\x1b[2J\n")))


def test_a_table_for_programs_has_tabs():
    assert "".join(table(ROWS, aligned=False)) == (
        "name\tn\na\\tb\\\\\t1\n\t22\n1b\t\\x1b[2J\\n\n"
    )


def test_a_table_for_people_has_columns():
    assert "".join(table(ROWS, aligned=True)) == (
        "name    n\n------  ---------\na\\tb\\\\  1\n        22\n1b      \\x1b[2J\\n\n"
    )


def test_a_table_without_rows_has_a_header():
    assert "".join(table(SqlReport(("n",), ()), aligned=True)) == "n\n-\n"
