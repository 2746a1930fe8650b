"""Definitions, imports and references found in JavaScript."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
import def, {a, b as c} from './mod.js';
import * as ns from "pkg";
import 'side';
export {x, y as z} from './other';
export * from './all';
const fs = require('fs'), {readFile} = require("fs/promises");
/** Doc of foo.
 * @param a what */
export default function foo(a, b) { const local = 1; function nested() {} }
export const arrow = async (x) => { let q = 1; return call(x); };
const plain = function named() {};
function* gen() {}
export class K extends Base.Sub {
  static count = 0;
  #secret = 1;
  handler = () => {};
  constructor(a) { super(); this.m = function () {}; }
  async method(x) { return new Foo(x).bar(); }
  get prop() { return 1; }
}
exports.one = function () {};
module.exports = { three, four: function () {}, five() {}, seven: 7 };
K.prototype.proto = function (a) {};
K.stat = 5;
var LIMIT = 5, other;
let {d1, d2: d3} = obj, [e1] = arr;
const obj = { k: 1, fn: async function () {} };
for (let i = 0; i < 3; i++) {}
describe('x', () => { const v = 1; function helper() {} });
const el = <Foo.Bar a={b}><Comp /><div/></Foo.Bar>;
const lazy = import('./lazy');
import(`./a`); import(/* name */ './b'); import(`./${c}`); import(d, {}); import('./e' + f);
require.resolve('./g'); jest.mock('./h', () => 1); vi.importActual('./i'); vi.fn('./no');
new URL('./j', import.meta.url); new URL('./no', base); require(k);
/// <reference path="./l" />
"""

CASE = Case(
    "javascript",
    SOURCE,
    definitions="""
    6-6 variable fs | fs = require('fs')
    6-6 variable readFile | {readFile} = require("fs/promises")
    9-9 function foo | export default function foo(a, b) | Doc of foo.
    9-9 function foo.nested | function nested()
    10-10 function arrow | export const arrow = async (x) =>
    11-11 function plain | const plain = function named()
    11-11 function plain.named | function named()
    12-12 function gen | function* gen()
    13-20 class K | export class K extends Base.Sub
    14-14 field K.count | static count = 0
    15-15 field K.#secret | #secret = 1
    16-16 method K.handler | handler = () =>
    17-17 constructor K.constructor | constructor(a)
    17-17 function K.constructor.m | this.m = function ()
    18-18 method K.method | async method(x)
    19-19 method K.prop | get prop()
    21-21 function one | exports.one = function ()
    22-22 property three | three
    22-22 method four | four: function ()
    22-22 method five | five()
    22-22 property seven | seven: 7
    23-23 method K.proto | K.prototype.proto = function (a)
    24-24 property K.stat | K.stat = 5
    25-25 constant LIMIT | LIMIT = 5
    25-25 variable other | other
    26-26 variable d1 | {d1, d2: d3} = obj
    26-26 variable d3 | {d1, d2: d3} = obj
    26-26 variable e1 | [e1] = arr
    27-27 variable obj | const obj = { k: 1, fn: async function () {} }
    27-27 property obj.k | k: 1
    27-27 method obj.fn | fn: async function ()
    29-29 function helper | function helper()
    30-30 variable el | const el = <Foo.Bar a={b}><Comp /><div/></Foo.Bar>
    31-31 variable lazy | const lazy = import('./lazy')
    """,
    imports="""
    1 import ./mod.js default as def,a,b as c
    2 import pkg * as ns
    3 import side
    4 export ./other x,y as z
    5 export ./all
    6 require fs
    6 require fs/promises readFile
    31 dynamic ./lazy
    32 dynamic ./a
    32 dynamic ./b
    32 computed ./${c}
    32 computed d
    32 computed './e' + f
    33 mock ./g
    33 mock ./h
    33 mock ./i
    34 url ./j
    34 computed k
    35 reference /// <reference path="./l" />
    """,
    calls="""
    require:6 call:10 Foo:18 bar:18 describe:29 Bar:30 Comp:30 resolve:33 mock:33 importActual:33 fn:33 URL:34 require:34
    """,
    types="""
    Sub:13
    """,
)


class TestJavaScript(CaseChecks):
    case = CASE
