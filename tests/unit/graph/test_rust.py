import pytest

from gitsearch.graph.resolvers.rust import Rust
from tests.unit.graph.projects import edges, project

CARGO = '[package]\nname = "my-crate"\nedition = "2021"\n'


def test_a_module_leads_to_the_file_beside_or_below() -> None:
    files = {
        "Cargo.toml": CARGO,
        "src/lib.rs": "mod a;\npub mod b;\nmod gone;\n",
        "src/a.rs": "mod inner;\n",
        "src/a/inner.rs": "",
        "src/b/mod.rs": "mod inner;\n",
        "src/b/inner.rs": "",
    }
    assert edges(files, "src/lib.rs") == {"src/a.rs": "resolved", "src/b/mod.rs": "resolved"}
    assert edges(files, "src/a.rs") == {"src/a/inner.rs": "resolved"}
    assert edges(files, "src/b/mod.rs") == {"src/b/inner.rs": "resolved"}


def test_a_module_with_its_own_path_may_have_several_files() -> None:
    files = {
        "Cargo.toml": CARGO,
        "src/lib.rs": """
            #[path = "other/x.rs"]
            #[cfg(unix)]
            mod imp;
            #[cfg_attr(windows, path = "win.rs")]
            mod os;
            use imp::A;
        """,
        "src/other/x.rs": "pub struct A;\nmod deep;\n",
        "src/other/deep.rs": "",
        "src/win.rs": "",
        "src/os.rs": "",
    }
    assert edges(files, "src/lib.rs") == dict.fromkeys(
        ("src/other/x.rs", "src/win.rs", "src/os.rs"), "resolved"
    )
    assert edges(files, "src/other/x.rs") == {"src/other/deep.rs": "resolved"}


def test_a_module_inside_of_one_written_in_place_lies_in_its_folder() -> None:
    files = {
        "Cargo.toml": CARGO,
        "src/lib.rs": "mod a;\n",
        "src/a.rs": "mod place { mod deep; use super::B; }\npub struct B;\nuse place::deep::C;\n",
        "src/a/place/deep.rs": "use super::super::B;\npub struct C;\n",
    }
    assert edges(files, "src/a.rs") == {"src/a/place/deep.rs": "resolved"}
    assert edges(files, "src/a/place/deep.rs") == {"src/a.rs": "resolved"}


PATHS = {
    "Cargo.toml": CARGO,
    "src/lib.rs": "pub mod a;\nmod b;\npub struct Top;\n",
    "src/a/mod.rs": "pub mod deep;\npub struct A;\n",
    "src/a/deep.rs": "pub enum D { One }\n",
}


@pytest.mark.parametrize(
    ("use", "paths"),
    [
        ("use crate::a::A;", ["src/a/mod.rs"]),
        ("use crate::a;", ["src/a/mod.rs"]),
        ("use crate::a::*;", ["src/a/mod.rs"]),
        ("use crate::a::A as Other;", ["src/a/mod.rs"]),
        ("use crate::{a::{self, deep::{D, D as E}}, Top};", ["a/mod.rs", "a/deep.rs", "lib.rs"]),
        ("use super::a::deep::D::One;", ["src/a/deep.rs"]),
        ("use self::inner::X;\nmod inner { pub struct X; }", []),
        ("use a::deep::D;", []),
        ("use ::a::A;", []),
        ("use std::a::A;", []),
        ("mod tests { use super::*; }", []),
        ("mod tests { use super::super::*; }", ["src/lib.rs"]),
        ("fn f() { use crate::Top; }", ["src/lib.rs"]),
        ("use super::super::super::X;", []),
        ("use crate::r#a::A;", ["src/a/mod.rs"]),
    ],
)
def test_a_path_leads_to_the_last_module_in_it(use: str, paths: list[str]) -> None:
    wanted = {path if path.startswith("src/") else f"src/{path}" for path in paths}
    assert edges({**PATHS, "src/b.rs": use}, "src/b.rs") == dict.fromkeys(wanted, "resolved")


def test_names_that_are_imported_again_lead_on_to_their_definition() -> None:
    files = {
        "Cargo.toml": CARGO,
        "src/lib.rs": "mod a;\nmod b;\nmod user;\nmod all;\n",
        "src/a.rs": "pub use crate::b::{B as Renamed, deep as shown};\npub use crate::all::*;\n",
        "src/b.rs": "pub struct B;\npub mod deep { pub struct D; }\n",
        "src/all.rs": "pub struct Every;\n",
        "src/user.rs": "",
    }

    def used(text: str) -> set[str]:
        found = edges({**files, "src/user.rs": text}, "src/user.rs")
        assert set(found.values()) <= {"resolved"}
        return set(found)

    assert used("use crate::a::Renamed;") == {"src/a.rs", "src/b.rs"}
    assert used("use crate::a::Every;") == {"src/a.rs", "src/all.rs"}
    assert used("use crate::a::shown::D;") == {"src/b.rs"}
    assert used("use crate::a::Unknown;") == {"src/a.rs"}


def test_what_a_module_imports_for_itself_does_not_hide_a_definition() -> None:
    files = {
        "Cargo.toml": CARGO,
        "src/lib.rs": "mod a;\nmod b;\nmod user;\npub use crate::{a::*, b::*};\n",
        "src/a.rs": "use crate::B;\n",
        "src/b.rs": "pub struct B;\n",
        "src/user.rs": "use crate::B;\n",
    }
    assert set(edges(files, "src/user.rs")) == {"src/lib.rs", "src/b.rs"}
    assert set(edges(files, "src/a.rs")) == {"src/lib.rs", "src/b.rs"}


def test_under_other_conditions_a_name_leads_elsewhere() -> None:
    files = {
        "Cargo.toml": CARGO,
        "src/lib.rs": """
            #[cfg(unix)] mod unix;
            #[cfg(windows)] mod windows;
            #[cfg(unix)] use unix as imp;
            #[cfg(windows)] use windows as imp;
            mod user;
        """,
        "src/unix.rs": "pub struct A;\n",
        "src/windows.rs": "pub struct A;\n",
        "src/user.rs": "use crate::imp::A;\n",
    }
    assert set(edges(files, "src/user.rs")) == {"src/unix.rs", "src/windows.rs"}


def test_items_in_the_arguments_of_a_macro_count() -> None:
    files = {
        "Cargo.toml": CARGO,
        "src/lib.rs": """
            cfg_some! {
                pub mod a;
                cfg_other! { pub use a::{A, deep::D}; }
                #[path = "elsewhere.rs"]
                mod b;
            }
            quote! { mod c; use d::E; }
        """,
        "src/a.rs": "pub mod deep;\npub struct A;\n",
        "src/a/deep.rs": "pub struct D;\n",
        "src/elsewhere.rs": "use crate::D;\n",
        "src/c.rs": "",
    }
    assert set(edges(files, "src/lib.rs")) == {"src/a.rs", "src/a/deep.rs", "src/elsewhere.rs"}
    assert set(edges(files, "src/elsewhere.rs")) == {"src/lib.rs", "src/a/deep.rs"}


def test_a_macro_brings_modules_to_where_it_is_called() -> None:
    brings = "macro_rules! root { () => { mod a; #[cfg(x)] pub mod b; mod c { mod d; } } }\n"
    files = {
        "Cargo.toml": CARGO,
        "src/lib.rs": "#[macro_use]\nmod tools;\nroot!();\nmod inner { root!(); }\n",
        "src/tools.rs": brings,
        "src/a.rs": "use super::b::B;\n",
        "src/b.rs": "pub struct B;\n",
        "src/inner/a.rs": "fn f() { root!(); }\n",
        "src/d.rs": "",
        "other/Cargo.toml": CARGO.replace("my-crate", "other"),
        "other/src/lib.rs": "root!();\n",
        "other/src/a.rs": "",
    }
    called = ("src/tools.rs", "src/a.rs", "src/b.rs", "src/inner/a.rs")
    assert edges(files, "src/lib.rs") == dict.fromkeys(called, "resolved")
    assert edges(files, "src/tools.rs") == {}
    assert edges(files, "src/a.rs") == {"src/b.rs": "resolved"}
    assert edges(files, "src/inner/a.rs") == {}
    assert edges(files, "other/src/lib.rs") == {}


def test_a_macro_can_be_named_at_the_root_of_its_crate() -> None:
    files = {
        "Cargo.toml": CARGO,
        "src/lib.rs": "mod a;\nmod b;\n",
        "src/a.rs": "macro_rules! shout { () => {} }\n",
        "src/b.rs": "use crate::shout;\n",
    }
    assert set(edges(files, "src/b.rs")) == {"src/lib.rs", "src/a.rs"}


def test_a_file_that_no_module_declares_is_where_its_path_says() -> None:
    files = {
        "Cargo.toml": CARGO,
        "src/lib.rs": "declare!(a);\nmod b;\n",
        "src/a.rs": "use crate::b::B;\n",
        "src/b.rs": "use crate::a::A;\npub struct B;\n",
    }
    assert edges(files, "src/a.rs") == {"src/b.rs": "resolved"}
    assert edges(files, "src/b.rs") == {"src/a.rs": "resolved"}


def test_programs_tests_and_examples_are_crates_that_see_the_library() -> None:
    files = {
        "Cargo.toml": CARGO + '[[bin]]\nname = "tool"\npath = "tool/start.rs"\n',
        "src/lib.rs": "pub mod a;\n",
        "src/a.rs": "",
        "src/main.rs": "use my_crate::a;\n",
        "tool/start.rs": "mod help;\nuse crate::help::H;\n",
        "tool/help.rs": "pub struct H;\n",
        "tests/one.rs": "mod common;\nuse my_crate::a::A;\n",
        "tests/common/mod.rs": "use crate::X;\n",
        "tests/two.rs": "mod common;\n",
        "examples/big/main.rs": "extern crate my_crate;\nmod part;\n",
        "examples/big/part.rs": "",
        "build.rs": "mod shared;\n",
        "shared.rs": "",
    }
    assert set(edges(files, "src/main.rs")) == {"src/a.rs"}
    assert set(edges(files, "tool/start.rs")) == {"tool/help.rs"}
    assert set(edges(files, "tests/one.rs")) == {"tests/common/mod.rs", "src/a.rs"}
    assert set(edges(files, "tests/common/mod.rs")) == {"tests/one.rs", "tests/two.rs"}
    assert set(edges(files, "examples/big/main.rs")) == {"src/lib.rs", "examples/big/part.rs"}
    assert set(edges(files, "build.rs")) == {"shared.rs"}


WORKSPACE = {
    "Cargo.toml": """
        [workspace]
        members = ["crates/*"]
        [workspace.package]
        edition = "2021"
        [workspace.dependencies]
        shared = { path = "crates/shared" }
        top = { path = "" }
        [package]
        name = "top"
        [dependencies]
        shared.workspace = true
        [patch.crates-io]
        patched = { path = "crates/patched" }
    """,
    "src/lib.rs": "pub extern crate the_shared as again;\n",
    "crates/std/Cargo.toml": '[package]\nname = "std"\n',
    "crates/std/src/lib.rs": "",
    "crates/shared/Cargo.toml": """
        [package]
        name = "shared"
        [lib]
        name = "the_shared"
        path = "lib.rs"
    """,
    "crates/shared/lib.rs": "pub struct S;\n",
    "crates/patched/Cargo.toml": '[package]\nname = "patched"\n',
    "crates/patched/src/lib.rs": "",
    "crates/loose/Cargo.toml": '[package]\nname = "loose"\n',
    "crates/loose/src/lib.rs": "",
    "crates/dashed/Cargo.toml": '[package]\nname = "da-shed"\n',
    "crates/dashed/src/lib.rs": "pub mod m;\n",
    "crates/dashed/src/m.rs": "",
    "crates/user/Cargo.toml": """
        [package]
        name = "user"
        edition.workspace = true
        [dependencies]
        shared.workspace = true
        top.workspace = true
        patched = "1"
        loose = "1"
        serde = "1"
        [target.'cfg(unix)'.dev-dependencies]
        new-name = { path = "../dashed", package = "da-shed" }
    """,
}


@pytest.mark.parametrize(
    ("use", "wanted"),
    [
        ("use the_shared::S;", {"crates/shared/lib.rs": "resolved"}),
        ("use shared::S;", {}),
        ("use patched::X;", {"crates/patched/src/lib.rs": "resolved"}),
        ("use loose::X;", {"crates/loose/src/lib.rs": "ambiguous"}),
        ("use new_name::m::X;", {"crates/dashed/src/m.rs": "resolved"}),
        ("use ::new_name::m::X;", {"crates/dashed/src/m.rs": "resolved"}),
        ("use da_shed::m::X;", {"crates/dashed/src/m.rs": "ambiguous"}),
        ("use serde::m::X;", {}),
        ("use std::fmt;", {}),
        ("use top::X;", {"src/lib.rs": "resolved"}),
        ("use top::again::S;", {"crates/shared/lib.rs": "resolved"}),
        ("extern crate new_name as other;", {"crates/dashed/src/lib.rs": "resolved"}),
    ],
)
def test_crates_of_a_workspace_are_seen_as_their_manifest_says(
    use: str, wanted: dict[str, str]
) -> None:
    files = {**WORKSPACE, "crates/user/src/lib.rs": use}
    assert edges(files, "crates/user/src/lib.rs") == wanted


def test_paths_of_the_first_edition_start_at_the_root() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "old"\n',
        "src/lib.rs": "mod a;\nmod b;\n",
        "src/a.rs": "use b::B;\n",
        "src/b.rs": "pub struct B;\n",
    }
    assert edges(files, "src/a.rs") == {"src/b.rs": "resolved"}


def test_included_files_are_needed() -> None:
    files = {
        "Cargo.toml": CARGO,
        "src/lib.rs": 'include!("table.in");\nconst T: &str = include_str!("../README.md");\n',
        "src/table.in": "",
        "README.md": "",
    }
    assert set(edges(files, "src/lib.rs")) == {"src/table.in", "README.md"}


def test_circles_and_broken_manifests_lead_nowhere() -> None:
    files = {
        "Cargo.toml": '[package]\nname = 1\n[dependencies]\nx = { path = "../../.." }\n',
        "a/Cargo.toml": "[[[",
        "b/Cargo.toml": f"x = {'[' * 9999}",
        "c/Cargo.toml": '[package]\nname = "c"\nworkspace = "../../.."\nedition = 5\n'
        '[lib]\npath = "../../../../etc/passwd"\n[dependencies]\ny.workspace = true\nz = 3\n',
        "src/lib.rs": "pub use self::b::*;\npub use a::X;\nmod b;\nuse crate::X::Y as X;\n}}}{{{",
        "src/b.rs": 'pub use super::*;\nuse super::X;\n#[path = "lib.rs"] mod again;\nuse {;',
    }
    assert set(edges(files, "src/b.rs")) == {"src/lib.rs"}
    assert set(edges(files, "src/lib.rs")) == {"src/b.rs"}


def test_a_long_chain_of_modules_that_import_all_of_the_next_ends() -> None:
    count = 300
    files = {
        "Cargo.toml": CARGO,
        "src/lib.rs": "".join(f"mod m{i};\n" for i in range(count)) + "use crate::m0::Gone;\n",
    }
    for i in range(count):
        files[f"src/m{i}.rs"] = f"pub use crate::m{i + 1}::*;\npub use crate::m{i + 2}::*;\n"
    assert edges(files, "src/lib.rs")["src/m0.rs"] == "resolved"


def test_what_other_files_import_again_is_part_of_what_it_depends_on() -> None:
    def told(text: str) -> list[str]:
        return list(Rust(project({"Cargo.toml": CARGO, "src/lib.rs": text})).depends_on())

    assert told("pub use a::B; fn f() { g(); }") == told("pub use a::B; fn f() {}")
    assert told("pub use a::B;") != told("pub use a::C;")
