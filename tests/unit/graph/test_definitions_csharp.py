"""Which definition of C# may run which."""

from __future__ import annotations

from tests.unit.graph.definitions import edges

FILES = {
    "src/Draw.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
    "src/Shapes.cs": """
namespace Draw.Shapes;

public interface IShape { int Area(); }

public abstract class Shape : IShape
{
    public string Name { get; set; }
    public abstract int Area();
    public virtual int Twice() => Area() * 2;
}

public partial class Square : Shape
{
    private readonly Size _size = Size.Unit();
    public Square(Size size) : base() { _size = size; }
    public override int Area() { return _size.Value * Edge(); }
    public override int Twice() => base.Twice();
    public static bool operator ==(Square a, Square b) => a.Area() == b.Area();
}
""",
    "src/Square.Parts.cs": """
namespace Draw.Shapes
{
    public partial class Square { private int Edge() { return _size.Value; } }
}
""",
    "src/Size.cs": """
namespace Draw.Shapes
{
    public record Size(int Value) { public static Size Unit() => new Size(1); }

    public static class SizeExtensions
    {
        public static Size Grown(this Size size) => new Size(size.Value + 1);
        public static int Words(this string text) => text.Length;
    }
}
""",
    "tests/ShapeTests.cs": """
using System.Linq;
using Draw.Shapes;
using Box = Draw.Shapes.Square;

namespace Draw.Tests
{
    public class ShapeTests
    {
        private static bool Large(IShape shape) { return shape.Area() > Limit; }
        private const int Limit = 3;

        [Fact]
        public void Grows()
        {
            var size = Size.Unit();
            var square = new Square(size.Grown());
            square.Twice();
            foreach (var one in new[] { square }.Where(Large)) one.Area();
            Box box = new(size);
            box.Name = "a b".Words().ToString();
        }
    }
}
""",
}


def test_members_types_and_parts(repo):
    found = edges(repo.having(FILES))
    square = "Draw.Shapes.Square"
    test = "Draw.Tests.ShapeTests.Grows"
    assert {
        (square, "subclass", "Draw.Shapes.Shape"),
        ("Draw.Shapes.Shape", "subclass", "Draw.Shapes.IShape"),
        (square, "constructor", f"{square}.Square"),
        (f"{square}.Area", "call", f"{square}.Edge"),
        (f"{square}.Area", "variable", f"{square}._size"),
        (f"{square}.Edge", "variable", f"{square}._size"),
        (f"{square}.Edge", "call", "Draw.Shapes.Size.Value"),
        (f"{square}.Twice", "call", "Draw.Shapes.Shape.Twice"),
        (f"{square}._size", "call", "Draw.Shapes.Size.Unit"),
        (test, "call", "Draw.Shapes.Size.Unit"),
        (test, "call", square),
        (test, "call", f"{square}.Twice"),
        (test, "call", "Draw.Shapes.Shape.Name"),
        ("Draw.Tests.ShapeTests.Large", "variable", "Draw.Tests.ShapeTests.Limit"),
    } <= found


def test_what_is_overridden_or_implemented_is_reached(repo):
    found = edges(repo.having(FILES))
    assert {
        ("Draw.Shapes.IShape.Area", "override", "Draw.Shapes.Square.Area"),
        ("Draw.Shapes.Shape.Area", "override", "Draw.Shapes.Square.Area"),
        ("Draw.Shapes.Shape.Twice", "call", "Draw.Shapes.Shape.Area"),
        ("Draw.Tests.ShapeTests.Large", "call", "Draw.Shapes.IShape.Area"),
        ("Draw.Tests.ShapeTests.Grows", "value", "Draw.Tests.ShapeTests.Large"),
    } <= found


def test_extensions_are_members_of_what_sees_them(repo):
    found = edges(repo.having(FILES))
    test = "Draw.Tests.ShapeTests.Grows"
    assert (test, "call", "Draw.Shapes.SizeExtensions.Grown") in found
    assert (test, "call", "Draw.Shapes.SizeExtensions.Words") in found


STATIC = {
    "src/Draw.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
    "src/Tools.cs": """
namespace Draw.Tools
{
    public static partial class Helpers
    {
        public const int Limit = 3;
        public static int Size { get; set; }
        public static int Check(int n) => n;
        public static Box Made() => new Box();
        public static Lid Lid() => new Lid();
        public static int Hidden(int n) => n;
        public static class Deeper { public static int Deep() => 4; }
        public class Inner { public void Go() { } }
    }
    public class Box { public int Value() => 1; }
    public class Lid { public static Lid Flat() => new Lid(); public void Shut() { } }
    public enum Color { Red, Green }
    public static class Other { public static int Apart() => 5; }
}
""",
    "src/Tools.Parts.cs": """
namespace Draw.Tools
{
    public static partial class Helpers { public static int Part() => 6; }
}
""",
    "src/Generic.cs": """
namespace Draw.Tools
{
    public static class Cache<T> { public static int Find() => 7; }
}
""",
    "src/User.cs": """
using Draw.Tools;
using static Draw.Tools.Color;
using static global::Draw.Tools.Helpers;
using static Draw.Tools.Helpers.Deeper;
using static Draw.Tools.Cache<int>;
using static System.Math;

namespace Draw
{
    public class User
    {
        int Calls() { return Check(Limit) + Max(1, 2); }
        int Reads() { return Size; }
        object Enumerators() { return Red; }
        int Returned() { return Made().Value(); }
        void Nested() { new Inner().Go(); }
        int Deepest() => Deep();
        int Parts() => Part();
        int Generics() => Find();
        void Named() { Lid().Shut(); Lid.Flat(); }
        int Own() => Hidden(1);
        int Hidden(int n) => n;
        int NotOpened() => Apart();
    }
}
""",
}


def test_static_members_of_imported_types_are_seen_by_their_names(repo):
    found = edges(repo.having(STATIC))
    user, helpers = "Draw.User", "Draw.Tools.Helpers"
    assert {
        (f"{user}.Calls", "call", f"{helpers}.Check"),
        (f"{user}.Calls", "variable", f"{helpers}.Limit"),
        (f"{user}.Reads", "call", f"{helpers}.Size"),
        (f"{user}.Enumerators", "variable", "Draw.Tools.Color.Red"),
        (f"{user}.Returned", "call", f"{helpers}.Made"),
        (f"{user}.Returned", "call", "Draw.Tools.Box.Value"),
        (f"{user}.Nested", "call", f"{helpers}.Inner.Go"),
        (f"{user}.Deepest", "call", f"{helpers}.Deeper.Deep"),
        (f"{user}.Generics", "call", "Draw.Tools.Cache.Find"),
        (f"{user}.Parts", "call", f"{helpers}.Part"),
        (f"{user}.Named", "call", f"{helpers}.Lid"),
        (f"{user}.Named", "call", "Draw.Tools.Lid.Shut"),
        (f"{user}.Named", "call", "Draw.Tools.Lid.Flat"),
        (f"{user}.Own", "call", f"{user}.Hidden"),
    } <= found
    targets = {target for source, _, target in found if source.startswith(f"{user}.")}
    # a member of the class itself comes first
    assert targets.isdisjoint({f"{helpers}.Hidden", "Draw.Tools.Other.Apart"})


MADE = {
    "src/Made.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
    "src/Zone.cs": """
namespace Made;

public class Zone
{
    private Zone(int hours) { }
    public static Zone Of(int hours) => new Zone(hours);
    public static int West() => Zone.Of(1).Offset();
    public int Offset() => 0;
}
""",
}


def test_a_class_with_a_constructor_is_meant_by_its_name_within_it(repo):
    found = edges(repo.having(MADE))
    assert ("Made.Zone.Of", "call", "Made.Zone") in found
    assert ("Made.Zone.West", "call", "Made.Zone.Of") in found
    assert ("Made.Zone.West", "call", "Made.Zone.Offset") in found
