"""Files of languages whose definitions are not followed use some whose are."""

from __future__ import annotations

import pytest

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


COMPONENTS = {
    "a.ts": "export function alpha() {}\nexport function beta() {}\n",
    "all.ts": "export * from './a';\n",
    "one.ts": "export default function one() {}\n",
    "use.ts": "import { alpha } from './a';\nalpha();\n",
    "Setup.vue": "<script setup lang='ts'>\nimport { alpha } from './a'\nalpha()\n</script>\n",
    "Markup.vue": "<script setup>\nimport { alpha } from './a'\n</script>\n"
    "<template><p>{{ alpha() }}</p></template>\n",
    "Whole.vue": "<script>\nimport * as a from './a'\n"
    "export default { m() { a.alpha() } }\n</script>\n",
    "Alias.svelte": "<script>\nimport { alpha as other } from './a'\nother()\n</script>\n",
    "Barrel.svelte": "<script>\nimport { alpha } from './all'\nalpha()\n</script>\n",
    "Default.svelte": "<script>\nimport other from './one'\nother()\n</script>\n",
    "Beta.svelte": "<script>\nimport { beta } from './a'\nbeta()\n</script>\n",
}


def test_a_component_depends_on_what_its_script_refers_to_and_imports(repo):
    warm_parsers()
    ask = session(repo.having(COMPONENTS).path)

    def likely(target):
        found = impact(ask, ImpactRequest((target,))).dependents
        return {one.path: one.likelihood for one in found if one.path != "use.ts"}

    using = ("Alias.svelte", "Barrel.svelte", "Markup.vue", "Setup.vue", "Whole.vue")
    assert likely("a.ts:alpha") == dict.fromkeys(using, pytest.approx(0.7))
    assert likely("a.ts:beta") == {"Beta.svelte": pytest.approx(0.7)}
    assert likely("one.ts:one") == {"Default.svelte": pytest.approx(0.7)}
