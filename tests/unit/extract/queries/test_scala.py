"""Definitions, imports and references found in Scala."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
package a.b

import scala.collection.mutable
import a.b.{C, D => E}
import x.y._

/** A class. */
@old
sealed abstract class Foo[A](
  val name: T
) extends Base {
  val prop: Int = 1
  val v1, v2 = 3
  type T = Int
  def run(x: Int): String = {
    val local = 1
    x.go(local)
  }
  def abs: Int
  def this(x: Int) = this("", x)
  def +(o: Foo): Foo = o
}
case class P(x: Int)
trait Tr[F[_]] { def t: Int }
object Foo extends App {
  implicit val imp: Ord[Int] = null
  def apply(x: Int) = new Foo(x)
}
enum Color { case Red, Green }
extension (s: String) def shout: String = s.upper()
"""

CASE = Case(
    "scala",
    SOURCE,
    definitions="""
    8-22 class Foo | sealed abstract class Foo[A]( val name: T ) extends Base | A class.
    10-10 field Foo.name | val name: T
    12-12 field Foo.prop | val prop: Int = 1
    13-13 field Foo.v1 | val v1, v2 = 3
    13-13 field Foo.v2 | val v1, v2 = 3
    14-14 type Foo.T | type T = Int
    15-18 method Foo.run | def run(x: Int): String
    19-19 method Foo.abs | def abs: Int
    20-20 constructor Foo.this | def this(x: Int)
    21-21 method Foo.+ | def +(o: Foo): Foo
    23-23 class P | case class P(x: Int)
    23-23 field P.x | x: Int
    24-24 trait Tr | trait Tr[F[_]]
    24-24 method Tr.t | def t: Int
    25-28 module Foo | object Foo extends App
    26-26 field Foo.imp | implicit val imp: Ord[Int] = null
    27-27 method Foo.apply | def apply(x: Int)
    29-29 enum Color | enum Color
    29-29 enumerator Color.Red | Red
    29-29 enumerator Color.Green | Green
    30-30 function shout | def shout: String
    """,
    imports="""
    1 package a.b
    3 import scala.collection.mutable
    4 import a.b C,D => E
    5 import x.y _
    """,
    calls="""
    go:17 this:20 upper:30
    """,
    types="""
    old:8 T:10 Base:11 Int:12 Int:14 Int:15 String:15 Int:19 Int:20 Foo:21 Int:23 Int:24
    App:25 Ord:26 Int:26 Int:27 Foo:27 String:30
    """,
)


class TestScala(CaseChecks):
    case = CASE
