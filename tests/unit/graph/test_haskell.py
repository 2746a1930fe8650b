"""Haskell: modules, and the packages that have them."""

from __future__ import annotations

import pytest

from gitsearch.graph.resolvers.haskell import Haskell
from tests.unit.graph.projects import edges, project


@pytest.mark.parametrize(
    "line",
    [
        "import A.B",
        "import qualified A.B as X",
        "import A.B (f, g)",
        'import "pkg" A.B',
        "import {-# SOURCE #-} A.B",
    ],
)
def test_an_import_leads_to_the_module(line):
    files = {
        "src/A/B.hs": "module A.B where\n",
        "src/M.hs": f"module M where\n{line}\nimport Data.Map\n",
    }
    assert edges(files, "src/M.hs") == {"src/A/B.hs": "resolved"}


def test_a_file_without_a_header_is_called_by_its_path():
    files = {"lib/A/B.hs": "f = 1\n", "M.hs": "import A.B\n"}
    assert edges(files, "M.hs") == {"lib/A/B.hs": "resolved"}


def packages(settings: str) -> dict[str, str]:
    """Two packages with a module of one name, and one that imports it."""
    return {
        "one/one.cabal": "",
        "one/A.hs": "module A where\n",
        "two/two.cabal": "",
        "two/src/A.hs": "module A where\n",
        "two/test/M.hs": "import A\n",
        "three/three.cabal": settings,
        "three/M.hs": "import A\n",
    }


def test_the_own_package_comes_first():
    assert edges(packages(""), "two/test/M.hs") == {"two/src/A.hs": "resolved"}


def test_a_package_that_is_depended_on_comes_next():
    found = {"two/src/A.hs": "resolved"}
    assert edges(packages("build-depends: base, two >= 1\n"), "three/M.hs") == found


def test_else_it_cannot_be_told():
    found = {"one/A.hs": "ambiguous", "two/src/A.hs": "ambiguous"}
    assert edges(packages("build-depends: two-more\n"), "three/M.hs") == found


def test_two_forms_in_one_package_are_ambiguous_but_for_those_beside_them():
    files = {
        "p.cabal": "",
        "q/q.cabal": "",
        "q/with/A.hs": "module A where\n",
        "q/without/A.hs": "module A where\n",
        "q/src/M.hs": "import A\n",
        "q/with/N.hs": "import A\n",
    }
    found = {"q/with/A.hs": "ambiguous", "q/without/A.hs": "ambiguous"}
    assert edges(files, "q/src/M.hs") == found
    assert edges(files, "q/with/N.hs") == {"q/with/A.hs": "resolved"}


@pytest.mark.parametrize("path", ["M.hs", "X/" * 1500 + "M.hs"])
@pytest.mark.parametrize("text", ["import " + "A." * 9000 + "B\n", "module where\nimport\n", "\0"])
def test_no_content_is_too_strange(text, path):
    files = {"x.cabal": "\0", "package.yaml": "- [", path: text}
    assert edges(files, path) == {}


def test_the_answers_depend_on_names_of_modules_and_on_packages():
    def told(text: str, settings: str) -> list[str]:
        return list(Haskell(project({"A.hs": text, "p.cabal": settings})).depends_on())

    same = told("module A where\n", "")
    assert told("module A where\nf = 1\n", "") == same
    assert told("module B where\n", "") != same
    assert told("module A where\n", "x") != same
