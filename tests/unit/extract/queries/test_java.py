"""Definitions, imports and references found in Java."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
package com.example.app;
import java.util.List;
import java.util.concurrent.*;
import static org.junit.Assert.assertEquals;

/**
 * Class doc. {@link Foo}
 *
 * @author x
 */
@Entity
@Table(name = "x")
public abstract class Foo<T extends Bar> extends Base<T> implements I1, pkg.I2 {
    /** The limit. */
    public static final int MAX = 5, MIN = 1;
    private List<String> items = new ArrayList<>();
    public Foo(int a) throws IOException { super(a); }
    @Override public <R> Map<String, R> method(List<? extends T> x) throws E1 {
        int local = 1;
        helper(x).chain();
        run(this::start);
        return Util.call(new Other() { void anon() {} });
    }
    abstract void abs();
    enum Color { RED, GREEN(1) { void m() {} }; private int v; }
    interface Inner { int K = 1; default void dm() {} }
    record Point(int x, int y) { Point { } }
    @interface Anno { String value() default "x"; }
}
"""

CASE = Case(
    "java",
    SOURCE,
    definitions="""
    11-29 class Foo | public abstract class Foo<T extends Bar> extends Base<T> implements I1, pkg.I2 | Class doc. {@link Foo}
    15-15 constant Foo.MAX | public static final int MAX = 5, MIN = 1 | The limit.
    15-15 constant Foo.MIN | public static final int MAX = 5, MIN = 1 | The limit.
    16-16 field Foo.items | private List<String> items = new ArrayList<>()
    17-17 constructor Foo.Foo | public Foo(int a) throws IOException
    18-23 method Foo.method | public <R> Map<String, R> method(List<? extends T> x) throws E1
    22-22 method Foo.method.anon | void anon()
    24-24 method Foo.abs | abstract void abs()
    25-25 enum Foo.Color | enum Color
    25-25 enumerator Foo.Color.RED | RED
    25-25 enumerator Foo.Color.GREEN | GREEN(1) { void m() {} }
    25-25 method Foo.Color.GREEN.m | void m()
    25-25 field Foo.Color.v | private int v
    26-26 interface Foo.Inner | interface Inner
    26-26 constant Foo.Inner.K | int K = 1
    26-26 method Foo.Inner.dm | default void dm()
    27-27 class Foo.Point | record Point(int x, int y)
    27-27 field Foo.Point.x | int x
    27-27 field Foo.Point.y | int y
    27-27 constructor Foo.Point.Point | Point
    28-28 interface Foo.Anno | @interface Anno
    28-28 method Foo.Anno.value | String value() default "x"
    """,
    imports="""
    1 package com.example.app
    2 import java.util.List
    3 import java.util.concurrent *
    4 import org.junit.Assert.assertEquals
    13 qualified pkg.I2
    """,
    calls="""
    helper:20 chain:20 run:21 start:21 call:22
    """,
    types="""
    Entity:11 Table:12 T:13 Bar:13 Base:13 I1:13 pkg:13 I2:13 List:16 String:16 ArrayList:16
    IOException:17 Override:18 R:18 Map:18 String:18 List:18 T:18 E1:18 Util:22 Other:22
    String:28
    """,
)


class TestJava(CaseChecks):
    case = CASE
