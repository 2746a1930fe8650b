"""A report that a stranger hands over is refused as a whole, in one line, or does no harm."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import os
import re
from typing import Any

import cmarkgfm
import pytest

from gitsearch.ci import artifact, post_comment
from gitsearch.ci.run import text_of
from gitsearch.ci.runner import Steps, write_file
from gitsearch.ci.runner import read as read_event
from gitsearch.errors import SearchError, Unfit, UsageError
from gitsearch.reports.change import MissingCochange
from tests.ci.reports import filled

ABOUT = dataclasses.replace(
    read_event({}), server="https://github.example", repository="octo-org/depot"
)
HUGE = 10**300

# What may stand in place of each value of a report.
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2**31, 2**63, HUGE, 1e308, -1e308, 0.5, 1.0000001, math.nan, math.inf),
    *("", "x", "\0", "\x1b[31m", "../x", "::error::x\n##[error]y", "\ud800", "x" * 70_000),
    *("](https://evil.example) <img src=x> @octocat `", [], [[]], [[[]]], [None], ["x"], {}),
    *({"": ""}, {"x": 1e308}, {"users": -1}),
)


def places(value, at=()):
    """The way to each value of a document, and to those inside it."""
    yield at
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*at, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from places(item, (*at, number))


def exchanged(document, at, value):
    """A copy of a document with another value in one place."""
    if not at:
        return value
    changed = copy.deepcopy(document)
    inner = changed
    for step in at[:-1]:
        inner = inner[step]
    inner[at[-1]] = value
    return changed


def refused(file, data):
    """Whether a file is refused, in one line; if it is not, it is shown without harm."""
    file.write_bytes(data)
    said = ""
    try:
        report = artifact.read(file)
    except Unfit as error:
        said = error.message
    if said:
        assert "\n" not in said
        assert len(said) < 300
        return True
    text = text_of(report, ABOUT)
    assert len(text) < 70_000
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", text)
    html = cmarkgfm.github_flavored_markdown_to_html(text)
    outside = re.sub(r"(?s)<(code|pre)\b.*?</\1>|(?<= href)=\".*?\"", "", html)
    assert "octocat" not in outside
    assert "<img" not in outside
    assert set(re.findall(r'href="(https?://[^/"]+)', html)) <= {"https://github.example"}
    return False


@pytest.mark.long
def test_each_value_of_a_report_may_be_anything(tmp_path):
    document = json.loads(artifact.encode(filled()))
    file = tmp_path / "report.json"
    outcomes = {
        refused(file, json.dumps(exchanged(document, at, value)).encode())
        for at in places(document)
        for value in VALUES
    }
    assert outcomes == {True, False}


def edited(change):
    document = json.loads(artifact.encode(filled()))
    change(document)
    return json.dumps(document).encode()


def similar(document):
    return document["related"][0]


def dependent(document):
    return document["dependents"][0]


FILLED = artifact.encode(filled())
HOSTILE = {
    "a score beyond all": edited(lambda d: similar(d).update(score=1e308)),
    "a score of 300 digits": FILLED.replace(b"0.75", b"9" * 300),
    "a score that is none": FILLED.replace(b"0.75", b"NaN"),
    "a score below zero": edited(lambda d: similar(d).update(score=-0.1)),
    "a share beyond all": edited(lambda d: similar(d)["why"].update(vector=1e300)),
    "a cycle without files": edited(lambda d: d.update(cycles=[[]])),
    "no users": edited(lambda d: d["exports"][0].update(users=[])),
    "no way": edited(lambda d: dependent(d).update(via=[])),
    "half a way": edited(lambda d: dependent(d).update(via=["a"])),
    "no hops": edited(lambda d: dependent(d).update(hops=0)),
    "more often than ever": edited(lambda d: d["habits"][0].update(together=9)),
    "never": edited(lambda d: d["habits"][0].update(together=0, times=0)),
    "a negative count": edited(lambda d: d["truncated"].update(dependents=-3)),
    "a count of something else": edited(lambda d: d["truncated"].update(nothing=3)),
    "lines from the end": edited(lambda d: similar(d).update(start=9, end=3)),
    "line zero": edited(lambda d: similar(d).update(start=0)),
    "half a surrogate pair": FILLED.replace(b'"shallow"', b'"\\ud800"'),
    "a path with half a surrogate pair": FILLED.replace(b'"src/a b.py"', b'"\\udcff"'),
    "a number of 5,000 digits": FILLED.replace(b'"line": 7', b'"line": ' + b"9" * 5000),
    "a key of a megabyte": edited(lambda d: d["components"].update({"x" * (1 << 20): "y"})),
    "a hundred thousand lists": FILLED.replace(b'"notes": [', b'"notes": [' + b"[" * 100_000),
    "ten megabytes": FILLED[:-2] + b" " * (10 << 20) + b"}",
    "a byte order mark": b"\xef\xbb\xbf" + FILLED,
    "UTF-16": FILLED.decode().encode("utf-16"),
    "a key twice, the last of nonsense": FILLED.rstrip()[:-1] + b', "cycles": [[]]}',
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_what_no_report_of_ours_has_is_refused(tmp_path, data):
    assert data != FILLED
    assert refused(tmp_path / "report.json", data)


def test_of_a_key_that_stands_twice_the_last_is_what_is_checked_and_shown(tmp_path):
    data = FILLED.rstrip()[:-1] + b', "cycles": [["last.py", "one.py"]]}'
    assert not refused(tmp_path / "report.json", data)
    assert "last.py" in text_of(artifact.read(tmp_path / "report.json"), ABOUT)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_not_waited_for(tmp_path, make):
    make(tmp_path / "report.json")
    with pytest.raises(Unfit, match="not a regular file"):
        artifact.read(tmp_path / "report.json")
    with pytest.raises(SearchError, match=r"GITHUB_EVENT_PATH: .*not a regular file"):
        read_event({"GITHUB_EVENT_PATH": str(tmp_path / "report.json")})


def test_a_refusal_is_a_warning_of_the_step_and_no_failure(tmp_path, capfd, monkeypatch):
    from gitsearch.cli.application import run

    file = tmp_path / "report.json"
    file.write_bytes(HOSTILE["a cycle without files"])
    (tmp_path / "output").touch()
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    assert run(["ci", "comment", "--report", str(file)]) == 0
    said = capfd.readouterr().err.splitlines()
    assert [line for line in said if line.startswith("::warning::")] == [
        "::warning::report.json: a cycle has no files"
    ]


@pytest.mark.parametrize("text", [None, '{"pull_request": {"num'])
@pytest.mark.parametrize("step", ["plan", "run", "comment"])
def test_an_event_that_cannot_be_read_is_a_warning_and_no_failure(
    tmp_path, capfd, monkeypatch, step, text
):
    from gitsearch.cli.application import run

    event, output = tmp_path / "event.json", tmp_path / "output"
    if text is not None:
        event.write_text(text)
    output.touch()
    monkeypatch.setenv("GITHUB_OUTPUT", str(output))
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    assert run(["ci", step]) == 0
    said = capfd.readouterr().err.splitlines()
    (warning,) = [line for line in said if line.startswith("::warning::")]
    assert warning.startswith("::warning::GITHUB_EVENT_PATH: ")
    assert output.read_text() == ""


@pytest.mark.parametrize("number", [0, -1, 1 << 60, HUGE, 1.5, "7", None, True])
def test_a_pull_request_without_a_number_is_no_event(tmp_path, number):
    end = {"sha": "a" * 40, "ref": "main", "repo": None}
    event = {"pull_request": {"number": number, "head": end, "base": end}}
    (tmp_path / "event.json").write_text(json.dumps(event))
    with pytest.raises(SearchError, match="GITHUB_EVENT_PATH"):
        read_event({"GITHUB_EVENT_PATH": str(tmp_path / "event.json")})


@pytest.mark.parametrize("sha", ["", "--all", "a" * 39, "a" * 40 + "\n", "+main:x", "A" * 40])
def test_an_id_of_an_event_is_one(tmp_path, sha):
    end = {"sha": sha, "ref": "main", "repo": None}
    event = {"pull_request": {"number": 7, "head": end, "base": end}}
    (tmp_path / "event.json").write_text(json.dumps(event))
    with pytest.raises(SearchError, match="GITHUB_EVENT_PATH"):
        read_event({"GITHUB_EVENT_PATH": str(tmp_path / "event.json")})


def test_a_report_is_not_written_through_a_link(tmp_path):
    target = tmp_path / "target"
    target.write_text("as it was")
    (tmp_path / "report.json").symlink_to(target)
    os.mkfifo(tmp_path / "pipe")
    for name in ("report.json", "pipe"):
        with pytest.raises(SearchError, match="not a regular file"):
            write_file(tmp_path / name, b"new")
    assert target.read_text() == "as it was"
    write_file(target, b"new")
    assert target.read_text() == "new"


def test_by_hand_nothing_that_is_printed_steers_a_terminal(capfd):
    steps = Steps(ABOUT)
    steps.output("folder", "\x1b[2J\u202e")
    steps.summarise("\x1b[2J\u202e\nline")
    assert capfd.readouterr().out == "folder=\\x1b[2J\\u202e\n\\x1b[2J\\u202e\nline\n"


def test_a_habit_of_every_time_is_shown(tmp_path):
    file = tmp_path / "report.json"
    file.write_bytes(artifact.encode(filled(habits=(MissingCochange("a.py", "b.py", 6, 6),))))
    assert "changed in 6 of the 6 commits" in text_of(artifact.read(file), ABOUT)


def test_a_value_that_is_quoted_in_a_refusal_is_no_command(tmp_path, capfd, monkeypatch):
    from gitsearch.cli.application import run

    (tmp_path / "output").touch()
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    assert run(["ci", "comment", "--report", "x", "--marker", "##[error]x"]) == 129
    said = capfd.readouterr().err.splitlines()
    assert said[0].startswith("::stop-commands::")
    assert "##[error]x" in said[1]
    assert said[2] == f"::{said[0].rpartition('::')[2]}::"


def test_the_request_to_comment_is_refused_before_the_file_is_read():
    with pytest.raises(UsageError, match="marker"):
        post_comment.comment(post_comment.CommentRequest(marker="-->"), ABOUT, Steps(ABOUT))
