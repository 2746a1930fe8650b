"""TOML and INI as tables, and nothing where a file is none or is made to take for ever."""

import pytest

from gitsearch.graph.resolvers.settings_files import ini, toml


def test_a_file_says_what_it_says():
    assert toml('[a.b]\nc = ["d"]\n') == {"a": {"b": {"c": ["d"]}}}
    text = "[options]\nwhere  =   a  b\n[other]\nx = 1\n[tool:x]\npath =\n    one\n    two\n"
    assert ini(text, ("options", "tool:x", "absent")) == {
        ("options", "where"): ["a b"],
        ("tool:x", "path"): ["", "one", "two"],
    }


@pytest.mark.parametrize(
    "text", [None, "", "[", "a = " + "9" * 5000, "a = " + "[" * 10_000, "a" + ".a" * 50_000 + "=1"]
)
def test_what_is_no_toml_is_empty(text):
    assert toml(text) == {}


@pytest.mark.parametrize(
    "text", [None, "", "a = 1", "[a]\nb" + " " * 200_000 + "c", "[a]\nb = 1\n" + "#" * (1 << 18)]
)
def test_what_is_no_ini_is_empty(text):
    assert ini(text, ("a",)) == {}
