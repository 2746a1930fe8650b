"""Which definition of Java may run which."""

from __future__ import annotations

from tests.unit.graph.definitions import edges

ROOT = "src/main/java/a/"
FILES = {
    f"{ROOT}Shape.java": (
        "package a;\n\npublic interface Shape extends Comparable<Shape> {\n"
        "  double area();\n  String label();\n"
        "  default double twice() { return area() * 2; }\n}\n"
    ),
    f"{ROOT}Square.java": (
        "package a;\n\nimport a.util.Tools;\nimport static a.util.Tools.check;\n\n"
        "public class Square implements Shape {\n"
        "  private final Size size;\n  private int area = Tools.start();\n\n"
        "  public Square(Size size) { this.size = size; }\n\n"
        "  @Override public double area() { check(area); return size.value(); }\n\n"
        "  @Override public String label() { return null; }\n\n"
        "  @Override public int compareTo(Shape other) { return 0; }\n\n"
        "  static class Size { int value() { return helper(); } }\n\n"
        "  private static int helper() { return 1; }\n}\n"
    ),
    f"{ROOT}util/Tools.java": (
        "package a.util;\n\npublic class Tools {\n"
        "  public static int start() { return 1; }\n"
        "  public static void check(int n) {}\n}\n"
    ),
    "src/test/java/a/SquareTest.java": (
        "package a;\n\nimport java.util.List;\n\nclass SquareTest {\n"
        "  @Test void sums() {\n"
        "    List<Square> all = List.of(new Square(new Square.Size()));\n"
        "    for (Square one : all) one.area();\n"
        "    all.stream().map(Square::compareTo);\n"
        "    all.get(0).twice();\n    var s = new Square(null);\n"
        "    s.toString();\n    s.label();\n  }\n}\n"
    ),
}


def test_calls_types_and_members(repo):
    found = edges(repo.having(FILES))
    assert {
        ("Square", "subclass", "Shape"),
        ("Square", "constructor", "Square.Square"),
        ("Square", "constructor", "Square.area"),
        ("Square.area", "call", "Tools.start"),
        ("Square.area", "call", "Tools.check"),
        ("Square.area", "call", "Square.Size.value"),
        ("Square.Size.value", "call", "Square.helper"),
        ("SquareTest.sums", "call", "Square"),
        ("SquareTest.sums", "call", "Square.Size"),
        ("SquareTest.sums", "call", "Square.area"),
        ("SquareTest.sums", "value", "Square.compareTo"),
        ("SquareTest.sums", "call", "Shape.twice"),
        ("Shape.twice", "call", "Shape.area"),
    } <= found


def test_overriding_members_are_reached_and_what_the_library_calls(repo):
    found = edges(repo.having(FILES))
    assert ("Shape.area", "override", "Square.area") in found
    assert ("Square", "callback", "Square.compareTo") in found
    assert ("Square", "callback", "Square.label") not in found
    assert not [edge for edge in found if edge[2] == ".toString"]


def test_a_class_may_run_what_its_base_calls_of_itself(repo):
    found = edges(repo.having(FILES))
    assert ("Square", "callback", "Square.area") in found
