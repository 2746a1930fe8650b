"""Definitions, imports and references found in Zig."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
const std = @import("std");
const Part = @import("part.zig").Part;
/// The most.
pub const MAX: usize = 10;
var counter: u32 = 0;
pub const Foo = struct {
    a: u32,
    const Self = @This();
    /// Makes one.
    pub fn init(allocator: std.mem.Allocator) Foo {
        const local = 1;
        return make(local);
    }
    fn method(self: *Self) !void {
        self.go(1);
    }
};
const Color = enum(u8) { red, green = 2 };
const U = union(enum) { x: u32, y };
const E = error{ OutOfMemory, Bad };
pub fn List(comptime T: type) type {
    return struct {
        items: T,
        const Slice = []T;
        pub fn push(self: *@This()) void {}
    };
}
inline fn helper() void {}
"""

CASE = Case(
    "zig",
    SOURCE,
    definitions="""
    4-4 constant MAX | const MAX: usize = 10 | The most.
    5-5 variable counter | var counter: u32 = 0
    6-17 struct Foo | const Foo = struct
    7-7 field Foo.a | a: u32
    8-8 constant Foo.Self | const Self = @This()
    10-13 method Foo.init | fn init(allocator: std.mem.Allocator) Foo | Makes one.
    14-16 method Foo.method | fn method(self: *Self) !void
    18-18 enum Color | const Color = enum(u8)
    18-18 enumerator Color.red | red
    18-18 enumerator Color.green | green = 2
    19-19 struct U | const U = union(enum)
    19-19 field U.x | x: u32
    19-19 field U.y | y
    20-20 enum E | const E = error
    20-20 enumerator E.OutOfMemory | OutOfMemory
    20-20 enumerator E.Bad | Bad
    21-27 type List | fn List(comptime T: type) type
    23-23 field List.items | items: T
    24-24 constant List.Slice | const Slice = []T
    25-25 method List.push | fn push(self: *@This()) void
    28-28 function helper | inline fn helper() void
    """,
    imports="""
    1 import std
    2 import part.zig
    """,
    calls="""
    make:12 go:15
    """,
    types="""
    Part:2 Allocator:10 Foo:10 Self:14 T:23 T:24
    """,
)


class TestZig(CaseChecks):
    case = CASE
