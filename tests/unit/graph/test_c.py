from gitsearch.graph.resolvers.c import C
from tests.unit.graph.projects import edges, project


def test_a_quoted_include_is_looked_for_in_its_own_folder_first() -> None:
    files = {"src/a.c": '#include "x.h"\n', "src/x.h": "int a;", "include/x.h": "int b;"}
    assert edges(files, "src/a.c") == {"src/x.h": "resolved"}


def test_steps_up_and_to_the_side_are_taken() -> None:
    files = {"a/b/m.c": '#include "../c/./x.h"\n', "a/c/x.h": "int a;"}
    assert edges(files, "a/b/m.c") == {"a/c/x.h": "resolved"}


def test_backslashes_part_folders_too() -> None:
    assert edges({"m.c": '#include "a\\x.h"\n', "a/x.h": ""}, "m.c") == {"a/x.h": "resolved"}


def test_what_only_one_file_can_be_meant_by_is_that_file() -> None:
    files = {"lib/net/m.c": '#include "util/x.h"\n', "core/util/x.h": "int a;"}
    assert edges(files, "lib/net/m.c") == {"core/util/x.h": "resolved"}


def test_sources_and_tables_are_included_like_headers() -> None:
    files = {
        "m.cc": '#include "x.c"\nint t[] = {\n#include "t.inc"\n#include "u.def"\n};\n',
        "x.c": "",
        "t.inc": "1,",
        "u.def": "2,",
    }
    wanted = {"x.c": "resolved", "t.inc": "resolved", "u.def": "resolved"}
    assert edges(files, "m.cc") == wanted


def test_a_header_that_is_not_in_the_tree_is_nowhere() -> None:
    files = {"m.c": '#include <stdio.h>\n#include "zlib.h"\n', "z/lib.h": ""}
    assert edges(files, "m.c") == {}


def test_a_standard_header_is_not_some_file_of_its_name() -> None:
    files = {
        "src/m.c": "#include <string.h>\n#include <sys/types.h>\n#include <memory>\n",
        "lib/string.h": "",
        "include/sys/types.h": "",
        "include/memory": "",
    }
    assert edges(files, "src/m.c") == {}


def test_a_standard_header_is_taken_from_a_folder_that_its_includer_needs() -> None:
    files = {
        "src/m.c": '#include <string.h>\n#include "compat.h"\n',
        "lib/compat/string.h": "",
        "lib/compat/compat.h": "",
    }
    assert edges(files, "src/m.c") == {
        "lib/compat/compat.h": "resolved",
        "lib/compat/string.h": "resolved",
    }


def test_an_angled_include_starts_in_folders_named_for_it() -> None:
    files = {"src/m.c": "#include <pkg/x.h>\n", "include/pkg/x.h": ""}
    assert edges(files, "src/m.c") == {"include/pkg/x.h": "resolved"}


def test_an_angled_include_starts_in_no_folder_without_evidence() -> None:
    files = {"tests/m.c": "#include <x.h>\n", "lib/wrappers/x.h": ""}
    assert edges(files, "tests/m.c") == {}


def test_a_folder_is_included_from_where_several_angled_includes_lead_nowhere_else() -> None:
    files = {"tests/m.c": "#include <x.h>\n#include <y.h>\n", "os/x.h": "", "os/y.h": ""}
    assert edges(files, "tests/m.c") == {"os/x.h": "resolved", "os/y.h": "resolved"}


def test_among_several_the_one_is_meant_whose_folder_is_needed_nearby() -> None:
    files = {
        "app/m.c": '#include "x.h"\n',
        "app/n.c": '#include "only_b.h"\n',
        "a/x.h": "",
        "b/x.h": "",
        "b/only_b.h": "",
    }
    assert edges(files, "app/m.c") == {"b/x.h": "resolved"}


def test_copies_of_a_library_include_their_own_headers() -> None:
    files = {
        f"deps/{copy}/{path}": text
        for copy in ("one", "two")
        for path, text in (("src/m.c", "#include <lib/x.h>\n"), ("include/lib/x.h", ""))
    }
    assert edges(files, "deps/two/src/m.c") == {"deps/two/include/lib/x.h": "resolved"}


def test_several_of_which_none_is_nearer_are_ambiguous() -> None:
    files = {"src/m.c": '#include "x.h"\n', "arm/x.h": "", "x86/x.h": ""}
    assert edges(files, "src/m.c") == {"arm/x.h": "ambiguous", "x86/x.h": "ambiguous"}


def test_those_below_the_own_folder_are_preferred() -> None:
    files = {
        "ports/a/m.c": '#include "board.h"\n',
        "ports/a/boards/x/board.h": "",
        "ports/a/boards/y/board.h": "",
        "ports/b/boards/z/board.h": "",
    }
    assert edges(files, "ports/a/m.c") == {
        "ports/a/boards/x/board.h": "ambiguous",
        "ports/a/boards/y/board.h": "ambiguous",
    }


def test_a_header_made_of_a_template_is_nowhere() -> None:
    files = {
        "src/m.c": '#include "config.h"\n',
        "src/config.h.in": "",
        "windows/config.h": "",
    }
    assert edges(files, "src/m.c") == {}


def test_a_header_that_the_build_is_said_to_make_is_nowhere() -> None:
    files = {
        "lib/m.c": "#include <config.h>\n#include <lib/y.h>\n",
        "lib/y.h": "",
        "configure.ac": "AC_CONFIG_HEADERS([config.h])\n",
    }
    assert edges(files, "lib/m.c") == {"lib/y.h": "resolved"}
    files["meson.build"] = "configure_file(output: 'made.h', configuration: data)\n"
    files["CMakeLists.txt"] = "configure_file(x.in ${CMAKE_BINARY_DIR}/lib/cm.h)\n"
    generated = C(project(files))._include_paths.generated
    assert generated == {"config.h", "made.h", "lib/cm.h"}


def test_a_computed_include_is_unseen() -> None:
    assert edges({"m.c": "#include CONFIG_H\n"}, "m.c") == {"CONFIG_H": "computed-include"}


def test_paths_out_of_the_tree_and_odd_ones_lead_nowhere() -> None:
    odd = ["../../x.h", "/x.h", "C:/x.h", "..", ".", "", "<", "<>", "a//..//..//../x.h"]
    text = "".join(f'#include "{one}"\n#include <{one}>\n' for one in odd)
    assert edges({"a/m.c": text, "a/x.h": ""}, "a/m.c") == {}


def test_objective_c_imports_headers_of_its_own_frameworks() -> None:
    files = {
        "App/m.m": '#import <Kit/View.h>\n#import "x.h"\n#import <UIKit/UIKit.h>\n@import Kit;\n',
        "App/x.h": "@class A;\n",
        "Kit/Core/View.h": "@interface View\n@end\n",
    }
    assert edges(files, "App/m.m") == {"Kit/Core/View.h": "resolved", "App/x.h": "resolved"}


def test_modules_and_their_partitions_are_found_by_what_declares_them() -> None:
    files = {
        "m.cpp": "import shapes;\nimport std;\n",
        "shapes.cppm": "export module shapes;\nexport import :round;\n",
        "round.cppm": "export module shapes:round;\n",
        "impl.cpp": "module shapes;\n",
    }
    assert edges(files, "m.cpp") == {"shapes.cppm": "resolved"}
    assert edges(files, "shapes.cppm") == {"round.cppm": "resolved"}
    assert edges(files, "impl.cpp") == {"shapes.cppm": "resolved"}


def test_more_namesakes_than_anyone_tells_apart_are_not_listed() -> None:
    files = {f"d{i}/x.h": "" for i in range(1001)} | {"m.c": '#include "x.h"\n'}
    assert edges(files, "m.c") == {"x.h": "many-candidates"}


def test_other_settings_other_key() -> None:
    files = {"m.c": '#include "x.h"\n', "configure.ac": "", "x/y.h": ""}
    before = list(C(project(files)).depends_on())
    files["configure.ac"] = "AC_CONFIG_HEADERS([x.h])"
    assert list(C(project(files)).depends_on()) != before
