"""Definitions with very many users, overriding methods or members of one name."""

from __future__ import annotations

from time import process_time

from gitsearch.commands.impact import ImpactRequest, impact
from gitsearch.extract.definition_uses import definition_facts
from tests.unit.commands.asked import session, warm_parsers
from tests.unit.graph.definitions import edges

MANY = 300


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
