"""Elixir: modules by whole names and aliases."""

from __future__ import annotations

import pytest

from gitsearch.graph.resolvers.elixir import Elixir
from tests.unit.graph.projects import edges, project

FILES = {
    "lib/x.ex": "defmodule A.X do\n  defmodule In do\n  end\nend\n",
    "lib/y.ex": "defmodule A.Y do\nend\n",
}


def found(body: str) -> dict[str, str]:
    """Where a module with this body leads."""
    lines = "".join(f"  {line}\n" for line in body.split("\n"))
    text = f"defmodule A.M do\n{lines}end\n"
    return edges({**FILES, "lib/m.ex": text}, "lib/m.ex")


@pytest.mark.parametrize(
    "line",
    ["alias A.X", "alias A.X, as: Z", "import A.X", "require A.X", "use A.X, :y", "alias A.X.In"],
)
def test_statements_lead_to_the_file_of_the_module(line):
    assert found(line) == {"lib/x.ex": "resolved"}


def test_several_modules_may_share_a_statement():
    assert found("alias A.{X, Y}") == {"lib/x.ex": "resolved", "lib/y.ex": "resolved"}


def test_a_protocol_is_needed_by_what_implements_it():
    files = {"p.ex": "defprotocol P do\nend\n", "m.ex": "defimpl P, for: Atom do\nend\n"}
    assert edges(files, "m.ex") == {"p.ex": "resolved"}


@pytest.mark.parametrize(
    "code",
    ["def f, do: A.X.go()", "def f, do: %A.X.In{}", "@behaviour A.X", "@type t :: A.X.t()"],
)
def test_whole_names_in_the_code_are_uses(code):
    assert found(code) == {"lib/x.ex": "used"}


@pytest.mark.parametrize(
    ("alias", "name"), [("A", "A.Y"), ("A.X, as: Y", "Y"), ("A.X", "X.In"), ("A.X, as: Z", "Z.In")]
)
def test_names_are_read_with_the_aliases(alias, name):
    whole = "lib/y.ex" if alias == "A" else "lib/x.ex"
    assert set(found(f"alias {alias}\ndef f, do: {name}.go()")) == {whole}


def test_an_alias_may_start_with_another():
    assert set(found("alias A.X\nalias X.In")) == {"lib/x.ex"}


def test_the_own_module_may_be_the_start():
    files = {
        "m.ex": "defmodule M do\n  alias __MODULE__.N\n  alias __MODULE__.{O}\nend\n",
        "n.ex": "defmodule M.N do\nend\n",
        "o.ex": "defmodule M.O do\nend\n",
    }
    assert edges(files, "m.ex") == {"n.ex": "resolved", "o.ex": "resolved"}


def test_a_nested_module_is_known_by_its_last_name():
    files = {
        "m.ex": "defmodule M do\n  defmodule Y do\n  end\n  def f, do: Y.go()\nend\n",
        "y.ex": "defmodule Y do\nend\n",
    }
    assert edges(files, "m.ex") == {}


def test_of_several_definitions_that_of_the_own_application_is_meant():
    text = "defmodule X do\nend\n"
    files = {
        "apps/a/mix.exs": "",
        "apps/a/lib/x.ex": text,
        "apps/b/mix.exs": "",
        "apps/b/lib/x.ex": text,
        "apps/a/test/m.exs": "import X\n",
        "m.ex": "import X\n",
    }
    assert edges(files, "apps/a/test/m.exs") == {"apps/a/lib/x.ex": "resolved"}
    unsure = {"apps/a/lib/x.ex": "ambiguous use", "apps/b/lib/x.ex": "ambiguous use"}
    assert edges(files, "m.ex") == unsure


@pytest.mark.parametrize(
    "text",
    ["alias " + "A." * 5000 + "B\n", "alias X\n" * 500 + "alias X.X.X\n" * 500, "use \0\nalias\n"],
)
@pytest.mark.parametrize("path", ["m.ex", "x/" * 1500 + "m.ex"])
def test_no_content_is_too_strange(text, path):
    assert edges({**FILES, path: text}, path) == {}


def test_the_answers_depend_on_the_modules():
    def told(text: str) -> list[str]:
        return list(Elixir(project({"m.ex": text})).depends_on())

    same = told("defmodule M do\nend\n")
    assert told("defmodule M do\n  def f, do: 1\nend\n") == same
    assert told("defmodule N do\nend\n") != same
