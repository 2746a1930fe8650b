"""Definitions, imports and references found in Ruby."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
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

CASE = Case(
    "ruby",
    SOURCE,
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
)


class TestRuby(CaseChecks):
    case = CASE
