"""What depends on what, as it is shown; a path may be anything."""

import re

import pytest

from gitsearch.render import impact_text
from gitsearch.render.color import Paint
from gitsearch.reports.lookup import (
    BrokenReference,
    Dependent,
    GraphChanges,
    ImpactReport,
    PathLine,
    RemovedDefinition,
    UnresolvedImport,
)
from tests.unit.render.reports import COVERAGE, TREE

HOSTILE = [
    'a"b.py',
    "a`b``c.py",
    "`",
    " x ",
    "a\nb\x1b[31m.py",
    "<img src=x onerror=alert(1)>.py",
    "[x](http://evil)@you.py",
    "a|b]-->n1;click n0 x.py",
    'x" [shape=none]; }//.py',
    "a\\",
    "\udcff.py",
    "\u202egpj.py",
]


def report(*paths, label="resolved", **more):
    target = "target.py"
    found = tuple(
        Dependent(path, 1, (path, target), label, "import", 3, False, ("@team",)) for path in paths
    )
    return ImpactReport(
        **{
            "tree": TREE,
            "coverage": COVERAGE._replace(skipped={}),
            "targets": ((target, None),),
            "dependents": found,
            "tests": (),
            "unseen": (),
            "truncated": 0,
            "warnings": (),
            **more,
        }
    )


def test_lines_for_people():
    one = Dependent("b.py", 2, ("b.py", "a.py", "t.py"), "ambiguous", "export", 7, True, ())
    unresolved = tuple(UnresolvedImport("dynamic-import", f"{name}.py", 1) for name in "abcd")
    tests = ("b.py", "d.py", "e.py")
    found = report(dependents=(one,), truncated=5, tests=tests, unseen=unresolved)
    assert "".join(impact_text.lines(found, Paint())) == (
        "b.py:7: exports from a.py < t.py  (2 hops, ambiguous, test)\n"
        "and 5 more\n"
        "\ntests to run:\nb.py\nand 2 more\n"
        "\nwhat else may depend on it:\n"
        "4 imports could not be resolved (4 dynamic-import), for example a.py:1.\n"
    )


def test_files_that_were_not_read_are_counted():
    skipped = {"binary": 3, "generated": 2, "too-large": 1, "absent": 0}
    found = report("a.py", coverage=COVERAGE._replace(skipped=skipped))
    assert "".join(impact_text.lines(found, Paint())).endswith(
        "\nwhat else may depend on it:\n3 files were not read (2 generated, 1 too-large).\n"
    )
    assert "".join(impact_text.markdown(found)).endswith(
        "\n3 files were not read (2 `generated`, 1 `too-large`).\n"
    )


def test_a_change_for_people():
    lost = RemovedDefinition(
        "a.py", "A.run", "removed", "def run(x)", None, (PathLine("b.py", 4),)
    )
    delta = GraphChanges(
        added=(("a.py", "b.py"),),
        removed=(),
        gained=("c.py",),
        lost=(),
        cycles=(("a.py", "b.py"),),
        dangling=(BrokenReference("c.py", 1, "gone", "gone.py"),),
        exports=(lost,),
    )
    assert "".join(impact_text.lines(report(delta=delta), Paint())) == (
        "\nbroken imports:\nc.py:1: gone was gone.py\n"
        "\nremoved and changed definitions:\n"
        "a.py: A.run removed: def run(x)\n    used in b.py:4\n"
        "\nnew import cycles:\na.py <> b.py\n"
        "\nadded imports:\na.py > b.py\n"
        "\nnew dependents of the changed files:\nc.py\n"
    )


@pytest.mark.parametrize("path", HOSTILE)
def test_a_path_stays_in_its_code_span(path):
    text = "".join(impact_text.markdown(report(path)))
    (line,) = [line for line in text.splitlines() if line.startswith("- ")]
    # CommonMark: a code span ends at the next run of as many backticks as it began with
    rest = line.removeprefix("- ")
    opening = rest[: len(rest) - len(rest.lstrip("`"))]
    inside, closing, after = rest[len(opening) :].partition(opening)
    assert closing
    assert not after.startswith("`")
    assert after.endswith(" imports `target.py` `@team`")
    assert not re.search(r"[\x00-\x1f\u202e]", inside)


@pytest.mark.parametrize("path", HOSTILE)
def test_a_path_stays_in_its_label(path):
    drawn = "".join(impact_text.mermaid(report(path)))
    assert re.fullmatch(
        r'flowchart LR\n    n0\["target\.py"\]\n    n1\["[^"\n\[\]<>`]*"\]\n    n1 --> n0\n', drawn
    )
    drawn = "".join(impact_text.dot(report(path)))
    (label,) = re.findall(r'n1 \[label="(.*)"\];\n', drawn)
    assert not re.search(r'(?<!\\)(?:\\\\)*"', label)
    assert drawn.count("\n") == 7


def test_a_flowchart_shows_the_likeliest():
    found = report(*(f"{number}.py" for number in range(50)), truncated=3)
    drawn = "".join(impact_text.mermaid(found))
    assert drawn.count('.py"]') == 30
    assert '"28.py"' in drawn
    assert 'more["and 24 more"]' in drawn
    assert "".join(impact_text.dot(found)).count("label=") == 51


def test_what_is_ambiguous_is_drawn_otherwise():
    assert "n1 -.-> n0" in "".join(impact_text.mermaid(report("a.py", label="ambiguous")))
    assert "n1 -> n0 [style=dashed];" in "".join(
        impact_text.dot(report("a.py", label="ambiguous"))
    )
