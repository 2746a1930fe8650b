"""Definitions, imports and references found in Lua."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
local json = require("json")
local M = {}
M.version = "1.0"
LIMIT = 1
-- Adds things.
-- In two lines.
function M.add(x, y) return compute(x) end
function M:method(x) self.z = 1 end
local function helper(x)
  local inner = 1
  return x.go(inner)
end
M.later = function(x) x:call() end
local t = { fn = function() end, key = 1 }
dofile("x.lua")
return M
"""

CASE = Case(
    "lua",
    SOURCE,
    definitions="""
    2-2 variable M | local M = {}
    3-3 field M.version | M.version = "1.0"
    4-4 constant LIMIT | LIMIT = 1
    7-7 method M.add | function M.add(x, y) | Adds things. In two lines.
    8-8 method M.method | function M:method(x)
    9-12 function helper | local function helper(x)
    13-13 method M.later | M.later = function(x)
    14-14 variable t | local t = { fn = function() end, key = 1 }
    14-14 function t.fn | fn = function() end
    """,
    imports="""
    1 require json
    15 dofile x.lua
    """,
    calls="""
    require:1 compute:7 go:11 call:13 dofile:15
    """,
)


class TestLua(CaseChecks):
    case = CASE
