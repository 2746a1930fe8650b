"""Programs in several languages whose files use each other, edited in random steps."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from tests.builder import RepoBuilder

TYPES = ("Shape", "Circle", "Square", "Store", "Cache", "Runner")
FUNCTIONS = ("area", "load", "save", "run", "close", "find")
VALUES = ("limit", "table", "shared")

_FOLDERS = {"py": ("app", "app/inner", "tests"), "ts": ("web", "web/lib"), "go": ("a", "b")}
_FOLDERS["java"] = ("src/p", "src/q")
_FOLDERS |= {"rs": ("crate/src", "crate/src/inner"), "c": ("lib",), "h": ("lib", "lib/inner")}
_FOLDERS |= {"cs": ("net", "net/inner"), "kt": ("jvm", "jvm/inner")}
_FOLDERS |= {"rb": ("ruby", "ruby/inner"), "php": ("php", "php/inner")}
_FOLDERS |= {"cpp": ("lib", "lib/inner"), "hpp": ("lib",), "js": ("node", "node/inner")}

# The extensions of the files.
KINDS = tuple(_FOLDERS)

# Files that are there in every state.
FIXED = {
    "go.mod": "module m\n\ngo 1.19\n",
    "pyproject.toml": "[project]\nname = 'app'\n",
    "app/__init__.py": "",
    "app/inner/__init__.py": "from app.one import *\n",
    "crate/Cargo.toml": '[package]\nname = "m"\nedition = "2021"\n',
    "crate/src/lib.rs": "pub mod one;\npub mod two;\npub mod three;\npub mod four;\n"
    "pub mod inner;\npub use one::*;\n",
    "crate/src/inner.rs": "pub mod one;\npub mod two;\npub use super::one::Shape;\n",
    "src/p/Uses.scala": "package p\nimport q.Shape\nobject Uses { def go = new Shape().run() }\n",
    "web/App.vue": "<script setup>\nimport { Shape, run as go } from './one'\n"
    "import load from './lib/two'\nimport * as two from './two'\nload(two.find())\n</script>\n",
    "node/types.d.ts": "export class Shape {\n  run(): Shape;\n  areaAll(): void;\n}\n",
    "tests/conftest.py": "import pytest\nfrom app.one import Shape\n\n\n"
    "@pytest.fixture\ndef shared():\n    return Shape()\n\n\n"
    "@pytest.fixture(autouse=True)\ndef table(limit):\n    Shape().run()\n",
}
_STEMS = ("one", "two", "three", "four")


class Source(NamedTuple):
    """A file: the seed of its imports, and those of its definitions in their order."""

    imports: int
    parts: tuple[int, ...]


class RandomProgram:
    """A program that is edited in random steps, the same for the same seed."""

    def __init__(self, repo: RepoBuilder, seed: int) -> None:
        self._repo = repo
        self._dice = random.Random(seed)
        self._files: dict[str, Source] = {}
        self._states: list[tuple[str, dict[str, Source]]] = []
        for path, text in FIXED.items():
            repo.write(path, text)
        for kind, folders in _FOLDERS.items():
            for folder in folders:
                for stem in self._dice.sample(_stems(kind), 1 if kind in _TEMPLATES else 2):
                    self._put(f"{folder}/{stem}.{kind}", self._source())
        self._keep()

    def steps(self, count: int) -> Iterator[str]:
        """Make so many steps, and yield what each did."""
        for _ in range(count):
            step = self._dice.choices(
                (self._edit, self._comment, self._relink, self._add, self._move, self._back),
                (60, 8, 10, 8, 8, 6),
            )[0]
            yield step()

    def _source(self) -> Source:
        number = self._dice.randrange(1 << 16)
        return Source(number, tuple(self._dice.randrange(1 << 16) for _ in range(3)))

    def _put(self, path: str, source: Source) -> None:
        self._files[path] = source
        self._repo.write(path, text_of(path, source))

    def _keep(self) -> None:
        self._states.append((self._repo.commit(), dict(self._files)))

    def _any(self) -> str:
        return self._dice.choice(sorted(self._files))

    # ------------------------------------------------------------ steps

    def _edit(self) -> str:
        path = self._any()
        parts = list(self._files[path].parts)
        place = self._dice.randrange(len(parts) + 1)
        parts[place : place + self._dice.randint(0, 1)] = [self._dice.randrange(1 << 16)]
        if len(parts) > 4:
            del parts[self._dice.randrange(len(parts))]
        if self._dice.random() < 0.2:
            self._dice.shuffle(parts)
        self._put(path, self._files[path]._replace(parts=tuple(parts)))
        return f"edit {path}"

    def _comment(self) -> str:
        path = self._any()
        self._repo.append(path, "# end\n" if path.endswith(".py") else "// end\n")
        return f"comment {path}"

    def _relink(self) -> str:
        path = self._any()
        source = self._files[path]
        self._put(path, source._replace(imports=self._dice.randrange(1 << 16)))
        return f"relink {path}"

    def _add(self) -> str:
        kind = self._dice.choice(sorted(_FOLDERS))
        path = f"{self._dice.choice(_FOLDERS[kind])}/{self._dice.choice(_stems(kind))}.{kind}"
        self._put(path, self._source())
        self._keep()
        return f"add {path}"

    def _move(self) -> str:
        path = self._any()
        self._repo.remove(path)
        source = self._files.pop(path)
        if self._dice.random() < 0.6:
            kind = path.rpartition(".")[2]
            folder, stem = self._dice.choice(_FOLDERS[kind]), self._dice.choice(_stems(kind))
            self._put(f"{folder}/{stem}.{kind}", source)
        self._keep()
        return f"move {path}"

    def _back(self) -> str:
        self._keep()
        rev, files = self._dice.choice(self._states)
        self._repo.checkout(rev)
        self._files = dict(files)
        return f"back to {rev}"


def _stems(kind: str) -> tuple[str, ...]:
    return TYPES if kind == "java" else _STEMS


def text_of(path: str, source: Source) -> str:
    """Return the text of a file."""
    folder, _, name = path.rpartition("/")
    stem, _, kind = name.partition(".")
    dice = random.Random(source.imports)
    parts = [random.Random(part) for part in source.parts]
    if kind == "java":
        return _java(folder, stem, dice, parts)
    if kind in _TEMPLATES:
        return _templated(_TEMPLATES[kind], stem, dice, parts)
    imports, one = {"py": (_py_imports, _py), "ts": (_ts_imports, _ts), "go": (_go_imports, _go)}[
        kind
    ]
    return "\n\n".join([imports(folder, dice), *map(one, parts), ""])


# ------------------------------------------------------------ Python


def _py_imports(folder: str, dice: random.Random) -> str:
    def one() -> str:
        module = f"app.{dice.choice((*_STEMS, 'inner', 'inner.one', 'inner.two'))}"
        names = ", ".join(dice.sample((*TYPES, *FUNCTIONS, *VALUES), 2))
        return dice.choice(
            (
                f"from {module} import {names}",
                f"from {module} import {dice.choice(TYPES)} as {dice.choice(TYPES)}",
                f"import {module}",
                f"import {module} as {dice.choice(_STEMS)}",
                f"from . import {dice.choice(_STEMS)}",
                f"from {module} import *",
            )
        )

    return "\n".join(one() for _ in range(3))


def _py_uses(dice: random.Random) -> str:
    def value() -> str:
        return dice.choice(
            (
                f"{dice.choice(TYPES)}()",
                f"{dice.choice(FUNCTIONS)}()",
                f"{dice.choice(VALUES)}",
                f"app.{dice.choice(_STEMS)}.{dice.choice(TYPES)}()",
                f"{dice.choice(_STEMS)}.{dice.choice(FUNCTIONS)}()",
                "self",
                "self.table",
                "super()",
                "shared",
                "cls()",
                f"cast('{dice.choice(TYPES)}', x)",
                f"copy.copy({dice.choice(TYPES)}())",
                "type(self)()",
                f"getattr(x, '{dice.choice(FUNCTIONS)}')",
                f"getattr({dice.choice(TYPES)}(), f'{dice.choice(FUNCTIONS)[:2]}{{x}}')",
                f"getattr(self, '{dice.choice(FUNCTIONS)[:2]}' + x)",
                f"load('app.{dice.choice(_STEMS)}.{dice.choice((*TYPES, *FUNCTIONS))}')",
                f"load('app.{dice.choice(('one', 'inner.one', 'inner'))}:{dice.choice(TYPES)}')",
            )
        )

    lines = [f"        x = {value()}", f"        self.table = {value()}"]
    if dice.random() < 0.3:
        lines.append(f"        from app.{dice.choice(_STEMS)} import {dice.choice(TYPES)} as cls")
    lines += [f"        {value()}.{dice.choice(FUNCTIONS)}()" for _ in range(2)]
    return "\n".join(
        [*lines, f"        x.{dice.choice(FUNCTIONS)}()", f"        return {value()}"]
    )


def _py(dice: random.Random) -> str:
    if dice.random() < 0.1:
        paths = (f"'app.{dice.choice(_STEMS)}.{dice.choice(TYPES)}'" for _ in range(3))
        names = dice.sample((*TYPES, *FUNCTIONS), 3)
        entries = ", ".join(f"'{i}': {one}" for i, one in enumerate((*names, *paths)))
        return f"{dice.choice(VALUES)} = {{{entries}}}"
    if dice.random() < 0.2:
        made = dice.choice(("{0}()", "TypeVar('T', bound='{0}')"))
        return f"{dice.choice(VALUES)} = {made.format(dice.choice(TYPES))}"
    if dice.random() < 0.4:
        head = "@pytest.fixture\n" if dice.random() < 0.3 else ""
        name = dice.choice((*FUNCTIONS, *VALUES, "test_one"))
        return f"{head}def {name}(self, shared):\n    if True:\n{_py_uses(dice)}"
    methods = [
        f"{dice.choice(('    @property', '    @staticmethod', ''))}\n    def {name}(self,"
        f" other: {dice.choice((*TYPES, 'Any'))}) -> {dice.choice(TYPES)}:\n{_py_uses(dice)}"
        for name in dice.sample((*FUNCTIONS, "__init__", "__add__"), 2)
    ]
    bases = ("{0}", "Mapping[str, {0}]", "one.{0}[str]", "{0}, ABC")
    base = dice.choice(bases).format(dice.choice(TYPES))
    return "\n".join([f"class {dice.choice(TYPES)}({base}):", *methods])


# ------------------------------------------------------------ TypeScript


def _ts_imports(folder: str, dice: random.Random) -> str:
    def one() -> str:
        module = f"'{'./' if folder == 'web' else '../'}{dice.choice(_STEMS)}'"
        if dice.random() < 0.3:
            module = f"'./{'lib/' if folder == 'web' else ''}{dice.choice(_STEMS)}'"
        first, second = dice.sample((*TYPES, *FUNCTIONS), 2)
        return dice.choice(
            (
                f"import {{ {first}, {second} }} from {module};",
                f"import {{ {first} as {second} }} from {module};",
                f"import * as {dice.choice(_STEMS)} from {module};",
                f"import {first} from {module};",
                f"export * from {module};",
                f"export {{ {first} as {second} }} from {module};",
            )
        )

    return "\n".join(one() for _ in range(3))


def _ts(dice: random.Random) -> str:
    def value() -> str:
        return dice.choice(
            (
                f"new {dice.choice(TYPES)}()",
                f"{dice.choice(FUNCTIONS)}()",
                f"{dice.choice(_STEMS)}.{dice.choice(FUNCTIONS)}()",
                f"this.{dice.choice(VALUES)}",
                dice.choice(VALUES),
            )
        )

    def uses() -> str:
        name = dice.choice(FUNCTIONS)
        return f"{{ const x = {value()}; x.{name}(); {value()}.{name}(); return {value()}; }}"

    if dice.random() < 0.2:
        return f"export const {dice.choice(VALUES)} = {{ {dice.choice(FUNCTIONS)}() {uses()} }};"
    if dice.random() < 0.1:
        return f"export interface {dice.choice(TYPES)} {{ {dice.choice(FUNCTIONS)}(): void }}"
    if dice.random() < 0.1:
        first, second = dice.sample(FUNCTIONS, 2)
        picked = f"const {{ {first}, {second}: x }} = {value()};"
        return f"export function {first}(y) {{ {picked} return {dice.choice(VALUES)}[y](); }}"
    if dice.random() < 0.4:
        default = dice.choice(("", "default "))
        taken = dice.choice(("", f"{dice.choice(VALUES)}: any"))
        return f"export {default}function {dice.choice(FUNCTIONS)}({taken}) {uses()}"
    name = dice.choice(VALUES)
    methods = [f"  {one}(): {dice.choice(TYPES)} {uses()}" for one in dice.sample(FUNCTIONS, 2)]
    head = f"export class {dice.choice(TYPES)} extends {dice.choice(TYPES)} {{"
    return "\n".join([head, f"  {name}: {dice.choice(TYPES)} = {value()};", *methods, "}"])


# ------------------------------------------------------------ Go


def _go_imports(folder: str, dice: random.Random) -> str:
    package = folder if dice.random() < 0.9 else "other"
    other = "b" if folder == "a" else "a"
    return f'package {package}\n\nimport {dice.choice(("", "z ", ". "))}"m/{other}"'


def _go(dice: random.Random) -> str:
    def value() -> str:
        package = dice.choice(("", "a.", "b.", "z."))
        return dice.choice(
            (
                f"{package}{dice.choice(TYPES)}{{}}",
                f"{package}{dice.choice(FUNCTIONS).title()}()",
                f"{package}{dice.choice(FUNCTIONS).title()}[{dice.choice(TYPES)}](1)",
                dice.choice(VALUES),
                f"t.{dice.choice(VALUES)}",
            )
        )

    def uses() -> str:
        name = dice.choice(FUNCTIONS).title()
        return f"{{ x := {value()}; x.{name}(); {value()}.{name}(); return {value()} }}"

    kind, name = dice.choice(TYPES), dice.choice(FUNCTIONS).title()
    return dice.choice(
        (
            f"type {kind} struct {{ {dice.choice(VALUES)} {dice.choice(TYPES)} }}",
            f"type {kind} struct {{ *{dice.choice(TYPES)} }}",
            f"type {kind} = {dice.choice(TYPES)}[{dice.choice(TYPES)}]",
            f"type {kind} interface {{ {name}() {dice.choice(TYPES)} }}",
            f"func (t *{kind}) {name}() {dice.choice(TYPES)} {uses()}",
            f"func (t {kind}) {name}() *{dice.choice(TYPES)} {uses()}",
            f"func {name}() {dice.choice(TYPES)} {uses()}",
            f"var {dice.choice(VALUES)} = {value()}",
        )
    )


# ------------------------------------------------------------ Java


def _java(folder: str, stem: str, dice: random.Random, parts: list[random.Random]) -> str:
    package, other = folder.rpartition("/")[2], "q" if folder.endswith("p") else "p"
    imports = dice.choice(
        (
            f"import {other}.*;",
            f"import {other}.{dice.choice(TYPES)};",
            f"import static {other}.{dice.choice(TYPES)}.{dice.choice(FUNCTIONS)};",
            f"import {other}.{dice.choice(TYPES)}.{dice.choice(TYPES)};",
            "import java.util.List;",
        )
    )
    kind = dice.choice(("class", "class", "interface"))
    above = f" extends {dice.choice(('', 'p.'))}{dice.choice(TYPES)}"
    above = above if dice.random() < 0.7 else ""
    head = f"public {kind} {stem}{above} {{"
    return "\n".join([f"package {package};", imports, head, *map(_java_member, parts), "}", ""])


def _java_member(dice: random.Random) -> str:
    def given() -> str:
        return dice.choice(("", "", "1", "1, 2"))

    def value() -> str:
        return dice.choice(
            (
                f"new {dice.choice(TYPES)}()",
                f"{dice.choice(FUNCTIONS)}({given()})",
                f"this.{dice.choice(FUNCTIONS)}({given()})",
                f"super.{dice.choice(FUNCTIONS)}({given()})",
                f"{dice.choice(TYPES)}.{dice.choice(FUNCTIONS)}({given()})",
                f"{dice.choice('pq')}.{dice.choice(TYPES)}.{dice.choice(FUNCTIONS)}({given()})",
                f"new {dice.choice('pq')}.{dice.choice(TYPES)}()",
                f"{dice.choice(VALUES)}",
            )
        )

    name = dice.choice(FUNCTIONS)
    body = f"{{ var x = {value()}; x.{name}({given()}); {value()}.{name}(); return {value()}; }}"
    taken = dice.choice(("", "", "int a", "int a, int... b"))
    return dice.choice(
        (
            f"  {dice.choice(TYPES)} {dice.choice(VALUES)} = {value()};",
            f"  public {dice.choice(TYPES)} {name}({taken}) {body}",
            f"  @Override\n  public {dice.choice(TYPES)} {name}({taken}) {body}",
            f"  static {dice.choice(TYPES)} {name}(int a) {body}",
            f"  {name.title()}() {{ {value()}.{name}(); }}",
            f"  static class {dice.choice(TYPES)} extends {dice.choice(TYPES)} {{\n"
            f"    {dice.choice(TYPES)} {name}() {body}\n  }}",
        )
    )


# ------------------------------------------------------------ languages by templates


class Templates(NamedTuple):
    """What a file of a language is put together from.

    In all of them %T is the name of a type, %F of a function, %V of a variable, %S the stem of a
    file, %O the own one, %X one of `values`, %I three of `imports`, %P the parts.
    """

    file: str
    imports: tuple[str, ...]
    parts: tuple[str, ...]
    values: tuple[str, ...]


_TEMPLATES = {
    "rs": Templates(
        "%I\n\n%P\n",
        (
            "use crate::%S::%T;",
            "use crate::%S::{%T as %T, %F};",
            "use crate::inner::%S::*;",
            "pub use super::%S;",
            "use crate::%T;",
            "use std::fmt::Debug;",
        ),
        (
            "pub struct %T { %V: %T, other: Box<dyn %T> }",
            "pub trait %T: %T { fn %F(&self) -> %T; fn load(&self) { self.%F(); } }",
            "impl %T for %T { fn %F(&self) -> %T { let x = %X; x.%F(); %X } }",
            'impl<T: %T> crate::%S::%T for Vec<T> { fn %F(&self) { T::%F(); "a".%F(); } }',
            "impl<T> %T for super::%S::%T where T: %T { fn %F(a: T) { <%T as %T>::%F(); } }",
            "fn %F<T: %T>(a: T) { a.%F(); }",
            "impl %T { pub fn %F(&mut self) -> Self { %X.%F(); self.%V.%F(); %X } }",
            "pub fn %F(a: &%T) -> Option<%T> { a.%F(); assert!(%X.%F()); %X }",
            "impl std::ops::Deref for %T { type Target = %T; fn deref() -> &%T { &self.%V } }",
            "pub fn %F() { assert_eq!(m::%S::%F(1)?.%F(), (&%X).%F()); m::%F::<%T>(); %X + %X; }",
            "mod tests { use super::*; fn one() { %F(); super::%F(); %X.%F(); } }",
            "static %V: %T = %X;",
        ),
        ("%T::%F()", "%F()", "crate::%S::%F()", "self.%V", "%T { a: 1 }", "%V", "%S::%F()"),
    ),
}
_TEMPLATES["js"] = Templates(
    "%I\n\n%P\n",
    (
        "const %S = require('./%S');",
        "const { %F, %T } = require('../%S');",
        "const %V = require('./inner/%S');",
        "import %V from './%S.js';",
        "import * as %S from '../%S.js';",
        "import %V from './%S.js';\nexport { %V as default };",
    ),
    (
        "['%F', '%F'].forEach(function %F(a) { %T.prototype[a] = function () { this.%F(); }; });",
        "const all = ['%F'];\nfor (const a of all) %V[a + 'All'] = %F();",
        "export default { %F, %V: %X };\nregister([%S, %T]);",
        "const %V = %X;\nexport default %V && function %F() { return %V(); };",
        "class %T { %F() { return %X; } toJSON() { this.%F(); } }",
        "/** @param {%T} a\n * @returns {%T[]} */\nfunction %F(a) { a.%F(); return %X; }",
        "function %F(a) { const %V = %X; Object.assign(%V, %S); %V.%F(); register(%V, %S); }",
        "class %T extends %T { %F(a) { return super.%F(%X); } }",
        "Object.assign(%T.prototype, %S, %V);",
        "Object.assign(%T, %T.%V, %T.%F());",
        "register({ %F() { this.%F(); } }, { %F() { this.%F(); } });",
        "const %V = {};\nmixin(%V, %S);\n%V.%F = %V.%F = function %F() { this.%F(); };",
        "module.exports = { %F() { this.%F(); return %X; }, get %F() { return %X; } };",
        "const %V = module.exports = %F();\n%V.%F('a', () => %F.call(%V));",
        "module.exports = %T;\nmodule.exports.default = %T;",
        "exports.%F = require('./%S');\nexports.%V = require('./%S').%F;",
        "const { %V, %F: %S = null } = %X;\nfunction %F(a) { %V.%F(); return require('./%S'); }",
        "const %V = { ...%S, ...require('../%S') };\nmodule.exports = { ...%V };",
        "class %T { %F(a) { this.%V = {}; this.%V[a].%F(); %S[a](); register.%V = %V; } }",
        "globalThis.%V = %X;\nglobal.%F = function () { %F(); %V.%F(); };",
        "require('./' + %V);\nconst %V = path.join(__dirname, 'inner');\nimport(%V);",
    ),
    ("%T.%F()", "%F()", "new %T()", "%S.%F()", "%V", "this.%V", "%S"),
)
_C_PARTS = (
    "struct %T { struct %T *%V; int (*%F)(int); };",
    "int %F(struct %T *a);\nint load(int n);",
    "static int %F(struct %T *a) { int %V = %X; a->%V->%F(1); register(%F); return %X; }",
    "#define %F(x) (%X + %F(x))",
    "#define %F %F",
    "typedef int %T(int);\nextern %T %F;",
    "enum %T { %V, limit };",
    "struct %T %V = { .run = %F };",
    "struct %T all[] = { { 1, %F }, { .%F = %F } };",
    "int %F(struct %T *a) { a->%F = %F; a->%V->%F = &%F; return a->%F(1); }",
)
_CPP_PARTS = (
    "class %T : public %T {\n public:\n  %T(int a) : %V(%X) {}\n  virtual int %F() const = 0;\n"
    "  %T load() { return this->%V.%F(); }\n private:\n  %T %V;\n};",
    "namespace n { %T %F(const %T& a) { auto x = %X; x.%F(); return a.%F(); } }",
    "namespace n { int %T::%F() const { return %F() + this->%V.%F(); } }",
    "int %T::%F(void* p) { return static_cast<%T*>(p)->%F(); }",
    "template <typename T> T %F(T a) { return n::%F<%T>(a) + %T::%F(); }",
    "%T %F(%T a) { %T %V(a); std::vector<%T> other; return %V + a; }",
    "LIB_API n::%T %F(int a);",
    "class %T;",
    "%T& operator<<(%T& a, const %T& b) { return a; }",
    'TEST_CASE("%F") { %T %V(1); %V.%F(); }',
    "#define N_BEGIN_NAMESPACE namespace %S {",
    "N_BEGIN_NAMESPACE\n%T %F(%T* a) { return %S::%F(); }\nN_END_NAMESPACE",
    "enum class %T { %V, limit };",
)
_C_FILE = '#include "%S.h"\n#include "inner/%S.h"\n#include "../%S.hpp"\n#include "%S.hpp"\n%P\n'
_C_VALUES = ("%F(1)", "%V", "%V->%V", "n::%F()", "%T::%F()", "new %T(2)")
_TEMPLATES |= {
    kind: Templates(_C_FILE, (), parts, _C_VALUES[: 3 if parts is _C_PARTS else None])
    for kind, parts in (
        ("c", _C_PARTS),
        ("h", _C_PARTS),
        ("cpp", _CPP_PARTS),
        ("hpp", _CPP_PARTS),
    )
}
_TEMPLATES |= {
    "cs": Templates(
        "%I\nnamespace N.%S\n{\n%P\n}\n",
        (
            "using N.one;",
            "using N.two;",
            "using %T = N.%S.%T;",
            "using static N.%S.%T;",
            "using System;",
        ),
        (
            "public partial class %T : %T { private %T %V = %X; public %T(%T a) : base(a) { } }",
            "interface %T : %T { int %F(); %T %V { get; } }",
            "class %T { public override %T %F(%T a) { var x = %X; x.%F(); return a.%V.%F(); } }",
            "static class %T { public static %T %F(this %T a) => %X; const int %V = 1; }",
            "partial class %T { %T %V => %X; void %F() { foreach (var x in %X) x.%F(); } }",
            "enum %T { %V, other }",
        ),
        ("new %T(1)", "%F()", "base.%F()", "this.%V", "%T.%F()", "%V?.%F()", "N.%S.%T.%V"),
    ),
    "kt": Templates(
        "package %S\n%I\n%P\n",
        (
            "import %S.%T",
            "import %S.%F",
            "import %S.*",
            "import %S.%T as %T",
            "import %S.%F as %F",
            "import java.util.List",
        ),
        (
            "open class %T(val %V: %T, n: Int = %X) : %T(n) { override fun %F(): %T = %X }",
            "interface %T : %T { fun %F(): Int; fun load() = %F() }",
            "fun %T.%F(): %T { val x = %X; x.%F(); return %X }",
            "object %T { fun %F(a: %T) { for (x in %X) x.%F(); listOf(1).map(::%F) } }",
            "class %T { companion object { fun %F() = %X } fun run() = super.%F() }",
            "fun %F(a: Any): Any { if (a is %T) a.%F(); return %X }",
            "val %V = %X",
        ),
        ("%T(1)", "%F()", "this.%V", "%T.%F()", "%V!!.%V", "(%V as %T).%F()"),
    ),
}
_TEMPLATES |= {
    "rb": Templates(
        "%I\n%P\n",
        ("require_relative '%S'", "require 'json'", "require_relative 'inner/%S'"),
        (
            "class %T < %T\n  include %T\n  attr_reader :%V\n  def initialize(a)\n    @%V = %X\n"
            "    super\n  end\nend",
            "module %T\n  class %T\n    def %F(a) = @%V.%F\n    def self.%F\n      x = %X\n"
            "      x.%F(&method(:%F))\n      %X\n    end\n  end\n  %V = %X\nend",
            "module %T\n  def %F\n    [%X].each { |x| x.%F }\n    %X\n  end\nend",
            "describe %T do\n  let(:%V) { %X }\n  before { @%V = %X }\n  it('x') { %V.%F }\n"
            "  it { described_class.new.%F(@%V.%F) }\nend",
            "class %T\n  def self.new(a) = super\n  def [](a) = new(a).%F\n  def %F=(a)\n"
            "    a.%F ||= %X\n    a[1] = send(:%F)\n  end\n  alias %F %F\nend\n"
            "%T::%T = Class.new(%T)",
            "module %T\n  def self.included(a) = a.extend(%T)\n  include %T\n  module %T; end\n"
            "  def %F = self.class.new.%F(%F + %X)\nend",
            "%T = %T\nclass %T\n  def %F = %T.new.%F\nend",
        ),
        ("%T.new(1)", "%T::%T.%F", "%F", "self", "@%V", "%T::%T.new", "super", "%T[1]", "self.%V"),
    ),
    "php": Templates(
        "<?php\nnamespace N\\%S;\n%I\n%P\n",
        ("use N\\%S\\%T;", "use N\\%S\\%T as %T;", "use function N\\%S\\%F;", "require '%S.php';"),
        (
            "class %T extends %T implements %T { use %T; private %T $%V; "
            "function __construct(private %T $other) { $this->%V = %X; parent::__construct(1); } "
            "function %F(%T $a): ?%T { $x = %X; $x->%F(); return $a->%V->%F(); } }",
            "abstract class %T implements %T, \\Lib\\%T { const %T = [%T::class]; static $%V = "
            "[]; abstract function %F(); private function %F() { foreach (self::%T as $x) "
            "{ $x::%F(); } self::$%V[] = %X; self::$%V->%F(); } }",
            "interface %T extends %T { function %F(): %T; }",
            "trait %T { static function %F() { return %X; } function load() { %X; } }",
            "function %F(%T $a) { foreach ($a->%F() as $x) { $x->%F(); } return [$a, '%F']; }",
            "/** @param %T[] $a @return class-string<%T> */ function %F($a, \\Lib\\%T $b) "
            "{ $b->%F(); yield %X; $a[0]->%F(); }",
            "function %F(mixed $a): object { $a->%F(); return %X; }",
            "enum %T { case %T; function %F() { return self::%F(); } }",
        ),
        (
            "new %T(1)",
            "%F(1)",
            "%T::%F()",
            "$this->%V",
            "parent::%F()",
            "\\N\\%S\\%F()",
            "static::%T",
        ),
    ),
}
_FIELD = re.compile("%[TFVSOXIP]")


def _templated(
    templates: Templates, stem: str, dice: random.Random, parts: list[random.Random]
) -> str:
    def filled(text: str, dice: random.Random) -> str:
        def chosen(field: re.Match[str]) -> str:
            if field[0] == "%I":
                return "\n".join(dice.choice(templates.imports) for _ in range(3))
            if field[0] == "%P":
                return "\n\n".join(filled(one.choice(templates.parts), one) for one in parts)
            names = {"%T": TYPES, "%F": FUNCTIONS, "%V": VALUES, "%S": _STEMS, "%O": (stem,)}
            return dice.choice(names.get(field[0], templates.values))

        # what stands for one field may have others
        for _ in range(3):
            text = _FIELD.sub(chosen, text)
        return text

    return filled(templates.file, dice)
