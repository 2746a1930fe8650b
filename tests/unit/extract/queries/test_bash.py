"""Definitions, imports and references found in Bash."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
#!/usr/bin/env bash
source ./lib.sh
. "$DIR/other.sh"
readonly VERSION="1.0"
export path=1
name=value
# Does foo.
foo() {
  local x=1
  global=2
  bar "$x" | baz
}
function ns::bar { echo hi; }
if true; then
  cond() { other; }
fi
"""

CASE = Case(
    "bash",
    SOURCE,
    definitions="""
    4-4 constant VERSION | readonly VERSION="1.0"
    5-5 variable path | export path=1
    6-6 variable name | name=value
    8-12 function foo | foo() | Does foo.
    13-13 method ns.bar | function ns::bar
    15-15 function cond | cond()
    """,
    imports="""
    2 source ./lib.sh
    3 source $DIR/other.sh
    """,
    calls="""
    bar:11 baz:11 other:15
    """,
)


class TestBash(CaseChecks):
    case = CASE
