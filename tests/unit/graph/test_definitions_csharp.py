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
