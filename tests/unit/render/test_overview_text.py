"""The map and the architecture as lines and as documents."""

import json

from gitsearch.render import json_document, overview_text
from gitsearch.render.color import Paint
from gitsearch.reports.overview import Component, Need, Role, SignatureLine
from tests.unit.render.reports import ARCHITECTURE, CHART


def drawn(lines, report, brush=None):
    return "".join(lines(report, brush or Paint()))


def test_a_map():
    assert drawn(overview_text.code_map, CHART) == (
        "core\n"
        "src/retry.py  Tries again.\n"
        "    class Policy\n"
        "src/a b.py\n"
        "peripheral\n"
        "src/c.py\n"
        "\n"
        "3 of 9 files in 40 tokens; --budget shows more; too large for what was left: "
        "src/large.py\n"
    )


def test_a_whole_map_ends_with_its_last_file():
    assert drawn(overview_text.code_map, CHART._replace(left_out=0)).endswith("src/c.py\n")


def test_an_architecture():
    assert drawn(overview_text.architecture, ARCHITECTURE) == (
        "2 components, 11 files, 1 entry point, 3 hubs, 2 leaves, 5 peripheral, 2 cycles "
        "(3 without imports; 6 tests, examples and the like beside them)\n"
        "\n"
        "layer 1\n"
        "app (2 files)\n"
        "    core: main.py\n"
        "    needs: src 3\n"
        "\n"
        "layer 0\n"
        "src (8 files)\n"
        "    core: retry.py\n"
        "\n"
        "entry points:\n"
        "app/main.py (imports 3)\n"
        "\n"
        "hubs:\n"
        "src/text.py (imported by 8, imports 6)\n"
        "src/log.py (imported by 7, imports 5)\n"
        "src/net.py (imported by 6, imports 4)\n"
        "\n"
        "cycles of imports:\n"
        "src/c.py <> src/d.py\n"
        "src/log.py <> src/net.py <> src/text.py\n"
    )


def test_long_lists_are_cut_and_counted():
    report = ARCHITECTURE._replace(
        components=tuple(Component(f"c{i}", 2, 0, (), ()) for i in range(25)),
        files=tuple(Role(f"f{i:02}", "hub", "c0", 9, i) for i in range(13)),
        cycles=tuple((f"a{i}", f"b{i}", f"c{i}", f"d{i}") for i in range(12)),
    )
    text = drawn(overview_text.architecture, report)
    assert "and 5 smaller components with 10 files\n" in text
    assert "hubs:\nf12 (imported by 9, imports 12)\n" in text
    assert "and 3 more\n" in text
    assert "a0 <> b0 <> c0 and 1 more\n" in text
    assert text.endswith("and 2 more\n")


def test_what_a_repository_says_is_harmless():
    evil = "\x1b[2J\n\u202e"
    module = CHART.modules[0]._replace(
        path=f"a{evil}", doc=evil, signatures=(SignatureLine(1, f"f({evil})"),)
    )
    text = drawn(overview_text.code_map, CHART._replace(modules=(module,), too_large=(evil,)))
    component = Component(evil, 1, 0, (evil,), (Need(evil, 1),))
    report = ARCHITECTURE._replace(
        components=(component,), files=(Role(evil, "hub", evil, 3, 3),), cycles=((evil, evil),)
    )
    text += drawn(overview_text.architecture, report)
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_colours_are_all_that_differs():
    coloured = drawn(overview_text.code_map, CHART, Paint(colour=True))
    assert "\x1b[35msrc/retry.py\x1b[m" in coloured


def test_documents():
    found = json.loads(json_document.dump(json_document.code_map(CHART)))
    assert found["schema"] == 1
    assert found["query"] == {"text": "retries", "paths": ["src"]}
    assert found["modules"][0] == {
        "path": "src/retry.py",
        "language": "python",
        "tier": "core",
        "rank": 0.25,
        "doc": "Tries again.",
        "signatures": [{"line": 4, "text": "class Policy"}],
    }
    assert (found["left_out"], found["too_large"], found["warnings"]) == (6, ["src/large.py"], [])
    found = json.loads(json_document.dump(json_document.document(ARCHITECTURE)))
    assert found["components"][1] == {
        "name": "app",
        "size": 2,
        "layer": 1,
        "core": ["app/main.py"],
        "needs": [{"name": "src", "edges": 3}],
    }
    assert found["files"][3] == {
        "path": "src/log.py",
        "role": "hub",
        "component": "src",
        "imported_by": 7,
        "imports": 5,
    }
    assert found["files"][6] == {
        "path": "src/x.py",
        "role": "peripheral",
        "component": None,
        "imported_by": 0,
        "imports": 0,
    }
    assert found["cycles"] == [
        ["src/c.py", "src/d.py"],
        ["src/log.py", "src/net.py", "src/text.py"],
    ]
