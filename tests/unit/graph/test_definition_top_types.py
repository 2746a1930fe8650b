"""Values of types that every value has: nothing is known of them, as of those without a type."""

from __future__ import annotations

from tests.unit.graph.definitions import edges

ANY = {
    "p.py": "from typing import Any\nimport typing as t\nimport typing\n\n\n"
    "class P:\n    def flush(self):\n        pass\n\n\n"
    "def f1(x: Any):\n    x.flush()\n\n\n"
    "def f2(x: object = None):\n    x.flush()\n\n\n"
    "def f3(x: 't.Any'):\n    x.flush()\n\n\n"
    "def f4(x: typing.Any | None):\n    x.flush()\n\n\n"
    "def none1(x: list[Any]):\n    x.flush()\n\n\n"
    "def none2(x: str | int):\n    x.flush()\n",
    "own.py": "class Any:\n    def flush(self):\n        pass\n\n\n"
    "def own(x: Any):\n    x.flush()\n",
    "q.ts": "export class Q { flush() {} y: any; g1() { this.y.flush(); } }\n"
    "export function g2(x: any) { x.flush(); }\n"
    "export function g3(x: unknown) { if (x instanceof Q) x.flush(); }\n"
    "export function g4(x: object | null) { x.flush(); }\n"
    "export function g5(x: string) { (x as any).flush(); }\n"
    "function made(): any {}\nexport function g6() { made().flush(); }\n"
    "export function none3(x: any[]) { x.flush(); }\n"
    "export function none4(x: Promise<any>) { x.flush(); }\n",
    "r.php": "<?php\nclass R { function flush() {} }\n"
    "function h1(mixed $x) { $x->flush(); }\nfunction h2(?object $x) { $x->flush(); }\n"
    "function none5(array $x) { $x->flush(); }\n",
    "s.kt": "class S { fun flush() {} }\n"
    "fun i1(x: Any) { if (x is S) x.flush() }\nfun i2(x: Any?) { if (x is S) x.flush() }\n"
    "fun none6(x: List<Any>) { x.flush() }\n",
}


def test_a_member_of_a_value_of_any_type_may_be_each_of_its_name(repo):
    found = edges(repo.having(ANY))
    calling = {source for source, kind, target in found if (kind, target) == ("dynamic", ".flush")}
    assert calling == {
        *("f1", "f2", "f3", "f4", "Q.g1", "g2", "g3", "g4", "g5", "g6", "h1", "h2", "i1", "i2")
    }
    assert ("own", "call", "Any.flush") in found
