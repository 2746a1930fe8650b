"""Files of languages whose definitions are not followed use some whose are."""

from __future__ import annotations

from gitsearch.commands.impact import ImpactRequest, impact
from tests.unit.commands.asked import session, warm_parsers


def test_users_in_other_languages_are_dependents(repo):
    warm_parsers()
    repo.having(
        {
            "src/a/Tool.java": "package a;\n\npublic class Tool {\n"
            "  public int run() { return 1; }\n  public int rest() { return 2; }\n}\n",
            "src/b/Use.scala": "package b\n\nimport a.Tool\n\n"
            "object Use { def f() = new Tool().run() }\n",
            "src/b/Far.scala": "package b\n\nobject Far { def g() = Use.f() }\n",
            "web/a.ts": "export function f() { return 1; }\n",
            "web/App.vue": "<script>\nimport { f } from './a'\nexport default { m: f() }\n"
            "</script>\n",
        }
    )
    ask = session(repo.path)
    run = impact(ask, ImpactRequest(("src/a/Tool.java:Tool.run",)))
    assert [one.path for one in run.dependents] == ["src/b/Use.scala", "src/b/Far.scala"]
    rest = impact(ask, ImpactRequest(("src/a/Tool.java:Tool.rest",)))
    use = {one.path: one.likelihood for one in rest.dependents}.get("src/b/Use.scala", 0)
    assert use < run.dependents[0].likelihood
    shown = impact(ask, ImpactRequest(("web/a.ts:f",)))
    assert [one.path for one in shown.dependents] == ["web/App.vue"]
