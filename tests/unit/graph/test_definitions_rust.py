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
        "use draw::{all, Square};\n\nfn unknown<T>(x: T) { x.area(); }\n\n"
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


TRAITS = {
    "Cargo.toml": '[package]\nname = "draw"\nedition = "2021"\n',
    "src/lib.rs": "pub mod shapes;\npub mod square;\npub mod others;\npub mod impls;\n"
    "pub mod words;\npub mod user;\n",
    "src/shapes.rs": (
        "pub trait Shape {\n    fn area(&self) -> u32;\n"
        "    fn twice(&self) -> u32 { self.area() * 2 }\n    fn make() -> Self;\n}\n"
    ),
    "src/square.rs": (
        "use crate::shapes::Shape;\n\npub struct Square;\n\n"
        "impl Shape for Square {\n    fn area(&self) -> u32 { 1 }\n"
        "    fn make() -> Self { Square }\n}\n"
    ),
    "src/others.rs": "pub struct Tri;\npub struct Quad(u32);\nimpl Quad { fn edge(&self) {} }\n",
    "src/impls.rs": (
        "use crate::others::{self, Tri};\nuse crate::shapes::Shape;\n\n"
        "impl Shape for Tri {}\n"
        "impl Shape for others::Quad { fn area(&self) -> u32 { self.edge() } }\n"
        "impl<T: Shape> Shape for Vec<T> { fn area(&self) -> u32 { T::make().area() } }\n"
        "impl Shape for (u32, u32) { fn area(&self) -> u32 { 2 } }\n"
    ),
    "src/words.rs": (
        "pub trait Words { fn words(&self) -> usize; }\n"
        "impl Words for str { fn words(&self) -> usize { 1 } }\n"
        "pub trait Local { fn local(&self) -> usize; }\n"
        "pub struct Own;\nimpl Local for Own { fn local(&self) -> usize { 1 } }\n"
    ),
    "src/user.rs": (
        "use crate::others::{Quad, Tri};\nuse crate::shapes::Shape;\nuse crate::square::Square;\n"
        "use crate::words::{Local, Words};\n\n"
        "fn dynamic(x: &dyn Shape) -> u32 { x.area() }\n"
        "fn bounded<T: Shape>(x: T) -> u32 { x.area() }\n"
        "fn where_bounded<T>(x: &T) -> u32 where T: Clone + Shape { x.twice() }\n"
        "fn made<T: Shape>() -> T { T::make() }\n"
        "fn of_library<T: std::fmt::Display>(x: T) { x.area(); }\n"
        "fn qualified(x: Square) { <Square as Shape>::area(&x); }\n"
        "fn default_apart(x: Tri) -> u32 { x.twice() }\n"
        "fn method_apart(x: &Quad) -> u32 { x.area() }\n"
        "fn unknown(x: Any<A>) { x[0].one.words(); }\n"
        'fn literal() -> usize { "a".words() }\n'
        'fn no_literal() -> usize { "a".local() }\n'
        "struct Holder<T: Shape> { inner: T }\n"
        "impl<T: Shape> Holder<T> { fn held(&self) -> u32 { self.inner.area() } }\n"
        "struct Pair<T>(T);\n"
        "impl<T: Shape> Pair<T> { fn tight(&self, x: T) { x.area(); } }\n"
        "impl<T> Pair<T> { fn free(&self, x: T) { x.area(); } }\n"
    ),
}


def test_implementations_apart_from_type_and_trait_are_reached(repo):
    found = edges(repo.having(TRAITS))
    assert {
        ("Tri", "subclass", "Shape"),
        ("Quad", "subclass", "Shape"),
        ("Shape.area", "override", "Square.area"),
        ("Shape.area", "override", "Quad.area"),
        ("Shape.area", "override", "Vec.area"),
        ("Shape.area", "override", "(u32, u32).area"),
        ("Shape.twice", "call", "Shape.area"),
        ("default_apart", "call", "Shape.twice"),
        ("method_apart", "call", "Quad.area"),
        ("Quad.area", "call", "Quad.edge"),
        ("qualified", "call", "Square.area"),
    } <= found


def test_a_type_parameter_has_the_methods_of_its_bounds(repo):
    found = edges(repo.having(TRAITS))
    assert {
        ("dynamic", "call", "Shape.area"),
        ("bounded", "call", "Shape.area"),
        ("where_bounded", "call", "Shape.twice"),
        ("made", "call", "Shape.make"),
        ("Vec.area", "call", "Shape.make"),
        ("Holder.held", "call", "Shape.area"),
        ("Pair.tight", "call", "Shape.area"),
    } <= found
    # the bounds of one implementation are not those of another one
    assert ("Pair.free", "call", "Shape.area") not in found
    assert ("of_library", "call", "Shape.area") not in found


def test_traits_in_scope_add_methods_to_values_of_other_types(repo):
    found = edges(repo.having(TRAITS))
    assert ("unknown", "dynamic", "Words.words") in found
    assert ("literal", "dynamic", "Words.words") in found
    assert ("Words.words", "override", "str.words") in found
    # it is implemented for types of the tree alone
    assert ("no_literal", "dynamic", "Local.local") not in found


MACROS = {
    "Cargo.toml": '[package]\nname = "draw"\nedition = "2021"\n',
    "src/lib.rs": (
        "pub struct Pen { width: u32 }\n"
        "impl Pen {\n"
        "    pub fn new() -> Pen { Pen { width: 1 } }\n"
        "    pub fn parse(text: &str) -> Option<Pen> { None }\n"
        "    pub fn width(&self) -> u32 { self.width }\n}\n"
        "impl Default for Pen { fn default() -> Pen { Pen::new() } }\n"
        "impl Drop for Pen { fn drop(&mut self) {} }\n"
        "impl std::ops::Add for Pen { fn add(self, o: Pen) -> Pen { o } }\n"
        "pub struct Case { pen: Pen }\n"
        "impl Deref for Case { type Target = Pen; fn deref(&self) -> &Pen { &self.pen } }\n"
        "pub fn read<T>(text: &str) -> T { todo!() }\n"
        "pub fn open() -> Case { todo!() }\n"
        "#[macro_export]\nmacro_rules! pen { ($x:expr) => { $crate::read($x) } }\n"
    ),
    "tests/it.rs": (
        'fn chained() { assert_eq!(draw::Pen::parse("1")?.width(), 1); }\n'
        "fn grouped(pen: draw::Pen) { assert!((&pen).width() > 0); }\n"
        'fn given() { assert_eq!(draw::read::<u32>("1"), 1); }\n'
        "fn added(a: draw::Pen, b: draw::Pen) { let c = a + b; }\n"
        "fn through() { draw::open().width(); }\n"
    ),
}


def test_paths_begin_with_names_of_crates_and_macros_have_members(repo):
    found = edges(repo.having(MACROS))
    assert {
        ("chained", "call", "Pen.parse"),
        ("chained", "call", "Pen.width"),
        ("grouped", "call", "Pen.width"),
        ("given", "call", "read"),
        ("pen", "call", "read"),
    } <= found


def test_signs_call_methods_and_what_has_a_target_has_its_members(repo):
    found = edges(repo.having(MACROS))
    assert ("added", "call", "Pen.add") in found
    assert ("through", "call", "Pen.width") in found


def test_a_library_calls_methods_of_its_traits_alone(repo):
    found = edges(repo.having(MACROS))
    assert ("Pen", "constructor", "Pen.drop") in found
    assert ("Pen", "callback", "Pen.default") in found
    assert ("Pen", "callback", "Pen.width") not in found
