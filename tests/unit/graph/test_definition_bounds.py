"""Definitions with very many users, overriding methods or members of one name."""

from __future__ import annotations

from time import process_time

import pytest

from gitsearch.commands.impact import ImpactRequest, impact
from gitsearch.extract.definition_uses import definition_facts
from tests.unit.commands.asked import session, warm_parsers
from tests.unit.graph.definitions import edges

MANY = 300

# So many files hand on a name, more than the stack of Python has room for.
LONG = 400


def test_of_very_many_implementing_types_none_is_followed_by_name(repo):
    types = "".join(f"type T{i} struct{{}}\n\nfunc (t T{i}) Run() {{}}\n\n" for i in range(MANY))
    repo.having(
        {
            "go.mod": "module m\n\ngo 1.19\n",
            "a/a.go": f"package a\n\ntype Runner interface{{ Run() }}\n\n{types}",
            "a/use.go": "package a\n\nfunc use(r Runner) { r.Run() }\n\n"
            "func make() { T7{}.Run() }\n",
        }
    )
    found = edges(repo)
    assert ("use", "call", "Runner.Run") in found
    assert ("make", "call", "T7.Run") in found
    assert not [edge for edge in found if edge[1] == "override"]


def test_a_definition_with_very_many_users_has_them_all(repo):
    warm_parsers()
    uses = "".join(f"export function u{i}() {{ return one(); }}\n" for i in range(1000))
    files = {f"u{i}.ts": "import { one } from './one';\none();\n" for i in range(40)}
    repo.having(
        {
            "one.ts": "export function one() { return 1; }\n",
            "many.ts": f"import {{ one }} from './one';\n{uses}",
            **files,
        }
    )
    found = impact(session(repo.path), ImpactRequest(("one.ts:one",)))
    assert {one.path for one in found.dependents} == {"many.ts", *files}
    assert {one.label for one in found.dependents} == {"certain"}


def test_of_very_many_members_that_a_composed_name_may_mean_none_is_followed(repo):
    methods = "".join(f"    def visit_{i}(self):\n        pass\n\n" for i in range(MANY))
    repo.having(
        {
            "visits.py": f"class Visitor:\n{methods}    def visit_one(self):\n        pass\n\n\n"
            "def visit(x):\n    getattr(Visitor(), f'visit_{x}')\n\n\n"
            "def visit_end(x):\n    getattr(Visitor(), f'{x}_one')\n"
        }
    )
    found = {edge for edge in edges(repo) if edge[0].startswith("visit")}
    assert {edge for edge in found if edge[1] == "callback"} == {
        ("visit_end", "callback", "Visitor.visit_one")
    }


def test_very_many_paths_in_strings_are_so_many_uses():
    paths = "".join(f"one('pkg.mod.{chr(97 + i % 26)}{i}x')\n" for i in range(2000))
    found = definition_facts(f"def use():\n    pass\n\n\n{paths}".encode(), "python")
    assert sum(use.form == "named" for use in found.uses) == 500


def test_texts_that_are_nested_very_deep_have_few_facts():
    deep = b"export const a = " + b"(" * 5000 + b"b" + b")" * 5000 + b";\n"
    assert len(definition_facts(deep, "typescript").uses) <= 1
    chain = b"function f(x) { return x" + b".a()" * 3000 + b"; }\n"
    found = definition_facts(chain, "javascript")
    assert {use.owner for use in found.uses if len(use.owner) > 200} == set()


def test_very_many_bounds_and_implementations_give_so_many_facts():
    bounds = ", ".join(f"Parameter{i}: VeryLongTraitName{i}" for i in range(1500))
    methods = " ".join(f"fn method_with_a_name{i}(&self) {{}}" for i in range(1500))
    text = f"impl<{bounds}> Shape for other::Type {{ {methods} }}"
    assert len(definition_facts(text.encode(), "rust").hints) == 50_000
    text = "struct B;" * 2000 + "".join(f"impl X{i} for B {{}}\n" for i in range(2000))
    assert len(definition_facts(text.encode(), "rust").uses) == 50_000


def test_what_a_text_says_again_and_again_is_noted_once():
    line = f" // {'x' * 80}\n"
    methods = "".join(f"fn f{i}() {{}}{line}" for i in range(4000))
    text = f"impl<T> Shape for X<T> where {f'T: A,{line}' * 4000} {{ {methods} }}"
    started = process_time()
    assert len(definition_facts(text.encode(), "rust").hints) == 4000
    text = f"struct B;{line}" * 4000 + f"impl A for B {{}}{line}" * 4000
    assert len(definition_facts(text.encode(), "rust").uses) == 4002
    assert process_time() - started < 10  # 27 s if each were noted


def test_of_very_many_functions_in_a_field_none_is_followed(repo):
    functions = "".join(f"static int f{i}(int n) {{ return n; }}\n" for i in range(MANY))
    table = ", ".join(f"{{ f{i} }}" for i in range(MANY))
    repo.having(
        {
            "a.c": f"struct many {{ int (*run)(int); }};\nstruct few {{ int (*go)(int); }};\n"
            f"{functions}struct many all[] = {{ {table} }};\nstruct few some = {{ f1 }};\n"
        }
    )
    assert {edge for edge in edges(repo) if edge[1] == "candidate"} == {
        ("few.go", "candidate", "f1")
    }


def test_tables_that_are_very_long_or_deep_have_so_many_facts():
    table = b"struct s t[] = { " + b"{ a_longer_name, another_name }, " * 20_000 + b"};\n"
    stored = [use for use in definition_facts(table, "c").uses if use.form == "stored"]
    assert len(stored) <= 10_000
    deep = b"struct s t = " + b"{ f, " * 500 + b"}" * 500 + b";\n"
    assert len(definition_facts(deep, "c").uses) < 100


def test_a_name_that_very_many_ways_lead_to_is_looked_for_in_each_file_once(repo):
    layers = 40  # each file hands on what two others do: 2 ** 40 ways
    files = {
        f"layer{layer}{one}.ts": "".join(
            f"export * from './layer{layer + 1}{next_one}';\n" for next_one in "ab"
        )
        for layer in range(layers)
        for one in "ab"
    }
    repo.having(
        {
            **files,
            f"layer{layers}a.ts": "export function fa() {}\n",
            f"layer{layers}b.ts": "export function fb() {}\n",
            "use.ts": "import { fa, gone } from './layer0a';\n"
            "export function use() { fa(); gone(); }\n",
        }
    )
    assert ("use", "call", "fa") in edges(repo)


def test_definitions_that_depend_on_themselves_end(repo):
    repo.having(
        {
            "a.ts": "export { b as a } from './b';\nexport * from './b';\n",
            "b.ts": "export { a as b } from './a';\nexport default b;\nimport b from './b';\n",
            "C.java": "class C extends D { C c = c.c; void f() { c.f(); } }\n",
            "D.java": "class D extends C { void g() { super.f(); } }\n",
            "use.ts": "import { a } from './a';\nimport d from './b';\na();\nd();\n",
        }
    )
    assert ("D.g", "call", "C.f") in edges(repo)


@pytest.mark.long
def test_definitions_of_other_languages_that_depend_on_themselves_end(repo):
    repo.having(
        {
            "Cargo.toml": '[package]\nname = "a"\nedition = "2021"\n',
            "src/lib.rs": "mod b;\npub use b::*;\npub use crate::b::x as y;\n"
            "trait T: T { fn f(&self) { self.f(); super::f(); } }\nfn g() { y(); }\n",
            "src/b.rs": "pub use crate::*;\npub use super::y as x;\npub fn g() {}\n",
            "a.h": '#include "b.h"\nclass A : public B { A a = a.a; void f() { a.f(); } };\n',
            "b.h": '#include "a.h"\nclass B : public A { void f(); };\nnamespace n {}\n',
            "b.cpp": '#include "b.h"\nvoid B::f() { n::n::f(); A::f(); f(); }\n',
            "A.cs": "partial class A : A { A X => X.X; void F() { base.F(); X.F(); } }\n",
            "B.cs": "partial class A : B { }\nclass B : A { }\n",
            "A.kt": "class A : B() { fun A.f() = f() }\nopen class B : A()\n",
            "a.rb": "class A < B\n  include A\n  def f = super\nend\nclass B < A\nend\n",
            "A.php": "<?php class A extends B { use A; function f() { return $this->f(); } }\n",
            "B.php": "<?php class B extends A { function f() { return parent::f()->f(); } }\n",
        }
    )
    found = edges(repo)
    assert ("B.f", "call", "A.f") in found
    assert ("A.f", "call", "A.f") not in found


def test_a_name_that_very_many_files_define_has_only_the_definition_of_its_file(repo):
    files = {
        f"src/f{i}.c": f"static int init(void);\nstatic int init(void) {{ return {i}; }}\n"
        for i in range(MANY)
    }
    repo.having({**files, "src/all.h": "int init(void);\n"})
    found = [edge for edge in edges(repo) if edge[1] == "declaration"]
    assert found == [("init", "declaration", "init")]


def test_headers_that_include_each_other_in_very_many_ways_are_read_once(repo):
    layers = 30
    headers = {
        f"h{layer}{one}.h": "".join(f'#include "h{layer + 1}{two}.h"\n' for two in "ab")
        for layer in range(layers)
        for one in "ab"
    }
    last = {f"h{layers}{one}.h": f"int f{one}(void);\n" for one in "ab"}
    use = '#include "h0a.h"\nint use(void) { return fa() + gone(); }\n'
    repo.having({**headers, **last, "use.c": use})
    assert ("use", "call", "fa") in edges(repo)


def test_modules_that_are_themselves_as_a_whole_end(repo):
    use = "export function {0}() {{ {0}m.own(); {0}m.b.c.d(); {0}m(); {0}m().x.y(); }}\n"
    repo.having(
        {
            # a part of a function, as a tool cuts it out
            "cut.js": "}\n\nfunction getExports(entry) {\n  return exports;\n}\n\n"
            "  const exports = getExports(entry);\n"
            "  return { code: source.toString(), exports };\n}\n\n"
            "function createExports(exports) {\n"
            "  return outdent`${exports.map((one) => one).map((line) => line).join(1)}`;\n}\n",
            "self.js": "const self = require('./self');\nmodule.exports = self;\n"
            "exports.own = function own() {};\n",
            "one.js": "const m = require('./two');\nmodule.exports = m;\nm.b.c();\nm();\n",
            "two.js": "const m = require('./one');\nmodule.exports = m;\nm.b.c();\nm();\n",
            "use.js": "const am = require('./cut');\nconst bm = require('./self');\n"
            "const cm = require('./one');\n" + "".join(map(use.format, "abc")),
        }
    )
    found = edges(repo, places=True)
    assert ("b", "call", "own") in found
    assert {("use.js", "import", f"{name}.js") for name in ("cut", "self", "one")} <= found


def test_modules_that_are_others_as_a_whole_in_very_many_ways_are_looked_at_once(repo):
    layers = 30
    modules = {
        f"m{layer}{one}.js": "".join(
            f"module.exports = require('./m{layer + 1}{two}');\n" for two in "ab"
        )
        for layer in range(layers)
        for one in "ab"
    }
    last = {f"m{layers}{one}.js": f"exports.f{one} = function f{one}() {{}};\n" for one in "ab"}
    use = "const m = require('./m0a');\nexport function use() { m.fa().x(); m.gone.y.z(); m(); }\n"
    repo.having({**modules, **last, "use.js": use})
    assert ("use", "dynamic", ".x") in edges(repo)


def chain(extension, link, last, use, length=LONG):
    """Files that each hand on what they have from the next one, and one that uses the first."""
    files = {f"m{i}.{extension}": link.format(i, i + 1) for i in range(length)}
    return {**files, f"m{length}.{extension}": last, f"use.{extension}": use}


@pytest.mark.parametrize(
    "files",
    [
        chain(
            "ts",
            "export * from './m{1}';\n",
            "export function deep() {}\n",
            "import { deep } from './m0';\nexport function use() { deep(); }\n",
        ),
        chain(
            "ts",
            "export {{ d{1} as d{0} }} from './m{1}';\n",
            f"function deep() {{}}\nexport {{ deep as d{LONG} }};\n",
            "import { d0 } from './m0';\nexport function use() { d0(); }\n",
        ),
        chain(
            "ts",
            "import x from './m{1}';\nexport default x;\n",
            "export default function deep() {}\n",
            "import d from './m0';\nexport function use() { d(); }\n",
        ),
        chain(
            "js",
            "module.exports = require('./m{1}');\n",
            "module.exports = function deep() {};\n",
            "const d = require('./m0');\nexport function use() { d(); }\n",
        ),
        chain(
            "py",
            "from m{1} import deep\n",
            "def deep():\n    pass\n",
            "from m0 import deep\n\n\ndef use():\n    deep()\n",
        ),
    ],
    ids=["all", "renamed", "default", "whole", "python"],
)
def test_a_name_is_followed_through_a_long_chain_of_files(repo, files):
    repo.having(files)
    assert ("use", "call", "deep") in edges(repo)


@pytest.mark.parametrize(
    "files",
    [
        chain(
            "js",
            "exports.d{0} = require('./m{1}').d{1};\n",
            f"exports.d{LONG} = {{ deep() {{}} }};\n",
            "const m = require('./m0');\nexport function use() { m.d0.deep(); }\n",
        ),
        chain(
            "js",
            "module.exports = require('./m{1}');\n",
            "exports.d = { deep() {} };\n",
            "const m = require('./m0');\nexport function use() { m.d.deep(); }\n",
        ),
        chain(
            "py",
            "from m{1} import C{1}\n\n\nclass C{0}(C{1}.Inner):\n    Inner = C{1}.Inner\n",
            "class C120:\n    class Inner:\n        def deep(self):\n            pass\n",
            "from m0 import C0\n\n\ndef use(x):\n    C0.Inner().deep()\n    x.deep()\n",
            length=120,
        ),
    ],
    ids=["members", "wholes", "bases"],
)
def test_a_value_at_the_end_of_a_long_chain_of_expressions_is_unknown(repo, files):
    repo.having(files)
    found = edges(repo, places=True)
    extension = next(iter(files)).rpartition(".")[2]
    assert ("use." + extension, "import", "m0." + extension) in found
    assert ("use", "dynamic", ".deep") in found
