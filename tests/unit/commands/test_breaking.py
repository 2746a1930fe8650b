"""What a change breaks, imports and uses of what is gone, and what it does not."""

from typing import NamedTuple

import pytest

from gitsearch.commands.report import ReportRequest, report
from tests.unit.commands.asked import session, warm_parsers

Files = dict[str, str | None]

GO = "module ex.com/m\n"
CARGO = '[package]\nname = "r"\nversion = "0.1.0"\nedition = "2021"\n'

# Files before, what becomes of some of them, and what that breaks: path, line and name.
BROKEN: dict[str, tuple[Files, Files, list[tuple[str, int, str | None]]]] = {
    "python": (
        {"m.py": "def f():\n    pass\n\n\nK = 1\n", "s.py": "import m\n\nm.f()\nprint(m.K)\n"},
        {"m.py": "def f():\n    pass\n"},
        [("s.py", 4, "K")],
    ),
    "python alias": (
        {"p/__init__.py": "", "p/m.py": "K = 1\nL = 2\n", "s.py": "import p.m as z\n\nz.K\n"},
        {"p/m.py": "L = 2\n"},
        [("s.py", 3, "K")],
    ),
    "python that hands on": (
        {
            "p/__init__.py": "from p.m import *\n",
            "p/m.py": "def f():\n    pass\n\n\ndef g():\n    pass\n",
            "s.py": "from p import f, g\n",
        },
        {"p/m.py": "def f():\n    pass\n"},
        [("s.py", 1, "g")],
    ),
    "python package": (
        {
            "p/__init__.py": "from p.m import g\n",
            "p/m.py": "def g():\n    pass\n",
            "s.py": "from p import g\n",
        },
        {"p/m.py": "def h():\n    pass\n"},
        [("p/__init__.py", 1, "g")],
    ),
    "python that binds otherwise": (
        {"m.py": "def f():\n    pass\n", "s.py": "from m import f\n"},
        {"m.py": "from x import y\n\nf, g = y(), 2\n"},
        [],
    ),
    "typescript": (
        {
            "m.ts": "export function f() {}\nexport const a = 1, b = 2;\n"
            "function h() {}\nexport { h as k };\n",
            "s.ts": "import { f, b, k } from './m';\nimport * as m from './m';\nm.f();\nm.a;\n",
        },
        {"m.ts": "function f() {}\nexport const b = 2;\nfunction h() {}\n"},
        [("s.ts", 1, "f"), ("s.ts", 1, "k"), ("s.ts", 4, "a")],
    ),
    "a name that is that of its module": (
        {
            "Cargo.toml": CARGO,
            "src/main.rs": "mod read;\nuse crate::read::{read, Read};\nfn main() {}\n",
            "src/read.rs": "pub fn read() {}\npub struct Read;\n",
            "fold.ts": "export const fold = 1;\nexport const more = 1;\n",
            "s.ts": "import { fold } from './fold';\n",
            "walk.py": "def walk():\n    pass\n",
            "s.py": "from walk import walk\n",
        },
        {
            "src/read.rs": "pub struct Read;\n",
            "fold.ts": "export const more = 1;\n",
            "walk.py": "def run():\n    pass\n",
        },
        [("s.py", 1, "walk"), ("s.ts", 1, "fold"), ("src/main.rs", 2, "read")],
    ),
    "typescript default": (
        {"m.ts": "export default function f() {}\n", "s.ts": "import f from './m';\n"},
        {"m.ts": "export function f() {}\n"},
        [("s.ts", 1, "default")],
    ),
    "typescript that hands on": (
        {
            "i.ts": "export * from './m';\n",
            "m.ts": "export const a = 1;\nexport const b = 1;\n",
            "s.ts": "import { a, b } from './i';\n",
        },
        {"i.ts": "export { b } from './m';\n"},
        [("s.ts", 1, "a")],
    ),
    "typescript behind a barrel": (
        {
            "i.ts": "export * from './m';\n",
            "m.ts": "export const a = 1;\nexport const b = 1;\n",
            "s.ts": "import { a, b } from './i';\n",
        },
        {"m.ts": "export const a = 1;\n"},
        [("s.ts", 1, "b")],
    ),
    "commonjs": (
        {"m.js": "module.exports = { a, b: 2 };\n", "s.js": "const { a, b } = require('./m');\n"},
        {"m.js": "module.exports = { a };\n"},
        [("s.js", 1, "b")],
    ),
    "go": (
        {
            "go.mod": GO,
            "k/k.go": "package k\n\nfunc F() {}\nfunc G() {}\n",
            "k/l.go": "package k\n\nfunc use() { G() }\n",
            "main.go": 'package main\n\nimport al "ex.com/m/k"\n\n'
            "func main() {\n\tal.F()\n\tal.G()\n}\n",
        },
        {"k/k.go": "package k\n\nfunc F() {}\n"},
        [("k/l.go", 3, "G"), ("main.go", 7, "G")],
    ),
    "go moved inside its package": (
        {
            "go.mod": GO,
            "k/k.go": "package k\n\nfunc F() {}\nfunc G() {}\n",
            "main.go": 'package main\n\nimport "ex.com/m/k"\n\nfunc main() { k.F(); k.G() }\n',
        },
        {"k/k.go": "package k\n\nfunc F() {}\n", "k/n.go": "package k\n\nfunc G() {}\n"},
        [],
    ),
    "rust": (
        {
            "Cargo.toml": CARGO,
            "src/main.rs": "mod m;\nuse crate::m::{f, g as h};\nuse crate::m;\n"
            "fn main() { f(); h(); m::k(); }\n",
            "src/m.rs": "pub fn f() {}\npub fn g() {}\npub fn k() {}\n",
        },
        {"src/m.rs": "pub fn f() {}\n"},
        [("src/main.rs", 2, "g"), ("src/main.rs", 4, "k")],
    ),
    "rust that still says the name": (
        {
            "Cargo.toml": CARGO,
            "src/main.rs": "mod m;\nuse crate::m::Kind;\nfn main() {}\n",
            "src/m.rs": "pub enum Kind { A }\nfn f(k: u8) {\n    if let Kind::A = k {}\n}\n",
        },
        {"src/m.rs": "fn f(k: u8) {\n    if let Kind::A = k {}\n}\n"},
        [("src/main.rs", 2, "Kind")],
    ),
    "java": (
        {
            "a/C.java": "package a;\npublic class C {\n  public static final int LIM = 1;\n"
            "  public static void go() {}\n}\n",
            "b/S.java": "package b;\nimport a.C;\nclass S {\n  int x = C.LIM;\n"
            "  void y() { C.go(); }\n}\n",
        },
        {"a/C.java": "package a;\npublic class C {\n  public static final int LIM = 1;\n}\n"},
        [("b/S.java", 5, "go")],
    ),
    "java in one package": (
        {
            "a/C.java": "package a;\nclass C {}\n",
            "a/S.java": "package a;\nclass S {\n  C c;\n}\n",
        },
        {"a/C.java": None},
        [("a/S.java", 3, None)],
    ),
    "a file whose own imports do not move with it": (
        {
            "a/m.py": "x = 1\n",
            "a/s.py": "from .m import x\n\n\ndef run():\n    return x\n",
            "a/__init__.py": "",
        },
        {"a/s.py": None, "b/s.py": "from .m import x\n\n\ndef run():\n    return x\n"},
        [("b/s.py", 1, None)],
    ),
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.long
def test_what_a_change_breaks(repo, how):
    before, after, expected = BROKEN[how]
    for path, text in before.items():
        repo.write(path, text)
    repo.commit()
    for path, text in after.items():
        if text is None:
            repo.remove(path)
        else:
            repo.write(path, text)
    repo.commit()
    warm_parsers()
    for check in (True, False):
        found = report(session(repo.path), ReportRequest("HEAD~1", check=check)).dangling
        assert [(one.path, one.line, one.symbol) for one in found] == expected


class Mention(NamedTuple):
    """A file that defines two names, one that imports it, and ways to say a name in the latter.

    `{}` is the name; `code` and `comments` follow `head`, which imports. The definitions stand
    between `start` and `end`.
    """

    target: str
    definition: str
    source: str
    head: str
    code: str
    comments: tuple[str, ...]
    others: Files = {}  # noqa: RUF012
    start: str = ""
    end: str = ""


_SLASHES = ("// Tools.{} was there\n", "/* see\n Tools.{} */\n")
_MARKUP = ("</script>\n<!-- Tools.{} -->\n",)
_SCRIPT = "export function {}() {{}}\n"
_FUNCTION = "void {}(void) {{}}\n"
_INCLUDE = '#include "Tools.h"\n'
MENTIONS = {
    "python": Mention(
        "Tools.py", "def {}():\n    pass\n", "s.py", "import Tools\n", "Tools.{}()\n",
        ("# Tools.{} was there\n",),
    ),
    **{
        language: Mention(
            "Tools." + ending, _SCRIPT, "s." + ending, "import * as Tools from './Tools';\n",
            "Tools.{}();\n", _SLASHES,
        )
        for language, ending in (("javascript", "js"), ("typescript", "ts"), ("tsx", "tsx"))
    },
    **{
        language: Mention(
            "Tools.ts", _SCRIPT, "s." + language,
            "<script>\nimport * as Tools from './Tools';\n", "Tools.{}();\n",
            (*_SLASHES, *_MARKUP),
        )
        for language in ("vue", "svelte")
    },
    "go": Mention(
        "Tools/t.go", "func {}() {{}}\n", "s.go",
        'package main\n\nimport "ex.com/m/Tools"\n', "func main() {{ Tools.{}() }}\n", _SLASHES,
        {"go.mod": GO}, "package Tools\n\n",
    ),
    "rust": Mention(
        "src/Tools.rs", "pub fn {}() {{}}\n", "src/main.rs",
        "mod Tools;\nuse crate::Tools;\n", "fn main() {{ Tools::{}(); }}\n",
        ("// Tools::{}\n", "/* /* a */ Tools::{} */\n"), {"Cargo.toml": CARGO},
    ),
    "java": Mention(
        "a/Tools.java", "  public static void {}() {{}}\n",
        "b/S.java", "package b;\nimport a.Tools;\n", "class S {{ void y() {{ Tools.{}(); }} }}\n",
        _SLASHES, {}, "package a;\npublic class Tools {\n", "}\n",
    ),
    "kotlin": Mention(
        "a/Tools.kt", "  fun {}() {{}}\n",
        "b/S.kt", "package b\nimport a.Tools\n", "fun y() {{ Tools.{}() }}\n", _SLASHES,
        {}, "package a\nobject Tools {\n", "}\n",
    ),
    "kotlin_renamed": Mention(
        "a/Tools.kt", "  fun {}() {{}}\n",
        "b/S.kt", "package b\nimport a.Tools as T\n", "fun y() {{ T.{}() }}\n",
        ("// T.{}\n", "/* T.{} */\n"), {}, "package a\nobject Tools {\n", "}\n",
    ),
    "scala": Mention(
        "a/Tools.scala", "  def {}() = 1\n",
        "b/S.scala", "package b\nimport a.Tools\n", "class S {{ def y = Tools.{}() }}\n", _SLASHES,
        {}, "package a\nobject Tools {\n", "}\n",
    ),
    "c": Mention("Tools.h", _FUNCTION, "s.c", _INCLUDE, "int x = Tools.{};\n", _SLASHES),
    "cpp": Mention("Tools.h", _FUNCTION, "s.cpp", _INCLUDE, "int x = Tools::{}();\n", _SLASHES),
    "objc": Mention("Tools.h", _FUNCTION, "s.mm", _INCLUDE, "int x = Tools.{};\n", _SLASHES),
    "csharp": Mention(
        "Tools.cs", "public class {} {{}}\n", "S.cs", "using A;\n",
        "class S {{ Tools.{} x; }}\n", _SLASHES, {}, "namespace A;\n",
    ),
    "ruby": Mention(
        "Tools.rb", "def {}\nend\n", "s.rb", "require_relative 'Tools'\n", "Tools.{}\n",
        ("# Tools.{}\n", "=begin\nTools.{}\n=end\n"),
    ),
    "php": Mention(
        "Tools.php", "function {}() {{}}\n", "s.php", "<?php\nrequire 'Tools.php';\n",
        "Tools::{}();\n", ("# Tools::{}\n", "// Tools::{}\n", "/* Tools::{} */\n"), {}, "<?php\n",
    ),
    "swift": Mention(
        "Sources/Tools/Tools.swift", "public func {}() {{}}\n", "Sources/App/s.swift",
        "import Tools\n", "Tools.{}()\n", _SLASHES,
        {"Package.swift": 'targets: [.target(name: "Tools"), .target(name: "App")]\n'},
    ),
    "elixir": Mention(
        "lib/Tools.ex", "  def {}, do: 1\n", "lib/s.ex",
        "defmodule S do\n  alias Tools\n", "  def x, do: Tools.{}\n", ("# Tools.{}\nend\n",),
        {}, "defmodule Tools do\n", "end\n",
    ),
    "lua": Mention(
        "Tools.lua", "function {}() end\n", "s.lua", 'local Tools = require("Tools")\n',
        "Tools.{}()\n", ("-- Tools.{} did this before\n", "--[[ see\nTools.{} ]]\n"),
    ),
    "haskell": Mention(
        "Tools.hs", "{0} :: Int\n{0} = 1\n", "S.hs",
        "module S where\nimport qualified Tools\n", "x = Tools.{}\n",
        ("-- Tools.{} did this before\n", "{{- see\nTools.{} -}}\n"), {}, "module Tools where\n",
    ),
    "zig": Mention(
        "Tools.zig", "pub fn {}() void {{}}\n", "s.zig", 'const Tools = @import("Tools.zig");\n',
        "const x = Tools.{}();\n", ("// Tools.{}\n",),
    ),
    "bash": Mention(
        "Tools.sh", "{}() {{\n  :\n}}\n", "s.sh", ". ./Tools.sh\n", "Tools.{}\n",
        ("# Tools.{}\n",),
    ),
}  # fmt: skip


# In these languages, no use of a definition inside a type or module is reported.
_UNREPORTED = frozenset({"csharp", "elixir"})


@pytest.mark.long
def test_names_in_comments_are_no_uses(repo):
    """Uses of `walk` are code, uses of `fold` are comments; both definitions go."""
    for language, mention in MENTIONS.items():
        comments = "".join(mention.comments).format(*["fold"] * len(mention.comments))
        files = {
            **mention.others,
            mention.target: _module(mention, "fold", "walk"),
            mention.source: mention.head + mention.code.format("walk") + comments,
        }
        for path, text in files.items():
            repo.write(f"{language}/{path}", text)
    repo.commit()
    for language, mention in MENTIONS.items():
        repo.write(f"{language}/{mention.target}", _module(mention, "zip", "scan"))
    repo.commit()
    warm_parsers()
    broken = report(session(repo.path), ReportRequest("HEAD~1", check=True)).dangling
    assert [(use.path, use.symbol) for use in broken] == sorted(
        (f"{language}/{mention.source}", "walk")
        for language, mention in MENTIONS.items()
        if language not in _UNREPORTED
    )


def _module(mention, *names):
    first, rest = mention.start, mention.end
    return first + "".join(mention.definition.format(name) for name in names) + rest


@pytest.mark.parametrize("local", ["mod a;\n", "use crate::c as a;\npub mod c;\n"])
def test_what_takes_the_name_of_a_crate_of_rust_leaves_no_import_dangling(repo, local):
    warm_parsers()
    of_b = CARGO.replace('"r"', '"b"') + '[dependencies]\na = { path = "../a" }\n'
    repo.having(
        {
            "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\n',
            "a/Cargo.toml": CARGO.replace('"r"', '"a"'),
            "a/src/lib.rs": "pub fn run() {}\n",
            "b/Cargo.toml": of_b,
            "b/src/lib.rs": "pub fn go() { a::run(); }\n",
        }
    )
    repo.write("b/src/a.rs", "pub fn run() {}\n")
    repo.write("b/src/c.rs", "pub fn run() {}\n")
    repo.write("b/src/lib.rs", local + "pub fn go() { a::run(); }\n")
    repo.commit()
    assert not report(session(repo.path), ReportRequest("HEAD~1", check=True)).dangling
