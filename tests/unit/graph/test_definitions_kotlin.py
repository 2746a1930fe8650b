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
