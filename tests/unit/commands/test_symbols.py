"""`def` and `outline` list definitions as they stand in the tree that is asked."""

import pytest

from gitsearch.commands.define import define
from gitsearch.commands.file_filter import FileFilter
from gitsearch.commands.outline import outline
from gitsearch.commands.refs import references
from gitsearch.errors import BadPath
from tests.unit.commands.asked import indexed, session

TEXT = '''\
"""A module."""

LIMIT = 5


class Outer:
    """The outer one."""

    class Inner:
        def run(self):
            """Runs."""
            return 1

    def run(self):
        return 2


# What it is for.
def run():
    return 3
'''


@pytest.fixture
def small(repo):
    repo.write("lib/a.py", TEXT)
    repo.write("lib/b.py", "def run():\n    return 4\n\n\ndef other():\n    return 5\n")
    repo.write("empty.py", "")
    repo.write("words.txt", "run\n")
    repo.write("picture.png", b"\0\0")
    repo.commit()
    return repo


def defined(repo, name, at=None):
    report = define(session(repo.path), name, at)
    return [(one.path, one.line, one.qualified) for one in report.symbols]


def outlined(repo, path, at=None, folder=""):
    report = outline(session(repo.path / folder), path, at)
    return [
        ("  " * one.depth + one.qualified, one.kind, one.line, one.end) for one in report.symbols
    ]


def test_definitions_in_some_files(small):
    def chosen(*pathspecs, **options):
        return define(session(small.path), "run", None, FileFilter(pathspecs, **options))

    every = chosen()
    assert {one.path for one in every.symbols} == {"lib/a.py", "lib/b.py"}
    assert {one.path for one in chosen(":!lib/b.py").symbols} == {"lib/a.py"}
    assert chosen("lib/a.py", tests="exclude").warnings == ()
    first = chosen(max_count=1)
    assert (first.symbols, first.truncated) == (every.symbols[:1], len(every.symbols) - 1)
    none = chosen("empty.py")
    count = len(every.symbols)
    assert none.symbols == ()
    assert none.warnings == (f"{count} definitions were left out",)
    with pytest.raises(BadPath, match="no file matches 'nowhere'"):
        chosen("nowhere")


def test_a_name_is_found_at_all_its_places_in_order(small):
    assert defined(small, "run") == [
        ("lib/a.py", 10, "Outer.Inner.run"),
        ("lib/a.py", 14, "Outer.run"),
        ("lib/a.py", 19, "run"),
        ("lib/b.py", 1, "run"),
    ]


def test_a_qualified_name_is_found_where_it_is(small):
    assert defined(small, "Outer.run") == [("lib/a.py", 14, "Outer.run")]
    assert defined(small, "Inner.run") == [("lib/a.py", 10, "Outer.Inner.run")]
    assert defined(small, "nowhere") == []


def test_an_outline_is_the_structure_of_a_file(small):
    assert outlined(small, "lib/a.py") == [
        ("LIMIT", "constant", 3, 3),
        ("Outer", "class", 6, 15),
        ("  Outer.Inner", "class", 9, 12),
        ("    Outer.Inner.run", "method", 10, 12),
        ("  Outer.run", "method", 14, 15),
        ("run", "function", 19, 20),
    ]


def test_signatures_and_documents_are_shown(small):
    by_name = {
        one.qualified: one for one in outline(session(small.path), "lib/a.py", None).symbols
    }
    assert by_name["Outer"].doc == "The outer one."
    assert by_name["run"].doc == "What it is for."
    assert by_name["Outer.Inner.run"].signature.startswith("def run(self)")
    assert {one.language for one in by_name.values()} == {"python"}


def test_edits_are_seen_and_other_trees_too(small):
    small.write("lib/b.py", "\n\ndef moved():\n    return run\n")
    assert outlined(small, "lib/b.py") == [("moved", "function", 3, 4)]
    assert outlined(small, "lib/b.py", at="HEAD")[0] == ("run", "function", 1, 2)
    assert defined(small, "moved") == [("lib/b.py", 3, "moved")]
    assert defined(small, "moved", at="HEAD") == []
    assert ("lib/b.py", 1, "run") not in defined(small, "run")


@pytest.mark.slow
def test_a_delta_and_an_edit_keep_every_line_right(small):
    defined(small, "run")
    small.append("lib/b.py", "\n\ndef third():\n    return 6\n")
    small.commit()
    assert defined(small, "third") == [("lib/b.py", 9, "third")]
    small.write(
        "lib/b.py", "# one more line\n" + small.file("lib/b.py").read_text(encoding="utf-8")
    )
    assert defined(small, "third") == [("lib/b.py", 10, "third")]
    assert [name for name, *_ in outlined(small, "lib/b.py")] == ["run", "other", "third"]


def test_one_content_at_two_places_has_both(small):
    small.write("copy.py", small.file("lib/b.py").read_bytes())
    small.commit()
    assert defined(small, "other") == [("copy.py", 5, "other"), ("lib/b.py", 5, "other")]
    assert outlined(small, "copy.py") == outlined(small, "lib/b.py")


@pytest.mark.parametrize("path", ["empty.py", "words.txt", "picture.png"])
def test_a_file_without_definitions_has_an_empty_outline(small, path):
    assert outlined(small, path) == []


def test_an_outline_says_that_a_file_is_not_searched(small):
    small.write(".gitattributes", "lib/b.py linguist-generated\n")
    small.commit()
    reports = [outline(session(small.path), path, None) for path in ("lib/a.py", "lib/b.py")]
    assert [report.warnings for report in reports] == [
        (),
        ("'lib/b.py' is not searched: generated",),
    ]
    assert not reports[1].symbols


def test_a_path_is_relative_to_the_current_folder(small):
    right = outlined(small, "lib/b.py")
    assert outlined(small, "b.py", folder="lib") == right
    assert outlined(small, "../lib/./b.py", folder="lib") == right
    assert outlined(small, "../empty.py", folder="lib") == []


@pytest.mark.parametrize(
    ("path", "hint"),
    [("b.py", "lib/b.py"), ("lib/bb.py", "lib/b.py"), ("nowhere/at/all.xyz", ""), ("lib", "")],
)
def test_a_path_that_is_not_there_is_refused_with_near_ones(small, path, hint):
    with pytest.raises(BadPath) as caught:
        outlined(small, path)
    assert hint in caught.value.hint


def test_every_language_of_the_sample_has_an_outline(current):
    names = {}
    for path in ("service/retry_policy.py", "internal/blobupload/blobupload.go",
                 "web/src/retry-policy.ts", "lib/service/job_schedule.rb"):  # fmt: skip
        found = outlined(current, path)
        names[path] = {name.strip().rpartition(".")[2] for name, *_ in found}
    assert {"RetryPolicy", "compute_delay", "clamp_jitter"} <= names["service/retry_policy.py"]
    assert all(len(found) > 3 for found in names.values())


def test_a_name_that_nothing_defines_is_said_to_be_used_or_to_be_near_another(small):
    small.write("c.py", "from lib.b import other\n\nprint(other, missing)\n")
    small.commit()
    indexed(small)

    def told(name):
        return define(session(small.path), name, None).warnings

    assert told("othr") == ("nothing is named 'othr': did you mean 'other'?",)
    used = "nothing defines 'missing', but 1 file of code has the word: `git search refs missing`"
    assert told("missing") == (used,)
    near = references(session(small.path), "A.othr", None).warnings
    assert near == ("nothing is named 'A.othr': did you mean 'other'?",)
    assert told("other") == told("nowhere_at_all") == told("ru") == told("größer") == ()
