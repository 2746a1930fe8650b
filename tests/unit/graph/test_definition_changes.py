"""Which definitions a change of languages with braces changed."""

from __future__ import annotations

import pytest

from gitsearch.commands.impact import ImpactRequest, impact
from tests.unit.commands.asked import session, warm_parsers

TYPESCRIPT = "import { g } from './g';\nexport function f() {\n  return g();\n}\ng();\n"
JAVA = "package a;\n\nimport b.C;\n\nclass A {\n  int f() { return 1; }\n}\n"
GO = 'package a\n\nimport "fmt"\n\nfunc F() { fmt.Println() }\n'


@pytest.mark.parametrize(
    ("path", "before", "after", "change"),
    [
        ("f.ts", TYPESCRIPT, TYPESCRIPT.replace("  return", "      // x\n\treturn"), None),
        ("f.ts", TYPESCRIPT, TYPESCRIPT.replace("return g()", "return g() + 1"), "body"),
        ("f.ts", TYPESCRIPT, TYPESCRIPT.replace("f()", "f(a = 1)"), "signature"),
        ("a/A.java", JAVA, JAVA.replace("import b.C;", "import b.D;"), None),
        ("a/A.java", JAVA, JAVA.replace("return 1", "return 2"), "body"),
        ("a/a.go", GO, GO.replace("fmt.Println()", "fmt.Println(1)"), "body"),
    ],
)
def test_code_is_told_from_formatting_and_imports(repo, path, before, after, change):
    warm_parsers()
    repo.write(path, before)
    repo.commit()
    repo.write(path, after)
    repo.commit()
    found = impact(session(repo.path), ImpactRequest(diff="HEAD~1..HEAD"))
    assert [kind for _, _, kind in found.changed] == ([change] if change else [])


def test_a_change_of_imports_alone_makes_no_dependent_likely(repo):
    warm_parsers()
    repo.write("a/A.java", JAVA)
    repo.write("a/B.java", "package a;\n\nclass B {\n  int g() { return new A().f(); }\n}\n")
    repo.commit()
    repo.write("a/A.java", JAVA.replace("import b.C;", "import b.D;"))
    repo.commit()
    found = impact(session(repo.path), ImpactRequest(diff="HEAD~1..HEAD"))
    assert [(one.path, one.label) for one in found.dependents] == [("a/B.java", "possible")]
