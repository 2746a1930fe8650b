"""Definitions, imports and references found in Kotlin."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
package a.b

import kotlin.io.println
import a.b.*
import x.y.Z as W

typealias Handler = (String) -> Unit
const val MAX = 10

/** A class. */
@Old
open class Foo(
    private val name: String
) : Base(name) {
    val prop: String = ""
    constructor(x: Int) : this("", x) { }
    override suspend fun run(x: Int): Result<String> {
        val local = 1
        return x.go(Foo.create())
    }
    companion object {
        const val TAG = "x"
        fun create() = make<Int>()
    }
}
enum class Color { RED, GREEN }
sealed interface S
object Single {
    fun one() {}
}
fun String?.ext(x: Int): Int = length
val List<Int>.second: Int get() = this[1]
"""

CASE = Case(
    "kotlin",
    SOURCE,
    definitions="""
    7-7 type Handler | typealias Handler = (String) -> Unit
    8-8 constant MAX | const val MAX = 10
    11-25 class Foo | open class Foo( private val name: String ) : Base(name) | A class.
    13-13 property Foo.name | private val name: String
    15-15 property Foo.prop | val prop: String = ""
    16-16 constructor Foo.constructor | constructor(x: Int) : this("", x)
    17-20 method Foo.run | override suspend fun run(x: Int): Result<String>
    22-22 constant Foo.TAG | const val TAG = "x"
    23-23 method Foo.create | fun create()
    26-26 enum Color | enum class Color
    26-26 enumerator Color.RED | RED
    26-26 enumerator Color.GREEN | GREEN
    27-27 interface S | sealed interface S
    28-30 module Single | object Single
    29-29 method Single.one | fun one()
    31-31 method String.ext | fun String?.ext(x: Int): Int
    32-32 property List.second | val List<Int>.second: Int get() = this[1]
    """,
    imports="""
    1 package a.b
    3 import kotlin.io.println
    4 import a.b *
    5 import x.y.Z as W
    """,
    calls="""
    go:19 create:19 make:23
    """,
    types="""
    String:7 Unit:7 Old:11 String:13 Base:14 String:15 Int:16 Int:17 Result:17 String:17
    Foo:19 Int:23 String:31 Int:31 List:32 Int:32
    """,
)


class TestKotlin(CaseChecks):
    case = CASE
