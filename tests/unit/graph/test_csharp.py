"""C#: namespaces opened and around, projects, parts of a type."""

from __future__ import annotations

import pytest

from gitsearch.graph.resolvers.csharp import CSharp
from tests.unit.graph.projects import edges, project


def test_a_using_leads_to_the_files_of_which_a_type_is_named():
    files = {
        "A.cs": "namespace X.Y;\nclass A {}\n",
        "B.cs": "namespace X.Y { class B {} }\n",
        "M.cs": "using X.Y;\nusing System;\nnamespace M;\nclass M { A a; }\n",
    }
    assert edges(files, "M.cs") == {"A.cs": "resolved"}


def test_namespaces_around_are_seen_without_a_using():
    files = {
        "A.cs": "namespace X;\nclass A {}\n",
        "B.cs": "namespace X.Y.Z;\nclass B : A {}\n",
        "C.cs": "namespace X.Other;\nclass C {}\n",
        "D.cs": "class D { C c; A a; }\n",
    }
    assert edges(files, "B.cs") == {"A.cs": "used"}
    assert edges(files, "D.cs") == {}


@pytest.mark.parametrize(
    "directive",
    [
        "using static X.Y.A;",
        "using B = X.Y.A;",
        "using B = X.Y.A<int>;",
        "using global::X.Y;",
        "using X.Y.A.Inner;",
    ],
)
def test_every_form_of_using_leads_to_the_type(directive):
    files = {
        "A.cs": "namespace X.Y;\npublic class A { public class Inner {} }\n",
        "M.cs": f"{directive}\nclass M {{ A a; }}\n",
    }
    assert edges(files, "M.cs") == {"A.cs": "resolved"}


def test_a_using_inside_a_namespace_may_be_relative():
    files = {
        "A.cs": "namespace X.Y;\nclass A {}\n",
        "M.cs": "namespace X.M { using Y; class M { A a; } }\n",
    }
    assert edges(files, "M.cs") == {"A.cs": "resolved"}


def test_an_attribute_is_named_without_its_suffix():
    files = {
        "A.cs": "namespace X;\nclass ShinyAttribute {}\n",
        "M.cs": "using X;\n[Shiny]\nclass M {}\n",
    }
    assert edges(files, "M.cs") == {"A.cs": "resolved"}


def test_global_usings_hold_for_the_files_of_the_project():
    files = {
        "one/one.csproj": "<Project/>",
        "one/A.cs": "namespace X;\nclass A {}\n",
        "one/Usings.cs": "global using X;\n",
        "one/M.cs": "namespace M;\nclass M { A a; }\n",
        "two/two.csproj": '<ProjectReference Include="..\\one\\one.csproj" />',
        "two/M.cs": "namespace M;\nclass N { A a; }\n",
    }
    assert edges(files, "one/M.cs") == {"one/A.cs": "used"}
    assert edges(files, "two/M.cs") == {}


def test_a_project_file_may_open_namespaces():
    files = {
        "Directory.Build.props": '<Using Include="X" />',
        "one/one.csproj": "<Project/>",
        "one/A.cs": "namespace X;\nclass A {}\n",
        "one/M.cs": "namespace M;\nclass M { A a; }\n",
    }
    assert edges(files, "one/M.cs") == {"one/A.cs": "used"}


def test_the_parts_of_a_type_need_each_other():
    files = {
        "A.cs": "namespace X;\npartial class A {}\n",
        "A.More.cs": "namespace X;\npartial class A {}\n",
        "M.cs": "namespace X;\nclass M : A {}\n",
    }
    assert edges(files, "A.cs") == {"A.More.cs": "used"}
    assert edges(files, "M.cs") == {"A.cs": "used", "A.More.cs": "used"}


def several() -> dict[str, str]:
    """Two projects with the same type, and two that use it, one of which says which."""
    text = "namespace X;\nclass A {}\n"
    use = "namespace M;\nusing X;\nclass M { A a; }\n"
    return {
        "one/one.csproj": "",
        "one/A.cs": text,
        "two/two.csproj": "",
        "two/A.cs": text,
        "three/three.csproj": '<ProjectReference Include="../two/two.csproj" />',
        "three/M.cs": use,
        "four/four.csproj": "",
        "four/M.cs": use,
    }


def test_of_the_same_type_in_several_projects_that_in_sight_is_meant():
    assert edges(several(), "three/M.cs") == {"two/A.cs": "resolved"}
    found = {"one/A.cs": "ambiguous", "two/A.cs": "ambiguous"}
    assert edges(several(), "four/M.cs") == found


def test_projects_see_what_those_that_they_refer_to_see():
    files = several()
    files["four/four.csproj"] = '<ProjectReference Include="..\\three\\three.csproj" />'
    assert edges(files, "four/M.cs") == {"two/A.cs": "resolved"}


def test_projects_may_share_what_they_say():
    files = several()
    files["four/four.csproj"] = '<Import Project="..\\more.props" />'
    files["more.props"] = (
        '<ProjectReference Include="one/one.csproj" /><Import Project="more.props"/>'
    )
    assert edges(files, "four/M.cs") == {"one/A.cs": "resolved"}


def test_a_linked_file_is_one_of_the_project_and_a_removed_one_is_not():
    files = several()
    files["four/four.csproj"] = '<Compile Include="..\\one\\**\\*.cs" />'
    files["three/three.csproj"] += '<Compile Remove="data/**" />'
    files["three/data/A.cs"] = "namespace X;\nclass A {}\n"
    assert edges(files, "four/M.cs") == {"one/A.cs": "resolved"}
    assert edges(files, "three/M.cs") == {"two/A.cs": "resolved"}


def test_where_no_type_is_named_methods_may_be_extensions():
    files = {
        "A.cs": "namespace X;\nstatic class A { static void Go(this int x) {} }\n",
        "M.cs": "using X;\nclass M { void F() { 1.Go(); } }\n",
    }
    assert edges(files, "M.cs") == {"A.cs": "ambiguous"}
    files["B.cs"] = "namespace Y;\nclass B { void Go() {} }\n"
    assert edges(files, "M.cs") == {}


@pytest.mark.parametrize(
    "text",
    [
        "using " + "A." * 5000 + "B;\n",
        "namespace " + "A." * 5000 + "B;\nclass C {}\n",
        "using ;\nusing = ;\nusing static;\nnamespace ;\nclass {}\n",
        "using X\0;\n",
    ],
)
@pytest.mark.parametrize("path", ["M.cs", "x/" * 1500 + "M.cs"])
def test_no_content_is_too_strange(text, path):
    files = {"a.csproj": '<Compile Include="../../..;C:\\;\0" /><Using Include=""/>', path: text}
    assert edges(files, path) == {}


def test_the_answers_depend_on_projects_and_definitions():
    def told(text: str, settings: str) -> list[str]:
        return list(CSharp(project({"A.cs": text, "a.csproj": settings})).depends_on())

    same = told("class A {}", "")
    assert told("class A { /* */ }", "") == same
    assert told("class B {}", "") != same
    assert told("class A {}", "<Project/>") != same
    assert told("global using X;\nclass A {}", "") != same
