"""Which definition of Kotlin may run which, and of Java beside it."""

from __future__ import annotations

from tests.unit.graph.definitions import edges

ROOT = "src/main/kotlin/draw/"
FILES = {
    f"{ROOT}Shapes.kt": """package draw

import draw.tools.Size
import draw.tools.check
import draw.tools.grown

interface Shape {
    fun area(): Int
    fun twice(): Int = area() * 2
}

abstract class Base(val size: Size) : Shape {
    override fun area(): Int = size.value()
    open fun name() = LABEL
}

class Square(size: Size, private val edge: Int = check(1)) : Base(size.grown()) {
    override fun name(): String { return super.name() + edge }
    operator fun plus(other: Square): Square = Square(other.size)
    companion object { fun unit(): Square = Square(Size.of(1)) }
}

const val LABEL = "shape"
""",
    f"{ROOT}tools/Tools.kt": """package draw.tools

class Size(val n: Int) {
    fun value(): Int = n
    companion object { fun of(n: Int) = Size(n) }
}

fun check(n: Int): Int = n
fun Size.grown(): Size = Size(value() + 1)
fun String.words(): Int = length
object Shared { fun size() = Size(2) }
""",
    "src/main/java/draw/Old.java": (
        "package draw;\npublic class Old {\n"
        "  int area(Square s) { return s.area(); }\n  static int one() { return 1; }\n}\n"
    ),
    "src/test/kotlin/draw/SquareTest.kt": """package draw

import draw.tools.Shared
import draw.tools.words

class SquareTest {
    private fun large(shape: Shape) = shape.area() > 1

    @Test fun sums() {
        val square = Square.unit()
        square.twice()
        listOf(square).filter(::large).forEach { it.name() }
        val (a, b) = "x y".words() to Old.one()
        for (one in listOf<Base>(square)) one.name()
        (Shared.size() as Any).toString()
    }
}
""",
}


def test_calls_types_and_members(repo):
    found = edges(repo.having(FILES))
    assert {
        ("Base", "subclass", "Shape"),
        ("Square", "subclass", "Base"),
        ("Square.edge", "call", "check"),
        ("Base.area", "call", "Size.value"),
        ("Base.name", "variable", "LABEL"),
        ("Square.name", "call", "Base.name"),
        ("Square.unit", "call", "Square"),
        ("Square.unit", "call", "Size.of"),
        ("SquareTest.sums", "call", "Square.unit"),
        ("SquareTest.sums", "call", "Shape.twice"),
        ("SquareTest.sums", "value", "SquareTest.large"),
        ("SquareTest.sums", "call", "Shared.size"),
        ("SquareTest.large", "call", "Shape.area"),
    } <= found


def test_what_is_overridden_is_reached_and_extensions_are_members(repo):
    found = edges(repo.having(FILES))
    assert {
        ("Shape.area", "override", "Base.area"),
        ("Base.name", "override", "Square.name"),
        ("Square", "call", "Size.grown"),
        ("Size.grown", "call", "Size.value"),
        ("SquareTest.sums", "call", "String.words"),
    } <= found


def test_java_and_kotlin_use_each_other(repo):
    found = edges(repo.having(FILES))
    assert ("SquareTest.sums", "call", "Old.one") in found
    assert ("Old.area", "call", "Base.area") in found


RENAMED = {
    "src/lib/Tools.kt": """package lib

class Size(val n: Int) {
    fun value(): Int = n
    companion object { fun of(n: Int) = Size(n) }
}
enum class Color { RED }
fun check(n: Int): Int = n
fun Size.grown(): Size = Size(1)
fun open(n: Int): Int = n
object Shared { fun size() = Size(2) }
const val LIMIT = 1
""",
    "src/app/Own.kt": "package app\nfun check(): Int = 2\n",
    "src/app/User.kt": """package app

import lib.Color.RED as R
import lib.LIMIT as MAX
import lib.Shared as Common
import lib.Size as Box
import lib.check as verify
import lib.grown as larger
import lib.open as `as`

class User(val box: Box) {
    fun calls() = verify(MAX)
    fun makes() = Box(1).value()
    fun shared() = Common.size()
    fun extended(b: Box) = b.larger()
    fun member() = box.value()
    fun companion() = Box.of(3)
    fun enumerator() = R
    fun quoted() = `as`(1)
    fun own() = check()
}
""",
}


def test_what_is_imported_by_another_name_is_meant_by_this_name(repo):
    found = edges(repo.having(RENAMED))
    assert {
        ("User.calls", "call", "check"),
        ("User.calls", "variable", "LIMIT"),
        ("User.makes", "call", "Size"),
        ("User.makes", "call", "Size.value"),
        ("User.shared", "call", "Shared.size"),
        ("User.extended", "call", "Size.grown"),
        ("User.box", "type", "Size"),
        ("User.member", "call", "Size.value"),
        ("User.companion", "call", "Size.of"),
        ("User.enumerator", "variable", "Color.RED"),
        ("User.quoted", "call", "open"),
    } <= found


def test_an_alias_leaves_the_name_to_what_the_package_defines(repo):
    repo.having(RENAMED)
    repo.write("src/app/Own.kt", "package app\nfun mine(): Int = check()\nfun check(): Int = 2\n")
    repo.write("src/lib/Tools.kt", "package lib\nfun verified(n: Int): Int = n\n")
    repo.write(
        "src/app/User.kt",
        "package app\nimport lib.verified as other\n"
        "fun own() = check()\nfun verified() = 3\nfun renamed() = other(verified())\n",
    )
    repo.commit()
    assert {edge for edge in edges(repo) if edge[1] == "call"} == {
        ("mine", "call", "check"),
        ("own", "call", "check"),
        ("renamed", "call", "verified"),
    }


def test_functions_of_function_types_are_members_of_no_type(repo):
    repo.having(
        {
            "src/Times.kt": "package times\n\n"
            "fun (() -> Unit).twice() {\n    this()\n    twice()\n}\n",
            "src/Use.kt": "package use\n\nimport times.twice\n\nclass Box\n\n"
            "fun use(box: Box) {\n    box.twice()\n}\n",
        }
    )
    assert ("use", "call", "twice") in edges(repo)
