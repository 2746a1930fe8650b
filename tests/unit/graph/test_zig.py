from tests.unit.graph.projects import edges


def test_paths_are_relative_to_the_importing_file() -> None:
    files = {
        "src/main.zig": """
            const std = @import("std");
            const a = @import("a.zig");
            const b = @import("../lib/b.zig");
            const gone = @import("../../b.zig");
            const text = @embedFile("data/x.txt");
        """,
        "src/a.zig": "",
        "lib/b.zig": "",
        "src/data/x.txt": "",
        "std.zig": "",
    }
    assert edges(files, "src/main.zig") == dict.fromkeys(
        ("src/a.zig", "lib/b.zig", "src/data/x.txt"), "resolved"
    )


BUILD = """
    pub fn build(b: *std.Build) void {
        const one = b.createModule(.{ .root_source_file = b.path("src/first.zig"), .target = t });
        exe.root_module.addImport("one", one);
        _ = b.addModule("two", .{ .root_source_file = b.path("src/second.zig") });
        exe.root_module.addAnonymousImport("three", .{ .root_source_file = b.path("c.zig") });
        const all = .{ .imports = &.{ .{ .name = "again", .module = one } } };
        const dep = b.dependency("local", .{});
        exe.root_module.addImport("five", dep.module("inner"));
        if (b.lazyDependency("local", .{})) |found| {
            exe.root_module.addImport("six", found.module("inner"));
        }
        // exe.root_module.addAnonymousImport("no", .{ .root_source_file = b.path("c.zig") });
        const hidden = make(b.createModule(.{ .root_source_file = b.path("src/hidden.zig") }));
    }
"""


def test_named_modules_are_those_of_the_build() -> None:
    files = {
        "build.zig": BUILD,
        "build.zig.zon": '.{ .dependencies = .{ .local = .{ .path = "pkg/local" } } }',
        "pkg/local/build.zig": 'b.addModule("inner", .{ .root_source_file = b.path("i.zig") });',
        "pkg/local/i.zig": "",
        "src/first.zig": "",
        "src/second.zig": "",
        "src/hidden.zig": "",
        "c.zig": "",
        "src/main.zig": "",
    }

    def leads(name: str) -> dict[str, str]:
        text = f'const x = @import("{name}");'
        return edges({**files, "src/main.zig": text}, "src/main.zig")

    assert leads("one") == leads("again") == {"src/first.zig": "resolved"}
    assert leads("two") == {"src/second.zig": "resolved"}
    assert leads("three") == {"c.zig": "resolved"}
    assert leads("five") == leads("six") == {"pkg/local/i.zig": "resolved"}
    assert leads("hidden") == {"src/hidden.zig": "ambiguous"}
    assert leads("inner") == {"pkg/local/i.zig": "ambiguous"}
    assert leads("no") == leads("std") == {}


def test_headers_are_found_by_the_end_of_their_path() -> None:
    files = {
        "src/c.zig": 'const c = @cImport({ @cInclude("sub/x.h"); });',
        "a/sub/x.h": "",
        "b/sub/x.h": "",
        "b/other/x.h": "",
    }
    assert edges(files, "src/c.zig") == {"a/sub/x.h": "ambiguous", "b/sub/x.h": "ambiguous"}
