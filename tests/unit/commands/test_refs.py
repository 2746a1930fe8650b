"""Where names are used, and what is meant."""

import pytest

from gitsearch.commands.file_filter import FileFilter
from gitsearch.commands.refs import references
from gitsearch.errors import BadPath
from tests.unit.commands.asked import indexed, session, warm_parsers

FILES = {
    "app/__init__.py": "from app.core import Engine\n",
    "app/core.py": "class Engine:\n    def start(self):\n        return start()\n\n\n"
    "def start():\n    return 1\n",
    "app/other.py": "class Engine:\n    pass\n\n\ndef make():\n    return Engine()\n",
    "app/cli.py": "from app import Engine\n\nEngine().start()\n",
    "app/both.py": "from app import core, other\n\nprint(core.Engine(), other.Engine())\n",
    "app/stranger.py": "def build(Engine):\n    return Engine()\n",
}


@pytest.fixture
def repo(repo):
    return repo.having(FILES)


def asked(repo, name, at=None):
    warm_parsers()
    return references(session(repo.path), name, at).references


def found(repo, name, **options):
    return {(one.path, one.line): (one.label, one.target) for one in asked(repo, name, **options)}


def test_uses_are_resolved_through_imports(repo):
    core, other = ("app/core.py", 1), ("app/other.py", 1)
    assert found(repo, "Engine") == {
        ("app/__init__.py", 1): ("resolved", core),
        ("app/cli.py", 1): ("resolved", core),
        ("app/cli.py", 3): ("resolved", core),
        ("app/both.py", 3): ("resolved", other),
        ("app/other.py", 6): ("resolved", other),
        ("app/stranger.py", 2): ("by-name", None),
    }


def test_uses_in_some_files_mean_what_they_mean_among_all(repo):
    repo.write("tests/test_core.py", "from app.core import Engine\n\nEngine()\n")
    repo.commit()
    every = references(session(repo.path), "Engine", None)
    assert every.truncated == 0

    def chosen(*pathspecs, **options):
        choice = FileFilter(pathspecs, **options)
        return references(session(repo.path), "Engine", None, choice)

    assert chosen("app", ":!app/cli.py").references == tuple(
        one for one in every.references if one.path.startswith("app/") and one.path != "app/cli.py"
    )
    assert {one.path for one in chosen(tests="only").references} == {"tests/test_core.py"}
    first = chosen("app", tests="exclude", max_count=2)
    assert first.references == every.references[:2]
    assert first.truncated == len(chosen("app").references) - 2
    said = ("7 files with the word were left out",)
    assert chosen("tests", tests="exclude").warnings == said
    with pytest.raises(BadPath, match="no file matches 'nowhere'"):
        chosen("nowhere")


def test_the_module_before_the_dot_tells_two_definitions_apart(repo):
    targets = {one.target for one in asked(repo, "Engine") if one.path == "app/both.py"}
    assert targets == {("app/core.py", 1), ("app/other.py", 1)}
    repo.write("app/both.py", "from app.core import *\nfrom app.other import *\n\nEngine()\n")
    assert found(repo, "Engine")["app/both.py", 4] == ("ambiguous", None)


def test_kinds_and_the_line(repo):
    shown = {(one.path, one.line): (one.kind, one.text) for one in asked(repo, "Engine")}
    assert shown["app/cli.py", 1] == ("import", "from app import Engine")
    assert shown["app/cli.py", 3] == ("call", "Engine().start()")


def test_a_qualified_name_means_one_definition(repo):
    method, function = ("app/core.py", 2), ("app/core.py", 6)
    unknown = ("by-name", None)
    own, cli = ("app/core.py", 3), ("app/cli.py", 3)
    assert found(repo, "Engine.start") == {cli: ("resolved", method)}
    assert found(repo, "core.start") == {own: ("resolved", function)}
    assert found(repo, "start") == {own: ("resolved", function), cli: ("resolved", method)}
    assert found(repo, "nothing.start") == {own: unknown, cli: unknown}


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_qualified_name_does_not_hide_what_else_a_use_may_mean(repo, is_indexed):
    repo.write(
        "shapes.py",
        "class Disc:\n    def area(self): ...\n\n\nclass Box:\n    def area(self): ...\n",
    )
    repo.write("use.py", "from shapes import Box\n\nbox = Box()\nbox.area()\nBox.area(box)\n")
    repo.write("own.py", "class Ring:\n    def area(self): ...\n\n\nRing().area()\n")
    repo.commit("areas")
    if is_indexed:
        indexed(repo)
    unclear = {("use.py", 4): ("ambiguous", None)}
    by_type = {("use.py", 5): ("resolved", ("shapes.py", 6))}
    own = {("own.py", 5): ("resolved", ("own.py", 2))}
    assert found(repo, "Box.area") == unclear | by_type
    assert found(repo, "Disc.area") == unclear
    assert found(repo, "Ring.area") == own
    assert found(repo, "area") == unclear | by_type | own


def test_a_member_of_self_is_that_of_the_class_or_of_its_nearest_base(repo):
    repo.write(
        "shapes.py",
        "class Disc:\n    def area(self): ...\n    def show(self):\n        self.area()\n\n\n"
        "class Box:\n    def area(self): ...\n",
    )
    repo.write(
        "use.py",
        "from shapes import Box, Disc\n\n\n"
        "class Ring(Disc):\n    def area(self):\n        return super().area()\n\n\n"
        "class Cube(Box):\n    def show(self):\n        self.area()\n\n\n"
        "class Loose:\n    def show(self):\n        self.area()\n\n\n"
        "class Größe(Disc):\n    def area(self): ...\n    def show(self):\n        self.area()\n",
    )
    repo.write(
        "far.py",
        "from library import Shape\n\n\n"
        "class Far(Shape):\n    def area(self):\n        return super().area()\n",
    )
    repo.commit("areas")
    assert found(repo, "area") == {
        ("shapes.py", 4): ("resolved", ("shapes.py", 2)),
        ("use.py", 6): ("resolved", ("shapes.py", 2)),
        ("use.py", 11): ("resolved", ("shapes.py", 8)),
        ("use.py", 16): ("ambiguous", None),
        ("use.py", 22): ("resolved", ("use.py", 20)),
        ("far.py", 6): ("by-name", None),
    }
    assert set(found(repo, "Box.area")) == {("use.py", 11), ("use.py", 16), ("far.py", 6)}


def test_a_module_in_an_import_is_no_member_of_a_class(repo):
    repo.write("app/point.py", "class Point:\n    def point(self): ...\n    def core(self): ...\n")
    repo.write("use.py", "from app.point import Point\nimport app.point\n\nPoint().point()\n")
    repo.commit("a module that is called like a method")
    assert found(repo, "point") == {
        ("use.py", 1): ("by-name", None),
        ("use.py", 2): ("by-name", None),
        ("use.py", 4): ("resolved", ("app/point.py", 2)),
    }


def test_a_package_hands_on_what_its_modules_define(repo):
    repo.write("app/echo.py", "def echo(): ...\n\n\nclass Loud:\n    def echo(self): ...\n")
    repo.write("app/__init__.py", "from app.echo import echo as echo\n")
    repo.write("use.py", "import app\n\napp.echo()\n")
    repo.commit("echo")
    assert found(repo, "app.echo") == {
        ("app/__init__.py", 1): ("resolved", ("app/echo.py", 1)),
        ("use.py", 3): ("resolved", ("app/echo.py", 1)),
    }


def test_how_a_name_is_written_tells_what_it_means(repo):
    repo.write("lib/__init__.py", "from lib.tools import cut\n")
    repo.write("lib/tools.py", "def cut():\n    pass\n\n\nclass Knife:\n    def cut(self): ...\n")
    repo.write("lib/more.py", "from lib.tools import (\n    Knife,\n    cut,\n)\n")
    repo.write(
        "use.py",
        "import os, lib.tools\n"
        "from lib import more\n"
        "cut()\n"
        "lib.cut(more.cut)\n"
        "os.cut()\n"
        "Knife.cut(x.cut)\n"
        "def inner(cut):\n"
        "    return cut\n",
    )
    repo.commit()
    function, method = ("lib/tools.py", 1), ("lib/tools.py", 6)
    assert found(repo, "cut") == {
        ("lib/__init__.py", 1): ("resolved", function),
        ("lib/more.py", 3): ("resolved", function),
        ("use.py", 3): ("by-name", None),
        ("use.py", 4): ("resolved", function),
        ("use.py", 5): ("by-name", None),
        ("use.py", 6): ("resolved", method),
        ("use.py", 8): ("by-name", None),
    }


def test_a_file_with_several_definitions_of_the_name_does_not_say_which(repo):
    repo.write("Two.java", "class A { void go() {} }\nclass B { void go() { this.go(); } }\n")
    repo.commit()
    assert found(repo, "go") == {("Two.java", 2): ("ambiguous", None)}


@pytest.mark.slow
def test_edited_files_and_other_revisions(repo):
    repo.append("app/cli.py", "\nEngine.stop()\nEngine()\n")
    assert ("app/cli.py", 6) in found(repo, "Engine")
    assert ("app/cli.py", 6) not in found(repo, "Engine", at="HEAD")


def test_a_name_that_nobody_uses(repo):
    assert asked(repo, "make") == ()
    assert asked(repo, "nowhere_at_all") == ()


def test_uses_by_another_name_that_kotlin_imports_it_by(repo):
    repo.having(
        {
            "lib/Tools.kt": "package lib\nclass Size(val n: Int)\nfun check(n: Int) = n\n",
            "app/User.kt": "package app\nimport lib.check as verify\nimport lib.Size as Box\n"
            "fun one() = verify(1)\nfun two(b: Box) = 2\n",
            "app/Other.kt": "package app\nfun verify(n: Int) = n\nfun three() = verify(3)\n",
        }
    )
    check, size = ("lib/Tools.kt", 3), ("lib/Tools.kt", 2)
    assert found(repo, "check") == {
        ("app/User.kt", 2): ("resolved", check),
        ("app/User.kt", 4): ("resolved", check),
    }
    kinds = {(one.line, one.kind) for one in asked(repo, "Size") if one.path == "app/User.kt"}
    assert kinds == {(3, "import"), (5, "type")}
    assert found(repo, "Size")["app/User.kt", 5] == ("resolved", size)


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_variable_that_holds_what_require_loads_means_that(repo, is_indexed):
    repo.having(
        {
            "lib.js": "function run() {}\nmodule.exports = { run }\n",
            "names.js": "const { run } = require('./lib')\n\nrun()\n",
            "lines.js": "const {\n  other,\n  run,\n} = require('./lib')\n\nrun()\n",
            "member.js": "var run = require('./lib').run\n\nstart(run)\n",
            "own.js": "const lib = require('./lib')\nvar run = lib.make()\n\nrun()\n",
            "lazy.js": "function run() { return require('./lib').run() }\n\nrun()\n",
            "typed.ts": "import lib = require('./lib')\n\nlib.run()\n",
            "lib.lua": "local function run() end\nreturn { run = run }\n",
            "use.lua": "local run = require('lib').run\n\nrun()\n",
        }
    )
    if is_indexed:
        indexed(repo)
    required = found(repo, "lib.run")
    assert {place for place in required if place[0].endswith("s")} == {
        ("names.js", 1),
        ("names.js", 3),
        ("lines.js", 3),
        ("lines.js", 6),
        ("member.js", 1),
        ("member.js", 3),
        ("typed.ts", 3),
        ("lazy.js", 1),
    }
    assert required.pop(("lazy.js", 1)) == ("ambiguous", None)
    assert set(required.values()) == {("resolved", ("lib.js", 1)), ("resolved", ("lib.lua", 1))}
    assert required["use.lua", 3] == ("resolved", ("lib.lua", 1))
    assert found(repo, "run")["own.js", 4] == ("resolved", ("own.js", 2))
    assert found(repo, "run")["lazy.js", 3] == ("resolved", ("lazy.js", 1))
    kinds = [one.kind for one in asked(repo, "run") if one.path == "names.js"]
    assert kinds == ["import", "call"]


def test_one_function_with_two_names_is_one_definition(repo):
    repo.write("lib.js", "exports.run = function run() {}\n")
    repo.write("use.js", "const lib = require('./lib')\n\nlib.run()\n")
    repo.commit()
    assert found(repo, "run") == {("use.js", 3): ("resolved", ("lib.js", 1))}


RING = {
    "go.mod": "module example.com/m\n",
    "ring/ring.go": "package ring\n\nfunc Put(k string) string { return k }\n",
    "cfg.go": 'package main\n\nimport (\n\t"os"\n\n\t"example.com/m/ring"\n)\n\n'
    "type cfg struct{ in *cfg }\n\n"
    "func (c *cfg) Put(k string) string { return k }\n\n"
    "func (c *cfg) all() string {\n"
    '\tos.Put("0")\n\tring.Put("1")\n\tc.Put("2")\n\treturn c.in.Put("3")\n}\n',
}


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_package_before_the_dot_wins_over_a_method_of_the_same_file(repo, is_indexed):
    repo.having(RING)
    if is_indexed:
        indexed(repo)
    external = {("cfg.go", 14): ("by-name", None)}
    package = {("cfg.go", 15): ("resolved", ("ring/ring.go", 3))}
    method = dict.fromkeys([("cfg.go", 16), ("cfg.go", 17)], ("resolved", ("cfg.go", 11)))
    assert found(repo, "ring.Put") == external | package
    assert found(repo, "cfg.Put") == external | method
    assert found(repo, "Put") == external | package | method


def test_a_value_may_have_a_member_that_the_file_defines_or_one_that_it_imports(repo):
    repo.having(
        {
            "store.py": "class Store:\n    def load(self, k): ...\n",
            "user.py": "from store import Store\n\n\nclass User:\n    def load(self, k):\n"
            "        s = Store()\n        self.load(k)\n        return s.load(k)\n",
            "graph.ts": "export class Graph {\n  find(id: string) {}\n}\n",
            "mixed.ts": "import type { Graph } from './graph'\n\nexport class Mixed {\n"
            "  inner: Graph\n  find(id: string) {\n    this.find(id)\n"
            "    return this.inner.find(id)\n  }\n}\n",
            "bare.ts": "import { find } from './tools'\n\nclass Bare {\n"
            "  find(id: string) {\n    return find(id)\n  }\n}\n",
            "tools.ts": "export function find(id: string) {}\n",
            "lib.cpp": "struct Lib { void open(); };\nvoid open();\n"
            "void go(Lib *lib) { lib->open(); }\n",
        }
    )
    either = ("ambiguous", None)
    assert found(repo, "Store.load") == {("user.py", 8): either}
    assert found(repo, "User.load") == {
        ("user.py", 7): ("resolved", ("user.py", 5)),
        ("user.py", 8): either,
    }
    assert found(repo, "Graph.find") == {("mixed.ts", 7): either}
    assert found(repo, "Mixed.find") == {
        ("mixed.ts", 6): ("resolved", ("mixed.ts", 5)),
        ("mixed.ts", 7): either,
    }
    assert ("bare.ts", 5) not in found(repo, "Bare.find")
    assert found(repo, "find")["bare.ts", 5] == ("resolved", ("tools.ts", 1))
    assert found(repo, "Lib.open") == {("lib.cpp", 3): ("resolved", ("lib.cpp", 1))}


def test_a_header_binds_no_name(repo):
    repo.having(
        {
            "hash.h": "struct Hash { void update(int x); };\nvoid update(int x);\n",
            "use.cpp": '#include "hash.h"\nvoid run(Hash* h) { h->update(1); }\n',
        }
    )
    assert ("use.cpp", 2) in found(repo, "Hash.update")


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_call_through_an_interface_may_mean_what_implements_it(repo, is_indexed):
    repo.having(
        {
            "j/Tracker.java": "package j;\ninterface Tracker { boolean touch(long id); }\n",
            "j/Base.java": "package j;\nabstract class Base implements Tracker {}\n",
            "j/Local.java": "package j;\nclass Local extends Base {\n"
            "  public boolean touch(long id) { return true; }\n}\n",
            "j/Other.java": "package j;\nclass Other {\n  void touch(long id) {}\n}\n",
            "j/Up.java": "package j;\nclass Up { boolean go(Tracker t) { return t.touch(1); } }\n",
            "j/Down.java": "package j;\nclass Down { void go(Local t) { t.touch(1); } }\n",
            "go.mod": "module example.com/m\n",
            "login/login.go": "package login\n\ntype config interface {\n\tSave(string)\n}\n\n"
            'func Save(c config) { c.Save("x") }\n',
            "file/file.go": "package file\n\ntype F struct{}\n\nfunc (f F) Save(s string) {}\n",
        }
    )
    if is_indexed:
        indexed(repo)
    either = ("ambiguous", None)
    up, down = ("j/Up.java", 2), ("j/Down.java", 2)
    tracker, local = ("resolved", ("j/Tracker.java", 2)), ("resolved", ("j/Local.java", 3))
    assert found(repo, "Tracker.touch") == {up: tracker, down: either}
    assert found(repo, "Local.touch") == {up: either, down: local}
    assert found(repo, "Other.touch") == {}
    assert found(repo, "F.Save") == {("login/login.go", 7): either}


def test_an_import_names_the_module_of_its_definition(repo):
    repo = repo.having(
        {
            "web/a.ts": "export class Client {}\n",
            "web/b.ts": "export class Client {}\n",
            "web/index.ts": 'import { run } from "./run";\nexport { Client } from "./b";\n'
            'export * as A from "./a";\n',
            "web/use.ts": 'import {\n  Client,\n} from "./a";\n'
            'import { Client as B } from "./b";\nnew Client();\n',
        }
    )
    uses = found(repo, "Client")
    assert uses["web/use.ts", 2] == ("resolved", ("web/a.ts", 1))
    assert uses["web/use.ts", 4] == ("resolved", ("web/b.ts", 1))
    assert uses["web/index.ts", 2] == ("resolved", ("web/b.ts", 1))
