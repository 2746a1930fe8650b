"""What a change breaks, imports and uses of what is gone, and what it does not."""

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
