"""Dependents as a picture."""

import math
import re
from collections import Counter
from random import Random
from xml.etree import ElementTree

import pytest

from gitsearch.render import impact_picture
from gitsearch.reports.lookup import Dependent, ImpactReport, ImpactTarget
from tests.browser import BROWSER, shown
from tests.unit.render.reports import COVERAGE, TREE

SVG = "{http://www.w3.org/2000/svg}"


def dependent(path, hops=1, likelihood=0.5, label="likely", *, test=False):
    return Dependent(
        path,
        hops,
        (path, *["between.py"] * (hops - 1), "a.py"),
        "resolved",
        "import",
        3,
        test,
        (),
        likelihood,
        label,
    )


def report(*files, target="a.py", truncated=0):
    targets = (ImpactTarget(target, None),)
    return ImpactReport(TREE, COVERAGE, targets, files, (), (), truncated, ())


def many(count, seed=5):
    """Files in a tree of folders, as unequal as real ones."""
    random = Random(seed)
    files = []
    for number in range(count):
        folder = "/".join(f"f{int(random.expovariate(0.7))}" for _ in range(random.randrange(5)))
        hops = 1 + int(random.expovariate(0.8))
        path = f"{folder}/{number}.py" if folder else f"{number}.py"
        files.append(dependent(path, hops, test=random.random() < 0.3))
    return files


def drawn(found):
    return ElementTree.fromstring("".join(impact_picture.svg(found)))


def marks(picture):
    circles = picture.iter(f"{SVG}circle")
    return [circle for circle in circles if "mark" in circle.get("class").split()]


def place(circle):
    return float(circle.get("cx")), float(circle.get("cy"))


def test_files_are_in_rings_by_distance_and_have_their_reasons():
    near, far = dependent("b.py", 1, 0.9, "certain"), dependent("lib/c.py", 2, 0.2, "possible")
    first, second = marks(drawn(report(near, far)))
    assert math.hypot(*place(first)) < math.hypot(*place(second))
    assert first.get("class") == "mark file certain"
    assert second.get("class") == "mark file possible"
    assert first.find(f"{SVG}title").text == "b.py\nimports a.py\ncertain 0.90"
    assert second.find(f"{SVG}title").text == (
        "lib/c.py\nimports between.py < a.py\npossible 0.20"
    )


@pytest.mark.parametrize("count", [1, 2, 30, 700])
def test_every_file_has_a_place_of_its_own(count):
    found = drawn(report(*many(count)))
    places = [place(mark) for mark in marks(found)]
    assert len(places) == count
    radius = float(marks(found)[0].get("r"))
    cells: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for x, y in places:
        cell = int(x // (2 * radius)), int(y // (2 * radius))
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                for other in cells.get((cell[0] + dx, cell[1] + dy), ()):
                    assert math.dist((x, y), other) > radius
        cells.setdefault(cell, []).append((x, y))
    left, top, width, height = map(float, found.get("viewBox").split())
    assert all(left < x < left + width and top < y < top + height for x, y in places)


def test_tests_are_apart():
    kinds = [
        (math.atan2(x, -y) % (2 * math.pi), "test" in mark.get("class"))
        for mark in marks(drawn(report(*many(200))))
        for x, y in [place(mark)]
    ]
    # clockwise from the top: first all files, then all tests
    assert [test for _, test in sorted(kinds)] == sorted(test for _, test in kinds)


def test_large_folders_are_taken_apart_until_there_are_enough():
    names = Counter(
        text.text
        for text in drawn(report(*many(900))).iter(f"{SVG}text")
        if text.find(f"{SVG}title") is not None
    )
    assert 10 < names.total() <= 2 * impact_picture.MOST_SECTORS
    paths = [f"one/deep/{name}/x.py" for name in "abc"]
    shown = "".join(impact_picture.svg(report(*map(dependent, paths))))
    assert all(f">one/deep/{name}/<" in shown for name in "abc")


def test_what_is_not_drawn_is_said():
    found = report(*many(impact_picture.MOST_DRAWN + 5), truncated=2)
    assert len(marks(drawn(found))) == impact_picture.MOST_DRAWN
    assert "7 not drawn" in "".join(impact_picture.svg(found))


def test_nothing_depends_on_it():
    assert not marks(drawn(report()))
    assert "No dependents were found." in "".join(impact_picture.html(report()))


@pytest.mark.parametrize(
    "name",
    ["<script>alert(1)</script>.py", 'a"b&c.py', "\x1b[31m\u202e.py", "\udc80.py", "]]>.py"],
)
def test_names_do_no_harm(name):
    found = report(dependent(f"{name}/{name}"), target=name)
    page = "".join(impact_picture.html(found))
    assert len(marks(drawn(found))) == 1
    assert "<script" not in page
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e\udc80]", page)
    # nothing is loaded from anywhere
    assert not re.search(r"(src|href|url|@import)\s*[=(]", page)


def test_same_answer_same_bytes():
    first, second = ("".join(impact_picture.html(report(*many(300)))) for _ in range(2))
    assert first == second


@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
def test_a_browser_shows_the_page(tmp_path):
    files = many(60)
    dom = shown("".join(impact_picture.html(report(*files))), tmp_path)
    assert dom.count('class="mark ') == len(files)
    assert dom.count("<tr>") == len(files) + 2
