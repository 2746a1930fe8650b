"""The report in a file: what was written is read, and nothing else is."""

import json

import pytest

from gitsearch.ci.artifact import encode, read
from gitsearch.errors import Unfit
from gitsearch.reports.change import ChangedFile, ComparedTree
from gitsearch.reports.lookup import UnresolvedImport
from tests.ci.reports import HEAD, NOTHING, filled


@pytest.fixture
def file(tmp_path):
    return tmp_path / "report.json"


@pytest.mark.parametrize("report", [NOTHING, filled(), filled("ä/`@octocat`/<b>\n|")])
def test_a_report_is_read_as_it_was_written(file, report):
    file.write_bytes(encode(report))
    assert read(file) == report
    assert encode(read(file)) == encode(report)


def test_a_path_that_is_no_utf8_is_shown_as_one(file):
    file.write_bytes(encode(filled("a\udcff.py")))
    assert read(file) == filled("a\ufffd.py")


def edited(change):
    document = json.loads(encode(filled()))
    change(document)
    return json.dumps(document).encode()


HOSTILE = {
    "nothing": b"",
    "no json": b"{",
    "another document": b"[]",
    "not utf-8": b'{"recipe": "\xff"}',
    "half a report": edited(lambda d: d.pop("base")),
    "a field of no report": edited(lambda d: d.update(markdown="@everyone")),
    "a field below": edited(lambda d: d["changes"][0].update(html="<b>")),
    "a text for a number": edited(lambda d: d["dangling"][0].update(line="1")),
    "a number below zero": edited(lambda d: d["dangling"][0].update(line=-1)),
    "a huge number": edited(lambda d: d["dangling"][0].update(line=1 << 70)),
    "a number that is none": encode(filled()).replace(b"0.75", b"1e999"),
    "a nest": b"[" * 100_000,
    "an id that is a text": edited(lambda d: d["head"].update(commit="](https://evil)")),
    "a recipe that is a text": edited(lambda d: d.update(recipe="<img src=x>")),
    "a status that is a text": edited(lambda d: d["changes"][0].update(status="@octocat")),
    "a note that is a text": edited(lambda d: d.update(notes=["<b>"])),
    "a count that is a text": edited(lambda d: d.update(truncated={"@octocat": 1})),
    "a path to elsewhere": edited(lambda d: d["changes"][0].update(path="../../../evil/x")),
    "a path from the top": edited(lambda d: d["changes"][0].update(path="/etc/passwd")),
    "a path with a NUL": edited(lambda d: d.update(tests=["a\0b"])),
    "a long text": edited(lambda d: d.update(tests=["x" * 70_000])),
    "a long list": edited(lambda d: d.update(tests=["x"] * 20_000)),
    "a large file": b" " * (5 << 20),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_report_of_ours_is_refused(file, data):
    file.write_bytes(data)
    with pytest.raises(Unfit) as refused:
        read(file)
    assert "\n" not in refused.value.message
    assert len(refused.value.message) < 300


def test_a_file_that_is_missing_or_a_folder_is_refused(file):
    with pytest.raises(Unfit, match="No such file"):
        read(file)
    file.mkdir()
    with pytest.raises(Unfit):
        read(file)


@pytest.mark.parametrize(
    "report",
    [
        filled(changes=(ChangedFile("a", "copied"),)),
        filled(unseen=(UnresolvedImport("<b>", "a", 1),)),
        filled(head=ComparedTree("x", HEAD[:7], None)),
    ],
)
def test_what_is_in_every_field_is_checked(file, report):
    file.write_bytes(encode(report))
    with pytest.raises(Unfit):
        read(file)


def test_every_path_of_a_report_is_checked(file):
    """Wherever a report has a path, one that leads elsewhere is refused."""
    good = json.loads(encode(filled("good/path")))
    accepted = set()
    for place in paths_in(good):
        document = json.loads(json.dumps(good))
        put(document, place, "good/../path")
        file.write_bytes(json.dumps(document).encode())
        try:
            read(file)
        except Unfit:
            continue
        accepted.add(next(name for name in reversed(place) if isinstance(name, str)))
    # the last: what a component is called
    assert accepted == {"specifier", "symbol", "before", "owners", "author", "good/path"}


def paths_in(value, place=()):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths_in(item, (*place, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from paths_in(item, (*place, number))
    elif value == "good/path":
        yield place


def put(document, place, text):
    for step in place[:-1]:
        document = document[step]
    document[place[-1]] = text
