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


MADE = {
    f"{ROOT}Zone.java": (
        "package a;\n\npublic class Zone {\n  private static final Zone UTC = new Zone(0);\n"
        "  private final int hours;\n\n  private Zone(int hours) { this.hours = hours; }\n\n"
        "  static Zone of(int hours) { return new Zone(hours); }\n\n"
        "  static int west() { return Zone.of(1).offset() + new Zone(2).offset(); }\n\n"
        "  int offset() { return hours; }\n\n"
        "  class Cursor { int go() { return Zone.this.offset(); } }\n}\n"
    ),
    "src/test/java/a/ZoneTest.java": (
        "package a;\n\nclass ZoneTest {\n  @Test void west() { Zone.west(); }\n}\n"
    ),
}


def test_a_class_with_a_constructor_is_meant_by_its_name_within_it(repo):
    found = edges(repo.having(MADE))
    assert {
        ("Zone.of", "call", "Zone"),
        ("Zone.west", "call", "Zone.of"),
        ("Zone.west", "call", "Zone.offset"),
        ("Zone.UTC", "call", "Zone"),
    } <= found
    assert ("Zone.of", "call", "Zone.Zone") not in found


def test_the_instance_of_a_class_around_has_its_members(repo):
    assert ("Zone.Cursor.go", "call", "Zone.offset") in edges(repo.having(MADE))


def test_who_names_a_class_for_a_static_member_makes_no_instance(repo):
    found = edges(repo.having(MADE))
    assert ("ZoneTest.west", "call", "Zone.west") in found
    assert ("ZoneTest.west", "member", "Zone") in found
    assert ("ZoneTest.west", "value", "Zone") not in found


def _rules(count):
    """Return an interface, so many classes with its method, and what calls this."""
    files = {
        f"{ROOT}Rule.java": "package a;\n\npublic interface Rule { int cost(); }\n",
        f"{ROOT}Sum.java": (
            "package a;\n\npublic class Sum { int of(Rule rule) { return rule.cost(); } }\n"
        ),
    }
    for number in range(count):
        files[f"{ROOT}Rule{number}.java"] = (
            f"package a;\n\npublic class Rule{number} implements Rule {{\n"
            f"  public int cost() {{ return {number}; }}\n}}\n"
        )
    return files


def test_overloads_do_not_make_many_of_few_that_override(repo):
    kinds = ("int", "long", "String")
    rule = "".join(f"    int cost({kind} of);\n" for kind in kinds)
    own = "".join(f"    public int cost({kind} of) {{ return 1; }}\n" for kind in kinds)
    files = {f"src/Rule{i}.java": f"class Rule{i} implements Rule {{\n{own}}}\n" for i in (0, 1)}
    repo.having({**files, "src/Rule.java": f"interface Rule {{\n{rule}}}\n"})
    found = edges(repo)
    assert ("Rule.cost", "override", "Rule0.cost") in found
    assert ("Rule0", "override", "Rule0.cost") not in found


BOX = (
    "class Box extends Lid {\n"
    "  int open() { return 0; }\n"
    "  int open(int n) { return shut(n, n); }\n"
    "  int open(int n, int... more) { return 2; }\n"
    "  int shut(int n, int m) { return n; }\n"
    "  static int make(int n, int m) { return n; }\n}\n"
)
LID = "class Lid {\n  int shut(int n) { return 1; }\n}\n"
USE = (
    "class Use {\n"
    "  void none(Box box) { box.open(); }\n"
    "  void one(Box box) { box.open(1 /* of two */); }\n"
    "  void three(Box box) { box.open(1, 2, 3); }\n"
    "  void some(Box box) { box.open(); box.open(1, 2); }\n"
    "  void above(Box box) { box.shut(1); }\n"
    "  void unfit() { Box.make(1); }\n}\n"
)


def test_methods_of_one_name_are_told_apart_by_how_many_arguments_they_take(repo):
    repo.having({"src/Lid.java": LID, "src/Box.java": BOX, "src/Use.java": USE})
    found = edges(repo, lines=True)
    assert {(source, target) for source, kind, target in found if kind == "call"} == {
        ("Box.open:3", "Box.shut:5"),
        ("Use.none:2", "Box.open:2"),
        ("Use.one:3", "Box.open:3"),
        ("Use.one:3", "Box.open:4"),
        ("Use.three:4", "Box.open:4"),
        ("Use.some:5", "Box.open:2"),
        ("Use.some:5", "Box.open:4"),
        ("Use.above:6", "Lid.shut:2"),
        ("Use.unfit:7", "Box.make:6"),
    }


def test_a_method_is_overridden_by_those_that_take_as_many_arguments(repo):
    rule = "interface Rule {\n  int cost();\n  int cost(int n);\n}\n"
    flat = (
        "class Flat implements Rule {\n"
        "  public int cost() { return 1; }\n  public int cost(int n) { return n; }\n}\n"
    )
    repo.having({"src/Rule.java": rule, "src/Flat.java": flat})
    found = edges(repo, lines=True)
    assert {(source, target) for source, kind, target in found if kind == "override"} == {
        ("Rule.cost:2", "Flat.cost:2"),
        ("Rule.cost:3", "Flat.cost:3"),
    }


def test_of_many_that_override_a_method_a_class_may_run_its_own(repo):
    few = edges(repo.having(_rules(4)))
    assert ("Rule.cost", "override", "Rule0.cost") in few
    assert ("Rule0", "override", "Rule0.cost") not in few
    many = edges(repo.having(_rules(5)))
    assert ("Rule.cost", "override", "Rule0.cost") in many
    assert ("Rule0", "override", "Rule0.cost") in many


QUALIFIED = {
    "p/A.java": "package p;\npublic class A {\n  public static void alpha() {}\n"
    "  public static A made() { return new A(); }\n  public void beta() {}\n"
    "  public static class In { public static void gamma() {} }\n}\n",
    "p/d/B.java": "package p.d;\npublic class B { public static void delta() {} }\n",
    "q/E.java": "package q;\nclass E extends p.A {\n  void f() { p.A.alpha(); }\n"
    "  void g() { new p.A().beta(); }\n  void h(p.A a) { a.beta(); }\n"
    "  void i() { p.A.made().beta(); }\n  void j() { p.A.In.gamma(); }\n"
    "  void k() { p.d.B.delta(); }\n  void l(Object p) { p.A.alpha(); }\n"
    "}\n",
    # a class of the same name that is not meant
    "q/A.java": "package q;\nclass A { static void alpha() {} }\n",
}


def test_a_name_may_begin_with_that_of_its_package(repo):
    found = edges(repo.having(QUALIFIED), lines=True)
    assert {
        ("E:2", "subclass", "A:2"),
        ("E.f:3", "call", "A.alpha:3"),
        ("E.g:4", "call", "A:2"),
        ("E.g:4", "call", "A.beta:5"),
        ("E.h:5", "type", "A:2"),
        ("E.h:5", "call", "A.beta:5"),
        ("E.i:6", "call", "A.made:4"),
        ("E.i:6", "call", "A.beta:5"),
        ("E.j:7", "call", "A.In.gamma:6"),
        ("E.k:8", "call", "B.delta:2"),
    } <= found
    assert not [edge for edge in found if edge[2] in ("A.alpha:2", ".alpha")]
