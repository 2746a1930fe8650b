"""Hyperlinks to files."""

from pathlib import Path

import pytest

from gitsearch.errors import UsageError
from gitsearch.render.color import Paint
from gitsearch.render.links import links_of

TOP = Path("/home/a b")


def linked(form, path="src/ä;\x1b.py", line="3-9"):
    links = links_of(form, TOP)
    assert links is not None
    return links.around("shown", path, line)


def test_a_link_is_the_escape_sequence_around_the_text():
    address = "vscode://file/home/a%20b/src/%C3%A4%3B%1B.py:3"
    assert linked("vscode://file{path}:{line}") == f"\x1b]8;;{address}\x1b\\shown\x1b]8;;\x1b\\"


def test_true_is_the_address_of_a_file():
    found = linked("true")
    assert found.startswith("\x1b]8;;file://")
    assert "/home/a%20b/src/%C3%A4%3B%1B.py\x1b" in found
    assert "{" not in found


@pytest.mark.parametrize("form", ["vscode", "{path}", "file:/x", "x:{path}\x1b[m", "x:{path}\n"])
def test_what_is_no_address_is_refused(form):
    with pytest.raises(UsageError, match=r"color\.search\.link"):
        links_of(form, TOP)


def test_there_are_none_unless_they_are_wanted_and_only_with_colours():
    assert links_of("off", TOP) is None
    links = links_of("yes", TOP)
    assert Paint(colour=False, links=links).path("a.py", "a.py") == "a.py"
    assert "]8;;" in Paint(colour=True, links=links).path("a.py", "a.py")
