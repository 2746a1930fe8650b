"""Definitions, imports and references found in Swift."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
import Foundation
import struct Foo.Bar

/// A protocol.
public protocol Drawable: AnyObject {
    associatedtype T
    var size: Int { get }
    func draw(_ x: Int) -> Bool
}
typealias Handler = (Int) -> Void
let top = 1
@objc public final class Foo<T>: Base where T: Eq {
    static let shared = Foo()
    var name: String = "", other = 2
    var computed: Int { return 1 }
    init?(x: Int) { super.init() }
    override func draw(_ x: Int) -> Bool { let local = 1; return x.go(local) }
}
struct Inner { let a: Int }
enum E: String {
    case a, b = "x"
    case c(Int)
}
extension Foo.Part: Eq {
    static func == (l: Foo, r: Foo) -> Bool { true }
}
func make(a: [Foo]) throws -> Foo { Inner.build(a) }
"""

CASE = Case(
    "swift",
    SOURCE,
    definitions="""
    5-9 interface Drawable | public protocol Drawable: AnyObject | A protocol.
    6-6 type Drawable.T | associatedtype T
    7-7 property Drawable.size | var size: Int { get }
    8-8 method Drawable.draw | func draw(_ x: Int) -> Bool
    10-10 type Handler | typealias Handler = (Int) -> Void
    11-11 constant top | let top = 1
    12-18 class Foo | public final class Foo<T>: Base where T: Eq
    13-13 property Foo.shared | static let shared = Foo()
    14-14 property Foo.name | var name: String = "", other = 2
    14-14 property Foo.other | var name: String = "", other = 2
    15-15 property Foo.computed | var computed: Int
    16-16 constructor Foo.init | init?(x: Int)
    17-17 method Foo.draw | override func draw(_ x: Int) -> Bool
    19-19 struct Inner | struct Inner
    19-19 property Inner.a | let a: Int
    20-23 enum E | enum E: String
    21-21 enumerator E.a | case a, b = "x"
    21-21 enumerator E.b | case a, b = "x"
    22-22 enumerator E.c | case c(Int)
    25-25 method Foo.Part.== | static func == (l: Foo, r: Foo) -> Bool
    27-27 function make | func make(a: [Foo]) throws -> Foo
    """,
    imports="""
    1 import Foundation
    2 import Foo.Bar
    """,
    calls="""
    Foo:13 init:16 go:17 build:27
    """,
    types="""
    AnyObject:5 Int:7 Int:8 Bool:8 Int:10 Void:10 objc:12 Base:12 Eq:12 String:14 Int:15
    Int:16 Int:17 Bool:17 Int:19 String:20 Int:22 Part:24 Eq:24 Foo:25 Bool:25 Foo:27
    Inner:27
    """,
)


class TestSwift(CaseChecks):
    case = CASE
