"""Definitions, imports and references found in Rust."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
//! Crate doc.
use std::collections::HashMap;
use crate::a::{self, b::C, d as e, f::*};
pub use foo::Bar as Baz;
use glob::*;
extern crate libc;
mod sub;
pub mod inline { const K: u8 = 1; }

/// Doc of Point,
/// of two lines.
#[derive(Debug)]
pub struct Point<T: Trait> where T: Other {
    /// The x.
    pub x: Option<T>,
}
pub struct Tuple(pub i32, String);
pub enum Shape { Circle(f64), Rect { w: u32 } }
pub trait Draw: Base {
    const ID: u32;
    type Output;
    fn draw(&self) -> Self::Output;
}
impl<T> Point<T> {
    pub fn new(x: f64) -> Self { const LOCAL: u8 = 0; helper(x); make::<T>(); Vec::new() }
}
impl<T> Draw for a::Point<T> { fn draw(&self) -> u8 { self.x.abs(); println!("{}", fmt(x)); 1 } }
pub static GLOBAL: u8 = 0;
type Alias<T> = Result<T, Error>;
macro_rules! my_macro { ($x:expr) => { $x }; }
pub(crate) fn generic<T>(f: impl Fn(T) -> u8) -> Box<dyn Draw> { fn nested() {} Point { x: None } }
extern "C" { fn ffi(a: c_int); }
"""

CASE = Case(
    "rust",
    SOURCE,
    definitions="""
    7-7 module sub | mod sub
    8-8 module inline | pub mod inline
    8-8 constant inline.K | const K: u8 = 1
    13-16 struct Point | pub struct Point<T: Trait> where T: Other | Doc of Point, of two lines.
    15-15 field Point.x | pub x: Option<T> | The x.
    17-17 struct Tuple | pub struct Tuple(pub i32, String)
    18-18 enum Shape | pub enum Shape
    18-18 enumerator Shape.Circle | Circle(f64)
    18-18 enumerator Shape.Rect | Rect { w: u32 }
    18-18 field Shape.Rect.w | w: u32
    19-23 trait Draw | pub trait Draw: Base
    20-20 constant Draw.ID | const ID: u32
    21-21 type Draw.Output | type Output
    22-22 method Draw.draw | fn draw(&self) -> Self::Output
    25-25 method Point.new | pub fn new(x: f64) -> Self
    27-27 method Point.draw | fn draw(&self) -> u8
    28-28 constant GLOBAL | pub static GLOBAL: u8 = 0
    29-29 type Alias | type Alias<T> = Result<T, Error>
    30-30 macro my_macro | macro_rules! my_macro
    31-31 function generic | pub(crate) fn generic<T>(f: impl Fn(T) -> u8) -> Box<dyn Draw>
    31-31 function generic.nested | fn nested()
    32-32 function ffi | fn ffi(a: c_int)
    """,
    imports="""
    2 use std::collections::HashMap
    3 use crate::a self,b::C,d as e,f::*
    4 alias foo::Bar Baz
    5 use glob *
    6 extern libc
    7 mod sub
    8 enter inline
    8 leave }
    27 path a
    """,
    calls="""
    helper:25 make:25 new:25 abs:27 println:27 fmt:27
    """,
    types="""
    T:13 Trait:13 Other:13 Option:15 T:15 String:17 Base:19 Output:22 T:24 Self:25 T:25
    Vec:25 T:27 Draw:27 T:29 Result:29 Error:29 T:31 Fn:31 Box:31 Draw:31 Point:31 c_int:32
    """,
)


class TestRust(CaseChecks):
    case = CASE
