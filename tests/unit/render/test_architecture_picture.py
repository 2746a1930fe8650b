"""Components, layers and cycles as a picture."""

import re
from xml.etree import ElementTree

import pytest

from gitsearch.render import architecture_picture
from gitsearch.reports.overview import ArchitectureReport, Component, Need
from tests.browser import BROWSER, shown
from tests.unit.render.reports import COVERAGE, TREE

SVG = "{http://www.w3.org/2000/svg}"


def component(name, layer=0, needs=(), size=3):
    found = tuple(Need(other, edges) for other, edges in needs)
    return Component(name, size, layer, (f"{name}/core.py",), found)


SHOP = (
    component("cli", 2, [("shop", 4), ("store", 1)]),
    component("shop", 1, [("store", 90), ("tax", 2)], size=40),
    component("tax", 1, [("shop", 3)]),
    component("store"),
)


def report(*components, cycles=()):
    return ArchitectureReport(TREE, COVERAGE, components, (), cycles, 0, ())


def drawn(found):
    return ElementTree.fromstring("".join(architecture_picture.svg(found)))


def boxes(picture):
    """The left and upper edge of each box by the first line of what it tells."""
    found = {}
    for group in picture.iter(f"{SVG}g"):
        rectangle = group.find(f"{SVG}rect")
        name = group.find(f"{SVG}title").text.partition(":")[0]
        found[name] = float(rectangle.get("x")), float(rectangle.get("y"))
    return found


def lines(picture):
    return {
        path.find(f"{SVG}title").text: path.get("class") for path in picture.iter(f"{SVG}path")
    }


def test_who_needs_others_stands_above_them():
    found = boxes(drawn(report(*SHOP)))
    assert found["cli"][1] < found["shop"][1] == found["tax"][1] < found["store"][1]
    assert found["shop"][0] != found["tax"][0]


def test_needs_are_lines_and_mutual_ones_stand_out():
    assert lines(drawn(report(*SHOP))) == {
        "cli needs shop: 4": "need",
        "cli needs store: 1": "need",
        "shop needs store: 90": "need",
        "shop needs tax: 2": "mutual",
        "tax needs shop: 3": "mutual",
    }


@pytest.mark.parametrize("count", [1, 6, 7, 40, 300])
def test_every_component_has_a_place_of_its_own(count):
    most = architecture_picture.MOST_DRAWN
    found = report(*(component(f"c{n}", n % 3) for n in range(count)))
    picture = drawn(found)
    places = boxes(picture)
    assert len(set(places.values())) == len(places) == min(count, most)
    _, _, width, height = map(float, picture.get("viewBox").split())
    assert all(0 < x < width - 150 and 0 < y < height - 40 for x, y in places.values())
    text = "".join(architecture_picture.svg(found))
    assert (f"{count - most} smaller components not drawn" in text) == (count > most)


def test_the_page_lists_components_and_cycles():
    found = report(*SHOP, cycles=(("shop/a.py", "tax/b.py"), tuple(f"{n}.py" for n in range(50))))
    page = "".join(architecture_picture.html(found))
    assert "<td>shop</td><td>40</td><td>1</td><td>store (90), tax (2)</td>" in page
    assert "<li>shop/a.py, tax/b.py</li>" in page
    assert "29.py and 20 more</li>" in page
    assert "No files import each other." in "".join(architecture_picture.html(report(*SHOP)))
    assert "No components were found." in "".join(architecture_picture.html(report()))


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", 'a"b&c', "\x1b[31m\u202e", "\udc80", "]]>"]
)
def test_names_do_no_harm(name):
    one = Component(name, 1, 1, (f"{name}.py",), (Need(name, 1),))
    found = report(one, cycles=((f"{name}.py", "b.py"),))
    page = "".join(architecture_picture.html(found))
    assert len(boxes(drawn(found))) == 1
    assert "<script" not in page
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e\udc80]", page)
    # nothing is loaded from anywhere
    assert not re.search(r"(src|href|url|@import)\s*[=(]", page)


@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
def test_a_browser_shows_the_page(tmp_path):
    dom = shown("".join(architecture_picture.html(report(*SHOP))), tmp_path)
    assert dom.count('class="component"') == len(SHOP)
    assert dom.count("<tr>") == len(SHOP) + 1
