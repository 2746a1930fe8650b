"""A member of an unknown value is none of a language that the code around cannot call."""

from __future__ import annotations

import pytest

from gitsearch.commands.impact import ImpactRequest, impact
from tests.unit.commands.asked import session, warm_parsers
from tests.unit.graph.definitions import spreads

MEMBERS = {
    "a.py": "class A:\n    def flush(self):\n        pass\n\n\ndef use(x):\n    x.flush()\n",
    "a.rb": "class A\n  def flush; end\nend\n",
    "use.rb": "def use(x)\n  x.flush\nend\n",
    "a.php": "<?php\nclass A { function flush() {} }\n",
    "use.php": "<?php\nfunction use_it($x) { $x->flush(); }\n",
    "b.ts": "export class B { flush() {} }\n",
    # `a` is called like the classes of other languages
    "use.js": "export function use(a) { a.flush(); }\n",
    "C.java": "class C { void flush() {} }\n",
    "use.kt": "fun use(x: Any) { x.flush() }\n",
    "e.cs": "class E { void flush() {} }\n",
    "use.cs": "class N { void Use(dynamic x) { x.flush(); } }\n",
    "go.mod": "module m\n\ngo 1.19\n",
    "f.go": "package f\n\ntype F struct{}\n\nfunc (f F) flush() {}\n",
}


@pytest.mark.parametrize(
    ("target", "using"),
    [
        ("a.py:A.flush", []),
        ("a.rb:A.flush", ["use.rb"]),
        ("a.php:A.flush", ["use.php"]),
        ("b.ts:B.flush", ["use.js"]),
        ("C.java:C.flush", ["use.kt"]),
        ("e.cs:E.flush", ["use.cs"]),
        ("f.go:F.flush", []),
    ],
)
def test_only_code_that_may_call_a_member_leads_to_it(repo, target, using):
    warm_parsers()
    found = impact(session(repo.having(MEMBERS).path), ImpactRequest((target,)))
    assert [one.path for one in found.dependents] == using
    assert all(one.likelihood == pytest.approx(0.45) for one in found.dependents)


def test_members_of_other_languages_are_no_alternatives(repo):
    found = spreads(repo.having(MEMBERS), ".flush")
    assert found == dict.fromkeys(("A.flush", "B.flush", "C.flush", "E.flush"), 1)
