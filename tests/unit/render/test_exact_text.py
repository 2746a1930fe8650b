"""Lines of exact text are printed as `git grep` prints them."""

from typing import Any

import pytest

from gitsearch.render import exact_text
from gitsearch.render.presentation import Presentation
from gitsearch.reports.search import Result
from tests.unit.render.reports import found

ODD = {
    b"b\xc3\xa4r.py": (b'"b\\303\\244r.py"', b"b\xc3\xa4r.py"),
    b'a"\\b\n': (b'"a\\"\\\\b\\n"', b'"a\\"\\\\b\\n"'),
    b"\xff\x1b": (b'"\\377\\033"', b'"\xff\\033"'),
    b"plain.py": (b"plain.py", b"plain.py"),
}


def printed(path, lines, **look):
    """What a report of these lines of a file says."""

    def own(*, nul):
        sign = b"\0" if nul else b":"
        yield path, b"".join(path + sign + b"%d" % n + sign + text + b"\n" for n, text in lines)

    report = found()._replace(mode="literal", lines=own)
    return b"".join(exact_text.answer(report, Presentation(form="lines", **look)))


@pytest.mark.parametrize("path", ODD)
def test_paths_are_quoted_as_git_quotes_them(path):
    lines = [(1, b"x"), (12, b"\xff\x1b[m")]
    for quote_path, name in zip((True, False), ODD[path], strict=True):
        text = b"".join(name + b":%d:" % n + line + b"\n" for n, line in lines)
        assert printed(path, lines, quote_path=quote_path, verbatim=True) == text
    with_nul = b"".join(path + b"\0%d\0" % n + line + b"\n" for n, line in lines)
    assert printed(path, lines, nul=True, verbatim=True) == with_nul


def result(rank, start, text, first_shown, **changes):
    fields: dict[str, Any] = {
        "path": "a.py",
        "end": start,
        "blob": "",
        "language": "python",
        "kind": "line",
        "symbol": None,
        "score": 0.5,
        "legs": {},
        "confidence": "high",
        "signature": "",
    }
    return Result(
        rank=rank, start=start, text=text, first_shown=first_shown, **{**fields, **changes}
    )


def test_lines_around_are_told_from_those_that_match():
    report = found(result(1, 2, "a\nb\nc", 1), result(2, 9, "d\r", 9))
    shown = exact_text.answer(
        report, Presentation(form="blocks", verbatim=True, with_context=True)
    )
    assert b"".join(shown) == b"a.py-1-a\na.py:2:b\na.py-3-c\n--\na.py:9:d\r\n"


def test_what_matches_is_painted_and_nothing_else_steers_the_terminal():
    report = found(result(1, 1, "\x1b[2Jn\u00e9edle(", 1))._replace(
        spans=lambda path, line: [(4, 11)] if (path, line) == ("a.py", 1) else []
    )
    shown = b"".join(exact_text.answer(report, Presentation(form="blocks", colour=True)))
    assert "\\x1b[2J\x1b[1;31mn\u00e9edle\x1b[m(".encode() in shown
    assert b"\x1b[2J" not in shown
