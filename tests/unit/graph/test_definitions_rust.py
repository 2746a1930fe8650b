"""Which definition of Rust may run which."""

from __future__ import annotations

from tests.unit.graph.definitions import edges

FILES = {
    "Cargo.toml": '[package]\nname = "draw"\nedition = "2021"\n',
    "src/lib.rs": (
        "pub mod shapes;\npub mod tools;\nmod more;\npub use shapes::Square;\n\n"
        "pub fn all(names: &[Square]) -> usize {\n"
        "    names.iter().map(tools::sized).count()\n}\n"
    ),
    "src/shapes.rs": (
        "use crate::tools::{check as checked, Size};\nuse std::fmt;\n\n"
        "pub trait Shape {\n    fn area(&self) -> u32;\n"
        "    fn twice(&self) -> u32 { self.area() * 2 }\n}\n\n"
        "pub struct Square { size: Size }\n\n"
        "impl Square {\n"
        "    pub fn new(edge: u32) -> Self { checked(edge); Square { size: Size::of(edge) } }\n"
        "    fn grow(&mut self) -> Option<Self> { self.size.double(); None }\n}\n\n"
        "impl Shape for Square {\n"
        "    fn area(&self) -> u32 { let size = &self.size; size.value().pow(2) }\n}\n\n"
        "impl fmt::Display for Square {\n"
        '    fn fmt(&self, f: &mut F) -> fmt::Result { write!(f, "{}", self.area()) }\n'
        "}\n\n"
        "macro_rules! square { ($x:expr) => { Square::new($x) } }\n\n"
        "#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn grows() {\n"
        "        assert_eq!(Square::new(2).grow().unwrap().area(), square!(4).area());\n"
        "        super::super::tools::check(1);\n    }\n}\n"
    ),
    "src/tools.rs": (
        "use crate::shapes::Shape;\n\npub struct Size(u32);\n\n"
        "impl Size {\n    pub fn of(n: u32) -> Size { Size(n) }\n"
        "    pub fn value(&self) -> u32 { self.0 }\n}\n\n"
        "pub fn check(n: u32) { if n > LIMIT { panic!() } }\n\n"
        "pub const LIMIT: u32 = 10;\n\n"
        "pub fn sized(shape: &dyn Shape) -> u32 { shape.twice() }\n"
    ),
    "src/more.rs": "use crate::tools::Size;\n\nimpl Size {\n    pub fn double(&mut self) {}\n}\n",
    "tests/draw.rs": (
        "use draw::{all, shapes::Shape, Square};\n\nfn unknown<T: Shape>(x: T) { x.area(); }\n\n"
        "#[test]\nfn draws() { let s = Square::new(1); s.area(); all(&[s]); }\n"
    ),
}


def test_paths_imports_and_members(repo):
    found = edges(repo.having(FILES))
    assert {
        ("Square.new", "call", "check"),
        ("Square.new", "call", "Size.of"),
        ("Square.new", "call", "Square"),
        ("Square.area", "call", "Size.value"),
        ("Square.fmt", "call", "Square.area"),
        ("check", "variable", "LIMIT"),
        ("all", "value", "sized"),
        ("square", "call", "Square.new"),
        ("tests.grows", "call", "Square.new"),
        ("tests.grows", "call", "square"),
        ("tests.grows", "call", "check"),
        ("draws", "call", "Square.new"),
        ("draws", "call", "Square.area"),
        ("draws", "call", "all"),
    } <= found


def test_traits_lead_to_what_implements_them(repo):
    found = edges(repo.having(FILES))
    assert {
        ("Square", "subclass", "Shape"),
        ("sized", "call", "Shape.twice"),
        ("Shape.twice", "call", "Shape.area"),
        ("Shape.area", "override", "Square.area"),
        # the library may call it
        ("Square", "callback", "Square.fmt"),
    } <= found


def test_a_method_may_be_written_in_another_file_than_its_type(repo):
    assert ("Square.grow", "call", "Size.double") in edges(repo.having(FILES))


def test_a_member_of_a_value_of_unknown_type_is_ambiguous(repo):
    found = edges(repo.having(FILES))
    assert ("unknown", "dynamic", ".area") in found
    assert (".area", "candidate", "Square.area") in found
    assert ("unknown", "call", "Square.area") not in found
