from tests.unit.graph.projects import edges


def test_a_module_is_a_file_below_a_folder_that_modules_start_from() -> None:
    text = 'local a = require("a.b")\nlocal c = require "c"\nrequire[[d]]\n'
    files = {"main.lua": text, "a/b.lua": "", "lua/c.lua": "", "src/d/init.lua": ""}
    assert edges(files, "main.lua") == {
        "a/b.lua": "resolved",
        "lua/c.lua": "resolved",
        "src/d/init.lua": "resolved",
    }


def test_the_file_of_a_name_comes_before_the_folder() -> None:
    files = {"main.lua": 'require "a"\n', "a.lua": "", "a/init.lua": ""}
    assert edges(files, "main.lua") == {"a.lua": "resolved"}


def test_slashes_part_a_module_too() -> None:
    files = {"main.lua": 'require "lib/x"\nrequire "./y"\n', "lib/x.lua": "", "y.lua": ""}
    assert edges(files, "main.lua") == {"lib/x.lua": "resolved", "y.lua": "resolved"}


def test_a_caught_require_is_one() -> None:
    files = {"main.lua": 'local ok, a = pcall(require, "a")\n', "a.lua": ""}
    assert edges(files, "main.lua") == {"a.lua": "resolved"}


def test_a_folder_is_started_from_where_several_modules_lead_nowhere_else() -> None:
    files = {"main.lua": 'require "a"\nrequire "b"\n', "kit/a.lua": "", "kit/b.lua": ""}
    assert edges(files, "main.lua") == {"kit/a.lua": "resolved", "kit/b.lua": "resolved"}


def test_a_library_is_not_some_file_of_its_name() -> None:
    assert (
        edges({"main.lua": 'require "socket"\n', "tests/mocks/socket.lua": ""}, "main.lua") == {}
    )


def test_a_plugin_of_its_own_finds_its_own_modules() -> None:
    files = {
        f"{one}/{path}": text
        for one in ("p", "q")
        for path, text in (("lua/x/init.lua", 'require "x.y"\n'), ("lua/x/y.lua", ""))
    }
    assert edges(files, "q/lua/x/init.lua") == {"q/lua/x/y.lua": "resolved"}


def test_several_of_which_none_is_nearer_are_ambiguous() -> None:
    known = "".join(f'require "only{i}"\n' for i in "1234")
    files = {"main.lua": 'require "x"\n', "other/m.lua": known}
    files |= {"a/x.lua": "", "b/x.lua": "", "a/only1.lua": "", "a/only2.lua": ""}
    files |= {"b/only3.lua": "", "b/only4.lua": ""}
    assert edges(files, "main.lua") == {"a/x.lua": "ambiguous", "b/x.lua": "ambiguous"}


def test_a_plugin_that_stands_in_for_another_in_tests_is_not_meant_elsewhere() -> None:
    files = {"lua/own.lua": 'require "other"\n', "tests/mocks/lua/other.lua": ""}
    assert edges(files, "lua/own.lua") == {}


def test_a_file_to_run_is_taken_from_the_root_or_beside() -> None:
    files = {
        "t/a.lua": 'dofile("t/help.lua")\nloadfile("./near.lua")\ndofile("/etc/x.lua")\n',
        "t/help.lua": "",
        "t/near.lua": "",
        "etc/x.lua": "",
    }
    assert edges(files, "t/a.lua") == {"t/help.lua": "resolved", "t/near.lua": "resolved"}


def test_what_is_named_when_it_runs_is_unseen() -> None:
    files = {"main.lua": 'require("a." .. name)\nlocal r = require\n', "a.lua": ""}
    assert edges(files, "main.lua") == {'"a." .. name': "dynamic-import"}


def test_odd_names_lead_nowhere() -> None:
    odd = ["..", ".", "...", "a..b", "/", " "]
    text = "".join(f'require "{one}"\ndofile "{one}"\n' for one in odd)
    assert edges({"main.lua": text, "x.lua": ""}, "main.lua") == {}
