"""Which definition of TypeScript and JavaScript may run which."""

from __future__ import annotations

from tests.unit.graph.definitions import edges


def test_calls_types_and_members_of_typed_values(repo):
    repo.having(
        {
            "src/store.ts": (
                "import type { Row } from './row';\n"
                "export class Base {\n  open(): void {}\n  close() {}\n}\n"
                "export class Store<T> extends Base {\n"
                "  #size = count();\n"
                "  constructor(private row: Row) { super(); }\n"
                "  get first(): Row { return this.row; }\n"
                "  open() { this.row.read(); super.open(); }\n"
                "}\n"
                "function count() { return 1; }\n"
            ),
            "src/row.ts": (
                "export interface Row { read(): Cell; }\n"
                "export class Cell { text() { return ''; } }\n"
                "export class OneRow implements Row {\n  read() { return new Cell(); }\n}\n"
            ),
            "src/use.ts": (
                "import { Store } from './store';\nimport * as rows from './row';\n"
                "export function use(list: Array<Store<string>>) {\n"
                "  for (const one of list) one.close();\n"
                "  const store = new Store(new rows.OneRow());\n"
                "  return store.first.read().text();\n"
                "}\n"
                "const unknown = (x) => x.open();\n"
            ),
        }
    )
    found = edges(repo)
    assert {
        ("Store", "subclass", "Base"),
        ("Store", "constructor", "Store.constructor"),
        ("Store", "constructor", "Store.#size"),
        ("Store.#size", "call", "count"),
        ("Store.open", "call", "Row.read"),
        ("Store.open", "call", "Base.open"),
        ("Base.open", "override", "Store.open"),
        ("Row.read", "override", "OneRow.read"),
        ("OneRow", "subclass", "Row"),
        ("OneRow.read", "call", "Cell"),
        ("use", "call", "Base.close"),
        ("use", "call", "Store"),
        ("use", "call", "OneRow"),
        ("use", "call", "Store.first"),
        ("use", "call", "Row.read"),
        ("use", "call", "Cell.text"),
        ("unknown", "dynamic", ".open"),
        (".open", "candidate", "Store.open"),
    } <= found
    assert ("use", "dynamic", ".text") not in found


def test_what_modules_hand_on_by_other_names(repo):
    repo.having(
        {
            "a.ts": "export default function first() {}\nfunction hidden() {}\n"
            "export { hidden as shown };\nexport const held = first;\n",
            "index.ts": "export * from './a';\nexport { default as one } from './a';\n"
            "export * as all from './a';\n",
            "use.ts": "import { shown, one, all, held } from './index';\nimport two from './a';\n"
            "export function f() { shown(); }\nexport function g() { one(); }\n"
            "export function h() { all.shown(); }\nexport function i() { two(); }\n"
            "export function j() { held(); }\n"
            "export async function k() { const m = await import('./a'); m.shown(); }\n",
        }
    )
    assert {
        ("f", "call", "hidden"),
        ("g", "call", "first"),
        ("h", "call", "hidden"),
        ("i", "call", "first"),
        ("j", "call", "first"),
        ("j", "variable", "held"),
        ("k", "call", "hidden"),
    } <= edges(repo)


def test_modules_of_node_and_objects_that_are_written_out(repo):
    repo.having(
        {
            "lib/app.js": (
                "var app = exports = module.exports = {};\n"
                "app.init = function init() { this.reset(); };\n"
                "app.reset = function () {};\n"
            ),
            "lib/tool.js": "function run() {}\nfunction other() {}\n"
            "module.exports = { run, go: other, stop() {} };\n",
            "lib/old.js": "function Old() { this.tool = require('./tool'); }\n"
            "Old.prototype.turn = function () { this.push(); };\n"
            "Old.prototype.push = function () {};\nmodule.exports = Old;\n",
            "lib/use.js": (
                "const app = require('./app');\nconst { run, go } = require('./tool');\n"
                "const tool = require('./tool');\nconst Old = require('./old');\n"
                "function a() { app.init(); }\nfunction b() { run(); go(); }\n"
                "function c() { tool.stop(); }\nfunction d() { new Old().turn(); }\n"
                "function e() { [1].map(run); }\n"
                "describe('x', () => { it('y', () => { const o = new Old(); o.push(); }); });\n"
            ),
        }
    )
    found = edges(repo)
    assert {
        ("a", "call", "app.init"),
        ("app.init.init", "call", "app.reset"),
        ("b", "call", "run"),
        ("b", "call", "other"),
        ("c", "call", "stop"),
        ("d", "call", "Old"),
        ("d", "call", "Old.turn"),
        ("Old.turn", "call", "Old.push"),
        ("e", "value", "run"),
        ("lib/use.js", "call", "Old.push"),
    } <= found


def test_what_functions_of_object_return_has_the_members_of_their_first_argument(repo):
    repo.having(
        {
            "lib/help.js": "class Help {\n  format() { return ''; }\n}\nmodule.exports = Help;\n",
            "lib/other.js": "class Other {\n  format() { return ''; }\n}\n"
            "module.exports = Other;\n",
            "lib/command.js": (
                "const Help = require('./help');\n"
                "class Command {\n"
                "  createHelp() { return Object.assign(new Help(), this.settings()); }\n"
                "  settings() { return {}; }\n"
                "  show() { return this.createHelp().format(); }\n"
                "}\n"
                "const frozen = Object.freeze(new Help());\n"
                "function made() { return Object.create(frozen).format(); }\n"
                "function copied() { return Object.assign({}, frozen).format(); }\n"
            ),
        }
    )
    found = edges(repo)
    assert {
        ("Command.show", "call", "Help.format"),
        ("Command.createHelp", "call", "Command.settings"),
        ("made", "call", "Help.format"),
    } <= found
    assert not [edge for edge in found if edge[0] == "copied" and "format" in edge[2]]
    assert not [edge for edge in found if edge[1] == "dynamic"]


def test_components_and_decorators(repo):
    repo.having(
        {
            "view.tsx": "export const Item = (props: Props) => <li onClick={click}/>;\n"
            "function click() {}\ninterface Props {}\n"
            "export function List() { return <ul><Item/></ul>; }\n",
            "service.ts": "export function Inject(x: number) { return (c: any) => c; }\n"
            "@Inject(1)\nexport class Service {}\n",
        }
    )
    assert {
        ("List", "call", "Item"),
        ("Item", "value", "click"),
        ("Item", "type", "Props"),
        ("Service", "decorator", "Inject"),
    } <= edges(repo)
