"""The queries of ten languages, each over one small source: all that is found in it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from gitsearch.extract import symbols, syntax
from gitsearch.records import Structure


@dataclass(frozen=True)
class Case:
    """A source and what is found in it, a line for each definition and import.

    Definitions are written as lines, kind, qualified name | signature | doc; imports as line,
    kind, specifier, names; what is used as name:line.
    """

    language: str
    source: str
    definitions: str
    imports: str
    calls: str
    types: str = ""


RUBY = """\
require "json"
require_relative "../lib/foo"
autoload :Bar, "a/bar"

# What the module is for.
module Outer
  VERSION = "1.0"
  Point = Struct.new(:x)

  class Foo::Bar < Base
    attr_accessor :name, :age
    MAX, MIN = 1, 2
    alias_method :old, :create

    # Says hello.
    def initialize(a, b = 2)
      @a = compute(a)
    end

    def self.create(x) = new(x)

    private def helper?
      local = Other::Thing.new
      raise Failure unless local.ok?
    end

    class << self
      def build; end
    end
  end
end

def toplevel
  Outer::Foo.create(1)
end
autoload :Qux
require File.join(__dir__, "y")
"""

PHP = """\
<?php
namespace App;

use Foo\\Bar;
use Foo\\Baz as Qux;
use Group\\{A, B as C};
require_once 'x.php';

const VERSION = '1', OTHER = 2;
define('LEGACY', 1);

/**
 * A shape.
 */
interface Shape extends Base { public function area(): float; }

#[Attr]
abstract class Circle extends Model implements Shape
{
    use Loggable;
    public const PI = 3.14;
    protected $radius, $name = 'x';

    public function __construct(private float $r) { parent::__construct(); }

    /** Makes one. */
    public static function make(int $x): static { return new self(helper($x)); }
}

trait Loggable { public function log(Foo $m) { $this->write($m); Other::baz(); } }

enum Suit: string { case Hearts = 'H'; }

function top(array $a): ?Bar { $local = 1; return new Bar($local); }

use function F\\g, F\\h as i;
use const F\\C;
use F\\{function j};
use function F\\{k};
new \\Far\\Away;
require __DIR__ . '/y.php';
"""

KOTLIN = """\
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

SWIFT = """\
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

SCALA = """\
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

ELIXIR = '''\
defmodule MyApp.Foo do
  @moduledoc """
  The module.
  """
  use GenServer
  import Ecto.Query, only: [from: 2]
  alias MyApp.{Bar, Baz}
  require Logger

  @timeout 5_000
  @typedoc "A thing."
  @type t :: %__MODULE__{name: String.t()}
  @callback handle(term) :: :ok

  @doc """
  Runs it.

  And more.
  """
  @spec run(integer, integer) :: :ok
  def run(x, y \\\\ 1) when is_integer(x) do
    local = 1
    Logger.info("x")
    helper(local) |> Enum.map(&Bar.go/1)
  end

  def run(nil, _), do: :error
  # Helps.
  defp helper(x), do: x
  def no_args, do: 1
  defmacro mac(x) do
    quote do: unquote(x)
  end
  defguard is_pos(x) when x > 0
  def a <~> b, do: a
end
defprotocol Size do
  def size(data)
end
defimpl Size, for: BitString do
  def size(x), do: byte_size(x)
end
'''

LUA = """\
local json = require("json")
local M = {}
M.version = "1.0"
LIMIT = 1
-- Adds things.
-- In two lines.
function M.add(x, y) return compute(x) end
function M:method(x) self.z = 1 end
local function helper(x)
  local inner = 1
  return x.go(inner)
end
M.later = function(x) x:call() end
local t = { fn = function() end, key = 1 }
dofile("x.lua")
return M
"""

HASKELL = """\
module Data.Foo (bar) where

import Data.List (sort, nub)
import qualified Data.Map as M

-- | What bar does.
bar :: Int -> Maybe Int
bar 0 = Nothing
bar x = Just (go x)
  where go y = y + 1

(<+>) :: Int -> Int -> Int
a <+> b = helper' a b

data Baz a = Baz { field1 :: a, field2 :: !Int } | Qux Int
newtype N = N { unN :: Int }
type Alias a = Maybe a
class Eq a => Shape a where
  area :: a -> Double
instance Shape Int where
  area x = fromIntegral x
helper' = M.insert
"""

ZIG = """\
const std = @import("std");
const Part = @import("part.zig").Part;
/// The most.
pub const MAX: usize = 10;
var counter: u32 = 0;
pub const Foo = struct {
    a: u32,
    const Self = @This();
    /// Makes one.
    pub fn init(allocator: std.mem.Allocator) Foo {
        const local = 1;
        return make(local);
    }
    fn method(self: *Self) !void {
        self.go(1);
    }
};
const Color = enum(u8) { red, green = 2 };
const U = union(enum) { x: u32, y };
const E = error{ OutOfMemory, Bad };
pub fn List(comptime T: type) type {
    return struct {
        items: T,
        const Slice = []T;
        pub fn push(self: *@This()) void {}
    };
}
inline fn helper() void {}
"""

BASH = """\
#!/usr/bin/env bash
source ./lib.sh
. "$DIR/other.sh"
readonly VERSION="1.0"
export path=1
name=value
# Does foo.
foo() {
  local x=1
  global=2
  bar "$x" | baz
}
function ns::bar { echo hi; }
if true; then
  cond() { other; }
fi
"""

CASES = [
    Case(
        "ruby",
        RUBY,
        definitions="""
        6-31 module Outer | module Outer | What the module is for.
        7-7 constant Outer.VERSION | VERSION = "1.0"
        8-8 class Outer.Point | Point = Struct.new(:x)
        10-30 class Outer.Foo.Bar | class Foo::Bar < Base
        11-11 property Outer.Foo.Bar.name | attr_accessor :name, :age
        11-11 property Outer.Foo.Bar.age | attr_accessor :name, :age
        12-12 constant Outer.Foo.Bar.MAX | MAX, MIN = 1, 2
        12-12 constant Outer.Foo.Bar.MIN | MAX, MIN = 1, 2
        13-13 method Outer.Foo.Bar.old | alias_method :old, :create
        16-18 constructor Outer.Foo.Bar.initialize | def initialize(a, b = 2) | Says hello.
        20-20 method Outer.Foo.Bar.create | def self.create(x)
        22-25 method Outer.Foo.Bar.helper? | def helper?
        28-28 method Outer.Foo.Bar.build | def build; end
        33-35 method toplevel | def toplevel
        """,
        imports="""
        1 require json
        2 require_relative ../lib/foo
        3 autoload a/bar
        36 autoload Qux
        37 dynamic File.join(__dir__, "y")
        """,
        calls="""
        require:1 require_relative:2 autoload:3 new:8 attr_accessor:11 alias_method:13
        compute:17 new:20 private:22 new:23 raise:24 ok?:24 create:34
        autoload:36 require:37 join:37
        """,
        types="""
        Struct:8 Foo:10 Base:10 Other:23 Thing:23 Failure:24 Outer:34 Foo:34 File:37
        """,
    ),
    Case(
        "php",
        PHP,
        definitions="""
        9-9 constant VERSION | const VERSION = '1', OTHER = 2
        9-9 constant OTHER | const VERSION = '1', OTHER = 2
        10-10 constant LEGACY | define('LEGACY', 1)
        15-15 interface Shape | interface Shape extends Base | A shape.
        15-15 method Shape.area | public function area(): float
        17-28 class Circle | abstract class Circle extends Model implements Shape
        21-21 constant Circle.PI | public const PI = 3.14
        22-22 property Circle.radius | protected $radius, $name = 'x'
        22-22 property Circle.name | protected $radius, $name = 'x'
        24-24 constructor Circle.__construct | public function __construct(private float $r)
        24-24 field Circle.__construct.r | private float $r
        27-27 method Circle.make | public static function make(int $x): static | Makes one.
        30-30 trait Loggable | trait Loggable
        30-30 method Loggable.log | public function log(Foo $m)
        32-32 enum Suit | enum Suit: string
        32-32 enumerator Suit.Hearts | case Hearts = 'H'
        34-34 function top | function top(array $a): ?Bar
        """,
        imports="""
        2 namespace App
        4 use Foo\\Bar
        5 use Foo\\Baz Foo\\Baz as Qux
        6 use Group A,B as C
        7 require x.php
        36 function F\\g
        36 use F\\h F\\h as i
        37 const F\\C
        38 use F function j
        39 function F k
        40 name \\Far\\Away
        41 require __DIR__ . '/y.php'
        """,
        calls="""
        define:10 __construct:24 helper:27 write:30 baz:30
        """,
        types="""
        Base:15 Attr:17 Model:18 Shape:18 Loggable:20 Foo:30 Other:30 Bar:34
        Away:40
        """,
    ),
    Case(
        "kotlin",
        KOTLIN,
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
        5 import x.y.Z
        """,
        calls="""
        go:19 create:19 make:23
        """,
        types="""
        String:7 Unit:7 Old:11 String:13 Base:14 String:15 Int:16 Int:17 Result:17 String:17
        Foo:19 Int:23 String:31 Int:31 List:32 Int:32
        """,
    ),
    Case(
        "swift",
        SWIFT,
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
    ),
    Case(
        "scala",
        SCALA,
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
    ),
    Case(
        "elixir",
        ELIXIR,
        definitions="""
        1-36 module MyApp.Foo | defmodule MyApp.Foo | The module.
        10-10 constant MyApp.Foo.timeout | @timeout 5_000
        12-12 type MyApp.Foo.t | @type t :: %__MODULE__{name: String.t()} | A thing.
        13-13 method MyApp.Foo.handle | @callback handle(term) :: :ok
        21-27 function MyApp.Foo.run | def run(x, y \\\\ 1) when is_integer(x) | Runs it.
        29-29 function MyApp.Foo.helper | defp helper(x), do: x | Helps.
        30-30 function MyApp.Foo.no_args | def no_args, do: 1
        31-33 macro MyApp.Foo.mac | defmacro mac(x)
        34-34 macro MyApp.Foo.is_pos | defguard is_pos(x) when x > 0
        35-35 function MyApp.Foo.<~> | def a <~> b, do: a
        37-39 interface Size | defprotocol Size
        38-38 method Size.size | def size(data)
        41-41 method Size.size | def size(x), do: byte_size(x)
        """,
        imports="""
        5 use GenServer
        6 import Ecto.Query
        7 alias MyApp Bar,Baz
        8 require Logger
        40 impl Size
        """,
        calls="""
        t:12 run:20 is_integer:21 info:23 helper:24 map:24 go:24 byte_size:41
        """,
        types="""
        GenServer:5 Ecto.Query:6 MyApp:7 Bar:7 Baz:7 Logger:8 String:12 Logger:23 Enum:24 Bar:24
        BitString:40
        """,
    ),
    Case(
        "lua",
        LUA,
        definitions="""
        2-2 variable M | local M = {}
        3-3 field M.version | M.version = "1.0"
        4-4 constant LIMIT | LIMIT = 1
        7-7 method M.add | function M.add(x, y) | Adds things. In two lines.
        8-8 method M.method | function M:method(x)
        9-12 function helper | local function helper(x)
        13-13 method M.later | M.later = function(x)
        14-14 variable t | local t = { fn = function() end, key = 1 }
        14-14 function t.fn | fn = function() end
        """,
        imports="""
        1 require json
        15 dofile x.lua
        """,
        calls="""
        require:1 compute:7 go:11 call:13 dofile:15
        """,
    ),
    Case(
        "haskell",
        HASKELL,
        definitions="""
        7-10 function bar | bar :: Int -> Maybe Int | What bar does.
        12-13 function <+> | (<+>) :: Int -> Int -> Int
        15-15 type Baz | data Baz a = Baz { field1 :: a, field2 :: !Int } | Qux Int
        15-15 constructor Baz.Baz | Baz
        15-15 field Baz.field1 | field1 :: a
        15-15 field Baz.field2 | field2 :: !Int
        15-15 constructor Baz.Qux | Qux Int
        16-16 type N | newtype N = N { unN :: Int }
        16-16 constructor N.N | N
        16-16 field N.unN | unN :: Int
        17-17 type Alias | type Alias a = Maybe a
        18-19 class Shape | class Eq a => Shape a where
        19-19 method Shape.area | area :: a -> Double
        21-21 method Shape.area | area x
        22-22 function helper' | helper'
        """,
        imports="""
        1 module Data.Foo
        3 import Data.List sort,nub
        4 import Data.Map
        """,
        calls="""
        Just:9 go:9 helper':13 fromIntegral:21 insert:22
        """,
        types="""
        Int:7 Maybe:7 Int:12 Int:15 Int:16 Maybe:17 Eq:18 Double:19 Int:20
        """,
    ),
    Case(
        "zig",
        ZIG,
        definitions="""
        4-4 constant MAX | const MAX: usize = 10 | The most.
        5-5 variable counter | var counter: u32 = 0
        6-17 struct Foo | const Foo = struct
        7-7 field Foo.a | a: u32
        8-8 constant Foo.Self | const Self = @This()
        10-13 method Foo.init | fn init(allocator: std.mem.Allocator) Foo | Makes one.
        14-16 method Foo.method | fn method(self: *Self) !void
        18-18 enum Color | const Color = enum(u8)
        18-18 enumerator Color.red | red
        18-18 enumerator Color.green | green = 2
        19-19 struct U | const U = union(enum)
        19-19 field U.x | x: u32
        19-19 field U.y | y
        20-20 enum E | const E = error
        20-20 enumerator E.OutOfMemory | OutOfMemory
        20-20 enumerator E.Bad | Bad
        21-27 type List | fn List(comptime T: type) type
        23-23 field List.items | items: T
        24-24 constant List.Slice | const Slice = []T
        25-25 method List.push | fn push(self: *@This()) void
        28-28 function helper | inline fn helper() void
        """,
        imports="""
        1 import std
        2 import part.zig
        """,
        calls="""
        make:12 go:15
        """,
        types="""
        Part:2 Allocator:10 Foo:10 Self:14 T:23 T:24
        """,
    ),
    Case(
        "bash",
        BASH,
        definitions="""
        4-4 constant VERSION | readonly VERSION="1.0"
        5-5 variable path | export path=1
        6-6 variable name | name=value
        8-12 function foo | foo() | Does foo.
        13-13 method ns.bar | function ns::bar
        15-15 function cond | cond()
        """,
        imports="""
        2 source ./lib.sh
        3 source $DIR/other.sh
        """,
        calls="""
        bar:11 baz:11 other:15
        """,
    ),
]


def found(case: Case) -> Structure:
    data = case.source.encode()
    tree = syntax.parse(data, case.language)
    assert tree is not None
    assert not tree.root_node.has_error
    return symbols.structure(tree.root_node, data, case.language)


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_the_table_is_whole():
    assert len({case.language for case in CASES}) == len(CASES) == 10


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language)
def test_definitions(case):
    got = []
    for d in found(case).definitions:
        parts = [f"{d.first_line}-{d.last_line} {d.kind} {d.qualified}", d.signature, d.doc]
        got.append(" | ".join(filter(None, parts)))
    assert got == lines(case.definitions)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language)
def test_imports(case):
    got = [f"{i.line} {i.kind} {i.specifier} {i.names}".rstrip() for i in found(case).imports]
    assert got == lines(case.imports)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language)
@pytest.mark.parametrize("kind", ["call", "type"])
def test_references(case, kind):
    got = [f"{r.name}:{r.line}" for r in found(case).references if r.kind == kind]
    assert got == (case.calls if kind == "call" else case.types).split()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language)
def test_a_name_is_qualified_by_its_parent(case):
    definitions = found(case).definitions
    for definition in definitions:
        if definition.parent >= 0:
            assert definition.qualified.startswith(definitions[definition.parent].qualified + ".")
