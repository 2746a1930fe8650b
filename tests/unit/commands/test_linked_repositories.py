"""Uses and dependents across repositories, by the packages that they publish and import."""

import json
import shutil

import pytest

from gitsearch.cli.application import run
from gitsearch.commands.impact import ImpactRequest, impact_in
from gitsearch.commands.refs import references_in
from gitsearch.errors import BadPath, UsageError
from gitsearch.settings import RepositoryNames
from tests.builder import RepoBuilder
from tests.unit.commands.asked import indexed, session, warm_parsers

HERE = RepositoryNames((".",))

# Of each language a library, and repositories that use it by the name of its package.
PYTHON = {
    "pylib": {
        "pyproject.toml": '[project]\nname = "acme-retry"\n',
        "src/acme_retry/__init__.py": "from .policy import RetryPolicy\n",
        "src/acme_retry/policy.py": "class RetryPolicy:\n    def run(self):\n        return 1\n",
        "src/acme_retry/inside.py": "from .policy import RetryPolicy\n\nx = RetryPolicy()\n",
        "tests/helpers.py": "def helper():\n    return 1\n",
    },
    "pyapp": {
        "app.py": "from acme_retry import RetryPolicy\n\npolicy = RetryPolicy()\n",
        "views.py": "import app\n\nprint(app.policy)\n",
        "test_app.py": "from acme_retry.policy import RetryPolicy\n\nRetryPolicy().run()\n",
        "tests/helpers.py": "",
        "other.py": "from tests.nothing import helper\nimport yaml\n\nhelper()\n",
        "CODEOWNERS": "app.py @payments\n",
    },
    "pyold": {"legacy.py": "class RetryPolicy:\n    pass\n\n\nRetryPolicy()\n"},
}
TYPESCRIPT = {
    "tslib": {
        "package.json": '{"private": true, "workspaces": ["packages/*"]}',
        "packages/core/package.json": '{"name": "@acme/core", "main": "dist/index.js"}',
        "packages/core/src/index.ts": 'export * from "./format";\n',
        "packages/core/src/format.ts":
            "export function formatMoney(x: number) {\n  return x;\n}\n",
    },
    "tsapp": {
        "package.json": '{"name": "shop", "dependencies": {"@acme/core": "^1.0.0"}}',
        "src/cart.ts": 'import { formatMoney } from "@acme/core";\n\nformatMoney(1);\n',
        "src/page.tsx": 'import "./cart";\n',
    },
}  # fmt: skip
GO = {
    "golib": {
        "go.mod": "module example.com/acme/money\n\ngo 1.22\n",
        "round/round.go": "package round\n\nfunc Half(x int) int { return x / 2 }\n",
    },
    "goapp": {
        "go.mod": "module example.com/acme/shop\n\nrequire example.com/acme/money v1.0.0\n",
        "main.go": 'package main\n\nimport "example.com/acme/money/round"\n\n'
                   "func main() { round.Half(4) }\n",
    },
}  # fmt: skip
JAVA = {
    "javalib": {
        "pom.xml": "<project><parent><groupId>com.acme</groupId><artifactId>parent</artifactId>"
                   "</parent><artifactId>money</artifactId><dependencies><dependency>"
                   "<artifactId>junit</artifactId></dependency></dependencies></project>",
        "src/main/java/com/acme/money/Rounding.java":
            "package com.acme.money;\n\npublic class Rounding {\n    public static int half(int x)"
            " { return x / 2; }\n}\n",
    },
    "javaapp": {
        "build.gradle": "dependencies { implementation 'com.acme:money:1.0' }\n",
        "src/main/java/shop/Cart.java":
            "package shop;\n\nimport com.acme.money.Rounding;\n\nclass Cart {\n    int x ="
            " Rounding.half(4);\n}\n",
        "src/main/java/shop/All.java":
            "package shop;\n\nimport com.acme.money.*;\n\nclass All {\n    int x ="
            " Rounding.half(4);\n}\n",
    },
}  # fmt: skip
RUST = {
    "rustlib": {
        "Cargo.toml": '[package]\nname = "acme-money"\nedition = "2021"\n',
        "src/lib.rs": "pub mod round;\n",
        "src/round.rs": "pub fn half(x: i32) -> i32 {\n    x / 2\n}\n",
    },
    "rustapp": {
        "Cargo.toml": '[package]\nname = "shop"\nedition = "2021"\n\n[dependencies]\n'
                      'acme-money = "1"\n',
        "src/main.rs": "use acme_money::round::half;\n\nfn main() {\n    half(4);\n}\n",
    },
}  # fmt: skip
ALL = PYTHON | TYPESCRIPT | GO | JAVA | RUST


@pytest.fixture(scope="module")
def template(isolation, tmp_path_factory):
    """A folder with the repositories, each with an index; never to be changed."""
    del isolation
    folder = tmp_path_factory.mktemp("work")
    warm_parsers()
    for name, files in ALL.items():
        indexed(RepoBuilder(folder / name).having(files))
    return folder


@pytest.fixture
def repositories(template, tmp_path):
    return shutil.copytree(template, tmp_path / "work", symlinks=True)


def uses(folder, name):
    """By repository and place, what a use means, and the package by which it is reached."""
    report = references_in(session(folder), HERE, name, None)
    return {
        f"{one.repository}:{one.path}:{one.line}": (
            one.label,
            one.target and one.target.path,
            one.package and (one.package.name, one.package.manifest, one.package.repository),
        )
        for one in report.references
    }


def users(folder, *targets, **options):
    """By repository and path the dependents in other repositories than that of the target."""
    request = ImpactRequest(targets, **options)
    report = impact_in(session(folder), HERE, request)
    return {
        f"{one.repository}:{one.path}": (one.hops, one.label, one.package.name)
        for one in report.dependents
        if one.package
    }


# ---------------------------------------------------------------- uses


def test_uses_of_a_python_package(template):
    policy = "src/acme_retry/policy.py"
    package = ("acme-retry", "pyproject.toml", "pylib")
    assert uses(template, "RetryPolicy") == {
        "pylib:src/acme_retry/__init__.py:1": ("resolved", policy, None),
        "pylib:src/acme_retry/inside.py:1": ("resolved", policy, None),
        "pylib:src/acme_retry/inside.py:3": ("resolved", policy, None),
        "pyapp:app.py:1": ("resolved", policy, package),
        "pyapp:app.py:3": ("resolved", policy, package),
        "pyapp:test_app.py:1": ("resolved", policy, package),
        "pyapp:test_app.py:3": ("resolved", policy, package),
        "pyold:legacy.py:5": ("resolved", "legacy.py", None),
    }
    # tests beside the package are not installed
    assert uses(template, "helper")["pyapp:other.py:4"][0] == "by-name"


def test_uses_of_packages_in_other_languages(template):
    assert uses(template, "formatMoney")["tsapp:src/cart.ts:3"] == (
        "resolved",
        "packages/core/src/format.ts",
        ("@acme/core", "packages/core/package.json", "tslib"),
    )
    assert uses(template, "Half")["goapp:main.go:5"] == (
        "resolved",
        "round/round.go",
        ("example.com/acme/money", "go.mod", "golib"),
    )
    found = uses(template, "Rounding")
    money = "src/main/java/com/acme/money/Rounding.java"
    package = ("com.acme:money", "pom.xml", "javalib")
    assert found["javaapp:src/main/java/shop/Cart.java:6"] == ("resolved", money, package)
    assert found["javaapp:src/main/java/shop/All.java:6"] == ("resolved", money, package)
    found = uses(template, "half")["rustapp:src/main.rs:4"]
    assert found == ("resolved", "src/round.rs", ("acme-money", "Cargo.toml", "rustlib"))


@pytest.mark.long
def test_uses_are_the_same_without_an_index(repositories, template):
    expected = {name: uses(template, name) for name in ("RetryPolicy", "formatMoney", "Half")}
    for name in ALL:
        shutil.rmtree(repositories / name / ".git" / "search")
    assert {name: uses(repositories, name) for name in expected} == expected


@pytest.mark.long
def test_two_publishers_of_one_package_are_ambiguous(repositories):
    shutil.copytree(repositories / "pylib", repositories / "pyfork", symlinks=True)
    assert uses(repositories, "RetryPolicy")["pyapp:app.py:3"] == (
        "ambiguous",
        None,
        ("acme-retry", "pyproject.toml", "pyfork"),
    )
    request = ImpactRequest(("pylib/src/acme_retry/policy.py",))
    report = impact_in(session(repositories), HERE, request)
    assert {one.resolution for one in report.dependents if one.package} == {"ambiguous"}


# ---------------------------------------------------------------- dependents


def test_dependents_of_a_python_package(template):
    assert users(template, "pylib/src/acme_retry/policy.py:RetryPolicy") == {
        "pyapp:app.py": (2, "likely", "acme-retry"),
        "pyapp:test_app.py": (1, "likely", "acme-retry"),
        "pyapp:views.py": (3, "possible", "acme-retry"),
    }
    assert users(template, "pylib/src/acme_retry/policy.py", hops=1) == {
        "pyapp:test_app.py": (1, "likely", "acme-retry")
    }
    assert users(template, "pylib/src/acme_retry/inside.py") == {}


def test_dependents_of_packages_in_other_languages(template):
    assert users(template, "tslib/packages/core/src/format.ts:formatMoney") == {
        "tsapp:src/cart.ts": (2, "likely", "@acme/core"),
        "tsapp:src/page.tsx": (3, "possible", "@acme/core"),
    }
    assert users(template, "golib/round/round.go") == {
        "goapp:main.go": (1, "likely", "example.com/acme/money")
    }
    assert users(template, "javalib/src/main/java/com/acme/money/Rounding.java") == {
        "javaapp:src/main/java/shop/Cart.java": (1, "likely", "com.acme:money"),
        "javaapp:src/main/java/shop/All.java": (1, "likely", "com.acme:money"),
    }
    assert users(template, "rustlib/src/round.rs:half") == {
        "rustapp:src/main.rs": (1, "likely", "acme-money")
    }


@pytest.mark.long
def test_dependents_of_dependents_in_a_third_repository(repositories):
    files = {
        "setup.cfg": "[metadata]\nname = pyshop\n",
        "pyshop/__init__.py": "",
        "pyshop/basket.py": "from acme_retry import RetryPolicy\n\np = RetryPolicy()\n",
    }
    RepoBuilder(repositories / "pyshop").having(files)
    RepoBuilder(repositories / "pysite").having({"site.py": "from pyshop import basket\n"})
    found = users(repositories, "pylib/src/acme_retry/policy.py")
    assert found["pyshop:pyshop/basket.py"] == (2, "likely", "acme-retry")
    assert found["pysite:site.py"] == (3, "possible", "pyshop")


def test_the_report_says_how_others_are_reached(template, monkeypatch, capsys):
    monkeypatch.chdir(template / "pylib")
    target = "src/acme_retry/policy.py:RetryPolicy"
    assert run(("impact", "--in", "..", "--json", target)) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["repository"] == "pylib"
    assert {one["repository"] for one in document["repositories"]} == set(ALL)
    found = {(one["repository"], one["path"]): one for one in document["dependents"]}
    assert found["pyapp", "app.py"]["via"] == [
        "pyapp:app.py",
        "pylib:src/acme_retry/__init__.py",
        "pylib:src/acme_retry/policy.py",
    ]
    assert found["pyapp", "app.py"]["owners"] == ["@payments"]
    assert found["pyapp", "test_app.py"]["test"]
    assert found["pyapp", "app.py"]["package"] == {
        "name": "acme-retry", "manifest": "pyproject.toml", "repository": "pylib"
    }  # fmt: skip
    assert "package" not in found["pylib", "src/acme_retry/inside.py"]
    assert document["tests"] == []
    assert run(("impact", "--in", "..", target)) == 0
    out = capsys.readouterr().out
    assert "pyapp:app.py:1: imports pylib:src/acme_retry/__init__.py < " in out
    assert "by acme-retry" in out
    assert run(("refs", "--in", "..", "RetryPolicy")) == 0
    out = capsys.readouterr().out
    assert "pyapp:app.py:3: call of pylib:src/acme_retry/policy.py:1 by acme-retry" in out


def test_what_is_asked_of_many_at_once_is_refused(template, monkeypatch, capsys):
    monkeypatch.chdir(template)
    own = session(template)
    paths = ("pylib/src/acme_retry/policy.py", "golib/round/round.go")
    with pytest.raises(UsageError, match="several repositories"):
        impact_in(own, HERE, ImpactRequest(paths))
    with pytest.raises(BadPath, match="in none of"):
        impact_in(own, HERE, ImpactRequest(("../elsewhere.py",)))
    with pytest.raises(BadPath, match="no file"):
        impact_in(own, HERE, ImpactRequest(("pylib/nothing.py",)))
    for option in ("--md", "--dot", "--cached", "--html"):
        assert run(("impact", "--in", ".", option, paths[0])) == 129
    assert len(capsys.readouterr().err.splitlines()) == 4


@pytest.mark.long
def test_hostile_manifests_publish_nothing(repositories):
    hostile = {
        "pyproject.toml": "name = [" * 1000,
        "setup.cfg": "[metadata\nname",
        "package.json": '{"name": ["@acme/core"], "exports": {".": 7}}',
        "go.mod": "module\nmodule (\n",
        "Cargo.toml": '[package]\nname = 7\n[lib]\nname = "acme_money"\n',
        "pom.xml": "<parent>" * 1000 + "<groupId>",
        "src/acme_retry/__init__.py": "",
        "src/lib.rs": "",
    }
    RepoBuilder(repositories / "hostile").having(hostile)
    found = uses(repositories, "formatMoney")
    assert found["tsapp:src/cart.ts:3"][0] == "resolved"
    assert uses(repositories, "half")["rustapp:src/main.rs:4"][0] == "resolved"
