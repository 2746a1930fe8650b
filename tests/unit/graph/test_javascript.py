"""Where imports of JavaScript and TypeScript lead."""

import json
from time import monotonic

import pytest

from gitsearch.graph.resolvers.javascript import JavaScript
from gitsearch.records import Import
from tests.unit.graph.projects import edges, project


def resolved(files, path="a.ts"):
    """The files that the imports of one lead to, all of them certain."""
    found = edges(files, path)
    assert set(found.values()) <= {"resolved"}
    return set(found)


def package(name, **fields):
    return json.dumps({"name": name, **fields})


# ---------------------------------------------------------------- forms of imports


@pytest.mark.parametrize(
    "statement",
    [
        "import x from './b';",
        "import './b';",
        "import type { X } from './b';",
        "import x = require('./b');",
        "export * from './b';",
        "export { x } from './b';",
        "const x = require('./b');",
        "require(`./b`);",
        "require.resolve('./b');",
        "const x = await import('./b');",
        "import(`./b`);",
        "import(/* webpackChunkName: 'b' */ './b');",
        "type X = import('./b').X;",
        "jest.mock('./b');",
        "vi.mock('./b', () => ({}));",
        "const x = await vi.importActual('./b');",
        "new URL('./b.ts', import.meta.url);",
        "new URL(`b.ts`, import.meta.url);",
        "declare module './b' { interface X {} }",
        '/// <reference path="./b.ts" />',
        "/// <reference path='b.ts' />",
        "import x from './b?raw';",
        "import x from '!!raw-loader!./b';",
    ],
)
def test_every_form_of_import_is_followed(statement):
    assert resolved({"a.ts": statement, "b.ts": ""}) == {"b.ts"}


@pytest.mark.parametrize(
    "arguments",
    [
        "__dirname, '../src/cli.ts'",
        "__dirname, '..', \"src\", 'cli.ts'",
        "import.meta.dirname, '../src/cli.ts',",
    ],
)
@pytest.mark.parametrize("call", ["path.join", "path.resolve", "join"])
def test_a_path_from_the_folder_of_a_file_leads_to_that_very_file(call, arguments):
    files = {"t/a.ts": f"const cli = {call}({arguments});", "src/cli.ts": "", "src/cli.js": ""}
    assert resolved(files, "t/a.ts") == {"src/cli.ts"}


@pytest.mark.parametrize(
    "call",
    [
        "join(__dirname, '../src')",
        "join(__dirname, '../src/cli')",
        "join(__dirname, '../src', name)",
        "join(__dirname, name, 'cli.ts')",
        "join(root, '../src/cli.ts')",
        "list.push(__dirname, '../src/cli.ts')",
        "join(__dirname, '../../src/cli.ts')",
    ],
)
def test_a_path_that_is_computed_or_of_no_file_leads_nowhere(call):
    files = {"t/a.ts": f"{call};", "src/cli.ts": "", "src/index.ts": ""}
    assert edges(files, "t/a.ts") == {}


@pytest.mark.parametrize(
    "statement",
    [
        "import(name);",
        "import(`./x/${n}`);",
        "import(`../../x/${n}`);",
        "require(x.y);",
        "require(path.join(root, 'b', name));",
        "import(/* @vite-ignore */ url);",
    ],
)
def test_what_is_computed_is_not_seen(statement):
    assert list(edges({"a.ts": statement, "b.ts": ""}, "a.ts").values()) == ["dynamic-import"]


@pytest.mark.parametrize(
    "statement",
    [
        "import(`./views/${name}.js`);",
        "import(`./views/t${name}`);",
        "require('./views/' + name);",
        "require(path.join(__dirname, 'views', name));",
        "require(path.resolve(__dirname, 'views', `${name}.js`));",
        "import(join(import.meta.dirname, './views', name));",
    ],
)
def test_a_computed_path_in_a_folder_may_be_any_module_of_it(statement):
    files = {
        "src/a.js": statement,
        "src/views/one.js": "",
        "src/views/two.ts": "",
        "src/views/notes.md": "",
        "src/views/three/index.js": "",
        "src/views/three/inner.js": "",
        "src/other.js": "",
    }
    modules = {f"src/views/{name}" for name in ("one.js", "two.ts", "three/index.js")}
    assert edges(files, "src/a.js") == dict.fromkeys(modules, "ambiguous")


def test_a_computed_path_may_be_of_a_folder_that_another_path_names():
    text = (
        "const folder = path.join(__dirname, 'cases');\n"
        "fs.readdirSync(folder).forEach((name) => require(path.join(folder, name)));\n"
    )
    found = edges({"t/a.js": text, "t/cases/one.js": "", "t/b.js": ""}, "t/a.js")
    assert found.pop("t/cases/one.js") == "ambiguous"
    # it may be another one as well
    assert list(found.values()) == ["dynamic-import"]


@pytest.mark.parametrize(
    "name", ["react", "node:fs", "fs", "https://x.org/a.js", "../out", "@s/x"]
)
def test_what_is_elsewhere_leads_nowhere(name):
    files = {"a.ts": f"import x from '{name}';", "fs.ts": "", "out.ts": "", "react.ts": ""}
    assert edges(files, "a.ts") == {}


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("specifier", "target"),
    [
        ("./b", "b.ts"),
        ("./b", "b.tsx"),
        ("./b", "b.d.ts"),
        ("./b", "b.js"),
        ("./b", "b.mjs"),
        ("./b", "b.json"),
        ("./b", "b.vue"),
        ("./b", "b/index.ts"),
        ("./b", "b/index.jsx"),
        ("./b.js", "b.js"),
        ("./b.js", "b.ts"),
        ("./b.js", "b.tsx"),
        ("./b.js", "b.d.ts"),
        ("./b.jsx", "b.tsx"),
        ("./b.mjs", "b.mts"),
        ("./b.cjs", "b.cts"),
        ("./b.ts", "b.d.ts"),
        ("./b.ts", "b.js"),
        ("./b.test", "b.test.ts"),
        ("./b.css", "b.css"),
        ("./b.svg?url", "b.svg"),
        ("./b.svelte", "b.svelte"),
        (".", "index.ts"),
        ("./", "index.ts"),
        ("./b/../b", "b.ts"),
    ],
)
def test_extensions_and_indexes_are_found(specifier, target):
    assert resolved({"a.ts": f"import x from '{specifier}';", target: ""}) == {target}


def test_sources_come_before_what_is_built_of_them():
    files = {
        "a.ts": "import './b.js'; import './c';",
        "b.js": "",
        "b.ts": "",
        "c.js": "",
        "c.ts": "",
    }
    assert resolved(files) == {"b.ts", "c.ts"}


def test_a_declaration_and_what_it_declares_are_both_meant():
    files = {"a.ts": "import './b';", "b.d.ts": "", "b.js": ""}
    assert resolved(files) == {"b.d.ts", "b.js"}


def test_a_file_comes_before_a_folder_and_a_slash_means_the_folder():
    files = {"a.ts": "import './b';", "c.ts": "import './b/';", "b.ts": "", "b/index.ts": ""}
    assert resolved(files) == {"b.ts"}
    assert resolved(files, "c.ts") == {"b/index.ts"}


def test_a_folder_is_what_its_package_says():
    files = {
        "a.ts": "import './b';",
        "b/package.json": '{"main": "lib/x.js"}',
        "b/lib/x.js": "",
        "b/index.js": "",
    }
    assert resolved(files) == {"b/lib/x.js"}


def test_one_file_for_each_platform_is_meant():
    files = {"a.ts": "import './b';", "b.ios.ts": "", "b.android.ts": ""}
    assert resolved(files) == {"b.ios.ts", "b.android.ts"}


# ---------------------------------------------------------------- components


def test_scripts_of_components_are_read():
    files = {
        "a.vue": """\
            <template><img src="./b.png"></template>
            <script>
            import c from './c'
            </script>
            <script setup lang="ts">
            import type { D } from './d'
            </script>
            <style src="./e.css"></style>
            """,
        "f.svelte": """\
            <script context="module" lang="ts">import g from './c'</script>
            <script>import A from './a.vue'</script>
            <p>import './d'</p>
            """,
        **dict.fromkeys(("b.png", "c.ts", "d.ts", "e.css"), ""),
    }
    assert resolved(files, "a.vue") == {"b.png", "c.ts", "d.ts", "e.css"}
    assert resolved(files, "f.svelte") == {"c.ts", "a.vue"}


def test_a_library_of_svelte_kit_is_known():
    files = {
        "site/svelte.config.js": "",
        "site/src/routes/a.svelte": "<script>import { x } from '$lib/b'</script>",
        "site/src/lib/b.ts": "",
    }
    assert resolved(files, "site/src/routes/a.svelte") == {"site/src/lib/b.ts"}


# ---------------------------------------------------------------- settings of the compiler


def test_paths_are_aliases_and_the_longest_prefix_wins():
    files = {
        "tsconfig.json": """{
            // comments and commas
            "compilerOptions": {"paths": {
                "@/*": ["./src/*"], "@/lib/*": ["./none/*", "./lib/*"], "exact": ["./src/e"],
            }},
        }""",
        "a.ts": "import '@/b'; import '@/lib/c'; import 'exact'; import '@/lib/d';",
        "src/b.ts": "",
        "lib/c.ts": "",
        "src/e/index.ts": "",
        "src/lib/d.ts": "",
    }
    assert edges(files, "a.ts") == {
        "src/b.ts": "resolved",
        "lib/c.ts": "resolved",
        "src/e/index.ts": "resolved",
        "src/lib/d.ts": "ambiguous",
    }


def test_what_lies_below_the_base_is_found():
    files = {
        "app/jsconfig.json": '{"compilerOptions": {"baseUrl": "src"}}',
        "app/src/x/a.js": "import 'y/b';",
        "app/src/y/b.js": "",
    }
    assert resolved(files, "app/src/x/a.js") == {"app/src/y/b.js"}


def test_settings_are_inherited_and_paths_belong_to_where_they_stand():
    files = {
        "base/tsconfig.base.json": '{"compilerOptions": {"paths": {"#b": ["../src/b"]}}}',
        "base/second.json": '{"compilerOptions": {"paths": {"#c": ["${configDir}/c"]}}}',
        "one/tsconfig.json": '{"extends": "../base/tsconfig.base"}',
        "two/tsconfig.json": '{"extends": ["../base/tsconfig.base.json", "../base/second.json"]}',
        "one/a.ts": "import '#b'; import '#c';",
        "two/a.ts": "import '#b'; import '#c';",
        "src/b.ts": "",
        "two/c.ts": "",
    }
    assert resolved(files, "one/a.ts") == {"src/b.ts"}
    assert resolved(files, "two/a.ts") == {"two/c.ts"}


def test_settings_are_inherited_from_a_package():
    files = {
        "package.json": package("root", workspaces=["packages/*"]),
        "packages/config/package.json": package("@x/config"),
        "packages/config/strict.json": '{"compilerOptions": {"paths": {"~/*": ["../app/*"]}}}',
        "packages/app/tsconfig.json": '{"extends": "@x/config/strict.json"}',
        "packages/app/a.ts": "import '~/b';",
        "packages/app/b.ts": "",
    }
    assert resolved(files, "packages/app/a.ts") == {"packages/app/b.ts"}


def test_folders_may_count_as_one():
    files = {
        "tsconfig.json": '{"compilerOptions": {"rootDirs": ["src", "generated"]}}',
        "src/x/a.ts": "import './b';",
        "generated/x/b.ts": "",
    }
    assert resolved(files, "src/x/a.ts") == {"generated/x/b.ts"}


def test_suffixes_of_platforms_are_tried_in_order():
    files = {
        "tsconfig.json": '{"compilerOptions": {"moduleSuffixes": [".ios", ".native", ""]}}',
        "a.ts": "import './b'; import './c';",
        **dict.fromkeys(("b.native.tsx", "b.tsx", "b.web.tsx", "c.ts"), ""),
    }
    assert edges(files, "a.ts") == {
        "b.native.tsx": "resolved",
        "b.tsx": "ambiguous",
        "c.ts": "resolved",
    }


def test_the_settings_that_include_a_file_hold_for_it():
    files = {
        "tsconfig.json": """{"files": [], "references": [
            {"path": "./tsconfig.app.json"}, {"path": "test"}]}""",
        "tsconfig.app.json": """{"include": ["src"], "exclude": ["src/**/*.spec.ts"],
            "compilerOptions": {"paths": {"@b": ["./one"]}}}""",
        "test/tsconfig.json": """{"include": ["../src/**/*.spec.ts"],
            "compilerOptions": {"paths": {"@b": ["../two"]}}}""",
        "src/x/a.ts": "import '@b';",
        "src/x/a.spec.ts": "import '@b';",
        "one.ts": "",
        "two.ts": "",
    }
    assert resolved(files, "src/x/a.ts") == {"one.ts"}
    assert resolved(files, "src/x/a.spec.ts") == {"two.ts"}


def test_a_package_stands_behind_an_alias_of_its_declaration():
    files = {
        "package.json": package("root", workspaces=["b"]),
        "tsconfig.json": '{"compilerOptions": {"paths": {"b": ["./b/types/index.d.ts"]}}}',
        "a.ts": "import 'b';",
        "b/package.json": package("b", main="./index.js"),
        "b/index.js": "",
        "b/types/index.d.ts": "",
    }
    assert resolved(files) == {"b/types/index.d.ts", "b/index.js"}


# ---------------------------------------------------------------- packages


def workspace(manifest, *paths, importing="b"):
    """A workspace with a package b and an importer of it."""
    return {
        "package.json": package("root", workspaces=["packages/*"]),
        "packages/a/package.json": package("a"),
        "packages/a/a.ts": f"import x from '{importing}';",
        "packages/b/package.json": json.dumps({"name": "b", **manifest}),
        **{f"packages/b/{path}": "" for path in paths},
    }


@pytest.mark.parametrize(
    "root",
    [
        {"package.json": '{"workspaces": ["packages/*"]}'},
        {"package.json": '{"workspaces": {"packages": ["./packages/{a,b}/"]}}'},
        {"package.json": '{"workspaces": ["packages/**"]}'},
        {"pnpm-workspace.yaml": "packages:\n  # all\n  - 'packages/*'\n  - \"!**/x\"\ncatalog:\n"},
        {"pnpm-workspace.yaml": "packages: ['packages/*']\n"},
        {"lerna.json": '{"packages": ["packages/*"]}'},
        {"rush.json": '{"projects": [{"projectFolder": "packages/b"}] /* c */}'},
    ],
)
def test_packages_of_a_workspace_are_found_by_name(root):
    files = {**workspace({"main": "m.js"}, "m.js"), **root}
    if "package.json" not in root:
        files["package.json"] = "{}"
    assert resolved(files, "packages/a/a.ts") == {"packages/b/m.js"}


@pytest.mark.parametrize(
    ("exports", "importing", "target"),
    [
        ("./src/i.ts", "b", "src/i.ts"),
        ({".": "./src/i.ts"}, "b", "src/i.ts"),
        ({"import": "./src/i.ts", "require": "./c.cjs"}, "b", "src/i.ts"),
        ({"require": "./c.cjs", "import": "./src/i.ts"}, "b", "src/i.ts"),
        ({"browser": "./c.cjs", "default": "./src/i.ts"}, "b", "src/i.ts"),
        ({"require": "./c.cjs"}, "b", "c.cjs"),
        ({".": [{"worker": "./x.js"}, "./src/i.ts"]}, "b", "src/i.ts"),
        ({"./x": {"types": "./src/i.ts"}}, "b/x", "src/i.ts"),
        ({"./*": "./src/*.ts"}, "b/i", "src/i.ts"),
        ({"./*": "./none/*.ts", "./s*": "./s*.ts"}, "b/src/i", "src/i.ts"),
        ({"./p/*.js": "./src/*.ts"}, "b/p/i.js", "src/i.ts"),
        ({"./p/": "./src/"}, "b/p/i.ts", "src/i.ts"),
    ],
)
def test_exports_of_a_package_are_followed(exports, importing, target):
    files = workspace({"exports": exports}, "src/i.ts", "c.cjs", importing=importing)
    assert resolved(files, "packages/a/a.ts") == {f"packages/b/{target}"}


def test_require_and_import_may_lead_to_different_files():
    files = workspace({"exports": {"import": "./m.js", "require": "./c.cjs"}}, "m.js", "c.cjs")
    files["packages/a/a.ts"] = "const b = require('b');"
    assert resolved(files, "packages/a/a.ts") == {"packages/b/c.cjs"}


def test_what_holds_under_other_conditions_is_a_guess():
    files = workspace({"exports": {"deno": "./d.ts", "import": "./none.js"}}, "d.ts")
    assert edges(files, "packages/a/a.ts") == {"packages/b/d.ts": "ambiguous"}


def test_a_package_hides_what_it_does_not_export():
    files = workspace({"exports": "./i.js"}, "i.js", "hidden.js", importing="b/hidden.js")
    assert edges(files, "packages/a/a.ts") == {"packages/b/hidden.js": "ambiguous"}


def test_conditions_of_the_settings_hold():
    files = workspace({"exports": {"mine": "./src/i.ts", "import": "./m.js"}}, "src/i.ts", "m.js")
    files["tsconfig.json"] = '{"compilerOptions": {"customConditions": ["mine"]}}'
    assert resolved(files, "packages/a/a.ts") == {"packages/b/src/i.ts"}


@pytest.mark.parametrize("field", ["types", "typings", "main", "module", "source"])
def test_fields_of_a_package_lead_to_its_entry(field):
    files = workspace({field: "x/y.ts"}, "x/y.ts")
    assert resolved(files, "packages/a/a.ts") == {"packages/b/x/y.ts"}


def test_without_a_word_the_index_is_the_entry():
    assert resolved(workspace({}, "index.js"), "packages/a/a.ts") == {"packages/b/index.js"}


def test_files_of_a_package_are_found_below_it():
    files = workspace({}, "x/y.ts", importing="b/x/y")
    assert resolved(files, "packages/a/a.ts") == {"packages/b/x/y.ts"}


def test_a_package_knows_itself_and_its_own_names():
    files = {
        "package.json": package(
            "@s/b", exports={"./x": "./x.js"}, imports={"#y": "./y.js", "#z/*": "./z/*.ts"}
        ),
        "lib/a.ts": "import '@s/b/x'; import '#y'; import '#z/w';",
        **dict.fromkeys(("x.js", "y.js", "z/w.ts"), ""),
    }
    assert resolved(files, "lib/a.ts") == {"x.js", "y.js", "z/w.ts"}


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("^1.0.0", {}),
        ("npm:other@1", {}),
        ("file:../lib/b", {"lib/b/i.js": "resolved"}),
        ("link:../lib/b", {"lib/b/i.js": "resolved"}),
        ("workspace:*", {"lib/b/i.js": "ambiguous"}),
    ],
)
def test_who_asks_for_a_published_version_gets_that(version, found):
    files = {
        "app/package.json": package("app", dependencies={"b": version}),
        "app/a.ts": "import 'b';",
        "lib/b/package.json": package("b", main="i.js"),
        "lib/b/i.js": "",
    }
    assert edges(files, "app/a.ts") == found


def test_packages_of_one_name_are_ambiguous():
    files = {
        "a.ts": "import 'b';",
        **{f"{one}/package.json": package("b", main="i.js") for one in ("x", "y")},
        **{f"{one}/i.js": "" for one in ("x", "y")},
    }
    assert edges(files, "a.ts") == {"x/i.js": "ambiguous", "y/i.js": "ambiguous"}


def test_tracked_modules_are_found_upwards():
    files = {
        "node_modules/b/package.json": package("b", main="i.js"),
        "node_modules/b/i.js": "",
        "x/y/a.ts": "import 'b'; import 'b/j';",
        "node_modules/b/j.js": "",
    }
    assert resolved(files, "x/y/a.ts") == {"node_modules/b/i.js", "node_modules/b/j.js"}


# ---------------------------------------------------------------- what is built


@pytest.mark.parametrize(
    ("main", "source"),
    [
        ("dist/index.js", "src/index.ts"),
        ("./dist/index.d.ts", "src/index.tsx"),
        ("dist/esm/x/y.mjs", "src/x/y.mts"),
        ("lib/cjs/y.cjs", "src/y.ts"),
        ("dist/src/y.js", "src/y.ts"),
        ("build/y.esm.min.js", "src/y.js"),
        ("dist/y.js", "src/y/index.ts"),
        ("dist/b.umd.js", "src/index.ts"),
        ("dist/y.js", "y.ts"),
        ("dist/y.css", "src/y.css"),
    ],
)
def test_what_is_built_is_taken_for_its_source(main, source):
    assert resolved(workspace({"main": main}, source), "packages/a/a.ts") == {
        f"packages/b/{source}"
    }


def test_settings_say_where_outputs_come_from():
    files = workspace({"types": "out-tsc/y.d.ts"}, "code/y.ts", "src/y.ts")
    files["packages/b/tsconfig.build.json"] = (
        '{"compilerOptions": {"outDir": "out-tsc", "rootDir": "code"}}'
    )
    assert resolved(files, "packages/a/a.ts") == {"packages/b/code/y.ts"}


def test_an_entry_that_nothing_leads_to_is_a_guess():
    files = workspace({"main": "bundle.js"}, "src/index.ts")
    assert edges(files, "packages/a/a.ts") == {"packages/b/src/index.ts": "ambiguous"}


def test_a_path_to_a_built_file_leads_to_its_source():
    files = {
        "package.json": package("b"),
        "bin/a.js": "require('../dist/cli.js');",
        "src/cli.ts": "",
    }
    assert resolved(files, "bin/a.js") == {"src/cli.ts"}


def test_beside_tracked_files_a_missing_one_is_hardly_built():
    files = {"lib/a.ts": "import './b';", "src/b.ts": "", "package.json": "{}"}
    assert edges(files, "lib/a.ts") == {"src/b.ts": "ambiguous"}


def test_settings_of_others_tell_the_source_of_a_package():
    files = workspace({"main": "dist/index.js"}, "src/public/index.ts")
    files["test/tsconfig.json"] = (
        '{"compilerOptions": {"paths": {"b": ["../packages/b/src/public/index.ts"]}}}'
    )
    assert resolved(files, "packages/a/a.ts") == {"packages/b/src/public/index.ts"}


# ---------------------------------------------------------------- guesses


def test_an_alias_that_only_a_build_knows_is_a_guess():
    files = {
        "web/package.json": "{}",
        "web/src/x/a.ts": "import '@/b'; import '~/c';",
        "web/src/b.ts": "",
        "web/c.ts": "",
    }
    assert edges(files, "web/src/x/a.ts") == {
        "web/src/b.ts": "ambiguous",
        "web/c.ts": "ambiguous",
    }


def test_a_declared_module_may_stand_for_the_real_one():
    files = workspace({"main": "i.js"}, "i.js")
    files["packages/a/a.d.ts"] = "declare module 'b' { export const x: number; }"
    files["packages/a/a.ts"] = "import './x'; declare module 'b' { interface X {} }"
    assert edges(files, "packages/a/a.d.ts") == {"packages/b/i.js": "ambiguous"}
    assert edges(files, "packages/a/a.ts") == {"packages/b/i.js": "resolved"}


# ---------------------------------------------------------------- hostile input


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"x"',
        "\0",
        "[" * 100_000,
        '{"a":' * 100_000,
        "/*" * 100_000,
        '"\\"' * 100_000,
        "{" + "," * 100_000,
        '{"extends": "./tsconfig.json", "references": [{"path": "."}, 1, {"path": 1}]}',
        '{"extends": ["./tsconfig", 5, "x", "@", "@a/b/c", "../../../etc/passwd"]}',
        '{"compilerOptions": {"baseUrl": 1, "paths": {"*": "*", "a": [1], "b": {}}}}',
        '{"compilerOptions": {"baseUrl": "../../..", "paths": [], "rootDirs": {"a": 1}}}',
        '{"compilerOptions": {"outDir": [], "rootDir": {}, "moduleResolution": 5}}',
        '{"include": 5, "files": [[]], "exclude": ["**/**/**/**/*a*a*a*a*b"]}',
        '{"name": 1, "main": [], "exports": {".": {"a": [1, null, {"b": 2}]}, "./*": null}}',
        '{"name": "b", "workspaces": ["../*", "**", 5, "{a,b}{c,d}{{{"], "imports": []}',
        '{"name": "b", "exports": {"./*": "../../*"}, "main": "../../../x", "imports": {"#x": 1}}',
        '{"dependencies": {"b": "file:../../.."}, "devDependencies": []}',
        '{"workspaces": ["' + "{a,b}" * 100 + '", "' + "{a,b}" * 99_999 + '"]}',
        '{"name": "b", "main": "' + "dist_a" * 99_999 + '!"}',
        '{"name": "b", "exports": {"./*": "./' + "*" * 99_999 + '"}}',
        "packages: [" * 99_999,
        "packages:\n" + "  - '" * 99_999,
    ],
)
def test_settings_may_hold_anything(text):
    names = ("package.json", "tsconfig.json", "lerna.json", "rush.json", "pnpm-workspace.yaml")
    start = monotonic()
    for name in names:
        files = {
            "a.ts": "import 'b'; import 'b/x'; import '#x'; import './c'; import '@/y';",
            "x/package.json": '{"name": "b"}',
            name: text,
        }
        assert "unseen" not in edges(files, "a.ts")
    assert monotonic() - start < 10


def test_folders_may_be_deep():
    folder = "/".join("d" * 2000)
    files = {f"{folder}/a.ts": "import './b'; import 'c'; import '@/d';", f"{folder}/b.ts": ""}
    files["tsconfig.json"] = "{}"
    assert resolved(files, f"{folder}/a.ts") == {f"{folder}/b.ts"}


def test_settings_that_extend_each_other_often_take_no_time():
    files = {
        f"t{i}.json": json.dumps({"extends": [f"./t{i + 1}.json", f"./t{i + 1}.json"]})
        for i in range(60)
    }
    files["tsconfig.json"] = '{"extends": "./t0.json", "references": [{"path": "."}]}'
    assert resolved({**files, "a.ts": "import './b';", "b.ts": ""}) == {"b.ts"}


@pytest.mark.parametrize(
    "specifier", ["", ".", "..", "../..", "/", "//", "@", "@/", "#", "*", "\0", "a" * 99999, "./%"]
)
def test_a_specifier_may_be_anything(specifier):
    tree = project({"a.ts": "", "package.json": '{"imports": {"#": "./a.ts", "#*": "./*"}}'})
    family = JavaScript(tree)
    for kind in ("import", "require", "reference", "augment", "url", "mock", "?"):
        assert not family.resolve(0, Import(specifier, kind, "", 1)).unresolved


# ---------------------------------------------------------------- what answers depend on


def test_answers_depend_on_all_settings_that_are_read():
    files = {
        "a.ts": "",
        "x.css": "",
        "tsconfig.json": '{"extends": "./conf/strict.json"}',
        "conf/strict.json": '{"compilerOptions": {}}',
        "conf/other.json": "{}",
        "x/tsconfig.build.json": "{}",
        "package.json": "{}",
    }
    told = "\n".join(JavaScript(project(files)).depends_on())
    assert '"./conf/strict.json"' in told
    assert '{"compilerOptions": {}}' in told
    assert "conf/other.json\n{}" not in told
    assert "x/tsconfig.build.json\n{}" in told
    assert "x.css" in told
