"""Which definition of TypeScript and JavaScript may run which."""

from __future__ import annotations

from tests.unit.graph.definitions import edges, spreads


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


def test_types_that_comments_of_javascript_give(repo):
    repo.having(
        {
            "lib/help.js": "class Help {\n  width() { return 1; }\n  wrap() {}\n}\n",
            "lib/rows.js": (
                "/**\n * @param {Help} helper\n * @param {import('./other').Other[]} [others]\n"
                " * @returns {Promise<Help>}\n */\n"
                "function shown(helper, others) {\n  helper.width(others[0].turn());\n}\n"
                "/** @param {Missing} x */\nfunction asked(x) { x.width(); }\n"
                "class Row {\n"
                "  constructor() {\n"
                "    /** @type {Help | undefined} */\n    this.help = undefined;\n  }\n"
                "  wrap() { this.help.wrap(); shown().wrap(); }\n"
                "}\n"
            ),
            "lib/other.js": "class Other {\n  turn() {}\n}\nexports.Other = Other;\n",
            "lib/typed.ts": "/** @param {Help} helper */\n"
            "export function typed(helper) { helper.width(); }\n",
        }
    )
    found = edges(repo)
    assert {
        ("shown", "call", "Help.width"),
        ("shown", "call", "Other.turn"),
        ("asked", "dynamic", ".width"),
        ("Row.wrap", "call", "Help.wrap"),
        ("typed", "dynamic", ".width"),
    } <= found
    assert ("Row.wrap", "dynamic", ".wrap") not in found


def test_a_comment_gives_no_type_of_a_library_or_of_another_language(repo):
    repo.having(
        {
            "lib/request.js": "class Request {\n  header() {}\n}\n",
            "app/help.py": "class Help:\n    def width(self):\n        pass\n",
            "lib/use.js": (
                "/** @param {Help} help */\nfunction asked(help) { help.width(); }\n"
                "/** @param {import('express').Request} one */\n"
                "function received(one) { one.header(); }\n"
                "/**\n * @param {object} options\n * @param {Request} options.request\n */\n"
                "function taken(options) { options.header(); }\n"
            ),
            "lib/express.js": (
                "const { Request } = require('express');\n"
                "/** @param {Request} one */\nfunction wrapped(one) { one.header(); }\n"
                "module.exports = wrapped(Request);\n"
            ),
        }
    )
    found = edges(repo)
    assert {
        ("asked", "dynamic", ".width"),
        ("received", "dynamic", ".header"),
        ("taken", "dynamic", ".header"),
    } <= found
    assert not [one for one in found if one[1:] == ("call", "Request.header")]


def test_a_comment_gives_no_type_that_many_definitions_have(repo):
    repo.having(
        {
            **{f"lib/a{i}.js": "class Help {\n  width() {}\n}\n" for i in range(4)},
            "lib/use.js": "/** @param {Help} help */\nfunction use(help) { help.width(); }\n",
        }
    )
    found = edges(repo)
    assert ("use", "dynamic", ".width") in found
    assert ("use", "call", "Help.width") not in found


def test_methods_beside_each_other_in_an_object_without_a_name(repo):
    repo.having(
        {
            "lib/response.js": "module.exports = {\n"
            "  get socket() { return this.res.socket; },\n"
            "  get(field) { return field; },\n"
            "  type() { this.get('type'); this.missing(); return this.socket; },\n"
            "};\n"
            "function apart() { this.get(); }\n",
            "view.ts": "export default defined({\n"
            "  load() { return new Store(); },\n  shown() { this.load().read(); },\n});\n"
            "class Store {\n  read() {}\n}\n",
        }
    )
    found = edges(repo)
    assert {
        ("type", "call", "get"),
        ("type", "call", "socket"),
        ("type", "dynamic", ".missing"),
        ("apart", "dynamic", ".get"),
        ("shown", "call", "load"),
        ("shown", "call", "Store.read"),
    } <= found


def test_methods_of_several_objects_without_a_name_are_not_taken_for_each_other(repo):
    repo.having(
        {
            "lib/all.js": "register({\n  get() { return 1; },\n  run() { this.get(); },\n});\n"
            "register({\n  get() { return 2; },\n  go() { this.get(); this.run(); },\n});\n"
        }
    )
    found = edges(repo)
    assert {("run", "dynamic", ".get"), ("go", "dynamic", ".get")} <= found
    assert ("run", "call", "get") not in found


def test_what_gives_members_by_members_of_others_is_evaluated_once(repo):
    classes = "".join(f"class A{i} {{\n  m{i}() {{}}\n}}\n" for i in range(42))
    given = "".join(f"Object.assign(A{i}, A{i + 1}.x, A{i + 2}.x);\n" for i in range(40))
    repo.having({"lib/all.js": f"{classes}{given}function f() {{ A0.x.y(); }}\n"})
    # each step evaluated anew would take longer than anybody waits
    assert ("f", "dynamic", ".y") in edges(repo)


def test_members_that_functions_give_to_an_object(repo):
    repo.having(
        {
            "src/reading.ts": "import type { Box } from './box';\n"
            "export function text(this: Box) { return this.each(); }\n"
            "export function size() {}\n",
            "src/box.ts": (
                "import * as Reading from './reading';\n"
                "export class Box {\n  each() { return this.text(); }\n}\n"
                "type ReadingType = typeof Reading;\n"
                "export interface Boxes extends ReadingType {\n  (one: string): Box;\n}\n"
                "Object.assign(Box.prototype, { other: 1 }, Reading);\n"
            ),
            "src/use.ts": "import { Boxes } from './box';\n"
            "export function use(boxes: Boxes) { boxes('a').text(); boxes.size(); }\n"
            "export function unknown(one) { one.size(); }\n",
            "lib/base.js": "const base = module.exports = {};\nbase.handle = function () {};\n",
            "lib/app.js": "const base = require('./base');\nconst mixin = require('merge');\n"
            "function create() {\n  const app = function () { app.handle(); };\n"
            "  mixin(app, base);\n  return app;\n}\n"
            "function started() { create().handle(); }\n",
        }
    )
    found = edges(repo, places=True)
    assert {
        ("text", "call", "Box.each"),
        ("Box.each", "call", "text"),
        ("Box", "sibling", "size"),
        ("use", "call", "text"),
        ("use", "call", "size"),
        ("unknown", "dynamic", ".size"),
        (".size", "candidate", "size"),
        ("create.app", "call", "base.handle"),
        ("started", "call", "base.handle"),
    } <= found


def test_functions_that_are_assigned_twice_and_called_by_call_and_apply(repo):
    repo.having(
        {
            "lib/res.js": "const res = {};\nmodule.exports = res;\n"
            "res.set = res.header = function header() {};\n"
            "res.send = function send() { this.set(); res.header.call(this); };\n",
            "lib/use.js": "const res = require('./res');\n"
            "function use(x) { res.send.apply(x, []); x.set(); }\n",
        }
    )
    assert {
        ("res.send.send", "call", "res.set.header"),
        ("use", "call", "res.send"),
        ("use", "dynamic", ".set"),
        (".set", "candidate", "res.set.header"),
    } <= edges(repo)


def test_what_gets_a_module_that_a_call_has_made(repo):
    repo.having(
        {
            "app.js": "const app = module.exports = express();\napp.get('/', () => shown());\n"
            "function shown() {}\n",
            "site.mjs": "const site = express();\nsite.get('/', () => 1);\nexport default site;\n",
            "tool.js": "module.exports = { run() {} };\n",
            "test/all.js": "const app = require('../app');\nconst tool = require('../tool');\n"
            "request(app).get('/');\nrequest(tool);\n",
            "test/site.mjs": "import site from '../site.mjs';\nrequest(site).get('/');\n",
        }
    )
    found = {edge for edge in edges(repo) if edge[0].startswith("test/") and edge[1] == "value"}
    assert found == {("test/all.js", "value", "app.js"), ("test/site.mjs", "value", "site.mjs")}


def test_a_module_with_a_default_for_other_importers(repo):
    repo.having(
        {
            "main.js": "function main() { return new Server(); }\n"
            "class Server {\n  listen() {}\n}\n"
            "module.exports = main;\nmodule.exports.default = main;\n",
            "use.js": "const made = require('./main');\nfunction use() { made().listen(); }\n",
        }
    )
    assert {("use", "call", "main"), ("use", "call", "Server.listen")} <= edges(repo)


def test_methods_that_the_language_calls(repo):
    repo.having(
        {
            "a.js": "class A {\n  toJSON() {}\n  other() {}\n}\n"
            "function f(x) { x.toJSON(); x.other(); }\n",
        }
    )
    assert {("A", "callback", "A.toJSON"), ("A", "sibling", "A.other")} <= edges(repo, places=True)


def test_members_whose_names_come_from_a_list(repo):
    repo.having(
        {
            "lib/client.js": (
                "export default class Client {\n  request() {}\n}\n"
                "each(['get', 'head'], function withoutBody(name) {\n"
                "  Client.prototype[name] = function (url) { return this.request(url); };\n"
                "});\n"
                "const bodies = ['post', 'put'];\n"
                "bodies.forEach(function withBody(name) {\n"
                "  function made() { return function sent() { return this.request(); }; }\n"
                "  Client.prototype[name + 'Form'] = made();\n"
                "});\n"
                "for (const name of 'open close'.split(' ')) {\n"
                "  Client[name] = () => helper();\n"
                "}\n"
                "for (const name of unseen()) Client.prototype[name] = () => helper();\n"
                "function helper() {}\n"
            ),
            "use.js": (
                "import Client from './lib/client.js';\n"
                "function reads() { new Client().get(); }\n"
                "function writes() { new Client().putForm(); }\n"
                "function opens() { Client.open(); }\n"
                "function other() { new Client().patch(); }\n"
            ),
        }
    )
    found = edges(repo, places=True)
    assert {
        ("reads", "call", "Client.get"),
        ("Client.get", "call", "[]"),
        ("Client.head", "call", "[]"),
        ("[]", "call", "Client.request"),
        # whoever asks about the function around asks about this code, too
        ("[]", "call", "withoutBody"),
        ("writes", "call", "Client.putForm"),
        ("[]", "call", "withBody.made"),
        ("withBody.made.sent", "call", "Client.request"),
        ("opens", "call", "Client.open"),
        ("[]", "call", "helper"),
    } <= found
    assert {edge for edge in found if edge[:2] == ("other", "call")} == {
        ("other", "call", "Client")
    }


def test_members_of_lists_belong_to_a_constructor_function_as_written_ones_do(repo):
    repo.having(
        {
            "api.js": (
                "function Api() {}\n"
                "['get'].forEach(name => { Api.prototype[name] = function () { build(); }; });\n"
                "['put'].forEach(name => { Api.prototype[name] = function () { other(); }; });\n"
                "function build() {}\nfunction other() {}\nmodule.exports = Api;\n"
            ),
            "use.js": "const Api = require('./api');\nfunction gets() { new Api().get(); }\n",
        }
    )
    found = edges(repo, places=True)
    assert ("gets", "call", "Api.get") in found
    assert not [edge for edge in found if edge[0] == "Api" and edge[1] == "nested"]


def test_members_of_lists_of_what_is_no_definition_change_nothing(repo):
    repo.having(
        {
            "lib.js": "for (const name of ['alpha', 'beta']) exports[name] = build(name);\n"
            "function build() {}\n",
            "inside.js": "for (const name of ['get'])\n"
            "  Api[name] = function made() { class Api {} };\n"
            "function whole() { part(); }\nfunction part() {}\n",
        }
    )
    assert {("lib.js", "call", "build"), ("whole", "call", "part")} <= edges(repo)


def test_a_list_is_that_of_the_function_around(repo):
    repo.having(
        {
            "api.js": (
                "class Api {}\n"
                "function elsewhere() { const names = ['put']; return names; }\n"
                "function here() {\n  const names = ['get'];\n"
                "  for (const one of names) Api.prototype[one] = function () {};\n}\n"
                "function nowhere() { for (const one of names) Api[one] = function () {}; }\n"
            ),
        }
    )
    targets = {target for source, kind, target in edges(repo, places=True) if source == "Api"}
    assert "Api.get" in targets
    assert "Api.put" not in targets


def test_a_value_within_a_value(repo):
    repo.having(
        {
            "api.js": (
                "class Api {}\nclass Part {}\n"
                "for (const one of ['get']) Api.prototype[one] = function () {\n"
                "  ['put'].forEach(two => { Part.prototype[two] = function () { inner(); }; });\n"
                "};\nfunction inner() {}\n"
            ),
        }
    )
    found = edges(repo, places=True)
    assert {("[]", "call", "inner"), ("[]", "nested", "[]"), ("Part.put", "call", "[]")} <= found


def test_a_variable_of_a_function_has_the_members_that_it_is_given(repo):
    repo.having(
        {
            "lib/client.js": (
                "class Client {\n  send() {}\n}\n"
                "function create() {\n"
                "  const one = bound(Client.prototype.send);\n"
                "  extend(one, Client.prototype);\n"
                "  return one;\n}\n"
                "const client = create();\nexport default client;\n"
                "function bound(send) {\n  return function () { return send(); };\n}\n"
            ),
            "index.js": "import client from './lib/client.js';\nexport { client as default };\n",
            "use.js": "import client from './index.js';\nfunction sends() { client.send(); }\n"
            "function calls() { client(); }\n",
        }
    )
    found = edges(repo)
    assert {
        ("sends", "call", "Client.send"),
        ("create", "value", "Client.send"),
        # who calls what a call has made runs what made it
        ("calls", "variable", "client"),
        ("client", "call", "create"),
    } <= found


def test_an_object_without_a_name_that_a_module_provides(repo):
    repo.having(
        {
            "lib/tools.js": "function trim() {}\n"
            "export default {\n  trim,\n  pick: () => trim(),\n};\n",
            "lib/adapter.js": "export default supported && function adapter() {};\n",
            "use.js": "import tools from './lib/tools.js';\n"
            "import adapter from './lib/adapter.js';\n"
            "function use() { tools.trim(); tools.pick(); adapter(); }\n",
        }
    )
    assert {("use", "call", "trim"), ("use", "call", "pick"), ("use", "call", "adapter")} <= edges(
        repo
    )


def test_declarations_of_types_lead_to_the_code(repo):
    repo.having(
        {
            "index.d.ts": "export class Client {\n  send(): void;\n  close(): void;\n}\n",
            "index.js": "module.exports = require('./lib/client');\n",
            "lib/client.js": "class Client {\n  send() {}\n}\nmodule.exports = { Client };\n",
            "dist/client.js": "class Client {\n  send() {}\n  close() {}\n}\n",
            "use.ts": "import { Client } from './index';\n"
            "export function use(one: Client) { one.send(); one.close(); }\n",
        }
    )
    found = edges(repo)
    assert ("use", "call", "Client.send") in found
    assert ("Client.send", "declaration", "Client.send") in found
    # a copy is meant where nothing else is there
    assert ("Client.close", "declaration", "Client.close") in found


def test_modules_that_are_handed_on_as_objects(repo):
    repo.having(
        {
            "plugins/trim.js": "export const name = 'trim';\nexport const fn = () => work();\n"
            "function work() {}\n",
            "plugins/all.js": (
                "import * as trim from './trim.js';\nimport * as tools from '../tools.js';\n"
                "export const plugins = Object.freeze([trim]);\n"
                "export const names = Object.assign(registry, tools);\n"
                "export const registry = { ...tools };\n"
            ),
            "tools.js": "export function split() {}\n",
        }
    )
    found = edges(repo)
    assert ("plugins", "value", "fn") in found
    # what gives an object its members is not used by itself
    assert not [edge for edge in found if edge[1] == "value" and edge[2] == "split"]


def test_members_of_exports_and_modules_that_have_no_name(repo):
    repo.having(
        {
            "lib/parse.js": "module.exports = function parse() {};\n",
            "lib/tools.js": "module.exports = { split() {} };\n",
            "index.js": (
                "exports = module.exports = main;\nfunction main() {}\n"
                "exports.parse = require('./lib/parse');\n"
                "exports.split = require('./lib/tools').split;\n"
            ),
            "lazy.js": "module.exports = { get parse() { return require('./lib/parse'); } };\n",
            "app.js": "const app = make();\nfunction f() { return require('./lib/parse'); }\n"
            "const parse = require('./lib/parse');\nfunction start() { app.parser = parse; }\n"
            "require('./lib/parse')(app);\nuse(require('./lib/tools'));\n",
            "use.js": (
                "const api = require('./index');\n"
                "function a() { api.parse(); }\nfunction b() { api.split(); }\n"
            ),
        }
    )
    found = edges(repo)
    assert {
        ("a", "call", "parse"),
        ("b", "call", "split"),
        ("parse", "value", "parse"),
        ("f", "value", "parse"),
        ("app.js", "call", "parse"),
        ("start", "value", "parse"),
    } <= found


def test_members_of_what_a_module_is_as_a_whole(repo):
    repo.having(
        {
            "store.js": "class Store { open() {} }\nmodule.exports = new Store();\n",
            "more.js": "module.exports = { ...require('./tools'), x: 1 };\n",
            "all.js": "const lib = require('./tools');\nconst all = { ...lib };\n"
            "module.exports = all;\n",
            "all.mjs": "import * as lib from './tools.js';\nexport default { ...lib };\n",
            "tools.js": "module.exports = { split() {} };\n",
            "use.js": (
                "const store = require('./store');\nconst more = require('./more');\n"
                "const all = require('./all');\n"
                "function a() { store.open(); }\nfunction b() { more.split(); }\n"
                "function c() { all.split(); }\n"
            ),
            "own.js": "function make() { exports.make = new Other(); return new Lid(); }\n"
            "class Lid { open() {} }\nclass Other { open() {} }\n"
            "function f() { make().open(); }\n",
            "use.mjs": "import all from './all.mjs';\nexport function d() { all.split(); }\n",
            # what stands for each other in a circle has no member more
            "one.js": "module.exports = require('./two');\n",
            "two.js": "module.exports = require('./one');\n",
            "circle.js": "const one = require('./one');\nfunction e() { one.split(); }\n",
        }
    )
    found = edges(repo)
    assert {
        ("a", "call", "Store.open"),
        ("b", "call", "split"),
        ("c", "call", "split"),
        ("d", "call", "split"),
    } <= found
    assert ("e", "call", "split") not in found
    assert ("f", "call", "Lid.open") in found
    # a member of `exports` is not what a function of its name returns
    assert ("f", "call", "Other.open") not in found


def test_parts_of_objects_and_elements_of_what_is_written_out(repo):
    repo.having(
        {
            "box.js": (
                "import { lib } from 'library';\nexport class Lid { open() {} }\n"
                "export class Box {\n  constructor() { this.lid = new Lid(); this.parts = {}; }\n"
                "  turn(name) { this.parts[name].open(); }\n}\n"
                "export function a() { const { lid } = new Box(); lid.open(); }\n"
                "export function b() { const { lid: top = null } = new Box(); top.open(); }\n"
                "export function c() { const { open } = lib; open.close(); }\n"
                "export const [first, second] = made();\nfunction made() { return [new Lid()]; }\n"
                "export const { lid, other } = make();\nfunction make() { return new Box(); }\n"
                "export function d() { lid.open(); }\n"
            ),
        }
    )
    found = edges(repo)
    assert {
        ("a", "call", "Lid.open"),
        ("b", "call", "Lid.open"),
        ("d", "call", "Lid.open"),
        ("Box.turn", "dynamic", ".open"),
        # each of the variables that one declaration binds
        ("first", "call", "made"),
        ("second", "call", "made"),
        ("lid", "call", "make"),
    } <= found
    assert ("c", "dynamic", ".close") not in found


def test_a_base_that_calls_back_and_one_that_does_not(repo):
    repo.having(
        {
            "a.js": (
                "const Emitter = require('events');\nconst lib = require('lib');\n"
                "class Own extends Emitter { run() { this.emit('x'); } }\n"
                "class Fault extends Error { report() {} }\n"
                "class Field extends lib.Type { cast() {} }\n"
                "function use(x) { x.run(); x.report(); x.cast(); }\n"
            ),
        }
    )
    called = {edge[2] for edge in edges(repo) if edge[1] == "callback"}
    assert called == {"Field.cast"}


def test_any_member_of_a_module_and_keys_of_objects(repo):
    repo.having(
        {
            "models/index.js": "export { default as Post } from './post';\n",
            "models/post.js": "export default (db) => db.type({ default: other });\n",
            "use.js": "import * as models from './models/index';\n"
            "export function all(key) { return models[key](1); }\n",
        }
    )
    assert ("all", "value", "models/post.js") in edges(repo)


def test_what_objects_are_given_for_members_that_types_declare(repo):
    repo.having(
        {
            "scalar.ts": (
                "interface Config { check(): void }\n"
                "export class Scalar {\n"
                "  parse: (text: string) => void;\n"
                "  constructor(config: Config) { this.parse = config.parse; config.check(); }\n"
                "  own() { this.parse('1'); }\n"
                "}\n"
                "export class Other { parse() {} check() {} }\n"
                "export const text = new Scalar({ parse(one) {}, check: () => 1 });\n"
                "export const filled = make('Filled', (made) => {\n"
                "  made.parse = (one) => one;\n"
                "});\n"
            ),
            "plain.js": (
                "class Stream {\n"
                "  constructor(options) { this.opened = options.opened; }\n"
                "  open() { this.opened(); this.never(); }\n"
                "}\n"
                "new Stream({ opened() {}, never() {} });\n"
            ),
        }
    )
    found = edges(repo)
    assert {
        ("Scalar.own", "dynamic", ".{parse}"),
        (".{parse}", "candidate", "text.parse"),
        (".{parse}", "candidate", "filled.made.parse"),
        ("Scalar.constructor", "dynamic", ".{check}"),
        (".{check}", "candidate", "text.check"),
        ("Stream.open", "dynamic", ".{opened}"),
        (".{opened}", "candidate", "opened"),
    } <= found
    targets = {target for source, _, target in found if source.startswith(".{")}
    assert not {"Other.parse", "Other.check", "never"} & targets


def test_objects_of_tests_are_not_among_those_of_other_code(repo):
    repo.having(
        {
            "box.ts": (
                "export interface Row { read(): void }\n"
                "export const one = { read() {} };\n"
                "export function use(row: Row) { row.read(); }\n"
            ),
            "box.test.ts": "const mine = { read() {} };\n",
        }
    )
    assert spreads(repo, ".{read}") == {"one.read": 1, "mine.read": 2}


def test_members_that_variables_are_bound_to(repo):
    repo.having(
        {
            "use.js": (
                "async function use() {\n"
                "  const { open, close: shut } = await import('./box.js');\n"
                "  open();\n"
                "  const { first, second = first } = table;\n"
                "  const { unknown } = arguments[0];\n"
                "}\n"
                "const table = { first() {}, second() {}, third() {} };\n"
            ),
            "box.js": "export function open() {}\nexport function close() {}\n",
        }
    )
    found = edges(repo)
    assert {
        ("use", "call", "open"),
        ("use", "call", "close"),
        ("use", "call", "table.first"),
        ("use", "call", "table.second"),
    } <= found
    assert ("use", "call", "table.third") not in found


def test_tables_of_functions(repo):
    repo.having(
        {
            "table.js": (
                "const table = { open() {}, shut() {} };\n"
                "const other = { open() {}, shut() {} };\n"
                "function use(name) { return table[name](); }\n"
                "function plain(table) { table.open(); table.shut(); table[1](); }\n"
            ),
        }
    )
    found = edges(repo)
    assert {
        ("use", "variable", ".table.js:table[]"),
        (".table.js:table[]", "value", "table.open"),
        (".table.js:table[]", "value", "table.shut"),
    } <= found
    assert (
        not {
            (".table.js:table[]", "value", "other.open"),
            ("plain", "variable", ".table.js:table[]"),
        }
        & found
    )


def test_what_is_made_a_global_variable_is_known_in_other_files(repo):
    repo.having(
        {
            "lib/store.js": (
                "export class Store { open() {} }\n"
                "export function use(lid) { plain(); lid(); return store.open(); }\n"
            ),
            "spec/setup.js": (
                "import { Store } from '../lib/store.js';\n"
                "globalThis.Store = Store;\nglobal.plain = function () {};\n"
            ),
            "spec/one.js": (
                "function one() { new Store().open(); plain(); }\n"
                "function two(plain) { plain(); }\n"
            ),
            "lib/page.js": (
                "window.lid = function () {};\nfunction page() { lid(); other.lid(); }\n"
            ),
        }
    )
    found = edges(repo)
    assert {
        ("one", "variable", "globalThis.Store"),
        ("one", "call", "Store.open"),
        ("one", "call", "global.plain"),
        ("page", "call", "window.lid"),
    } <= found
    # neither what is bound otherwise, nor, in code, what tests make a global variable
    assert not {("two", "call", "global.plain"), ("use", "call", "window.lid")} & found
    assert ("use", "call", "global.plain") not in found
