"""Definitions, imports and references found in C#."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
using System.Collections.Generic;
using static System.Math;
using Alias = System.Text.StringBuilder;
namespace A.B
{
    /// <summary>
    /// The foo. See <see cref="Bar"/>.
    /// </summary>
    [Serializable]
    public abstract partial class Foo<T> : Base<T>, ns.IFoo where T : class
    {
        public const int Max = 5, Min = 1;
        private readonly List<T> _items = new List<T>();
        public static event EventHandler<Args> Changed;
        public string Name { get; set; } = "x";
        public Item Computed => _items.Count;
        public T this[int i] { get { return _items[i]; } }
        public Foo(int a) : base(a) { int local = 1; }
        ~Foo() { }
        [Obsolete("x")]
        public async Task<T> Method<U>(string a)
        {
            var l = new Other();
            void LocalFn(int q) { }
            l.Call().Chain<int>(x)?.Then();
            return Static.Do(() => { var z = 1; });
        }
        public static Foo<T> operator +(Foo<T> a, Foo<T> b) => a; public static implicit operator bool(Foo<T> a) => true;
        private enum Inner { A, B = 2 }
        public struct S { public int X, Y; }
        public delegate void Handler(object s);
        public record Rec(int P);
    }
    public interface IFoo { void M(); }
}
"""

CASE = Case(
    "csharp",
    SOURCE,
    definitions="""
    4-35 namespace A.B | namespace A.B
    9-33 class A.B.Foo | public abstract partial class Foo<T> : Base<T>, ns.IFoo where T : class | The foo. See Bar.
    12-12 constant A.B.Foo.Max | public const int Max = 5, Min = 1
    12-12 constant A.B.Foo.Min | public const int Max = 5, Min = 1
    13-13 field A.B.Foo._items | private readonly List<T> _items = new List<T>()
    14-14 field A.B.Foo.Changed | public static event EventHandler<Args> Changed
    15-15 property A.B.Foo.Name | public string Name
    16-16 property A.B.Foo.Computed | public Item Computed
    17-17 property A.B.Foo.this | public T this[int i]
    18-18 constructor A.B.Foo.Foo | public Foo(int a) : base(a)
    19-19 method A.B.Foo.~Foo | ~Foo()
    20-27 method A.B.Foo.Method | public async Task<T> Method<U>(string a)
    24-24 function A.B.Foo.Method.LocalFn | void LocalFn(int q)
    28-28 method A.B.Foo.operator + | public static Foo<T> operator +(Foo<T> a, Foo<T> b)
    28-28 method A.B.Foo.operator bool | public static implicit operator bool(Foo<T> a)
    29-29 enum A.B.Foo.Inner | private enum Inner
    29-29 enumerator A.B.Foo.Inner.A | A
    29-29 enumerator A.B.Foo.Inner.B | B = 2
    30-30 struct A.B.Foo.S | public struct S
    30-30 field A.B.Foo.S.X | public int X, Y
    30-30 field A.B.Foo.S.Y | public int X, Y
    31-31 type A.B.Foo.Handler | public delegate void Handler(object s)
    32-32 class A.B.Foo.Rec | public record Rec(int P)
    32-32 property A.B.Foo.Rec.P | int P
    34-34 interface A.B.IFoo | public interface IFoo
    34-34 method A.B.IFoo.M | void M()
    """,
    imports="""
    1 using System.Collections.Generic
    2 static System.Math
    3 using System.Text.StringBuilder Alias
    """,
    calls="""
    Call:25 Chain:25 Then:25 Do:26
    """,
    types="""
    Serializable:9 Base:10 T:10 IFoo:10 List:13 T:13 EventHandler:14 Args:14 Item:16 T:17
    Obsolete:20 Task:21 T:21 Other:23 Chain:25 Foo:28 T:28
    """,
    names="""
    Static:26
    """,
)


class TestCSharp(CaseChecks):
    case = CASE
